package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// openRecording is a recording that is open: a file, or a stretch of what is in the folder of a rotation.
type openRecording struct {
	player   *recording.Player
	segments func(context.Context) (*recording.Segments, error) // the same, in the place of the player
	begins   time.Time
	moment   session.Moment // that was asked for
	note     string         // which of several stretches it is
	close    func() error
}

// openRecorded opens what is to be asked about a moment.
func openRecorded(ctx context.Context, name, at string, pace recording.Pace) (*openRecording, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return openFolder(ctx, name, at, pace)
	}
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), bad("cannot read the recording: %v", err))
	}
	o := &openRecording{close: file.Close}
	if o.player, err = recording.Open(file, pace); err != nil {
		err = bad("%s: %v", name, err)
	} else if o.begins, err = begins(o.player, name); err == nil {
		o.moment, err = moment(at, o.begins)
	}
	if err != nil {
		file.Close()
		return nil, cmp.Or(ctx.Err(), err)
	}
	o.segments = func(ctx context.Context) (*recording.Segments, error) { return openSegments(ctx, file, o.player) }
	return o, nil
}

// openFolder opens the stretch in which the moment is, the last one if none is asked for.
func openFolder(ctx context.Context, dir, at string, pace recording.Pace) (*openRecording, error) {
	past, err := recording.ReadFolder(ctx, dir)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), bad("%s: %v", dir, err))
	}
	all := past.Spans
	m, err := moment(at, all[0].Begins)
	if err != nil {
		return nil, errors.Join(err, past.Close())
	}
	on := all[len(all)-1]
	switch {
	case m.Rev > 0:
		on = past.AtRevision(m.Rev)
	case !m.At.IsZero():
		on = past.At(m.At)
	}
	o := &openRecording{player: on.Segments.Play(pace), begins: on.Begins, moment: m, close: past.Close,
		segments: func(context.Context) (*recording.Segments, error) { return on.Segments, nil }}
	if len(all) > 1 && at == "" {
		o.note = stretches(dir, all)
	}
	return o, nil
}

// stretchesTold is how many stretches are named.
const stretchesTold = 5

// stretches says what else there is beside the last one.
func stretches(dir string, all []recording.Span) string {
	var b strings.Builder
	last := len(all) - 1
	fmt.Fprintf(&b, "%s holds %d stretches of time with nothing in between; this is the last one, and --at asks another:", dir, len(all))
	for i := max(0, last-stretchesTold); i < last; i++ {
		fmt.Fprintf(&b, " %s to %s;", all[i].Begins.Format(time.DateTime), all[i].Ends.Format(time.DateTime))
	}
	if more := last - stretchesTold; more > 0 {
		fmt.Fprintf(&b, " and %d before these", more)
	}
	return strings.TrimSuffix(b.String(), ";")
}

// begins returns when a recording begins.
func begins(p *recording.Player, file string) (time.Time, error) {
	at, err := p.Begins()
	switch {
	case err == io.EOF:
		return at, bad("%s: nothing was recorded in it", file)
	case err != nil:
		return at, bad("%s: there is nothing in it that can be read: %v", file, err)
	}
	return at, nil
}

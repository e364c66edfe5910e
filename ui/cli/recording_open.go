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

	"locktop/model"
	"locktop/ui/cli/playback"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// openRecording is a recording that is open: a file, or a stretch of what is in the folder of a rotation.
type openRecording struct {
	source   model.Source
	segments func(context.Context) (*recording.Segments, error) // the same, in the place of the source
	only     *recording.Only                                    // what of it is asked for
	begins   time.Time
	moment   session.Moment // that was asked for
	from     time.Time      // from when on is asked for, zero for its beginning
	note     string         // which of several stretches it is
	close    func() error
}

// openRecorded opens what is to be asked about a moment.
func openRecorded(ctx context.Context, past pastFlags, pace recording.Pace) (o *openRecording, err error) {
	if info, not := os.Stat(past.file); not == nil && info.IsDir() {
		o, err = openFolder(ctx, past.file, past.at, pace)
	} else {
		o, err = openFile(ctx, past.file, past.at, pace)
	}
	if err != nil {
		return nil, err
	}
	if past.from != "" {
		if o.from, err = playback.ParseMoment(past.from, o.begins); err != nil {
			return nil, errors.Join(bad("--from %q: want a time (10:04:05, 2026-03-01 10:04:05, RFC 3339)", past.from), o.close())
		}
	}
	o.only = &past.only
	if !o.only.IsAll() {
		all, whole := o.source, o.segments
		o.source = session.Map(all, o.only.Events)
		o.segments = func(ctx context.Context) (*recording.Segments, error) {
			r, err := whole(ctx)
			if err != nil {
				return nil, err
			}
			return recording.Gather(ctx, session.Map(r.Play(recording.Pace{}), o.only.Events))
		}
	}
	return o, nil
}

func openFile(ctx context.Context, name, at string, pace recording.Pace) (*openRecording, error) {
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), bad("cannot read the recording: %v", err))
	}
	o := &openRecording{close: file.Close}
	within, err := unbundled(file)
	if err != nil {
		file.Close()
		return nil, bad("%s: %v", name, err)
	}
	var all io.Reader = file
	if within != nil {
		all = within
	}
	player, err := recording.Open(all, pace)
	if err != nil {
		err = bad("%s: %v", name, err)
	} else if o.begins, err = begins(player, name); err == nil {
		o.moment, err = moment(at, o.begins)
	}
	if err != nil {
		file.Close()
		return nil, cmp.Or(ctx.Err(), err)
	}
	o.source = player
	o.segments = func(ctx context.Context) (*recording.Segments, error) {
		if within != nil {
			return recording.OpenSegments(ctx, within, within.Size())
		}
		return openSegments(ctx, file, player)
	}
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
	o := &openRecording{source: on.Segments.Play(pace), begins: on.Begins, moment: m, close: past.Close,
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
	case errors.Is(err, recording.ErrDamaged):
		return at, bad("%s: there is nothing in it that can be read: %v", file, err)
	case err != nil:
		return at, bad("%s: %v", file, err)
	}
	return at, nil
}

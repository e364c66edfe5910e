package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cast"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/watcher/recording"
)

// castFlags say how a recording becomes a recorded terminal.
type castFlags struct {
	file string
	size string
	idle time.Duration
}

// castMost bounds a recorded terminal: a player loads all of it.
const castMost = 64 << 20

// dimensions reads --size.
func (c castFlags) dimensions() (width, height int, err error) {
	n, err := fmt.Sscanf(c.size+"\n", "%dx%d\n", &width, &height)
	if err != nil || n != 2 || width < 40 || width > 400 || height < 12 || height > 200 {
		return 0, 0, bad("--size %s: want columns by lines, 40x12 to 400x200", c.size)
	}
	return width, height, nil
}

// writeCast writes what the console shows of the whole recording.
func (rr *replayRun) writeCast(ctx context.Context) (err error) {
	width, height, err := rr.cast.dimensions()
	if err != nil {
		return err
	}
	if rr.cast.idle < 0 || rr.cast.idle > time.Hour {
		return bad("--idle %s: want 0 to 1h", rr.cast.idle)
	}
	from, err := openRecorded(ctx, rr.past, recording.Pace{})
	if err != nil {
		return err
	}
	defer from.close()
	if from.moment.Rev > 0 {
		return bad("--at %s: a film goes up to a time (10:04:05, 2026-03-01 10:04:05, RFC 3339), not to a revision", rr.past.at)
	}
	if from.note != "" {
		fmt.Fprintln(rr.e.err, from.note)
	}
	segments, err := from.segments(ctx)
	if err != nil {
		return bad("%s: %v", rr.past.file, err)
	}
	var to io.Writer = rr.e.out
	if rr.cast.file != "-" {
		file, err := newFile(rr.cast.file, "the recorded terminal") // it shows what the recording has
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		to = file
	}
	if segments, err = rr.withActs(ctx, segments); err != nil {
		return err
	}
	film := filmOptions{speed: rr.speed, idle: rr.cast.idle, from: from.from, to: from.moment.At, width: width, height: height, maxBytes: castMost, lang: rr.e.language()}
	out, err := rr.e.shoot(ctx, segments, film, model.Printable(filepath.Base(rr.past.file)), to)
	if err != nil {
		return couldNotRun(err)
	}
	length, size, markers := out.Written()
	fmt.Fprintf(rr.e.err, "wrote %s: %s in %d KiB, %s\n", model.Printable(rr.cast.file), length.Round(time.Second), (size+1023)>>10, model.CountOf(markers, "marker"))
	return nil
}

// withActs adds what was done by hand and stands in a audit log: a film says who ended
// what.
func (rr *replayRun) withActs(ctx context.Context, r *recording.Segments) (*recording.Segments, error) {
	if info, err := os.Stat(rr.past.file); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return r, nil // it can be read once
	}
	_, acts, err := rr.e.happened(ctx, rr.past, rr.actionFiles)
	if err != nil || len(acts) == 0 {
		return r, err
	}
	return recording.Gather(ctx, withActs(r.Play(recording.Pace{}), acts))
}

// shoot makes a film of a recording of that name.
func (e *env) shoot(ctx context.Context, segments *recording.Segments, film filmOptions, name string, to io.Writer) (*cast.Writer, error) {
	o := e.uiOptions(text.Render(film.lang, model.Say("recording-of", model.Verbatim(name))))
	o.Prefixes, o.NoLab, o.Theme, o.Lang = prefixList(nil), noCluster, e.screen.theme, film.lang
	if o.Theme == themeAuto {
		o.Theme = ""
	}
	if o.Profile = termenv.TrueColor; e.screen.color == "never" { // of the players, and not of this terminal
		o.Profile = termenv.Ascii
	}
	if !e.screen.ascii && !e.screen.wideSigns {
		o.Signs = draw.SignsUnicode
	}
	return film.shoot(ctx, segments, o, ui.Live{Actions: host.NoActions{Why: noCluster}, Cut: segments.Cut}, to, "locktop replay "+name)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui"
	"locktop/ui/report"
	"locktop/watcher"
)

func (e *env) replayCmd() *cobra.Command {
	var output string
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "the console on a recording of \"locktop record\"",
		Long: "replay opens the console on a recording, as if what was recorded happened now, --speed times as\n" +
			"fast. Times of day on the screen are therefore those of the replay; its title has the true\n" +
			"beginning. Nothing can be done to a recording. Without a terminal, or with -o, the events are\n" +
			"printed with their true times, at once unless --speed is given.",
		Example:           "  locktop replay incident.rec --speed 10\n  locktop replay incident.rec -o jsonl | jq .text",
		Args:              fileArg,
		ValidArgsFunction: fileNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			paced := cmd.Flags().Changed("speed")
			if !(speed >= 1 && speed <= 10_000) {
				return bad("--speed %g: want 1 to 10000", speed)
			}
			if err := checkFormat(output); err != nil {
				return err
			}
			if e.isTerminal() && !cmd.Flags().Changed("output") {
				return e.replayConsole(cmd.Context(), args[0], speed)
			}
			if !paced {
				speed = 0
			}
			return e.replayEvents(cmd.Context(), args[0], speed, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "print events instead: "+formatWords())
	cmd.Flags().Float64Var(&speed, "speed", 1, "so many times as fast as it was")
	return cmd
}

// fileNames leaves the completion of names to the shell.
func fileNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// openRecording opens a recording; the caller closes the file.
func openRecording(name string) (*os.File, *watcher.Player, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, bad("cannot read the recording: %v", err)
	}
	p, err := watcher.Replay(file)
	if err != nil {
		file.Close()
		return nil, nil, bad("%s: %v", name, err)
	}
	return file, p, nil
}

// replayEvents prints what happens in a recording.
func (e *env) replayEvents(ctx context.Context, name string, speed float64, output string) error {
	file, player, err := openRecording(name)
	if err != nil {
		return err
	}
	defer file.Close()
	s := fold.NewState(e.pins...)
	out := report.NewEvents(e.out, s, output)
	src := &tape{Source: player, speed: speed}
	err = follow(ctx, src, s, out.Write)
	if src.ended { // what is not settled by now never will be
		err = nil
		for _, f := range s.JournalAfter(out.Last()) {
			err = errors.Join(err, out.Write(f))
		}
	}
	return errors.Join(err, out.Close())
}

// replayConsole opens the console on a recording.
func (e *env) replayConsole(ctx context.Context, name string, speed float64) error {
	file, player, err := openRecording(name)
	if err != nil {
		return err
	}
	defer file.Close()
	src := &tape{Source: player, speed: speed, asIfNow: true}
	if err := src.begin(ctx); err != nil {
		return bad("%s: there is nothing in it: %v", name, err)
	}
	o := e.uiOptions(fmt.Sprintf("recording %s of %s", model.Printable(filepath.Base(name)), src.first.Format(time.DateTime)))
	o.Prefixes, o.NoLab = prefixList(nil), noCluster
	o.Boot = func(context.Context, func(string)) (ui.Live, error) {
		return ui.Live{Source: src, Actions: noHands{}}, nil
	}
	return e.show(ctx, o)
}

// errTapeEnd is read behind "nothing more will come: ".
var errTapeEnd = errors.New("the recording is over")

// tape is a recording that takes its time.
type tape struct {
	model.Source
	// speed is how many times as fast as it was; 0 is at once.
	speed float64
	// asIfNow moves every time in the recording so that it begins when it is played.
	asIfNow bool

	next    model.Batch // read ahead, not yet due
	has     bool
	ended   bool // there is no more
	first   time.Time
	started time.Time
}

// begin reads the first batch, so that first is known.
func (t *tape) begin(ctx context.Context) error {
	for !t.has {
		b, err := t.Source.Next(ctx, model.Want{})
		if err == io.EOF {
			t.ended = true
			return errTapeEnd
		}
		if err != nil {
			return fmt.Errorf("replaying: %w", err)
		}
		t.next, t.has = b, len(b.Events) > 0
	}
	if t.started.IsZero() {
		t.first, t.started = t.next.Events[0].When(), time.Now()
	}
	return nil
}

// Next implements model.Source: it returns the next batch when it is due. A call
// that ends with ctx leaves it for the next one.
func (t *tape) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	if err := t.begin(ctx); err != nil {
		return model.Batch{}, err
	}
	if err := t.wait(ctx); err != nil {
		return model.Batch{}, err
	}
	b := t.next
	t.next, t.has = model.Batch{}, false
	if t.asIfNow {
		for i := range b.Events {
			b.Events[i] = moved(b.Events[i], t.started.Sub(t.first))
		}
	}
	return b, nil
}

// wait waits until the last event of the next batch is due.
func (t *tape) wait(ctx context.Context) error {
	if t.speed == 0 {
		return ctx.Err()
	}
	at := t.next.Events[len(t.next.Events)-1].When().Sub(t.first)
	timer := time.NewTimer(time.Until(t.started.Add(time.Duration(float64(at) / t.speed))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// moved is an event with every time in it moved.
func moved(e model.Event, by time.Duration) model.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	moveTimes(v, by)
	return v.Interface().(model.Event)
}

// moveTimes moves what times there are in a value. One that is zero says that there
// is none. Lists are the tape's own: nobody else has read them.
func moveTimes(v reflect.Value, by time.Duration) {
	if at, ok := v.Interface().(time.Time); ok {
		if !at.IsZero() {
			v.Set(reflect.ValueOf(at.Add(by)))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			moveTimes(v.Field(i), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			moveTimes(v.Index(i), by)
		}
	}
}

const noCluster = "this is a recording: there is no cluster to act on"

// noHands are those of the console on a recording.
type noHands struct{}

func (noHands) Available(model.Action) error { return errors.New(noCluster) }

func (noHands) Plan(context.Context, model.Action) (model.Plan, error) {
	return model.Plan{}, errors.New(noCluster)
}

func (noHands) Do(_ context.Context, p model.Plan) model.Outcome {
	return model.Outcome{Action: p.Action, Err: noCluster}
}

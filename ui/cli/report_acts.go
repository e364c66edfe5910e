package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"locktop/chaos/gate"
	"locktop/model"
)

// actsLate is by how much the clock of whoever acted may be ahead of that of the recording.
const actsLate = 2 * time.Second

// actions takes in what the journals of actions say was done to the locks that were seen: a break by
// another run of the program stands there, and in no recording. Only acts whose effect was seen are
// taken, so that those on another cluster are not.
func (f *reportRun) actions(at *observation, mask func(model.Event) model.Event) error {
	files := f.actionFiles
	if files == nil {
		own, _, err := journalFile()
		if err != nil {
			return nil // there is no place for one, so there is none
		}
		files = []string{own}
	}
	for _, name := range files {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) && f.actionFiles == nil {
			continue
		} else if err != nil {
			return bad("--actions: %v", err)
		}
		done, damaged, err := gate.ReadJournal(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return bad("--actions %s: %v", name, err)
		}
		if damaged > 0 {
			fmt.Fprintf(f.e.err, "%s: %s cannot be read\n", model.Printable(name), model.CountOf(damaged, "line"))
		}
		var seen []model.Event
		for _, o := range done {
			e := mask(model.Acted{At: o.At, Outcome: o}).(model.Acted)
			if !e.At.After(at.State.Now().Add(actsLate)) && at.State.Sees(e.Outcome) && !at.State.Knows(e.Outcome) {
				seen = append(seen, e)
			}
		}
		at.State.Apply(model.Batch{Events: seen})
	}
	return nil
}

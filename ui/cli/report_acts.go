package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"locktop/chaos/gate"
	"locktop/model"
	"locktop/model/store"
)

// handActs are what audit logs say was done by hand: a break by another run of the program
// stands there, and in no recording. Only acts whose effect is seen are told, so that those on another
// cluster are not.
type handActs struct {
	due  []model.Acted // that were not looked for yet, in their order
	seen []model.Acted
}

// actsLate is by how much the clock of whoever acted may be ahead of that of the recording, and for
// how long the effect of an act is waited for.
const actsLate = 2 * time.Second

// readActs reads audit logs, your own if none is named.
func readActs(told io.Writer, files []string, mask func(model.Event) model.Event) (*handActs, error) {
	named := files != nil
	if !named {
		own, _, err := auditLogFile()
		if err != nil {
			return &handActs{}, nil // there is no place for one, so there is none
		}
		files = []string{own}
	}
	a := &handActs{}
	for _, name := range files {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) && !named {
			continue
		} else if err != nil {
			return nil, bad("--actions: %v", err)
		}
		done, damaged, err := gate.ReadAuditLog(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, bad("--actions %s: %v", name, err)
		}
		if damaged > 0 {
			fmt.Fprintf(told, "%s: %s cannot be read\n", model.Printable(name), model.CountOf(damaged, "line"))
		}
		for _, o := range done {
			a.due = append(a.due, mask(model.Acted{At: o.At, Outcome: o}).(model.Acted))
		}
	}
	slices.SortStableFunc(a.due, func(x, y model.Acted) int { return x.At.Compare(y.At) })
	return a, nil
}

// take tells a state of the acts whose effect it must have seen by now.
func (a *handActs) take(s *store.Store) { a.upTo(s, s.Now().Add(-actsLate)) }

// finish tells it of those that are left, up to its end.
func (a *handActs) finish(s *store.Store) { a.upTo(s, s.Now().Add(actsLate)) }

func (a *handActs) upTo(s *store.Store, at time.Time) {
	for len(a.due) > 0 && !a.due[0].At.After(at) {
		act := a.due[0]
		a.due = a.due[1:]
		if s.Sees(act.Outcome) && !s.Knows(act.Outcome) {
			s.Apply(model.Batch{Events: []model.Event{act}})
			a.seen = append(a.seen, act)
		}
	}
}

// unmasked leaves an event as it is.
func unmasked(e model.Event) model.Event { return e }

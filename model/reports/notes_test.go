package reports

import (
	"fmt"
	"slices"
	"testing"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/timeline"

	"pgregory.net/rapid"
)

// Whatever is reported, what is open is listed with its lock, and nothing else is.
func TestNotesAgreeWithTheirLocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s := told(modeltest.Draw(t).Events)
		want := map[string][]string{}
		for key, n := range s.notebook.notes {
			if n.open() {
				want[n.lock] = append(want[n.lock], key)
			}
		}
		for name, ll := range s.places.locks {
			slices.Sort(want[name])
			var open []string
			for _, n := range ll.Open {
				open = append(open, n.Key)
			}
			if !slices.Equal(want[name], open) {
				t.Fatalf("%s: open %q, want %q", name, open, want[name])
			}
			delete(want, name)
		}
		if len(want) > 0 || len(s.notebook.order) != len(s.notebook.notes) {
			t.Fatalf("open without a lock: %q; %d notes, %d in order", want, len(s.notebook.notes), len(s.notebook.order))
		}
	})
}

// Whatever comes through the proxy, memory is bounded.
func TestReportsAreBounded(t *testing.T) {
	k, s := told(nil)
	for i := range 10_000 {
		c := model.Client{Name: fmt.Sprint("127.0.0.1:", i), Certain: i%2 == 0}
		key, now := fmt.Sprintf("/lock%d/%x", i%2000, i+1), modeltest.At(float64(i)/100)
		tell(k, s,
			model.Connected{At: now, Client: c, Peer: c.Name, On: true},
			model.LeaseOwner{At: now, Client: c, Lease: model.LeaseID(i + 1)}, model.LeaseOwner{At: now, Client: model.Client{Name: "c0", Certain: true}, Lease: model.LeaseID(i + 1), Renews: true},
			model.Wrote{At: now, Client: c, Key: key, Lease: model.LeaseID(i + 1), Rev: int64(i + 1)},
			model.Wrote{At: now, Client: c, Key: key, Delete: true},
			model.Watches{At: now, Client: c, Key: key, On: true},
			model.Refused{At: now, Client: c, Method: "Lease/LeaseKeepAlive", Lease: model.LeaseID(i + 1)},
			model.Belief{At: now, Contender: "c1", Lock: "/lock1", State: []model.BeliefState{model.BeliefHolding, model.BeliefIdle}[i%2], Key: key},
			model.Contender{At: now, Name: fmt.Sprint("x", i), Lock: fmt.Sprint("/lock", i), Proc: model.ProcEnded})
	}
	open := 0
	for _, ll := range s.places.locks {
		open = max(open, len(ll.Open), len(ll.beliefs))
	}
	if len(s.notebook.notes) > notesMax || len(s.notebook.order) > notesMax || len(s.Programs.clients) > clientsMax || len(s.Keepers.keepers) > locks.OwnersMax || len(s.Keepers.shared) > locks.OwnersMax ||
		len(s.Keepers.refused) > refusedMax || len(s.Programs.contenders) > contendersMax || len(s.places.locks)+len(s.believed) > 3*labLocksMax || open > notesMax {
		t.Errorf("%d notes (%d in order), %d clients, %d keepers, %d shared, %d refused, %d contenders, %d locks, %d open",
			len(s.notebook.notes), len(s.notebook.order), len(s.Programs.clients), len(s.Keepers.keepers), len(s.Keepers.shared), len(s.Keepers.refused), len(s.Programs.contenders), len(s.places.locks), open)
	}
}

// told applies events as they come, without any diagnosis.
func told(events []model.Event) (*locks.State, *Reports) {
	k := locks.NewState()
	s := NewReports(k, timeline.New(k, 0))
	tell(k, s, events...)
	return k, s
}

func tell(k *locks.State, s *Reports, events ...model.Event) {
	for _, e := range events {
		k.Write(s.Apply(e, k.Apply(e)))
	}
}

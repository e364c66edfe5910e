package store

import (
	"testing"

	"locktop/model"
	"locktop/model/modeltest"

	"github.com/google/go-cmp/cmp"
)

func TestWantAsksInOrderOfNeed(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/free", 0x1), "", 0x1) // a head that nobody waits for
	h.Put(1, modeltest.ClaimKey("/busy", 0x2), "", 0x2) // a contended head
	h.Put(1, modeltest.ClaimKey("/busy", 0x3), "", 0x3) // a waiter
	h.Put(1, modeltest.ClaimKey("/gone", 0x4), "", 0x4) // its cause will be asked for
	h.Put(1, modeltest.ClaimKey("/never", 0x0), "x", 0) // no lease
	h.Put(1, "/data/config", "x", 0x5)                  // leased, but no claim of a lock
	h.Del(2, modeltest.ClaimKey("/gone", 0x4))
	s := state(h)
	if d := cmp.Diff(model.Want{Leases: []model.LeaseID{4, 2, 1, 3}, Hurry: true, WakeAt: s.Want(nil).WakeAt}, s.Want(nil)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	s.Apply(model.Batch{Events: []model.Event{
		model.LeaseRead{At: modeltest.At(2), ID: 4, Granted: 0, Remaining: -1}, model.LeaseRead{At: modeltest.At(2), ID: 2, Granted: 60, Remaining: 55},
		model.LeaseRead{At: modeltest.At(2), ID: 1, Granted: 60, Remaining: 10}, model.LeaseUnread{At: modeltest.At(2), ID: 3, Reason: model.Say("quote", "denied")}}})
	if w := s.Want(nil); len(w.Leases) != 0 || !w.WakeAt.Equal(modeltest.At(3)) {
		t.Errorf("after the readings: want %v at %v; want nothing until the refused one is due again at 3 s", w.Leases, w.WakeAt.Sub(modeltest.Start))
	}
	shown := []model.LeaseID{1}
	s.Want(shown)
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(3.5)}}})
	if d := cmp.Diff(model.Want{Leases: []model.LeaseID{1, 3}, WakeAt: s.Want(shown).WakeAt}, s.Want(shown)); d != "" {
		t.Errorf("on the screen and late, so read every second; the refused one is due (-want +got)\n%s", d)
	}
	if got := s.Lease(1).State(); got != model.LeaseSilent {
		t.Errorf("lease 1 is %s", got)
	}
}

// TestFastLocksLeaveTurnsToTheRest: a lock changes hands faster than the budget allows readings, so
// that a source takes the first of what is wanted and is then told anew what is.
func TestFastLocksLeaveTurnsToTheRest(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/slow", 0x1), "", 0x1)
	h.Put(1, modeltest.ClaimKey("/slow", 0x2), "", 0x2) // so the head is contended
	h.Put(1, modeltest.ClaimKey("/alone", 0x3), "", 0x3)
	for id := model.LeaseID(0x100); id < 0x140; id++ {
		h.Put(1, modeltest.ClaimKey("/fast", id), "", id)
	}
	s := state(h)
	asked := map[model.LeaseID]bool{}
	for i := range 24 {
		sec := 1 + 0.01*float64(i+1)
		h.Events = nil
		for j := range 2 { // two causes come with each reading
			h.Del(sec, modeltest.ClaimKey("/fast", model.LeaseID(0x100+2*i+j)))
		}
		s.Apply(model.Batch{Events: h.Events})
		first := s.Want(nil).Leases[0]
		asked[first] = true
		s.Apply(model.Batch{Events: []model.Event{model.LeaseRead{At: modeltest.At(sec), ID: first, Granted: 60, Remaining: 55}}})
	}
	for id, what := range map[model.LeaseID]string{1: "the head of a contended lock", 3: "a head that nobody waits for"} {
		if !asked[id] {
			t.Errorf("%s was not asked for within 24 readings", what)
		}
	}
}

// TestANewLeaderIsAskedAtOnce: while there is none a reading fails again and again.
func TestANewLeaderIsAskedAtOnce(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0x1), "", 0x1)
	s := state(h)
	status := func(sec float64, leads bool) model.ClusterStatus {
		return model.ClusterStatus{At: modeltest.At(sec), ClusterID: 7, Members: []model.Member{{ID: 1, Name: "m1", Leader: leads, NoLeader: !leads, Term: 2}}}
	}
	s.Apply(model.Batch{Events: []model.Event{status(1, true), status(2, false)}})
	for sec := 3.0; sec < 10; sec++ {
		s.Apply(model.Batch{Events: []model.Event{model.LeaseUnread{At: modeltest.At(sec), ID: 1, Reason: model.Say("quote", "no leader")}}})
	}
	s.Apply(model.Batch{Events: []model.Event{status(10, false)}})
	if w := s.Want(nil); len(w.Leases) > 0 {
		t.Fatalf("%v is wanted, with no leader and just refused", w.Leases)
	}
	s.Apply(model.Batch{Events: []model.Event{status(10.5, true)}})
	if d := cmp.Diff([]model.LeaseID{1}, s.Want(nil).Leases); d != "" {
		t.Errorf("there is a leader again (-want +got)\n%s", d)
	}
}

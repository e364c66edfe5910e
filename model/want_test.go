package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWantAsksInOrderOfNeed(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/free", 0x1), "", 0x1) // a head that nobody waits for
	h.Put(1, ClaimKey("/busy", 0x2), "", 0x2) // a contended head
	h.Put(1, ClaimKey("/busy", 0x3), "", 0x3) // a waiter
	h.Put(1, ClaimKey("/gone", 0x4), "", 0x4) // its cause will be asked for
	h.Put(1, ClaimKey("/never", 0x0), "x", 0) // no lease
	h.Put(1, "/data/config", "x", 0x5)        // leased, but no claim of a lock
	h.Del(2, ClaimKey("/gone", 0x4))
	s := state(h)
	if d := cmp.Diff(Want{Leases: []LeaseID{4, 2, 1, 3}, Hurry: true, WakeAt: s.Want().WakeAt}, s.Want()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	s.Apply(Batch{Events: []Event{
		LeaseRead{At: At(2), ID: 4, Granted: 0, Remaining: -1}, LeaseRead{At: At(2), ID: 2, Granted: 60, Remaining: 55},
		LeaseRead{At: At(2), ID: 1, Granted: 60, Remaining: 10}, LeaseUnread{At: At(2), ID: 3, Reason: "denied"}}})
	if w := s.Want(); len(w.Leases) != 0 || !w.WakeAt.Equal(At(3)) {
		t.Errorf("after the readings: want %v at %v; want nothing until the refused one is due again at 3 s", w.Leases, w.WakeAt.Sub(Start))
	}
	s.Look([]LeaseID{1})
	s.Apply(Batch{Events: []Event{Tick{At: At(3.5)}}})
	if d := cmp.Diff(Want{Leases: []LeaseID{1, 3}, WakeAt: s.Want().WakeAt}, s.Want()); d != "" {
		t.Errorf("on the screen and late, so read every second; the refused one is due (-want +got)\n%s", d)
	}
	if got := s.Lease(1).State(); got != LeaseSilent {
		t.Errorf("lease 1 is %s", got)
	}
}

// TestANewLeaderIsAskedAtOnce: while there is none a reading fails again and again.
func TestANewLeaderIsAskedAtOnce(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0x1), "", 0x1)
	s := state(h)
	status := func(sec float64, leads bool) ClusterStatus {
		return ClusterStatus{At: At(sec), ClusterID: 7, Members: []Member{{ID: 1, Name: "m1", Leader: leads, NoLeader: !leads, Term: 2}}}
	}
	s.Apply(Batch{Events: []Event{status(1, true), status(2, false)}})
	for sec := 3.0; sec < 10; sec++ {
		s.Apply(Batch{Events: []Event{LeaseUnread{At: At(sec), ID: 1, Reason: "no leader"}}})
	}
	s.Apply(Batch{Events: []Event{status(10, false)}})
	if w := s.Want(); len(w.Leases) > 0 {
		t.Fatalf("%v is wanted, with no leader and just refused", w.Leases)
	}
	s.Apply(Batch{Events: []Event{status(10.5, true)}})
	if d := cmp.Diff([]LeaseID{1}, s.Want().Leases); d != "" {
		t.Errorf("there is a leader again (-want +got)\n%s", d)
	}
}

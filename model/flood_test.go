package model

import (
	"fmt"
	"testing"
	"time"
)

// Of more claims that go than can ever be asked about, those that wait longest give up
// early: what is kept of them does not grow with how much happens.
func TestFactsThatWaitForAReadingAreBounded(t *testing.T) {
	const n = unexplainedMax + 500
	s := NewState()
	s.Apply(Batch{Events: TenClaims(n)})
	e := Committed{At: Start.Add(time.Second), Rev: n + 1}
	for i := range n {
		lease := LeaseID(0x694d81e5fc650000 + i)
		e.Changes = append(e.Changes, Change{Deleted: true, KV: KV{Key: fmt.Sprintf("/bench/lock-%06d/%s", i/10, lease), ModRev: n + 1}})
	}
	s.Apply(Batch{Events: []Event{e}})
	first := s.unexplained.first().fact
	s.Apply(Batch{Events: []Event{Tick{At: e.At.Add(100 * time.Millisecond)}}})
	if got := s.unexplained.len(); got != unexplainedMax {
		t.Errorf("%d facts wait for a reading, want %d", got, unexplainedMax)
	}
	if want := "its lease has not been read since; no reading within 0.1 s"; first.Pending || first.Evidence != want {
		t.Errorf("the first that went: pending %v, %q; want %q", first.Pending, first.Evidence, want)
	}
	s.Apply(Batch{Events: []Event{Tick{At: e.At.Add(causeWait)}}})
	if s.unexplained.len() != 0 || len(s.byID) != 0 {
		t.Errorf("%d facts wait and %d leases are known when all have given up", s.unexplained.len(), len(s.byID))
	}
}

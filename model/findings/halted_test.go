package findings_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestALoopThatEndedAtAChangeOfTheLeader draws clients through a change of the leader, which gives each lease
// its whole TTL and its election timeout anew. That a loop ended is said of each that ended, while its lease
// lives, and of no client that came back late: not before two thirds of the TTL went by without a renewal.
func TestALoopThatEndedAtAChangeOfTheLeader(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 36))
	said := 0
	for draw := range 120 {
		ttl := []float64{5, 6, 9, 10, 20, 30, 60}[random.IntN(7)]
		changes := 3*ttl + random.Float64()*ttl
		ends := draw%2 == 0                       // the loop of the first client, at the change
		back := changes + random.Float64()*.9*ttl // else it renews then
		if draw%3 == 0 {
			back = changes + random.Float64()*1.5 // so soon that no reading shows it
		}
		h, s := modeltest.New(), store.New()
		h.Loaded(0)
		var end, renew [12]float64
		for i := range end {
			id := model.LeaseID(0x694d81e5fc652500 + i)
			h.Put(.1, modeltest.ClaimKey(fmt.Sprint("/lock", i), id), "", id)
			h.Put(.2, modeltest.ClaimKey(fmt.Sprint("/lock", i), id+100), "", id+100)
			end[i], renew[i] = .1+ttl, .1+ttl/3+random.Float64()/2
		}
		renewed, found, changed, applied := .1, false, false, 0
		status := func(at float64) {
			leader, term := uint64(1), uint64(2)
			if changed {
				leader, term = 2, 3
			}
			st := model.ClusterStatus{At: modeltest.At(at), ClusterID: 7}
			for m := range uint64(3) {
				st.Members = append(st.Members, model.Member{ID: m + 1, Name: fmt.Sprint("m", m+1), Endpoint: fmt.Sprintf("m%d:2379", m+1), Leader: leader == m+1, Version: "3.6.1", Term: term, Rev: h.Rev})
			}
			h.Add(st)
		}
		for step := 10; float64(step)*.05 < changes+2.5*ttl; step++ {
			at := float64(step) * .05
			if !changed && at >= changes {
				changed = true
				for i := range end {
					end[i] = at + ttl + 1
					renew[i] = max(renew[i], at+.5+random.Float64()*.3*ttl)
				}
				renew[0] = back
			}
			for i := range end {
				if at >= renew[i] && (i > 0 || !changed || !ends) {
					end[i], renew[i] = at+ttl, at+ttl/3+random.Float64()/2
					if i == 0 {
						renewed = at
					}
				}
			}
			if at >= end[0] {
				break
			}
			if step%40 == 0 {
				status(at)
			}
			h.Add(model.Tick{At: modeltest.At(at)})
			s.Apply(model.Batch{Events: h.Events[applied:]})
			applied = len(h.Events)
			for _, id := range s.Want(nil).Leases {
				term := uint64(2)
				if changed {
					term = 3
				}
				left := ttl - 1 // of who waits, and is well
				if i := int(id - 0x694d81e5fc652500); i < len(end) {
					left = min(ttl, end[i]-at)
				}
				h.Add(model.LeaseRead{At: modeltest.At(at), ID: id, Granted: int64(ttl), Remaining: int64(left), Term: term, Rev: h.Rev})
			}
			s.Apply(model.Batch{Events: h.Events[applied:]})
			applied = len(h.Events)
			now := false
			for _, f := range s.Findings() {
				now = now || f.Code == model.CodeKeepaliveHalted
			}
			if now && !found && at-renewed < ttl*2/3 {
				t.Errorf("draw %d: TTL %v, renewed %.2f s ago, said at %.2f, the leader changed at %.2f", draw, ttl, at-renewed, at, changes)
			}
			if now && !found {
				said++
			}
			found = now
		}
		if ends && !found {
			t.Errorf("draw %d: TTL %v: nothing is said of a loop that ended", draw, ttl)
		}
	}
	if said < 60 {
		t.Errorf("said %d times, want of each loop that ended", said)
	}
}

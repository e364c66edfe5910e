package store

import (
	"fmt"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestWhoIsPutAgainWaitsFromThenOn: in a queue in the order of the last puts a claim that is
// put again goes to the end. In one in the order of their creation it keeps its place.
func TestWhoIsPutAgainWaitsFromThenOn(t *testing.T) {
	decimal := func(id model.LeaseID) string { return fmt.Sprintf("/vt/locks/%d", int64(id)) }
	vitess := func(who string) string { return `{"Action":"Reparent","HostName":"` + who + `"}` }
	for _, r := range []struct {
		reason  string
		key     func(model.LeaseID) string
		value   func(string) string
		again   model.LeaseID
		waits   time.Duration // of the one that was put again
		longest time.Duration
	}{
		{"Vitess: the holder goes to the end", decimal, vitess, 0xa1, 10 * time.Second, 17 * time.Second},
		{"Vitess: the first waiter goes to the end", decimal, vitess, 0xb2, 10 * time.Second, 17 * time.Second},
		{"an election: a proclamation changes no place", func(id model.LeaseID) string { return modeltest.ClaimKey("/lock", id) }, func(who string) string { return who }, 0xb2, 18 * time.Second, 18 * time.Second},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i, id := range []model.LeaseID{0xa1, 0xb2, 0xc3} {
			h.Put(float64(1+i), r.key(id), r.value("h"+id.String()), id)
		}
		h.Put(10, r.key(r.again), r.value("again"), r.again)
		h.Add(model.Tick{At: modeltest.At(20)})
		s := state(h)
		c := s.Claim(r.key(r.again))
		if d, atLeast := c.Waited(s.Now()); d != r.waits || atLeast {
			t.Errorf("%s: it waits for %s, want %s", r.reason, d, r.waits)
		}
		if d, _, any := c.Lock().LongestWait(s.Now()); d != r.longest || !any {
			t.Errorf("%s: the longest wait is %s, want %s", r.reason, d, r.longest)
		}
	}
}

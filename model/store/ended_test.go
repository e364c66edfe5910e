package store

import (
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestABatchIsLeftBetweenAnyTwoEvents, and between any two locks that one event is about.
func TestABatchIsLeftBetweenAnyTwoEvents(t *testing.T) {
	const n = 1_000
	for _, r := range []struct {
		reason string
		after  func(g *grown)
	}{
		{"one event is about a thousand locks", func(g *grown) { g.Read(g.wait(20), oneLease, 30, 1) }},
		{"a thousand events are about one lock each", func(g *grown) {
			for i := range n {
				g.Del(g.step(), single(i))
			}
		}},
	} {
		g := &grown{History: modeltest.New()}
		singles(g, n)
		s := New()
		if !s.ApplyWhile(model.Batch{Events: g.Events}, func() bool { return true }) {
			t.Fatalf("%s: the list was left", r.reason)
		}
		g.Events = nil
		r.after(g)
		const most = 100
		asked := 0
		whole := s.ApplyWhile(model.Batch{Events: g.Events}, func() bool { asked++; return asked < most })
		keys, _ := s.Counts()
		if whole || asked > most+2 || keys < n-most {
			t.Errorf("%s: it came to the end: %v, after %d questions; %d keys are there, want %d at least", r.reason, whole, asked, keys, n-most)
		}
	}
}

package model

import (
	"testing"
	"time"
)

// TestLoadedWaitsForEveryPrefixThatWasRequested: a prefix that did not begin yet is not
// an empty one.
func TestLoadedWaitsForEveryPrefixThatWasRequested(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	asked := Requested{At: at, Prefixes: []string{"/a/", "/b/"}}
	began := func(p string) Event { return LoadStarted{At: at, Prefix: p, Rev: 1} }
	listed := func(p string) Event { return Loaded{At: at, Prefix: p, Rev: 1} }
	lost := func(p string) Event { return Lost{At: at, Prefix: p, Reason: LostDenied} }
	for _, row := range []struct {
		events []Event
		want   bool
		reason string
	}{
		{nil, false, "nothing is known"},
		{[]Event{Requested{At: at}}, false, "nothing was requested"},
		{[]Event{asked}, false, "nothing was listed"},
		{[]Event{asked, began("/a/"), listed("/a/")}, false, "the second has not begun"},
		{[]Event{asked, began("/b/"), listed("/b/")}, false, "nor has the first"},
		{[]Event{asked, began("/a/"), listed("/a/"), began("/b/")}, false, "the second is under way"},
		{[]Event{asked, began("/a/"), listed("/a/"), lost("/b/")}, false, "the second was refused"},
		{[]Event{asked, began("/a/"), listed("/a/"), began("/b/"), listed("/b/")}, true, "both were listed"},
		{[]Event{asked, listed("/a/"), listed("/b/"), began("/b/")}, true, "listed again, it was listed"},
		{[]Event{asked, listed("/a/"), listed("/b/"), asked}, true, "asked for again, they are known"},
		{[]Event{began("/a/"), listed("/a/")}, true, "a recording of before names none"},
	} {
		s := NewState()
		s.Apply(Batch{Events: row.events})
		if got := s.Loaded(); got != row.want {
			t.Errorf("%s: loaded is %v", row.reason, got)
		}
	}
}

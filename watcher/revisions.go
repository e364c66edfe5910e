package watcher

import "locktop/model"

// joinRevisions sorts each run of Committed by revision and joins the parts of
// one revision that came over the watches of several prefixes.
func joinRevisions(events []model.Event) []model.Event {
	out := make([]model.Event, 0, len(events))
	run := 0 // start in out of the present run of Committed
	for _, ev := range events {
		c, ok := ev.(model.Committed)
		if !ok {
			out = append(out, ev)
			run = len(out)
			continue
		}
		at := len(out)
		for at > run && out[at-1].(model.Committed).Rev > c.Rev {
			at--
		}
		if at > run && sameRevision(out[at-1].(model.Committed), c) {
			earlier := out[at-1].(model.Committed)
			// A fresh slice: the earlier one may be shared with a sender's.
			earlier.Changes = append(append([]model.Change(nil), earlier.Changes...), c.Changes...)
			out[at-1] = earlier
			continue
		}
		out = append(out, nil)
		copy(out[at+1:], out[at:])
		out[at] = c
	}
	return out
}

// sameRevision says whether two parts can be joined. One prefix may have read as history
// what another one saw as it happened.
func sameRevision(a, b model.Committed) bool { return a.Rev == b.Rev && a.Past == b.Past }

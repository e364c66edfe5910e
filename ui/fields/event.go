package fields

import (
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/journal"
)

// Event is a line of the journal of a state.
type Event struct {
	S *fold.State
	F *journal.Entry
}

// EventKind is the name of a kind in JSON and CSV: a claim that joins other holders has
// acquired the lock.
func EventKind(k journal.Kind) string {
	if k == journal.Shared {
		return string(journal.Acquired)
	}
	return string(k)
}

// GapKnown says whether it is known for how long nobody held.
func GapKnown(f *journal.Entry) bool {
	return f.Kind == journal.Handover && !f.Unseen && !f.Past
}

// Events are the fields of an event.
var Events = []Field[Event]{
	{Name: "at", In: In{CSV: 10, JSON: 10}, Record: func(e Event) string {
		if e.F.Past {
			return ""
		}
		return e.F.At.Format(time.RFC3339Nano)
	}},
	{Name: "revision", In: In{CSV: 20, JSON: 20}, Record: func(e Event) string { return intIf(e.F.Rev != 0, e.F.Rev) }},
	{Name: "kind", In: In{CSV: 30, JSON: 30}, Record: func(e Event) string { return EventKind(e.F.Kind) }},
	{Name: "lock", In: In{CSV: 40, JSON: 40}, Raw: func(e Event) string { return e.F.Lock }},
	{Name: "claim", In: In{JSON: 50}},
	{Name: "from", In: In{JSON: 60}},
	{Name: "key", In: In{CSV: 50}, Raw: func(e Event) string { return e.F.Claim.Key }},
	{Name: "create_revision", In: In{CSV: 60}, Record: func(e Event) string { return intIf(!e.F.Claim.IsZero(), e.F.Claim.CreateRev) }},
	{Name: "lease", In: In{CSV: 70}, Record: func(e Event) string { return leaseIf(e.F.Claim.Lease) }},
	{Name: "identity", In: In{CSV: 80}, Record: func(e Event) string { return identity(e, e.F.Claim) }},
	{Name: "from_key", In: In{CSV: 90}, Raw: func(e Event) string { return e.F.From.Key }},
	{Name: "from_identity", In: In{CSV: 100}, Record: func(e Event) string { return identity(e, e.F.From) }},
	{Name: "cause", In: In{CSV: 110, JSON: 70}, Record: func(e Event) string { return string(e.F.Cause) }},
	{Name: "confidence", In: In{CSV: 120, JSON: 80}, Record: func(e Event) string { return string(e.F.Confidence) }},
	{Name: "gap", In: In{CSV: 130, JSON: 90}, Record: func(e Event) string { return secondsIf(GapKnown(e.F), e.F.Gap) }},
	{Name: "left_out", In: In{JSON: 110}},
	{Name: "story", In: In{JSON: 120}},
	{Name: "count", In: In{JSON: 130}},
	{Name: "locks", In: In{JSON: 140}},
	{Name: "leases", In: In{JSON: 150}},
	{Name: "text", In: In{CSV: 140, JSON: 100}, Record: func(e Event) string { return Guarded(e.F.Sentence(e.S.Who)) }},
}

func identity(e Event, r model.ClaimRef) string {
	if r.IsZero() {
		return ""
	}
	return Guarded(e.S.Identity(r).Text)
}

package fields

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
)

// Event is a line of the journal of a state.
type Event struct {
	S *store.View
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

// HeldSeconds returns between which bounds the previous holder held, in seconds: the same ones where it
// was seen whole, nil where there is none.
func HeldSeconds(f *journal.Entry) (least, most *float64) {
	if f.Kind != journal.Handover && !(f.Kind == journal.Left && f.WasHolder) || f.Unseen {
		return nil, nil
	}
	return bounds(f, f.Held, f.HeldAtLeast, f.HeldAtMost)
}

// Waited says so of how long the claim waited that took over, or left the queue.
func Waited(f *journal.Entry) (least, most *float64) {
	waited := f.Kind == journal.Handover || f.Kind == journal.Shared || f.Kind == journal.Left && !f.WasHolder
	if !waited || f.Unseen {
		return nil, nil
	}
	return bounds(f, f.Waited, f.WaitedAtLeast, f.WaitedAtMost)
}

func bounds(f *journal.Entry, d time.Duration, atLeast bool, atMost time.Duration) (least, most *float64) {
	if f.Past && f.Within == 0 {
		return nil, nil
	}
	s := d.Seconds()
	least = &s
	switch {
	case !atLeast:
		most = &s
	case atMost > 0:
		m := atMost.Seconds()
		most = &m
	}
	return least, most
}

func secondsOf(s *float64) string {
	if s == nil {
		return ""
	}
	return strconv.FormatFloat(*s, 'f', 3, 64)
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
	{Name: "not_before", In: In{CSV: 150, JSON: 92}, Record: func(e Event) string {
		if !e.F.Past || e.F.Within == 0 {
			return ""
		}
		return e.F.At.Add(-e.F.Within).Format(time.RFC3339Nano)
	}},
	{Name: "not_after", In: In{CSV: 160, JSON: 93}, Record: func(e Event) string {
		if !e.F.Past || e.F.Within == 0 {
			return ""
		}
		return e.F.At.Format(time.RFC3339Nano)
	}},
	{Name: "held_at_least", In: In{CSV: 170, JSON: 94}, Record: func(e Event) string { least, _ := HeldSeconds(e.F); return secondsOf(least) }},
	{Name: "held_at_most", In: In{CSV: 180, JSON: 95}, Record: func(e Event) string { _, most := HeldSeconds(e.F); return secondsOf(most) }},
	{Name: "waited_at_least", In: In{CSV: 190, JSON: 96}, Record: func(e Event) string { least, _ := Waited(e.F); return secondsOf(least) }},
	{Name: "waited_at_most", In: In{CSV: 200, JSON: 97}, Record: func(e Event) string { _, most := Waited(e.F); return secondsOf(most) }},
	{Name: "left_out", In: In{JSON: 110}},
	{Name: "story", In: In{JSON: 120}},
	{Name: "count", In: In{JSON: 130}},
	{Name: "locks", In: In{JSON: 140}},
	{Name: "leases", In: In{JSON: 150}},
	{Name: "code", In: In{CSV: 210, JSON: 160}, Record: func(e Event) string { return string(e.F.Code) }},
	{Name: "text", In: In{CSV: 140, JSON: 100}, Record: func(e Event) string { return Guarded(e.F.Sentence(e.S.Who)) }},
}

func identity(e Event, r model.ClaimRef) string {
	if r.IsZero() {
		return ""
	}
	return Guarded(e.S.Identity(r).Text)
}

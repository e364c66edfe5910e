package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/fields"
)

// Event is an entry of the journal, as JSON.
type Event struct {
	At         *time.Time  `json:"at"` // null: it was not seen as it happened
	Revision   *int64      `json:"revision"`
	Kind       string      `json:"kind"`
	Lock       *string     `json:"lock"`
	LockBase64 string      `json:"lock_base64,omitempty"`
	Claim      *eventClaim `json:"claim"`
	From       *eventClaim `json:"from"`
	Cause      *string     `json:"cause"`
	Confidence *string     `json:"confidence"`
	Gap        *float64    `json:"gap"`
	// Of what came late: it happened between the two. Null where At is known, or nothing is.
	NotBefore *time.Time `json:"not_before"`
	NotAfter  *time.Time `json:"not_after"`
	// How long the previous holder held, and the claim waited: both bounds are the same where it
	// was seen whole, and null where there is none.
	HeldAtLeast   *float64 `json:"held_at_least"`
	HeldAtMost    *float64 `json:"held_at_most"`
	WaitedAtLeast *float64 `json:"waited_at_least"`
	WaitedAtMost  *float64 `json:"waited_at_most"`
	Text          string   `json:"text"`
	LeftOut       *uint64  `json:"left_out"` // entries that are missing in this place
	Story         *uint64  `json:"story"`    // one number for what went together and the event that tells it
	Count         *int     `json:"count"`    // of claims that went together
	Locks         *int     `json:"locks"`
	Leases        *int     `json:"leases"`
	Code          *string  `json:"code"` // of a finding
}

// eventClaim is what can be said of a claim that may be gone.
type eventClaim struct {
	Key            string   `json:"key"`
	KeyBase64      string   `json:"key_base64,omitempty"`
	CreateRevision int64    `json:"create_revision"`
	Lease          *string  `json:"lease"`
	Identity       identity `json:"identity"`
}

// EventLine writes one entry as an object on a line of its own.
func EventLine(w io.Writer, s *store.View, f *journal.Entry) error {
	return WriteJSON(w, EventOf(s, f), "")
}

// EventOf is the JSON of an entry.
func EventOf(s *store.View, f *journal.Entry) Event {
	e := Event{At: &f.At, Kind: fields.EventKind(f.Kind), Claim: refOf(s, f.Claim), From: refOf(s, f.From), Text: f.Sentence(s.Who)}
	if f.Past {
		e.At = nil
	}
	if f.Past && f.Within > 0 {
		after := f.At.Add(-f.Within)
		e.NotBefore, e.NotAfter = &after, &f.At
	}
	e.HeldAtLeast, e.HeldAtMost = fields.HeldSeconds(f)
	e.WaitedAtLeast, e.WaitedAtMost = fields.Waited(f)
	if f.LeftOut != 0 {
		e.LeftOut = &f.LeftOut
	}
	if f.Story != 0 {
		e.Story = &f.Story
	}
	if f.Kind == journal.Together {
		e.Count, e.Locks, e.Leases = &f.Count, &f.Locks, &f.Leases
	}
	if f.Rev != 0 {
		e.Revision = &f.Rev
	}
	e.Lock, e.LockBase64 = textOrNull(f.Lock)
	e.Cause, e.Confidence = OrNull(string(f.Cause)), OrNull(string(f.Confidence))
	e.Code = OrNull(string(f.Code))
	if fields.GapKnown(f) {
		e.Gap = new(f.Gap.Seconds())
	}
	return e
}

func refOf(s *store.View, r model.ClaimRef) *eventClaim {
	if r.IsZero() {
		return nil
	}
	c := &eventClaim{CreateRevision: r.CreateRev, Identity: identityOf(s, r)}
	c.Key, c.KeyBase64 = Text(r.Key)
	if r.Lease != 0 {
		id := r.Lease.String()
		c.Lease = &id
	}
	return c
}

// EventText writes one entry as a sentence behind its time. It writes nothing of one that
// another entry tells together with many.
func EventText(w io.Writer, s *store.View, f *journal.Entry) error {
	if f.Part() {
		return nil
	}
	if _, err := fmt.Fprintf(w, "%s  %s%s\n", stamp(f, "15:04:05.000"), model.Short(f.Sentence(s.Who), lineMax), codeOf(f.Code)); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return nil
}

// stamp is the time of an entry. One from etcd's history has none: a word of the same
// width stands for it.
func stamp(f *journal.Entry, layout string) string {
	at := f.At.Format(layout)
	switch {
	case f.Past && f.Within > 0:
		return "≤" + f.At.Format(strings.Replace(layout, ".000", ".00", 1))
	case f.Past:
		return fmt.Sprintf("%-*s", len(at), "earlier")
	}
	return at
}

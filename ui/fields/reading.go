package fields

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// Reading is what the last reading of a lease says.
type Reading struct {
	Known              bool // also Granted and Remaining mean something
	Granted, Remaining int64
	Left               int64 // of Remaining, by now
	RenewedKnown       bool
	Renewed            time.Duration // ago
}

// ReadingOf returns what the last reading of a lease says, at that time.
func ReadingOf(l *locks.Lease, now time.Time) Reading {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return Reading{}
	}
	r := Reading{Known: true, Granted: l.Read.Granted, Remaining: l.Read.Remaining, Left: secondsLeft(l, now)}
	r.Renewed, r.RenewedKnown = l.Renewed(now)
	return r
}

// Cells of a reading, for people.

func (r Reading) granted() string  { return unit(intIf(r.Known, r.Granted), "s") }
func (r Reading) leftText() string { return unit(intIf(r.Known, r.Left), "s") }
func (r Reading) renewed() string {
	if !r.RenewedKnown {
		return "-"
	}
	return model.Duration(r.Renewed, false) + " ago"
}

// secondsLeft is what is left by now, or how long it is past its end, as read.
func secondsLeft(l *locks.Lease, now time.Time) int64 {
	n := l.Read.Remaining
	if n > 0 {
		n, _ = l.Remaining(now)
	}
	return n
}

func unit(n, unit string) string {
	if n == "" {
		return "-"
	}
	return n + unit
}

// lease writes the lease of a claim: remaining and granted seconds, and the last renewal. Nothing is known of
// one after a new raft leader gave the lease its TTL anew.
func lease(c *locks.Claim, now time.Time) string {
	if c == nil {
		return "-"
	}
	l := c.LeaseInfo()
	switch {
	case l == nil:
		return "none"
	case !l.HasRead:
		return "not read"
	case l.Read.Granted <= 0:
		return "gone"
	}
	left := model.Remaining(secondsLeft(l, now), l.Read.Granted)
	ago, ok := l.Renewed(now)
	switch {
	case !ok:
		return left
	case l.Renewals == 0: // none was seen: it may be new
		return left + ", granted or renewed " + model.Duration(ago, false) + " ago"
	}
	return left + ", renewed " + model.Duration(ago, false) + " ago"
}

func leaseID(c *locks.Claim) string {
	if c.KV.Lease == 0 {
		return "none"
	}
	return c.KV.Lease.String()
}

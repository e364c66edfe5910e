package fields

import (
	"fmt"
	"strconv"
	"time"

	"locktop/model"
)

// Reading is what the last reading of a lease says.
type Reading struct {
	Known              bool // also Granted and Remaining mean something
	Granted, Remaining int64
	RenewedKnown       bool
	Renewed            time.Duration // ago
}

// ReadingOf returns what the last reading of a lease says, at that time.
func ReadingOf(l *model.Lease, now time.Time) Reading {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return Reading{}
	}
	r := Reading{Known: true, Granted: l.Read.Granted, Remaining: l.Read.Remaining}
	r.Renewed, r.RenewedKnown = l.Renewed(now)
	return r
}

// Cells of a reading, for people.

func granted(l *model.Lease) string {
	if r := ReadingOf(l, time.Time{}); r.Known {
		return strconv.FormatInt(r.Granted, 10) + "s"
	}
	return "-"
}

func left(l *model.Lease, now time.Time) string {
	if !ReadingOf(l, now).Known {
		return "-"
	}
	return strconv.FormatInt(leftNow(l, now), 10) + "s"
}

// leftNow is what is left by now, or how long it is past its end, as read.
func leftNow(l *model.Lease, now time.Time) int64 {
	n := l.Read.Remaining
	if n > 0 {
		n, _ = l.Remaining(now)
	}
	return n
}

func renewed(l *model.Lease, now time.Time) string {
	r := ReadingOf(l, now)
	if !r.RenewedKnown {
		return "-"
	}
	return model.Duration(r.Renewed, false) + " ago"
}

// lease writes the lease of a claim: remaining and granted seconds and the last
// renewal.
func lease(c *model.Claim, now time.Time) string {
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
	ago, _ := l.Renewed(now)
	return fmt.Sprintf("%d/%ds, renewed %s ago", leftNow(l, now), l.Read.Granted, model.Duration(ago, false))
}

func leaseID(c *model.Claim) string {
	if c.KV.Lease == 0 {
		return "none"
	}
	return c.KV.Lease.String()
}

package locks

import (
	"slices"
	"time"

	"locktop/model"
)

// CoverageGap is something that was asked for and could not be seen.
type CoverageGap struct {
	Kind CoverageKind
	// Prefix is that of Keys, Leases how many Leases.
	Prefix string
	Leases int
	// Duration is how long it was not seen.
	Duration time.Duration
	Reason   model.Message
}

// CoverageKind says what could not be seen.
type CoverageKind string

// What can be unseen.
const (
	CoverageKeys   CoverageKind = "keys"        // of a prefix
	CoverageLeases CoverageKind = "leases"      // their readings
	CoverageLists  CoverageKind = "lease lists" // of the members
)

// CoverageGaps returns what is not known of the prefixes as they were at a time, and of the
// leases. A watch that was lost and is back without a gap has missed nothing. For a
// single look the time is zero: a list is whole.
func CoverageGaps(k *State, at time.Time, leases []model.LeaseID) []CoverageGap {
	var out []CoverageGap
	for _, f := range k.Prefixes.Watches() {
		if d, reason := unseen(f, at, k.Now()); !reason.IsZero() {
			out = append(out, CoverageGap{Kind: CoverageKeys, Prefix: f.Prefix, Duration: d, Reason: reason})
		}
	}
	out = append(out, unreadOf(k, leases)...)
	if why := k.Members.Cluster().Unlisted; !why.IsZero() {
		out = append(out, CoverageGap{Kind: CoverageLists, Duration: k.Now().Sub(k.Members.Cluster().UnlistedSince), Reason: why})
	}
	return out
}

// unseen returns for how long the prefix was not seen, and why, zero if it was.
func unseen(f *Watch, at, now time.Time) (d time.Duration, reason model.Message) {
	since := f.SeenAt
	if since.IsZero() {
		since = f.Since
	}
	switch {
	case f.State == Lost:
		return now.Sub(since), f.Detail
	case !f.WasListed():
		return now.Sub(since), model.Say("not-listed-to-its-end")
	case f.SeenAt.Before(at):
		return now.Sub(since), model.Say("cluster-did-not-answer")
	case f.Missed > 0:
		return f.Missed, model.Say("lost-until-next-list")
	}
	return 0, model.Message{}
}

// unreadOf sums up the leases that have no reading, or whose last one failed, by reason.
func unreadOf(k *State, leases []model.LeaseID) []CoverageGap {
	var out []CoverageGap
	done := map[model.LeaseID]bool{}
	for _, id := range leases {
		l := k.Leases.Lease(id)
		if l == nil || done[id] || l.HasRead && l.Unread.IsZero() {
			continue
		}
		done[id] = true
		reason, d := l.Unread, k.Now().Sub(lastSeen(l, k.Now()))
		if reason.IsZero() {
			reason = model.Say("not-read-yet")
		}
		i := slices.IndexFunc(out, func(u CoverageGap) bool { return u.Reason.Same(reason) })
		if i < 0 {
			i = len(out)
			out = append(out, CoverageGap{Kind: CoverageLeases, Reason: reason})
		}
		out[i].Leases++
		out[i].Duration = max(out[i].Duration, d)
	}
	return out
}

// lastSeen is when the lease was last read, or when the first of its keys was seen.
func lastSeen(l *Lease, now time.Time) time.Time {
	if l.HasRead {
		return l.Read.At
	}
	for _, c := range l.Claims() {
		if c.Since.Before(now) {
			now = c.Since
		}
	}
	return now
}

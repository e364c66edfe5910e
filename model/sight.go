package model

import (
	"slices"
	"time"
)

// Unseen is something that was asked for and could not be seen.
type Unseen struct {
	What UnseenWhat
	// Prefix is that of UnseenKeys, Leases how many UnseenLeases.
	Prefix string
	Leases int
	// For is how long it was not seen.
	For    time.Duration
	Reason string
}

// UnseenWhat says what could not be seen.
type UnseenWhat string

// What can be unseen.
const (
	UnseenKeys   UnseenWhat = "keys"        // of a prefix
	UnseenLeases UnseenWhat = "leases"      // their readings
	UnseenLists  UnseenWhat = "lease lists" // of the members
)

// Unseen returns what is not known of the prefixes as they were at a time, and of the
// leases. A watch that was lost and is back without a gap has missed nothing. For a
// single look the time is zero: a list is whole.
func (k *Keyspace) Unseen(at time.Time, leases []LeaseID) []Unseen {
	var out []Unseen
	for _, f := range k.Watches() {
		if d, reason := f.unseen(at, k.now); reason != "" {
			out = append(out, Unseen{What: UnseenKeys, Prefix: f.Prefix, For: d, Reason: reason})
		}
	}
	out = append(out, k.unreadOf(leases)...)
	if why := k.cluster.Unlisted; why != "" {
		out = append(out, Unseen{What: UnseenLists, For: k.now.Sub(k.cluster.UnlistedSince), Reason: why})
	}
	return out
}

// Lost says whether any prefix is lost.
func (ps *Prefixes) Lost() bool {
	for _, f := range ps.watches {
		if f.State == WatchLost {
			return true
		}
	}
	return false
}

// SeenUpTo says whether nothing more is to be had of any prefix as it was at a time:
// each was seen whole since, or is lost.
func (ps *Prefixes) SeenUpTo(at time.Time) bool {
	for _, f := range ps.watches {
		if f.State != WatchLost && f.SeenAt.Before(at) {
			return false
		}
	}
	return true
}

// unseen returns for how long the prefix was not seen, and why, "" if it was.
func (f *PrefixWatch) unseen(at, now time.Time) (d time.Duration, reason string) {
	since := f.SeenAt
	if since.IsZero() {
		since = f.Since
	}
	switch {
	case f.State == WatchLost:
		return now.Sub(since), f.Detail
	case !f.loaded:
		return now.Sub(since), "it was not listed to its end"
	case f.SeenAt.Before(at):
		return now.Sub(since), "the cluster did not answer, or the watch does not follow it"
	case f.Missed > 0:
		return f.Missed, "the watch was lost, and what happened until the next list was not seen"
	}
	return 0, ""
}

// unreadOf sums up the leases that have no reading, or whose last one failed, by reason.
func (k *Keyspace) unreadOf(leases []LeaseID) []Unseen {
	var out []Unseen
	done := map[LeaseID]bool{}
	for _, id := range leases {
		l := k.byID[id]
		if l == nil || done[id] || l.HasRead && l.Unread == "" {
			continue
		}
		done[id] = true
		reason, d := l.Unread, k.now.Sub(l.lastSeen(k.now))
		if reason == "" {
			reason = "not read yet: the time was too short for the budget of readings"
		}
		i := slices.IndexFunc(out, func(u Unseen) bool { return u.Reason == reason })
		if i < 0 {
			i = len(out)
			out = append(out, Unseen{What: UnseenLeases, Reason: reason})
		}
		out[i].Leases++
		out[i].For = max(out[i].For, d)
	}
	return out
}

// lastSeen is when the lease was last read, or when the first of its keys was seen.
func (l *Lease) lastSeen(now time.Time) time.Time {
	if l.HasRead {
		return l.Read.At
	}
	for _, c := range l.claims {
		if c.Since.Before(now) {
			now = c.Since
		}
	}
	return now
}

package queue

import (
	"slices"

	"locktop/model"
)

// Weigh is what an event counts: the key changes that it has, one at least.
func Weigh(e model.Event) int {
	switch e := e.(type) {
	case model.Committed:
		return max(1, len(e.Changes))
	case model.Listed:
		return max(1, len(e.KVs))
	}
	return 1
}

// isList says whether an event is part of a list.
func isList(e model.Event) bool {
	switch e.(type) {
	case model.Requested, model.LoadStarted, model.Listed, model.Loaded:
		return true
	}
	return false
}

// Urgent says whether a person waits for an event: it tells of something that happened. The
// rest are answers to questions that are asked every now and then.
func Urgent(e model.Event) bool {
	switch e.(type) {
	case model.LeaseRead, model.LeaseUnread, model.LeaseKeys, model.ClusterStatus, model.Watching, model.Starved:
		return false
	}
	return true
}

// isEvidence says whether an event is of those that clients bring about, any number of them.
func isEvidence(e model.Event) bool {
	switch e.(type) {
	case model.LeaseOwner, model.Connected, model.Watches, model.Wrote, model.Revoked, model.Refused, model.Access, model.Printed, model.Starved:
		return true
	}
	return false
}

// subject is what an event says the latest about.
type subject struct {
	kind      string
	who, what string
	member    string
	lease     model.LeaseID
	renews    bool
}

// subjectOf is what of several events only the newest matters about; false for an event that
// matters by itself. Lease readings need no merging: a lease is not read again before its
// reading was taken.
func subjectOf(e model.Event) (subject, bool) {
	switch e := e.(type) {
	case model.ClusterStatus:
		return subject{kind: "status"}, true
	case model.Watching:
		return subject{kind: "watching", what: e.Prefix}, true
	case model.Belief:
		return subject{kind: "belief", who: e.Contender, what: e.Lock}, true
	case model.LeaseOwner:
		return subject{kind: "lease", who: e.Name, lease: e.Lease, renews: e.Renews}, true
	case model.Connected:
		return subject{kind: "connected", who: e.Name, what: e.Peer, member: e.Member}, true
	case model.Watches:
		return subject{kind: "watches", who: e.Name, what: e.Key}, true
	}
	return subject{}, false
}

// makeRoom takes out the events that a newer one overtook, and says whether it looked at all: it
// does so once for what was put in since the last time. It needs the lock.
func (q *Queue) makeRoom() bool {
	if q.weight < q.shed {
		return false
	}
	newest := map[subject]bool{}
	kept := make([]model.Event, 0, len(q.events))
	for _, e := range slices.Backward(q.events) {
		s, ok := subjectOf(e)
		if ok && newest[s] {
			q.count(e, -1)
			continue
		}
		newest[s] = ok
		kept = append(kept, e)
	}
	slices.Reverse(kept)
	q.events = kept
	q.shed = max(q.limit, 2*q.weight)
	return true
}

// dropEvidence takes out the oldest evidence, up to so many of it. It needs the lock.
func (q *Queue) dropEvidence(excess int) {
	q.events = slices.DeleteFunc(q.events, func(e model.Event) bool {
		if excess <= 0 || !isEvidence(e) {
			return false
		}
		excess--
		q.count(e, -1)
		return true
	})
}

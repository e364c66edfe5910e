package model

import (
	"fmt"
	"slices"
	"time"
)

// Members are what the members of the cluster tell.
type Members struct {
	cluster     ClusterStatus
	priorRev    int64 // the highest revision that the round of status before told
	leaderless  int   // rounds of status in which no member knew a leader
	term        uint64
	leaderSince time.Time  // of the last change of leader that was seen
	early       []EarlyEnd // of the last seconds
}

// Cluster returns the last round of status requests.
func (ms *Members) Cluster() ClusterStatus { return ms.cluster }

// PriorRev returns the highest revision that the round of status before the last told.
func (ms *Members) PriorRev() int64 { return ms.priorRev }

// Leaderless returns in how many rounds of status, up to the last, no member knew a leader.
func (ms *Members) Leaderless() int { return ms.leaderless }

// LeaderSince returns when a change of the leader was last seen, zero for never.
func (ms *Members) LeaderSince() time.Time { return ms.leaderSince }

// clusterStatus takes a round of status requests in, and writes what changed.
func (k *Keyspace) clusterStatus(e ClusterStatus) {
	old := k.cluster
	k.cluster, k.priorRev = e, 0
	if e.At.IsZero() || e.Up() == 0 || e.Leader().ID != 0 {
		k.leaderless = 0
	} else {
		k.leaderless++
	}
	for _, m := range old.Members {
		k.priorRev = max(k.priorRev, m.Rev)
	}
	for _, m := range e.Members {
		k.seen(m.Rev)
		k.noteTerm(m.Term, e.At)
	}
	if old.At.IsZero() {
		return
	}
	if was, is := old.Leader(), e.Leader(); was.ID != is.ID && (was.ID != 0 || is.ID != 0) {
		text := "the cluster has no leader: no lock can be taken, freed or expire"
		if is.ID != 0 {
			text = fmt.Sprintf("%s leads the cluster now, term %d: every lease starts its TTL anew", is.Label(), is.Term)
			k.readAgain(e.At)
		}
		k.Record(&JournalEntry{At: e.At, Kind: EntryMember, Text: text})
	}
	for _, m := range e.Members {
		for _, was := range old.Members {
			if was.ID == m.ID && !was.Unasked && !m.Unasked && (was.Err == "") != (m.Err == "") {
				k.Record(&JournalEntry{At: e.At, Kind: EntryMember, Text: memberText(m)})
			}
		}
	}
	for _, a := range e.Alarms {
		if !slices.Contains(old.Alarms, a) {
			k.Record(&JournalEntry{At: e.At, Kind: EntryMember, Text: "alarm: " + a})
		}
	}
}

func memberText(m Member) string {
	if m.Err != "" {
		return m.Label() + " does not answer: " + Printable(m.Err)
	}
	return m.Label() + " answers again"
}

// Label names the member in a sentence, escaped.
func (m Member) Label() string {
	if m.Name != "" {
		return "member " + Printable(m.Name)
	}
	return fmt.Sprintf("member %x", m.ID)
}

// Leader returns the member that leads, the zero Member if none is known to.
func (c ClusterStatus) Leader() Member {
	for _, m := range c.Members {
		if m.Leader {
			return m
		}
	}
	return Member{}
}

// Up returns how many members answered.
func (c ClusterStatus) Up() int {
	n := 0
	for _, m := range c.Members {
		if m.Err == "" && !m.Unasked {
			n++
		}
	}
	return n
}

// Asked returns how many members were asked how they do.
func (c ClusterStatus) Asked() int {
	n := 0
	for _, m := range c.Members {
		if !m.Unasked {
			n++
		}
	}
	return n
}

// GrantedBy returns the name of the member that granted a lease, "" if the id does
// not tell: the server puts the low 16 bits of its member id, sign bit cleared, on
// top of the time of its start (etcd pkg/idutil/id.go). Clients may choose ids that
// tell nothing.
func (ms *Members) GrantedBy(id LeaseID) string {
	found := ""
	for _, m := range ms.cluster.Members {
		if m.ID == 0 || uint64(id)>>48 != m.ID&0x7fff {
			continue
		}
		if found != "" {
			return "" // two members share these bits
		}
		found = m.Label()
	}
	return found
}

// EarlyEnd is a healthy lease that ended before its time.
type EarlyEnd struct {
	At    time.Time
	Lease LeaseID
}

// EarlyKept is for how long such an end is remembered.
const EarlyKept = 20 * time.Second

// EndedEarly returns the healthy leases that ended before their time, of the last seconds.
func (ms *Members) EndedEarly() []EarlyEnd { return ms.early }

// endedEarly remembers such a lease.
func (ms *Members) endedEarly(id LeaseID, at time.Time) {
	for len(ms.early) > 0 && at.Sub(ms.early[0].At) > EarlyKept {
		ms.early = ms.early[1:]
	}
	for _, e := range ms.early {
		if e.Lease == id {
			return
		}
	}
	ms.early = append(ms.early, EarlyEnd{at, id})
}

// noteTerm notices a change of leader by the raft term, which every answer tells.
func (ms *Members) noteTerm(term uint64, at time.Time) {
	if term > ms.term {
		if ms.term != 0 {
			ms.leaderSince = at
		}
		ms.term = term
	}
}

// Package members is what the members of the cluster tell of themselves, round by round.
package members

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
)

// Members are those of the cluster, as they were in the last round of status requests.
type Members struct {
	cluster     model.ClusterStatus
	priorRev    int64 // the highest revision that the round before told
	leaderless  int   // rounds in which no member knew a leader
	term        uint64
	leaderSince time.Time // of the last change of leader that was seen
}

// Cluster returns the last round of status requests.
func (ms *Members) Cluster() model.ClusterStatus { return ms.cluster }

// PriorRev returns the highest revision that the round of status before the last told.
func (ms *Members) PriorRev() int64 { return ms.priorRev }

// Leaderless returns in how many rounds of status, up to the last, no member knew a leader.
func (ms *Members) Leaderless() int { return ms.leaderless }

// LeaderSince returns when a change of the leader was last seen, zero for never.
func (ms *Members) LeaderSince() time.Time { return ms.leaderSince }

// Apply takes a round of status requests in, and returns in words what changed, and whether
// another member leads.
func (ms *Members) Apply(e model.ClusterStatus) (news []string, elected bool) {
	old := ms.cluster
	ms.cluster, ms.priorRev = e, 0
	if e.At.IsZero() || e.Up() == 0 || e.Leader().ID != 0 {
		ms.leaderless = 0
	} else {
		ms.leaderless++
	}
	for _, m := range old.Members {
		ms.priorRev = max(ms.priorRev, m.Rev)
	}
	for _, m := range e.Members {
		ms.SeeTerm(m.Term, e.At)
	}
	if old.At.IsZero() {
		return nil, false
	}
	if was, is := old.Leader(), e.Leader(); was.ID != is.ID && (was.ID != 0 || is.ID != 0) {
		elected = is.ID != 0
		if elected {
			news = append(news, fmt.Sprintf("%s leads the cluster now, term %d: every lease starts its TTL anew", is.Label(), is.Term))
		} else {
			news = append(news, "the cluster has no leader: no lock can be taken, freed or expire")
		}
	}
	for _, m := range e.Members {
		for _, was := range old.Members {
			if was.ID == m.ID && !was.Unasked && !m.Unasked && (was.Err == "") != (m.Err == "") {
				news = append(news, answers(m))
			}
		}
	}
	for _, a := range e.Alarms {
		if !slices.Contains(old.Alarms, a) {
			news = append(news, "alarm: "+a)
		}
	}
	return news, elected
}

// answers says in words whether a member answers.
func answers(m model.Member) string {
	if m.Err != "" {
		return m.Label() + " does not answer: " + model.Printable(m.Err)
	}
	return m.Label() + " answers again"
}

// SeeTerm notices a change of leader by the raft term, which every answer tells.
func (ms *Members) SeeTerm(term uint64, at time.Time) {
	if term > ms.term {
		if ms.term != 0 {
			ms.leaderSince = at
		}
		ms.term = term
	}
}

// GrantedBy returns the name of the member that granted a lease, "" if the id does
// not tell: the server puts the low 16 bits of its member id, sign bit cleared, on
// top of the time of its start (etcd pkg/idutil/id.go). Clients may choose ids that
// tell nothing.
func (ms *Members) GrantedBy(id model.LeaseID) string {
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

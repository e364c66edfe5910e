package locks

import (
	"cmp"
	"slices"
	"time"

	"locktop/model"
)

// Members are those of the cluster, as they were in the last round of status requests.
type Members struct {
	cluster    model.ClusterStatus
	leaderless int // rounds in which members answered, and none knew a leader
	led        led // when a leader was last known
	term       uint64
	changes    []time.Time // of the leader that were seen lately, the last ones
	leads      []Lead
	rounds     []model.ClusterStatus // the last ones
}

// Lead is who led from some time on, as far as the rounds of status requests tell.
type Lead struct {
	From time.Time
	ID   uint64 // of the member, 0 where no list names it
	Term uint64 // 0 where no member told it
	// None: members answered, and knew no leader. Unseen: none answered.
	None, Unseen bool
}

// Leads returns who led, one after the other, the last [maxLeaderChanges] at most. Of two changes
// between two rounds one is seen.
func (ms *Members) Leads() []Lead { return ms.leads }

// RoundsSpan is for how long rounds of status requests are remembered, maxRounds of them at most.
const (
	RoundsSpan = time.Minute
	maxRounds  = 60
)

// Rounds returns the last rounds of status requests, the oldest first.
func (ms *Members) Rounds() []model.ClusterStatus { return ms.rounds }

// noteRound remembers a round, and forgets old ones.
func (ms *Members) noteRound(e model.ClusterStatus) {
	from := 0
	for from < len(ms.rounds) && (len(ms.rounds)-from >= maxRounds || e.At.Sub(ms.rounds[from].At) > RoundsSpan) {
		from++
	}
	ms.rounds = append(slices.Clone(ms.rounds[from:]), e)
}

// noteLead notes who leads as a round tells.
func (ms *Members) noteLead(e model.ClusterStatus) {
	x := Lead{From: e.At, None: e.Leaderless(), Unseen: e.Silent()}
	if e.KnowsLeader() {
		if x.Term = e.Term(); x.Term != 0 && x.Term < ms.led.term {
			return // it was deposed, and the others do not answer from here
		}
		x.ID = e.Leader().ID
	}
	if n := len(ms.leads); n > 0 {
		was := ms.leads[n-1]
		if was.None == x.None && was.Unseen == x.Unseen && !(led{id: x.ID, term: x.Term}).differs(led{id: was.ID, term: was.Term}) {
			return
		}
		if n == maxLeaderChanges {
			ms.leads = slices.Clone(ms.leads[1:])
		}
	}
	ms.leads = append(ms.leads, x)
}

// led is what was known of a leader.
type led struct {
	known bool
	id    uint64 // 0 where no list of the members names it
	term  uint64 // 0 where no member told it
	rev   int64  // 0 where it did not answer
}

// Cluster returns the last round of status requests.
func (ms *Members) Cluster() model.ClusterStatus { return ms.cluster }

// Leaderless returns in how many rounds of status, up to the last, members answered and none of
// them knew a leader.
func (ms *Members) Leaderless() int { return ms.leaderless }

// LeaderSince returns when a change of the leader was last seen, zero for never.
func (ms *Members) LeaderSince() time.Time {
	if len(ms.changes) == 0 {
		return time.Time{}
	}
	return ms.changes[len(ms.changes)-1]
}

// LeaderChanges returns when the leader was seen to change since then, the last [maxLeaderChanges]
// times at most. Of two changes between two answers one is seen.
func (ms *Members) LeaderChanges(since time.Time) []time.Time {
	i, _ := slices.BinarySearchFunc(ms.changes, since, time.Time.Compare)
	return ms.changes[i:]
}

// maxLeaderChanges bounds how many changes of the leader are remembered.
const maxLeaderChanges = 100

// Apply takes a round of status requests in, and returns what changed, and whether
// there is a leader to ask that was not there, or not known, the round before.
func (ms *Members) Apply(e model.ClusterStatus) (news []model.Message, back bool) {
	old := ms.cluster
	ms.cluster = e
	if e.Leaderless() {
		ms.leaderless++
	} else {
		ms.leaderless = 0
	}
	if ms.restored(e) {
		ms.term = 0
		ms.changed(e.At)
	}
	ms.SeeTerm(e.Term(), e.At)
	lines, back := ms.lead(old, e)
	ms.noteLead(e)
	ms.noteRound(e)
	if old.At.IsZero() {
		return nil, false
	}
	if !lines.IsZero() {
		news = append(news, lines)
	}
	for _, m := range e.Members {
		for _, was := range old.Members {
			if was.ID == m.ID && !was.Unasked && !m.Unasked && (was.Err.IsZero()) != (m.Err.IsZero()) {
				news = append(news, answers(m))
			}
		}
	}
	for _, a := range e.Alarms {
		if !slices.Contains(old.Alarms, a) {
			news = append(news, model.Say("alarm", a))
		}
	}
	return news, back
}

// lead compares the leader with the last one that was known. Only a member that answers can say
// that there is none, and only another term or another member is another leader: a path that
// fails for a while is neither.
func (ms *Members) lead(old, e model.ClusterStatus) (news model.Message, back bool) {
	switch {
	case e.Silent() && !old.Silent():
		return model.Say("no-member-answers"), false
	case e.Leaderless() && !old.Leaderless():
		return leaderless(e), false
	case !e.KnowsLeader():
		return model.Message{}, false
	}
	was, is, gap := ms.led, led{true, e.Leader().ID, e.Term(), e.Leader().Rev}, !old.KnowsLeader()
	restored := ms.restored(e)
	if is.term != 0 && is.term < was.term && !restored {
		return model.Message{}, gap // it was deposed, and the others do not answer from here
	}
	ms.led = led{true, cmp.Or(is.id, was.id), cmp.Or(is.term, was.term), cmp.Or(is.rev, was.rev)}
	who, term := model.Say("another-member"), model.Message{}
	if is.id != 0 {
		who = e.Leader().Message()
	}
	if is.term != 0 {
		term = model.Say("in-term", is.term)
	}
	switch {
	case !was.known && gap:
		return model.Say("leads", who, term), true
	case !was.known:
		return model.Message{}, gap
	case is.differs(was) || restored:
		return model.Say("leads-now", who, term), true
	case gap && is.id == 0:
		return model.Say("has-its-leader-still", term), true
	case gap && (is.term == 0 || was.term == 0):
		return model.Say("leads-perhaps-anew", who), true
	case gap:
		return model.Say("leads-as-before", who, term), true
	}
	return model.Message{}, false
}

// restored says whether the revision of the same leader went back: it has the data of a backup, and a new
// cluster was made of them. Its terms are counted anew.
func (ms *Members) restored(e model.ClusterStatus) bool {
	x := e.Leader()
	return x.ID != 0 && x.ID == ms.led.id && x.Rev != 0 && x.Rev < ms.led.rev
}

// differs says whether it is another leader, as far as members and terms were told. One that is
// elected again is another: it starts every lease anew, too.
func (l led) differs(was led) bool {
	return l.id != 0 && was.id != 0 && l.id != was.id || l.term != 0 && was.term != 0 && l.term != was.term
}

// leaderless says that members answer, and none knows a leader. Fewer than a majority do not speak
// for the others: they may be cut off from them.
func leaderless(e model.ClusterStatus) model.Message {
	if up := e.Up(); 2*up <= e.Size() {
		return model.Say("no-leader-from-here", up, e.Size())
	}
	return model.Say("no-leader")
}

func answers(m model.Member) model.Message {
	if !m.Err.IsZero() {
		return model.Say("member-does-not-answer", m.Message(), m.Err)
	}
	return model.Say("member-answers-again", m.Message())
}

// SeeTerm notices a change of leader by the raft term, which every answer tells.
func (ms *Members) SeeTerm(term uint64, at time.Time) {
	if term > ms.term {
		if ms.term != 0 {
			ms.changed(at)
		}
		ms.term = term
	}
}

// changed notes that another leader was elected.
func (ms *Members) changed(at time.Time) {
	if len(ms.changes) == maxLeaderChanges {
		ms.changes = slices.Clone(ms.changes[1:])
	}
	ms.changes = append(ms.changes, at)
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

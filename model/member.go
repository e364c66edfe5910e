package model

import (
	"fmt"
	"slices"
)

// name is what the member is called: where it never answered and no list has it, its endpoint.
func (m Member) name() string {
	if m.Name == "" && m.ID == 0 {
		return m.Endpoint
	}
	return m.Name
}

// Label names the member in a sentence, escaped.
func (m Member) Label() string {
	if name := m.name(); name != "" {
		return "member " + Printable(name)
	}
	return fmt.Sprintf("member %x", m.ID)
}

// Message names the member in a message.
func (m Member) Message() Message {
	if name := m.name(); name != "" {
		return Say("member", name)
	}
	return Say("member-by-number", m.ID)
}

// Behind returns how many revisions a member was behind the newest answer of its round, and whether it told.
// What was written while the round went on counts, too: a few tell nothing.
func (c ClusterStatus) Behind(m Member) (n int64, told bool) {
	for _, x := range c.Members {
		if x.answers() {
			n = max(n, x.Rev-m.Rev)
		}
	}
	return n, m.answers()
}

// Rev returns the highest revision that a member told, 0 if none did.
func (c ClusterStatus) Rev() (rev int64) {
	for _, m := range c.Members {
		rev = max(rev, m.Rev)
	}
	return rev
}

// Fine says whether every member was asked and answers in time, a leader is known, and no alarm is in force.
func (c ClusterStatus) Fine() bool {
	for _, m := range c.Members {
		if !m.answers() || m.NoLeader || m.Answers.Failed+m.Answers.Slow > 0 {
			return false
		}
	}
	return c.KnowsLeader() && len(c.Alarms) == 0
}

// Ailing returns the members that were asked and do not answer, and those that answer and know no leader though
// another one does.
func (c ClusterStatus) Ailing() (silent, leaderless []Member) {
	for _, m := range c.known() {
		switch {
		case !m.Err.IsZero():
			silent = append(silent, m)
		case m.answers() && m.NoLeader && c.KnowsLeader():
			leaderless = append(leaderless, m)
		}
	}
	return silent, leaderless
}

// Spare returns how many of the members that do not ail can be lost with a quorum left: less than 0 if there is none. It is not
// known where one was not asked.
func (c ClusterStatus) Spare() (n int, known bool) {
	members := c.known()
	silent, leaderless := c.Ailing()
	known = !slices.ContainsFunc(members, func(m Member) bool { return m.Unasked })
	return len(members) - len(silent) - len(leaderless) - (len(members)/2 + 1), known
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

// answers says whether the member was asked and told how it is.
func (m Member) answers() bool { return m.Err.IsZero() && !m.Unasked }

// KnowsLeader says whether a member that answers knows a leader: which one it is, a list of
// the members may not tell.
func (c ClusterStatus) KnowsLeader() bool {
	return slices.ContainsFunc(c.Members, func(m Member) bool { return m.answers() && !m.NoLeader })
}

// Leaderless says whether members answer, and none of them knows a leader. Where none answers
// nothing is known of a leader.
func (c ClusterStatus) Leaderless() bool { return c.Up() > 0 && !c.KnowsLeader() }

// Silent says whether members were asked, and none answers.
func (c ClusterStatus) Silent() bool { return c.Asked() > 0 && c.Up() == 0 }

// Term returns the highest raft term among the members that answer and know a leader, 0 where
// none tells it. One that knows no leader may count terms on its own.
func (c ClusterStatus) Term() (term uint64) {
	for _, m := range c.Members {
		if m.answers() && !m.NoLeader {
			term = max(term, m.Term)
		}
	}
	return term
}

// Size returns how many members the cluster has, as far as is known.
func (c ClusterStatus) Size() int { return len(c.known()) }

// Down returns how many of them were asked and did not answer.
func (c ClusterStatus) Down() int {
	n := 0
	for _, m := range c.known() {
		if !m.Err.IsZero() {
			n++
		}
	}
	return n
}

// known are the members that the cluster itself names, all of them where none has. An
// endpoint that never answered may be one of them under another address.
func (c ClusterStatus) known() []Member {
	members := slices.DeleteFunc(slices.Clone(c.Members), func(m Member) bool { return m.ID == 0 })
	if len(members) == 0 {
		return c.Members
	}
	return members
}

// Up returns how many members answered.
func (c ClusterStatus) Up() int {
	n := 0
	for _, m := range c.Members {
		if m.answers() {
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

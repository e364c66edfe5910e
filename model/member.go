package model

import (
	"fmt"
	"slices"
)

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

// Leaderless says whether a member that answers knows no leader, and none knows one.
func (c ClusterStatus) Leaderless() bool {
	return c.Leader().ID == 0 && slices.ContainsFunc(c.Members, func(m Member) bool { return m.NoLeader })
}

// Size returns how many members the cluster has, as far as is known.
func (c ClusterStatus) Size() int { return len(c.known()) }

// Down returns how many of them were asked and did not answer.
func (c ClusterStatus) Down() int {
	n := 0
	for _, m := range c.known() {
		if m.Err != "" {
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

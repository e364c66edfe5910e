package fields

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
)

// Session is a lease and where it stands: which locks it holds, for which it waits, and
// how many other keys hang on it.
type Session struct {
	*locks.Lease
	Holds, Waits Some
	Other        int
	More         bool         // not all keys were looked at
	Lead         *locks.Claim // the claim that counts most: one that holds, else one that waits
}

// Some are the first locks of N.
type Some struct {
	First [2]*locks.Lock
	N     int
}

func (s *Some) add(l *locks.Lock) {
	if s.N < len(s.First) {
		s.First[s.N] = l
	}
	s.N++
}

// Listed are the first ones.
func (s *Some) Listed() []*locks.Lock { return s.First[:min(s.N, len(s.First))] }

// sessionKeys bounds how many keys of a lease are looked at.
const sessionKeys = 32

// SessionOf returns the lease as a session.
func SessionOf(l *locks.Lease) Session {
	s := Session{Lease: l}
	all := l.Claims()
	s.More = len(all) > sessionKeys
	for _, c := range all[:min(len(all), sessionKeys)] {
		lead := s.Lead == nil
		switch lock := c.Lock(); {
		case lock == nil || !lock.Recipe().HasHolder:
			s.Other++
		case status.Role(lock, c) == model.RoleHolds:
			s.Holds.add(lock)
			lead = s.Holds.N == 1
		default:
			s.Waits.add(lock)
			lead = s.Waits.N == 1 && s.Holds.N == 0
		}
		if lead {
			s.Lead = c
		}
	}
	return s
}

// Sessions are the fields of a session. Only the console lists them.
var Sessions = []Field[Session]{
	{Title: "title-session", In: In{Console: 10}, Width: Width{Least: 9, Fair: 9, Most: 16, Rank: 1}},
	{Title: "title-who", In: In{Console: 20}, Width: Width{Least: 9, Fair: 16, Most: 34, Rank: 2}},
	{Title: "title-lease", In: In{Console: 30}, Width: Width{Least: 13, Fair: 13, Most: 25, Rank: 4}},
	{Title: "title-rhythm", In: In{Console: 40}, Width: Width{Least: 9, Most: 9, Rank: 8}},
	{Title: "title-granted-by", In: In{Console: 50}, Width: Width{Least: 10, Most: 12, Rank: 9}},
	{Title: "title-holds", In: In{Console: 60}, Width: Width{Least: 13, Fair: 14, Most: 40, Rank: 3}},
	{Title: "title-waits-for", In: In{Console: 70}, Width: Width{Least: 10, Fair: 14, Most: 40, Rank: 6}},
	{Title: "title-other", In: In{Console: 80}, Width: Width{Least: 5, Most: 5, Rank: 7, Right: true}},
	{Title: "title-state", In: In{Console: 90}, Width: Width{Least: 16, Fair: 16, Most: 24}},
}

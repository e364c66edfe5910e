package reports

import (
	"locktop/model"
	"locktop/model/journal"
)

// Accessed is an access to the guarded resource beside what etcd said then.
type Accessed struct {
	model.Access
	// Newer is the highest token that is known to have been given to somebody else before,
	// where the access came with an older one; else 0.
	Newer int64
}

// Stale says that a write with an old token was accepted.
func (a Accessed) Stale() bool { return a.Write && a.Accepted && a.Newer > 0 }

// accessesMax bounds how many accesses are remembered, the last ones.
const accessesMax = 64

// remember keeps an access. Of an old write that was accepted it returns a line for the journal, else
// nil: without a fence nothing else would say so.
func (rs *Reports) remember(e model.Access) *journal.Entry {
	a := Accessed{Access: e}
	newer := func(token int64) {
		if token > e.Token && e.Token > 0 {
			a.Newer = max(a.Newer, token)
		}
	}
	newer(e.Highest)
	// The last write before an unlock may come to us after it: only who has held for longer than
	// the two ways differ held before the write.
	if l := rs.k.Keys.Lock(e.Lock); l != nil && l.Holder() != nil {
		if since, _, _ := l.Holder().HeldSince(); e.At.Sub(since) > Grace {
			newer(l.Holder().KV.CreateRev)
		}
	}
	for _, b := range rs.accesses {
		if b.Lock == e.Lock {
			newer(b.Token)
		}
	}
	if len(rs.accesses) >= accessesMax {
		rs.accesses = append(rs.accesses[:0:0], rs.accesses[1:]...)
	}
	rs.accesses = append(rs.accesses, a)
	if !a.Stale() {
		return nil
	}
	return &journal.Entry{At: e.At, Kind: journal.Lab, Lock: e.Lock,
		Text: model.Say("wrote-with-old-token", e.Contender, e.Token, a.Newer)}
}

// Accesses are the last ones to what a lock guards, oldest first.
func (rs *Reports) Accesses(lock string) []Accessed {
	var all []Accessed
	for _, a := range rs.accesses {
		if a.Lock == lock {
			all = append(all, a)
		}
	}
	return all
}

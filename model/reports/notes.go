package reports

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// What the proxy saw is folded here: which key was written, deleted and watched by
// whom, who renews which lease, who is connected. All of it is bounded, and kept by
// key, so that a rule looks only at what is open on its lock.

// Bounds of what is remembered of the proxy's reports.
const (
	notesMax    = 8192            // keys
	notesKeep   = 2 * time.Minute // how long the notes of a key that is gone are kept at least
	writesMax   = 8               // writes of a key
	watchersMax = 16              // clients that watch a key
	keepersMax  = 4               // clients that renew a lease
	clientsMax  = 1024
	refusedMax  = 256
)

// open says whether there is something for a rule to look at.
func (n *Notes) open() bool {
	return n.Ghost != nil || n.Undone != nil || !n.GoneAt.IsZero() && len(n.Watchers) > 0
}

// note returns the notes of a key, made if needed.
func (nb *notebook) note(key string) *Notes {
	n := nb.notes[key]
	if n == nil {
		nb.dropNotes()
		n = &Notes{Key: key, lock: nb.places.lockName(key)}
		if ll := nb.places.placeOf(key); ll != nil {
			if g := ll.Removed(key); g != nil && nb.k.Keys.Claim(key) == nil {
				n.GoneAt, n.goneRev = g.At, g.Rev
			}
		}
		nb.notes[key] = n
		nb.order = append(nb.order, key)
	}
	n.at = nb.k.Now()
	return n
}

// dropNotes makes room: two looks at the oldest notes pay for a new one.
func (nb *notebook) dropNotes() {
	for range min(2, len(nb.order)) {
		key := nb.order[0]
		n := nb.notes[key]
		stale := !n.open() && nb.k.Keys.Claim(key) == nil && nb.k.Now().Sub(n.at) > notesKeep
		if !stale && len(nb.order) < notesMax {
			return
		}
		nb.order = nb.order[1:]
		if n.open() && len(nb.order) < notesMax {
			nb.order = append(nb.order, key)
			continue
		}
		n.Ghost, n.Undone, n.Watchers = nil, nil, nil
		nb.reopen(n)
		delete(nb.notes, key)
	}
}

// reopen follows up on a change of notes: it lists them with their lock as far as
// something is open, and asks for a new look at that.
func (nb *notebook) reopen(n *Notes) {
	ll := nb.places.locks[n.lock]
	if ll == nil {
		if !n.open() {
			return
		}
		ll = nb.places.lock(n.lock)
	}
	i, listed := slices.BinarySearchFunc(ll.Open, n.Key, func(o *Notes, key string) int { return strings.Compare(o.Key, key) })
	switch {
	case n.open() && !listed:
		ll.Open = slices.Insert(ll.Open, i, n)
	case !n.open() && listed:
		ll.Open = slices.Delete(ll.Open, i, i+1)
	}
	if n.open() || listed {
		nb.news.due(n.lock)
	}
	nb.places.dropLock(ll)
}

// wrote takes the end of a request to put or delete one key in.
func (rs *Reports) wrote(e model.Wrote) {
	if e.End != "" {
		return // what of a range was there, and whose it was, nobody said
	}
	n := rs.notebook.note(e.Key)
	if c := rs.Programs.contenders[e.Name]; c != nil && e.Certain && c.Lock == "" && !e.Delete && e.Lease != 0 {
		c.wrote, c.Lease = e.Key, e.Lease
	}
	n.writes = append(n.writes, e)
	if len(n.writes) > writesMax {
		n.writes = slices.Delete(n.writes, 0, 1)
	}
	switch {
	case e.Told: // it knows what became of it, and of what it asked before
		if n.Ghost != nil && rs.Programs.SameProgram(n.Ghost.Name, e.Name) {
			n.Ghost = nil
		}
		if n.Undone != nil && rs.Programs.SameProgram(n.Undone.Name, e.Name) {
			n.Undone = nil
		}
	case !e.Delete && e.Rev > n.goneRev && !n.GoneAt.After(e.At) && !rs.knew(n, e):
		n.Ghost = &e
	case e.Delete && e.Rev == 0 && n.GoneAt.IsZero():
		n.Undone = &e
	}
	if e.Took {
		rs.explainByWrote(e)
		rs.noteUnlock(n, e)
	}
	rs.notebook.reopen(n)
}

// knew says whether a client that was not told of a put knew of its claim anyway:
// by its own word, or because an earlier answer had told it.
func (rs *Reports) knew(n *Notes, put model.Wrote) bool {
	known := false
	for _, w := range n.writes {
		switch {
		case w.Rev == 0 || w.Rev <= n.goneRev:
		case w.Delete:
			known = false // what comes is another claim of that name
		case w.Told && rs.Programs.SameProgram(w.Name, put.Name) && w.Lease == put.Lease:
			known = true
		}
	}
	if known {
		return true
	}
	for _, c := range rs.Programs.Workers(put.Name) {
		if b := c.Belief; b.Key == put.Key && (b.State == model.BeliefHolding || b.State == model.BeliefWaiting && b.At.After(put.At)) {
			return true
		}
	}
	return false
}

// knows notes that a contender says it waits or holds by a key: then it knows of it.
func (rs *Reports) knows(e model.Belief) {
	n := rs.notebook.notes[e.Key]
	if n == nil || n.Ghost == nil && n.Undone == nil {
		return
	}
	holds := e.State == model.BeliefHolding
	if g := n.Ghost; g != nil && (holds || e.State == model.BeliefWaiting) && e.At.After(g.At) && rs.Programs.SameProgram(g.Name, e.Contender) {
		n.Ghost = nil
	}
	if n.Undone != nil && holds && e.At.After(n.Undone.At) && rs.Programs.SameProgram(n.Undone.Name, e.Contender) {
		n.Undone = nil // it took the lock again by the claim that it could not delete
	}
	rs.notebook.reopen(n)
}

// watches takes the begin or end of a watch in. Who watches a key of the queue knows
// that it is in it.
func (rs *Reports) watches(e model.Watches) {
	n := rs.notebook.note(e.Key)
	n.Watchers = slices.DeleteFunc(n.Watchers, func(w model.Watches) bool { return w.Client == e.Client })
	cl := rs.Programs.clients.at(e.Client, e.At)
	delete(cl.watching, e.Key)
	if e.On && len(n.Watchers) < watchersMax {
		n.Watchers = append(n.Watchers, e)
		cl.watching[e.Key] = true
		rs.inQueue(e)
	}
	rs.notebook.reopen(n)
}

// inQueue closes the ghosts of a client that began to wait for another key of the
// same lock.
func (rs *Reports) inQueue(e model.Watches) {
	ll := rs.places.placeOf(e.Key)
	if ll == nil {
		return
	}
	for _, n := range slices.Clone(ll.Open) {
		if n.Ghost != nil && n.Key != e.Key && rs.Programs.SameProgram(n.Ghost.Name, e.Name) && !e.At.Before(n.Ghost.At) {
			n.Ghost = nil
			rs.notebook.reopen(n)
		}
	}
}

// keyGone follows up on a key that a settling took.
func (rs *Reports) keyGone(c *locks.Claim, l *locks.Lock, at time.Time, rev int64) {
	if ll := rs.places.placeOf(c.Key); ll != nil {
		g := RemovedClaim{Ref: c.Ref(), At: at, Rev: rev, since: c.Since}
		if l != nil && l.LastLoss() != nil && l.LastLoss().Removed().Same(g.Ref) {
			g.loss = l.LastLoss()
		}
		if ll.remember(g); l != nil {
			ll.exclusive = l.Recipe().Exclusive()
		}
	}
	n := rs.notebook.notes[c.Key]
	if n == nil {
		return
	}
	n.GoneAt, n.goneRev, n.at = at, max(n.goneRev, rev), at
	if g := n.Ghost; g != nil && (rev == 0 || g.Rev < rev) {
		n.Ghost = nil // but not of a later claim, of which the watch does not know yet
	}
	n.Undone = nil
	for _, w := range n.writes {
		if w.Took && w.Rev == rev {
			rs.noteUnlock(n, w)
		}
	}
	rs.notebook.reopen(n)
}

// keyCame follows up on a key that a settling brought.
func (rs *Reports) keyCame(c *locks.Claim) {
	if n := rs.notebook.notes[c.Key]; n != nil && !n.GoneAt.IsZero() {
		n.GoneAt = time.Time{}
		rs.notebook.reopen(n)
	}
}

// forgetOpen closes what a client that is gone left open.
func (rs *Reports) forgetOpen(name string) {
	for _, lock := range slices.Sorted(maps.Keys(rs.places.locks)) {
		for _, n := range slices.Clone(rs.places.locks[lock].Open) {
			if n.Ghost != nil && rs.Programs.SameProgram(n.Ghost.Name, name) {
				n.Ghost = nil
			}
			if n.Undone != nil && rs.Programs.SameProgram(n.Undone.Name, name) {
				n.Undone = nil
			}
			rs.notebook.reopen(n)
		}
	}
	rs.forgetWatches(name)
}

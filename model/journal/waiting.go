package journal

import (
	"cmp"
	"slices"
	"time"
)

// ended is what was known, when a claim went, of its client and its lease.
type ended struct {
	client string // "" if nothing names it
	// granted is the TTL in seconds, and until when the lease lasts that was read last, zero if
	// neither is known.
	granted int64
	lasts   time.Time
}

// NoteEnd notes what is known of the client of the claim that went, and of its lease: the TTL in
// seconds and until when it lasts by its last reading, 0 and zero if it was not read.
func (e *Entry) NoteEnd(client string, granted int64, lasts time.Time) {
	e.end = ended{client, granted, lasts}
}

// ExpirySlack bounds how much a lease that just expired can seem to have left: readings are cut
// down to seconds.
const ExpirySlack = 200 * time.Millisecond

// leastTTL stands in for a TTL that is not known, in seconds.
const leastTTL = 3

// canHaveExpired says whether nothing speaks against it that the lease of e ran out, as that of
// another did: neither its last reading nor its age. What the dead leave is at least as old as the
// time that a lease has left which is renewed at a third of it.
func (e *Entry) canHaveExpired(other *Entry) bool {
	if e.end.lasts.After(e.At.Add(ExpirySlack)) {
		return false
	}
	ttl := cmp.Or(e.end.granted, other.end.granted, leastTTL)
	return e.LastedFor(time.Duration(ttl)*time.Second*2/3 - time.Second)
}

// waiting are entries that wait for a reading, or to be looked at again, in the order of the times
// up to which they do.
type waiting struct {
	all  []*Entry
	head int // all before it have gone
}

// Wait has an entry wait up to a time: then it is due.
func (j *Journal) Wait(f *Entry, until time.Time) {
	w := &j.waiting
	f.until = until
	if len(w.all) == cap(w.all) && w.head >= len(w.all)/2 { // its place is used again
		n := copy(w.all, w.all[w.head:])
		clear(w.all[n:])
		w.all, w.head = w.all[:n], 0
	}
	at := len(w.all)
	for at > w.head && w.all[at-1].until.After(until) { // as a rule it is the last
		at--
	}
	w.all = slices.Insert(w.all, at, f)
}

// Waiting returns how many entries wait.
func (j *Journal) Waiting() int { return len(j.waiting.all) - j.waiting.head }

// FirstWaiting returns the entry that is due first, and when; nil if none waits.
func (j *Journal) FirstWaiting() (f *Entry, at time.Time) {
	if j.Waiting() == 0 {
		return nil, at
	}
	f = j.waiting.all[j.waiting.head]
	return f, f.until
}

// EndWait takes the entry away that is due first.
func (j *Journal) EndWait() *Entry {
	w := &j.waiting
	f := w.all[w.head]
	w.all[w.head] = nil
	w.head++
	return f
}

// open returns the entries that wait: all, or the most before f in that line, and behind.
func (j *Journal) open(f *Entry, most int) []*Entry {
	open := j.waiting.all[j.waiting.head:]
	if most > 0 {
		i, _ := slices.BinarySearchFunc(open, f.until, func(e *Entry, at time.Time) int { return e.until.Compare(at) })
		open = open[max(0, i-most):min(len(open), i+most)]
	}
	return open
}

package intervals

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/keyspace"
)

// Stay is the time of one claim in the queue of its lock.
type Stay struct {
	Claim model.ClaimRef
	// Came is when it came, Got when it got the lock, zero if it never did, and Gone when it
	// went, zero while it is there.
	Came, Got, Gone time.Time
	// CameAtLeast and GotAtLeast: it was so before we looked.
	CameAtLeast, GotAtLeast bool
	// Unseen: nothing was seen when it went, Gone is when we learnt of it.
	Unseen bool
	// Stayed: it did not go, but lost the lock. Its next stay began then.
	Stayed bool
}

// Waited returns how long the stay waited up to now, Held how long it held.
func (s *Stay) Waited(now time.Time) time.Duration { return max(0, s.waits(now).Sub(s.Came)) }

// Held returns how long the stay held up to now, 0 if it did not.
func (s *Stay) Held(now time.Time) time.Duration {
	if s.Got.IsZero() {
		return 0
	}
	return max(0, until(s.Gone, now).Sub(s.Got))
}

// waits is when the wait ended, or now.
func (s *Stay) waits(now time.Time) time.Time {
	if !s.Got.IsZero() {
		return s.Got
	}
	return until(s.Gone, now)
}

func until(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// Bounds of what a book keeps: bytes in all, and the part of them that one lock may take.
const (
	BytesMax  = 112 << 20
	lockShare = 4
)

// Book keeps the stays of all locks, as far as its bytes go.
type Book struct {
	k       *keyspace.Keyspace
	max     int // bytes
	bytes   int
	lines   map[string]*line
	oldest  []*chunk // of all lines, in the order in which they were begun
	zone    *time.Location
	loads   []load
	again   map[*keyspace.Claim]start // of those that held, and are there still without the lock
	dropped int                       // stays that gave way
	until   int64                     // the end of the last of them
	moments
}

// start is when a stay began, or earlier.
type start struct {
	at      time.Time
	atLeast bool
}

// load is when a prefix was first listed.
type load struct {
	prefix string
	at     time.Time
}

// line is the past of one lock.
type line struct {
	name    string
	chunks  []*chunk
	bytes   int
	held    int // how many got the lock
	dropped int
	until   int64 // the end of the last stay that gave way
}

// NewBook returns an empty book about a keyspace, of at most so many bytes; 0 is BytesMax.
func NewBook(k *keyspace.Keyspace, most int) *Book {
	if most <= 0 {
		most = BytesMax
	}
	return &Book{k: k, max: most, lines: map[string]*line{}, again: map[*keyspace.Claim]start{}, zone: time.UTC, moments: moments{late: map[model.LeaseID]bool{}, missed: map[string][]Mark{}}}
}

// Keep makes the book keep so many bytes at most from the next stay on.
func (b *Book) Keep(most int) { b.max = most }

// Forget drops all: another cluster answers.
func (b *Book) Forget() { *b = *NewBook(b.k, b.max) }

// Bytes returns how much the book takes, by its own count.
func (b *Book) Bytes() int { return b.bytes }

// Dropped returns how many stays gave way to later ones, and when the last of them ended.
func (b *Book) Dropped() (n int, until time.Time) {
	if b.dropped == 0 {
		return 0, time.Time{}
	}
	return b.dropped, b.at(b.until)
}

// Since returns from when on the stays of a lock are whole: since the keys were listed, or
// since the last of its stays that gave way. Zero: nothing was listed yet.
func (b *Book) Since(lock string) time.Time {
	gone := int64(math.MinInt64)
	if ln := b.lines[lock]; ln != nil && ln.dropped > 0 {
		gone = ln.until
	} else if ln == nil && b.dropped > 0 {
		gone = b.until // of its stays, if it had any, nothing is left to tell
	}
	var since time.Time
	for _, x := range b.loads {
		if strings.HasPrefix(lock+"/", x.prefix) && (since.IsZero() || x.at.Before(since)) {
			since = x.at
		}
	}
	if since.IsZero() || gone == math.MinInt64 || b.at(gone).Before(since) {
		return since
	}
	return b.at(gone)
}

// Start returns from when on there may be stays of any lock.
func (b *Book) Start() time.Time {
	var start time.Time
	for _, x := range b.loads {
		if start.IsZero() || x.at.Before(start) {
			start = x.at
		}
	}
	return start
}

func (b *Book) at(us int64) time.Time { return time.UnixMicro(us).In(b.zone) }

// Follow takes in what the last event changed of the keyspace.
func (b *Book) Follow(e model.Event) {
	b.zone = e.When().Location()
	b.noteMoments(e)
	unseen := false
	switch e := e.(type) {
	case model.Committed:
		if e.Past {
			return
		}
		unseen = b.k.CatchingUp()
	case model.Listed:
		unseen = true
	case model.Loaded:
		unseen = true
		maps.DeleteFunc(b.again, func(c *keyspace.Claim, _ start) bool { return b.k.Claim(c.Key) != c })
		if !slices.ContainsFunc(b.loads, func(x load) bool { return x.prefix == e.Prefix }) {
			b.loads = append(b.loads, load{e.Prefix, e.At})
		}
	case model.Slept:
		for c, x := range b.again {
			b.again[c] = start{x.at, true}
		}
		return
	default:
		return
	}
	change := b.k.Settled()
	for c, l := range b.k.Gone {
		if l != nil && l.Recipe().HasHolder {
			if x, ok := b.going(c, l); ok {
				x.Gone, x.Unseen = change.At, unseen
				b.over(l, &x)
			}
		}
		delete(b.again, c)
	}
	for _, u := range change.Unheld {
		x := Stay{Claim: u.Who, Got: u.Since, GotAtLeast: u.AtLeast, Gone: change.At, Unseen: unseen, Stayed: true}
		if x.Came, x.CameAtLeast = b.Came(u.Claim); !u.Lock.Recipe().WaitersVisible() {
			x.Came = x.Got
		}
		b.over(u.Lock, &x)
		b.again[u.Claim] = start{change.At, unseen}
	}
}

// over writes a stay that ended down.
func (b *Book) over(l *keyspace.Lock, x *Stay) {
	form, rest := formOf(l.Name, x.Claim.Key, x.Claim.Lease)
	p := packed{flags: form, came: x.Came.UnixMicro(), gone: x.Gone.UnixMicro(), rev: x.Claim.CreateRev, lease: x.Claim.Lease,
		key: []byte(brief(rest)), value: []byte(x.Claim.Value[:min(len(x.Claim.Value), textMax)])}
	held := !x.Got.IsZero()
	for _, f := range []struct {
		on   bool
		flag byte
	}{{held, hasGot}, {x.CameAtLeast, cameAtLeast}, {x.GotAtLeast, gotAtLeast}, {x.Unseen, unseenEnd}, {x.Stayed, staysThere}, {len(p.value) > 0, hasValue}} {
		if f.on {
			p.flags |= f.flag
		}
	}
	if held {
		p.got = x.Got.UnixMicro()
	}
	b.write(l.Name, p, l.Behind())
}

// brief cuts the middle out of a key that nobody could read.
func brief(key string) string {
	const half = 512
	if len(key) <= 2*half+3 {
		return key
	}
	return key[:half] + "..." + key[len(key)-half:]
}

func (b *Book) write(lock string, p packed, waiting int) {
	ln := b.lines[lock]
	if ln == nil {
		ln = &line{name: lock}
		b.lines[lock] = ln
		b.pay(ln, lineSize+len(lock))
	}
	if n := len(ln.chunks); n == 0 || ln.chunks[n-1].full() {
		if n > 0 {
			b.close(ln.chunks[n-1])
		}
		c := &chunk{line: ln, before: ln.held}
		ln.chunks = append(ln.chunks, c)
		b.oldest = append(b.oldest, c)
		b.pay(ln, ownSize)
	}
	c := ln.chunks[len(ln.chunks)-1]
	before := cap(c.data)
	c.add(p)
	c.waiting = waiting
	ln.held = c.before + c.held
	b.pay(ln, cap(c.data)-before)
	for ln.bytes > b.max/lockShare && len(ln.chunks) > 1 {
		b.dropFirst(ln)
	}
	for b.bytes > b.max && len(b.oldest) > 1 {
		b.dropOldest(c)
	}
}

func (b *Book) pay(ln *line, n int) { ln.bytes += n; b.bytes += n }

// close gives back what a chunk does not need, now that it takes no more.
func (b *Book) close(c *chunk) {
	before := cap(c.data)
	c.data = append(make([]byte, 0, len(c.data)), c.data...)
	b.pay(c.line, cap(c.data)-before)
}

// dropOldest makes room: the chunk that was begun first goes, unless it is open still and
// was not spared yet. The chunk that is being written stays.
func (b *Book) dropOldest(writing *chunk) {
	c := b.oldest[0]
	ln := c.line
	switch {
	case ln == nil: // gone already, for its own lock
	case c == writing || !c.spared && c == ln.chunks[len(ln.chunks)-1]:
		c.spared = true
		b.oldest = append(b.oldest[1:], c)
		return
	default:
		b.dropFirst(ln)
	}
	b.oldest[0] = nil
	b.oldest = b.oldest[1:]
}

// dropFirst drops the oldest stays of a lock. Those of a line are in the same order as
// those of all, but for one that was spared.
func (b *Book) dropFirst(ln *line) {
	c := ln.chunks[0]
	ln.chunks[0] = nil
	ln.chunks = ln.chunks[1:]
	c.line = nil
	b.dropped += c.n
	ln.dropped += c.n
	ln.until, b.until = max(ln.until, c.gone), max(b.until, c.gone)
	b.pay(ln, -cap(c.data)-ownSize)
	if len(ln.chunks) == 0 {
		b.pay(ln, -lineSize-len(ln.name))
		delete(b.lines, ln.name)
	}
}

// Stays yields the stays of a lock that touch a time, to not included: those that are over
// in the order of their ends, then those that go on, in the order of the queue.
func (b *Book) Stays(lock string, from, to time.Time) func(yield func(*Stay) bool) {
	return func(yield func(*Stay) bool) {
		ok := true
		b.past(lock, from.UnixMicro(), to.UnixMicro(), func(p *packed) bool {
			s := b.stay(lock, p)
			ok = yield(&s)
			return ok
		})
		if ok {
			b.present(lock, to, yield)
		}
	}
}

// reach is how long before a belief began its claim may have gone: a word comes later
// than the deed.
const reach = 10 * time.Second

// LastHold returns the last stay by which a key, or if that is "" a lease, got the lock
// before a time and held it not long before another, nil for none.
func (b *Book) LastHold(lock, key string, lease model.LeaseID, after, before time.Time) *Stay {
	var found *Stay
	match := func(s *Stay) {
		if !s.Got.IsZero() && s.Got.Before(before) && (found == nil || found.Got.Before(s.Got)) {
			found = s
		}
	}
	b.past(lock, after.Add(-reach).UnixMicro(), before.UnixMicro(), func(p *packed) bool {
		if p.flags&hasGot != 0 && (lease == 0 || p.lease == lease) && (key == "" || p.keyOf(lock) == key) {
			s := b.stay(lock, p)
			match(&s)
		}
		return true
	})
	if l := b.k.Lock(lock); key != "" {
		if c := b.k.Claim(key); c != nil && l != nil && c.Lock() == l && (lease == 0 || c.KV.Lease == 0 || c.KV.Lease == lease) {
			x, _ := b.going(c, l)
			match(&x)
		}
	} else if x := b.k.Lease(lease); x != nil {
		for _, c := range x.Claims() {
			if c.Lock() == l && l != nil {
				x, _ := b.going(c, l)
				match(&x)
			}
		}
	}
	return found
}

// Last yields the stays of a lock that are over, the last one first.
func (b *Book) Last(lock string) func(yield func(*Stay) bool) {
	return func(yield func(*Stay) bool) {
		ln := b.lines[lock]
		if ln == nil {
			return
		}
		var all []Stay
		for _, c := range slices.Backward(ln.chunks) {
			all = all[:0]
			c.each(func(p *packed) bool { all = append(all, b.stay(lock, p)); return true })
			for i := range slices.Backward(all) {
				if !yield(&all[i]) {
					return
				}
			}
		}
	}
}

// past yields the packed stays of a lock that touch a time.
func (b *Book) past(lock string, from, to int64, yield func(*packed) bool) {
	ln := b.lines[lock]
	if ln == nil {
		return
	}
	for _, c := range ln.chunks[ln.from(from):] {
		if c.came >= to {
			continue
		}
		if !c.each(func(p *packed) bool { return p.gone < from || p.came >= to || yield(p) }) {
			return
		}
	}
}

// from is the first chunk with a stay that ended at a time or later.
func (ln *line) from(at int64) int {
	i, _ := slices.BinarySearchFunc(ln.chunks, at, func(c *chunk, at int64) int {
		if c.gone < at {
			return -1
		}
		return 1
	})
	return i
}

// present yields the stays that go on.
func (b *Book) present(lock string, to time.Time, yield func(*Stay) bool) {
	l := b.k.Lock(lock)
	if l == nil || !l.Recipe().HasHolder {
		return
	}
	for c := range l.Claims {
		if !l.IsClaim(c) {
			continue
		}
		if x, ok := b.going(c, l); ok && x.Came.Before(to) && !yield(&x) {
			return
		}
	}
}

// Came returns when the stay of a claim began that goes on: when the claim came, or when it
// lost the lock and stayed; atLeast if that was before we looked.
func (b *Book) Came(c *keyspace.Claim) (at time.Time, atLeast bool) {
	if x, ok := b.again[c]; ok {
		return x.at, x.atLeast
	}
	return c.Since, c.SinceAtLeast
}

// going is the stay of a claim that goes on, or did up to now; false where it neither holds
// nor waits: a key by itself outlives its holders.
func (b *Book) going(c *keyspace.Claim, l *keyspace.Lock) (x Stay, ok bool) {
	x.Claim = c.Ref()
	x.Came, x.CameAtLeast = b.Came(c)
	var holds bool
	if x.Got, x.GotAtLeast, holds = c.HeldSince(); !l.Recipe().WaitersVisible() {
		x.Came = x.Got // its key may have been another's before
		return x, holds
	}
	x.Came = x.Came.Truncate(time.Microsecond)
	return x, true
}

func (b *Book) stay(lock string, p *packed) Stay {
	s := Stay{Claim: model.ClaimRef{Key: p.keyOf(lock), CreateRev: p.rev, Lease: p.lease, Value: string(p.value)},
		Came: b.at(p.came), Gone: b.at(p.gone), CameAtLeast: p.flags&cameAtLeast != 0, GotAtLeast: p.flags&gotAtLeast != 0,
		Unseen: p.flags&unseenEnd != 0, Stayed: p.flags&staysThere != 0}
	if p.flags&hasGot != 0 {
		s.Got = b.at(p.got)
	}
	return s
}

// Recent returns a moment since which about n stays of a lock ended up to another, no fewer
// if there are as many.
func (b *Book) Recent(lock string, to time.Time, n int) time.Time {
	ln, last := b.lines[lock], to.UnixMicro()
	if ln != nil {
		for _, c := range slices.Backward(ln.chunks) {
			if c.over > last {
				continue
			}
			if n -= c.n; n <= 0 {
				return b.at(c.over)
			}
		}
	}
	return time.Time{}
}

// Ended returns when the last stay of a lock ended that is over, false if none is kept.
func (b *Book) Ended(lock string) (at time.Time, any bool) {
	ln := b.lines[lock]
	if ln == nil {
		return at, false
	}
	return b.at(ln.chunks[len(ln.chunks)-1].gone), true
}

// Names yields the locks of which there is a past, in no order.
func (b *Book) Names(yield func(string) bool) {
	for name := range b.lines {
		if !yield(name) {
			return
		}
	}
}

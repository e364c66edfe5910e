package timeline

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// Span is the time of one claim in the queue of its lock.
type Span struct {
	Claim model.ClaimRef
	// Came is when it came, Got when it got the lock, zero if it never did, and Gone when it
	// went, zero while it is there.
	Came, Got, Gone time.Time
	// CameAtLeast and GotAtLeast: it was so before we looked.
	CameAtLeast, GotAtLeast bool
	// Unseen: nothing was seen when it went, Gone is when we learnt of it.
	Unseen bool
	// Stayed: it did not go, but lost the lock. Its next span began then.
	Stayed bool
}

// Waited returns how long the span waited up to now, Held how long it held.
func (s *Span) Waited(now time.Time) time.Duration { return max(0, s.waits(now).Sub(s.Came)) }

// Held returns how long the span held up to now, 0 if it did not.
func (s *Span) Held(now time.Time) time.Duration {
	if s.Got.IsZero() {
		return 0
	}
	return max(0, EndOrNow(s.Gone, now).Sub(s.Got))
}

// waits is when the wait ended, or now.
func (s *Span) waits(now time.Time) time.Time {
	if !s.Got.IsZero() {
		return s.Got
	}
	return EndOrNow(s.Gone, now)
}

// WaitedWithin returns the part of a time in which the span waited, and whether there is any.
func (s *Span) WaitedWithin(from, to time.Time) (a, b time.Time, any bool) {
	return Within(s.Came, s.waits(time.Time{}), from, to)
}

// HeldWithin returns the part of a time in which the span held, and whether there is any.
func (s *Span) HeldWithin(from, to time.Time) (a, b time.Time, any bool) {
	if s.Got.IsZero() {
		return a, b, false
	}
	return Within(s.Got, s.Gone, from, to)
}

// Within returns the part of a time that lies in another, and whether there is any. The zero time as
// its end says that it goes on.
func Within(a, b, from, to time.Time) (_, _ time.Time, any bool) {
	if b.IsZero() || b.After(to) {
		b = to
	}
	if a.Before(from) {
		a = from
	}
	return a, b, b.After(a)
}

// EndOrNow is when something ended, now if it goes on.
func EndOrNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// Bounds of what a timeline keeps: spans in all, of some 200 bytes with their keys, and the part of
// them that one lock may have.
const (
	spansMax  = 500_000
	lockShare = 4
)

// Timeline keeps the last spans of all locks, as many as it may.
type Timeline struct {
	k       *locks.State
	max     int // spans
	size    int // spans that are kept, with the weight of their chunks
	lines   map[string]*line
	oldest  []oldest // the chunks of all lines, in the order in which they were begun
	loads   []load
	again   map[*locks.Claim]start // of those that held, and are there still without the lock
	dropped int                    // spans that gave way
	until   int64                  // the end of the last of them
	moments
}

// oldest is a chunk of a line.
type oldest struct {
	*chunk
	line   *line
	spared bool // it was the oldest once and still open
}

// start is when a span began, or earlier.
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
	size    int // as in Timeline
	held    int // how many got the lock
	dropped int
	until   int64 // the end of the last span that gave way
}

// New returns an empty timeline about a state of the locks, of at most so many spans; 0 is spansMax.
func New(k *locks.State, most int) *Timeline {
	if most <= 0 {
		most = spansMax
	}
	return &Timeline{k: k, max: most, lines: map[string]*line{}, again: map[*locks.Claim]start{}, moments: moments{late: map[model.LeaseID]bool{}, missed: map[string][]Mark{}}}
}

// SetMaxSpans makes the timeline keep so many spans at most from the next one on.
func (tl *Timeline) SetMaxSpans(most int) { tl.max = most }

// forget drops what was seen of another cluster. What the journal tells stays, as it does there.
func (tl *Timeline) forget() {
	old := tl.moments
	*tl = *New(tl.k, tl.max)
	tl.handovers, tl.lately = old.handovers, old.lately
	for _, m := range old.marks {
		if m.Entry != nil {
			tl.marks = append(tl.marks, m)
		}
	}
}

// Dropped returns how many spans gave way to later ones, and when the last of them ended.
func (tl *Timeline) Dropped() (n int, until time.Time) {
	if tl.dropped == 0 {
		return 0, time.Time{}
	}
	return tl.dropped, time.UnixMicro(tl.until).UTC()
}

// Since returns from when on the spans of a lock are whole: since the keys were listed, or
// since the last of its spans that gave way. Zero: nothing was listed yet.
func (tl *Timeline) Since(lock string) time.Time {
	gone := int64(math.MinInt64)
	if ln := tl.lines[lock]; ln != nil && ln.dropped > 0 {
		gone = ln.until
	} else if ln == nil && tl.dropped > 0 {
		gone = tl.until // of its spans, if it had any, nothing is left to tell
	}
	var since time.Time
	for _, x := range tl.loads {
		if strings.HasPrefix(lock+"/", x.prefix) && (since.IsZero() || x.at.Before(since)) {
			since = x.at
		}
	}
	if since.IsZero() || gone == math.MinInt64 || gone < since.UnixMicro() {
		return since
	}
	return time.UnixMicro(gone).In(since.Location())
}

// Start returns from when on there may be spans of any lock.
func (tl *Timeline) Start() time.Time {
	var start time.Time
	for _, x := range tl.loads {
		if start.IsZero() || x.at.Before(start) {
			start = x.at
		}
	}
	return start
}

// Apply takes in an event and what it changed.
func (tl *Timeline) Apply(e model.Event, changes []locks.Change) {
	tl.noteMoments(e)
	tl.Note(changes)
	unseen := false
	switch e := e.(type) {
	case model.Committed:
		if e.Past {
			return
		}
		unseen = !tl.k.Prefixes.UnseenSince(e).IsZero()
	case model.Listed:
		unseen = true
	case model.Loaded:
		unseen = true
		maps.DeleteFunc(tl.again, func(c *locks.Claim, _ start) bool { return tl.k.Keys.Claim(c.Key) != c })
		if !slices.ContainsFunc(tl.loads, func(x load) bool { return x.prefix == e.Prefix }) {
			tl.loads = append(tl.loads, load{e.Prefix, e.At})
		}
	case model.Lost:
		if e.Reason == model.LostCluster {
			tl.forget()
		}
		return
	case model.Slept:
		for c, x := range tl.again {
			tl.again[c] = start{x.at, true}
		}
		return
	default:
		return
	}
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case locks.Gone:
			if l := c.Lock; l != nil && l.Recipe().HasHolder {
				if x, ok := tl.going(c.Claim, l); ok {
					x.Gone, x.Unseen = c.At, unseen
					tl.end(l, &x)
				}
			}
			delete(tl.again, c.Claim)
		case locks.LetGo:
			x := Span{Claim: c.Hold.Claim, Got: c.Hold.Since, GotAtLeast: c.Hold.AtLeast, Gone: c.At, Unseen: unseen, Stayed: true}
			if x.Came, x.CameAtLeast = tl.BeganAt(c.Claim); !c.Lock.Recipe().WaitersVisible() {
				x.Came = x.Got
			}
			tl.end(c.Lock, &x)
			tl.again[c.Claim] = start{c.At, unseen}
		}
	}
}

// end writes a span that ended down.
func (tl *Timeline) end(l *locks.Lock, x *Span) {
	if below, ok := strings.CutPrefix(x.Claim.Key, l.Name+"/"); ok && brief(below) != below {
		x.Claim.Key = l.Name + "/" + brief(below)
	} else if !ok && x.Claim.Key != l.Name {
		x.Claim.Key = brief(x.Claim.Key)
	}
	if len(x.Claim.Value) > valueMax {
		x.Claim.Value = strings.Clone(x.Claim.Value[:valueMax])
	}
	tl.write(l.Name, *x, l.Behind())
}

// brief cuts the middle out of a key that nobody could read.
func brief(key string) string {
	const half = 512
	if len(key) <= 2*half+3 {
		return key
	}
	return key[:half] + "..." + key[len(key)-half:]
}

func (tl *Timeline) write(lock string, x Span, waiting int) {
	ln := tl.lines[lock]
	if ln == nil {
		ln = &line{name: lock}
		tl.lines[lock] = ln
	}
	if n := len(ln.chunks); n == 0 || ln.chunks[n-1].full() {
		c := &chunk{before: ln.held}
		ln.chunks = append(ln.chunks, c)
		tl.oldest = append(tl.oldest, oldest{chunk: c, line: ln})
		tl.pay(ln, chunkWeight)
	}
	c := ln.chunks[len(ln.chunks)-1]
	c.add(x)
	c.waiting = waiting
	ln.held = c.before + c.held
	tl.pay(ln, 1)
	for ln.size > tl.max/lockShare && len(ln.chunks) > 1 {
		tl.dropFirst(ln)
	}
	for tl.size > tl.max && len(tl.oldest) > 1 {
		tl.dropOldest(c)
	}
}

func (tl *Timeline) pay(ln *line, n int) { ln.size += n; tl.size += n }

// dropOldest makes room: the chunk that was begun first goes, unless it is open still and
// was not spared yet. The chunk that is being written stays.
func (tl *Timeline) dropOldest(writing *chunk) {
	o := tl.oldest[0]
	tl.oldest[0] = oldest{}
	tl.oldest = tl.oldest[1:]
	chunks := o.line.chunks
	switch {
	case len(chunks) == 0 || chunks[0] != o.chunk: // gone already, for its own lock
	case o.chunk == writing || !o.spared && o.chunk == chunks[len(chunks)-1]:
		o.spared = true
		tl.oldest = append(tl.oldest, o)
	default:
		tl.dropFirst(o.line)
	}
}

// dropFirst drops the oldest spans of a lock. The chunks of a line are in the same order as
// those of all: one that is spared is the last of its line.
func (tl *Timeline) dropFirst(ln *line) {
	c := ln.chunks[0]
	ln.chunks[0] = nil
	ln.chunks = ln.chunks[1:]
	tl.dropped += len(c.spans)
	ln.dropped += len(c.spans)
	ln.until, tl.until = max(ln.until, c.gone), max(tl.until, c.gone)
	tl.pay(ln, -c.weight())
	if len(ln.chunks) == 0 {
		delete(tl.lines, ln.name)
	}
}

// Spans yields the spans of a lock that touch a time, to not included: those that are over
// in the order of their ends, then those that go on, in the order of the queue.
func (tl *Timeline) Spans(lock string, from, to time.Time) func(yield func(*Span) bool) {
	return func(yield func(*Span) bool) {
		ok := true
		tl.spansBetween(lock, from.UnixMicro(), to.UnixMicro(), func(s Span) bool {
			ok = yield(&s)
			return ok
		})
		if ok {
			tl.present(lock, to, yield)
		}
	}
}

// reach is how long before a belief began its claim may have gone: a word comes later
// than the deed.
const reach = 10 * time.Second

// LastHold returns the last span by which a key, or if that is "" a lease, got the lock
// before a time and held it not long before another, nil for none.
func (tl *Timeline) LastHold(lock, key string, lease model.LeaseID, after, before time.Time) *Span {
	var found *Span
	match := func(s *Span) {
		if !s.Got.IsZero() && s.Got.Before(before) && (found == nil || found.Got.Before(s.Got)) {
			found = s
		}
	}
	tl.spansBetween(lock, after.Add(-reach).UnixMicro(), before.UnixMicro(), func(s Span) bool {
		if (lease == 0 || s.Claim.Lease == lease) && (key == "" || s.Claim.Key == key) {
			match(&s)
		}
		return true
	})
	if l := tl.k.Keys.Lock(lock); key != "" {
		if c := tl.k.Keys.Claim(key); c != nil && l != nil && c.Lock() == l && (lease == 0 || c.KV.Lease == 0 || c.KV.Lease == lease) {
			x, _ := tl.going(c, l)
			match(&x)
		}
	} else if x := tl.k.Leases.Lease(lease); x != nil {
		for _, c := range x.Claims() {
			if c.Lock() == l && l != nil {
				x, _ := tl.going(c, l)
				match(&x)
			}
		}
	}
	return found
}

// Last yields the spans of a lock that are over, the last one first.
func (tl *Timeline) Last(lock string) func(yield func(*Span) bool) {
	return func(yield func(*Span) bool) {
		ln := tl.lines[lock]
		if ln == nil {
			return
		}
		for _, c := range slices.Backward(ln.chunks) {
			for _, s := range slices.Backward(c.spans) {
				if !yield(&s) {
					return
				}
			}
		}
	}
}

// spansBetween yields the spans of a lock that are over and touch a time.
func (tl *Timeline) spansBetween(lock string, from, to int64, yield func(Span) bool) {
	ln := tl.lines[lock]
	if ln == nil {
		return
	}
	for _, c := range ln.chunks[ln.firstChunkAfter(from):] {
		if c.came >= to {
			continue
		}
		for i := range c.spans {
			if s := &c.spans[i]; s.touches(from, to) && !yield(*s) {
				return
			}
		}
	}
}

// firstChunkAfter is the first chunk with a span that ended at a time or later.
func (l *line) firstChunkAfter(at int64) int {
	i, _ := slices.BinarySearchFunc(l.chunks, at, func(c *chunk, at int64) int {
		if c.gone < at {
			return -1
		}
		return 1
	})
	return i
}

// present yields the spans that go on.
func (tl *Timeline) present(lock string, to time.Time, yield func(*Span) bool) {
	l := tl.k.Keys.Lock(lock)
	if l == nil || !l.Recipe().HasHolder {
		return
	}
	for c := range l.Claims {
		if !l.IsClaim(c) {
			continue
		}
		if x, ok := tl.going(c, l); ok && x.Came.Before(to) && !yield(&x) {
			return
		}
	}
}

// BeganAt returns when the span of a claim began that goes on: when the claim came, or when it
// lost the lock and stayed; atLeast if that was before we looked.
func (tl *Timeline) BeganAt(c *locks.Claim) (at time.Time, atLeast bool) {
	if x, ok := tl.again[c]; ok {
		return x.at, x.atLeast
	}
	return c.Since, c.SinceAtLeast
}

// going is the span of a claim that goes on, or did up to now; false where it neither holds
// nor waits: a key by itself outlives its holders.
func (tl *Timeline) going(c *locks.Claim, l *locks.Lock) (x Span, ok bool) {
	x.Claim = c.Ref()
	x.Came, x.CameAtLeast = tl.BeganAt(c)
	var holds bool
	if x.Got, x.GotAtLeast, holds = c.HeldSince(); !l.Recipe().WaitersVisible() {
		x.Came = x.Got // its key may have been another's before
		return x, holds
	}
	x.Came = x.Came.Truncate(time.Microsecond)
	return x, true
}

// Recent returns a moment since which about n spans of a lock ended up to another, no fewer
// if there are as many.
func (tl *Timeline) Recent(lock string, to time.Time, n int) time.Time {
	ln, last := tl.lines[lock], to.UnixMicro()
	if ln != nil {
		for _, c := range slices.Backward(ln.chunks) {
			if c.over > last {
				continue
			}
			if n -= len(c.spans); n <= 0 {
				return c.spans[0].Gone
			}
		}
	}
	return time.Time{}
}

// Ended returns when the last span of a lock ended that is over, false if none is kept.
func (tl *Timeline) Ended(lock string) (at time.Time, any bool) {
	ln := tl.lines[lock]
	if ln == nil {
		return at, false
	}
	c := ln.chunks[len(ln.chunks)-1]
	return c.spans[len(c.spans)-1].Gone, true
}

// Names yields the locks of which there is a past, in no order.
func (tl *Timeline) Names(yield func(string) bool) {
	for name := range tl.lines {
		if !yield(name) {
			return
		}
	}
}

package report

import (
	"io"
	"runtime"
	"sync"
	"time"

	"locktop/model/locks"
	"locktop/model/store"
)

const (
	// partClaims are in what a stream takes of a list at a time, and partBytes is what it
	// keeps of it: so much that the part before is mostly out by then.
	partClaims = 512
	partBytes  = 512 << 10
	streamsMax = 8 // who write a list together
)

// relay is a list of locks that several streams write together, in the order of the
// locks. Each takes the next few and writes them into memory of its own; once all before
// them are out it hands on what it has, and whatever else they make. So the list takes
// no more memory than the streams, however long a queue is.
type relay struct {
	w    io.Writer
	rest []*locks.Lock

	mu        sync.Mutex
	moved     sync.Cond // on mu: turn rose
	sentParts int       // parts that were taken
	turn      int       // which of them goes out
	err       error     // of the first that failed; also whose turn it is may look at it
}

// leg is a part that one stream has taken. It is where the stream writes to.
type leg struct {
	*relay
	number int
}

// Write waits for its turn.
func (g *leg) Write(b []byte) (int, error) {
	g.wait()
	if g.err != nil {
		return 0, g.err
	}
	return g.w.Write(b)
}

func (g *leg) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.turn != g.number {
		g.moved.Wait()
	}
}

// take returns the next locks, none at the end.
func (g *leg) take() []*locks.Lock {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for claims := 0; n < len(g.rest) && claims < partClaims; n++ {
		claims += max(1, g.rest[n].Len())
	}
	part := g.rest[:n]
	g.rest = g.rest[n:]
	g.number = g.sentParts
	g.sentParts++
	return part
}

// hand ends the part; err is what went wrong in it. It says whether there is any use in
// another one.
func (g *leg) hand(err error) (more bool) {
	g.wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	g.turn++
	g.moved.Broadcast()
	return g.err == nil
}

// run writes what is left of the locks, together with others that run. The first lock
// of all has nothing before it in the list.
func (r *relay) run(o *stream, s *store.View, first *locks.Lock, now time.Time) {
	g := &leg{relay: r}
	o.w = g
	for part := g.take(); len(part) > 0; part = g.take() {
		o.more = part[0] != first
		for _, l := range part {
			o.next()
			o.lock(s, l, now)
		}
		o.flush()
		if !g.hand(o.err) {
			return
		}
	}
}

// locks writes the list of locks into the list that is open.
func (o *stream) locks(s *store.View, locks []*locks.Lock, now time.Time) {
	o.flush()
	if len(locks) == 0 || o.err != nil {
		return
	}
	r := &relay{w: o.w, rest: locks}
	r.moved.L = &r.mu
	var wg sync.WaitGroup
	for range min(streamsMax, runtime.GOMAXPROCS(0), 1+len(locks)/partClaims) {
		wg.Go(func() {
			part := newStream(nil, o.indent, partBytes)
			part.at(o.depth)
			r.run(part, s, locks[0], now)
		})
	}
	wg.Wait()
	o.more, o.err = true, r.err
}

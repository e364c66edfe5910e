package cli

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
)

// guestBook bounds the connections of a port. Who was let in has a place, and nobody can take it who
// was not: strangers, who have not asked for anything that they may have, have a few of their own. One
// more of them takes the place of the oldest of the source that has most.
type guestBook struct {
	mu   sync.Mutex
	all  map[net.Conn]*visitor
	next uint64
}

// visitor is a connection. It is known once it was let in.
type visitor struct {
	conn        net.Conn
	source      string
	number      uint64 // of their coming
	known, idle bool
}

func newGuestBook() *guestBook { return &guestBook{all: map[net.Conn]*visitor{}} }

// source is the host from which a connection comes.
func source(c net.Conn) string {
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		return c.RemoteAddr().String()
	}
	return host
}

// state is told how a connection does.
func (b *guestBook) state(c net.Conn, s http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch s {
	case http.StateNew:
		b.next++
		b.all[c] = &visitor{conn: c, source: source(c), number: b.next}
		b.bound(strangersMax, func(g *visitor) bool { return !g.known })
	case http.StateActive, http.StateIdle:
		if g := b.all[c]; g != nil {
			g.idle = s == http.StateIdle
		}
	case http.StateClosed, http.StateHijacked:
		delete(b.all, c)
	}
}

// bound closes those of a kind that are too many: the oldest of the source that has most.
func (b *guestBook) bound(most int, of func(*visitor) bool) {
	count, all := map[string]int{}, 0
	for _, g := range b.all {
		if of(g) {
			count[g.source]++
			all++
		}
	}
	for ; all > most; all-- {
		var out *visitor
		for _, g := range b.all {
			if of(g) && (out == nil || count[g.source] > count[out.source] || count[g.source] == count[out.source] && g.number < out.number) {
				out = g
			}
		}
		if out == nil {
			return
		}
		count[out.source]--
		delete(b.all, out.conn)
		_ = out.conn.Close() // whoever serves it ends by that
	}
}

// connKey is under which a request has its connection.
type connKey struct{}

// context gives the requests of a connection that connection.
func (b *guestBook) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// admit notes that whoever asks may ask. Of those who rest the oldest go, if they are too many.
func (b *guestBook) admit(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			b.mu.Lock()
			if g := b.all[c]; g != nil {
				g.known, g.idle = true, false
			}
			b.bound(guestsMax, func(g *visitor) bool { return g.known && g.idle })
			b.bound(4*guestsMax, func(g *visitor) bool { return g.known })
			b.mu.Unlock()
		}
		to.ServeHTTP(w, r)
	})
}

// inTurn makes at most so many answers at a time, each whole before any of it is sent: who reads
// slowly keeps nobody else from his.
func inTurn(most int, to http.Handler) http.Handler {
	turns := make(chan struct{}, most)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turns <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		answer := &wholeAnswer{header: w.Header(), code: http.StatusOK}
		func() {
			defer func() { <-turns }()
			to.ServeHTTP(answer, r)
		}()
		w.WriteHeader(answer.code)
		_, _ = w.Write(answer.body.Bytes()) // who has gone needs none
	})
}

// wholeAnswer is an answer that is made.
type wholeAnswer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *wholeAnswer) Header() http.Header         { return a.header }
func (a *wholeAnswer) WriteHeader(code int)        { a.code = code }
func (a *wholeAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }

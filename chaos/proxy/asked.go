package proxy

import (
	"sync"
	"time"

	"locktop/model"
)

// askedEvery is how often the counts of a client are reported at most.
const askedEvery = 250 * time.Millisecond

// requestCounts counts what clients ask, for those who want to know. A nil one counts nothing.
type requestCounts struct {
	p *Proxy

	mu       sync.Mutex
	byClient map[string]*asker
	due      bool // a report is on its way
}

// asker is one client.
type asker struct {
	model.Asked
	woken    bool   // and it has written nothing since
	olderKey string // the key that it put last, behind an older one, and since then it has not watched
	news     bool   // it was not reported
}

func newRequestCounts(p *Proxy) *requestCounts {
	return &requestCounts{p: p, byClient: map[string]*asker{}}
}

// count counts something of the client of a call, if it is known for certain.
func (r *requestCounts) count(c *call, add func(*asker)) {
	if r == nil {
		return
	}
	who := c.conn.identity()
	if !who.Certain {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.byClient[who.Name]
	if a == nil {
		a = &asker{Asked: model.Asked{Client: who}}
		r.byClient[who.Name] = a
	}
	add(a)
	a.news = true
	if !r.due {
		r.due = true
		time.AfterFunc(askedEvery, r.report)
	}
}

// report tells what is new, unless the proxy was closed.
func (r *requestCounts) report() {
	r.mu.Lock()
	r.due = false
	now := r.p.now()
	var all []model.Asked
	for _, a := range r.byClient {
		if a.news {
			a.news, a.At = false, now
			all = append(all, a.Asked)
		}
	}
	r.mu.Unlock()
	for _, e := range all {
		if r.p.ctx.Err() == nil {
			r.p.report(e)
		}
	}
}

// call counts a call that is over, and what it wrote. Streams are counted by what passes in them.
func (r *requestCounts) call(c *call, wrote []model.Wrote) {
	if c.method == methodKeepAlive || c.method == methodWatch {
		return
	}
	r.count(c, func(a *asker) {
		switch c.method {
		case methodTxn:
			a.Txns++
			switch {
			case c.held.Load():
				if a.woken, a.olderKey = false, ""; c.readOlder.Load() && len(wrote) > 0 {
					a.olderKey = wrote[0].Key
				}
			case c.failed.Load():
				a.Vain++
			}
		case "KV/Range":
			a.Gets++
		case "KV/Put", methodDelete:
			a.Writes++
			a.woken = false
			if len(wrote) > 0 && wrote[0].Delete && wrote[0].Key == a.olderKey { // a try-lock
				a.Vain, a.olderKey = a.Vain+1, ""
			}
		default:
			a.Others++
		}
	})
}

func (r *requestCounts) renews(c *call) { r.count(c, func(a *asker) { a.Renewals++ }) }

func (r *requestCounts) wakes(c *call) {
	r.count(c, func(a *asker) { a.Woken, a.woken = a.Woken+1, true })
}

func (r *requestCounts) watches(c *call) {
	r.count(c, func(a *asker) {
		a.Watches++
		a.olderKey = ""
		if a.woken {
			a.Idle, a.woken = a.Idle+1, false
		}
	})
}

// forget drops a client that went.
func (r *requestCounts) forget(client string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byClient, client)
}

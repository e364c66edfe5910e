package proxy

import (
	"sync"
	"time"

	"locktop/model"
)

// askedEvery is how often the counts of a client are reported at most.
const askedEvery = 250 * time.Millisecond

// tally counts what clients ask, for those who want to know. A nil one counts nothing.
type tally struct {
	p *Proxy

	mu  sync.Mutex
	of  map[string]*asker
	due bool // a report is on its way
}

// asker is one client.
type asker struct {
	model.Asked
	woken  bool   // and it has written nothing since
	behind string // the key that it put last, behind an older one, and since then it has not watched
	news   bool   // it was not reported
}

func newTally(p *Proxy) *tally { return &tally{p: p, of: map[string]*asker{}} }

// count counts something of the client of a call, if it is known for certain.
func (t *tally) count(c *call, add func(*asker)) {
	if t == nil {
		return
	}
	who := c.conn.who()
	if !who.Certain {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of[who.Name]
	if a == nil {
		a = &asker{Asked: model.Asked{Client: who}}
		t.of[who.Name] = a
	}
	add(a)
	a.news = true
	if !t.due {
		t.due = true
		time.AfterFunc(askedEvery, t.report)
	}
}

// report tells what is new, unless the proxy was closed.
func (t *tally) report() {
	t.mu.Lock()
	t.due = false
	now := t.p.now()
	var all []model.Asked
	for _, a := range t.of {
		if a.news {
			a.news, a.At = false, now
			all = append(all, a.Asked)
		}
	}
	t.mu.Unlock()
	for _, e := range all {
		if t.p.ctx.Err() == nil {
			t.p.report(e)
		}
	}
}

// call counts a call that is over, and what it wrote. Streams are counted by what passes in them.
func (t *tally) call(c *call, wrote []model.Wrote) {
	if c.method == methodKeepAlive || c.method == methodWatch {
		return
	}
	t.count(c, func(a *asker) {
		switch c.method {
		case methodTxn:
			a.Txns++
			switch {
			case c.held.Load():
				if a.woken, a.behind = false, ""; c.behind.Load() && len(wrote) > 0 {
					a.behind = wrote[0].Key
				}
			case c.failed.Load():
				a.Vain++
			}
		case "KV/Range":
			a.Gets++
		case "KV/Put", methodDelete:
			a.Writes++
			a.woken = false
			if len(wrote) > 0 && wrote[0].Delete && wrote[0].Key == a.behind { // a try-lock
				a.Vain, a.behind = a.Vain+1, ""
			}
		default:
			a.Others++
		}
	})
}

func (t *tally) renews(c *call) { t.count(c, func(a *asker) { a.Renewals++ }) }

func (t *tally) wakes(c *call) { t.count(c, func(a *asker) { a.Woken, a.woken = a.Woken+1, true }) }

func (t *tally) watches(c *call) {
	t.count(c, func(a *asker) {
		a.Watches++
		a.behind = ""
		if a.woken {
			a.Idle, a.woken = a.Idle+1, false
		}
	})
}

// forget drops a client that went.
func (t *tally) forget(client string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, client)
}

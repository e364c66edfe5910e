package lockspage

import (
	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
	"locktop/ui/table"
)

// Lines of a queue from which it shows lanes: as a page, and as the pane of one.
const (
	lanesFrom = 12
	lanesPane = 7
)

// queuePage is the queue of one lock.
type queuePage struct {
	page.Usual
	queue *QueuePane
}

func (p *queuePage) About() page.About {
	return page.About{Title: "Queue", Inner: true, Targets: true, Shows: page.ShowRow | page.ShowQueue}
}

func (p *queuePage) Keys() []page.Key {
	return append(page.AxisKeys(page.LockEvents), journalOfLock,
		page.Key{Keys: []string{"enter"}, Group: page.KeysThatOpen, Short: "open", What: "open the session of the key, or what is wrong with one that has none", Do: p.open})
}

// open shows the session of what is selected; a key without a lease has none, but what is
// found about it.
func (p *queuePage) open(f page.Frame) page.Request {
	t := p.Target(f)
	if t.Claim != nil && t.Claim.KV.Lease != 0 {
		return page.Request{Show: page.ShowSession, Lease: t.Claim.KV.Lease}
	}
	if x, _ := p.Finding(f); x != nil {
		return page.Request{Show: page.ShowFinding, Finding: x}
	}
	return page.Request{Why: "the selected item has no session, and no problem was found on it"}
}

func (p *queuePage) Paint(f page.Frame, w, h int) []string {
	if text := page.NoLocks(f, w); text != nil {
		return draw.Fill(text, w, h)
	}
	p.queue.whole = true
	return p.queue.lines(f, w, h, true, h >= lanesFrom)
}

func (p *queuePage) Move(f page.Frame, n int)     { p.queue.move(f.S, p.queue.Pick.Place+n) }
func (p *queuePage) Step() int                    { return p.queue.Table.Step() }
func (p *queuePage) Click(f page.Frame, _, y int) { p.queue.click(f.S, y) }

func (p *queuePage) Target(f page.Frame) page.Target {
	t := p.queue.target(f)
	t.Unchosen = !p.queue.Pick.Pinned
	return t.OfClient(f.S)
}

func (p *queuePage) Finding(f page.Frame) (*model.Finding, string) { return p.Target(f).Finds(f, true) }

func (p *queuePage) Commands(f page.Frame) (string, []string) { return p.Target(f).Commands(f, nil) }

// Show shows the queue of a lock, with the cursor on the claim that was asked for.
func (p *queuePage) Show(f page.Frame, r page.Request) {
	switch {
	case r.Show == page.ShowRow:
		f.Locks.Reveal(f.S, r.Lock)
	case r.Lock != f.Locks.Pick.ID:
		f.Locks.Choose(r.Lock)
	}
	f.Locks.Pick.Pinned = true
	p.queue.show(r.Lock)
	if l := f.S.Lock(r.Lock); r.Claim != nil && r.Claim.Lock() == l {
		p.queue.move(f.S, l.Place(r.Claim))
	}
}

// Back goes back to now.
func (p *queuePage) Back(f page.Frame) bool { return f.Axis.Now() }

func (p *queuePage) Spot() string                     { return p.queue.Lock }
func (p *queuePage) Return(_ page.Frame, lock string) { p.queue.show(lock) }

func (p *queuePage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"queue": &p.queue.Table}
}
func (p *queuePage) Focus(page.Frame) (name, why string) { return "queue", "" }

// journalOfLock is a key of the pages that show one lock.
var journalOfLock = page.Key{Keys: []string{"f"}, Group: page.KeysOfLists, Short: "journal", What: "the journal of this lock alone", Some: true,
	Do: func(f page.Frame) page.Request { return page.Request{Show: page.ShowJournal, Lock: f.Locks.Pick.ID} }}

package page

import (
	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// Lines of a queue from which it shows lanes: as a page, and as the pane of one.
const (
	lanesFrom = 12
	lanesPane = 7
)

// queuePage is the queue of one lock.
type queuePage struct {
	Usual
	queue *QueuePane
	low   bool // there is no room for lanes
}

// whyNoAxis says why there is no picture in time to move, "" if there is one.
func (p *queuePage) whyNoAxis() model.MessageID {
	if p.low {
		return "there-is-no-room-for-lanes"
	}
	return ""
}

func (p *queuePage) About() About {
	return About{Title: "Queue", Label: "page-queue", Inner: true, Targets: true, Shows: ShowRow | ShowQueue}
}

func (p *queuePage) Keys() []Key {
	return append(axisKeys(lockEvents, p.whyNoAxis), journalOfLock,
		Key{Keys: []string{"enter"}, Group: KeysThatOpen, Short: "key-open", What: "open-the-session-of-the-key", Do: p.open})
}

// open shows the session of what is selected; a key without a lease has none, but what is
// found about it.
func (p *queuePage) open(f Frame) Request {
	t := p.Target(f)
	if t.Claim != nil && t.Claim.KV.Lease != 0 {
		return Request{Show: ShowSession, Lease: t.Claim.KV.Lease}
	}
	if x, _ := p.Finding(f); x != nil {
		return Request{Show: ShowFinding, Finding: x}
	}
	return Request{Why: f.Th.Say("the-selected-item-has-no-session-and")}
}

func (p *queuePage) Paint(f Frame, w, h int) []string {
	if text := noLocks(f, w); text != nil {
		return draw.Fill(text, w, h)
	}
	p.queue.whole, p.queue.factual, p.low = true, false, h < lanesFrom
	return p.queue.lines(f, w, h, true, h >= lanesFrom)
}

func (p *queuePage) Move(f Frame, n int) { p.queue.move(f.S, p.queue.Pick.Place+n) }
func (p *queuePage) Step() int           { return p.queue.Table.Step() }

func (p *queuePage) Click(f Frame, x, y int) bool {
	_, row := p.queue.click(f.S, x, y)
	return row
}

func (p *queuePage) Target(f Frame) Target {
	t := p.queue.target(f)
	t.Unchosen = !p.queue.Pick.Pinned
	return t.OfClient(f)
}

func (p *queuePage) Finding(f Frame) (*model.Finding, string) {
	return p.Target(f).WorstFinding(f, true)
}

func (p *queuePage) Commands(f Frame) (string, []string) { return p.Target(f).Commands(f, nil) }

// Show shows the queue of a lock, with the cursor on the claim that was asked for.
func (p *queuePage) Show(f Frame, r Request) {
	switch {
	case r.Show == ShowRow:
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
func (p *queuePage) Back(f Frame) bool { return f.Axis.Now() }

func (p *queuePage) Spot() string                { return p.queue.Lock }
func (p *queuePage) Return(_ Frame, lock string) { p.queue.show(lock) }

func (p *queuePage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"queue": &p.queue.Table}
}
func (p *queuePage) Focus(Frame) (name, why string) { return "queue", "" }

// journalOfLock is a key of the pages that show one lock.
var journalOfLock = Key{Keys: []string{"f"}, Group: KeysOfLists, Short: "key-journal", What: "the-journal-of-this-lock-alone", Some: true,
	Do: func(f Frame) Request { return Request{Show: ShowJournal, Lock: f.Locks.Pick.ID} }}

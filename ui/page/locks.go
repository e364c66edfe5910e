package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// calmLock says whether the row of a lock may count in steps.
func calmLock(f table.View, l *locks.Lock) bool {
	held, _ := l.HeldFor(f.Now)
	longest, _, waits := l.LongestWait(f.Now)
	return held >= CalmFrom && (!waits || longest >= CalmFrom) && quietLease(l.Head().LeaseInfo()) && !status.ConditionOf(f.S, l).Trouble()
}

// locksPage is the table of locks and, where there is room, the queue of the selected one.
type locksPage struct {
	Usual
	Table table.Table
	locks *LockList
	Queue *QueuePane
	pane  int  // lines of the queue, 0 if it has no room
	rows  int  // lines above it
	has   part // which part has the keyboard

	holder int // the cells of the longest name of a holder that was cut
}

// part is a part of the page.
type part int

const (
	theTable part = iota
	theQueue
	theFacts // what happened
	parts
)

// newLocks returns the page of all locks and that of one queue, which the first one shows too, as
// far as there is room.
func newLocks(locks *LockList) (all, one Page) {
	queue := newQueuePane()
	return &locksPage{Table: table.New(LockCells.Columns(), true), locks: locks, Queue: queue}, &queuePage{queue: queue}
}

func (p *locksPage) About() About {
	return About{Title: "Locks", Label: "page-locks", Go: "go-to-locks", Targets: true, Shows: ShowRow}
}

func (p *locksPage) Keys() []Key {
	return append(axisKeys(lockEvents, p.whyNoAxis), []Key{
		{Keys: []string{"enter"}, Group: KeysThatOpen, Short: "key-open", What: "open-the-queue-of-the-lock", Some: true, Do: p.open},
		{Keys: []string{"tab"}, Group: KeysOfParts, Short: "key-pane", What: "to-the-next-pane", Why: p.whyNoPane, Do: p.turn(1)},
		{Keys: []string{"shift+tab"}, Group: KeysOfParts, What: "to-the-list-before", Why: p.whyNoPane, Do: p.turn(-1)},
		{Keys: []string{"s"}, Group: KeysOfLists, Short: "key-sort", What: "sort-by-the-next-column",
			Do: func(Frame) Request {
				p.sortBy(p.locks.Order.By%(SortCount-1) + 1)
				return Request{}
			}},
		{Keys: []string{"S"}, Group: KeysOfLists, What: "reverse-sort", Do: func(Frame) Request { p.sortBy(p.locks.Order.By); return Request{} }},
		{Keys: []string{"t"}, Group: KeysOfLists, What: "group-the-locks-by-prefix", Do: func(Frame) Request { p.locks.Group(); return Request{} }},
		{Keys: []string{"f"}, Group: KeysOfLists, Short: "key-journal", What: "what-happened-to-all-or-one", Some: true, Why: p.whyNoPane, Do: p.turnFacts},
	}...)
}

// turn gives the keyboard to the next part of the page, or the one before. Whether what happened has
// room while it has the keyboard is seen when it is painted.
func (p *locksPage) turn(by part) func(Frame) Request {
	return func(Frame) Request {
		p.has = (p.has + by + parts) % parts
		return Request{}
	}
}

// turnFacts goes from what happened to all locks to what happened to one, that of the line if a person
// is there, and back.
func (p *locksPage) turnFacts(f Frame) Request {
	if p.has == theFacts && p.Queue.all {
		l, why := p.Queue.facts.lockOf(f)
		if l == nil {
			return Request{Why: why}
		}
		p.locks.Choose(l.Name)
	}
	p.Queue.turned = !p.Queue.turned
	return Request{}
}

// whyNoAxis says why there is no picture in time to move, "" if there is one.
func (p *locksPage) whyNoAxis() model.MessageID {
	if p.pane < lanesPane {
		return "there-is-no-room-for-lanes-beside"
	}
	return ""
}

func (p *locksPage) sortBy(k table.SortKey) { p.locks.SortBy(k) }

// Paint returns the lines of the table, and of the queue under it.
func (p *locksPage) Paint(f Frame, w, h int) []string {
	f.UpdateLocks()
	p.rows, p.pane = LockShares(h, p.locks.Len(), f.Lesson, f.eventless())
	if p.pane == 0 {
		p.has = theTable
	}
	if text := noLocks(f, w); text != nil {
		return draw.Fill(text, w, h)
	}
	if p.locks.Len() == 0 && p.Filter() != "" {
		return draw.Fill(f.Th.OnlyText(w, draw.Paragraph{}, draw.Paragraph{St: draw.Dim, Lead: "  ", Text: f.Th.Say("no-lock-fits", p.Filter())}), w, h)
	}
	apart := 0
	if p.pane > 0 && f.Height >= TallFrom && p.locks.Len() >= p.rows-1 { // a full table does not touch what is under it
		apart = 1
	}
	lines := append(p.list(f, w, p.rows-apart), slices.Repeat([]string{draw.Blank(w)}, apart)...)
	p.Queue.show(p.locks.Pick.ID)
	if p.pane > 0 {
		p.Queue.whole, p.Queue.factual = false, p.has == theFacts
		lines = append(lines, p.Queue.lines(f, w, p.pane, p.has == theQueue, p.pane >= lanesPane)...)
		if p.has == theFacts && p.Queue.factsAt == 0 { // it has no room any more
			p.has = theTable
		}
	}
	return lines
}

// paneFrom is how many lines of the page there are from which it shows a queue.
const paneFrom = 12

// paneLeast is how many lines the queue has at least where a few locks leave them on a low page.
const paneLeast = 3

// lessonQueue is from how many lines on the queue has room beside a lesson, which tells of few locks.
const lessonQueue = 6

// rowsStep is by how many rows the table of locks grows from rowsExact on, so that what is under it
// does not move with each lock that comes. Fewer have the rows that they need.
const (
	rowsStep  = 4
	rowsExact = 8
)

// paneMost is how many lines the queue has under a table that could take more of them.
const paneMost = 18

// Nothing happens where one looked for so long and the journal has fewer lines than this.
const (
	eventlessFrom  = 5 * time.Second
	eventlessLines = 4
)

// eventless says whether there is nothing to tell yet of what happened: what it has no lines for is the
// table's then. The journal only grows, so this changes twice at most.
func (f Frame) eventless() bool {
	start := f.S.Timeline().Start()
	return !start.IsZero() && f.Now.Sub(start) >= eventlessFrom && len(f.S.Journal()) < eventlessLines
}

// LockShares divides the page between its table of n locks and the queue under it. The
// table takes the rows that it needs, half of the page at most, and a blank line; more where nothing
// happens that the queue could tell of. On a low page the queue has what a table that is all in sight leaves.
func LockShares(h, n int, lesson, eventless bool) (rows, pane int) {
	least := paneFrom
	need := n
	if n > rowsExact {
		need = (n + rowsStep - 1) / rowsStep * rowsStep
	}
	most := max(h/2, h-paneMost)
	if eventless {
		most = max(most, h-paneFrom)
	}
	rows = min(most, 2+need)
	if lesson {
		rows = min(n+2, TableLeast)
		least = rows + lessonQueue
	}
	if low := 1 + n; h < least && !lesson && n > 0 && h-low >= paneLeast { // all locks are in sight anyway
		return low, h - low
	}
	if h < least || lesson && n == 0 {
		return h, 0
	}
	return rows, h - rows
}

// Cells of a holder's name: what its column has anyway, and what it takes of others at most.
const (
	holderFair = 11
	holderMost = 18
)

// marksCells is what a bookmark and a mark take beside the name of a lock.
const marksCells = 4

// list returns the lines of the table.
func (p *locksPage) list(f Frame, w, h int) []string {
	f.HolderCut = &p.holder
	f.Lane = func(l *locks.Lock, now time.Time, cells int) []draw.Span {
		return f.Axis.LastMinute(f.View, l, now, cells)
	}
	now := ""
	if timeline.Full(f.S.Timeline().Start(), f.Now) {
		now = f.Th.Say("now")
	}
	p.Table.Rename("title-last-minute", f.Th.Message(timeline.LastSeen(f.S.Timeline().Start(), f.Now)), now)
	p.Table.SortBy(p.locks.Order.By)
	p.Table.Bound("title-lock", p.locks.Order.Longest+marksCells)
	if p.holder > 0 && w >= namedFrom {
		p.Table.Claim("title-holder", min(max(p.holder, holderFair), holderMost))
	}
	p.Table.Fit(w, h, f.Th)
	n, pick := p.locks.Len(), &p.locks.Pick
	p.Table.Reveal(pick.Place, n)
	lines := []string{p.Table.Head(p.locks.Order.By, p.locks.Order.Reversed)}
	l := table.Look{Cursor: pick.Place, Keys: p.has == theTable}
	return p.Table.Paint(lines, n, l, p.locks.id, func(i int, r *table.Row) {
		x, v := p.locks.row(i), f.View
		v.Under = x.indented
		lock := f.S.Lock(x.name)
		switch {
		case x.group != nil:
			groupRow(v, x.group, p.locks.groups.open[x.group.prefix], r)
		case lock == nil:
			LockCells.GoneRow(f.Th.CutPath(f.Th.Clean(x.name), r.Room()), r)
		case i != l.Cursor && calmLock(v, lock):
			LockRow(inSteps(v), lock, r)
		default:
			LockRow(v, lock, r)
		}
	})
}

func (p *locksPage) Move(f Frame, n int) {
	switch p.has {
	case theTable:
		p.locks.Move(p.locks.Pick.Place+n, f.Now)
	case theQueue:
		p.Queue.move(f.S, p.Queue.Pick.Place+n)
	case theFacts:
		p.Queue.facts.selectEntry(p.Queue.facts.cursor() + n)
	}
}

func (p *locksPage) Step() int {
	switch p.has {
	case theQueue:
		return p.Queue.Table.Step()
	case theFacts:
		return max(1, p.Queue.facts.height-1)
	}
	return p.Table.Step()
}

// Point gives the keyboard to the part of the page that has that line.
func (p *locksPage) Point(y int) {
	switch {
	case p.pane == 0 || y < p.rows:
		p.has = theTable
	case p.Queue.factsAt > 0 && y >= p.rows+p.Queue.factsAt:
		p.has = theFacts
	default:
		p.has = theQueue
	}
}

// Click selects a row, and a click on a title sorts by it.
func (p *locksPage) Click(f Frame, x, y int) bool {
	if q := p.Queue; p.pane > 0 && y >= p.rows {
		if q.factsAt > 0 && q.facts.click(y-p.rows-q.factsAt) {
			p.has = theFacts
			return true
		}
		i, row := q.click(f.S, x, y-p.rows)
		if i >= 0 {
			p.has = theQueue
		}
		return row
	}
	if y == 0 {
		if c := p.Table.ColumnAt(x); c >= 0 && LockCells[c].Sort != table.SortNone {
			p.sortBy(LockCells[c].Sort)
		}
		return false
	}
	i, row := p.Table.Pick(x, y, p.locks.Len())
	if i >= 0 {
		p.has = theTable
		p.locks.Move(i, f.Now)
	}
	return row
}

func (p *locksPage) whyNoPane() model.MessageID {
	if p.pane == 0 {
		return "there-is-no-room-for-the-queue"
	}
	return ""
}

func (p *locksPage) Empty() bool { return len(p.locks.Order.IDs) == 0 }

// Target is the first claim of the selected lock, or the one selected in its queue.
func (p *locksPage) Target(f Frame) Target {
	p.Queue.show(p.locks.Pick.ID)
	if p.has == theFacts {
		return p.Queue.facts.target(f).OfClient(f)
	}
	if p.has == theTable && p.locks.group != "" {
		return Target{Why: f.Th.Say("a-prefix-is-selected")}
	}
	t := p.Queue.target(f)
	if p.has == theTable && t.Lock != nil {
		t.Claim, t.LockOnly, t.Unchosen = t.Lock.Head(), true, true
	}
	return t.OfClient(f)
}

func (p *locksPage) Finding(f Frame) (*model.Finding, string) {
	if p.has == theFacts {
		return p.Queue.facts.finding(f)
	}
	return p.Target(f).WorstFinding(f, p.has == theQueue)
}

// Lock is the selected one, or that of the line of what happened.
func (p *locksPage) Lock(f Frame) Request {
	if p.has == theFacts {
		return p.Queue.facts.open(f)
	}
	return p.Usual.Lock(f)
}

// open opens the queue of the lock, or a group of locks.
func (p *locksPage) open(f Frame) Request {
	if p.has == theTable && p.locks.toggle() {
		return Request{}
	}
	return p.Lock(f)
}

func (p *locksPage) Commands(f Frame) (string, []string) { return p.Target(f).Commands(f, nil) }

func (p *locksPage) Show(f Frame, r Request) {
	p.locks.Reveal(f.S, r.Lock)
	p.Queue.show(r.Lock)
}

func (p *locksPage) Back(f Frame) bool {
	if f.Axis.Now() {
		return true
	}
	if p.Filter() != "" {
		p.SetFilter("")
	} else {
		p.has, p.Queue.Pick = theTable, Selection{}
	}
	return true
}

func (p *locksPage) Spot() string { return p.locks.Pick.ID }

func (p *locksPage) Return(_ Frame, name string) {
	if name != "" && name != p.locks.Pick.ID {
		p.locks.Choose(name)
	}
}

func (p *locksPage) Filter() string { return p.locks.Order.Filter }

func (p *locksPage) SetFilter(text string) {
	if p.locks.SetFilter(text) {
		p.Table.Top = 0
	}
}

func (p *locksPage) Hits() model.Message {
	return Hits(p.Filter(), model.Say("of-locks", draw.Counted(len(p.locks.Order.IDs)), draw.Counted(p.locks.Order.Total)))
}

func (p *locksPage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"locks": &p.Table, "queue": &p.Queue.Table}
}

func (p *locksPage) Focus(f Frame) (name, why string) {
	switch p.has {
	case theQueue:
		return "queue", ""
	case theFacts:
		return "", f.Th.Say("what-happened-has-no-columns")
	}
	return "locks", ""
}

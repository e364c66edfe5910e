package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"

	"locktop/ui/draw"
	"locktop/ui/table"
)

// Page is one page of the console. It knows no other page and not the console around
// it. What it needs comes with the frame; what another page would show it asks for with
// a [Request].
type Page interface {
	// About says what the page is called and what it is for.
	About() About
	// Keys are those that only this page has, beside those of every page.
	Keys() []Key
	// Paint returns h lines of w cells each.
	Paint(f Frame, w, h int) []string
	// Move moves the cursor by n rows. Step is how many a screen has.
	Move(f Frame, n int)
	Step() int
	// Click selects what stands in a cell of the page, and says whether that is a row of a list.
	Click(f Frame, x, y int) (row bool)
	// Empty says that there is nothing to select.
	Empty() bool
	// Target is what an action would be done to.
	Target(f Frame) Target
	// Lock is the lock to which the selected thing leads, and its claim there if it is
	// one claim that was selected.
	Lock(f Frame) Request
	// Finding is the worst one about what is selected, or why there is none.
	Finding(f Frame) (x *model.Finding, why string)
	// Commands are the lines of etcdctl that show the same by hand.
	Commands(f Frame) (about string, lines []string)
	// Show selects what was asked for, one of what the page says it shows.
	Show(f Frame, r Request)
	// Back takes back the last thing that was set, and says whether there was any.
	Back(f Frame) bool
	// Spot is where one is on the page, and Return goes there.
	Spot() string
	Return(f Frame, spot string)
}

// What only some pages have.
type (
	// Filtered is a page whose rows can be filtered. Hits says how many are left.
	Filtered interface {
		Filter() string
		SetFilter(text string)
		Hits() model.Message
	}
	// Tabled is a page with tables whose columns can go. Focus names the one that has
	// the keyboard, or says why it has none.
	Tabled interface {
		Tables() map[string]*table.Table
		Focus(f Frame) (name, why string)
	}
	// InPieces is a page with so many rows that it puts them in order in pieces. Rank
	// does the next one, and says whether that changes what is shown.
	InPieces interface {
		Ranks(f Frame) bool
		Rank(f Frame) bool
	}
	// Split is a page with two parts one above the other. Point gives the keyboard to
	// the one that has that line.
	Split interface{ Point(y int) }
)

// About is what the console has to know of a page.
type About struct {
	// Title is its name, which a person may type; Label is how the screen calls it in its language,
	// and Go what its digit does.
	Title     string
	Label, Go model.MessageID
	// Inner pages are opened from another one; the others have a digit.
	Inner bool
	// Targets: what is selected there can be broken, or faults be done to it.
	Targets bool
	Shows   Things
	// SaysFilter: its title says by what the rows are filtered.
	SaysFilter bool
	// First are the keys that the footer shows first, nil for the usual ones.
	First []string
}

// Things are kinds of what a page can show.
type Things uint

// Kinds of what can be asked for.
const (
	ShowRow     Things = 1 << iota // a lock among the others
	ShowQueue                      // the queue of a lock
	ShowSession                    // a lease
	ShowFinding
	ShowJournal // of one lock
	ShowOutput  // of a program
	ShowContender
)

// Request asks for something to be shown, on whatever page shows it.
type Request struct {
	Show    Things // one of them, 0 for nothing
	Lock    string
	Claim   *locks.Claim // in the queue of the lock, nil for none of them
	Lease   model.LeaseID
	Finding *model.Finding
	Program string // whose output, "" for all; or the contender
	Why     string // why there is nothing to show
	// Replaces: on the page where one is already, what is shown takes the place of what was, and
	// there is no way back to that.
	Replaces bool
}

// Key is a key of a page alone. Pages that have the same key for the same share a
// row of the table of keys.
type Key struct {
	Keys  []string
	Group KeyGroup
	Short model.MessageID // for the footer, "" for not in it
	What  model.MessageID
	Some  bool                   // it does nothing on an empty page
	Why   func() model.MessageID // why it does nothing now, "" if it works; nil for always
	Do    func(f Frame) Request
	// Act, in the place of Do, asks for an action, or says why there is nothing to do.
	Act   func(f Frame) (a model.Action, why string)
	Kind  model.ActionKind
	Needs string
	Fold  Fold
}

// Fold is how help says several keys that stand side by side in one row; the zero value: each by
// itself.
type Fold struct {
	Keys string
	What model.MessageID
}

// queueOf is the key of a page that leads to a lock.
func queueOf(lock func(Frame) Request) Key {
	return Key{Keys: []string{"enter"}, Group: KeysThatOpen, Short: "key-lock", What: "jump-to-the-queue-of-the", Some: true, Do: lock}
}

// NeedsLab says of a key that it works in a lab only.
const NeedsLab = "own lab, or proxy --armed"

// KeyGroup says where among the keys of every page those of one stand.
type KeyGroup int

// Groups of keys.
const (
	KeysThatOpen KeyGroup = iota
	KeysOfParts
	KeysOfLists
	KeysThatAct
)

// Usual is the page that has nothing of what not every page has: a page embeds it, and writes
// only what it has.
type Usual struct{}

// Keys are none.
func (Usual) Keys() []Key { return nil }

// Click selects nothing.
func (Usual) Click(Frame, int, int) bool { return false }

// Empty says that there is something to select.
func (Usual) Empty() bool { return false }

// Target is nothing.
func (Usual) Target(Frame) Target { return Target{} }

// Show selects nothing.
func (Usual) Show(Frame, Request) {}

// Back takes nothing back.
func (Usual) Back(Frame) bool { return false }

// Spot is nowhere in particular.
func (Usual) Spot() string { return "" }

// Return goes nowhere.
func (Usual) Return(Frame, string) {}

// Lock is the lock that is selected among all.
func (Usual) Lock(f Frame) Request {
	if f.Locks.Pick.ID == "" {
		return Request{Why: f.Th.Say("no-lock-to-open-yet")}
	}
	return Request{Show: ShowQueue, Lock: f.Locks.Pick.ID}
}

// Finding is the worst one about the lock that is selected among all.
func (Usual) Finding(f Frame) (*model.Finding, string) {
	return findingAbout(f, f.S.Lock(f.Locks.Pick.ID))
}

// Commands show the cluster.
func (Usual) Commands(f Frame) (string, []string) { return f.Th.Say("the-cluster"), clusterCommands }

// Target is what an action would be done to.
type Target struct {
	Action model.Action
	Lock   *locks.Lock
	Claim  *locks.Claim
	// LockOnly: the lock is selected, and Claim is only what stands first in it.
	LockOnly bool
	// Unchosen: nobody chose Claim, it is what stands first.
	Unchosen bool
	// Finding is the one that is selected, nil on other pages.
	Finding *model.Finding
	// Other is what else faults can be done to: a member, a client.
	Other Subject
	// Why there is no contender, if there is none.
	Why string
}

// Complete names in the action what the target is.
func (t Target) Complete() Target {
	if t.Lock != nil {
		t.Action.Lock = t.Lock.Name
		if r := t.Lock.Recipe(); r.ByName() {
			t.Action.Recipe = r.Name
		}
	}
	if c := t.Claim; c != nil {
		t.Action.Key, t.Action.CreateRev, t.Action.Lease = c.Key, c.CreateRev, c.KV.Lease
	}
	return t
}

// OfClient finds the contender that the claim of a target belongs to.
func (t Target) OfClient(f Frame) Target {
	var ref model.ClaimRef
	switch {
	case t.Claim != nil:
		ref = draw.Brief(t.Claim.Ref())
	case t.Finding != nil && t.Finding.Lease != 0:
		ref.Lease = t.Finding.Lease // of a claim that is gone
	default:
		t.Why = f.Th.Say("no-claim-is-selected")
		return t
	}
	if id := f.S.Identity(ref); id.Source == "proxy" {
		t.Action.Contender = id.Text
		return t
	}
	t.Why = f.Th.Say("the-claims-owner-is-not-known")
	return t
}

// ToLock asks for the queue of the lock of a target.
func (t Target) ToLock(f Frame) Request {
	if t.Lock == nil {
		return Request{Why: f.Th.Say("no-lock-belongs-to-this")}
	}
	return Request{Show: ShowQueue, Lock: t.Lock.Name, Claim: t.Claim}
}

// Commands are the lines of etcdctl about a target, after some others.
func (t Target) Commands(f Frame, lines []string) (about string, all []string) {
	if t.Lock == nil {
		return f.Th.Say("the-cluster"), clusterCommands
	}
	lines = append(lines[:len(lines):len(lines)], t.Lock.Etcdctl()...)
	if c := t.Claim; c != nil && c != t.Lock.Head() && c.KV.Lease != 0 {
		lines = append(lines, c.KV.Lease.Etcdctl())
	}
	return f.Th.Clean(t.Lock.Name), lines
}

// clusterCommands show how the cluster is.
var clusterCommands = []string{"etcdctl endpoint status --cluster -w table", "etcdctl alarm list"}

// noLocks is what the pages of locks say if there is none to show, nil if there is one.
func noLocks(f Frame, w int) []string {
	if f.Locks.Order.Total > 0 {
		return nil
	}
	say := func(st draw.Style, text string) draw.Paragraph {
		return draw.Paragraph{St: st, Lead: "  ", Text: text}
	}
	blank := draw.Paragraph{}
	under := model.Verbatim(f.Watched())
	keys, _ := f.S.Counts()
	fr := Fresh(f.S)
	switch {
	case fr.Nothing:
		return f.Th.OnlyText(w, fr.denied(f.Th)...)
	case fr.State == locks.Lost:
		return f.Th.OnlyText(w, blank, say(draw.Late, f.Th.Say("nothing-is-known-under-yet", under)))
	case !f.S.Coverage().LoadedButDenied():
		return f.Th.OnlyText(w, blank, say(draw.Plain, f.Th.Say("listing-the-keys-under", under)+" "+f.Th.Sign.Unread))
	case keys == 0 && f.Model:
		return f.Th.OnlyText(w, blank, say(draw.Plain, f.Unjudged()))
	case keys == 0:
		return f.Th.OnlyText(w, blank, say(draw.Strong, f.Th.Say("no-locks-yet")), blank,
			say(draw.Plain, f.Th.Say("no-key-under", model.Verbatim(f.Watched()))),
			say(draw.Dim, f.Th.Say("waiting-for-the-first-one-it")),
			say(draw.Dim, f.Th.Say("a-lock-is-a-name-with")))
	}
	return f.Th.OnlyText(w, blank, say(draw.Strong, f.Th.Say("keys-and-no-claim", draw.Counted(keys), model.Verbatim(f.Watched()))), blank,
		say(draw.Dim, f.Th.Say("a-claim-is-a-key-name")),
		say(draw.Dim, f.Th.Say("is-the-prefix-the-right-one")))
}

// Subject is what faults are done to: what is selected. Its kind is TargetProcess
// for a contender, TargetClient for a client that is not of the lab, TargetMember,
// or TargetCluster where nothing of these is selected.
type Subject struct {
	Kind model.FaultTarget
	Name string
	Lock string // of a contender
	Why  string // for TargetCluster: why it is nothing narrower
}

// findingAbout is the worst finding about a lock, or why there is none.
func findingAbout(f Frame, l *locks.Lock) (*model.Finding, string) {
	if l == nil {
		return nil, f.Th.Say("no-lock-is-selected")
	}
	if all := f.S.FindingsOf(l); len(all) > 0 {
		return &all[0], ""
	}
	return nil, f.Th.Say("no-problem-found-on", l.Name)
}

// axisKeys are the keys of a page with an axis. events are the moments of what it shows, by
// their time, and why says why there is no axis now, nil: there always is one.
func axisKeys(events func(f Frame, from, to time.Time) []time.Time, why func() model.MessageID) []Key {
	do := func(g func(f Frame)) func(f Frame) Request {
		return func(f Frame) Request {
			was := f.Axis.Window
			if g(f.Whole()); f.Axis.Window == was {
				return Request{Why: f.Th.Say("nothing-more-that-way-in-what")}
			}
			return Request{}
		}
	}
	start := func(f Frame) time.Time { return f.S.Timeline().Start() }
	keys := []Key{
		{Keys: []string{"z", "+", "="}, Group: KeysOfParts, Short: "key-zoom", What: "less-time-in-more-detail", Do: do(func(f Frame) { f.Axis.Zoom(true, start(f), f.Now) })},
		{Keys: []string{"_", "Z"}, Group: KeysOfParts, What: "more-time-up-to-all-that", Do: do(func(f Frame) { f.Axis.Zoom(false, start(f), f.Now) })},
		{Keys: []string{"left"}, Group: KeysOfParts, What: "earlier", Do: do(func(f Frame) { f.Axis.Pan(-1, start(f), f.Now) })},
		{Keys: []string{"right"}, Group: KeysOfParts, What: "later", Do: do(func(f Frame) { f.Axis.Pan(1, start(f), f.Now) })},
		{Keys: []string{"["}, Group: KeysOfParts, What: "to-the-event-before", Do: do(func(f Frame) { toEvent(f, events, -1) })},
		{Keys: []string{"]"}, Group: KeysOfParts, What: "to-the-event-after", Do: do(func(f Frame) { toEvent(f, events, 1) })},
		{Keys: []string{"0"}, Group: KeysOfParts, What: "back-to-now", Do: do(func(f Frame) { f.Axis.Now() })},
	}
	for i := range keys {
		keys[i].Why = why
		keys[i].Fold = Fold{"z Z [ ] 0", "less-and-more-time-event-by-event"}
	}
	return keys
}

// toEvent moves the cursor to the next event in a direction. It looks at a part of the past
// first, and at more of it only if nothing is there.
func toEvent(f Frame, events func(f Frame, from, to time.Time) []time.Time, by int) {
	start, now := f.S.Timeline().Start(), f.Exact()
	at := f.Axis.At()
	if at.IsZero() {
		at = f.Axis.End(now)
	}
	if start.IsZero() { // nothing was listed yet
		return
	}
	for reach := f.Axis.Span(start, now); ; reach *= 8 {
		from, to := at.Add(time.Microsecond), now.Add(time.Microsecond)
		if by < 0 {
			from, to = model.Later(start, at.Add(-reach)), at
		} else if t := at.Add(reach); t.Before(to) {
			to = t
		}
		all := events(f, from, to)
		switch {
		case len(all) > 0 && by < 0:
			f.Axis.Go(all[len(all)-1], start, now)
			return
		case len(all) > 0:
			f.Axis.Go(all[0], start, now)
			return
		case by > 0 && to.After(now):
			f.Axis.Now()
			return
		case by < 0 && !from.After(start):
			return
		}
	}
}

// lockEvents are the moments of the selected lock: each that came, got the lock or went, and
// the marks.
func lockEvents(f Frame, from, to time.Time) []time.Time {
	return eventsOf(f, f.Locks.Pick.ID, from, to)
}

// eventsOf are the moments of a lock in that time.
func eventsOf(f Frame, lock string, from, to time.Time) []time.Time {
	var all []time.Time
	add := func(at time.Time) {
		if !at.IsZero() && !at.Before(from) && at.Before(to) {
			all = append(all, at)
		}
	}
	for x := range f.S.Timeline().Spans(lock, from, to) {
		add(x.Came)
		add(x.Got)
		add(x.Gone)
	}
	for _, m := range f.S.Timeline().Marks(lock, from, to) {
		add(m.At)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

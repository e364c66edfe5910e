package page

import (
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/recipe"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// SessionCells are the columns of the sessions.
var SessionCells = table.CellsOf(fields.Sessions, map[model.MessageID]func(*table.Row, *fields.Session){
	"title-session": func(r *table.Row, x *fields.Session) {
		id := x.ID.String()
		if r.Room() < len(id) {
			id = x.ID.Short()
		}
		r.Add(draw.Plain, r.F.Th.Escape(id))
	},
	"title-who": func(r *table.Row, x *fields.Session) {
		if x.Lead == nil || r.F.S.Identity(draw.Brief(x.Lead.Ref())).Text == "" {
			r.Add(draw.Dim, r.F.Th.Say("unknown"))
		} else {
			Identity(r, x.Lead)
		}
	},
	"title-lease":      func(r *table.Row, x *fields.Session) { r.Lease(x.Lease, r.F.Now) },
	"title-rhythm":     func(r *table.Row, x *fields.Session) { r.Add(draw.Dim, r.F.Th.Message(renews(x.Lease))) },
	"title-granted-by": func(r *table.Row, x *fields.Session) { r.Add(draw.Dim, r.F.Th.Cut(grantedBy(r.F, x.Lease), r.Room())) },
	"title-holds":      func(r *table.Row, x *fields.Session) { r.Add(draw.Plain, lockNames(r.F.Th, &x.Holds, r.Room())) },
	"title-waits-for":  func(r *table.Row, x *fields.Session) { r.Add(draw.Plain, lockNames(r.F.Th, &x.Waits, r.Room())) },
	"title-other": func(r *table.Row, x *fields.Session) {
		switch {
		case x.More:
			r.Add(draw.Dim, "?")
		case x.Other == 0:
			r.Add(draw.Dim, "-")
		default:
			r.Add(draw.Plain, strconv.Itoa(x.Other))
		}
	},
	"title-state": func(r *table.Row, x *fields.Session) { r.Put(r.F.Th.FormatCondition(status.OfSession(r.F.S, x.Lease))) },
}, nil)

// SessionsPage is the table of the leases that stand in some queue, or are not
// well.
type SessionsPage struct {
	List
	table.Ranking[*locks.Lease, model.LeaseID]
}

func newSessions() Page {
	p := &SessionsPage{Ranking: table.NewRanking[*locks.Lease, model.LeaseID]()}
	p.List = newList("sessions", table.New(SessionCells.Columns(), true), &p.Rhythm)
	return p
}

// many says whether there are too many keys to rank their leases between two frames.
func (p *SessionsPage) many(s *store.View) bool {
	keys, _ := s.Counts()
	return keys > table.RankPiece
}

// Refresh goes on with what is due, and says whether that changed what is shown: the
// neediest first.
func (p *SessionsPage) Refresh(f Frame) bool {
	if !p.Unranked(f.S.Version(), f.Clock()) {
		return false
	}
	keep := matcher(p.Filter())
	done := p.Ranking.Refresh(f.S.Version(), f.Clock(), f.S.Leases, func(l *locks.Lease, _ int) (table.Scored[model.LeaseID], bool) {
		c, st := status.OfSession(f.S, l), Standing(l)
		if st == 0 && !c.Trouble() {
			return table.Scored[model.LeaseID]{}, false
		}
		p.Found++
		return table.Scored[model.LeaseID]{ID: l.ID, Rank: -(int64(c.Rank)*4 + int64(st)), Tie: uint64(l.ID)}, keep == nil || keep(sessionText(f.S, l))
	})
	if done {
		p.Pick.Follow(len(p.IDs), func(id string) int {
			lease, err := model.ParseLeaseID(id)
			if err != nil {
				return -1
			}
			return slices.Index(p.IDs, lease)
		}, p.id)
	}
	return done
}

func (p *SessionsPage) id(i int) string { return p.IDs[i].String() }

// About says what the page is.
func (p *SessionsPage) About() About {
	return About{Title: "Sessions", Label: "page-sessions", Go: "go-to-sessions", Targets: true, Shows: ShowSession}
}

// Keys are those of the page alone.
func (p *SessionsPage) Keys() []Key { return []Key{queueOf(p.Lock)} }

// Move moves the selection by n lines.
func (p *SessionsPage) Move(f Frame, n int) { p.MoveTo(p.Pick.Place+n, len(p.IDs), p.id, f.Now) }

// Empty says whether no session is listed.
func (p *SessionsPage) Empty() bool { return len(p.IDs) == 0 }

// Click selects the session in a line.
func (p *SessionsPage) Click(f Frame, x, y int) bool {
	i, row := p.Table.Pick(x, y, len(p.IDs))
	if i >= 0 {
		p.MoveTo(i, len(p.IDs), p.id, f.Now)
	}
	return row
}

// Target is the claim of the session that counts most.
func (p *SessionsPage) Target(f Frame) Target {
	t := Target{Claim: claimOf(f.S, p.Chosen(f.S))}
	if t.Claim != nil {
		t.Lock = t.Claim.Lock()
	}
	return t.OfClient(f)
}

// Lock asks for the lock of the selected session.
func (p *SessionsPage) Lock(f Frame) Request { return p.Target(f).ToLock(f) }

// Finding is the worst one about the selected session.
func (p *SessionsPage) Finding(f Frame) (*model.Finding, string) {
	l := p.Chosen(f.S)
	if l == nil {
		return nil, f.Th.Say("no-session-is-selected")
	}
	x := status.WorstOfSession(f.S, l)
	return x, f.Th.Say("no-problem-found-on-session", l.ID)
}

// Commands show the selected session by hand.
func (p *SessionsPage) Commands(f Frame) (string, []string) {
	if l := p.Chosen(f.S); l != nil {
		return f.Th.Say("session", l.ID), []string{l.ID.Etcdctl(), "etcdctl lease list"}
	}
	return f.Th.Say("the-sessions"), []string{"etcdctl lease list"}
}

// Show selects the session of a lease.
func (p *SessionsPage) Show(_ Frame, r Request) {
	p.Choose(r.Lease.String())
	p.SetFilter("")
}

// Hits says how many sessions fit the filter.
func (p *SessionsPage) Hits() model.Message {
	return Hits(p.Filter(), model.Say("of-sessions", draw.Counted(len(p.IDs)), draw.Counted(p.Total)))
}

// Ranks says whether the sessions have to be put in order anew, beside the screen.
func (p *SessionsPage) Ranks(f Frame) bool {
	return p.many(f.S) && p.Unranked(f.S.Version(), f.Clock())
}

// Rank ranks the next sessions. As long as none is shown the page says how many are left.
func (p *SessionsPage) Rank(f Frame) bool {
	p.Refresh(f)
	return !p.Going || p.Total == 0
}

// Chosen returns the lease under the cursor, nil if there is none.
func (p *SessionsPage) Chosen(s *store.View) *locks.Lease {
	if i := p.CursorRow(len(p.IDs), p.id); i >= 0 {
		return s.Lease(p.IDs[i])
	}
	return nil
}

// Paint returns the lines of the page: the table, and what ends with the chosen
// session.
func (p *SessionsPage) Paint(f Frame, w, h int) []string {
	for more := !p.many(f.S); more; more = p.Going && !p.Waits(f.Clock()) {
		p.Refresh(f)
	}
	under := 0
	if h >= 14 { // what the list does not need is for the keys, too
		under = min(h*2/5, 12)
		if under < sessionLeast+spareFrom { // there is no room for what happened
			under = sessionLeast
		}
		under = max(under, h-1-(len(p.IDs)+queueStep)/queueStep*queueStep)
	}
	if p.Total == 0 && p.Unranked(f.S.Version(), f.Clock()) {
		text := "  " + f.Th.Say("ranking-the-sessions")
		if n := p.Left(); n > 0 {
			text = "  " + f.Th.Say("ranking-the-sessions-to-go", draw.Counted(n))
		}
		return draw.Fill([]string{string(draw.Pad(nil, w)), f.Th.Line(w, []draw.Span{draw.Dim.Of(text)}, nil)}, w, h)
	}
	if p.Total == 0 {
		return draw.Fill([]string{string(draw.Pad(nil, w)), f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("no-lease-stands-in-the-queue"))}, nil)}, w, h)
	}
	if w >= namesFrom && w < namesTo { // names of locks before who granted it
		names := max(lockLeast, min(f.Locks.Order.Longest+moreCells, lockMost))
		p.Table.Claim("title-holds", names)
		p.Table.Claim("title-waits-for", names)
		p.Table.Claim("title-who", whoCells)
	} else {
		p.Table.Claim("title-holds", 0)
		p.Table.Claim("title-waits-for", 0)
		p.Table.Claim("title-who", 0)
	}
	apart := 0
	if f.Height >= TallFrom && under > 0 && len(p.IDs) >= h-under-1 {
		apart = 1
	}
	p.Table.Fit(w, h-under-apart, f.Th)
	p.Table.Reveal(p.Pick.Place, len(p.IDs))
	lines := []string{p.Table.Head(table.SortNone, false)}
	lines = p.Table.Paint(lines, len(p.IDs), table.Look{Cursor: p.Pick.Place, Keys: true}, p.id, func(i int, r *table.Row) {
		if l := f.S.Lease(p.IDs[i]); l != nil {
			at := f.View
			if i != p.Pick.Place && quietLease(l) && !status.OfSession(f.S, l).Trouble() {
				at = inSteps(f.View)
			}
			Row(at, l, r)
			return
		}
		SessionCells.GoneRow(p.IDs[i].Short(), r)
	})
	if l := p.Chosen(f.S); l != nil && under > 0 {
		lines = append(lines, slices.Repeat([]string{draw.Blank(w)}, apart)...)
		lines = takesAlong(lines, f.View, l, w, under)
		lines = fillWith(lines, f, f.happenedTo(f.Th.Say("session", l.ID)), func(n int) []*journal.Entry { return f.factsOfLease(l.ID, n) }, true, w, h-len(lines))
		lines = f.fillBesideLease(lines, l.ID, w, h-len(lines))
	}
	return draw.Fill(lines, w, h)
}

// namesFrom is the width from which names have the room that they need: whoCells those of clients, and
// those of locks as the longest and moreCells for how many more there are. On a wide one all have it.
const (
	namesFrom = 100
	namesTo   = 150
	whoCells  = 14
	moreCells = 3
)

// sessionLeast is how many lines there are of what goes with a session.
const sessionLeast = 4

// Row fills in the row of a session.
func Row(f table.View, l *locks.Lease, r *table.Row) {
	*f.OnScreen = append(*f.OnScreen, l.ID)
	SessionCells.Row(f, fields.SessionOf(l), r)
}

// lockNames names the first of some locks.
func lockNames(th *draw.Theme, locks *fields.Some, room int) string {
	if locks.N == 0 || room == 0 {
		return ""
	}
	more := ""
	if locks.N > 1 {
		more = " +" + strconv.Itoa(locks.N-1)
	}
	return th.CutPath(th.Clean(locks.First[0].Name), room-len(more)) + more
}

// sessionText is what a filter looks at: the id and who it is, and its locks.
func sessionText(s *store.View, l *locks.Lease) (string, string) {
	x := fields.SessionOf(l)
	who := l.ID.String() + " " + text.English(findings.StateWord(status.OfSession(s, l)))
	if x.Lead != nil {
		who += " " + s.Who(draw.Brief(x.Lead.Ref()))
	}
	locks := ""
	for _, l := range append(x.Holds.Listed(), x.Waits.Listed()...) {
		locks += l.Name + " "
	}
	return who, locks
}

// renews says how often a session is renewed: as seen, or as its recipe usually is.
func renews(l *locks.Lease) model.Message {
	third := time.Duration(l.Granted()) * time.Second / 3
	switch {
	case l.Granted() <= 0:
		return model.Message{}
	case l.Learned():
		return model.Say("seen", model.Verbatim(Often(max(third, l.Rhythm))))
	}
	for _, c := range l.Claims()[:min(len(l.Claims()), alsoMax)] {
		if lock := c.Lock(); lock != nil && lock.Recipe().Rhythm == recipe.RenewsAtThird {
			return model.Say("usual", model.Verbatim(Often(third)))
		}
	}
	return model.Say("by-hand")
}

// Often writes how long lies between two renewals: never 0s.
func Often(d time.Duration) string {
	if d < time.Second {
		return "<1s"
	}
	return model.Ticks(d)
}

// claimOf returns the claim of a session that counts most: one that holds, else
// one that waits.
func claimOf(s *store.View, l *locks.Lease) *locks.Claim {
	if l == nil {
		return nil
	}
	if f := status.WorstOfSession(s, l); f != nil {
		for _, c := range l.Claims() {
			if f.About(c.Ref()) {
				return c
			}
		}
	}
	return fields.SessionOf(l).Lead
}

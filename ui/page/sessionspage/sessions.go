package sessionspage

import (
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/fold"
	"locktop/model/keyspace"
	"locktop/model/outlook"
	"locktop/model/recipe"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/page"
	"locktop/ui/table"
)

// Cells are the columns of the sessions.
var Cells = table.CellsOf(fields.Sessions, map[string]func(*table.Row, *fields.Session){
	"SESSION": func(r *table.Row, x *fields.Session) {
		id := x.ID.String()
		if r.Room() < len(id) {
			id = x.ID.Short()
		}
		r.Add(draw.Plain, r.F.Th.Tame(id))
	},
	"WHO": func(r *table.Row, x *fields.Session) {
		if x.Lead == nil || r.F.S.Identity(draw.Brief(x.Lead.Ref())).Text == "" {
			r.Add(draw.Dim, "unknown")
		} else {
			page.Identity(r, x.Lead)
		}
	},
	"LEASE":      func(r *table.Row, x *fields.Session) { r.Lease(x.Lease, r.F.Now) },
	"RHYTHM":     func(r *table.Row, x *fields.Session) { r.Add(draw.Dim, renews(x.Lease)) },
	"GRANTED BY": func(r *table.Row, x *fields.Session) { r.Add(draw.Dim, r.F.Th.Cut(grantedBy(r.F, x.Lease), r.Room())) },
	"HOLDS":      func(r *table.Row, x *fields.Session) { r.Add(draw.Plain, lockNames(r.F.Th, &x.Holds, r.Room())) },
	"WAITS FOR":  func(r *table.Row, x *fields.Session) { r.Add(draw.Plain, lockNames(r.F.Th, &x.Waits, r.Room())) },
	"OTHER": func(r *table.Row, x *fields.Session) {
		switch {
		case x.More:
			r.Add(draw.Dim, "?")
		case x.Other == 0:
			r.Add(draw.Dim, "-")
		default:
			r.Add(draw.Plain, strconv.Itoa(x.Other))
		}
	},
	"STATE": func(r *table.Row, x *fields.Session) { r.Put(r.F.Th.Says(outlook.OfSession(x.Lease))) },
}, nil)

// Page is the table of the leases that stand in some queue, or are not
// well.
type Page struct {
	page.List
	table.Ranking[*keyspace.Lease, model.LeaseID]
}

// New returns the page.
func New() page.Page {
	p := &Page{Ranking: table.NewRanking[*keyspace.Lease, model.LeaseID]()}
	p.List = page.NewList("sessions", table.New(Cells.Columns(), true), &p.Rhythm)
	return p
}

// many says whether there are too many keys to rank their leases between two frames.
func (p *Page) many(s *fold.State) bool {
	keys, _ := s.Counts()
	return keys > table.RankPiece
}

// Refresh goes on with what is due, and says whether that changed what is shown: the
// neediest first.
func (p *Page) Refresh(f page.Frame) bool {
	if !p.Unranked(f.S.Version(), f.Now) {
		return false
	}
	keep := page.Matcher(p.Filter())
	done := p.Ranking.Refresh(f.S.Version(), f.Now, f.S.Leases, func(l *keyspace.Lease, _ int) (table.Scored[model.LeaseID], bool) {
		c, st := outlook.OfSession(l), page.Standing(l)
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

func (p *Page) id(i int) string { return p.IDs[i].String() }

// About says what the page is.
func (p *Page) About() page.About {
	return page.About{Title: "Sessions", Targets: true, Shows: page.ShowSession}
}

// Keys are those of the page alone.
func (p *Page) Keys() []page.Key { return []page.Key{page.QueueOf(p.Lock)} }

// Move moves the selection by n lines.
func (p *Page) Move(f page.Frame, n int) { p.MoveTo(p.Pick.Place+n, len(p.IDs), p.id, f.Now) }

// Empty says whether no session is listed.
func (p *Page) Empty() bool { return len(p.IDs) == 0 }

// Click selects the session in a line.
func (p *Page) Click(f page.Frame, _, y int) {
	if i := p.Table.At(y, len(p.IDs)); i >= 0 {
		p.MoveTo(i, len(p.IDs), p.id, f.Now)
	}
}

// Target is the claim of the session that counts most.
func (p *Page) Target(f page.Frame) page.Target {
	t := page.Target{Claim: claimOf(p.Chosen(f.S))}
	if t.Claim != nil {
		t.Lock = t.Claim.Lock()
	}
	return t.OfClient(f.S)
}

// Lock asks for the lock of the selected session.
func (p *Page) Lock(f page.Frame) page.Request { return p.Target(f).ToLock() }

// Finding is the worst one about the selected session.
func (p *Page) Finding(f page.Frame) (*model.Finding, string) {
	l := p.Chosen(f.S)
	if l == nil {
		return nil, "no session is selected"
	}
	x, _ := outlook.WorstOfSession(l)
	return x, "no problem found on session " + l.ID.String()
}

// Commands show the selected session by hand.
func (p *Page) Commands(f page.Frame) (string, []string) {
	if l := p.Chosen(f.S); l != nil {
		return "session " + l.ID.String(), []string{l.ID.Etcdctl(), "etcdctl lease list"}
	}
	return "the sessions", []string{"etcdctl lease list"}
}

// Show selects the session of a lease.
func (p *Page) Show(_ page.Frame, r page.Request) {
	p.Choose(r.Lease.String())
	p.SetFilter("")
}

// Hits says how many sessions fit the filter.
func (p *Page) Hits() string {
	return page.Hits(p.Filter(), draw.Count(int64(len(p.IDs)))+" of "+draw.Plural(p.Total, "session"))
}

// Ranks says whether the sessions have to be put in order anew, beside the screen.
func (p *Page) Ranks(f page.Frame) bool {
	return p.many(f.S) && p.Unranked(f.S.Version(), f.Now)
}

// Rank ranks the next sessions. As long as none is shown the page says how many are left.
func (p *Page) Rank(f page.Frame) bool {
	p.Refresh(f)
	return !p.Going || p.Total == 0
}

// Chosen returns the lease under the cursor, nil if there is none.
func (p *Page) Chosen(s *fold.State) *keyspace.Lease {
	if i := p.CursorRow(len(p.IDs), p.id); i >= 0 {
		return s.Lease(p.IDs[i])
	}
	return nil
}

// Paint returns the lines of the page: the table, and what ends with the chosen
// session.
func (p *Page) Paint(f page.Frame, w, h int) []string {
	for more := !p.many(f.S); more; more = p.Going && !p.Waits(f.Now) {
		p.Refresh(f)
	}
	under := 0
	if h >= 14 { // what the list does not need is for the keys, too
		under = max(min(h*2/5, 12), h-1-(len(p.IDs)+page.QueueStep)/page.QueueStep*page.QueueStep)
	}
	if p.Total == 0 && p.Unranked(f.S.Version(), f.Now) {
		text := "  ranking the sessions"
		if n := p.Left(); n > 0 {
			text += ": " + draw.Plural(n, "lease") + " to go"
		}
		return draw.Fill([]string{string(draw.Pad(nil, w)), f.Th.Line(w, []draw.Span{draw.Dim.Of(text)}, nil)}, w, h)
	}
	if p.Total == 0 {
		return draw.Fill([]string{string(draw.Pad(nil, w)), f.Th.Line(w, []draw.Span{draw.Dim.Of("  no lease stands in the queue of a lock")}, nil)}, w, h)
	}
	p.Table.Fit(w, h-under, f.Th)
	p.Table.Reveal(p.Pick.Place, len(p.IDs))
	lines := []string{p.Table.Head(table.SortNone, false)}
	lines = p.Table.Paint(lines, len(p.IDs), table.Look{Cursor: p.Pick.Place, Keys: true}, p.id, func(i int, r *table.Row) {
		if l := f.S.Lease(p.IDs[i]); l != nil {
			at := f.View
			if i != p.Pick.Place && page.CalmLease(l) && !outlook.OfSession(l).Trouble() {
				at = page.Calm(f.View)
			}
			Row(at, l, r)
			return
		}
		Cells.GoneRow(p.IDs[i].Short(), r)
	})
	if l := p.Chosen(f.S); l != nil && under > 0 {
		lines = takesAlong(lines, f.View, l, w, under)
	}
	return draw.Fill(lines, w, h)
}

// Row fills in the row of a session.
func Row(f table.View, l *keyspace.Lease, r *table.Row) {
	*f.OnScreen = append(*f.OnScreen, l.ID)
	Cells.Row(f, fields.SessionOf(l), r)
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
func sessionText(s *fold.State, l *keyspace.Lease) (string, string) {
	x := fields.SessionOf(l)
	who := l.ID.String() + " " + diagnose.StateWord(outlook.OfSession(l))
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
func renews(l *keyspace.Lease) string {
	third := time.Duration(l.Granted()) * time.Second / 3
	switch {
	case l.Granted() <= 0:
		return ""
	case l.Learned():
		return Often(max(third, l.Rhythm)) + " seen"
	}
	for _, c := range l.Claims()[:min(len(l.Claims()), page.AlsoMax)] {
		if lock := c.Lock(); lock != nil && lock.Recipe().Rhythm == recipe.RenewsAtThird {
			return Often(third) + " usual"
		}
	}
	return "by hand"
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
func claimOf(l *keyspace.Lease) *keyspace.Claim {
	if l == nil {
		return nil
	}
	if f, _ := outlook.WorstOfSession(l); f != nil {
		for _, c := range l.Claims() {
			if f.About(c.Ref()) {
				return c
			}
		}
	}
	return fields.SessionOf(l).Lead
}

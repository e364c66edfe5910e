package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/recipe"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// sessionCells are the columns of the sessions.
var sessionCells = table.CellsOf(fields.Sessions, map[string]func(*table.Row, *fields.Session){
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
			identity(r, x.Lead)
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
	"STATE": func(r *table.Row, x *fields.Session) { r.Put(r.F.Th.Says(x.Condition())) },
}, nil)

// sessionsPage is the table of the leases that stand in some queue, or are not
// well.
type sessionsPage struct {
	usual
	table  table.Table
	pick   selection
	filter string

	table.Ranking[*model.Lease, model.LeaseID]
}

func newSessionsPage() *sessionsPage {
	return &sessionsPage{table: table.New(sessionCells.Columns(), true), Ranking: table.NewRanking[*model.Lease, model.LeaseID]()}
}

// many says whether there are too many keys to rank their leases between two frames.
func (p *sessionsPage) many(s *model.State) bool {
	keys, _ := s.Counts()
	return keys > table.RankPiece
}

// refresh goes on with what is due, and says whether that changed what is shown: the
// neediest first.
func (p *sessionsPage) refresh(f frame) bool {
	if !p.Unranked(f.S.Version(), f.Now) {
		return false
	}
	keep := matcher(p.filter)
	done := p.Ranking.Refresh(f.S.Version(), f.Now, f.S.Leases, func(l *model.Lease, _ int) (table.Scored[model.LeaseID], bool) {
		c, st := l.Condition(), standing(l)
		if st == 0 && !c.Trouble() {
			return table.Scored[model.LeaseID]{}, false
		}
		p.Found++
		return table.Scored[model.LeaseID]{ID: l.ID, Rank: -(int64(c.Rank)*4 + int64(st)), Tie: uint64(l.ID)}, keep == nil || keep(sessionText(f.S, l))
	})
	if done {
		p.pick.follow(len(p.Ids), func(id string) int {
			lease, err := model.ParseLeaseID(id)
			if err != nil {
				return -1
			}
			return slices.Index(p.Ids, lease)
		}, p.id)
	}
	return done
}

func (p *sessionsPage) id(i int) string { return p.Ids[i].String() }

func (p *sessionsPage) About() About {
	return About{Title: "Sessions", Targets: true, Shows: ShowSession}
}

func (p *sessionsPage) Keys() []Key { return []Key{queueOf(p.Lock)} }

// queueOf is the key of a page that leads to a lock.
func queueOf(lock func(frame) Request) Key {
	return Key{Keys: []string{"enter"}, Group: KeysThatOpen, Short: "lock", What: "jump to the queue of the lock", Some: true, Do: lock}
}

func (p *sessionsPage) Move(f frame, n int) { p.move(p.pick.place+n, f.Now) }
func (p *sessionsPage) Step() int           { return p.table.Step() }
func (p *sessionsPage) Empty() bool         { return len(p.Ids) == 0 }

func (p *sessionsPage) move(i int, now time.Time) {
	p.pick.move(i, len(p.Ids), p.id)
	p.Held = now.Add(table.SortHold)
}

func (p *sessionsPage) Click(f frame, _, y int) {
	if i := p.table.At(y, len(p.Ids)); i >= 0 {
		p.move(i, f.Now)
	}
}

// Target is the claim of the session that counts most.
func (p *sessionsPage) Target(f frame) target {
	t := target{claim: claimOf(p.chosen(f.S))}
	if t.claim != nil {
		t.lock = t.claim.Lock()
	}
	return t.ofClient(f.S)
}

func (p *sessionsPage) Lock(f frame) Request { return p.Target(f).toLock() }

func (p *sessionsPage) Finding(f frame) (*model.Finding, string) {
	l := p.chosen(f.S)
	if l == nil {
		return nil, "no session is selected"
	}
	x, _ := l.Worst()
	return x, "nothing is found about session " + l.ID.String()
}

func (p *sessionsPage) Commands(f frame) (string, []string) {
	if l := p.chosen(f.S); l != nil {
		return "session " + l.ID.String(), []string{l.ID.Etcdctl(), "etcdctl lease list"}
	}
	return "the sessions", []string{"etcdctl lease list"}
}

func (p *sessionsPage) Show(_ frame, r Request) {
	p.choose(r.Lease.String())
	p.filter = ""
}

func (p *sessionsPage) choose(id string) { p.pick.id, p.pick.pinned, p.Force = id, true, true }

func (p *sessionsPage) Spot() string { return p.pick.id }

func (p *sessionsPage) Return(_ frame, id string) {
	if id != "" {
		p.choose(id)
	}
}

func (p *sessionsPage) Back() bool {
	p.SetFilter("")
	return true
}

func (p *sessionsPage) Filter() string { return p.filter }

func (p *sessionsPage) SetFilter(text string) {
	if p.filter != text {
		p.filter, p.Force, p.table.Top = text, true, 0
	}
}

func (p *sessionsPage) Hits() string {
	return draw.Count(int64(len(p.Ids))) + " of " + draw.Plural(p.Total, "session")
}

func (p *sessionsPage) Ranks(s *model.State, now time.Time) bool {
	return p.many(s) && p.Unranked(s.Version(), now)
}

// Rank ranks the next sessions. As long as none is shown the page says how many are left.
func (p *sessionsPage) Rank(f frame) bool {
	p.refresh(f)
	return !p.Going || p.Total == 0
}

func (p *sessionsPage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"sessions": &p.table}
}
func (p *sessionsPage) Focus(frame) (name, why string) { return "sessions", "" }

// chosen returns the lease under the cursor, nil if there is none.
func (p *sessionsPage) chosen(s *model.State) *model.Lease {
	if p.pick.place < len(p.Ids) && p.pick.id == p.id(p.pick.place) {
		return s.Lease(p.Ids[p.pick.place])
	}
	return nil
}

// Paint returns the lines of the page: the table, and what ends with the chosen
// session.
func (p *sessionsPage) Paint(f frame, w, h int) []string {
	for more := !p.many(f.S); more; more = p.Going && !p.Waits(f.Now) {
		p.refresh(f)
	}
	under := 0
	if h >= 14 {
		under = min(h*2/5, 12)
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
	p.table.Fit(w, h-under, f.Th)
	p.table.Reveal(p.pick.place, len(p.Ids))
	lines := []string{p.table.Head(table.SortNone, false)}
	lines = p.table.Paint(lines, len(p.Ids), table.Look{Cursor: p.pick.place, Keys: true}, p.id, func(i int, r *table.Row) {
		if l := f.S.Lease(p.Ids[i]); l != nil {
			at := f.View
			if i != p.pick.place && calmLease(l) && !l.Condition().Trouble() {
				at = calm(f.View)
			}
			sessionRow(at, l, r)
			return
		}
		sessionCells.GoneRow(p.Ids[i].Short(), r)
	})
	if l := p.chosen(f.S); l != nil && under > 0 {
		lines = takesAlong(lines, f.View, l, w, under)
	}
	return draw.Fill(lines, w, h)
}

func sessionRow(f table.View, l *model.Lease, r *table.Row) {
	*f.OnScreen = append(*f.OnScreen, l.ID)
	sessionCells.Row(f, fields.SessionOf(l), r)
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

// standing ranks what a lease is to others: 3 holds a lock for which others wait,
// 2 holds one, 1 waits or is listed, 0 nothing of that.
func standing(l *model.Lease) int {
	best := 0
	for _, c := range l.Claims() {
		lock := c.Lock()
		switch {
		case lock == nil:
		case lock.Role(c) == model.RoleHolds:
			if lock.Behind() > 0 {
				return 3
			}
			best = 2
		default:
			best = max(best, 1)
		}
	}
	return best
}

// sessionText is what a filter looks at: the id and who it is, and its locks.
func sessionText(s *model.State, l *model.Lease) (string, string) {
	x := fields.SessionOf(l)
	who := l.ID.String()
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
func renews(l *model.Lease) string {
	third := time.Duration(l.Granted()) * time.Second / 3
	switch {
	case l.Granted() <= 0:
		return ""
	case l.Learned():
		return often(max(third, l.Rhythm)) + " seen"
	}
	for _, c := range l.Claims()[:min(len(l.Claims()), alsoMax)] {
		if lock := c.Lock(); lock != nil && lock.Recipe().Rhythm == recipe.RenewsAtThird {
			return often(third) + " usual"
		}
	}
	return "by hand"
}

// often writes how long lies between two renewals: never 0s.
func often(d time.Duration) string {
	if d < time.Second {
		return "<1s"
	}
	return draw.Ticks(d)
}

// grantedBy names the member that granted a lease, "" if its id does not tell.
func grantedBy(f table.View, l *model.Lease) string {
	return f.Th.Clean(strings.TrimPrefix(f.S.GrantedBy(l.ID), "member "))
}

// claimOf returns the claim of a session that counts most: one that holds, else
// one that waits.
func claimOf(l *model.Lease) *model.Claim {
	if l == nil {
		return nil
	}
	if f, _ := l.Worst(); f != nil {
		for _, c := range l.Claims() {
			if f.About(c) {
				return c
			}
		}
	}
	return fields.SessionOf(l).Lead
}

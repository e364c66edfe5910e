package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/recipe"
	"locktop/ui/fields"
)

// sessionCells are the columns of the sessions.
var sessionCells = cellsOf(fields.Sessions, map[string]func(*row, *fields.Session){
	"SESSION": func(r *row, x *fields.Session) {
		id := x.ID.String()
		if r.room() < len(id) {
			id = x.ID.Short()
		}
		r.add(plain, r.f.th.tame(id))
	},
	"WHO": func(r *row, x *fields.Session) {
		if x.Lead == nil || r.f.s.Identity(brief(x.Lead.Ref())).Text == "" {
			r.add(dim, "unknown")
		} else {
			identity(r, x.Lead)
		}
	},
	"LEASE":      func(r *row, x *fields.Session) { r.lease(x.Lease, r.f.now) },
	"RHYTHM":     func(r *row, x *fields.Session) { r.add(dim, renews(x.Lease)) },
	"GRANTED BY": func(r *row, x *fields.Session) { r.add(dim, r.f.th.cut(grantedBy(r.f, x.Lease), r.room())) },
	"HOLDS":      func(r *row, x *fields.Session) { r.add(plain, lockNames(r.f.th, &x.Holds, r.room())) },
	"WAITS FOR":  func(r *row, x *fields.Session) { r.add(plain, lockNames(r.f.th, &x.Waits, r.room())) },
	"OTHER": func(r *row, x *fields.Session) {
		switch {
		case x.More:
			r.add(dim, "?")
		case x.Other == 0:
			r.add(dim, "-")
		default:
			r.add(plain, strconv.Itoa(x.Other))
		}
	},
	"STATE": func(r *row, x *fields.Session) { r.put(r.f.th.says(x.Condition())) },
}, nil)

// sessionsPage is the table of the leases that stand in some queue, or are not
// well.
type sessionsPage struct {
	usual
	table  table
	pick   selection
	filter string

	ranking[*model.Lease, model.LeaseID]
}

func newSessionsPage() *sessionsPage {
	return &sessionsPage{table: newTable(sessionCells.columns(), true), ranking: newRanking[*model.Lease, model.LeaseID]()}
}

// many says whether there are too many keys to rank their leases between two frames.
func (p *sessionsPage) many(s *model.State) bool {
	keys, _ := s.Counts()
	return keys > rankPiece
}

// refresh goes on with what is due, and says whether that changed what is shown: the
// neediest first.
func (p *sessionsPage) refresh(f frame) bool {
	if !p.unranked(f.s.Version(), f.now) {
		return false
	}
	keep := matcher(p.filter)
	done := p.ranking.refresh(f.s.Version(), f.now, f.s.Leases, func(l *model.Lease, _ int) (scored[model.LeaseID], bool) {
		c, st := l.Condition(), standing(l)
		if st == 0 && !c.Trouble() {
			return scored[model.LeaseID]{}, false
		}
		p.found++
		return scored[model.LeaseID]{l.ID, -(int64(c.Rank)*4 + int64(st)), uint64(l.ID)}, keep == nil || keep(sessionText(f.s, l))
	})
	if done {
		p.pick.follow(len(p.ids), func(id string) int {
			lease, err := model.ParseLeaseID(id)
			if err != nil {
				return -1
			}
			return slices.Index(p.ids, lease)
		}, p.id)
	}
	return done
}

func (p *sessionsPage) id(i int) string { return p.ids[i].String() }

func (p *sessionsPage) About() About {
	return About{Title: "Sessions", Targets: true, Shows: ShowSession}
}

func (p *sessionsPage) Keys() []PageKey { return []PageKey{queueOf(p.Lock)} }

// queueOf is the key of a page that leads to a lock.
func queueOf(lock func(frame) Request) PageKey {
	return PageKey{Keys: []string{"enter"}, Group: KeysThatOpen, Short: "lock", What: "jump to the queue of the lock", Some: true, Do: lock}
}

func (p *sessionsPage) Move(f frame, n int) { p.move(p.pick.place+n, f.now) }
func (p *sessionsPage) Step() int           { return p.table.step() }
func (p *sessionsPage) Empty() bool         { return len(p.ids) == 0 }

func (p *sessionsPage) move(i int, now time.Time) {
	p.pick.move(i, len(p.ids), p.id)
	p.held = now.Add(sortHold)
}

func (p *sessionsPage) Click(f frame, _, y int) {
	if i := p.table.at(y, len(p.ids)); i >= 0 {
		p.move(i, f.now)
	}
}

// Target is the claim of the session that counts most.
func (p *sessionsPage) Target(f frame) target {
	t := target{claim: claimOf(p.chosen(f.s))}
	if t.claim != nil {
		t.lock = t.claim.Lock()
	}
	return t.ofClient(f.s)
}

func (p *sessionsPage) Lock(f frame) Request { return p.Target(f).toLock() }

func (p *sessionsPage) Finding(f frame) (*model.Finding, string) {
	l := p.chosen(f.s)
	if l == nil {
		return nil, "no session is selected"
	}
	x, _ := l.Worst()
	return x, "nothing is found about session " + l.ID.String()
}

func (p *sessionsPage) Commands(f frame) (string, []string) {
	if l := p.chosen(f.s); l != nil {
		return "session " + l.ID.String(), []string{l.ID.Etcdctl(), "etcdctl lease list"}
	}
	return "the sessions", []string{"etcdctl lease list"}
}

func (p *sessionsPage) Show(_ frame, r Request) {
	p.choose(r.Lease.String())
	p.filter = ""
}

func (p *sessionsPage) choose(id string) { p.pick.id, p.pick.pinned, p.force = id, true, true }

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
		p.filter, p.force, p.table.top = text, true, 0
	}
}

func (p *sessionsPage) Hits() string {
	return count(int64(len(p.ids))) + " of " + plural(p.total, "session")
}

func (p *sessionsPage) Ranks(s *model.State, now time.Time) bool {
	return p.many(s) && p.unranked(s.Version(), now)
}

// Rank ranks the next sessions. As long as none is shown the page says how many are left.
func (p *sessionsPage) Rank(f frame) bool {
	p.refresh(f)
	return !p.going || p.total == 0
}

func (p *sessionsPage) Tables() map[string]*table      { return map[string]*table{"sessions": &p.table} }
func (p *sessionsPage) Table(frame) (name, why string) { return "sessions", "" }

// chosen returns the lease under the cursor, nil if there is none.
func (p *sessionsPage) chosen(s *model.State) *model.Lease {
	if p.pick.place < len(p.ids) && p.pick.id == p.id(p.pick.place) {
		return s.Lease(p.ids[p.pick.place])
	}
	return nil
}

// Paint returns the lines of the page: the table, and what ends with the chosen
// session.
func (p *sessionsPage) Paint(f frame, w, h int) []string {
	for more := !p.many(f.s); more; more = p.going && !p.waits(f.now) {
		p.refresh(f)
	}
	under := 0
	if h >= 14 {
		under = min(h*2/5, 12)
	}
	if p.total == 0 && p.unranked(f.s.Version(), f.now) {
		text := "  ranking the sessions"
		if n := p.left(); n > 0 {
			text += ": " + plural(n, "lease") + " to go"
		}
		return fill([]string{string(pad(nil, w)), f.th.line(w, []span{{dim, text}}, nil)}, w, h)
	}
	if p.total == 0 {
		return fill([]string{string(pad(nil, w)), f.th.line(w, []span{{dim, "  no lease stands in the queue of a lock"}}, nil)}, w, h)
	}
	p.table.fit(w, h-under, f.th)
	p.table.reveal(p.pick.place, len(p.ids))
	lines := []string{p.table.head(sortNone, false)}
	lines = p.table.paint(lines, len(p.ids), look{cursor: p.pick.place, keys: true}, p.id, func(i int, r *row) {
		if l := f.s.Lease(p.ids[i]); l != nil {
			at := f.view
			if i != p.pick.place && calmLease(l) && !l.Condition().Trouble() {
				at = calm(f.view)
			}
			sessionRow(at, l, r)
			return
		}
		sessionCells.goneRow(p.ids[i].Short(), r)
	})
	if l := p.chosen(f.s); l != nil && under > 0 {
		lines = takesAlong(lines, f.view, l, w, under)
	}
	return fill(lines, w, h)
}

func sessionRow(f view, l *model.Lease, r *row) {
	*f.onScreen = append(*f.onScreen, l.ID)
	sessionCells.row(f, fields.SessionOf(l), r)
}

// lockNames names the first of some locks.
func lockNames(th *theme, locks *fields.Some, room int) string {
	if locks.N == 0 || room == 0 {
		return ""
	}
	more := ""
	if locks.N > 1 {
		more = " +" + strconv.Itoa(locks.N-1)
	}
	return th.cutPath(th.clean(locks.First[0].Name), room-len(more)) + more
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
		who += " " + s.Who(brief(x.Lead.Ref()))
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
	return ticks(d)
}

// grantedBy names the member that granted a lease, "" if its id does not tell.
func grantedBy(f view, l *model.Lease) string {
	return f.th.clean(strings.TrimPrefix(f.s.GrantedBy(l.ID), "member "))
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

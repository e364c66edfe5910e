package ui

import (
	"maps"

	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/page"
	"locktop/ui/table"
)

// historyEntry is where one was before a jump: a page, and the spot on each.
type historyEntry struct {
	page  int
	spots []string
}

// trailMax bounds how many jumps can be taken back.
const trailMax = 32

// jump goes to a page so that one can come back.
func (a *App) jump(page int) {
	if len(a.trail) >= trailMax {
		a.trail = append(a.trail[:0], a.trail[1:]...)
	}
	e := historyEntry{page: a.at}
	for _, p := range a.pages {
		e.spots = append(e.spots, p.Spot())
	}
	a.trail = append(a.trail, e)
	a.goTo(page)
}

// comeBack takes the last jump back.
func (a *App) comeBack() {
	if len(a.trail) == 0 {
		a.say(draw.Late, "nothing to go back to: no jump was made")
		return
	}
	e := a.trail[len(a.trail)-1]
	a.trail = a.trail[:len(a.trail)-1]
	a.goTo(e.page)
	for i, p := range a.pages {
		p.Return(a.frame(), e.spots[i])
	}
}

// show goes to the page that shows what was asked for: the one where one is, or the
// first of those that do.
func (a *App) show(r page.Request) {
	switch {
	case r.Why != "":
		a.say(draw.Late, r.Why)
		return
	case r.Show == 0:
		return
	}
	to := a.at
	for i := 0; a.pages[to].About().Shows&r.Show == 0; i++ {
		to = i
	}
	a.jump(to)
	a.here().Show(a.frame(), r)
}

// openSession goes to the session of the selected claim.
func (a *App) openSession() {
	t := a.target()
	r := page.Request{Show: page.ShowSession}
	switch {
	case t.Claim != nil:
		r.Lease = t.Claim.KV.Lease
	case t.Finding != nil && a.state.Lease(t.Finding.Lease) != nil:
		r.Lease = t.Finding.Lease
	}
	if r.Lease == 0 {
		r.Why = "what is selected has no session"
	}
	a.show(r)
}

// openFinding goes to the worst finding about what is selected.
func (a *App) openFinding() {
	f, why := a.here().Finding(a.frame())
	if f != nil {
		why = ""
	}
	a.show(page.Request{Show: page.ShowFinding, Finding: f, Why: why})
}

// tables are the tables of the console by name.
func (a *App) tables() map[string]*table.Table {
	all := map[string]*table.Table{}
	for _, p := range a.pages {
		if p, ok := p.(page.Tabled); ok {
			maps.Copy(all, p.Tables())
		}
	}
	return all
}

// openColumns opens the list of the columns of the table that has the keyboard.
func (a *App) openColumns() {
	p := a.here().(page.Tabled)
	name, _ := p.Focus(a.frame())
	dialog.OpenColumns(a.self, name, p.Tables()[name])
}

package ui

import (
	"maps"
	"slices"
	"strconv"

	"locktop/model"
	"locktop/model/reports"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// current is the page that is shown, under dialogs, fields and help.
func (s pageSet) current() page.Page { return s.pages[s.at] }

// target is what is under the cursor.
func (s pageSet) target(f page.Frame) page.Target { return s.current().Target(f).Complete() }

// all are the places of all pages.
func (s pageSet) all() (in host.Where) {
	for i := range s.pages {
		in |= host.OnPage(i)
	}
	return in
}

// titles are what the pages are called.
func (s pageSet) titles() []string {
	names := make([]string, len(s.pages))
	for i, p := range s.pages {
		names[i] = p.About().Title
	}
	return names
}

// tabGap is how far the pages stand apart at least.
const tabGap = 2

// width is how many cells the digits and names of the pages take, as close as they get.
func (s pageSet) width(th *draw.Theme) int {
	w := -tabGap
	for i, p := range s.pages {
		if about := p.About(); !about.Inner {
			w += draw.Width(s.digit(i)) + 1 + draw.Width(th.Say(about.Label)) + tabGap
		}
	}
	return w
}

// digit is the key of a page.
func (s pageSet) digit(i int) string {
	n := 1
	for _, p := range s.pages[:i] {
		if !p.About().Inner {
			n++
		}
	}
	return strconv.Itoa(n)
}

// outer is the page that the line of pages shows as the one where one is.
func (s pageSet) outer() int {
	at := s.at
	for at > 0 && s.pages[at].About().Inner { // it stands behind the one from which it is opened
		at--
	}
	return at
}

// filter returns the filter of the page that is shown, "" if it has none, and how many
// rows are left.
func (s pageSet) filter() (text string, hits model.Message) {
	if p, ok := s.current().(page.Filtered); ok {
		return p.Filter(), p.Hits()
	}
	return "", model.Message{}
}

func (s pageSet) setFilter(text string) {
	if p, ok := s.current().(page.Filtered); ok {
		p.SetFilter(text)
	}
}

// tables are the tables of the pages by name.
func (s pageSet) tables() map[string]*table.Table {
	all := map[string]*table.Table{}
	for _, p := range s.pages {
		if p, ok := p.(page.Tabled); ok {
			maps.Copy(all, p.Tables())
		}
	}
	return all
}

// unranked says whether rows are to be ranked in pieces.
func (s pageSet) unranked(f page.Frame) bool {
	p, many := s.current().(page.InPieces)
	return f.Locks.Unranked(f.S, f.Clock()) || many && p.Ranks(f)
}

// rank ranks the next piece, and says whether that changes what is shown.
func (s pageSet) rank(f page.Frame) bool {
	if f.Locks.Unranked(f.S, f.Clock()) {
		f.RankLocks()
		return !f.Locks.Order.Going
	}
	p, ok := s.current().(page.InPieces)
	return ok && p.Rank(f)
}

// backStackMax bounds how many jumps can be taken back.
const backStackMax = 32

// jump goes to a page so that one can come back.
func (a *Shell) jump(page int) {
	if len(a.backStack) >= backStackMax {
		a.backStack = append(a.backStack[:0], a.backStack[1:]...)
	}
	e := historyEntry{page: a.at}
	for _, p := range a.pages {
		e.spots = append(e.spots, p.Spot())
	}
	a.backStack = append(a.backStack, e)
	a.goTo(page)
}

// turnTo goes to a page by its digit.
func (a *Shell) turnTo(page int) {
	if page == a.at {
		a.goTo(page)
		return
	}
	a.jump(page)
	a.backStack[len(a.backStack)-1].turned = true
}

// comeBack takes the last jump back.
func (a *Shell) comeBack() {
	if len(a.backStack) == 0 {
		a.refuse(a.th.Say("nothing-to-go-back-to-no"))
		return
	}
	e := a.backStack[len(a.backStack)-1]
	a.backStack = a.backStack[:len(a.backStack)-1]
	a.goTo(e.page)
	for i, p := range a.pages {
		p.Return(a.Frame(), e.spots[i])
	}
}

// show goes to the page that shows what was asked for: the one where one is, or the
// first of those that do.
func (a *Shell) show(r page.Request) {
	switch {
	case r.Why != "":
		a.refuse(r.Why)
		return
	case r.Show == 0:
		return
	}
	to := a.at
	for i := 0; a.pages[to].About().Shows&r.Show == 0; i++ {
		to = i
	}
	if to != a.at || !r.Replaces {
		a.jump(to)
	}
	a.current().Show(a.Frame(), r)
}

// openSession goes to the session of the selected claim.
func (a *Shell) openSession() {
	t := a.target(a.Frame())
	r := page.Request{Show: page.ShowSession}
	switch {
	case t.Claim != nil:
		r.Lease = t.Claim.KV.Lease
	case t.Finding != nil && a.state.Lease(t.Finding.Lease) != nil:
		r.Lease = t.Finding.Lease
	}
	if r.Lease == 0 {
		r.Why = a.th.Say("the-selected-item-has-no-session")
	}
	a.show(r)
}

// openFinding goes to the worst finding about what is selected.
func (a *Shell) openFinding() {
	f, why := a.current().Finding(a.Frame())
	if f != nil {
		why = ""
	}
	a.show(page.Request{Show: page.ShowFinding, Finding: f, Why: why})
}

// openOutput goes to what the program printed that is selected, or to that of all.
func (a *Shell) openOutput() {
	all := a.state.Reports().Outputs()
	if len(all) == 0 {
		a.show(page.Request{Why: a.th.Say("no-program-of-yours-has-printed")})
		return
	}
	r := page.Request{Show: page.ShowOutput}
	if name := a.Target().Action.Contender; slices.ContainsFunc(all, func(o *reports.Output) bool { return o.Contender == name }) {
		r.Program = name
	}
	a.show(r)
}

// openColumns opens the list of the columns of the table that has the keyboard.
func (a *Shell) openColumns(host.View) []host.Intent {
	p := a.current().(page.Tabled)
	name, _ := p.Focus(a.Frame())
	return dialog.OpenColumns(name, p.Tables()[name])
}

// marksMax bounds how many locks are bookmarked.
const marksMax = 100

// toggleMark bookmarks the lock of what is selected, or takes its mark away.
func (a *Shell) toggleMark() {
	r, m := a.current().Lock(a.Frame()), &a.viewState.Marked
	name := r.Lock
	switch {
	case name == "":
		a.refuse(r.Why)
		return
	case m.Has[name]:
		m.Drop(name)
		a.say(draw.Plain, a.th.Say("no-mark-any-more", model.Verbatim(a.th.Clean(name))))
		return
	case len(m.Names) >= marksMax:
		a.refuse(a.th.Say("that-would-be-too-many-marks"))
		return
	}
	m.Toggle(name)
	a.say(draw.Plain, a.th.Say("lock-marked", model.Verbatim(a.th.Clean(name))))
}

// nextMark goes to the lock that was marked after the one that is selected: its queue if
// one looks at a queue, else its row.
func (a *Shell) nextMark() {
	names := a.viewState.Marked.Names
	at := slices.Index(names, a.current().Lock(a.Frame()).Lock)
	for i := range names {
		name := names[(at+1+i)%len(names)]
		if a.state.Lock(name) != nil {
			a.show(page.Request{Show: page.ShowRow, Lock: name})
			return
		}
	}
	if len(names) > 0 {
		a.refuse(a.th.Say("none-of-the-marked-locks-is"))
		return
	}
	a.refuse(a.th.Say("no-lock-is-marked-b-marks"))
}

func (a *Shell) goTo(page int) {
	if page != a.at && a.local {
		a.notice = notice{}
	}
	a.at, a.overlay = page, nil
}

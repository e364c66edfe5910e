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
func (sh *Shell) jump(page int) {
	if len(sh.backStack) >= backStackMax {
		sh.backStack = append(sh.backStack[:0], sh.backStack[1:]...)
	}
	e := historyEntry{page: sh.at}
	for _, p := range sh.pages {
		e.spots = append(e.spots, p.Spot())
	}
	sh.backStack = append(sh.backStack, e)
	sh.goTo(page)
}

// turnTo goes to a page by its digit.
func (sh *Shell) turnTo(page int) {
	if page == sh.at {
		sh.goTo(page)
		return
	}
	sh.jump(page)
	sh.backStack[len(sh.backStack)-1].turned = true
}

// comeBack takes the last jump back.
func (sh *Shell) comeBack() {
	if len(sh.backStack) == 0 {
		sh.refuse(sh.th.Say("nothing-to-go-back-to-no"))
		return
	}
	e := sh.backStack[len(sh.backStack)-1]
	sh.backStack = sh.backStack[:len(sh.backStack)-1]
	sh.goTo(e.page)
	for i, p := range sh.pages {
		p.Return(sh.Frame(), e.spots[i])
	}
}

// show goes to the page that shows what was asked for: the one where one is, or the
// first of those that do.
func (sh *Shell) show(r page.Request) {
	switch {
	case r.Why != "":
		sh.refuse(r.Why)
		return
	case r.Show == 0:
		return
	}
	to := sh.at
	for i := 0; sh.pages[to].About().Shows&r.Show == 0; i++ {
		to = i
	}
	if to != sh.at || !r.Replaces {
		sh.jump(to)
	}
	sh.current().Show(sh.Frame(), r)
}

// openSession goes to the session of the selected claim.
func (sh *Shell) openSession() {
	t := sh.target(sh.Frame())
	r := page.Request{Show: page.ShowSession}
	switch {
	case t.Claim != nil:
		r.Lease = t.Claim.KV.Lease
	case t.Finding != nil && sh.state.Lease(t.Finding.Lease) != nil:
		r.Lease = t.Finding.Lease
	}
	if r.Lease == 0 {
		r.Why = sh.th.Say("the-selected-item-has-no-session")
	}
	sh.show(r)
}

// openFinding goes to the worst finding about what is selected.
func (sh *Shell) openFinding() {
	f, why := sh.current().Finding(sh.Frame())
	if f != nil {
		why = ""
	}
	sh.show(page.Request{Show: page.ShowFinding, Finding: f, Why: why})
}

// openOutput goes to what the program printed that is selected, or to that of all.
func (sh *Shell) openOutput() {
	all := sh.state.Reports().Outputs()
	if len(all) == 0 {
		sh.show(page.Request{Why: sh.th.Say("no-program-of-yours-has-printed")})
		return
	}
	r := page.Request{Show: page.ShowOutput}
	if name := sh.Target().Action.Contender; slices.ContainsFunc(all, func(o *reports.Output) bool { return o.Contender == name }) {
		r.Program = name
	}
	sh.show(r)
}

// openColumns opens the list of the columns of the table that has the keyboard.
func (sh *Shell) openColumns(host.View) []host.Intent {
	p := sh.current().(page.Tabled)
	name, _ := p.Focus(sh.Frame())
	return dialog.OpenColumns(name, p.Tables()[name])
}

// marksMax bounds how many locks are bookmarked.
const marksMax = 100

// toggleMark bookmarks the lock of what is selected, or takes its mark away.
func (sh *Shell) toggleMark() {
	r, m := sh.current().Lock(sh.Frame()), &sh.viewState.Marked
	name := r.Lock
	switch {
	case name == "":
		sh.refuse(r.Why)
		return
	case m.Has[name]:
		m.Drop(name)
		sh.say(draw.Plain, sh.th.Say("no-mark-any-more", model.Verbatim(sh.th.Clean(name))))
		return
	case len(m.Names) >= marksMax:
		sh.refuse(sh.th.Say("that-would-be-too-many-marks"))
		return
	}
	m.Toggle(name)
	sh.say(draw.Plain, sh.th.Say("lock-marked", model.Verbatim(sh.th.Clean(name))))
}

// nextMark goes to the lock that was marked after the one that is selected: its queue if
// one looks at a queue, else its row.
func (sh *Shell) nextMark() {
	names := sh.viewState.Marked.Names
	at := slices.Index(names, sh.current().Lock(sh.Frame()).Lock)
	for i := range names {
		name := names[(at+1+i)%len(names)]
		if sh.state.Lock(name) != nil {
			sh.show(page.Request{Show: page.ShowRow, Lock: name})
			return
		}
	}
	if len(names) > 0 {
		sh.refuse(sh.th.Say("none-of-the-marked-locks-is"))
		return
	}
	sh.refuse(sh.th.Say("no-lock-is-marked-b-marks"))
}

func (sh *Shell) goTo(page int) {
	if page != sh.at && sh.local {
		sh.notice = notice{}
	}
	sh.at, sh.overlay = page, nil
}

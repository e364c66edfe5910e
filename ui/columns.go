package ui

import "maps"

// columnMenu is the dialog in which columns of a table are switched on and off.
type columnMenu struct {
	name string
	t    *table
	at   int
}

// tables are the tables of the console by name.
func (a *App) tables() map[string]*table {
	all := map[string]*table{}
	for _, p := range a.pages {
		if p, ok := p.(tabled); ok {
			maps.Copy(all, p.Tables())
		}
	}
	return all
}

func (a *App) whyNoColumns() string {
	_, why := a.here().(tabled).Table(a.frame())
	return why
}

func (a *App) openColumns() {
	p := a.here().(tabled)
	name, _ := p.Table(a.frame())
	a.columns = &columnMenu{name: name, t: p.Tables()[name]}
}

func (m *columnMenu) move(n int) { m.at = max(0, min(m.at+n, len(m.t.cols)-1)) }

// toggle switches the column under the cursor.
func (a *App) toggleColumn() {
	m := a.columns
	c := m.t.cols[m.at]
	if c.rank == 0 {
		a.say(late, c.title+" stays: the rows are about it")
		return
	}
	m.t.show(c, m.t.off[c.title])
}

// lines is the menu in at most h lines of w cells.
func (m *columnMenu) lines(a *App, w, h int) [][]span {
	th := a.th
	top := max(0, m.at-max(1, h-3)+1)
	out := [][]span{{{dim, "of the " + m.name + "; without room the least important go by themselves"}}}
	for i, c := range m.t.cols {
		if i < top || len(out) >= max(1, h-1) {
			continue
		}
		mark, box, st := "  ", "[x] ", plain
		if i == m.at {
			mark = th.sign.cursor + " "
		}
		if m.t.off[c.title] {
			box, st = "[ ] ", dim
		}
		line := []span{{accent, mark}, {st, box + c.title}}
		switch {
		case c.rank == 0:
			line = append(line, span{dim, "  stays"})
		case !m.t.off[c.title] && i < len(m.t.widths) && m.t.widths[i] == 0:
			line = append(line, span{dim, "  no room now"})
		}
		out = append(out, line)
	}
	return append(out, a.hints(inColumns, w))
}

func columnKeys(on places) []binding {
	return []binding{
		{keys: []string{"v"}, in: on.tables, what: "which columns are shown", why: (*App).whyNoColumns, do: run((*App).openColumns)},
		{keys: []string{" "}, in: inColumns, short: "on or off", what: "show the column, or do not", do: run((*App).toggleColumn)},
		{keys: []string{"up", "k"}, in: inColumns, what: "column above", do: run(func(a *App) { a.columns.move(-1) })},
		{keys: []string{"down", "j"}, in: inColumns, what: "column below", do: run(func(a *App) { a.columns.move(1) })},
		{keys: []string{"esc", "v", "q", "enter"}, in: inColumns, short: "close", what: "close the list of columns", do: run(func(a *App) { a.columns = nil })},
	}
}

// markKeys are those of the marks.
func markKeys(on places) []binding {
	return []binding{
		{keys: []string{"b"}, in: on.targets, what: "bookmark the lock, or take the mark away", do: run((*App).toggleMark)},
		{keys: []string{"'"}, in: on.all, what: "to the next bookmarked lock", do: run((*App).nextMark)},
	}
}

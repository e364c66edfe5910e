package ui

import (
	"maps"

	"locktop/ui/draw"
	"locktop/ui/page"
	"locktop/ui/table"
)

// columnMenu is the dialog in which columns of a table are switched on and off.
type columnMenu struct {
	name string
	t    *table.Table
	at   int
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

func (a *App) whyNoColumns() string {
	_, why := a.here().(page.Tabled).Focus(a.frame())
	return why
}

func (a *App) openColumns() {
	p := a.here().(page.Tabled)
	name, _ := p.Focus(a.frame())
	a.columns = &columnMenu{name: name, t: p.Tables()[name]}
}

func (m *columnMenu) move(n int) { m.at = max(0, min(m.at+n, len(m.t.Cols)-1)) }

// toggle switches the column under the cursor.
func (a *App) toggleColumn() {
	m := a.columns
	c := m.t.Cols[m.at]
	if c.Rank == 0 {
		a.say(draw.Late, c.Title+" stays: the rows are about it")
		return
	}
	m.t.Show(c, m.t.Off[c.Title])
}

func (m *columnMenu) where() where { return inColumns }

// over paints the menu over the lines of the screen.
func (m *columnMenu) over(a *App, lines []string) []string { return a.box(lines, " columns ", m.lines) }

// lines is the menu in at most h lines of w cells.
func (m *columnMenu) lines(a *App, w, h int) [][]draw.Span {
	th := a.th
	top := max(0, m.at-max(1, h-3)+1)
	out := [][]draw.Span{{draw.Dim.Of("of the " + m.name + "; without room the least important go by themselves")}}
	for i, c := range m.t.Cols {
		if i < top || len(out) >= max(1, h-1) {
			continue
		}
		mark, box, st := "  ", "[x] ", draw.Plain
		if i == m.at {
			mark = th.Sign.Cursor + " "
		}
		if m.t.Off[c.Title] {
			box, st = "[ ] ", draw.Dim
		}
		line := []draw.Span{draw.Accent.Of(mark), st.Of(box + c.Title)}
		switch {
		case c.Rank == 0:
			line = append(line, draw.Dim.Of("  stays"))
		case !m.t.Off[c.Title] && i < len(m.t.Widths) && m.t.Widths[i] == 0:
			line = append(line, draw.Dim.Of("  no room now"))
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

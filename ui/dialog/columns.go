package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/table"
)

// Columns is the list in which columns of a table are switched on and off.
type Columns struct {
	size
	h    host.Host
	name string
	t    *table.Table
	at   int
}

// OpenColumns opens the list for the table of that name.
func OpenColumns(h host.Host, name string, t *table.Table) {
	h.Open(&Columns{h: h, name: name, t: t}, false)
}

func (m *Columns) move(n int) { m.at = max(0, min(m.at+n, len(m.t.Cols)-1)) }

// toggle switches the column under the cursor.
func (m *Columns) toggle() {
	c := m.t.Cols[m.at]
	if c.Rank == 0 {
		m.h.Say(draw.Late, m.h.Frame().Th.Say("column-stays", model.Verbatim(m.h.Frame().Th.Say(c.Title))))
		return
	}
	m.t.Show(c, m.t.Off[c.Title])
}

// Place is the list's own.
func (m *Columns) Place() host.Where { return host.InColumns }

// PaintOver paints the list over the lines of the screen.
func (m *Columns) PaintOver(lines []string) []string {
	return box(m.h.Frame().Th, draw.Accent, lines, &m.size, " "+m.h.Frame().Th.Say("columns")+" ", m.lines)
}

// lines is the menu in at most h lines of w cells.
func (m *Columns) lines(w, h int) [][]draw.Span {
	th := m.h.Frame().Th
	top := max(0, m.at-max(1, h-3)+1)
	out := [][]draw.Span{{draw.Dim.Of(th.Say("narrow-screens-drop", model.Verbatim(th.TableName(m.name))))}}
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
		line := []draw.Span{draw.Accent.Of(mark), st.Of(box + th.Say(c.Title))}
		switch {
		case c.Rank == 0:
			line = append(line, draw.Dim.Of("  "+th.Say("stays")))
		case !m.t.Off[c.Title] && i < len(m.t.Widths) && m.t.Widths[i] == 0:
			line = append(line, draw.Dim.Of("  "+th.Say("no-room-now")))
		}
		out = append(out, line)
	}
	return append(out, m.h.Hints(host.InColumns, w))
}

func columnKeys(on func(func(m *Columns) tea.Cmd) func() tea.Cmd) []host.Key {
	run := func(f func(m *Columns)) func() tea.Cmd {
		return on(func(m *Columns) tea.Cmd { f(m); return nil })
	}
	return []host.Key{
		{Keys: []string{" "}, Where: host.InColumns, Short: "key-on-or-off", What: "show-the-column-or-do-not", Do: run((*Columns).toggle)},
		{Keys: []string{"up", "k"}, Where: host.InColumns, What: "column-above", Do: run(func(m *Columns) { m.move(-1) })},
		{Keys: []string{"down", "j"}, Where: host.InColumns, What: "column-below", Do: run(func(m *Columns) { m.move(1) })},
		{Keys: []string{"esc", "v", "q", "enter"}, Where: host.InColumns, Short: "key-close", What: "close-the-list-of-columns", Do: run(func(m *Columns) { m.h.Close() })},
	}
}

package dialog

import (
	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/table"
)

// Columns is the list in which columns of a table are switched on and off.
type Columns struct {
	size
	name string
	t    *table.Table
	at   int
}

// OpenColumns opens the list for the table of that name.
func OpenColumns(name string, t *table.Table) []host.Intent {
	return []host.Intent{host.Open{Dialog: &Columns{name: name, t: t}}}
}

func (cs *Columns) move(n int) { cs.at = max(0, min(cs.at+n, len(cs.t.Cols)-1)) }

// toggle switches the column under the cursor.
func (cs *Columns) toggle(v host.View) []host.Intent {
	c := cs.t.Cols[cs.at]
	if c.Rank == 0 {
		return []host.Intent{host.Say{St: draw.Late, Text: v.Th.Say("column-stays", model.Verbatim(v.Th.Say(c.Title)))}}
	}
	cs.t.Show(c, cs.t.Off[c.Title])
	return nil
}

// Place is the list's own.
func (cs *Columns) Place() host.Where { return host.InColumns }

// PaintOver paints the list over the lines of the screen.
func (cs *Columns) PaintOver(v host.View, lines []string) []string {
	return box(v, draw.Accent, lines, &cs.size, " "+v.Th.Say("columns")+" ", cs.lines)
}

// lines is the menu in at most h lines of w cells.
func (cs *Columns) lines(v host.View, w, h int) [][]draw.Span {
	th := v.Th
	top := max(0, cs.at-max(1, h-3)+1)
	out := [][]draw.Span{{draw.Dim.Of(th.Say("narrow-screens-drop", model.Verbatim(th.TableName(cs.name))))}}
	for i, c := range cs.t.Cols {
		if i < top || len(out) >= max(1, h-1) {
			continue
		}
		mark, box, st := "  ", "[x] ", draw.Plain
		if i == cs.at {
			mark = th.Sign.Cursor + " "
		}
		if cs.t.Off[c.Title] {
			box, st = "[ ] ", draw.Dim
		}
		line := []draw.Span{draw.Accent.Of(mark), st.Of(box + th.Say(c.Title))}
		switch {
		case c.Rank == 0:
			line = append(line, draw.Dim.Of("  "+th.Say("stays")))
		case !cs.t.Off[c.Title] && i < len(cs.t.Widths) && cs.t.Widths[i] == 0:
			line = append(line, draw.Dim.Of("  "+th.Say("no-room-now")))
		}
		out = append(out, line)
	}
	return append(out, v.Hints(host.InColumns, w))
}

func columnKeys(top func() host.Dialog) []host.Key {
	run := onTopAlone[*Columns](top)
	return []host.Key{
		{Keys: []string{" "}, Where: host.InColumns, Short: "key-on-or-off", What: "show-the-column-or-do-not", Do: onTop[*Columns](top)((*Columns).toggle)},
		{Keys: []string{"up", "k"}, Where: host.InColumns, What: "column-above", Do: run(func(m *Columns) { m.move(-1) })},
		{Keys: []string{"down", "j"}, Where: host.InColumns, What: "column-below", Do: run(func(m *Columns) { m.move(1) })},
		{Keys: []string{"home", "g"}, Where: host.InColumns, What: "first-word", Do: run(func(m *Columns) { m.move(-m.at) })},
		{Keys: []string{"end", "G"}, Where: host.InColumns, What: "last", Do: run(func(m *Columns) { m.move(len(m.t.Cols)) })},
		{Keys: []string{"esc", "v", "q", "enter"}, Where: host.InColumns, Short: "key-close", What: "close-the-list-of-columns", Do: closes},
	}
}

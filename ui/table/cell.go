package table

import (
	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/fields"
)

// cell is a column of a table, and what fills it in for an R.
type cell[R any] struct {
	Column
	Fill func(*Row, *R)
}

// Cells are the columns of a table with what fills them in, so that none stands under
// the title of another.
type Cells[R any] []cell[R]

// CellsOf are those of the fields that the console shows, in their order. own are those, by
// title, that it does not write as a table on paper would.
func CellsOf[R any](of []fields.Field[R], own map[model.MessageID]func(*Row, *R), sorts map[model.MessageID]SortKey) Cells[R] {
	var all Cells[R]
	for _, x := range fields.Console(of) {
		fill := own[x.Title]
		if fill == nil {
			fill = func(r *Row, v *R) { r.Add(draw.Plain, r.F.Th.Cut(r.F.Th.FormatSentence(x.Text(*v)), r.Room())) }
		}
		w := x.Width
		all = append(all, cell[R]{Column{x.Title, w.Least, w.Fair, w.Most, w.Rank, w.Right, w.Picture, sorts[x.Title]}, fill})
	}
	return all
}

// Columns are the columns without what fills them in.
func (all Cells[R]) Columns() []Column {
	out := make([]Column, len(all))
	for i, c := range all {
		out[i] = c.Column
	}
	return out
}

// Row fills in a line about x.
func (all Cells[R]) Row(f View, x R, r *Row) {
	about, _ := r.about.(*R) // kept: else every row would take memory for it
	if about == nil {
		about = new(R)
		r.about = about
	}
	r.F, *about = f, x
	for i := range all {
		all[i].Fill(r, about)
		r.End()
	}
}

// GoneRow is the line about what is no more: its name and these words.
func (all Cells[R]) GoneRow(name string, r *Row) {
	r.cell(draw.Dim, name)
	for range all[2:] {
		r.End()
	}
	r.cell(draw.Dim, r.F.Th.Say("is-no-more"))
}

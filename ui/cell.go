package ui

import "locktop/ui/fields"

// cell is a column of a table, and what fills it in for an R.
type cell[R any] struct {
	column
	fill func(*row, *R)
}

// cells are the columns of a table with what fills them in, so that none stands under
// the title of another.
type cells[R any] []cell[R]

// cellsOf are those of the fields that the console shows, in their order. own are those, by
// title, that it does not write as a table on paper would.
func cellsOf[R any](of []fields.Field[R], own map[string]func(*row, *R), sorts map[string]sortKey) cells[R] {
	var all cells[R]
	for _, x := range fields.Console(of) {
		fill := own[x.Title]
		if fill == nil {
			fill = func(r *row, v *R) { r.add(plain, r.f.th.cut(r.f.th.prose(x.Text(*v)), r.room())) }
		}
		w := x.Width
		all = append(all, cell[R]{column{x.Title, w.Least, w.Fair, w.Most, w.Rank, w.Right, sorts[x.Title]}, fill})
	}
	return all
}

func (all cells[R]) columns() []column {
	out := make([]column, len(all))
	for i, c := range all {
		out[i] = c.column
	}
	return out
}

// row fills in a line about x.
func (all cells[R]) row(f view, x R, r *row) {
	about, _ := r.about.(*R) // kept: else every row would take memory for it
	if about == nil {
		about = new(R)
		r.about = about
	}
	r.f, *about = f, x
	for i := range all {
		all[i].fill(r, about)
		r.end()
	}
}

// goneRow is the line about what is no more: its name and these words.
func (all cells[R]) goneRow(name string, r *row) {
	r.cell(dim, name)
	for range all[2:] {
		r.end()
	}
	r.cell(dim, "is no more")
}

package page

import (
	"time"

	"locktop/ui/table"
)

// List is what the pages have in common that are one table: its cursor, and a filter.
type List struct {
	Usual
	name   string // of the table
	Table  table.Table
	Pick   Selection
	filter string
	order  *table.Rhythm // when it is gone over anew
}

// newList is a list of that name, without rows yet.
func newList(name string, t table.Table, order *table.Rhythm) List {
	return List{name: name, Table: t, order: order}
}

// MoveTo puts the cursor on the ith of n rows, which then stay where they are for a while.
func (l *List) MoveTo(i, n int, id func(int) string, now time.Time) {
	l.Pick.Move(i, n, id)
	l.order.NotBefore = now.Add(table.SortHold)
}

// Choose puts the cursor on a row by its id.
func (l *List) Choose(id string) { l.Pick.ID, l.Pick.Pinned, l.order.Force = id, true, true }

// CursorRow is the row under the cursor of n, -1 if there is none.
func (l *List) CursorRow(n int, id func(int) string) int {
	if l.Pick.Place < n && l.Pick.ID == id(l.Pick.Place) {
		return l.Pick.Place
	}
	return -1
}

// Step is how many rows a screen of the table has.
func (l *List) Step() int { return l.Table.Step() }

// Spot is the row under the cursor.
func (l *List) Spot() string { return l.Pick.ID }

// Return puts the cursor on a row where it was.
func (l *List) Return(_ Frame, id string) {
	if id != "" {
		l.Choose(id)
	}
}

// Back lets go of the filter.
func (l *List) Back(Frame) bool {
	l.SetFilter("")
	return true
}

// Filter is what rows are filtered by.
func (l *List) Filter() string { return l.filter }

// SetFilter filters the rows, which are gone over anew.
func (l *List) SetFilter(text string) {
	if l.filter != text {
		l.filter, l.order.Force, l.Table.Top = text, true, 0
		l.Pick.stayIf(text == "")
	}
}

// Tables are the one table.
func (l *List) Tables() map[string]*table.Table { return map[string]*table.Table{l.name: &l.Table} }

// Focus is always the table.
func (l *List) Focus(Frame) (name, why string) { return l.name, "" }

package page

import (
	"time"

	"locktop/ui/table"
)

// list is what the pages have in common that are one table: its cursor, and a filter.
type list struct {
	usual
	name   string // of the table
	table  table.Table
	pick   Selection
	filter string
	order  *table.Rhythm // when it is gone over anew
}

// move puts the cursor on the ith of n rows, which then stay where they are for a while.
func (l *list) move(i, n int, id func(int) string, now time.Time) {
	l.pick.Move(i, n, id)
	l.order.Held = now.Add(table.SortHold)
}

func (l *list) choose(id string) { l.pick.ID, l.pick.Pinned, l.order.Force = id, true, true }

// chosen is the row under the cursor of n, -1 if there is none.
func (l *list) chosen(n int, id func(int) string) int {
	if l.pick.Place < n && l.pick.ID == id(l.pick.Place) {
		return l.pick.Place
	}
	return -1
}

func (l *list) Step() int { return l.table.Step() }

func (l *list) Spot() string { return l.pick.ID }

func (l *list) Return(_ Frame, id string) {
	if id != "" {
		l.choose(id)
	}
}

func (l *list) Back(Frame) bool {
	l.SetFilter("")
	return true
}

func (l *list) Filter() string { return l.filter }

func (l *list) SetFilter(text string) {
	if l.filter != text {
		l.filter, l.order.Force, l.table.Top = text, true, 0
		l.pick.stayIf(text == "")
	}
}

func (l *list) Tables() map[string]*table.Table { return map[string]*table.Table{l.name: &l.table} }

func (l *list) Focus(Frame) (name, why string) { return l.name, "" }

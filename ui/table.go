package ui

import "slices"

// column is a column of a table as data.
type column struct {
	title string
	// least is the width below which the column is dropped. It grows to fair
	// before any grows beyond, and never beyond most.
	least, fair, most int
	// rank says who goes first when it gets narrow: the highest. Rank 0 stays.
	rank  int
	right bool // numbers stand at the right
	sort  sortKey
}

// fitColumns returns the width of each column, 0 for dropped ones: least first,
// and what is left goes to those of the lowest rank first.
func fitColumns(cols []column, w int) []int {
	ws := make([]int, len(cols))
	byRank := make([]int, len(cols))
	need := 0
	for i, c := range cols {
		byRank[i], ws[i] = i, c.least
		need += c.least + 1
	}
	need-- // no gap after the last one
	slices.SortStableFunc(byRank, func(a, b int) int { return cols[a].rank - cols[b].rank })
	for i := len(cols) - 1; i > 0 && need > w; i-- {
		if c := byRank[i]; cols[c].rank > 0 {
			need -= ws[c] + 1
			ws[c] = 0
		}
	}
	for _, c := range byRank { // too narrow even for those that stay
		if less := min(need-w, ws[c]-leastCell); less > 0 {
			ws[c] -= less
			need -= less
		}
	}
	rest := w - need
	grow := func(c, to int) {
		if n := min(rest, to-ws[c]); ws[c] > 0 && n > 0 {
			ws[c] += n
			rest -= n
		}
	}
	for _, c := range byRank {
		grow(c, cols[c].fair)
	}
	for _, c := range byRank {
		grow(c, cols[c].most)
	}
	return ws
}

// row is what a panel fills in for one line: spans, and where each cell ends.
type row struct {
	spans  []span
	ends   []int
	widths []int // of the columns, for cells that depend on it
	f      view
	about  any // what the row is about
}

func (r *row) put(sp span)               { r.spans = append(r.spans, sp) }
func (r *row) add(st style, text string) { r.put(span{st, text}) }
func (r *row) end()                      { r.ends = append(r.ends, len(r.spans)) }

func (r *row) cell(st style, text string) {
	r.add(st, text)
	r.end()
}

// room returns the width of the cell that is being filled.
func (r *row) room() int { return r.widths[len(r.ends)] }

// table paints rows. It knows nothing of what they are: only which of them are in
// the window and which one is under the cursor. Lines that did not change are
// kept, by the row's identity.
type table struct {
	cols   []column
	th     *theme
	w, h   int // h without the header
	top    int
	widths []int
	header bool
	off    map[string]bool // titles of columns that a person does not want to see

	row       row
	key       []byte
	old, kept map[string]kept
}

// kept is a painted line and what it was painted from.
type kept struct{ key, line string }

const (
	cursorWidth = 2
	leastCell   = 3
)

func newTable(cols []column, header bool) table {
	return table{cols: cols, header: header, old: map[string]kept{}, kept: map[string]kept{}}
}

// fit sets the size in cells, the header included, and the theme.
func (t *table) fit(w, h int, th *theme) {
	if t.header {
		h--
	}
	t.h = max(0, h)
	if w == t.w && th == t.th {
		return
	}
	t.w, t.th = w, th
	t.widths = t.fitShown(w - cursorWidth)
	t.row.widths = t.widths
	clear(t.old)
}

// fitShown is fitColumns for the columns that are wanted; the others have no width.
func (t *table) fitShown(w int) []int {
	if len(t.off) == 0 {
		return fitColumns(t.cols, w)
	}
	var shown []column
	for _, c := range t.cols {
		if !t.off[c.title] {
			shown = append(shown, c)
		}
	}
	some, all := fitColumns(shown, w), make([]int, len(t.cols))
	for i, c := range t.cols {
		if !t.off[c.title] {
			all[i], some = some[0], some[1:]
		}
	}
	return all
}

// show sets whether a column is wanted. One that the table is about stays.
func (t *table) show(c column, on bool) {
	if on || c.rank == 0 {
		delete(t.off, c.title)
	} else {
		if t.off == nil {
			t.off = map[string]bool{}
		}
		t.off[c.title] = true
	}
	t.th = nil // fitted anew
}

// step is how far PgUp and PgDn go.
func (t *table) step() int { return max(1, t.h-1) }

// reveal moves the window so that place i of n is in it.
func (t *table) reveal(i, n int) {
	if i >= t.top+t.h {
		t.top = i - t.h + 1
	}
	if i < t.top {
		t.top = i
	}
	t.top = max(0, min(t.top, n-t.h))
}

// at returns which row of the table stands at line y of it, -1 for the header
// and what lies below the last row.
func (t *table) at(y, n int) int {
	if t.header {
		y--
	}
	if i := t.top + y; y >= 0 && y < t.h && i < n {
		return i
	}
	return -1
}

// columnAt returns the column at cell x, -1 if there is none.
func (t *table) columnAt(x int) int {
	x -= cursorWidth
	for i, w := range t.widths {
		if w > 0 {
			if x >= 0 && x < w {
				return i
			}
			x -= w + 1
		}
	}
	return -1
}

// look says how the row under the cursor is shown.
type look struct {
	cursor int  // which row, -1 for none
	keys   bool // the table has the keyboard
}

// How a row is painted.
const (
	asUsual  byte = iota
	marked        // under the cursor, but the keyboard is elsewhere
	selected      // under the cursor
)

// paint appends the lines of the window, exactly as many as the table is high.
// id names a row, fill fills it in.
func (t *table) paint(lines []string, n int, l look, id func(int) string, fill func(int, *row)) []string {
	for i := t.top; i < t.top+t.h; i++ {
		if i >= n {
			lines = append(lines, blank(t.w))
			continue
		}
		t.row.spans, t.row.ends = t.row.spans[:0], t.row.ends[:0]
		fill(i, &t.row)
		as := asUsual
		switch {
		case i == l.cursor && l.keys:
			as = selected
		case i == l.cursor:
			as = marked
		}
		lines = append(lines, t.line(id(i), as))
	}
	t.old, t.kept = t.kept, t.old
	clear(t.kept)
	return lines
}

// line paints the row that was filled in, or finds it painted.
func (t *table) line(id string, as byte) string {
	key := append(t.key[:0], as)
	for _, sp := range t.row.spans {
		key = append(key, 0, byte(sp.st))
		key = append(key, sp.text...)
	}
	t.key = key
	if k, ok := t.old[id]; ok && k.key == string(key) {
		t.kept[id] = k
		return k.line
	}
	k := kept{string(key), t.draw(as)}
	t.kept[id] = k
	return k.line
}

// draw paints the row that was filled in.
func (t *table) draw(as byte) string {
	b := make([]byte, 0, t.w*2)
	styles := &t.th.before
	if as == selected {
		styles = &t.th.chosen
	}
	if as == asUsual {
		b = pad(b, cursorWidth)
	} else {
		b = t.th.put(b, accent, t.th.sign.cursor)
		b = pad(b, cursorWidth-1)
	}
	rest, from := t.w-cursorWidth, 0
	for i, w := range t.widths {
		to := t.row.ends[i]
		if w > 0 {
			if rest < t.w-cursorWidth {
				b = t.blank(b, 1, styles)
				rest--
			}
			b = t.cell(b, t.row.spans[from:to], w, t.cols[i].right, styles)
			rest -= w
		}
		from = to
	}
	return string(t.blank(b, rest, styles))
}

func (t *table) cell(b []byte, spans []span, w int, right bool, styles *[styleCount]string) []byte {
	if right {
		n := 0
		for _, sp := range spans {
			n += width(sp.text)
		}
		if n < w {
			b = t.blank(b, w-n, styles)
			w = n
		}
	}
	b, rest := t.th.spans(b, spans, w, styles)
	return t.blank(b, rest, styles)
}

func (t *table) blank(b []byte, n int, styles *[styleCount]string) []byte {
	if n <= 0 || styles != &t.th.chosen || styles[plain] == "" {
		return pad(b, n)
	}
	b = append(b, styles[plain]...)
	b = pad(b, n)
	return append(b, t.th.after...)
}

// head paints the titles; by sorts, and reversed turns its mark round.
func (t *table) head(by sortKey, reversed bool) string {
	t.row.spans, t.row.ends = t.row.spans[:0], t.row.ends[:0]
	for i, c := range t.cols {
		if c.sort == sortNone || c.sort != by {
			t.row.cell(heading, c.title)
			continue
		}
		mark := t.th.sign.dwn
		if reversed {
			mark = t.th.sign.up
		}
		title := c.title
		if over := len(title) + 1 - t.widths[i]; t.widths[i] > 0 && over > 0 { // the mark is worth a letter
			title = title[:max(0, len(title)-over)]
		}
		t.row.add(sorted, title)
		t.row.cell(sorted, mark)
	}
	return t.draw(asUsual)
}

// sortKey is by what a table is sorted, 0 for nothing. What the others mean its page says.
type sortKey int

const sortNone sortKey = 0

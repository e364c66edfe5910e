package table

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
)

// Column is a column of a table as data.
type Column struct {
	Title model.MessageID // over the column: it names the column too
	// Least is the width below which the column is dropped. It grows to fair
	// before any grows beyond, and never beyond most.
	Least, Fair, Most int
	// Rank says who goes first when it gets narrow: the highest. Rank 0 stays.
	Rank    int
	Right   bool // numbers stand at the right
	Picture bool // it grows beyond fair before any but those that stay
	Sort    SortKey
}

// Name is the title in English, by which the settings of a person know the column.
func (c Column) Name() string { return text.English(model.Message{ID: c.Title}) }

// gutter is how many cells stand between the columns of a table of w cells at least, and if they have
// the room. A column goes before they stand closer.
func gutter(w int) (least, most int) {
	switch {
	case w >= 190:
		return 2, 3
	case w >= 100:
		return 2, 2
	}
	return 1, 1
}

// fair says whether the columns have a fair width although they stand further apart, or what they
// would have side by side.
func fair(cols []Column, apart, close []int) bool {
	for i, c := range cols {
		if apart[i] < min(c.Fair, close[i]) || apart[i] == 0 && close[i] > 0 {
			return false
		}
	}
	return true
}

// FitColumns returns the width of each column in w cells, gap of them between two; 0 for dropped
// ones: least first, and what is left goes to those of the lowest rank first, beyond fair to those
// that stay and to pictures before the others.
func FitColumns(cols []Column, w, gap int) []int {
	ws := make([]int, len(cols))
	byRank := make([]int, len(cols))
	need := 0
	for i, c := range cols {
		byRank[i], ws[i] = i, c.Least
		need += c.Least + gap
	}
	need -= gap // none after the last one
	slices.SortStableFunc(byRank, func(a, b int) int { return cols[a].Rank - cols[b].Rank })
	for i := len(cols) - 1; i > 0 && need > w; i-- {
		if c := byRank[i]; cols[c].Rank > 0 {
			need -= ws[c] + gap
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
		grow(c, cols[c].Fair)
	}
	for _, first := range []bool{true, false} {
		for _, c := range byRank {
			if first == (cols[c].Rank == 0 || cols[c].Picture) {
				grow(c, cols[c].Most)
			}
		}
	}
	return ws
}

// Row is what a panel fills in for one line: spans, and where each cell ends.
type Row struct {
	Spans  []draw.Span
	Ends   []int
	Widths []int // of the columns, for cells that depend on it
	F      View
	about  any // what the row is about
}

// Put appends text to the cell that is being filled.
func (r *Row) Put(sp draw.Span) { r.Spans = append(r.Spans, sp) }

// Add does so in a style.
func (r *Row) Add(st draw.Style, text string) { r.Put(st.Of(text)) }

// End ends the cell.
func (r *Row) End() { r.Ends = append(r.Ends, len(r.Spans)) }

func (r *Row) cell(st draw.Style, text string) {
	r.Add(st, text)
	r.End()
}

// Room returns the width of the cell that is being filled.
func (r *Row) Room() int { return r.Widths[len(r.Ends)] }

// Table paints rows. It knows nothing of what they are: only which of them are in
// the window and which one is under the cursor. Lines that did not change are
// kept, by the row's identity.
type Table struct {
	Cols   []Column
	th     *draw.Theme
	w, H   int // h without the header
	gap    int // cells between two columns
	place  int // of the row under the cursor, of n
	n      int
	Top    int
	Widths []int
	Header bool
	Off    map[model.MessageID]bool // titles of columns that a person does not want to see
	Mute   map[model.MessageID]bool // and of those that have nothing to say
	by     SortKey
	names  map[model.MessageID]string // by title, what stands in its place
	edges  map[model.MessageID]string // and at the right end of the last column, if it is that
	bounds map[model.MessageID]int    // by title, how many cells a column takes at most
	claims map[model.MessageID]int    // by title, how many it takes

	Row       Row
	key       []byte
	Old, kept map[string]kept
}

// kept is a painted line and what it was painted from.
type kept struct{ key, line string }

const (
	cursorWidth = 2
	marginWidth = 1  // at the right: the scroll bar stands there
	barBytes    = 48 // that it takes with its style
	leastCell   = 3
)

// New returns a table, with a line of titles if header.
func New(cols []Column, header bool) Table {
	return Table{Cols: cols, Header: header, Old: map[string]kept{}, kept: map[string]kept{}}
}

// Fit sets the size in cells, the header included, and the theme.
func (t *Table) Fit(w, h int, th *draw.Theme) {
	if t.Header {
		h--
	}
	t.H = max(0, h)
	if w == t.w && th == t.th {
		return
	}
	t.w, t.th = w, th
	t.Widths = t.fitShown(w - cursorWidth - marginWidth)
	t.Row.Widths = t.Widths
	clear(t.Old)
}

// Bound keeps a column from growing beyond so many cells, which is all that it has to say. It
// goes in steps, so that the table is not laid out anew for each letter.
func (t *Table) Bound(title model.MessageID, cells int) {
	const step = 2
	cells = (cells + step - 1) / step * step
	if t.bounds[title] == cells {
		return
	}
	if t.bounds == nil {
		t.bounds = map[model.MessageID]int{}
	}
	t.bounds[title], t.th = cells, nil // fitted anew
}

// Claim gives a column so many cells, no more and no less, before any that goes when it gets narrow.
func (t *Table) Claim(title model.MessageID, cells int) {
	if t.claims[title] != cells {
		if t.claims == nil {
			t.claims = map[model.MessageID]int{}
		}
		t.claims[title], t.th = cells, nil // fitted anew
	}
}

// SortBy names the column that sorts: where it gets narrow it stays longer than most.
func (t *Table) SortBy(by SortKey) {
	if t.by != by {
		t.by, t.th = by, nil // fitted anew
	}
}

// sorting is the rank of the column that sorts.
const sorting = 1

// fitShown is [FitColumns] for the columns that are wanted; the others have no width.
func (t *Table) fitShown(w int) []int {
	var shown []Column
	for _, c := range t.Cols {
		if c.Sort != SortNone && c.Sort == t.by {
			c.Rank = min(c.Rank, sorting)
		}
		if n := t.bounds[c.Title]; n > 0 {
			c.Least = min(c.Least, max(n, draw.Width(t.titleOf(c))+1)) // and the mark of what sorts
			c.Fair, c.Most = min(c.Fair, max(c.Least, n)), min(c.Most, max(c.Least, n))
		}
		if n := max(c.Least, t.claims[c.Title]); t.claims[c.Title] > 0 {
			c.Least, c.Fair, c.Most = n, n, n
		}
		if !t.hides(c) {
			shown = append(shown, c)
		}
	}
	least, most := gutter(t.w)
	t.gap = least
	some, all := FitColumns(shown, w, least), make([]int, len(t.Cols))
	if airy := FitColumns(shown, w, most); most > least && fair(shown, airy, some) {
		t.gap, some = most, airy
	}
	for i, c := range t.Cols {
		if !t.hides(c) {
			all[i], some = some[0], some[1:]
		}
	}
	return all
}

// hides says whether a column does not show, however much room there is.
func (t *Table) hides(c Column) bool { return t.Off[c.Title] || t.Mute[c.Title] }

// Speaks sets whether a column has anything to say.
func (t *Table) Speaks(title model.MessageID, on bool) {
	if t.Mute[title] == on {
		if t.Mute == nil {
			t.Mute = map[model.MessageID]bool{}
		}
		t.Mute[title], t.th = !on, nil // fitted anew
	}
}

// Show sets whether a column is wanted. One that the table is about stays.
func (t *Table) Show(c Column, on bool) {
	if on || c.Rank == 0 {
		delete(t.Off, c.Title)
	} else {
		if t.Off == nil {
			t.Off = map[model.MessageID]bool{}
		}
		t.Off[c.Title] = true
	}
	t.th = nil // fitted anew
}

// Step is how far PgUp and PgDn go.
func (t *Table) Step() int { return max(1, t.H-1) }

// Reveal moves the window so that place i of n is in it.
func (t *Table) Reveal(i, n int) {
	t.place, t.n = i, n
	if i >= t.Top+t.H {
		t.Top = i - t.H + 1
	}
	if i < t.Top {
		t.Top = i
	}
	t.Top = max(0, min(t.Top, n-t.H))
}

// At returns which row of the table stands at line y of it, -1 for the header
// and what lies below the last row.
func (t *Table) At(y, n int) int {
	if t.Header {
		y--
	}
	if i := t.Top + y; y >= 0 && y < t.H && i < n {
		return i
	}
	return -1
}

// Pick returns the row to which a click goes, -1 for none, and whether that row stands in cell x of line y:
// on the scroll bar it is the one that comes to stand in that line, with the window moved there.
func (t *Table) Pick(x, y, n int) (i int, row bool) {
	if i = t.At(y, n); i < 0 || x != t.w-1 || n <= t.H {
		return i, i >= 0
	}
	line, size := i-t.Top, t.thumb(n)
	t.Top = max(0, min((line-size/2)*(n-t.H)/max(1, t.H-size), n-t.H))
	return t.Top + line, false
}

// thumb is how many lines of the scroll bar stand for the window, of a list of n.
func (t *Table) thumb(n int) int { return max(1, t.H*t.H/n) }

// ColumnAt returns the column at cell x, -1 if there is none.
func (t *Table) ColumnAt(x int) int {
	x -= cursorWidth
	for i, w := range t.Widths {
		if w > 0 {
			if x >= 0 && x < w {
				return i
			}
			x -= w + t.gap
		}
	}
	return -1
}

// Look says how the row under the cursor is shown.
type Look struct {
	Cursor int  // which row, -1 for none
	Keys   bool // the table has the keyboard
}

// How a row is painted: as one of the first three, with a part of the scroll bar or without.
const (
	asUsual  byte = iota
	marked        // under the cursor, but the keyboard is elsewhere
	selected      // under the cursor
	look     byte = 3
	track    byte = 4 // the scroll bar
	thumb    byte = 8 // and what of the list is shown
)

// bar is what of the scroll bar stands in a line of the window, of a list of n.
func (t *Table) bar(line, n int) byte {
	if n <= t.H || t.H == 0 {
		return 0
	}
	size := t.thumb(n)
	if at := t.Top * (t.H - size) / (n - t.H); line >= at && line < at+size {
		return thumb
	}
	return track
}

// Paint appends the lines of the window, exactly as many as the table is high.
// id names a row, fill fills it in.
func (t *Table) Paint(lines []string, n int, l Look, id func(int) string, fill func(int, *Row)) []string {
	for i := t.Top; i < t.Top+t.H; i++ {
		if i >= n {
			lines = append(lines, draw.Blank(t.w))
			continue
		}
		t.Row.Spans, t.Row.Ends = t.Row.Spans[:0], t.Row.Ends[:0]
		fill(i, &t.Row)
		as := asUsual
		switch {
		case i == l.Cursor && l.Keys:
			as = selected
		case i == l.Cursor:
			as = marked
		}
		lines = append(lines, t.line(id(i), as|t.bar(i-t.Top, n)))
	}
	t.Old, t.kept = t.kept, t.Old
	clear(t.kept)
	return lines
}

// Aside paints a line in the columns of the table that is none of its rows. fill says what stands in each.
func (t *Table) Aside(fill func(title model.MessageID, r *Row)) string {
	t.Row.Spans, t.Row.Ends = t.Row.Spans[:0], t.Row.Ends[:0]
	for i := range t.Cols {
		fill(t.Cols[i].Title, &t.Row)
		t.Row.End()
	}
	return t.draw(asUsual)
}

// line paints the row that was filled in, or finds it painted.
func (t *Table) line(id string, as byte) string {
	key := append(t.key[:0], as)
	for _, sp := range t.Row.Spans {
		key = append(key, 0, byte(sp.St))
		key = append(key, sp.Text...)
	}
	t.key = key
	if k, ok := t.Old[id]; ok && k.key == string(key) {
		t.kept[id] = k
		return k.line
	}
	k := kept{string(key), t.draw(as)}
	t.kept[id] = k
	return k.line
}

// draw paints the row that was filled in.
func (t *Table) draw(as byte) string {
	b := make([]byte, 0, t.w*3+barBytes)
	styles := &t.th.Before
	bar := as &^ look
	if as &= look; as == selected {
		styles = &t.th.Chosen
	}
	if as == asUsual {
		b = draw.Pad(b, cursorWidth)
	} else {
		b = t.th.Put(b, draw.Accent, t.th.Sign.Cursor)
		b = t.blank(b, cursorWidth-1, styles)
	}
	rest, from := t.w-cursorWidth-marginWidth, 0
	for i, w := range t.Widths {
		to := t.Row.Ends[i]
		if w > 0 {
			if rest < t.w-cursorWidth-marginWidth {
				b = t.blank(b, t.gap, styles)
				rest -= t.gap
			}
			b = t.cell(b, t.Row.Spans[from:to], w, t.Cols[i].Right, styles)
			rest -= w
		}
		from = to
	}
	b = t.blank(b, rest, styles)
	switch bar {
	case track:
		return string(t.th.Put(b, draw.Rule, t.th.Sign.LaneCursor))
	case thumb:
		return string(t.th.Put(b, draw.Dim, t.th.Sign.LaneShort))
	}
	return string(t.blank(b, marginWidth, styles))
}

func (t *Table) cell(b []byte, spans []draw.Span, w int, right bool, styles *[draw.StyleCount]string) []byte {
	if right {
		if n := draw.WidthOf(spans); n < w {
			b = t.blank(b, w-n, styles)
			w = n
		}
	}
	b, rest := t.th.Spans(b, spans, w, styles)
	return t.blank(b, rest, styles)
}

func (t *Table) blank(b []byte, n int, styles *[draw.StyleCount]string) []byte {
	if n <= 0 || styles != &t.th.Chosen || styles[draw.Plain] == "" {
		return draw.Pad(b, n)
	}
	b = append(b, styles[draw.Plain]...)
	b = draw.Pad(b, n)
	return append(b, t.th.After...)
}

// Rename lets another text stand in the place of the title of a column, and one at its right end
// where it is the last one.
func (t *Table) Rename(title model.MessageID, shown, edge string) {
	if t.names == nil {
		t.names, t.edges = map[model.MessageID]string{}, map[model.MessageID]string{}
	}
	t.names[title], t.edges[title] = shown, edge
}

// titleOf is what stands over a column.
func (t *Table) titleOf(c Column) string {
	if shown, ok := t.names[c.Title]; ok {
		return shown
	}
	return t.th.Say(c.Title)
}

// Head paints the titles; by sorts, and reversed turns its mark round.
func (t *Table) Head(by SortKey, reversed bool) string {
	t.Row.Spans, t.Row.Ends = t.Row.Spans[:0], t.Row.Ends[:0]
	last := len(t.Cols) - 1
	for last > 0 && t.Widths[last] == 0 {
		last--
	}
	for i, c := range t.Cols {
		if c.Sort == SortNone || c.Sort != by {
			t.Row.Add(draw.Heading, t.titleOf(c))
			if i == last && !c.Right {
				t.position(t.Widths[i]-draw.Width(t.titleOf(c)), t.edges[c.Title])
			}
			t.Row.End()
			continue
		}
		mark := t.th.Sign.Dwn
		if reversed {
			mark = t.th.Sign.Up
		}
		title := t.titleOf(c)
		for t.Widths[i] > 0 && draw.Width(title) >= t.Widths[i] { // the mark is worth a letter
			_, n := utf8.DecodeLastRuneInString(title)
			title = title[:len(title)-n]
		}
		t.Row.Add(draw.Sorted, title)
		t.Row.cell(draw.Sorted, mark)
	}
	return t.draw(asUsual)
}

// position says at the right of the titles, in so many cells, where the cursor stands in a list of
// which not all is shown, or else what belongs there.
func (t *Table) position(room int, other string) {
	text := other
	if t.n > t.H {
		text = strconv.Itoa(t.place+1) + "/" + strconv.Itoa(t.n)
	}
	if room -= draw.Width(text); room > 0 && text != "" {
		t.Row.Add(draw.Heading, draw.Blank(room)+text)
	}
}

// SortKey is by what a table is sorted, 0 for nothing. What the others mean its page says.
type SortKey int

// SortNone is for what is not sorted.
const SortNone SortKey = 0

package host

import (
	"slices"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// Help is what the help of a place is made of.
type Help struct {
	Th    *draw.Theme
	Where Where
	Pages Where  // all of them: a key of fewer belongs to the place
	Title string // of the place
	// Why says why a key does nothing now, "" if it works.
	Why func(k *Key) string
}

// helpGroup are keys of one kind.
type helpGroup struct {
	title string
	keys  []*Key
}

// groups are the keys by kind, those that only this place has first.
func (h *Help) groups(rows []Key) []helpGroup {
	all := []helpGroup{{title: h.Title}, {title: h.Th.Say("what-is-selected-break-it-faults")}, {title: h.Th.Say("every-page")}, {title: h.Th.Say("another-moment")}}
	folded := map[page.Fold]bool{}
	for i := range rows {
		k, of := &rows[i], &all[0]
		switch {
		case k.Where&h.Where == 0 || k.Needs == NeedsLesson && h.Why(k) != "" || k.Fold.Keys != "" && folded[k.Fold]:
			continue
		case k.Act != "" || k.Needs == page.NeedsLab || k.Needs == NeedsArmed:
			of = &all[1]
		case k.Needs == NeedsRecording:
			of = &all[3]
		case k.Where&h.Pages == h.Pages:
			of = &all[2]
		}
		of.keys = append(of.keys, k)
		folded[k.Fold] = true
	}
	return slices.DeleteFunc(all, func(g helpGroup) bool { return len(g.keys) == 0 })
}

// Cells of a column of help: how wide it is at least, and how far its text stands in.
const (
	helpColumn = 38
	helpText   = 12
	helpMost   = 3 // columns
)

// Columns writes the keys of a place into lines of w cells, the keys of the page first, in as
// many columns as there is room for.
func (h *Help) Columns(rows []Key, w int) []string {
	n := max(1, min(helpMost, w/helpColumn))
	cw := w / n
	var entries [][][]draw.Span // of lines
	for _, g := range h.groups(rows) {
		entries = append(entries, h.entries(g, cw-2)...)
	}
	total := 0
	for _, e := range entries {
		total += len(e)
	}
	columns := make([][][]draw.Span, n)
	at := 0
	for _, e := range entries {
		if at < n-1 && len(columns[at])+(len(e)+1)/2 > (total+n-1)/n {
			at++
		}
		if columns[at] == nil && len(e[0]) == 0 {
			e = e[1:] // no blank line on top
		}
		columns[at] = append(columns[at], e...)
	}
	var lines []string
	for y := 0; slices.ContainsFunc(columns, func(c [][]draw.Span) bool { return y < len(c) }); y++ {
		var line []draw.Span
		for i, c := range columns {
			line = append(line, draw.Plain.Of(draw.Blank(i*cw-draw.WidthOf(line))))
			if y < len(c) {
				line = append(line, c[y]...)
			}
		}
		lines = append(lines, h.Th.Line(w, line, nil))
	}
	return lines
}

// entries are the keys of a group in lines of w cells each, its title with the first. A
// reason that several have stands under the title, once.
func (h *Help) entries(g helpGroup, w int) [][][]draw.Span {
	whys := make([]string, len(g.keys))
	times, common := map[string]int{}, ""
	for i, k := range g.keys {
		whys[i] = h.Why(k)
		if times[whys[i]]++; whys[i] != "" && times[whys[i]] > max(1, times[common]) {
			common = whys[i]
		}
	}
	first := [][]draw.Span{nil, {draw.Strong.Of("  " + g.title)}}
	if common != "" {
		first = append(first, h.lines(draw.Late, "    ", h.Th.Say("not-now-grey", model.Verbatim(common)), w)...)
	}
	var all [][][]draw.Span
	for i, k := range g.keys {
		names, what, st := Names(k.Keys), k.What, draw.Plain
		if k.Fold.Keys != "" {
			names, what = k.Fold.Keys, k.Fold.What
		}
		key := draw.Accent
		if k.Needs == NeedsArmed || k.Needs == page.NeedsLab {
			key = draw.Change
		}
		if whys[i] != "" {
			key, st = draw.Dim, draw.Dim
		}
		lead := "  " + names + draw.Blank(max(1, helpText-2-len(names)))
		e := h.lines(st, lead, h.Th.Say(what), w)
		e[0] = append([]draw.Span{key.Of(lead)}, e[0][1:]...)
		if whys[i] != "" && whys[i] != common {
			e = append(e, h.lines(draw.Late, draw.Blank(helpText), h.Th.Say("not-now", model.Verbatim(whys[i])), w)...)
		}
		all = append(all, e)
	}
	all[0] = append(first, all[0]...)
	return all
}

// lines writes a text behind what leads it, into as many lines as it takes.
func (h *Help) lines(st draw.Style, lead, text string, w int) [][]draw.Span {
	const most = 6
	var all [][]draw.Span
	for i, part := range h.Th.Wrap(text, max(10, w-max(len(lead), helpText)), most) {
		if i > 0 {
			lead = draw.Blank(max(min(len(lead), helpText), 4))
		}
		all = append(all, []draw.Span{st.Of(lead), st.Of(part)})
	}
	return all
}

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
	Pages Where // all of them: a key of fewer belongs to the place
	// Why says why a key does nothing now, "" if it works.
	Why func(k *Key) string
}

// HelpRow is a line of help, and the key that it is about, nil for none.
type HelpRow struct {
	Line []draw.Span
	Key  *Key
}

// mostUsed are the keys that stand first, as many of them as the place has.
var mostUsed = []string{"up", "enter", "e", "o", "/", ":"}

// helpKeys is the width of the keys.
const helpKeys = 14

// Rows writes the keys of a place, one a line: the most used ones, those of the pages, those that
// only this place has and the rest, and last those that do nothing now, under the reason.
func (h *Help) Rows(rows []Key) []HelpRow {
	var all []HelpRow
	group := func(keys []*Key, st, key draw.Style) {
		if len(keys) > 0 && len(all) > 0 {
			all = append(all, HelpRow{})
		}
		for _, k := range keys {
			all = append(all, HelpRow{h.line(k, st, key), k})
		}
	}
	first, rest, closed := h.sorted(rows)
	group(first, draw.Strong, draw.Accent)
	group(rest, draw.Plain, draw.Accent)
	for _, why := range reasons(closed, h.Why) {
		all = append(all, HelpRow{}, HelpRow{Line: []draw.Span{draw.Plain.Of(draw.Blank(2)), draw.Dim.Of(h.Th.Say("not-now", model.Verbatim(why)))}})
		for _, k := range closed {
			if h.Why(k) == why {
				all = append(all, HelpRow{h.line(k, draw.Dim, draw.Dim), k})
			}
		}
	}
	return all
}

// reasons are those for which keys do nothing now, each once.
func reasons(closed []*Key, why func(*Key) string) (all []string) {
	for _, k := range closed {
		if w := why(k); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// sorted are the keys of the place: of rows that are one in help the first.
func (h *Help) sorted(rows []Key) (first, rest, closed []*Key) {
	folded := map[page.Fold]bool{}
	for i := range rows {
		k := &rows[i]
		if k.Where&h.Where == 0 || k.Needs == NeedsLesson && h.Why(k) != "" || k.Fold.Keys != "" && folded[k.Fold] {
			continue
		}
		folded[k.Fold] = true
		switch {
		case h.Why(k) != "":
			closed = append(closed, k)
		case slices.Contains(mostUsed, k.Keys[0]):
			first = append(first, k)
		default:
			rest = append(rest, k)
		}
	}
	slices.SortStableFunc(first, func(a, b *Key) int {
		return slices.Index(mostUsed, a.Keys[0]) - slices.Index(mostUsed, b.Keys[0])
	})
	slices.SortStableFunc(rest, func(a, b *Key) int { return h.rank(a) - h.rank(b) })
	return first, rest, closed
}

// rank is the place of a key among the others: pages, what only this place has, what acts, what every
// page has, another moment.
func (h *Help) rank(k *Key) int {
	switch {
	case k.TurnsPage():
		return 0
	case k.Act != "" || k.Needs == page.NeedsLab || k.Needs == NeedsArmed:
		return 2
	case k.Needs == NeedsRecording:
		return 4
	case k.Where&h.Pages == h.Pages:
		return 3
	}
	return 1
}

// line is a key and what it does.
func (h *Help) line(k *Key, st, key draw.Style) []draw.Span {
	names, what := Names(k.Keys), k.What
	if k.Fold.Keys != "" {
		names, what = k.Fold.Keys, k.Fold.What
	}
	if key != draw.Dim && (k.Needs == NeedsArmed || k.Needs == page.NeedsLab) {
		key = draw.Change
	}
	return []draw.Span{draw.Plain.Of(draw.Blank(max(1, helpKeys-draw.Width(names)))), key.Of(names), draw.Plain.Of("  "), st.Of(h.Th.Say(what))}
}

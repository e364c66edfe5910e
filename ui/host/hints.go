package host

import (
	"slices"

	"locktop/ui/draw"
	"locktop/ui/page"
)

// first are the keys that a footer shows before all others, in this order.
var first = []string{"x", "enter", "/", "e", "w"}

// Footer is what the keys of a place in short depend on.
type Footer struct {
	View
	Before []string // the keys that come first, nil for the usual ones
	Gap    int      // between two of them
	Frozen bool     // drawing is: most keys only say so
}

// Hints are the keys of a place in short, the most important first and as many as fit in w
// cells, and the key of help, for which there is room always; nil where there is none.
func (m *Keymap) Hints(in Where, w int, f Footer) (keys, help []draw.Span) {
	keys = make([]draw.Span, 0, 48)
	m.hints(in, w, f, func(_ *Key, part [2]draw.Span) {
		keys = append(keys, part[0], part[1], draw.Plain.Of(draw.Blank(f.Gap)))
	},
		func(_ *Key, part [2]draw.Span) { help = part[:] })
	return keys, help
}

// HintAt is the key whose hint stands in cell x of w: hints begin at cell 0, and that of
// help ends where they do. "" is none.
func (m *Keymap) HintAt(in Where, w int, f Footer, x int) (key string) {
	at := 0
	m.hints(in, w, f, func(k *Key, part [2]draw.Span) {
		if n := draw.WidthOf(part[:]); x >= at && x < at+n {
			key = k.Keys[0]
		}
		at += draw.WidthOf(part[:]) + f.Gap
	}, func(k *Key, part [2]draw.Span) {
		if x >= w-draw.WidthOf(part[:]) && x < w {
			key = k.Keys[0]
		}
	})
	return key
}

// hints tells of each key that is shown, from the left to the right, and of that of help.
func (m *Keymap) hints(in Where, w int, f Footer, show, help func(*Key, [2]draw.Span)) {
	rows := make([]*Key, 0, len(m.Rows))
	room := w
	for i := range m.Rows {
		k := &m.Rows[i]
		switch {
		case k.Short == "" || k.Where&in == 0 || k.Needs == page.NeedsLab && !f.Lab || k.Hidden != nil && k.Hidden(f.View):
		case k.Short == "key-help":
			part := k.Hint(f.View, w)
			help(k, part)
			room -= 1 + draw.WidthOf(part[:])
		default:
			rows = append(rows, k)
		}
	}
	before := f.Before
	if before == nil {
		before = first
	}
	slices.SortStableFunc(rows, func(a, b *Key) int { return prominence(before, a) - prominence(before, b) })
	for _, k := range rows {
		part := k.Hint(f.View, w)
		if f.Frozen && !k.Frozen {
			part[0].St = draw.Dim
		}
		if n := draw.WidthOf(part[:]) + f.Gap; n <= room {
			room -= n
			show(k, part)
		}
	}
}

// Hint is a key in short. One that would only say why it does nothing now is dim: it
// keeps its place, so that the others keep theirs.
func (k *Key) Hint(v View, w int) [2]draw.Span {
	st := draw.Accent
	if k.Needs == NeedsArmed || k.Needs == page.NeedsLab {
		st = draw.Change
	}
	var short string
	if k.Brief != nil {
		short = k.Brief(v, w)
	} else {
		short = v.Th.Say(k.Short)
	}
	if k.Where&AnyPage != 0 && (k.Closed(v) != "" || k.Needs == NeedsArmed && !v.Armed) {
		st = draw.Dim
	}
	return [2]draw.Span{st.Of(Names(k.Keys[:1])), draw.Dim.Of(" " + short)}
}

func prominence(first []string, k *Key) int {
	if i := slices.Index(first, k.Keys[0]); i >= 0 {
		return i
	}
	return len(first)
}

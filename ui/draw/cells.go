package draw

import (
	"strings"

	"locktop/model/text"
)

// WidthOf is how many cells the spans take.
func WidthOf(spans []Span) int {
	n := 0
	for _, sp := range spans {
		n += Width(sp.Text)
	}
	return n
}

// Cut shortens s at its end to w cells at most, with a sign that it did.
func (th *Theme) Cut(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	h := head(s, w-1)
	return h + th.Sign.More
}

// CutClause shortens what people read: before one of [text.ClauseEnds] if what is left takes
// least cells, so that it says enough, else after a word.
func (th *Theme) CutClause(s string, w, least int) string {
	if Width(s) <= w {
		return s
	}
	at := -1
	for _, end := range text.ClauseEnds {
		for from := 0; ; {
			i := strings.Index(s[from:], end)
			if i < 0 || Width(s[:from+i]) > w {
				break
			}
			at = max(at, from+i)
			from += i + len(end)
		}
	}
	if at > 0 && Width(s[:at]) >= least {
		return s[:at]
	}
	return th.cutWord(s, w)
}

// cutWord shortens what people read after a word, if that leaves half of it.
func (th *Theme) cutWord(s string, w int) string {
	if w <= 1 {
		return th.Cut(s, w)
	}
	h := head(s, w-1)
	h = h[:breakIn(h, s[len(h):])]
	return strings.TrimRight(h, " ,;:，；：") + th.Sign.More
}

// CutPath shortens a name in the middle: its last segment tells most, then how
// it begins.
func (th *Theme) CutPath(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w < 4 {
		return th.Cut(s, w)
	}
	last := Width(s[strings.LastIndexByte(s, '/')+1:]) + 1
	back := max(min(last, w-1), (w-1)*2/3)
	t, tw := Tail(s, back)
	h := head(s, w-1-tw)
	return h + th.Sign.More + t
}

// CutKey shortens a key at its start: a queue's keys differ at their end.
func (th *Theme) CutKey(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 1 {
		return th.Cut(s, w)
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 && Width(s[i:]) <= w-1 {
		return th.Sign.More + s[i:]
	}
	t, _ := Tail(s, w-1)
	return th.Sign.More + t
}

// Wrap breaks a sentence into lines of at most w cells, at spaces where there
// are any, and into at most n of them.
func (th *Theme) Wrap(s string, w, n int) []string {
	var lines []string
	for Width(s) > w && len(lines) < n-1 {
		h := head(s, w)
		if h == "" {
			break
		}
		at := breakIn(h, s[len(h):])
		lines = append(lines, s[:at])
		s = strings.TrimPrefix(s[at:], " ")
	}
	return append(lines, th.Cut(s, w))
}

// Span is a piece of text in one style. Its text is clean.
type Span struct {
	St   Style
	Text string
}

// Put appends s in a style.
func (th *Theme) Put(b []byte, st Style, s string) []byte {
	return th.wrapped(b, th.Before[st], s)
}

func (th *Theme) wrapped(b []byte, before, s string) []byte {
	if s == "" || before == "" {
		return append(b, s...)
	}
	b = append(b, before...)
	b = append(b, s...)
	return append(b, th.After...)
}

// Spans appends as many of the spans as fit into w cells and returns what is
// left of w.
func (th *Theme) Spans(b []byte, spans []Span, w int, styles *[StyleCount]string) ([]byte, int) {
	for _, sp := range spans {
		if w <= 0 {
			break
		}
		sw := Width(sp.Text)
		if sw > w {
			sp.Text = th.Cut(sp.Text, w)
			return th.wrapped(b, styles[sp.St], sp.Text), w - Width(sp.Text)
		}
		b = th.wrapped(b, styles[sp.St], sp.Text)
		w -= sw
	}
	return b, w
}

// Line is one line of exactly w cells: left, and right as far as it has room.
func (th *Theme) Line(w int, left, right []Span) string {
	rw := WidthOf(right)
	if rw >= w { // left has a blank at least
		right, rw = nil, 0
	}
	room := w - rw
	if rw > 0 {
		room--
	}
	b, rest := th.Spans(nil, left, max(0, room), &th.Before)
	if rw > 0 {
		rest++
	}
	b = th.Put(b, Plain, Blank(rest))
	b, _ = th.Spans(b, right, rw, &th.Before)
	return string(b)
}

// ChosenLine is one line of exactly w cells, which stands under the cursor.
func (th *Theme) ChosenLine(w int, spans []Span) string {
	b, rest := th.Spans(nil, spans, w, &th.Chosen)
	b, _ = th.Spans(b, []Span{Plain.Of(Blank(rest))}, rest, &th.Chosen)
	return string(b)
}

// Band is one line of exactly w cells on the ground of a verdict: a bar, the text, and
// right as far as it has room.
func (th *Theme) Band(w int, level Style, left, right []Span) string {
	styles := &th.OnWarn
	if level == Bad {
		styles = &th.OnError
	}
	if WidthOf(right)+WidthOf(left)+4 > w {
		right = nil
	}
	b, rest := th.Spans(th.wrapped(nil, styles[level], th.Sign.Cursor), left, w-1, styles)
	if n := WidthOf(right) + 1; len(right) > 0 {
		b = th.wrapped(b, styles[Plain], Blank(rest-n))
		b, _ = th.Spans(b, right, n, styles)
		rest = 1
	}
	return string(th.wrapped(b, styles[Plain], Blank(rest)))
}

// Ruler is the line above a pane: its title, and a rule to the right margin.
func (th *Theme) Ruler(w int, title ...Span) string { return th.RulerWith(w, nil, title...) }

// RulerWith is [Theme.Ruler] with a hint at its right end, as far as there is room for it.
func (th *Theme) RulerWith(w int, hint []Span, title ...Span) string {
	if w < 5 {
		return string(Pad(nil, w))
	}
	n := WidthOf(hint)
	if n > 0 {
		n++
	}
	if WidthOf(title)+n+6 > w {
		hint, n = nil, 0
	}
	b, rest := th.Spans(Pad(nil, 1), title, w-4, &th.Before)
	b = th.Put(b, Rule, " "+strings.Repeat(th.Sign.Line, rest+1-n))
	if n > 0 {
		b = Pad(b, 1)
		b, _ = th.Spans(b, hint, n-1, &th.Before)
	}
	return string(Pad(b, 1))
}

// Fill makes it h lines.
func Fill(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, Blank(w))
	}
	return lines[:max(0, h)]
}

// Of is text in a style.
func (st Style) Of(text string) Span { return Span{St: st, Text: text} }

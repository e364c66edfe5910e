package page

import (
	"strings"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// takesAlong appends h lines that list the keys that end with a session.
func takesAlong(lines []string, f table.View, l *locks.Lease, w, h int) []string {
	th := f.Th
	all := l.Claims()
	title := []draw.Span{draw.Strong.Of(f.Th.Say("session", l.ID))}
	part := func(st draw.Style, text string) {
		between := "  "
		if len(title) > 1 {
			between = " " + th.Sign.Dot + " "
		}
		title = append(title, draw.Dim.Of(between), st.Of(text))
	}
	part(draw.Plain, th.Say("revoking-it-takes", draw.Counted(len(all))))
	if by := grantedBy(f, l); by != "" {
		part(draw.Dim, th.Say("granted-by", model.Verbatim(th.Cut(by, 16))))
	}
	if !l.ResetAt.IsZero() {
		part(draw.Late, th.Say("a-new-leader-gave-it-its"))
	}
	lines = append(lines, th.Ruler(w, title...))
	shown := min(len(all), h-1)
	if shown < len(all) {
		shown--
	}
	for _, c := range all[:max(0, shown)] {
		lines = append(lines, th.Line(w, keyOf(f, c, w), nil))
	}
	if n := len(all) - shown; n > 0 {
		lines = append(lines, th.Line(w, []draw.Span{draw.Late.Of("  " + th.Say("and-more-keys", draw.Counted(n)))}, nil))
	}
	return lines
}

// keyOf says what a key of a session is.
func keyOf(f table.View, c *locks.Claim, w int) []draw.Span {
	th := f.Th
	key := draw.Dim.Of(th.CutKey(th.Clean(c.Key), max(12, w/3)))
	l := c.Lock()
	if l == nil {
		text := "  " + th.Sign.Fact + " " + th.Say("no-claim-of-a-lock")
		return []draw.Span{draw.Dim.Of(text + draw.Blanks[:max(1, 26-draw.Width(text))]), key}
	}
	i := l.Place(c)
	st, sign, word := RoleLook(f, l, c, i)
	text := "  " + sign + " " + word
	text += draw.Blanks[:max(1, 12-draw.Width(text))]
	place := th.Say("place-of", i+1, l.Len())
	place += draw.Blanks[:max(1, 14-draw.Width(place))]
	room := max(12, min(w/3, 40))
	name := th.CutPath(th.Clean(l.Name), room)
	name += draw.Blanks[:max(0, room-draw.Width(name))] + "  "
	return []draw.Span{st.Of(text), draw.Dim.Of(place), draw.Plain.Of(name), key}
}

// grantedBy names the member that granted a lease, "" if its id does not tell.
func grantedBy(f table.View, l *locks.Lease) string {
	return f.Th.Clean(strings.TrimPrefix(f.S.GrantedBy(l.ID), "member "))
}

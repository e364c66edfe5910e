package ui

import (
	"strconv"

	"locktop/model"
)

// takesAlong appends h lines that list the keys that end with a session.
func takesAlong(lines []string, f view, l *model.Lease, w, h int) []string {
	th := f.th
	all := l.Claims()
	title := []span{{strong, "session " + l.ID.String()}}
	part := func(st style, text string) {
		title = append(title, span{rule, " " + th.sign.line + " "}, span{st, text})
	}
	part(plain, "revoking it takes "+plural(len(all), "watched key"))
	if by := grantedBy(f, l); by != "" {
		part(dim, "granted by "+th.cut(by, 16))
	}
	if !l.ResetAt.IsZero() {
		part(late, "a new leader gave it its full TTL anew")
	}
	lines = append(lines, th.ruler(w, title...))
	shown := min(len(all), h-1)
	if shown < len(all) {
		shown--
	}
	for _, c := range all[:max(0, shown)] {
		lines = append(lines, th.line(w, keyOf(th, f, c, w), nil))
	}
	if n := len(all) - shown; n > 0 {
		lines = append(lines, th.line(w, []span{{late, "  and " + plural(n, "key") + " more"}}, nil))
	}
	return lines
}

// keyOf says what a key of a session is.
func keyOf(th *theme, f view, c *model.Claim, w int) []span {
	key := span{dim, th.cutKey(th.clean(c.Key), max(12, w/3))}
	l := c.Lock()
	if l == nil {
		text := "  " + th.sign.fact + " no claim of a lock"
		return []span{{dim, text + blanks[:max(1, 26-width(text))]}, key}
	}
	i := l.Place(c)
	st, sign, word := roleLook(th, l, c, i)
	text := "  " + sign + " " + word
	text += blanks[:max(1, 12-width(text))]
	place := "place " + strconv.Itoa(i+1) + " of " + strconv.Itoa(l.Len())
	place += blanks[:max(1, 14-len(place))]
	room := max(12, min(w/3, 40))
	name := th.cutPath(th.clean(l.Name), room)
	name += blanks[:max(0, room-width(name))] + "  "
	return []span{{st, text}, {dim, place}, {plain, name}, key}
}

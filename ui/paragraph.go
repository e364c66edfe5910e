package ui

import "strings"

// paragraph is text that is wrapped, with something in front of its first line.
type paragraph struct {
	st   style
	lead string
	text string
}

// paragraphMax bounds how many lines one paragraph may take.
const paragraphMax = 24

// readable is how long a line of text may be, commands excepted.
const readable = 110

// paragraph writes it into lines of exactly w cells.
func (th *theme) paragraph(p paragraph, w int) []string {
	var lines []string
	lead := span{dim, p.lead}
	room := max(8, w-width(p.lead)-1)
	if !strings.Contains(p.lead, "$") {
		room = min(room, readable)
	}
	for _, part := range th.wrap(p.text, room, paragraphMax) {
		lines = append(lines, th.line(w, []span{lead, {p.st, part}}, nil))
		lead.text = string(pad(nil, width(p.lead)))
	}
	return lines
}

// onlyText is what a page says that has nothing else to show.
func (th *theme) onlyText(w int, all ...paragraph) []string {
	var lines []string
	for _, p := range all {
		lines = append(lines, th.paragraph(p, w)...)
	}
	return lines
}

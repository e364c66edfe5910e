package draw

import "strings"

// Paragraph is text that is wrapped, with something in front of its first line.
type Paragraph struct {
	St   Style
	Lead string
	Text string
}

// ParagraphMax bounds how many lines one paragraph may take.
const ParagraphMax = 24

// Readable is how long a line of text may be, commands excepted.
const Readable = 110

// Paragraph writes it into lines of exactly w cells.
func (th *Theme) Paragraph(p Paragraph, w int) []string {
	var lines []string
	lead := Dim.Of(p.Lead)
	room := max(8, w-Width(p.Lead)-1)
	if !strings.Contains(p.Lead, "$") {
		room = min(room, Readable)
	}
	for _, part := range th.Wrap(p.Text, room, ParagraphMax) {
		lines = append(lines, th.Line(w, []Span{lead, p.St.Of(part)}, nil))
		lead.Text = string(Pad(nil, Width(p.Lead)))
	}
	return lines
}

// OnlyText is what a page says that has nothing else to show.
func (th *Theme) OnlyText(w int, all ...Paragraph) []string {
	var lines []string
	for _, p := range all {
		lines = append(lines, th.Paragraph(p, w)...)
	}
	return lines
}

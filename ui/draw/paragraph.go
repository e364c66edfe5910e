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
	room := w - 1
	if !strings.Contains(p.Lead, "$") {
		room = min(room, Readable+Width(p.Lead))
	}
	var lines []string
	for _, line := range th.Hang(Dim.Of(p.Lead), p.St, p.Text, room, ParagraphMax) {
		lines = append(lines, th.Line(w, line, nil))
	}
	return lines
}

// Hang wraps a text in w cells into so many lines at most. The lead stands before the first one, and its
// room before the others.
func (th *Theme) Hang(lead Span, st Style, text string, w, most int) (lines [][]Span) {
	cells := Width(lead.Text)
	for _, part := range th.Wrap(text, max(8, w-cells), most) {
		lines = append(lines, []Span{lead, st.Of(part)})
		lead.Text = Blank(cells)
	}
	return lines
}

// Fold breaks one line of spans into as many of w cells as it takes, at spaces where there are any. The lead and
// the blanks that the line begins with stand before the first one, and two cells more before the others.
func (th *Theme) Fold(lead Span, line []Span, w int) (lines [][]Span) {
	text := ""
	for _, sp := range line {
		text += sp.Text
	}
	whole := len(text)
	text = strings.TrimLeft(text, " ")
	skip := whole - len(text)
	lead.Text += Blank(skip)
	for room := w - Width(lead.Text); ; room = w - Width(lead.Text) {
		part := th.Wrap(text, max(8, room), 2)[0]
		if at := strings.LastIndexByte(part, ' '); at > 0 && len(part) < len(text) && isWord(part[len(part)-1]) && isWord(text[len(part)]) {
			part = part[:at] // a word of code stays whole, however short that leaves the line
		}
		row := []Span{lead}
		for n := len(part); n > 0 && len(line) > 0; {
			sp := line[0]
			cut := min(len(sp.Text)-skip, n)
			if cut > 0 {
				row = append(row, Span{sp.St, sp.Text[skip : skip+cut]})
				n, skip = n-cut, skip+cut
			}
			if skip >= len(sp.Text) {
				line, skip = line[1:], skip-len(sp.Text)
			}
		}
		if text = text[len(part):]; strings.HasPrefix(text, " ") {
			text = text[1:]
			skip++
		}
		if len(lines) == 0 {
			lead.Text += Blank(2)
		}
		if lines = append(lines, row); text == "" {
			return lines
		}
	}
}

// isWord says whether a byte is a letter or a digit of ASCII.
func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// OnlyText is what a page says that has nothing else to show.
func (th *Theme) OnlyText(w int, all ...Paragraph) []string {
	var lines []string
	for _, p := range all {
		lines = append(lines, th.Paragraph(p, w)...)
	}
	return lines
}

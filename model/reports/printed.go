package reports

import (
	"slices"
	"strings"

	"locktop/model"
)

// Output is what a program of the user's own printed last.
type Output struct {
	Contender string
	Lines     []model.Line // oldest first
	Left      int          // lines before and between them that are not kept
}

// Bounds of what is kept of programs: how many, how many lines of each, and how long one is.
const (
	outputsMax = 64
	linesMax   = 200
	lineMax    = 1000
)

// print keeps what a program printed.
func (rs *Reports) print(e model.Printed) {
	i := slices.IndexFunc(rs.outputs, func(o *Output) bool { return o.Contender == e.Contender })
	if i < 0 {
		if i = len(rs.outputs); i == outputsMax {
			rs.outputs, i = slices.Delete(rs.outputs, 0, 1), i-1
		}
		rs.outputs = append(rs.outputs, &Output{Contender: e.Contender})
	}
	o := rs.outputs[i]
	o.Left += max(0, e.Left)
	for _, l := range e.Lines {
		if len(l.Text) > lineMax {
			l.Text = strings.ToValidUTF8(l.Text[:lineMax], "") + "…"
		}
		o.Lines = append(o.Lines, l)
	}
	if drop := len(o.Lines) - linesMax; drop > 0 {
		o.Lines, o.Left = slices.Delete(o.Lines, 0, drop), o.Left+drop
	}
}

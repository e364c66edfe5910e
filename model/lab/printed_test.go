package lab

import (
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/history"
)

// TestOutputIsBounded: in programs, in lines, and in the length of a line; what goes is counted.
func TestOutputIsBounded(t *testing.T) {
	h := history.New()
	h.Loaded(0)
	for i := range 1000 {
		h.Add(model.Printed{At: history.At(1), Contender: "a", Left: 2, Lines: []model.Line{{At: history.At(1), From: "stdout", Text: fmt.Sprint(i) + strings.Repeat("x", 5000)}}})
	}
	_, s := told(h.Events)
	o := s.Outputs()[0]
	if len(o.Lines) != linesMax || o.Left != 2*1000+1000-linesMax || !strings.HasPrefix(o.Lines[linesMax-1].Text, "999x") || len(o.Lines[0].Text) > lineMax+len("…") {
		t.Errorf("%d lines of %d bytes, %d left out, the last is %.9q", len(o.Lines), len(o.Lines[0].Text), o.Left, o.Lines[linesMax-1].Text)
	}
	for i := range 2 * outputsMax {
		h.Add(model.Printed{At: history.At(2), Contender: fmt.Sprint("p", i), Lines: make([]model.Line, 1)})
	}
	if _, s = told(h.Events); len(s.Outputs()) != outputsMax || s.Outputs()[outputsMax-1].Contender != fmt.Sprint("p", 2*outputsMax-1) {
		t.Errorf("%d programs, the last is %s", len(s.Outputs()), s.Outputs()[len(s.Outputs())-1].Contender)
	}
}

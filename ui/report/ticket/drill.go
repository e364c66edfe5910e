package ticket

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/reports"

	"locktop/model/timeline"
	"locktop/ui/report"
)

// Bounds of what a page tells of a drill and of beliefs.
const (
	pageSteps    = 200
	pageJudgedTo = 100
	pageEvidence = 10
	pageBeliefs  = 200
	pageWhy      = 2000
	believersMax = 8 // lanes of one lock
)

// plainText is a text of others in one line, not longer than that.
func plainText(s string, most int) string { return model.Short(model.Printable(s), most) }

// drill takes what was told of a drill.
func (p *Page) drill(r reports.DrillRun) {
	if !r.Known() {
		return
	}
	d := &drill{Title: plainText(r.Began.Title, pageSource), Why: plainText(r.Began.Why, pageWhy), Name: report.OrNull(plainText(r.Began.Name, pageSource)),
		Defect: report.OrNull(plainText(r.Began.Defect, pageSource)), Steps: []step{}, Expectations: []judged{}}
	if !r.Over.At.IsZero() {
		v := model.DrillVerdict(plainText(string(r.Over.Verdict), 20))
		d.Verdict, d.Reason = &v, report.OrNull(plainText(r.Over.Reason, pageText))
	}
	for _, s := range r.Steps[:min(len(r.Steps), pageSteps)] {
		x := step{N: s.N, Text: plainText(s.Text, pageText), Came: report.OrNull(plainText(s.Came, pageText)), Began: s.Began, Failed: s.Failed}
		if !s.Ended.IsZero() {
			x.Ended = &s.Ended
		}
		d.Steps = append(d.Steps, x)
	}
	for _, j := range r.Judged[:min(len(r.Judged), pageJudgedTo)] {
		x := judged{Expected: plainText(j.Expected, pageText), Verdict: model.DrillVerdict(plainText(string(j.Verdict), 20)), Seen: report.OrNull(plainText(j.Seen, pageText)), Evidence: []string{}}
		for _, e := range j.Evidence[:min(len(j.Evidence), pageEvidence)] {
			x.Evidence = append(x.Evidence, plainText(e, pageText))
		}
		d.Expectations = append(d.Expectations, x)
	}
	p.LeftOut.Steps, p.LeftOut.Expectations = max(0, len(r.Steps)-pageSteps), max(0, len(r.Judged)-pageJudgedTo)
	p.Drill = d
}

// beliefs takes what clients believed, of the locks that the page tells of.
func (p *Page) beliefs() {
	p.Beliefs, p.Overlaps = []belief{}, []belief{}
	for i := range p.Locks {
		l := &p.Locks[i]
		l.beliefs = slices.DeleteFunc(p.s.Reports().Beliefs(l.raw), func(b reports.Believed) bool { return b.From.After(p.To) || !b.To.IsZero() && b.To.Before(p.From) })
		for _, b := range l.beliefs {
			p.Beliefs = p.addBelief(p.Beliefs, belief{Lock: l.Name, By: plainText(b.Contender, 80), From: b.From, To: endOf(b.To)})
		}
		for _, o := range p.s.Reports().Overlaps(l.raw) {
			if !o.To.IsZero() && o.To.Before(p.From) {
				continue
			}
			who := model.Short(o.Client, 80)
			l.overlaps = append(l.overlaps, o)
			p.Overlaps = p.addBelief(p.Overlaps, belief{Lock: l.Name, By: plainText(o.Believer, 80), From: o.From, To: endOf(o.To), Who: &who})
		}
	}
}

func (p *Page) addBelief(list []belief, b belief) []belief {
	if len(list) == pageBeliefs {
		p.LeftOut.Beliefs++
		return list
	}
	return append(list, b)
}

func endOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// drillView is a drill as the template paints it.
type drillView struct {
	*drill
	Level, Outcome string
	Judged         []judgedRow
	StepRows       [][3]string
}

type judgedRow struct {
	Level, Verdict, Expected, Seen string
	Evidence                       []string
}

// verdictLevel is how bad a verdict is, as the findings have it.
func verdictLevel(v model.DrillVerdict) string {
	switch v {
	case model.DrillHeld:
		return "well"
	case model.DrillViolated:
		return "error"
	}
	return "warning"
}

func (p *Page) drillView() *drillView {
	d := p.Drill
	if d == nil {
		return nil
	}
	v := &drillView{drill: d, Level: "unseen", Outcome: "The end of the drill was not seen, so it has no verdict."}
	held := 0
	for _, j := range d.Expectations {
		row := judgedRow{verdictLevel(j.Verdict), string(j.Verdict), j.Expected, "", j.Evidence}
		if j.Seen != nil {
			row.Seen = *j.Seen
		}
		if j.Verdict == model.DrillHeld {
			held++
		}
		v.Judged = append(v.Judged, row)
	}
	if d.Verdict != nil {
		v.Level = verdictLevel(*d.Verdict)
		v.Outcome = fmt.Sprintf("The drill: %s. %d of %s held.", *d.Verdict, held, model.CountOf(len(d.Expectations), "expectation"))
		if d.Reason != nil {
			v.Outcome += " " + *d.Reason + "."
		}
	}
	for _, s := range d.Steps {
		came := ""
		switch {
		case s.Came != nil && s.Failed:
			came = "failed: " + *s.Came
		case s.Failed:
			came = "failed"
		case s.Came != nil:
			came = *s.Came
		case s.Ended == nil:
			came = "was not seen to end"
		}
		v.StepRows = append(v.StepRows, [3]string{model.Clock(s.Began), fmt.Sprintf("%d. %s", s.N, s.Text), came})
	}
	return v
}

// beliefLane is what one client believed of a lock: when it said that it held it, and when
// somebody else did meanwhile.
type beliefLane struct {
	Name, Says, Not string
}

// believers are the lanes of the clients that believed something of a lock, the one that began first on top.
func (a axis) believers(l lock) (lanes []beliefLane) {
	says, not := map[string][]timeline.Span{}, map[string][]timeline.Span{}
	var names []string
	for _, b := range l.beliefs {
		if says[b.Contender] == nil {
			names = append(names, b.Contender)
		}
		says[b.Contender] = append(says[b.Contender], timeline.Span{Got: b.From, Gone: b.To})
	}
	for _, o := range l.overlaps {
		not[o.Believer] = append(not[o.Believer], timeline.Span{Got: o.From, Gone: o.To})
	}
	for _, name := range names[:min(len(names), believersMax)] {
		lanes = append(lanes, beliefLane{plainText(name, 40), a.cellsOfAny(says[name]), a.cellsOfAny(not[name])})
	}
	return lanes
}

// cellsOfAny paints every cell in which any of the spans held: a belief has no shades.
func (a axis) cellsOfAny(spans []timeline.Span) string {
	cells := make([]byte, a.cells)
	for _, s := range spans {
		if from, to, ok := s.HeldWithin(a.from, a.to); ok {
			a.mark(cells, from, to)
		}
	}
	return a.path(cells, cellEven)
}

// overlapRows tell in words where beliefs were not true, the longest first.
func (p *Page) overlapRows() (rows [][2]string) {
	list := slices.Clone(p.Overlaps)
	length := func(b belief) time.Duration {
		if b.To == nil {
			return p.To.Sub(b.From)
		}
		return b.To.Sub(b.From)
	}
	slices.SortStableFunc(list, func(a, b belief) int { return cmp.Compare(length(b), length(a)) })
	for _, b := range list {
		rows = append(rows, [2]string{model.Clock(b.From), fmt.Sprintf("%s believed for %s that it held %s, which %s held", b.By, model.Seconds(length(b)), b.Lock, *b.Who)})
	}
	return rows
}

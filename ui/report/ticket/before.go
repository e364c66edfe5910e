package ticket

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/text"
)

// past is a problem that was there in the period and is over.
type past struct {
	found    *journal.Entry
	duration time.Duration
}

// over returns the problems of the period that are over, the worst and longest first.
func (p *Page) over() []past {
	var all []past
	began := map[model.Code]map[string]*journal.Entry{}
	for _, e := range p.s.Journal() {
		if e.Kind != journal.Finding || e.Lock != "" && !p.about(e.Lock) {
			continue
		}
		of := began[e.Code]
		if of == nil {
			of = map[string]*journal.Entry{}
			began[e.Code] = of
		}
		switch was := of[e.Lock]; {
		case e.Severity != model.SevInfo:
			if was == nil || !was.Severity.AtLeast(e.Severity) { // it grew worse
				of[e.Lock] = e
			}
		case was != nil: // it is over
			delete(of, e.Lock)
			if !e.At.Before(p.From) {
				all = append(all, past{was, e.At.Sub(was.At)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b past) int {
		if d := int(b.found.Severity.Level() - a.found.Severity.Level()); d != 0 {
			return d
		}
		return int(b.duration - a.duration)
	})
	return all
}

// headline puts the worst that was before what is now, if it was worse: a page is read by people
// who were not there.
func (p *Page) headline(now model.Level) {
	all := p.over()
	if len(all) == 0 || all[0].found.Severity.Level() <= now {
		return
	}
	x := all[0]
	name := findings.Problem(&model.Finding{Code: x.found.Code, Confidence: x.found.Confidence})
	var what model.Message
	if args := x.found.Text.Args; len(args) == 3 { // name, how sure, summary
		what, _ = args[2].(model.Message)
	}
	said := model.Say("was-found", name, model.Verbatim(x.found.At.Format(time.TimeOnly)), x.duration, what)
	if x.found.Lock != "" {
		said = model.Say("was-found-on", name, x.found.Lock, model.Verbatim(x.found.At.Format(time.TimeOnly)), x.duration, what)
	}
	var more model.Message
	if n := len(all) - 1; n > 0 {
		more = model.Say("and-problems-before", n)
	}
	p.Verdict.Text = text.English(model.Say("was-and-is", said, more, model.Verbatim(p.Verdict.Text)))
	p.Verdict.Level = string(x.found.Severity)
}

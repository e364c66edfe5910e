package ticket

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// over returns the stories of the period that are over, the worst and longest first.
func (p *Page) over() []*story {
	all := slices.DeleteFunc(slices.Clone(p.Stories), func(s *story) bool { return s.To == nil || s.Severity == actSeverity })
	slices.SortStableFunc(all, func(a, b *story) int {
		if d := int(b.level - a.level); d != 0 {
			return d
		}
		return int(b.lasted() - a.lasted())
	})
	return all
}

// lasted is how long a story took that is over.
func (s *story) lasted() time.Duration { return s.To.Sub(s.From) }

// broken is how many locks were broken by hand.
func (p *Page) broken() int {
	locks := map[string]bool{}
	for _, e := range p.acts() {
		if e.Lock != "" {
			locks[e.Lock] = true
		}
	}
	return len(locks)
}

// headline puts the worst that was before what is now, if it was worse: a page is read by people
// who were not there.
func (p *Page) headline(now model.Level) {
	all := p.over()
	acts := p.broken()
	if len(all) == 0 || all[0].level <= now {
		if acts > 0 {
			p.Verdict.Text = text.English(model.Say("broken-by-hand", model.Verbatim(p.Verdict.Text), acts))
		}
		return
	}
	x := all[0]
	said := model.Say("was-found", model.Verbatim(x.Title), model.Verbatim(x.From.Format(time.TimeOnly)), x.lasted(), model.Verbatim(x.What))
	if len(x.Locks) > 0 {
		said = model.Say("was-found-on", model.Verbatim(x.Title), model.Verbatim(x.lockNames()), model.Verbatim(x.From.Format(time.TimeOnly)), x.lasted(), model.Verbatim(x.What))
	}
	if x.By != nil {
		said = model.Say("was-ended-by", said, model.Verbatim(*x.By))
	}
	if acts > 0 {
		said = model.Say("broken-by-hand", said, acts)
	}
	var more model.Message
	if n := len(all) - 1; n > 0 {
		more = model.Say("and-problems-before", n)
	}
	p.Verdict.Text = text.English(model.Say("was-and-is", said, more, model.Verbatim(p.Verdict.Text)))
	p.Verdict.Level = x.Severity
}

package ticket

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/text"
	"locktop/ui/report"
)

// story is one thing that happened in the period: a problem, a time in which nothing was seen, or an
// act. To is null while it goes on at the end.
type story struct {
	Title    string     `json:"title"`
	Severity string     `json:"severity"`
	Code     *string    `json:"code"` // of a problem
	Locks    []string   `json:"locks"`
	From     time.Time  `json:"from"`
	To       *time.Time `json:"to"`
	What     string     `json:"what"`
	// Ended says how it ended, By who did that; null where that is not known, or it goes on.
	Ended    *string  `json:"ended"`
	By       *string  `json:"by"`
	Evidence []string `json:"evidence"`
	Advice   []string `json:"advice"`
	Etcdctl  []string `json:"etcdctl"`
	Again    []string `json:"again"` // the commands that show it once more

	level model.Level
	raw   []string // locks
	began *journal.Entry
	same  []*journal.Entry // that say the same of other locks
	times int              // how often it began
	act   *journal.Entry   // that it is, or that ended it
}

// Bounds of the stories.
const (
	pageStories = 40
	storyLocks  = 12
	// actedBefore and actedAfter are how long before its end, and after, an act can be what ended a problem: what is
	// done is seen a moment later, and the acts of others have the times of their machines.
	actedBefore = 10 * time.Second
	actedAfter  = 2 * time.Second
	// settledWithin is how long before the end of a problem a change of its lock can be what ended it.
	settledWithin = 2 * time.Second
	// sameOutage is within what time a watch that is lost again, for the same reason, is lost once more in one outage.
	sameOutage = 10 * time.Second
)

// stories collects what happened, in the order in which it began.
func (p *Page) stories() {
	var all []*story
	open, over := map[storyKey]*story{}, map[storyKey]*story{}
	var last *story // that began with the entry before
	for _, e := range p.lines {
		if e.Lock != "" && !p.about(e.Lock) {
			continue
		}
		was := last
		last = nil
		switch key := keyOf(e); {
		case key == storyKey{}:
		case ends(e):
			if s := open[key]; s != nil {
				delete(open, key)
				over[key] = s
				if at := e.At; s.To == nil || at.After(*s.To) {
					s.To = &at
				}
			}
		case open[key] != nil:
			if s := open[key]; e.Severity.AtLeast(s.began.Severity) { // it grew
				s.worse(e)
			}
			last = open[key]
		case was != nil && e.Repeats(was.began):
			was.same = append(was.same, e)
			open[key], last = was, was
		case open[follows(open, e)] != nil:
			before := follows(open, e)
			s := open[before]
			delete(open, before)
			if e.Severity.AtLeast(s.began.Severity) {
				s.worse(e)
			}
			open[key], last = s, s
		case goesOn(over[key], e):
			s := over[key]
			s.times++
			open[key], last = s, s
		default:
			s := &story{From: e.At, began: e, times: 1}
			s.worse(e)
			open[key], last = s, s
			all = append(all, s)
		}
	}
	for _, s := range open { // nobody saw the end of one of its locks
		s.To = nil
	}
	acts := p.acts()
	all = slices.DeleteFunc(all, func(s *story) bool { return s.To != nil && s.To.Before(p.From) })
	used := map[*journal.Entry]bool{}
	for _, s := range all {
		p.tell(s, acts)
		used[s.act] = true
	}
	for _, e := range acts {
		if !used[e] && e.Lock != "" {
			s := &story{From: e.At, To: &e.At, began: e, act: e}
			p.tellAct(s)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *story) int { return a.From.Compare(b.From) })
	p.LeftOut.Stories = max(0, len(all)-pageStories)
	if p.LeftOut.Stories > 0 { // the least of them
		byLevel := slices.Clone(all)
		slices.SortStableFunc(byLevel, func(a, b *story) int { return cmp.Compare(b.level, a.level) })
		kept := byLevel[:pageStories]
		all = slices.DeleteFunc(all, func(s *story) bool { return !slices.Contains(kept, s) })
	}
	p.Stories = []*story{}
	for _, s := range all {
		if p.o.See != nil {
			s.Again = p.o.See(s.From, append(slices.Clone(s.raw), "")[0])
		}
		s.Again = report.NotNil(s.Again)
		p.Stories = append(p.Stories, s)
	}
}

// goesOn says whether a time in which nothing is seen belongs to one that was over a moment ago.
func goesOn(before *story, e *journal.Entry) bool {
	return before != nil && e.Kind == journal.Gap && e.At.Sub(*before.To) <= sameOutage &&
		before.began.Text.Args[1] == e.Text.Args[1]
}

// follows returns which story goes on with another finding about the same lease: the journal does not
// say that the one before is over. None if the entry begins one.
func follows(open map[storyKey]*story, e *journal.Entry) (first storyKey) {
	for key, s := range open {
		before := s.began.Found
		if e.Found == nil || before == nil || key.about != e.Lock || !(*model.Finding)(e.Found).Follows((*model.Finding)(before)) {
			continue
		}
		if was := open[first]; was == nil || s.began.Seq < was.began.Seq {
			first = key
		}
	}
	return first
}

// actSeverity is that of a story which is no problem, but something that somebody did.
const actSeverity = "act"

// storyKey tells the stories apart that go on at a time.
type storyKey struct {
	kind  journal.Kind
	code  model.Code
	about string
}

// keyOf returns to which story an entry belongs, none if it begins or ends no story.
func keyOf(e *journal.Entry) storyKey {
	switch e.Kind {
	case journal.Finding:
		return storyKey{e.Kind, e.Code, e.Lock}
	case journal.Gap:
		switch e.Text.ID {
		case "watch-lost", "watch-back", "listed-again":
			return storyKey{kind: e.Kind, about: fmt.Sprint(e.Text.Args[0])}
		}
	}
	return storyKey{}
}

// ends says whether an entry ends a story.
func ends(e *journal.Entry) bool {
	if e.Kind == journal.Finding {
		return e.Severity == model.SevInfo
	}
	return e.Text.ID != "watch-lost"
}

// worse takes the entry by which a story began, or grew worse.
func (s *story) worse(e *journal.Entry) {
	s.began, s.level, s.Severity = e, e.Severity.Level(), string(e.Severity)
	if e.Kind == journal.Gap {
		s.level, s.Severity = model.LevelWarning, string(model.SevWarning)
	}
}

// acts are the locks that were broken in the period, through this program.
func (p *Page) acts() (all []*journal.Entry) {
	for _, e := range p.lines {
		if e.Broke && !e.At.Before(p.From) && (e.Lock == "" || p.about(e.Lock)) {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b *journal.Entry) int { return a.At.Compare(b.At) })
	return all
}

// tell says in words what a problem was, or what was not seen.
func (p *Page) tell(s *story, acts []*journal.Entry) {
	e := s.began
	for _, one := range append([]*journal.Entry{e}, s.same...) {
		if one.Lock != "" && !slices.Contains(s.raw, one.Lock) {
			s.raw = append(s.raw, one.Lock)
		}
	}
	if e.Kind == journal.Gap {
		s.Title, s.What = "Not seen", model.Capital(p.said(e))+"."
		if s.times > 1 {
			s.Title = fmt.Sprintf("Not seen %d times", s.times)
		}
	} else {
		code := string(e.Code)
		s.Code = &code
		s.Title = problem(e)
		if f := e.Found; f != nil {
			s.What = text.English(f.Summary)
			s.Evidence, s.Etcdctl = text.EnglishAll(f.Evidence), f.Etcdctl
			if s.To == nil {
				s.Advice = text.EnglishAll(f.Advice)
			}
			if e.Confidence != model.Certain {
				s.Title += " (" + string(e.Confidence) + ")"
			}
		}
	}
	p.names(s)
	if s.To != nil {
		p.ending(s, acts)
	}
}

// problem is what a finding is called on the screen.
func problem(e *journal.Entry) string {
	return model.Capital(text.English(findings.Problem(&model.Finding{Code: e.Code, Confidence: e.Confidence})))
}

// names are the locks in a title, and in a list for programs.
func (p *Page) names(s *story) {
	s.Locks = []string{}
	for i, name := range s.raw {
		if i == storyLocks {
			break
		}
		s.Locks = append(s.Locks, model.Short(model.Printable(name), 120))
	}
	s.Evidence, s.Advice, s.Etcdctl = report.NotNil(s.Evidence), report.NotNil(s.Advice), report.NotNil(s.Etcdctl)
	s.What = model.Short(s.What, pageText)
}

// ending says how a problem ended: by an act on one of its locks, or by what happened to them then.
func (p *Page) ending(s *story, acts []*journal.Entry) {
	for _, e := range slices.Backward(acts) {
		if slices.Contains(s.raw, e.Lock) && !e.At.Before(s.From) && within(e.At, *s.To, actedBefore, actedAfter) {
			s.act = e
			said := p.said(e)
			if by := e.By; by != "" {
				by = model.Printable(by)
				s.By, said = &by, by+": "+said
			}
			for _, x := range p.lines { // and who got the lock by it
				if x.Kind == journal.Handover && x.GoneRev == e.Rev && e.Rev > 0 && slices.Contains(s.raw, x.Lock) {
					said += "; " + p.said(x)
				}
			}
			s.Ended = &said
			return
		}
	}
	for _, e := range slices.Backward(p.lines) {
		if !within(e.At, *s.To, settledWithin, 0) {
			continue
		}
		switch {
		case endsProblems(e.Kind):
			if !slices.Contains(s.raw, e.Lock) {
				continue
			}
		case e.Kind == journal.Member:
			if len(s.raw) > 0 {
				continue
			}
		case e.Kind == journal.Gap:
			if s.began.Kind != journal.Gap || !ends(e) {
				continue
			}
		default:
			continue
		}
		said := p.said(e)
		s.Ended = &said
		return
	}
}

// endsProblems says whether a change of a lock can be what ended a problem on it.
func endsProblems(k journal.Kind) bool {
	return slices.Contains([]journal.Kind{journal.Handover, journal.Left, journal.Acquired, journal.Shared, journal.First}, k)
}

// within says whether a moment lies near another one.
func within(at, end time.Time, before, after time.Duration) bool {
	return !at.Before(end.Add(-before)) && !at.After(end.Add(after))
}

// tellAct says in words what somebody did where nothing was found to be wrong.
func (p *Page) tellAct(s *story) {
	e := s.act
	s.Title, s.Severity, s.level, s.raw = "Lock broken", actSeverity, model.LevelInfo, []string{e.Lock}
	said := p.said(e)
	if e.By != "" {
		by := model.Printable(e.By)
		s.By = &by
		said = by + ": " + said
	} else {
		said = "somebody: " + said
	}
	s.Ended = &said
	for _, x := range p.lines {
		if x.Lock == e.Lock && x.GoneRev == e.Rev && e.Rev > 0 && (x.Kind == journal.Handover || x.Kind == journal.Left || x.Kind == journal.First) {
			s.What = strings.TrimSuffix(s.What+" "+p.said(x)+".", " ")
		}
	}
	s.What = strings.TrimSpace(s.What)
	if s.What == "" {
		s.What = "What came of it was not seen."
	}
	p.names(s)
}

// said is an entry in a sentence, with the names of problems as the screen has them.
func (p *Page) said(e *journal.Entry) string {
	return model.Short(e.Sentence(p.s.Who), pageText)
}

// lockNames names the locks of a story.
func (s *story) lockNames() string {
	on := joinSome(s.Locks, storyLocks)
	if len(s.raw) == 2 {
		on = s.Locks[0] + " and " + s.Locks[1]
	}
	if n := len(s.raw) - len(s.Locks); n > 0 {
		on += fmt.Sprintf(" and %d more", n)
	}
	return on
}

// noted are the findings at the end that no card tells of: hints.
func (p *Page) noted() (all []report.Finding) {
	for _, f := range p.Findings {
		told := slices.ContainsFunc(p.Stories, func(s *story) bool {
			return s.To == nil && string(s.began.Code) == f.Code && (f.Lock == nil && len(s.raw) == 0 || f.Lock != nil && slices.ContainsFunc(s.raw, func(raw string) bool { name, _ := report.Text(raw); return name == *f.Lock }))
		})
		if !told {
			all = append(all, f)
		}
	}
	return all
}

// storyView is a story as the template paints it.
type storyView struct {
	*story
	When, On string
	How      string // it ended
	Lines    string // to see it again
}

func (p *Page) storyViews() (all []storyView) {
	for _, s := range p.Stories {
		v := storyView{story: s, On: s.lockNames(), How: "ended:", Lines: strings.Join(s.Again, "\n")}
		from := s.From.Format("15:04:05")
		switch {
		case s.act != nil && s.act == s.began:
			v.When, v.How = from, "done by"
		case s.To == nil:
			v.When = fmt.Sprintf("from %s, still so at the end (%s)", from, model.Duration(p.To.Sub(s.From), false))
		default:
			v.When = fmt.Sprintf("%s to %s (%s)", from, s.To.Format("15:04:05"), model.Duration(s.To.Sub(s.From), false))
		}
		all = append(all, v)
	}
	return all
}

// Worst returns a moment at which the worst of what happened is to be seen, and says what that is;
// false if nothing was wrong.
func (p *Page) Worst() (at time.Time, said string, any bool) {
	var worst *story
	for _, s := range p.Stories {
		if worst == nil || s.rank() > worst.rank() || s.rank() == worst.rank() && p.length(s) > p.length(worst) {
			worst = s
		}
	}
	if worst == nil {
		return at, "", false
	}
	return p.shown(worst), worst.line(), true
}

// rank puts problems before acts, and the worst first.
func (s *story) rank() model.Level {
	if s.Severity == actSeverity {
		return 0
	}
	return s.level
}

func (p *Page) length(s *story) time.Duration {
	if s.To == nil {
		return p.To.Sub(s.From)
	}
	return s.lasted()
}

// shown is a moment at which a story is to be seen, in whole seconds where it lasts so long.
func (p *Page) shown(s *story) time.Time {
	at := s.From.Add(time.Second - 1).Truncate(time.Second)
	if at.After(s.From.Add(p.length(s))) {
		return s.From
	}
	return at
}

func (s *story) line() string {
	if len(s.Locks) == 0 {
		return s.Title
	}
	return s.Title + " on " + s.lockNames()
}

// Concerned are the locks of which the stories tell.
func (p *Page) Concerned() (all []string) {
	for _, s := range p.Stories {
		all = append(all, s.raw...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Incidents are the stories in a line each, in the order in which they began.
func (p *Page) Incidents() (all []string) {
	for _, s := range p.storyViews() {
		line := s.When + "  " + s.line()
		if s.Ended != nil {
			line += ": " + *s.Ended
		}
		all = append(all, model.Short(line, pageText))
	}
	return all
}

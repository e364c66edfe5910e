package ticket

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/model/timeline"
	"locktop/ui/report"
)

// New makes a page of a state.
func New(s *store.View, o Options) *Page {
	p := &Page{Schema: report.Schema, Source: model.Short(model.Printable(o.Source), pageSource), From: o.From.Truncate(time.Microsecond), To: o.At.Truncate(time.Microsecond), Values: masked(o.Values), Names: masked(o.Names), s: s, o: o,
		Cluster: report.ClusterOf(s), Seen: report.ObservedOf(s, o.Observation), Again: report.NotNil(o.Again)}
	p.lines = p.entries()
	p.stories()
	p.findings()
	p.drill(s.Drill())
	p.locks()
	p.beliefs()
	p.edges()
	p.journal()
	return p
}

func masked(shown bool) string {
	if shown {
		return "shown"
	}
	return "masked"
}

// about says whether a page tells of a lock.
func (p *Page) about(lock string) bool { return p.o.Lock == "" || lock == p.o.Lock }

func (p *Page) findings() {
	var all []model.Finding
	worst := model.LevelIdle
	for _, f := range p.s.StoriesOf(nil) {
		if f.Lock == "" || p.about(f.Lock) {
			all = append(all, f)
			worst = max(worst, f.Severity.Level())
		}
	}
	slices.SortStableFunc(all, func(a, b model.Finding) int { return cmp.Compare(b.Severity.Level(), a.Severity.Level()) })
	p.Verdict = verdict{Level: "well", Text: report.Summary(p.s, p.s.Locks(), p.o.Observation, len(p.o.Blind) > 0)}
	if v, any := p.s.Verdict(); any {
		p.Verdict.Text = text.English(v.Title()) + ". " + v.How("en") + ". " + p.Verdict.Text
	}
	if p.o.Lock != "" {
		p.Verdict.Text = p.ofOne(len(all))
	}
	switch {
	case worst == model.LevelError:
		p.Verdict.Level = string(model.SevError)
	case worst == model.LevelWarning:
		p.Verdict.Level = string(model.SevWarning)
	case len(p.o.Blind) > 0 || len(p.s.Locks()) == 0 && worst == model.LevelIdle:
		p.Verdict.Level = "unseen"
	case worst == model.LevelInfo:
		p.Verdict.Level = string(model.SevInfo)
	}
	p.headline(worst)
	p.LeftOut.Findings = max(0, len(all)-pageFindings)
	p.Findings = report.FindingsOf(all[:min(len(all), pageFindings)])
}

// ofOne is the verdict about one lock.
func (p *Page) ofOne(findings int) string {
	l := p.s.Lock(p.o.Lock)
	name := model.Printable(p.o.Lock)
	switch {
	case l == nil:
		return name + " has no keys at the end"
	case findings == 0 && len(p.o.Blind) > 0:
		return "No problem in what could be seen of " + name
	case findings == 0:
		return "No problem found on " + name
	}
	return name + ": " + text.English(status.ConditionOf(p.s, l).Message())
}

func (p *Page) locks() {
	for name, spans := range spansOf(p.s, p.From, p.To) {
		if p.about(name) && (len(spans) > 0 || p.s.Lock(name) != nil) {
			p.Locks = append(p.Locks, p.lock(name, spans))
		}
	}
	slices.SortFunc(p.Locks, func(a, b lock) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.TotalWait, a.TotalWait), cmp.Compare(b.Handovers, a.Handovers), cmp.Compare(a.raw, b.raw))
	})
	p.LeftOut.Locks = max(0, len(p.Locks)-pageLocks)
	p.Locks = p.Locks[:min(len(p.Locks), pageLocks)]
	if p.Locks == nil {
		p.Locks = []lock{}
	}
}

func (p *Page) lock(name string, spans []timeline.Span) lock {
	out := lock{raw: name, State: "no keys", Recipe: "-", spans: spans}
	out.Name, out.NameBase64 = report.Text(name)
	if l := p.s.Lock(name); l != nil {
		c := status.ConditionOf(p.s, l)
		out.State, out.level, out.Recipe, out.Handovers = c.Word, c.Level, l.RecipeLabel(), l.Stats().Handovers
		if h := l.Holder(); h != nil {
			who := p.s.Who(h.Ref())
			out.Holder = &who
		}
		if l.Recipe().WaitersVisible() && l.Recipe().HasHolder {
			n := l.Behind()
			out.Waiters = &n
		}
	}
	out.Since = wholeSince(p.s, name, p.From)
	out.TotalWait, out.TotalHold = p.s.Timeline().Waited(name, p.From, p.To).Seconds(), heldWithin(spans, p.From, p.To).Seconds()
	return out
}

// edges are who waits for whom at the end: for each waiter the one that is ahead of it
// and holds.
func (p *Page) edges() {
	p.WaitsFor = []edge{}
	seen := map[edge]bool{}
	for _, x := range p.Locks { // those in trouble come first
		l := p.s.Lock(x.raw)
		if l == nil || l.Holder() == nil {
			continue
		}
		for _, c := range l.Waiters(l.Len()) {
			has, waits := l.Holder().Ref(), c.Ref()
			e := edge{p.s.Who(waits), p.s.Who(has), model.Printable(l.Name), sessionOf(waits), sessionOf(has)}
			if seen[e] {
				continue
			}
			if seen[e] = true; len(p.WaitsFor) == pageEdges {
				p.LeftOut.WaitsFor++
				continue
			}
			p.WaitsFor = append(p.WaitsFor, e)
		}
	}
}

// sessionOf tells the session of a claim from all others.
func sessionOf(r model.ClaimRef) string {
	if r.Lease != 0 {
		return "lease " + r.Lease.String()
	}
	return "key " + r.Key
}

// journal takes what the page has of the journal, the latest.
func (p *Page) journal() {
	p.Handovers, p.Happened, p.Done = []report.Event{}, []report.Event{}, []done{}
	for _, f := range slices.Backward(p.lines) {
		if f.At.Before(p.From) && !f.Past || f.Lock != "" && !p.about(f.Lock) || p.o.Lock == "" && f.Part() {
			continue
		}
		switch f.Kind {
		case journal.Queued:
		case journal.Handover, journal.Acquired, journal.Shared, journal.Left, journal.Blocked, journal.Together:
			p.Handovers = p.add(p.Handovers, f, pageHandovers, &p.LeftOut.Handovers)
		case journal.Drill:
			if p.o.Lock != "" || p.Drill != nil { // its steps and verdicts stand there
				continue
			}
			p.happen(f)
		case journal.Action:
			if len(p.Done) == pageDoneMax {
				p.LeftOut.Done++
				continue
			}
			d := done{At: f.At, Text: model.Short(f.Sentence(p.s.Who), pageText)}
			if f.By != "" {
				by := model.Printable(f.By)
				d.By = &by
			}
			p.Done = append(p.Done, d)
		default:
			p.happen(f)
		}
	}
	slices.Reverse(p.happened)
	slices.Reverse(p.Handovers)
	slices.Reverse(p.Happened)
	slices.SortStableFunc(p.Done, func(a, b done) int { return a.At.Compare(b.At) }) // some were told late
}

// happen takes an entry that is about no holder and no act. People read the names of problems,
// programs their codes.
func (p *Page) happen(f *journal.Entry) {
	if p.Happened = p.add(p.Happened, f, pageHappened, &p.LeftOut.Happened); len(p.Happened) > len(p.happened) {
		p.happened = append(p.happened, p.said(f))
	}
}

func (p *Page) add(list []report.Event, f *journal.Entry, most int, left *int) []report.Event {
	if len(list) == most {
		*left++
		return list
	}
	e := report.EventOf(p.s, f)
	e.Text = model.Short(e.Text, pageText)
	return append(list, e)
}

// waiters is how many wait, ? where waiting leaves no trace.
func (p *Page) waiters(l lock) string {
	if l.Waiters == nil {
		return "?"
	}
	return fmt.Sprint(*l.Waiters)
}

package page

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// verdictStays is how long it stays in sight what was wrong and has gone.
const verdictStays = time.Minute

// Verdict is the worst of what is wrong, as it stands above the page. It stays for a while
// after it has gone, a warning unless anything else is wrong.
type Verdict struct {
	findings.Verdict
	Now   bool      // it is wrong still
	ended time.Time // since when it is not any more
}

func (v *Verdict) update(s *store.View, now time.Time) {
	worst, any := s.Verdict()
	failing, failed := worst.Finding.Severity == model.SevError, v.Finding.Severity == model.SevError
	if v.Now && (failed && !failing || !any) {
		v.Now, v.ended = false, overSince(s, &v.Finding, now)
	}
	if v.Now || failing || any && !failed || !v.Showing() || now.Sub(v.ended) >= verdictStays {
		*v = Verdict{Verdict: worst, Now: any}
		return
	}
	// The error that has just gone is worth more than a warning, which is only counted.
	if v.Errors, v.Warnings = 0, 0; any {
		v.Warnings = worst.Warnings + max(1, worst.Locks)
	}
}

// Showing says whether there is something to say.
func (v *Verdict) Showing() bool { return v.Finding.Code != "" }

// overSince is when the journal says that a finding is over, now if it does not.
func overSince(s *store.View, f *model.Finding, now time.Time) time.Time {
	for _, e := range slices.Backward(s.Journal()) {
		if e.At.Before(f.Since) {
			break
		}
		if e.Kind == journal.Finding && e.Found == nil && e.Code == f.Code && e.Lock == f.Lock {
			return e.At
		}
	}
	return now
}

// Over says whether it tells of what has gone.
func (v *Verdict) Over() bool { return v.Showing() && !v.Now }

// Height is how many lines it takes of a screen of h lines, 0 for none.
func (v *Verdict) Height(h int) int {
	switch {
	case !v.Showing() || h < 12:
		return 0
	case h < verdictWhole:
		return 2
	}
	return verdictLines
}

// verdictWhole is the height of the screen from which it says how it came, too: then it has so many lines.
const (
	verdictWhole = 24
	verdictLines = 3
)

// past is the headline of what is over.
func (v *Verdict) past(f table.View) model.Message {
	lasted := f.Th.Say("a-moment")
	if d := v.lasted(f.S); d >= time.Second {
		lasted = draw.Tenths(d)
	}
	return v.Past(model.Verbatim(f.Th.Problem(&v.Finding)), model.Verbatim(lasted), model.Verbatim(draw.Age(f.Now.Sub(v.ended), false)))
}

// lasted is for how long it was wrong. Of two who acted that is what the lanes say.
func (v *Verdict) lasted(s *store.View) time.Duration {
	if v.Finding.Code == model.CodeStaleHolder {
		over := s.Reports().Overlaps(v.Finding.Lock)
		if n := len(over) - 1; n >= 0 && over[n].To.After(v.Finding.Since) {
			return reports.Together(over[n].OfTheSame(over), v.ended)
		}
	}
	return v.ended.Sub(v.Finding.Since)
}

// holderNow says who holds now what was in trouble, "" for what is no lock.
func (v *Verdict) holderNow(f table.View) string {
	l := f.S.Lock(v.Finding.Lock)
	switch {
	case v.Finding.Lock == "":
		return ""
	case l == nil || l.Head() == nil:
		return f.Th.Say("nobody-holds-now", v.Finding.Lock)
	}
	return f.Th.Say("who-holds-now", model.Verbatim(f.Th.WhoIn(f.S, l.Head().Ref(), 40)), v.Finding.Lock)
}

// Lines paint it. selected says that what it is about is selected, and key is the one that
// selects it; press is the key that does what there is to do, "" for none.
func (v *Verdict) Lines(f table.View, w, h int, selected bool, key, press string) []string {
	th := f.Th
	level, sign := th.Severity(v.Finding.Severity)
	if !v.Now {
		level = draw.Dim
	}
	if !v.Now { // nothing that one has to look at before all else
		title := []draw.Span{level.Of(" " + sign + " "), level.Of(th.Cut(th.Message(v.past(f)), w-5))}
		lines := []string{th.Line(w, title, append(v.others(th), draw.Plain.Of(" ")))}
		if holder := v.holderNow(f); holder != "" && h >= verdictLines {
			lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of("   " + th.Cut(holder, w-4))}, nil))
		}
		return draw.Fill(append(lines, th.Line(w, v.do(th, w, selected, key, press), nil)), w, h)
	}
	title := []draw.Span{level.Of(" " + sign + " "), level.Of(th.Cut(th.Message(v.Title()), w-5))}
	if v.NotFenced() {
		title = append(title, draw.Plain.Of("   "), level.Of(th.Say("not-fenced")))
	}
	when, others := v.found(f), v.others(f.Th)
	do := th.Band(w, level, v.do(th, w, selected, key, press), nil)
	if h < 3 { // what to do is worth more than how it came
		if len(others) > 0 {
			when = append(when, draw.Plain.Of(" "))
		}
		return []string{th.Band(w, level, title, append(when, others...)), do}[:h]
	}
	how := th.How(v.Verdict)
	if draw.Width(how) > w-howBeside-draw.WidthOf(when) { // it takes the room of when that was, which stands above then, or nowhere
		how = th.CutClause(how, w-howAlone, w/3)
		if both := append(when, others...); draw.WidthOf(title)+draw.WidthOf(both)+4 <= w {
			others = both
		}
		when = nil
	}
	return []string{th.Band(w, level, title, others), th.Band(w, level, []draw.Span{draw.Plain.Of("   " + how)}, when), do}
}

// How many cells of a line are not for how it came: where when that was stands beside it, and where nothing does.
const (
	howBeside = 9
	howAlone  = 5
)

// found says when it was found, which may be long after it began.
func (v *Verdict) found(f table.View) []draw.Span {
	if d := f.Now.Sub(v.Finding.Since); v.Now && d >= time.Second {
		return []draw.Span{draw.Dim.Of(f.Th.Say("found-ago", model.Verbatim(draw.Age(d, false))))}
	}
	return nil
}

// others count what else is wrong.
func (v *Verdict) others(th *draw.Theme) []draw.Span {
	var all []draw.Span
	for _, x := range []struct {
		n    int
		what model.MessageID
		st   draw.Style
	}{{v.Errors, "errors", draw.Bad}, {v.Warnings, "warnings", draw.Late}} {
		if x.n == 0 {
			continue
		}
		all = append(all, draw.Dim.Of(" "+th.Say("and-word")+" "), x.st.Of(th.Say(x.what, draw.Counted(x.n))))
	}
	return all
}

func (v *Verdict) do(th *draw.Theme, w int, selected bool, key, press string) []draw.Span {
	keys := []draw.Span{draw.Accent.Of("   " + key), draw.Dim.Of(" " + th.Say("show-it"))}
	var evidence []draw.Span
	if selected {
		keys = []draw.Span{draw.Accent.Of("   e"), draw.Dim.Of(" " + th.Say("explain"))}
		evidence = []draw.Span{draw.Accent.Of("   w"), draw.Dim.Of(" " + th.Say("evidence"))}
	}
	if !v.Now { // there is nothing to do about it any more
		return append(keys, evidence...)
	}
	var dont []draw.Span
	if bad := v.Dont(); !bad.IsZero() {
		dont = []draw.Span{draw.Dim.Of("   " + th.Say("dont") + " "), draw.Plain.Of(th.Message(bad))}
	}
	var spans []draw.Span
	if do := v.Do(); !do.IsZero() {
		spans = []draw.Span{draw.Dim.Of("   " + th.Say("do-words") + " "), {}}
		if selected && press != "" {
			spans = append(spans, draw.Plain.Of("  "), draw.Change.Of(press))
		}
		said, beside := th.Message(do), [3][]draw.Span{dont, evidence, keys}
		fit := func(cut func(string, int) string) string { // what to do is worth more than what stands beside it
			dont, evidence, keys = beside[0], beside[1], beside[2]
			for _, less := range [...]*[]draw.Span{&dont, &evidence, &keys, nil} {
				room := max(1, w-draw.WidthOf(spans)-draw.WidthOf(keys)-draw.WidthOf(evidence)-draw.WidthOf(dont)-2)
				text := cut(said, room)
				if less == nil || !strings.HasSuffix(text, th.Sign.More) {
					return text
				}
				*less = nil
			}
			return ""
		}
		text := fit(th.Cut)
		if strings.HasSuffix(text, th.Sign.More) { // even alone
			text = fit(func(s string, w int) string { return th.CutClause(s, w, 1) }) // each of its clauses says what to do
		}
		spans[1] = draw.Plain.Of(text)
	}
	if room := w - 2 - draw.WidthOf(spans) - draw.WidthOf(dont) - draw.WidthOf(keys) - draw.WidthOf(evidence); len(dont) > 1 {
		short := &dont[1].Text // why stands beside it where there is room for a clause of that
		why := th.CutClause(th.Message(findings.WayOf(&v.Finding).Dont), draw.Width(*short)+room, draw.Width(*short)+1)
		if !strings.HasSuffix(why, th.Sign.More) && why != "" {
			*short = why
		}
	}
	keys = append(keys, evidence...)
	return append(append(spans, dont...), keys...)
}

// TallFrom is the height of the screen from which there is room for what is only nice to have.
const TallFrom = 30

package page

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/ui/draw"
)

// whyLine is a line of the why pane; where room is short the highest rank goes.
type whyLine struct {
	rank  int
	spans []draw.Span
	text  int  // of which text it is a part
	goes  bool // the text goes on in another line
}

// Ranks of the lines of the why pane, beside 0: the worst finding stays.
const (
	whySummary = 1 + iota // of the worst, as far as it wraps; what to do first
	whyOthers             // the summaries of the others
	whyAdvice
	whyEvidence
	whyAlike
	whyRanks
)

// whyMost bounds how many findings of one lock are shown under its queue.
const whyMost = 8

// whyShares divides h lines between the findings of a lock and its journal. Both
// fit only where there is room for both.
func whyShares(th *draw.Theme, list []model.Finding, w, h int) (why, journal int) {
	if len(list) == 0 || h < 2 || th.Asks { // it says what comes of it, and what to do
		return 0, h
	}
	need := 1 + len(whyLines(th, list, w))
	if rest := h - need; rest >= 3 {
		return need, rest
	}
	if h < 12 {
		return h, 0
	}
	return h - 4, 4
}

// WhyPane appends h lines that say why a lock is as it is.
func WhyPane(th *draw.Theme, lines []string, list []model.Finding, w, h int) []string {
	title := []draw.Span{draw.Strong.Of(th.Say("why"))}
	if len(list) > 1 {
		title = append(title, draw.Dim.Of(" "+th.Say("findings-counted", draw.Counted(len(list)))))
	}
	title = append(title, draw.Plain.Of(" "), draw.Accent.Of("e"), draw.Dim.Of(" "+th.Say("explains")))
	all := whyLines(th, list, w)
	for rank := whyRanks; rank > 0; rank-- {
		for i := len(all) - 1; i >= 0 && len(all) > h-1; i-- {
			if all[i].rank == rank {
				all = append(all[:i], all[i+1:]...)
			}
		}
	}
	lines = append(lines, th.Ruler(w, title...))
	all = all[:min(len(all), max(0, h-1))]
	for i, l := range all {
		if l.goes && (i+1 == len(all) || all[i+1].text != l.text) {
			l.spans = cutOff(th, l.spans, w)
		}
		lines = append(lines, th.Line(w, l.spans, nil))
	}
	return lines
}

// cutOff says at the end of a line that its text goes on and there is no room for that.
func cutOff(th *draw.Theme, spans []draw.Span, w int) []draw.Span {
	last := len(spans) - 1
	for _, sp := range spans[:last] {
		w -= draw.Width(sp.Text)
	}
	text := spans[last].Text + th.Sign.More
	if draw.Width(text) > w {
		text = th.Cut(text, w)
	}
	return append(slices.Clone(spans[:last]), spans[last].St.Of(text))
}

// whyLines are all that could be said.
func whyLines(th *draw.Theme, list []model.Finding, w int) []whyLine {
	var all []whyLine
	for i := range list[:min(len(list), whyMost)] {
		all = whyFinding(th, all, &list[i], w, i == 0)
	}
	for i := range all[:max(0, len(all)-1)] {
		all[i].goes = all[i].text == all[i+1].text
	}
	return all
}

// whyFinding appends what is to be said of one finding.
func whyFinding(th *draw.Theme, all []whyLine, f *model.Finding, w int, worst bool) []whyLine {
	st, sign := th.Severity(f.Severity)
	first, rest := whyOthers, whyAdvice
	if worst {
		first, rest = 0, whySummary
	}
	add := func(text, rank int, spans ...draw.Span) {
		all = append(all, whyLine{rank: rank, spans: spans, text: text})
	}
	say := func(rank int, st draw.Style, lead, text string, n int) {
		of := len(all)
		for i, part := range th.Wrap(th.FormatSentence(text), w-draw.Width(lead), n) {
			if i == 1 {
				lead = string(draw.Pad(nil, draw.Width(lead)))
			}
			if i > 0 {
				rank = max(rank, rest)
			}
			add(of, rank, draw.Dim.Of(lead), st.Of(part))
		}
	}
	said := th.Say("found", model.Verbatim(sign+" "+th.Problem(f)), f.Confidence, model.Verbatim(th.Summary(f)))
	head := strings.TrimSuffix(said, th.Summary(f))
	of := len(all)
	for i, part := range th.Wrap(said, w-4, 3) {
		if i == 0 {
			at := min(len(part), len(head))
			add(of, first, st.Of("  "+part[:at]), draw.Plain.Of(part[at:]))
			continue
		}
		add(of, rest, draw.Plain.Of("    "+part))
	}
	for _, e := range th.Messages(f.Evidence) {
		say(whyEvidence, draw.Dim, "    ", e, 2)
	}
	for i, d := range th.Messages(f.Advice) {
		rank, lead := whyAdvice, "        "
		if i == 0 {
			rank, lead = rest, "    "+th.Say("do-word")+" "
		}
		say(rank, draw.Plain, lead, d, 2)
	}
	if len(f.Alternatives) > 0 {
		say(whyAlike, draw.Dim, "    "+th.Say("looks-the-same")+" ", problems(th, f.Alternatives), 2)
	}
	return all
}

package page

import (
	"slices"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/status"
	"locktop/ui/draw"
)

// WorstFinding is the finding about the claim of a target, if that was selected and not its
// lock, else the worst one about the lock.
func (t Target) WorstFinding(f Frame, claim bool) (*model.Finding, string) {
	if claim && t.Lock != nil && t.Claim != nil {
		if x := status.Worst(f.S, t.Lock, t.Claim); x != nil {
			return x, ""
		}
	}
	return findingAbout(f, t.Lock)
}

// ParagraphsOf says all about a finding, in the order in which one acts.
func ParagraphsOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	return slices.Concat(sentenceOf(th, x), adviceOf(th, x), evidenceOf(th, x), commandsOf(th, x))
}

func sentenceOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	all := []draw.Paragraph{{St: draw.Strong, Lead: "  ", Text: th.Summary(x)}}
	if x.Count > 1 && x.Code != model.CodeLockCycle { // a deadlock names all of its locks itself
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  ", Text: th.Say("same-found-more", draw.Counted(x.Count-1))})
	}
	return all
}

// adviceOf says what to do, what else would help, and what would not.
func adviceOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	var all []draw.Paragraph
	add := func(label, text string) {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  " + draw.PadTo(label, adviceLabelCells), Text: text})
	}
	label := th.Say("do-words")
	for _, d := range th.Messages(x.Advice) {
		add(label, d)
		label = ""
	}
	if w := findings.WayOf(x); !w.Or.IsZero() {
		add(th.Say("or-word"), th.Message(w.Or))
	} else if !w.Dont.IsZero() {
		add(th.Say("dont"), th.Message(w.Dont))
	}
	return all
}

// adviceLabelCells are for the words before what to do.
const adviceLabelCells = 8

func evidenceOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	var all []draw.Paragraph
	for _, e := range th.Messages(x.Evidence) {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "  " + th.Sign.Fact + " ", Text: e})
	}
	if len(x.Alternatives) > 0 {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "  " + th.Sign.Fact + " " + th.Say("looks-the-same") + " ", Text: problems(th, x.Alternatives)})
	}
	return all
}

func commandsOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	var all []draw.Paragraph
	for _, c := range x.Etcdctl {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  $ ", Text: th.FormatSentence(c)})
	}
	return all
}

// problems names what some codes find.
func problems(th *draw.Theme, codes []model.Code) string {
	return th.Message(model.Say("problems", findings.Problems(codes)))
}

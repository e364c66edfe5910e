package page

import (
	"strings"

	"locktop/model"
	"locktop/model/status"
	"locktop/ui/draw"
)

// Finds is the finding about the claim of a target, if that was selected and not its
// lock, else the worst one about the lock.
func (t Target) Finds(f Frame, claim bool) (*model.Finding, string) {
	if claim && t.Lock != nil && t.Claim != nil {
		if x := status.Worst(f.S, t.Lock, t.Claim); x != nil {
			return x, ""
		}
	}
	return FindingAbout(f, t.Lock)
}

// ParagraphsOf says all about a finding, in the order in which one acts.
func ParagraphsOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	all := []draw.Paragraph{{St: draw.Strong, Lead: "  ", Text: th.Summary(x)}}
	switch {
	case x.Count <= 1:
	case x.Code == model.CodeLockCycle && x.Confidence != model.Hint:
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  ", Text: th.Say("same-deadlock", draw.Counted(x.Count-1))})
	default:
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  ", Text: th.Say("same-found-more", draw.Counted(x.Count-1))})
	}
	for _, e := range th.Messages(x.Evidence) {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "    " + th.Sign.Fact + " ", Text: e})
	}
	lead := "  " + th.Say("do-word") + " "
	for _, d := range th.Messages(x.Advice) {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: lead, Text: d})
		lead = "      "
	}
	if len(x.Alternatives) > 0 {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  " + th.Say("looks-the-same") + " ", Text: Codes(x.Alternatives)})
	}
	for _, c := range x.Etcdctl {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "  $ ", Text: th.FormatSentence(c)})
	}
	return all
}

// Codes names some codes.
func Codes(list []model.Code) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

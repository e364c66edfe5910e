package page

import (
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/ui/draw"
)

// cluster returns the lines of the page on a cluster that is not a lab: its members, what this
// connection sees, and what happened to the cluster.
func (p *labPage) cluster(f Frame, w, h int) []string {
	p.look(f)
	for i := range p.parts {
		p.parts[i].y = -1
	}
	th, c := f.Th, f.S.Cluster()
	var lines []string
	title := []draw.Span{draw.Strong.Of(th.Say("members"))}
	if n := c.Size(); n > 0 {
		title = append(title, draw.Dim.Of("  "+th.Say("quorum-of", n/2+1, n)))
	}
	for _, alarm := range c.Alarms {
		title = append(title, draw.Plain.Of("  "), draw.Bad.Of(th.Sign.Bad+" "+th.Cut(th.Clean(alarm), 32)))
	}
	hint := []draw.Span{draw.Dim.Of(th.Say("latency-from-here", model.AnswersSpan))}
	lines = append(lines, th.RulerWith(w, hint, title...))
	lines = p.list(lines, f, partMembers, w, max(2, min(len(p.parts[partMembers].ids)+1, h/3)))
	apart := func() {
		if f.Height >= TallFrom {
			lines = append(lines, draw.Blank(w))
		}
	}
	apart()
	lines = append(lines, th.Ruler(w, draw.Strong.Of(th.Say("this-connection"))))
	watches := f.S.Coverage().Watches()
	for i, x := range watches {
		if room := h / 3; i == room && len(watches) > room+1 {
			lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("more-prefixes", len(watches)-room))}, nil))
			break
		}
		lines = append(lines, th.Line(w, watchSpans(f, x), nil))
	}
	apart()
	facts := once(f.lately(), h, func(e *journal.Entry) bool { return e.Kind == journal.Member || e.Kind == journal.Gap })
	lines = append(lines, th.RulerWith(w, leaderHint(f), draw.Dim.Of(th.Say("what-happened-to-the-cluster"))))
	return draw.Fill(LastFacts(lines, f, facts, false, w, h-len(lines)), w, h)
}

// leaderHint says in which term the cluster is, nil where no member told.
func leaderHint(f Frame) []draw.Span {
	m := f.S.Cluster().Leader()
	if m.Term == 0 {
		return nil
	}
	return []draw.Span{draw.Dim.Of(f.Th.Say("leader-in-term", model.Verbatim(f.Th.Clean(memberName(m))), m.Term))}
}

// watchSpans say how far a prefix is seen.
func watchSpans(f Frame, x *locks.Watch) []draw.Span {
	th := f.Th
	name := draw.Plain.Of(" " + th.CutPath(th.Message(prefixWord(x.Prefix)), 40) + "  ")
	sign, said := draw.Good.Of("  "+th.Sign.Done), draw.Dim.Of(th.Say("its-keys-are-watched"))
	switch denied, _ := x.Denied(); {
	case denied:
		sign, said = draw.Late.Of("  "+th.Sign.Late), draw.Late.Of(th.Say("may-not-be-read"))
	case x.State == locks.Lost:
		sign, said = draw.Bad.Of("  "+th.Sign.Bad), draw.Bad.Of(th.Cut(th.FormatSentence(x.Detail), 60))
	case x.State == locks.Loading:
		sign, said = draw.Dim.Of("  "+th.Sign.Unread), draw.Dim.Of(th.Say("is-being-listed"))
	}
	return []draw.Span{sign, name, said}
}

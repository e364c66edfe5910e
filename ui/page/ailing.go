package page

import (
	"locktop/model"
	"locktop/ui/draw"
)

// ailing says that members of the cluster do not answer, or know no leader, and how many more could be lost before
// no lock moves; false if none is so.
func (f Frame) ailing() (said model.Message, is bool) {
	what, _, left := f.whatAils()
	if left > 0 {
		return model.Say("ailing-and-locks-may-stop", what, left), true
	}
	return what, !what.IsZero()
}

// whatAils says which members ail, what to do about it, and how many more have to fail until there is no quorum, 0
// where that is not known or there is none already.
func (f Frame) whatAils() (what, do model.Message, left int) {
	c := f.S.Cluster()
	if c.Fine() { // as nearly always
		return what, do, 0
	}
	name := func(m model.Member) any { return model.Verbatim(f.Th.Cut(f.Th.Clean(memberName(m)), 24)) }
	silent, leaderless := c.Ailing()
	switch n, all := len(silent)+len(leaderless), c.Size(); {
	case n == 0:
		return what, do, 0
	case n == 1 && len(silent) == 1:
		what, do = model.Say("member-is-silent", name(silent[0])), model.Say("check-process-and-network")
	case n == 1:
		what, do = model.Say("member-follows-nobody", name(leaderless[0])), model.Say("check-network-of-members")
	case len(leaderless) == 0:
		what, do = model.Say("members-are-silent", n, all), model.Say("check-processes-and-network")
	case len(silent) == 0:
		what, do = model.Say("members-follow-nobody", n, all), model.Say("check-network-of-members")
	default:
		what, do = model.Say("members-ail", n, all), model.Say("check-network-of-members")
	}
	if spare, known := c.Spare(); known && spare >= 0 {
		left = spare + 1
	}
	return what, do, left
}

// ailingLine says on the page of the members what ails, what it means and what to do, as far as w cells have room;
// nil if nothing does.
func (f Frame) ailingLine(w int) []string {
	what, do, left := f.whatAils()
	if what.IsZero() {
		return nil
	}
	th := f.Th
	line := []draw.Span{draw.Plain.Of(" "), draw.Late.Of(th.Cut(th.Sign.Late+" "+th.Say("as-a-sentence", what), w-2))}
	add := func(spans ...draw.Span) {
		if draw.WidthOf(line)+draw.WidthOf(spans) < w {
			line = append(line, spans...)
		}
	}
	if left > 0 {
		add(draw.Plain.Of(th.Say("so-many-more-may-stop-locks", left)))
	}
	if _, leaderless := f.S.Cluster().Ailing(); len(leaderless) > 0 {
		add(draw.Plain.Of(th.Say("its-clients-can-do-nothing", len(leaderless))))
	}
	add(draw.Dim.Of("   "+th.Say("do-words")+" "), draw.Plain.Of(th.Message(do)))
	return []string{th.Line(w, line, nil)}
}

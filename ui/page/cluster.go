package page

import (
	"fmt"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/timeline"
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
	if said, is := f.ailing(); is && !f.allWell() { // else a line above says so
		title = append(title, draw.Late.Of("  "+th.Sign.Late+" "+th.Message(said)))
	}
	hint := []draw.Span{draw.Dim.Of(th.Say("latency-from-here", model.AnswersSpan))}
	lines = append(lines, th.RulerWith(w, hint, title...))
	lines = p.list(lines, f, partMembers, w, max(2, min(len(p.parts[partMembers].ids)+1, h/3)))
	apart := func() {
		if f.Height >= TallFrom {
			lines = append(lines, draw.Blank(w))
		}
	}
	if leads := p.leaders(f, w, min(len(p.rows.members), h/6)); leads != nil {
		apart()
		lines = append(lines, leads...)
	}
	apart()
	requests, connection := ownRequests(f), thisConnection(f, h/3)
	if left := w * 2 / 5; w >= besideFrom {
		for _, spans := range requests {
			left = max(left, draw.WidthOf(spans)+2)
		}
		right := w - left
		lines = append(lines, th.Ruler(left, draw.Strong.Of(th.Say("our-own-requests")))+th.Ruler(right, draw.Strong.Of(th.Say("this-connection"))))
		for i := range max(len(requests), len(connection)) {
			line := draw.Blank(left)
			if i < len(requests) {
				line = th.Line(left, requests[i], nil)
			}
			if i < len(connection) {
				line += th.Line(right, connection[i], nil)
			} else {
				line += draw.Blank(right)
			}
			lines = append(lines, line)
		}
	} else {
		lines = append(lines, th.Ruler(w, draw.Strong.Of(th.Say("this-connection"))))
		for _, spans := range append(connection, requests...) {
			lines = append(lines, th.Line(w, spans, nil))
		}
	}
	apart()
	facts := once(f.lately(), h, func(e *journal.Entry) bool { return e.Kind == journal.Member || e.Kind == journal.Gap })
	lines = append(lines, th.RulerWith(w, leaderHint(f), draw.Dim.Of(th.Say("what-happened-to-the-cluster"))))
	lines = lastFacts(lines, f, facts, false, w, min(h-len(lines), max(1, (h-len(lines))/2)))
	return draw.Fill(fillWith(lines, f, []draw.Span{draw.Dim.Of(th.Say("what-happened-all"))}, f.FactsOfAll, true, w, h-len(lines)), w, h)
}

// Calm says which members ail, or that the cluster is well, where each member was asked, all answer in time, and nothing is found about it.
func (p *labPage) Calm(f Frame, lines []string) []string {
	w := ansi.StringWidth(lines[0])
	if own := f.ailingLine(w); own != nil {
		return own
	}
	c, leads := f.S.Cluster(), f.S.Leads()
	if p.lab || !c.Fine() || len(f.S.ClusterFindings()) > 0 || len(leads) == 0 {
		return lines
	}
	th, seen := f.Th, min(leadsSpan, f.Now.Sub(leads[0].From))
	changed := model.Say("no-leader-changed")
	if n := changesOf(leads, f.Now); n > 0 {
		changed = model.Say("leaders-changed", n)
	}
	line := []draw.Span{draw.Plain.Of(" "), draw.Good.Of(th.Sign.Holds), draw.Strong.Of(" " + th.Say("cluster-is-fine")), draw.Plain.Of(th.Say("all-members-answer", c.Size()))}
	leader, rest := draw.Plain.Of(th.Say("leaders-in-the-last", changed, model.Verbatim(draw.Age(seen, false)))), draw.Plain.Of(th.Say("and-no-alarm"))
	if all := append(slices.Clone(line), leader, rest); draw.WidthOf(all) < w {
		return []string{th.Line(w, all, nil)}
	}
	return []string{th.Line(w, append(line, rest), nil)}
}

// changesOf counts how often another leader was seen than before, within the time that its lanes show.
func changesOf(leads []locks.Lead, now time.Time) (n int) {
	last := -1
	for i, x := range leads {
		if x.Unseen || x.None {
			continue
		}
		if last >= 0 && (x.ID != leads[last].ID || x.Term != leads[last].Term) && now.Sub(x.From) <= leadsSpan {
			n++
		}
		last = i
	}
	return n
}

// leaderHint says in which term the cluster is, nil where no member told.
func leaderHint(f Frame) []draw.Span {
	m := f.S.Cluster().Leader()
	if m.Term == 0 {
		return nil
	}
	return []draw.Span{draw.Dim.Of(f.Th.Say("leader-in-term", model.Verbatim(f.Th.Clean(memberName(m))), m.Term))}
}

// seenCells is how many cells the name of what this connection sees takes at least.
const seenCells = 12

// besideFrom is the width from which our own requests stand beside what this connection sees.
const besideFrom = 110

// leadsSpan is how much time the lanes of the leaders show.
const leadsSpan = time.Hour

// leaders are the lanes of the members, of the time that each of them led: n at most, nil where no round told.
func (p *labPage) leaders(f Frame, w, n int) []string {
	th, leads := f.Th, f.S.Leads()
	if len(leads) == 0 || n < 1 {
		return nil
	}
	win := timeline.WindowOf(leadsSpan)
	start := leads[0].From
	names := 0
	for _, m := range p.rows.members {
		names = min(max(names, draw.Width(th.Clean(memberName(m)))), lockMost)
	}
	sc := win.Scale(start, f.Now, w-names-5).UpTo(f.S.Now())
	end := func(i int) (to time.Time) {
		if i+1 < len(leads) {
			to = leads[i+1].From
		}
		return to
	}
	var unseen [][2]time.Time
	last := time.Time{} // when one began to lead
	for i, x := range leads {
		switch {
		case x.Unseen:
			unseen = append(unseen, [2]time.Time{x.From, end(i)})
		case !x.None:
			last = x.From
		}
	}
	title := []draw.Span{draw.Strong.Of(th.Say("leader-word")), draw.Dim.Of("  " + win.Label(th, start, f.Now))}
	hint := []draw.Span{draw.Dim.Of(th.Say("no-leader-change-seen"))}
	if changes := changesOf(leads, f.Now); changes > 0 {
		hint = []draw.Span{draw.Late.Of(th.Say("leader-changes-seen", changes, model.Verbatim(last.In(f.Now.Location()).Format(time.TimeOnly))))}
	}
	lines := []string{th.RulerWith(w, hint, title...),
		th.Line(w, append([]draw.Span{draw.Plain.Of(draw.Blank(names + 4))}, sc.Ruler(th, &win, f.Now)...), nil)}
	for _, m := range p.rows.members[:min(n, len(p.rows.members))] {
		var led [][2]time.Time
		for i, x := range leads {
			if x.ID == m.ID && m.ID != 0 && !x.None && !x.Unseen {
				led = append(led, [2]time.Time{x.From, end(i)})
			}
		}
		name := th.Cut(th.Clean(memberName(m)), names)
		lines = append(lines, th.Line(w, append([]draw.Span{draw.Plain.Of("  " + draw.PadTo(name, names+2))}, th.LaneCells(f.Axis.Holds(sc, start, led, unseen))...), nil))
	}
	return lines
}

// requestWords are the kinds of our own requests.
var requestWords = [model.RequestKinds]model.MessageID{model.RequestLeases: "requests-for-leases", model.RequestStatus: "requests-for-status", model.RequestReads: "requests-for-keys"}

// ownRequests say how many requests of each kind are made.
func ownRequests(f Frame) (all [][]draw.Span) {
	th := f.Th
	rate := func(n float64) string { return th.Say("requests-a-second", model.Verbatim(fmt.Sprintf("%5.1f", n))) }
	row := func(name, said string, lately draw.Span, more string) {
		all = append(all, []draw.Span{draw.Dim.Of("  " + draw.PadTo(name, 18)), draw.Plain.Of(said + " "), lately, draw.Dim.Of(" " + more)})
	}
	if f.Cost.Budget == 0 { // of a recording
		return [][]draw.Span{{draw.Dim.Of("  " + th.Say("no-requests"))}}
	}
	for kind, n := range f.Cost.ByKind {
		more := ""
		if model.RequestKind(kind) == model.RequestLeases {
			more = th.Say("at-most-a-second", f.Cost.Budget)
		}
		row(th.Say(requestWords[kind]), rate(n), th.Bars(f.Sparkline.asked[kind][:], 1, draw.ToneDepth), more)
	}
	more := ""
	if a := f.S.Cluster().Agreed; a.Answered() > 0 {
		more = th.Say("answered-in", a.Usual, a.Longest)
	}
	row(th.Say("in-all"), rate(f.Cost.RPS), draw.Plain.Of(""), more)
	return all
}

// thisConnection says what may be read, and what may not; of so many prefixes at most.
func thisConnection(f Frame, most int) (all [][]draw.Span) {
	th := f.Th
	watches := f.S.Coverage().Watches()
	for i, x := range watches {
		if i == most && len(watches) > most+1 {
			all = append(all, []draw.Span{draw.Dim.Of("  " + th.Say("more-prefixes", len(watches)-most))})
			break
		}
		all = append(all, watchSpans(f, x))
	}
	row := func(st draw.Style, sign, name, said string) {
		all = append(all, []draw.Span{st.Of("  " + sign), draw.Plain.Of(" " + draw.PadTo(name, seenCells)), draw.Dim.Of(said)})
	}
	if f.Cost.Readings > 0 {
		row(draw.Good, th.Sign.Done, th.Say("leases-word"), th.Say("leases-are-read"))
	}
	if c := f.S.Cluster(); c.Up() > 0 && c.Up() < c.Size() {
		row(draw.Late, th.Sign.Late, th.Say("members"), th.Say("some-members-tell-status", c.Up(), c.Size()))
	} else if c.Up() > 0 {
		row(draw.Good, th.Sign.Done, th.Say("members"), th.Say("members-tell-status"))
	}
	switch {
	case f.Armed:
		row(draw.Late, th.Sign.Late, th.Say("writes-word"), th.Say("writes-are-armed"))
	case f.Cost.Budget > 0:
		row(draw.Dim, th.Sign.Waits, th.Say("writes-word"), th.Say("writes-are-not-tried"))
	}
	for _, grant := range Fresh(f.S).Grants() {
		all = append(all, []draw.Span{draw.Dim.Of("  " + th.Say("to-see-more") + "  "), draw.Plain.Of(th.Clean(grant))})
	}
	return all
}

// watchSpans say how far a prefix is seen.
func watchSpans(f Frame, x *locks.Watch) []draw.Span {
	th := f.Th
	name := draw.Plain.Of(" " + draw.PadTo(th.CutPath(th.Message(model.PrefixWord(x.Prefix)), 40), seenCells-2) + "  ")
	sign, said := draw.Good.Of("  "+th.Sign.Done), draw.Dim.Of(th.Say("its-keys-are-watched"))
	switch denied, _ := x.Denied(); {
	case denied:
		sign, said = draw.Late.Of("  "+th.Sign.Late), draw.Late.Of(th.Say("may-not-be-read"))
	case x.State == locks.Lost:
		sign, said = draw.Bad.Of("  "+th.Sign.Bad), draw.Bad.Of(th.Cut(th.Message(x.Detail), 60))
	case x.State == locks.Loading:
		sign, said = draw.Dim.Of("  "+th.Sign.Unread), draw.Dim.Of(th.Say("is-being-listed"))
	}
	return []draw.Span{sign, name, said}
}

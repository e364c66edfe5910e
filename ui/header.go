package ui

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// header is the top of the screen: the permanent line, and the line of pages.
type header struct {
	page.Frame
	o     *Options
	w     int
	pages pageSet
	spent error // why the source ended
	cost  model.Cost

	present *present // under the past, nil: now is shown
	*freezing
	stale bool // what it tells of the locks may not be true any more
}

// status is the permanent line.
func (h *header) status() string { return statusLine(h.Th, h.w, h.statusLeft(), h.statusRight()) }

// segment is a part of the status line; the highest rank goes first when it gets
// narrow.
type segment struct {
	rank  int
	spans []draw.Span
}

// statusLine paints the permanent line at the top.
func statusLine(th *draw.Theme, w int, left, right []segment) string {
	for need(left, 3)+need(right, 2) > w {
		worst := 0
		var from *[]segment
		var at int
		for _, side := range []*[]segment{&left, &right} {
			for i, s := range *side {
				if s.rank > worst {
					worst, from, at = s.rank, side, i
				}
			}
		}
		if from == nil {
			break
		}
		*from = slices.Delete(slices.Clone(*from), at, at+1)
	}
	edge := draw.Plain.Of(draw.Blank(margin(w)))
	return th.Line(w, append([]draw.Span{edge}, join(left, draw.Dim.Of(" "+th.Sign.Dot+" "))...), append(join(right, draw.Plain.Of("  ")), edge))
}

// margin is how many blanks a line of w cells begins and ends with.
func margin(w int) int {
	if w < 40 {
		return 0
	}
	return 1
}

// need is how many cells the parts take, each with so many beside it.
func need(parts []segment, beside int) int {
	n := 0
	for _, p := range parts {
		n += draw.WidthOf(p.spans) + beside
	}
	return n
}

// join sets parts side by side. The first one names the rest: nothing but room is after it.
func join(parts []segment, between draw.Span) []draw.Span {
	var all []draw.Span
	for i, p := range parts {
		switch i {
		case 0:
		case 1:
			all = append(all, draw.Plain.Of("  "))
		default:
			all = append(all, between)
		}
		all = append(all, p.spans...)
	}
	return all
}

// statusLeft says which cluster this is and how it does.
func (h *header) statusLeft() []segment {
	if h.frozen {
		return h.frozenLeft
	}
	label := []segment{{0, []draw.Span{draw.Accent.Of("locktop"), draw.Plain.Of(" "), h.o.labelStyle().Of(h.Th.Cut(h.Th.Clean(h.o.Label), 32))}}}
	c := h.S.Cluster()
	if len(c.Members) == 0 {
		return label
	}
	parts := append(label, segment{2, []draw.Span{quorum(h.Th, c)}}, segment{3, []draw.Span{h.leaderSpan()}})
	for _, alarmText := range c.Alarms {
		parts = append(parts, segment{1, []draw.Span{draw.Alarm.Of(" " + h.Th.Cut(h.Th.Clean(alarmText), 24) + " ")}})
	}
	parts = append(parts, segment{8, []draw.Span{draw.Dim.Of(h.Th.Say("rev") + " "), draw.Plain.Of(draw.Count(h.S.Rev()))}})
	if v := version(c); v != "" {
		parts = append(parts, segment{7, []draw.Span{draw.Dim.Of("etcd " + h.Th.Cut(h.Th.Clean(v), 12))}})
	}
	return parts
}

// wasThen mutes parts of what was. Only which page it is stays as it is.
func wasThen(parts []segment) []segment {
	for _, p := range parts {
		for i := range p.spans {
			if p.spans[i].St != draw.Here {
				p.spans[i].St = draw.Dim
			}
		}
	}
	return parts
}

// quorum says how many members answer. Of those that were not asked nothing is known, and
// who does not answer in time may be well: that there is no quorum a member has to say,
// which answers and knows no leader.
func quorum(th *draw.Theme, c model.ClusterStatus) draw.Span {
	up, asked, n := c.Up(), c.Asked(), c.Size()
	text, rest := th.Say("members-up", up, n), ""
	if asked < n {
		rest = th.Say("members-not-asked", n-asked)
	}
	switch {
	case c.Leaderless() && asked >= n:
		return draw.Bad.Of(th.Sign.Bad + " " + text + rest + th.Say("and-no-quorum"))
	case c.Leaderless():
		return draw.Bad.Of(th.Sign.Bad + " " + text + rest)
	case n-c.Down() <= n/2:
		return draw.Bad.Of(th.Sign.Bad + " " + th.Say("members-answer", up, n) + rest)
	case asked > up:
		return draw.Late.Of(th.Sign.Late + " " + text + rest)
	}
	return draw.Plain.Of(text + rest)
}

func (h *header) leaderSpan() draw.Span {
	m := h.S.Cluster().Leader()
	name := m.Name
	if name == "" {
		name = strconv.FormatUint(m.ID, 16)
	}
	switch {
	case m.ID != 0 || m.Name != "":
	case h.S.Cluster().Leaderless() && h.S.Cluster().Asked() >= h.S.Cluster().Size():
		return draw.Bad.Of(h.Th.Sign.Bad + " " + h.Th.Say("no-leader-word"))
	default:
		return draw.Late.Of(h.Th.Say("leader-not-known"))
	}
	return draw.Plain.Of(h.Th.Say("leader", model.Verbatim(h.Th.Cut(h.Th.Clean(name), 16))))
}

func version(c model.ClusterStatus) string {
	for _, m := range c.Members {
		if m.Version != "" {
			return m.Version
		}
	}
	return ""
}

// statusRight says what one may do and how fresh the screen is: both stay however
// narrow it gets.
func (h *header) statusRight() []segment {
	mode := segment{0, []draw.Span{draw.Readonly.Of(" " + h.Th.Say("read-only") + " ")}}
	switch {
	case h.present != nil: // there nothing can be done
		return []segment{mode, {0, []draw.Span{h.present.chip(h.o.Past, h.Th)}}, {1, []draw.Span{draw.Accent.Of("esc"), draw.Dim.Of(" " + h.Th.Say("returns-to-now"))}}}
	case h.o.Armed && h.o.Lab && !h.o.Foreign:
		mode = segment{0, []draw.Span{draw.Lab.Of(" " + h.Th.Say("lab") + " ")}}
	case h.o.Armed:
		mode = segment{0, []draw.Span{draw.Armed.Of(" " + h.Th.Say("armed") + " ")}}
	}
	if h.o.Playback != nil {
		parts := []segment{mode, {0, []draw.Span{asOf(h.o.Playback, h.Th)}}}
		if h.Ahead != nil {
			parts = append(parts, segment{1, []draw.Span{draw.Accent.Of("esc"), draw.Dim.Of(" " + h.Th.Say("back-to", model.Verbatim(h.Ahead.Now().Format("15:04:05"))))}})
		}
		return parts
	}
	fr := page.Fresh(h.S)
	var live draw.Span
	switch {
	case h.frozen:
		live = draw.Armed.Of(" " + h.Th.Say("frozen-for", model.Verbatim(draw.Age(h.Now.Sub(h.frozenAt), false))) + " ")
	case errors.Is(h.spent, io.EOF):
		live = draw.Dim.Of(h.Th.Say("ended"))
	case h.spent != nil:
		live = draw.Alarm.Of(" " + h.Th.Say("ended-word") + " ")
	case fr.Nothing:
		live = draw.Alarm.Of(" " + h.Th.Say("denied") + " ")
	case fr.State == locks.Lost:
		live = draw.Alarm.Of(" " + h.Th.Say("lost-for", model.Verbatim(draw.Age(h.Now.Sub(fr.Seen), false))) + " ")
	case fr.State == locks.Loading && fr.Percent >= 0:
		live = draw.Late.Of(h.Th.Say("loading-percent", fr.Percent))
	case fr.State == locks.Loading:
		live = draw.Late.Of(h.Th.Say("loading"))
	default:
		live = draw.Good.Of(h.Th.Sign.Holds + " " + h.Th.Say("live"))
	}
	parts := []segment{mode, {0, []draw.Span{live}}}
	if h.o.Record.On() {
		parts = append(parts, segment{0, []draw.Span{draw.Armed.Of(" " + h.Th.Say("rec") + " ")}})
	}
	if n := len(fr.Denied); n > 0 && !fr.Nothing {
		parts = append(parts, segment{1, []draw.Span{draw.Late.Of(h.Th.Sign.Late + " " + h.Th.Say("prefixes-denied", n))}})
	}
	if h.frozen { // what goes on has no date on this screen
		return parts
	}
	if h.cost.Behind > 0 {
		parts = append(parts, segment{4, []draw.Span{draw.Late.Of(h.Th.Say("events-behind", draw.Counted(h.cost.Behind)))}})
	}
	if h.cost.Budget > 0 && !h.Th.Brief {
		rate := h.Th.Say("requests-a-second", model.Verbatim(fmt.Sprintf("%2.0f", h.cost.RPS)))
		parts = append(parts, segment{5, []draw.Span{draw.Dim.Of(rate)}})
		if h.w >= budgetFrom {
			parts = append(parts, segment{9, []draw.Span{draw.Dim.Of(h.Th.Say("budget-reads", h.cost.Budget))}})
		}
	}
	return parts
}

// budgetFrom is the width from which the budget of lease readings is said.
const budgetFrom = 160

// tabs paints the pages, and at the right what must stay in sight whatever
// page one is on.
func (h *header) tabs() string {
	var left []draw.Span
	for _, t := range h.each() {
		left = append(append(left, draw.Plain.Of(draw.Blank(t.x-margin(h.w)-draw.WidthOf(left)))), t.spans...)
	}
	parts, right := []segment{{0, left}}, h.inSight()
	if h.stale {
		right = wasThen(right)
	}
	if h.frozen { // no other page can be gone to
		parts = wasThen(parts)
	}
	return statusLine(h.Th, h.w, parts, right)
}

// Cells beside the names of all pages that it takes: for what must stay in sight, without
// which only the page that is shown has its name; for the same in words; and for how much
// happens.
const (
	besideNames = 23
	besideCalm  = 18 // and where nothing has to stay but what the pages say, too
	besideWords = 43
	besideGraph = 53
	besideApart = 62 // and for that, where the names stand further apart
)

// room is how many cells are left beside the names of all pages.
func (h *header) room() int { return h.w - h.pages.width(h.Th) }

// tab is a page in the line of pages: which one, and where it begins.
type tab struct {
	page, x int
	spans   []draw.Span
}

// each are the pages that have a key of their own.
func (h *header) each() []tab {
	all := make([]tab, 0, len(h.pages.pages))
	n, worst := h.Counters.Count()
	x, gap := margin(h.w), tabGap
	named := h.room() >= besideNames || h.room() >= besideCalm && h.Uncertain.Count(h.Now) == 0 && len(h.S.Reports().Faults()) == 0
	if room := h.room(); room >= besideWords && room < besideGraph || room >= besideApart {
		gap++
	}
	for i, p := range h.pages.pages {
		about, st := p.About(), draw.Dim
		if about.Inner {
			continue
		}
		if i == h.pages.outer() {
			st = draw.Here
		}
		t := tab{i, x, append(make([]draw.Span, 0, 4), draw.Accent.Of(h.pages.digit(i)))}
		if named || i == h.pages.outer() {
			t.spans = append(t.spans, draw.Plain.Of(" "), st.Of(h.Th.Say(about.Label)))
		}
		if n > 0 && about.Shows&page.ShowFinding != 0 {
			count := " %s"
			if len(t.spans) == 1 {
				count = "(%s)"
			}
			t.spans = append(t.spans, worst.Of(fmt.Sprintf(count, draw.Count(int64(n)))))
		}
		all = append(all, t)
		x += draw.WidthOf(t.spans) + gap
	}
	return all
}

func (h *header) inSight() []segment {
	var right []segment
	add := func(rank int, spans ...draw.Span) { right = append(right, segment{rank, spans}) }
	lies, n := h.Uncertain.Count(h.Now), len(h.S.Reports().Faults())
	narrow := h.room() < besideWords
	switch {
	case lies > 0 && narrow:
		add(1, draw.Alarm.Of(" !! "+h.Th.Say("beliefs-false", lies)+" "))
	case lies > 0:
		add(1, draw.Alarm.Of(" !! "+h.Th.Say("false-beliefs", draw.Counted(lies))+" "))
	}
	fault := []draw.Span{draw.Late.Of(h.Th.Sign.Late + " " + h.Th.Say("faults-counted", draw.Counted(n)))}
	switch {
	case n > 0 && (narrow || h.present != nil): // the footer says how to heal it, and in the past nothing does
		add(2, fault...)
	case n > 0:
		add(2, append(fault, draw.Plain.Of(" "), draw.Accent.Of("A"), draw.Dim.Of(" "+h.Th.Say("heals")))...)
	}
	if n := h.Locks.Order.Bad; n > 0 {
		st, sign := h.Th.Level(h.Locks.Order.Worst)
		rank := 3
		if h.room() >= besideGraph { // there the pages say how much was found
			rank = 6
		}
		add(rank, st.Of(sign+" "+h.Th.Say("locks-in-trouble", n)))
	}
	if h.room() >= besideGraph && !h.Th.Brief {
		for i, graph := range [][]draw.Span{h.Sparkline.Handovers(h.Th, h.Now), h.Sparkline.Waiting(h.Th)} {
			if graph != nil {
				add(4+i, graph...)
			}
		}
	}
	add(7, draw.Dim.Of(h.Th.Say("locks-counted", draw.Counted(h.Locks.Order.Total))))
	return right
}

// click is the page whose name stands in a cell of the line of pages, -1 for none.
func (h *header) click(x int) int {
	for _, t := range h.each() {
		if x >= t.x && x < t.x+draw.WidthOf(t.spans) {
			return t.page
		}
	}
	return -1
}

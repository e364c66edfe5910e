package page

import (
	"slices"

	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/timeline"
)

// history is what happened to the lock, and where there is room what it cost beside it.
func (p *QueuePane) history(f Frame, l *locks.Lock, w, h int, timed bool) []string {
	left := w
	var beside []string
	if timed && !f.Th.Brief && h >= LeastRows && (w >= costsFrom && p.whole || w >= costsPane) && l.Recipe().HasHolder {
		from, to := f.Axis.Shown(f.S.Timeline().Start(), f.Exact())
		wide, blank := max(waitPanelLeast, w*7/20), 0
		if f.Height >= TallFrom {
			blank = 1
		}
		if beside = p.costs.Lines(f.View, l, from, to, wide, h-blank); beside != nil {
			left -= wide + 1
			beside = append(slices.Repeat([]string{draw.Blank(wide)}, blank), beside...)
		}
	}
	lines := slices.Clone(p.happened(f, l, left, h))
	for i, text := range beside {
		lines[i] += " " + text
	}
	return lines
}

// happening is what happened as it was painted last, and what from: as long as nothing happens it
// is not written anew.
type happening struct {
	source happeningOf
	lines  []string
}

type happeningOf struct {
	s          *store.View
	version    uint64
	th         *draw.Theme
	lock, pick string
	w, h       int
	all, whole bool
	window     timeline.Window

	// of its cursor
	cursor     bool
	at, bottom uint64
}

// happened is h lines of what happened to the lock last; under the table of locks to all of them,
// while nothing is wrong.
func (p *QueuePane) happened(f Frame, l *locks.Lock, w, h int) []string {
	p.all = !p.whole && p.ofAll(f, l)
	if !p.factual { // it follows the end again
		p.facts.pick, p.facts.anchor = 0, 0
	}
	of := happeningOf{f.S, f.S.Version(), f.Th, p.Lock, f.Locks.Pick.ID, w, h, p.all, p.whole, f.Axis.Window,
		p.factual, p.facts.pick, p.facts.anchor}
	if p.last.source != of || f.Axis.Past() { // a title says how long ago that was
		p.last = happening{of, draw.Fill(p.happenedAnew(f, w, h), w, h)}
	}
	return p.last.lines
}

// factsKept is how many entries can be gone through there.
const factsKept = 200

func (p *QueuePane) happenedAnew(f Frame, w, h int) []string {
	var lines []string
	room := h
	if h > 2 && f.Height >= TallFrom {
		lines = append(lines, draw.Blank(w))
		h--
	}
	n := h - 1
	if p.factual {
		n = factsKept
	}
	said, other := f.Th.Say("what-happened"), f.Th.Say("all-locks")
	if p.whole {
		said = f.Th.Say("journal-of-this-lock")
	}
	if p.all {
		said, other = f.Th.Say("what-happened-all"), f.Th.Say("this-lock-only")
		p.facts.matched = f.FactsOfAll(n)
	} else {
		p.facts.matched = f.FactsOf(p.Lock, n)
	}
	hint := []draw.Span{draw.Accent.Of("f"), draw.Dim.Of(" " + other)}
	if p.whole {
		hint = nil
	}
	at := len(lines)
	lines = p.facts.last(append(lines, ""), f, factLook{named: p.all, cursor: p.factual}, w, h-1)
	title := []draw.Span{draw.Dim.Of(said)}
	if p.factual { // what is below is known once it is painted
		title = append([]draw.Span{draw.Strong.Of(said)}, p.facts.newerBelow(f)...)
	}
	lines[at] = f.Th.RulerWith(w, hint, append(title, f.AsOf()...)...)
	if !p.all {
		lines = f.fillBeside(lines, p.Lock, w, room-len(lines))
	}
	return lines
}

// ofAll says whether what happened to all locks is shown, and not that of the selected one alone.
func (p *QueuePane) ofAll(f Frame, l *locks.Lock) bool {
	calm := !f.Counters.Verdict.Now && (l == nil || !status.ConditionOf(f.S, l).Trouble())
	return calm != p.turned
}

// costsFrom is the width from which what a lock cost stands beside its journal, costsPane where
// its queue is only a part of the page.
const (
	costsFrom = 120
	costsPane = 160
)

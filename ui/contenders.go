package ui

import (
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

// competitor is a contender, what is true of it, and what there is to say of the two.
type stance struct {
	model.ContenderInfo
	place int // in the queue, from 1, 0 for none
	st    style
	note  string
	how   style // of the note, and of what it believes
}

func contenderRow(f frame, c model.ContenderInfo, r *row) {
	claim, place := f.s.Truth(c)
	f.sees(claim)
	x := stance{ContenderInfo: c, place: place, st: plain}
	if c.Proc == model.ProcEnded {
		x.st = dim
	}
	x.note, x.how = f.doubts.mismatch(f.s, c, place, f.now)
	contenderCells.row(f.view, x, r)
}

// contenderCells are the columns of the contenders.
var contenderCells = cells[stance]{
	{column{title: "NAME", least: 5, fair: 6, most: 10}, func(r *row, x *stance) { r.add(x.st, r.f.th.cut(r.f.th.clean(x.Name), r.room())) }},
	{column{title: "PID", least: 7, most: 8, rank: 6, right: true}, func(r *row, x *stance) { r.add(dim, strconv.Itoa(x.PID)) }},
	{column{title: "PROCESS", least: 9, fair: 13, most: 20, rank: 3}, func(r *row, x *stance) {
		proc, st := processLook(r.f.th, r.f.s, x.ContenderInfo, r.room())
		r.add(st, r.f.th.cut(proc, r.room()))
	}},
	{column{title: "LOCK", least: 13, fair: 20, most: 26, rank: 2}, func(r *row, x *stance) { r.add(x.st, r.f.th.cutPath(r.f.th.clean(x.Lock), r.room())) }},
	{column{title: "RECIPE", least: 8, most: 8, rank: 8}, func(r *row, x *stance) { r.add(dim, r.f.th.cut(r.f.th.clean(x.Recipe), r.room())) }},
	{column{title: "TTL", least: 4, most: 5, rank: 7, right: true}, func(r *row, x *stance) { r.add(dim, strconv.Itoa(x.TTL)+"s") }},
	{column{title: "BELIEVES", least: 8, most: 8}, func(r *row, x *stance) { r.add(x.how, believes(x.ContenderInfo)) }},
	{column{title: "TRUTH", least: 8, most: 9}, func(r *row, x *stance) { r.add(x.how, truthWord(r.f.s, x.ContenderInfo, x.place)) }},
	{column{title: "LEASE", least: 12, most: 25, rank: 5}, func(r *row, x *stance) {
		if x.Lease == 0 {
			r.add(dim, "no lease yet")
		} else if lease := r.f.s.Lease(x.Lease); lease == nil {
			r.add(dim, "no key on it") // whether the lease lives is not known then
		} else {
			r.lease(lease, r.f.now)
		}
	}},
	{column{title: "LAST ACCESS", least: 15, fair: 22, most: 34, rank: 4}, accessCell},
	{column{title: "", least: 30, fair: 40, most: 52, rank: 1}, func(r *row, x *stance) {
		note, how := x.note, x.how
		if how == alarm {
			note = besideWords(r.f, x.ContenderInfo, note, r.room())
		} else if x.Belief.Text != "" && x.Proc != model.ProcPaused {
			note, how = r.f.th.clean(x.Belief.Text), dim
		}
		r.add(how, r.f.th.cut(note, r.room()))
	}},
}

// falseShort is the alarm in few words.
const falseShort = "!! FALSE for"

// accessCell says what the guarded resource last said to a contender.
func accessCell(r *row, c *stance) {
	x := c.LastAccess
	if x.At.IsZero() {
		r.add(dim, "none")
		return
	}
	what := "read"
	if x.Write {
		what = "write"
	}
	text := " ago"
	if n := c.Accepted + c.Refused; r.room() >= 30 {
		text += "  " + strconv.Itoa(c.Accepted) + "/" + strconv.Itoa(n) + " ok"
	}
	ago := " " + age(r.f.now.Sub(x.At), false)
	if !x.Accepted {
		r.add(bad, r.f.th.sign.bad+" "+what+" refused"+ago+text)
		return
	}
	r.add(dim, what+" ok"+ago+text)
}

// besideWords say that a belief is false and for how long beside who holds, as far
// as there is room. Belief and truth stand there in words of their own, so how long
// and beside whom is worth more than to say it at length.
func besideWords(f view, c model.ContenderInfo, note string, room int) string {
	for _, o := range f.s.Overlaps(c.Lock) {
		if o.Believer != c.Name || !o.To.IsZero() {
			continue
		}
		ms := " " + count(max(0, o.For(f.exact())).Milliseconds()) + " ms"
		who := " beside " + f.th.cut(f.th.tame(o.Who), 10)
		for _, words := range []string{note + ms + who, falseShort + ms + who, falseShort + ms} {
			if width(words) <= room {
				return words
			}
		}
	}
	return note
}

// processLook says how a contender's process is, and what is done to it.
func processLook(th *theme, s *model.State, c model.ContenderInfo, room int) (string, style) {
	if c.Proc == model.ProcEnded {
		return th.sign.bad + " " + th.clean(c.Ended), dim
	}
	var words []string
	if c.Proc == model.ProcPaused {
		words = append(words, "paused")
	}
	for _, x := range s.Faults() {
		word := string(x.Fault.Kind)
		switch {
		case x.Fault.Target != c.Name, x.Fault.Kind == model.FaultPause:
			continue // a process that is paused says so itself
		case x.Fault.Kind == model.FaultHoldKeepalives:
			word = "held"
		}
		words = append(words, th.clean(word))
	}
	if len(words) == 0 {
		return th.sign.holds + " runs", good
	}
	if text := strings.Join(words, "+"); width(text)+2 <= room || len(words) == 1 {
		return th.sign.late + " " + text, late
	}
	return th.sign.late + " " + plural(len(words), "fault"), late
}

func believes(c model.ContenderInfo) string {
	switch c.Belief.State {
	case model.BeliefHolding:
		return "I hold"
	case model.BeliefWaiting:
		return "I wait"
	case model.BeliefLost:
		return "I lost"
	case model.BeliefLeaving:
		return "leaving"
	case model.BeliefIdle:
		return "idle"
	}
	return "?"
}

func truthWord(s *model.State, c model.ContenderInfo, place int) string {
	switch {
	case place == 0 && c.Lock == "":
		return "?" // a program of the user's own: for which lock is not known
	case place == 0:
		return "no key"
	case holds(s, c, place):
		return "holds"
	}
	return "place " + strconv.Itoa(place)
}

// holds says whether a contender at that place, from 1, holds its lock.
func holds(s *model.State, c model.ContenderInfo, place int) bool {
	l := s.Lock(c.Lock)
	return l != nil && l.Holds(place-1)
}

// doubtAfter is how long belief and truth may lie apart before it is an alarm: a
// client that lets go tells us a moment after etcd did.
const doubtAfter = 2 * time.Second

// doubts remembers since when a contender believes to hold and does not.
type doubts map[string]time.Time

// look compares belief with truth.
func (d doubts) look(s *model.State, now time.Time) {
	for _, c := range s.Contenders() {
		_, place := s.Truth(c)
		if c.Proc == model.ProcEnded || c.Belief.State != model.BeliefHolding || holds(s, c, place) {
			delete(d, c.Name)
		} else if _, known := d[c.Name]; !known {
			d[c.Name] = now
		}
	}
}

// alarming says whether it has been so for long enough.
func (d doubts) alarming(name string, now time.Time) bool {
	since, ok := d[name]
	return ok && now.Sub(since) >= doubtAfter
}

// count returns how many contenders alarm.
func (d doubts) count(now time.Time) int {
	n := 0
	for name := range d {
		if d.alarming(name, now) {
			n++
		}
	}
	return n
}

// mismatch says in words where belief and truth lie apart. Only one of the ways
// is dangerous: to believe that one holds.
func (d doubts) mismatch(s *model.State, c model.ContenderInfo, place int, now time.Time) (string, style) {
	alive := c.Proc != model.ProcEnded
	switch {
	case d.alarming(c.Name, now):
		return "!! BELIEVES IT HOLDS: DOES NOT", alarm
	case alive && c.Belief.State == model.BeliefHolding && !holds(s, c, place):
		return "not learnt yet: it lost it", late
	case alive && c.Belief.State == model.BeliefWaiting && holds(s, c, place):
		return "not learnt yet: it holds", late
	case !alive && place > 0:
		return "ended, its key is still there", late
	case alive && c.Belief.State == model.BeliefWaiting && c.Belief.Key != "" && place == 0 && now.Sub(c.Belief.At) >= doubtAfter:
		return "not learnt yet: its key is gone", late
	case alive && c.Proc == model.ProcPaused && !c.Belief.At.IsZero():
		return "paused: said so " + age(now.Sub(c.Belief.At), false) + " ago", late
	case alive && c.Belief.State == model.BeliefLeaving && place > 0:
		return "asked to let go, not answered", dim
	case alive && c.Belief.State == model.BeliefLeaving:
		return "let go, not told so yet", dim
	}
	return "", plain
}

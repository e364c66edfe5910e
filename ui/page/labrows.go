package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// MemberCells are the columns of the members.
var MemberCells = table.Cells[model.Member]{
	{Column: table.Column{Title: "title-member", Least: 6, Most: 12}, Fill: func(r *table.Row, m *model.Member) {
		r.Add(draw.Plain, r.F.Th.Cut(r.F.Th.Clean(memberName(*m)), r.Room()))
	}},
	{Column: table.Column{Title: "title-role", Least: 9, Most: 9, Rank: 1}, Fill: func(r *table.Row, m *model.Member) {
		th := r.F.Th
		switch {
		case !m.Err.IsZero():
			r.Add(draw.Bad, th.Sign.Bad+" "+th.Say("member-down"))
		case m.Unasked && !m.Leader:
			r.Add(draw.Dim, th.Sign.Unread+" "+th.Say("unknown"))
		case m.NoLeader:
			r.Add(draw.Late, th.Sign.Late+" "+th.Say("unknown"))
		case m.Leader:
			r.Add(draw.Good, th.Sign.Holds+" "+th.Say("leader-word"))
		default:
			r.Add(draw.Dim, th.Sign.Waits+" "+th.Say("follows"))
		}
	}},
	{Column: table.Column{Title: "title-endpoint", Least: 16, Most: 30, Rank: 3}, Fill: func(r *table.Row, m *model.Member) { r.Add(draw.Plain, r.F.Th.Cut(r.F.Th.Clean(m.Endpoint), r.Room())) }},
	{Column: table.Column{Title: "title-etcd", Least: 7, Most: 9, Rank: 5, Right: true}, Fill: func(r *table.Row, m *model.Member) { r.Add(draw.Dim, r.F.Th.Cut(r.F.Th.Clean(m.Version), r.Room())) }},
	{Column: table.Column{Title: "title-latency", Least: 7, Most: 14, Rank: 2, Right: true}, Fill: func(r *table.Row, m *model.Member) {
		switch a := m.Answers; {
		case a.Answered() == 0:
			r.Add(draw.Dim, "-")
		case a.Slow == 0:
			r.Add(draw.Plain, model.Latency(a.Usual))
		case r.Room() < 13:
			r.Add(draw.Late, model.Latency(a.Longest))
		default:
			r.Add(draw.Late, model.Latency(a.Usual)+"-"+model.Latency(a.Longest))
		}
	}},
	{Column: table.Column{Title: "title-last-minute", Least: latencyCells, Most: latencyCells, Rank: 8}, Fill: latencies},
	{Column: table.Column{Title: "title-database", Least: 9, Most: 14, Rank: 7, Right: true}, Fill: func(r *table.Row, m *model.Member) {
		if m.DBSize == 0 {
			r.Add(draw.Dim, "-")
			return
		}
		size, of := model.Bytes(m.DBSize), fields.Percent(float64(m.DBSize)/float64(m.DBQuota))
		r.Add(draw.Plain, size)
		if m.DBQuota > 0 && r.Room() > len(size)+len(of) {
			r.Add(draw.Dim, " "+of)
		}
	}},
	{Column: table.Column{Title: "title-in-use", Least: 6, Most: 6, Rank: 9, Right: true}, Fill: func(r *table.Row, m *model.Member) {
		if m.DBUsed == 0 || m.DBSize == 0 {
			r.Add(draw.Dim, "-")
			return
		}
		r.Add(draw.Plain, fields.Percent(float64(m.DBUsed)/float64(m.DBSize)))
	}},
	{Column: table.Column{Title: "title-term", Least: 5, Most: 6, Rank: 6, Right: true}, Fill: func(r *table.Row, m *model.Member) {
		if m.Unasked || !m.Err.IsZero() {
			r.Add(draw.Dim, "-")
		} else {
			r.Add(draw.Dim, strconv.FormatUint(m.Term, 10))
		}
	}},
	{Column: table.Column{Title: "title-lag", Least: 6, Most: 9, Rank: 4, Right: true}, Fill: func(r *table.Row, m *model.Member) {
		switch n, told := r.F.S.Cluster().Behind(*m); {
		case !told:
			r.Add(draw.Dim, "-")
		case n == 0:
			r.Add(draw.Dim, "0")
		default:
			r.Add(draw.Plain, draw.Count(n))
		}
	}},
	{Column: table.Column{Title: "title-answer", Least: 10, Fair: 36, Most: 60}, Fill: func(r *table.Row, m *model.Member) {
		if words := memberFaults(r.F.Th, r.F.S, memberName(*m)); words != "" {
			r.Add(draw.Late, r.F.Th.Sign.Late+" "+words+" ")
		}
		said := memberAnswer(r.F.Th, m)
		r.Add(said.St, r.F.Th.Cut(said.Text, r.Room()))
	}},
}

// memberAnswer says how a member answers.
func memberAnswer(th *draw.Theme, m *model.Member) draw.Span {
	switch {
	case m.Unasked:
		return draw.Dim.Of(th.Say("not-asked"))
	case !m.Err.IsZero():
		return draw.Bad.Of(th.Message(m.Err))
	case m.NoLeader:
		return draw.Late.Of(th.Say("knows-no-leader"))
	case m.Answers.Failed > 0:
		return draw.Late.Of(th.Say("requests-failed", m.Answers.Failed, m.Answers.Asked))
	}
	return draw.Dim.Of(th.Say("ok"))
}

// answerMost bounds how many cells the answers of members take from the other columns.
const answerMost = 34

// answerCells are how many cells the answers of the members take.
func answerCells(f Frame, members []model.Member) (n int) {
	for i := range members {
		cells := draw.Width(memberAnswer(f.Th, &members[i]).Text)
		if words := memberFaults(f.Th, f.S, memberName(members[i])); words != "" {
			cells += draw.Width(words) + 3
		}
		n = max(n, cells)
	}
	return min(n, answerMost)
}

// latencyCells are how many cells a minute of latencies takes, latencyFull which latency fills one at least: the noise
// of a healthy cluster stays low.
const (
	latencyCells = 12
	latencyFull  = 10 * time.Millisecond
)

// latencies paint how long a member took to answer lately: the longest of each step, on one scale for all members.
func latencies(r *table.Row, m *model.Member) {
	const step = locks.RoundsSpan / latencyCells
	steps, most, st := make([]int, latencyCells), latencyFull, draw.ToneHold
	for _, round := range r.F.S.Rounds() {
		at := latencyCells - 1 - int(r.F.Now.Sub(round.At)/step)
		for _, x := range round.Members {
			if most = max(most, x.Answers.Last); x.ID == m.ID && at >= 0 && at < latencyCells {
				steps[at] = max(steps[at], int(x.Answers.Last))
			}
		}
	}
	if m.Answers.Slow > 0 {
		st = draw.ToneLate
	}
	r.Put(r.F.Th.Bars(steps, int(most), st))
}

// FaultCells are the columns of the faults in force.
var FaultCells = table.Cells[model.FaultOn]{
	{Column: table.Column{Title: "title-id", Least: 3, Most: 5, Right: true}, Fill: func(r *table.Row, x *model.FaultOn) { r.Add(draw.Dim, "#"+strconv.Itoa(x.ID)) }},
	{Column: table.Column{Title: "title-since", Least: 11, Most: 12, Rank: 2}, Fill: func(r *table.Row, x *model.FaultOn) {
		r.Add(draw.Dim, r.F.Th.Say("ago", model.Verbatim(draw.Age(r.F.Now.Sub(x.At), false))))
	}},
	{Column: table.Column{Title: "title-ends", Least: 12, Most: 13, Rank: 1}, Fill: func(r *table.Row, x *model.FaultOn) {
		if x.Fault.For > 0 {
			r.Add(draw.Plain, r.F.Th.Say("fault-ends-in", model.Verbatim(draw.Age(x.At.Add(x.Fault.For).Sub(r.F.Now), false))))
		} else {
			r.Add(draw.Dim, r.F.Th.Say("until-healed"))
		}
	}},
	{Column: table.Column{Title: "title-fault", Least: 14, Fair: 30, Most: 100}, Fill: func(r *table.Row, x *model.FaultOn) {
		th := r.F.Th
		r.Add(draw.Late, th.Sign.Late+" "+th.Cut(th.Fault(x.Fault), r.Room()-2))
	}},
}

// downFirst puts the members that do not answer first: not all may have room.
func downFirst(all []model.Member) []model.Member {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b model.Member) int {
		switch {
		case a.Err.IsZero() == b.Err.IsZero():
			return 0
		case !a.Err.IsZero():
			return -1
		}
		return 1
	})
	return all
}

// wrongFirst puts the contenders first that believe to hold and do not.
func wrongFirst(all []reports.ContenderInfo, f Frame) []reports.ContenderInfo {
	if f.Uncertain.Count(f.Now) == 0 {
		return all
	}
	rank := func(c reports.ContenderInfo) int {
		if f.Uncertain.Alarming(c.Name, f.Now) {
			return 0
		}
		return 1
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b reports.ContenderInfo) int { return rank(a) - rank(b) })
	return all
}

func memberName(m model.Member) string {
	if m.Name == "" {
		return strconv.FormatUint(m.ID, 16)
	}
	return m.Name
}

// memberFaults says in words what is done to a member.
func memberFaults(th *draw.Theme, s *store.View, name string) string {
	var words []string
	for _, x := range s.Reports().Faults() {
		if info, _ := x.Fault.Kind.Info(); x.Fault.Target == name && info.Target == model.TargetMember {
			words = append(words, th.Message(info.State))
		}
	}
	return strings.Join(words, "+")
}

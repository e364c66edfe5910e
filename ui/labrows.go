package ui

import (
	"slices"
	"strconv"
	"strings"

	"locktop/model"
	"locktop/model/fold"
)

// memberCells are the columns of the members.
var memberCells = cells[model.Member]{
	{column{title: "MEMBER", least: 6, most: 12}, func(r *row, m *model.Member) { r.add(plain, r.f.th.cut(r.f.th.clean(memberName(*m)), r.room())) }},
	{column{title: "ROLE", least: 9, most: 9, rank: 1}, func(r *row, m *model.Member) {
		th := r.f.th
		switch {
		case m.Err != "":
			r.add(bad, th.sign.bad+" down")
		case m.Unasked && !m.Leader:
			r.add(dim, th.sign.unread+" unknown")
		case m.Leader:
			r.add(good, th.sign.holds+" leader")
		default:
			r.add(dim, th.sign.waits+" follows")
		}
	}},
	{column{title: "ENDPOINT", least: 16, most: 30, rank: 2}, func(r *row, m *model.Member) { r.add(plain, r.f.th.cut(r.f.th.clean(m.Endpoint), r.room())) }},
	{column{title: "ETCD", least: 7, most: 9, rank: 4, right: true}, func(r *row, m *model.Member) { r.add(dim, r.f.th.cut(r.f.th.clean(m.Version), r.room())) }},
	{column{title: "TERM", least: 5, most: 6, rank: 5, right: true}, func(r *row, m *model.Member) {
		if m.Unasked {
			r.add(dim, "-")
		} else {
			r.add(dim, strconv.FormatUint(m.Term, 10))
		}
	}},
	{column{title: "REVISION", least: 9, most: 12, rank: 3, right: true}, func(r *row, m *model.Member) {
		if m.Unasked {
			r.add(dim, "-")
		} else {
			r.add(plain, count(m.Rev))
		}
	}},
	{column{title: "ANSWER", least: 6, most: 60}, func(r *row, m *model.Member) {
		th := r.f.th
		if words := memberFaults(r.f.s, memberName(*m)); words != "" {
			r.add(late, th.sign.late+" "+words+" ")
		}
		switch {
		case m.Unasked:
			r.add(dim, th.cut("not asked: not among --endpoints", r.room()))
		case m.Err != "":
			r.add(bad, th.cut(th.clean(m.Err), r.room()))
		default:
			r.add(dim, "ok")
		}
	}},
}

// faultCells are the columns of the faults in force.
var faultCells = cells[model.FaultOn]{
	{column{title: "ID", least: 3, most: 5, right: true}, func(r *row, x *model.FaultOn) { r.add(dim, "#"+strconv.Itoa(x.ID)) }},
	{column{title: "SINCE", least: 11, most: 12, rank: 2}, func(r *row, x *model.FaultOn) { r.add(dim, age(r.f.now.Sub(x.At), false)+" ago") }},
	{column{title: "ENDS", least: 12, most: 13, rank: 1}, func(r *row, x *model.FaultOn) {
		if x.Fault.For > 0 {
			r.add(plain, "ends in "+age(x.At.Add(x.Fault.For).Sub(r.f.now), false))
		} else {
			r.add(dim, "until healed")
		}
	}},
	{column{title: "FAULT", least: 14, fair: 30, most: 100}, func(r *row, x *model.FaultOn) {
		th := r.f.th
		r.add(late, th.sign.late+" "+th.cut(th.clean(x.Fault.Describe()), r.room()-2))
	}},
}

// downFirst puts the members that do not answer first: not all may have room.
func downFirst(all []model.Member) []model.Member {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b model.Member) int {
		switch {
		case (a.Err != "") == (b.Err != ""):
			return 0
		case a.Err != "":
			return -1
		}
		return 1
	})
	return all
}

func memberName(m model.Member) string {
	if m.Name == "" {
		return strconv.FormatUint(m.ID, 16)
	}
	return m.Name
}

// memberFaults says in words what is done to a member.
func memberFaults(s *fold.State, name string) string {
	var words []string
	for _, x := range s.Faults() {
		if x.Fault.Target != name {
			continue
		}
		switch x.Fault.Kind {
		case model.FaultStopMember:
			words = append(words, "stopped")
		case model.FaultPauseMember:
			words = append(words, "paused")
		case model.FaultIsolate:
			words = append(words, "isolated")
		case model.FaultSlowMember:
			words = append(words, "slow")
		}
	}
	return strings.Join(words, "+")
}

package ui

import (
	"slices"
	"strconv"
	"strings"

	"locktop/model"
)

var memberColumns = []column{
	{title: "MEMBER", least: 6, most: 12},
	{title: "ROLE", least: 9, most: 9, rank: 1},
	{title: "ENDPOINT", least: 16, most: 30, rank: 2},
	{title: "ETCD", least: 7, most: 9, rank: 4, right: true},
	{title: "TERM", least: 5, most: 6, rank: 5, right: true},
	{title: "REVISION", least: 9, most: 12, rank: 3, right: true},
	{title: "ANSWER", least: 6, most: 60, rank: 0},
}

var faultColumns = []column{
	{title: "ID", least: 3, most: 5, right: true},
	{title: "SINCE", least: 11, most: 12, rank: 2},
	{title: "ENDS", least: 12, most: 13, rank: 1},
	{title: "FAULT", least: 14, fair: 30, most: 100},
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

func memberRow(f frame, m model.Member, r *row) {
	th := f.th
	r.cell(plain, th.cut(th.clean(memberName(m)), r.room()))
	switch {
	case m.Err != "":
		r.cell(bad, th.sign.bad+" down")
	case m.Unasked && !m.Leader:
		r.cell(dim, th.sign.unread+" unknown")
	case m.Leader:
		r.cell(good, th.sign.holds+" leader")
	default:
		r.cell(dim, th.sign.waits+" follows")
	}
	r.cell(plain, th.cut(th.clean(m.Endpoint), r.room()))
	r.cell(dim, th.cut(th.clean(m.Version), r.room()))
	if m.Unasked {
		r.cell(dim, "-")
		r.cell(dim, "-")
	} else {
		r.cell(dim, strconv.FormatUint(m.Term, 10))
		r.cell(plain, count(m.Rev))
	}
	if words := memberFaults(f.s, memberName(m)); words != "" {
		r.add(late, th.sign.late+" "+words+" ")
	}
	switch {
	case m.Unasked:
		r.cell(dim, th.cut("not asked: not among --endpoints", r.room()))
	case m.Err != "":
		r.cell(bad, th.cut(th.clean(m.Err), r.room()))
	default:
		r.cell(dim, "ok")
	}
}

// memberFaults says in words what is done to a member.
func memberFaults(s *model.State, name string) string {
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

func faultRow(f frame, x model.FaultOn, r *row) {
	r.cell(dim, "#"+strconv.Itoa(x.ID))
	r.cell(dim, age(f.now.Sub(x.At), false)+" ago")
	if x.Fault.For > 0 {
		r.cell(plain, "ends in "+age(x.At.Add(x.Fault.For).Sub(f.now), false))
	} else {
		r.cell(dim, "until healed")
	}
	r.cell(late, f.th.sign.late+" "+f.th.cut(f.th.clean(x.Fault.Describe()), r.room()-2))
}

package ui

import (
	"strconv"

	"locktop/model"
)

var clientColumns = []column{
	{title: "CLIENT", least: 15, fair: 21, most: 30},
	{title: "AGENT", least: 12, fair: 24, most: 44, rank: 2},
	{title: "MEMBER", least: 15, fair: 16, most: 24, rank: 3},
	{title: "LEASES", least: 8, fair: 24, most: 24, rank: 1},
	{title: "CONNS", least: 5, most: 5, rank: 4, right: true},
	{title: "SINCE", least: 6, most: 7, rank: 5, right: true},
}

// clientRow is a client at the proxy's shared listeners, which is no contender.
func clientRow(f frame, c model.ClientInfo, r *row) {
	th := f.th
	name := th.clean(c.Name)
	if words := th.clientFaults(f.s, c.Name); words != "" {
		words = " " + th.sign.late + " " + words
		r.add(plain, th.cut(name, max(6, r.room()-width(words))))
		r.cell(late, words)
	} else {
		r.cell(plain, th.cut(name, r.room()))
	}
	r.cell(dim, th.cut(th.clean(c.Agent), r.room()))
	r.cell(plain, th.cut(th.clean(c.Member), r.room()))
	leases := strconv.Itoa(c.Granted) + " granted"
	if r.room() >= 22 {
		leases += ", " + strconv.Itoa(c.Renewed) + " renewed"
	}
	r.cell(plain, th.cut(leases, r.room()))
	r.cell(dim, strconv.Itoa(c.Connections))
	r.cell(dim, age(f.now.Sub(c.Since), false))
}

// clientFaults names what is done to a client.
func (th *theme) clientFaults(s *model.State, name string) string {
	text := ""
	for _, x := range s.Faults() {
		if x.Fault.Target == name && name != "" {
			if text != "" {
				text += "+"
			}
			text += th.clean(string(x.Fault.Kind))
		}
	}
	return text
}

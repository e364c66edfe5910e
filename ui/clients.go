package ui

import (
	"strconv"

	"locktop/model"
)

// clientCells are the columns of the clients at the proxy's shared listeners, which are
// no contenders.
var clientCells = cells[model.ClientInfo]{
	{column{title: "CLIENT", least: 15, fair: 21, most: 30}, func(r *row, c *model.ClientInfo) {
		th := r.f.th
		name := th.clean(c.Name)
		if words := clientFaults(th, r.f.s, c.Name); words != "" {
			words = " " + th.sign.late + " " + words
			r.add(plain, th.cut(name, max(6, r.room()-width(words))))
			r.add(late, words)
		} else {
			r.add(plain, th.cut(name, r.room()))
		}
	}},
	{column{title: "AGENT", least: 12, fair: 24, most: 44, rank: 2}, func(r *row, c *model.ClientInfo) { r.add(dim, r.f.th.cut(r.f.th.clean(c.Agent), r.room())) }},
	{column{title: "MEMBER", least: 15, fair: 16, most: 24, rank: 3}, func(r *row, c *model.ClientInfo) { r.add(plain, r.f.th.cut(r.f.th.clean(c.Member), r.room())) }},
	{column{title: "LEASES", least: 8, fair: 24, most: 24, rank: 1}, func(r *row, c *model.ClientInfo) {
		leases := strconv.Itoa(c.Granted) + " granted"
		if r.room() >= 22 {
			leases += ", " + strconv.Itoa(c.Renewed) + " renewed"
		}
		r.add(plain, r.f.th.cut(leases, r.room()))
	}},
	{column{title: "CONNS", least: 5, most: 5, rank: 4, right: true}, func(r *row, c *model.ClientInfo) { r.add(dim, strconv.Itoa(c.Connections)) }},
	{column{title: "SINCE", least: 6, most: 7, rank: 5, right: true}, func(r *row, c *model.ClientInfo) { r.add(dim, age(r.f.now.Sub(c.Since), false)) }},
}

// clientFaults names what is done to a client.
func clientFaults(th *theme, s *model.State, name string) string {
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

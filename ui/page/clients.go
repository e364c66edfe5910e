package page

import (
	"strconv"

	"locktop/model/reports"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// ClientCells are the columns of the clients at the proxy's shared listeners, which are
// no contenders.
var ClientCells = table.Cells[reports.ClientInfo]{
	{Column: table.Column{Title: "title-client", Least: 15, Fair: 21, Most: 30}, Fill: func(r *table.Row, c *reports.ClientInfo) {
		th := r.F.Th
		name := th.Clean(c.Name)
		if words := clientFaults(th, r.F.S, c.Name); words != "" {
			words = " " + th.Sign.Late + " " + words
			r.Add(draw.Plain, th.Cut(name, max(6, r.Room()-draw.Width(words))))
			r.Add(draw.Late, words)
		} else {
			r.Add(draw.Plain, th.Cut(name, r.Room()))
		}
	}},
	{Column: table.Column{Title: "title-agent", Least: 12, Fair: 24, Most: 44, Rank: 2}, Fill: func(r *table.Row, c *reports.ClientInfo) {
		r.Add(draw.Dim, r.F.Th.Cut(r.F.Th.Clean(c.Agent), r.Room()))
	}},
	{Column: table.Column{Title: "title-member", Least: 15, Fair: 16, Most: 24, Rank: 3}, Fill: func(r *table.Row, c *reports.ClientInfo) {
		r.Add(draw.Plain, r.F.Th.Cut(r.F.Th.Clean(c.Member), r.Room()))
	}},
	{Column: table.Column{Title: "title-leases", Least: 8, Fair: 24, Most: 24, Rank: 1}, Fill: func(r *table.Row, c *reports.ClientInfo) {
		leases := r.F.Th.Say("leases-granted", c.Granted)
		if r.Room() >= 22 {
			leases = r.F.Th.Say("leases-granted-renewed", c.Granted, c.Renewed)
		}
		r.Add(draw.Plain, r.F.Th.Cut(leases, r.Room()))
	}},
	{Column: table.Column{Title: "title-conns", Least: 5, Most: 5, Rank: 4, Right: true}, Fill: func(r *table.Row, c *reports.ClientInfo) { r.Add(draw.Dim, strconv.Itoa(c.Connections)) }},
	{Column: table.Column{Title: "title-since", Least: 6, Most: 7, Rank: 5, Right: true}, Fill: func(r *table.Row, c *reports.ClientInfo) { r.Add(draw.Dim, draw.Age(r.F.Now.Sub(c.Since), false)) }},
}

// clientFaults names what is done to a client.
func clientFaults(th *draw.Theme, s *store.View, name string) string {
	text := ""
	for _, x := range s.Reports().Faults() {
		if x.Fault.Target == name && name != "" {
			if text != "" {
				text += "+"
			}
			text += th.Clean(string(x.Fault.Kind))
		}
	}
	return text
}

package reports

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// Program returns the contender that is the process behind a name, nil if there is none.
func (p *Programs) Program(name string) *ContenderInfo { return p.contenders[p.program(name)] }

// program is the process behind a name: of the workers c1.1 and c1.2 it is c1.
func (p *Programs) program(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name
	}
	if base := name[:i]; p.contenders[base] != nil || p.clients[base] != nil {
		return base
	}
	return name
}

// SameProgram says whether both names are of one process.
func (p *Programs) SameProgram(a, b string) bool {
	return a == b || p.program(a) == p.program(b)
}

// Workers returns what the contender of that name, and those that share its process,
// say of the locks that they compete for.
func (p *Programs) Workers(name string) []*Competitor {
	name = p.program(name)
	c := p.contenders[name]
	if c == nil {
		return nil
	}
	var all []*Competitor
	for _, own := range c.competitors {
		for _, st := range own.place.Competitors {
			if p.program(st.Name) == name {
				all = append(all, st)
			}
		}
	}
	return all
}

// ProcOf returns the state of a contender's process, which for a worker is reported
// under the name of the process.
func (p *Programs) ProcOf(c *ContenderInfo) model.ProcState {
	if process := p.contenders[p.program(c.Name)]; c.Proc == "" && process != nil {
		return process.Proc
	}
	return c.Proc
}

// PausedSince says whether a contender's process is paused, or was after t.
func (p *Programs) PausedSince(c *ContenderInfo, t time.Time) bool {
	process := p.contenders[p.program(c.Name)]
	return p.ProcOf(c) == model.ProcPaused || c.pauseEnded.After(t) || process != nil && process.pauseEnded.After(t)
}

// recent is how long ago a client may have lost its connection to count as there.
const recent = time.Minute

// connected says whether a client is connected, or was not long ago.
func (p *Programs) connected(name string, now time.Time) bool {
	if c := p.contenders[name]; c != nil && c.Proc == model.ProcEnded {
		return false
	}
	cl := p.clients[name]
	return cl != nil && (len(cl.conns) > 0 || !cl.reported || now.Sub(cl.lastActive) < recent)
}

// Clients returns the clients that are connected through the proxy and are no
// contenders, by name.
func (p *Programs) Clients() []ClientInfo {
	var all []ClientInfo
	for _, c := range p.clients {
		if len(c.conns) == 0 || p.contenders[c.Name] != nil {
			continue
		}
		last := c.conns[len(c.conns)-1]
		all = append(all, ClientInfo{Client: c.Client, Peer: last.Peer, Agent: last.Agent, Member: last.Member,
			Connections: len(c.conns), Granted: c.granted, Renewed: c.renewed, Watches: len(c.watching), Since: c.since})
	}
	slices.SortFunc(all, func(a, b ClientInfo) int { return strings.Compare(a.Name, b.Name) })
	return all
}

package reports

import (
	"maps"
	"slices"
	"time"

	"locktop/model"
)

// ClientInfo is a client of the proxy that is not a contender.
type ClientInfo struct {
	model.Client
	// Peer, Agent and Member are those of its newest connection.
	Peer, Agent, Member string
	// Connections counts those that are open.
	Connections int
	// Granted and Renewed count the leases that it was granted and that it renewed,
	// ended ones included; Watches the single keys that it watches now.
	Granted, Renewed, Watches int
	// Since is when it connected first.
	Since time.Time
}

// connsMax bounds how many connections of a client are remembered.
const connsMax = 64

// at returns what is known of a client that is there or did something, made if needed.
func (all clients) at(c model.Client, at time.Time) *client {
	cl := all[c.Name]
	if cl == nil {
		if len(all) >= clientsMax {
			all.drop()
		}
		cl = &client{Client: c, since: at, watching: map[string]bool{}}
		all[c.Name] = cl
	}
	if at.After(cl.lastActive) {
		cl.lastActive = at
	}
	return cl
}

// drop forgets the client that was seen last the longest ago, of those without
// a connection if there is any.
func (all clients) drop() {
	var oldest *client
	for _, c := range all {
		if oldest == nil || len(c.conns) == 0 && len(oldest.conns) > 0 ||
			(len(c.conns) == 0) == (len(oldest.conns) == 0) && (c.lastActive.Before(oldest.lastActive) || c.lastActive.Equal(oldest.lastActive) && c.Name < oldest.Name) {
			oldest = c
		}
	}
	delete(all, oldest.Name)
}

// counts a lease that the client was granted, or that it renewed for the first time.
func (cl *client) counts(e model.LeaseOwner) {
	if e.Renews {
		cl.renewed++
	} else {
		cl.granted++
	}
}

// connected takes the begin or end of a connection in. A client without any is
// forgotten, unless it is a contender, which comes back.
func (rs *Reports) connected(e model.Connected) {
	cl := rs.Programs.clients.at(e.Client, e.At)
	cl.reported = true
	cl.conns = slices.DeleteFunc(cl.conns, func(c model.Connected) bool { return c.Peer == e.Peer && c.Member == e.Member })
	if e.On && len(cl.conns) < connsMax {
		cl.conns = append(cl.conns, e)
	}
	if len(cl.conns) == 0 {
		rs.forgetWatches(e.Name)
		if !e.Certain {
			delete(rs.Programs.clients, e.Name)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rs.Keepers.shared)) {
		if slices.ContainsFunc(rs.Keepers.keepers[id], func(k model.LeaseOwner) bool { return k.Name == e.Name }) {
			rs.news.leaseChanged(id)
		}
	}
}

// forgetWatches forgets what a client watched.
func (rs *Reports) forgetWatches(name string) {
	cl := rs.Programs.clients[name]
	if cl == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(cl.watching)) {
		if n := rs.notebook.notes[key]; n != nil {
			n.Watchers = slices.DeleteFunc(n.Watchers, func(w model.Watches) bool { return w.Name == name })
			rs.notebook.reopen(n)
		}
	}
	clear(cl.watching)
}

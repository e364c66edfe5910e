package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"locktop/model/fold"
	"locktop/model/keyspace"
	"locktop/model/sight"
)

// Schema is the version of the JSON output.
const Schema = 1

// Observation says how a state was come by.
type Observation struct {
	// At is when the answer is given, For how long was observed before.
	At  time.Time
	For time.Duration
	// Prefixes that were looked at.
	Prefixes []string
	// Asked says which of the locks there were asked for; nil: all.
	Asked func(*keyspace.Lock) bool
	// Denied are the things that could not be read, with the reason.
	Denied []string
	// Blind is what was asked for and could not be seen.
	Blind []sight.Unseen
	// Skipped is what belongs to the locks and was not looked at, with the reason.
	Skipped []string
	// Unread counts the leases that had no turn within the budget of readings.
	Unread int
}

// Cluster names the cluster that was looked at. Revision is that up to which the keys are known,
// so that one can ask a recording for the same.
type Cluster struct {
	ID       string   `json:"id"`
	Revision int64    `json:"revision"`
	Members  int      `json:"members"`
	Leader   *string  `json:"leader"`
	Version  *string  `json:"version"`
	Alarms   []string `json:"alarms"`
}

// Observed says when was looked, for how long, and what was not seen.
type Observed struct {
	At         time.Time `json:"at"`
	For        float64   `json:"for"`
	Prefixes   []string  `json:"prefixes"`
	Claims     int       `json:"claims"`
	OtherKeys  int       `json:"other_keys"`
	LeasesRead int       `json:"leases_read"`
	LeasesLeft int       `json:"leases_unread"` // for want of budget
	Denied     []string  `json:"denied"`
	Blind      []blind   `json:"blind"`
	Skipped    []string  `json:"not_looked_at"`
}

// blind is what could not be seen: keys of a prefix, so many leases, or the members'
// lists of leases.
type blind struct {
	What   string  `json:"what"`
	Prefix *string `json:"prefix"`
	Leases *int    `json:"leases"`
	For    float64 `json:"for"`
	Reason string  `json:"reason"`
}

// JSON writes the locks of a state as one object.
func JSON(w io.Writer, s *fold.State, locks []*keyspace.Lock, obs Observation) error {
	o := newStream(w, true, flushAt)
	s.ToldOf(obs.Asked) // before several write what is said of the locks
	o.open('{')
	o.name(`"schema": `)
	o.int(Schema)
	o.name(`"cluster": `)
	o.value(ClusterOf(s))
	o.name(`"observed": `)
	o.value(ObservedOf(s, obs))
	o.name(`"locks": `)
	o.open('[')
	o.locks(s, locks, obs.At)
	o.shut(']')
	o.name(`"findings": `)
	o.findings(s.ClusterFindings())
	o.shut('}')
	return o.end()
}

// ClusterOf is the cluster of a state, nil where it is not known.
func ClusterOf(s *fold.State) *Cluster {
	c := s.Cluster()
	if c.At.IsZero() {
		return nil
	}
	out := &Cluster{ID: fmt.Sprintf("%x", c.ClusterID), Revision: s.KeysRev(), Members: c.Size(), Alarms: []string{}}
	for _, a := range c.Alarms {
		out.Alarms = append(out.Alarms, strings.ToValidUTF8(a, "\ufffd"))
	}
	if l := c.Leader(); l.ID != 0 {
		id := fmt.Sprintf("%x", l.ID)
		out.Leader = &id
	}
	for _, m := range c.Members {
		if m.Version != "" {
			version := strings.ToValidUTF8(m.Version, "\ufffd")
			out.Version = &version
			break
		}
	}
	return out
}

// ObservedOf tells of a look at a state.
func ObservedOf(s *fold.State, o Observation) Observed {
	keys, claims := s.Counts()
	out := Observed{At: o.At, For: o.For.Seconds(), Prefixes: o.Prefixes, Claims: claims, OtherKeys: keys - claims, LeasesLeft: o.Unread, Denied: o.Denied}
	if out.Denied == nil {
		out.Denied = []string{}
	}
	out.Blind, out.Skipped = []blind{}, NotNil(o.Skipped)
	for _, u := range o.Blind {
		b := blind{What: string(u.What), For: u.For.Seconds(), Reason: u.Reason}
		switch u.What {
		case sight.Keys:
			prefix, _ := Text(u.Prefix)
			b.Prefix = &prefix
		case sight.Leases:
			b.Leases = &u.Leases
		}
		out.Blind = append(out.Blind, b)
	}
	for _, l := range s.Locks() {
		for c := range l.Claims {
			if li := c.LeaseInfo(); l.IsClaim(c) && li != nil && li.HasRead {
				out.LeasesRead++
			}
		}
	}
	return out
}

package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/fields"
)

// Schema is the version of the JSON output.
const Schema = 1

// Observation says how a state was come by.
type Observation struct {
	// At is when the answer is given, For how long was observed before.
	At  time.Time
	For time.Duration
	// OneLook: nothing was observed over time, so that what needs it is not told.
	OneLook bool
	// Prefixes that were looked at.
	Prefixes []string
	// Asked says which of the locks there were asked for; nil: all.
	Asked func(*locks.Lock) bool
	// Denied are the things that could not be read, with the reason.
	Denied []string
	// Blind is what was asked for and could not be seen.
	Blind []locks.CoverageGap
	// Skipped is what belongs to the locks and was not looked at, with the reason.
	Skipped []string
	// Unread counts the leases that had no turn within the budget of readings.
	Unread int
	// Bare are the prefixes that were asked for and have no lock.
	Bare []Bare
	// Expected is what somebody said of the locks there.
	Expected []locks.Expectation
	// Over is what came and went meanwhile.
	Over []Over
}

// Bare is a prefix that was looked at and has no lock.
type Bare struct {
	locks.Bare
	// Near are prefixes beside it that have keys; NearUnread is why nobody knows, empty if
	// they were looked for.
	Near       []locks.Bare
	NearUnread string
}

// Words say in one line that there is no lock, and what there is.
func (b Bare) Words() string {
	line := fmt.Sprintf("no lock under %s (%s there)", model.KeysUnder(b.Prefix), model.CountOf(b.Keys, "key"))
	switch {
	case len(b.Near) > 0:
		var near []string
		for _, n := range b.Near {
			near = append(near, fmt.Sprintf("%s (%s)", model.KeysUnder(n.Prefix), model.CountOf(n.Keys, "key")))
		}
		line += "; there are keys under " + strings.Join(near, ", ")
	case b.NearUnread != "":
		line += "; prefixes near it were not looked for: " + b.NearUnread
	}
	return line
}

// UnmetWords say each in a line what is not as somebody said of the locks; nil if all is.
func UnmetWords(all []locks.Expectation) (lines []string) {
	for _, e := range all {
		said := fmt.Sprintf("expected %s for each lock under %s", model.CountOf(e.Contenders, "contender"), model.KeysUnder(e.Prefix))
		if e.Locks == 0 {
			lines = append(lines, said+": there is no lock")
		}
		for i, l := range e.Few {
			if i == fewNamed {
				lines = append(lines, fmt.Sprintf("%s: %d more locks have fewer", said, len(e.Few)-i))
				break
			}
			lines = append(lines, fmt.Sprintf("%s: %s has %d", said, model.Short(model.Printable(l.Name), lineMax), l.Own()))
		}
	}
	return lines
}

// fewNamed bounds how many locks are named that have fewer contenders than expected.
const fewNamed = 10

// Cluster names the cluster that was looked at. Revision is that up to which the keys are known,
// so that one can ask a recording for the same.
type Cluster struct {
	ID       string   `json:"id"`
	Revision int64    `json:"revision"`
	Members  int      `json:"members"`
	Leader   *string  `json:"leader"`
	Version  *string  `json:"version"`
	Alarms   []string `json:"alarms"`
	// Status is how each member is, Agreed how requests were answered to which the leader has to agree.
	Status []MemberStatus `json:"member_status"`
	Agreed AnswerTimes    `json:"linearizable"`
}

// MemberStatus is how one member is, as seen from here.
type MemberStatus struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Endpoint *string `json:"endpoint"`
	Leader   bool    `json:"leader"`
	Asked    bool    `json:"asked"` // false: no endpoint of ours leads to it
	Error    *string `json:"error"`
	Version  *string `json:"version"`
	Term     *uint64 `json:"raft_term"`
	Revision *int64  `json:"revision"`
	DBSize   *int64  `json:"db_size"`
	DBUsed   *int64  `json:"db_size_in_use"`
	DBQuota  *int64  `json:"db_size_quota"`
	AnswerTimes
}

// AnswerTimes are how requests were answered within the last half minute: latencies are null where none
// was.
type AnswerTimes struct {
	Requests int      `json:"requests"`
	Failed   int      `json:"requests_failed"`
	Slow     int      `json:"requests_slow"`
	P50      *float64 `json:"latency_p50"`
	Max      *float64 `json:"latency_max"`
}

// Observed says when was looked, for how long, and what was not seen.
type Observed struct {
	At         time.Time  `json:"at"`
	For        float64    `json:"for"`
	Prefixes   []string   `json:"prefixes"`
	Claims     int        `json:"claims"`
	OtherKeys  int        `json:"other_keys"`
	LeasesRead int        `json:"leases_read"`
	LeasesLeft int        `json:"leases_unread"` // for want of budget
	Denied     []string   `json:"denied"`
	Blind      []blind    `json:"blind"`
	Skipped    []string   `json:"not_looked_at"`
	Bare       []bare     `json:"without_locks"`
	Expected   []expected `json:"expected"`
	// OneLook: how long anybody waits, renewals and deadlocks are not told.
	OneLook bool `json:"one_look"`
}

// bare is a prefix that has no lock. near is null where nobody looked for others.
type bare struct {
	Prefix     string  `json:"prefix"`
	Base64     string  `json:"prefix_base64,omitempty"`
	Keys       int     `json:"keys"`
	Near       *[]near `json:"near"`
	NearUnread *string `json:"near_unread"`
}

type near struct {
	Prefix string `json:"prefix"`
	Base64 string `json:"prefix_base64,omitempty"`
	Keys   int    `json:"keys"`
}

// expected is what somebody said of the locks under a prefix. met is null where waiting leaves
// no key, so that nobody knows.
type expected struct {
	Prefix     string `json:"prefix"`
	Base64     string `json:"prefix_base64,omitempty"`
	Contenders int    `json:"contenders"`
	Locks      int    `json:"locks"`
	Few        []few  `json:"few"`
	Met        *bool  `json:"met"`
}

type few struct {
	Lock       string `json:"lock"`
	Base64     string `json:"lock_base64,omitempty"`
	Contenders int    `json:"contenders"`
}

// blind is what could not be seen: keys of a prefix, so many leases, or the members'
// lists of leases.
type blind struct {
	What   string  `json:"what"`
	Prefix *string `json:"prefix"`
	Base64 string  `json:"prefix_base64,omitempty"`
	Leases *int    `json:"leases"`
	For    float64 `json:"for"`
	Reason string  `json:"reason"`
}

// JSON writes the locks of a state as one object.
func JSON(w io.Writer, s *store.View, locks []*locks.Lock, obs Observation) error {
	o := newStream(w, true)
	s.StoriesOf(obs.Asked)
	o.object(func() {
		o.name("schema")
		o.int(Schema)
		o.name("cluster")
		o.value(ClusterOf(s))
		o.name("observed")
		o.value(ObservedOf(s, obs))
		o.name("locks")
		o.list(func() {
			for _, l := range locks {
				lockObject.write(o, fields.Lock{S: s, L: l, Now: obs.At})
			}
		})
		o.name("findings")
		o.findings(s.ClusterFindings())
		if len(obs.Over) > 0 {
			o.name("over")
			o.value(oversOf(obs.Over))
		}
	})
	return o.end()
}

// ClusterOf is the cluster of a state, nil where it is not known.
func ClusterOf(s *store.View) *Cluster {
	c := s.Cluster()
	if c.At.IsZero() {
		return nil
	}
	out := &Cluster{ID: fmt.Sprintf("%x", c.ClusterID), Revision: s.KeysRev(), Members: c.Size(), Alarms: []string{}}
	out.Status, out.Agreed = membersOf(c), answersOf(c.Agreed)
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

func membersOf(c model.ClusterStatus) []MemberStatus {
	out := []MemberStatus{}
	for _, m := range c.Members {
		x := MemberStatus{ID: fmt.Sprintf("%x", m.ID), Name: strings.ToValidUTF8(m.Name, "\ufffd"), Leader: m.Leader, Asked: !m.Unasked,
			Endpoint: OrNull(strings.ToValidUTF8(m.Endpoint, "\ufffd")), Error: OrNull(text.English(m.Err)),
			Version: OrNull(strings.ToValidUTF8(m.Version, "\ufffd")), AnswerTimes: answersOf(m.Answers)}
		if x.Version != nil { // it answered
			x.Term, x.Revision = &m.Term, &m.Rev
			x.DBSize, x.DBUsed, x.DBQuota = knownSize(m.DBSize), knownSize(m.DBUsed), knownSize(m.DBQuota)
		}
		out = append(out, x)
	}
	return out
}

func answersOf(a model.Answers) AnswerTimes {
	out := AnswerTimes{Requests: a.Asked, Failed: a.Failed, Slow: a.Slow}
	if a.Answered() > 0 {
		usual, longest := a.Usual.Seconds(), a.Longest.Seconds()
		out.P50, out.Max = &usual, &longest
	}
	return out
}

func knownSize(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return &n
}

// MembersLine says how each member is, as seen from here, "" where nobody was asked.
func MembersLine(c model.ClusterStatus) string {
	var parts []string
	for i, m := range c.Members {
		if i == membersNamed && len(c.Members) > membersNamed+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(c.Members)-i))
			break
		}
		parts = append(parts, memberWords(m))
	}
	if len(parts) == 0 {
		return ""
	}
	line := "Members: " + strings.Join(parts, ", ")
	if a := c.Agreed; a.Answered() > 0 {
		line += fmt.Sprintf("; the leader agrees in %s", model.Latency(a.Usual))
		if a.Slow > 0 {
			line += fmt.Sprintf(" (%s at most)", model.Latency(a.Longest))
		}
	}
	return line
}

// membersNamed bounds how many members are named in a line.
const membersNamed = 9

func memberWords(m model.Member) string {
	words := strings.TrimPrefix(m.Label(), "member ")
	if m.Leader {
		words += " leads"
	}
	switch a := m.Answers; {
	case m.Unasked:
		words += " (not asked)"
	case !m.Err.IsZero():
		words += " (does not answer)"
	case a.Failed > 0:
		words += fmt.Sprintf(" (%d of %s failed)", a.Failed, model.CountOf(a.Asked, "request"))
	case a.Slow > 0:
		words += fmt.Sprintf(" (answers in %s, %s at most)", model.Latency(a.Usual), model.Latency(a.Longest))
	case a.Answered() > 0:
		words += fmt.Sprintf(" (%s)", model.Latency(a.Usual))
	}
	return words
}

// ObservedOf tells of a look at a state.
func ObservedOf(s *store.View, o Observation) Observed {
	keys, claims := s.Counts()
	out := Observed{At: o.At, For: o.For.Seconds(), Prefixes: o.Prefixes, Claims: claims, OtherKeys: keys - claims, LeasesLeft: o.Unread, Denied: NotNil(o.Denied), OneLook: o.OneLook}
	out.Blind, out.Skipped = []blind{}, NotNil(o.Skipped)
	for _, u := range o.Blind {
		b := blind{What: string(u.Kind), For: u.Duration.Seconds(), Reason: text.English(u.Reason)}
		switch u.Kind {
		case locks.CoverageKeys:
			prefix, b64 := Text(u.Prefix)
			b.Prefix, b.Base64 = &prefix, b64
		case locks.CoverageLeases:
			b.Leases = &u.Leases
		}
		out.Blind = append(out.Blind, b)
	}
	out.Bare, out.Expected = bareOf(o.Bare), expectedOf(o.Expected)
	for _, l := range s.Locks() {
		for c := range l.Claims {
			if li := c.LeaseInfo(); l.IsClaim(c) && li != nil && li.HasRead {
				out.LeasesRead++
			}
		}
	}
	return out
}

func bareOf(all []Bare) []bare {
	out := []bare{}
	for _, b := range all {
		prefix, b64 := Text(b.Prefix)
		x := bare{Prefix: prefix, Base64: b64, Keys: b.Keys, NearUnread: OrNull(b.NearUnread)}
		if b.Near != nil {
			x.Near = &[]near{}
		}
		for _, n := range b.Near {
			prefix, b64 := Text(n.Prefix)
			*x.Near = append(*x.Near, near{prefix, b64, n.Keys})
		}
		out = append(out, x)
	}
	return out
}

func expectedOf(all []locks.Expectation) []expected {
	out := []expected{}
	for _, e := range all {
		prefix, b64 := Text(e.Prefix)
		x := expected{Prefix: prefix, Base64: b64, Contenders: e.Contenders, Locks: e.Locks, Few: []few{}}
		for _, l := range e.Few {
			name, b64 := Text(l.Name)
			x.Few = append(x.Few, few{name, b64, l.Own()})
		}
		if met := e.Met(); !met || len(e.Hidden) == 0 {
			x.Met = &met
		}
		out = append(out, x)
	}
	return out
}

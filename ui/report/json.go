package report

import (
	"encoding/base64"
	"fmt"
	"io"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"locktop/model"
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
	// Denied are the things that could not be read, with the reason.
	Denied []string
}

type document struct {
	Schema   int       `json:"schema"`
	Cluster  *cluster  `json:"cluster"`
	Observed observed  `json:"observed"`
	Locks    []lock    `json:"locks"`
	Findings []finding `json:"findings"`
}

type cluster struct {
	ID       string   `json:"id"`
	Revision int64    `json:"revision"`
	Members  int      `json:"members"`
	Leader   *string  `json:"leader"`
	Version  *string  `json:"version"`
	Alarms   []string `json:"alarms"`
}

type observed struct {
	At         time.Time `json:"at"`
	For        float64   `json:"for"`
	Prefixes   []string  `json:"prefixes"`
	Claims     int       `json:"claims"`
	OtherKeys  int       `json:"other_keys"`
	LeasesRead int       `json:"leases_read"`
	Denied     []string  `json:"denied"`
}

type lock struct {
	Name             string    `json:"name"`
	NameBase64       string    `json:"name_base64,omitempty"`
	Recipe           string    `json:"recipe"`
	RecipeConfidence string    `json:"recipe_confidence"`
	Order            string    `json:"order"`
	WaitersVisible   bool      `json:"waiters_visible"`
	Exclusive        bool      `json:"exclusive"`
	Blocked          bool      `json:"blocked"`
	Holders          []claim   `json:"holders"`
	Waiters          []claim   `json:"waiters"`
	Handovers        handovers `json:"handovers"`
	Findings         []finding `json:"findings"`
}

type handovers struct {
	Seen      int      `json:"seen"`
	Overtakes int      `json:"overtakes"`
	WaitP50   *float64 `json:"wait_p50"`
	WaitP99   *float64 `json:"wait_p99"`
	HoldP50   *float64 `json:"hold_p50"`
	HoldP99   *float64 `json:"hold_p99"`
}

type finding struct {
	Code         string    `json:"code"`
	Severity     string    `json:"severity"`
	Confidence   string    `json:"confidence"`
	Lock         *string   `json:"lock"`
	Lease        *string   `json:"lease"`
	Since        time.Time `json:"since"`
	Summary      string    `json:"summary"`
	Evidence     []string  `json:"evidence"`
	Advice       []string  `json:"advice"`
	Etcdctl      []string  `json:"etcdctl"`
	Alternatives []string  `json:"alternatives"`
}

type claim struct {
	Position          int       `json:"position"`
	Role              string    `json:"role"`
	Key               string    `json:"key"`
	KeyBase64         string    `json:"key_base64,omitempty"`
	CreateRevision    int64     `json:"create_revision"`
	ModRevision       int64     `json:"mod_revision"`
	Version           int64     `json:"version"`
	Lease             *string   `json:"lease"`
	Value             string    `json:"value"`
	ValueBase64       string    `json:"value_base64,omitempty"`
	Identity          identity  `json:"identity"`
	Granted           *int64    `json:"granted"`
	Remaining         *int64    `json:"remaining"`
	RenewedAgo        *float64  `json:"renewed_ago"`
	LeaseState        string    `json:"lease_state"`
	Since             time.Time `json:"since"`
	SinceIsLowerBound bool      `json:"since_is_lower_bound"`
	WaitsFor          *string   `json:"waits_for"`
}

type identity struct {
	Text   *string `json:"text"`
	Source string  `json:"source"`
}

// JSON writes the locks of a state as one object.
func JSON(w io.Writer, s *model.State, locks []*model.Lock, o Observation) error {
	doc := document{Schema: Schema, Cluster: clusterOf(s), Observed: observedOf(s, o),
		Locks: []lock{}, Findings: findingsOf(s.ClusterFindings())}
	for _, l := range locks {
		doc.Locks = append(doc.Locks, lockOf(s, l, o.At))
	}
	return writeJSON(w, doc, "  ")
}

// printable escapes what JSON may leave as it is and a terminal would obey or
// reorder. It means the same to who parses it.
func printable(js []byte) []byte {
	out := make([]byte, 0, len(js))
	for len(js) > 0 {
		r, n := utf8.DecodeRune(js)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out = append(out, js[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		js = js[n:]
	}
	return out
}

func clusterOf(s *model.State) *cluster {
	c := s.Cluster()
	if c.At.IsZero() {
		return nil
	}
	out := &cluster{ID: fmt.Sprintf("%x", c.ClusterID), Revision: s.Rev(), Members: len(c.Members), Alarms: c.Alarms}
	if out.Alarms == nil {
		out.Alarms = []string{}
	}
	if l := c.Leader(); l.ID != 0 {
		id := fmt.Sprintf("%x", l.ID)
		out.Leader = &id
	}
	for _, m := range c.Members {
		if m.Version != "" {
			out.Version = &m.Version
			break
		}
	}
	return out
}

func observedOf(s *model.State, o Observation) observed {
	keys, claims := s.Counts()
	out := observed{At: o.At, For: o.For.Seconds(), Prefixes: o.Prefixes, Claims: claims, OtherKeys: keys - claims, Denied: o.Denied}
	if out.Denied == nil {
		out.Denied = []string{}
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

func lockOf(s *model.State, l *model.Lock, now time.Time) lock {
	r := l.Recipe()
	out := lock{Recipe: r.Name, RecipeConfidence: string(r.Confidence), Order: string(r.Order),
		WaitersVisible: r.WaitersVisible, Exclusive: r.Exclusive, Blocked: l.Blocked(),
		Holders: []claim{}, Waiters: []claim{}, Handovers: handoversOf(l), Findings: findingsOf(l.Findings())}
	out.Name, out.NameBase64 = text(l.Name)
	place := 0
	for c := range l.Claims {
		place++
		cl := placedClaim(s, l, c, place, now)
		if cl.Role == "holder" {
			out.Holders = append(out.Holders, cl)
		} else {
			out.Waiters = append(out.Waiters, cl)
		}
	}
	return out
}

// placedClaim is a claim with what its place in the queue makes of it.
func placedClaim(s *model.State, l *model.Lock, c *model.Claim, place int, now time.Time) claim {
	out := claimOf(s, c, place, now)
	switch {
	case l.Holds(place - 1):
		out.Role = "holder"
		return out
	case !l.IsClaim(c):
		out.Role = "foreign" // counted by the recipe, though it is no claim of the lock
	default:
		out.Role = "waiter"
	}
	if ahead := l.WaitsFor(c); ahead != nil {
		key, _ := text(ahead.Key)
		out.WaitsFor = &key
	}
	return out
}

func handoversOf(l *model.Lock) handovers {
	st := l.Stats()
	out := handovers{Seen: st.Handovers, Overtakes: st.Overtakes}
	if st.Waits > 0 {
		out.WaitP50, out.WaitP99 = seconds(st.WaitP50), seconds(st.WaitP99)
	}
	if st.Holds > 0 {
		out.HoldP50, out.HoldP99 = seconds(st.HoldP50), seconds(st.HoldP99)
	}
	return out
}

func seconds(d time.Duration) *float64 {
	sec := d.Seconds()
	return &sec
}

func findingsOf(list []model.Finding) []finding {
	out := []finding{}
	for _, f := range list {
		j := finding{Code: string(f.Code), Severity: string(f.Severity), Confidence: string(f.Confidence), Since: f.Since, Summary: f.Summary,
			Evidence: notNil(f.Evidence), Advice: notNil(f.Advice), Etcdctl: notNil(f.Etcdctl), Alternatives: []string{}}
		if f.Lock != "" {
			name, _ := text(f.Lock)
			j.Lock = &name
		}
		if f.Lease != 0 {
			id := f.Lease.String()
			j.Lease = &id
		}
		for _, a := range f.Alternatives {
			j.Alternatives = append(j.Alternatives, string(a))
		}
		out = append(out, j)
	}
	return out
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func claimOf(s *model.State, c *model.Claim, place int, now time.Time) claim {
	out := claim{Position: place, CreateRevision: c.CreateRev, ModRevision: c.ModRev, Version: c.Version,
		LeaseState: string(c.LeaseInfo().State()), Since: c.Since, SinceIsLowerBound: c.SinceAtLeast}
	out.Key, out.KeyBase64 = text(c.Key)
	out.Value, out.ValueBase64 = text(c.Value)
	if c.KV.Lease != 0 {
		id := c.KV.Lease.String()
		out.Lease = &id
	}
	out.Identity = identityOf(s, c.Ref())
	if li := c.LeaseInfo(); li != nil && li.HasRead && li.Read.Granted > 0 {
		granted, remaining := li.Read.Granted, li.Read.Remaining
		out.Granted, out.Remaining = &granted, &remaining
		if ago, ok := li.Renewed(now); ok {
			sec := ago.Seconds()
			out.RenewedAgo = &sec
		}
	}
	return out
}

func identityOf(s *model.State, r model.ClaimRef) identity {
	id := s.Identity(r)
	out := identity{Source: id.Source}
	if id.Text != "" {
		out.Text = &id.Text
	}
	return out
}

// text returns bytes as they are where they are UTF-8; else in a readable form,
// with the bytes in base64 beside it.
func text(s string) (readable, b64 string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return model.Printable(s), base64.StdEncoding.EncodeToString([]byte(s))
}

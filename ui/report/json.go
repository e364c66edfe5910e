package report

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/fields"
)

// Finding is a finding as JSON.
type Finding struct {
	Code         string    `json:"code"`
	Severity     string    `json:"severity"`
	Confidence   string    `json:"confidence"`
	Lock         *string   `json:"lock"`
	Lease        *string   `json:"lease"`
	Claim        *string   `json:"claim"`
	ClaimBase64  string    `json:"claim_base64,omitempty"`
	Since        time.Time `json:"since"`
	Summary      string    `json:"summary"`
	Evidence     []string  `json:"evidence"`
	Advice       []string  `json:"advice"`
	Etcdctl      []string  `json:"etcdctl"`
	Alternatives []string  `json:"alternatives"`
	Story        *uint64   `json:"story"` // one number for those with one cause
	Count        *int      `json:"count"` // of these
}

type identity struct {
	Text   *string `json:"text"`
	Source string  `json:"source"`
}

func (o *stream) lock(s *store.View, l *locks.Lock, now time.Time) {
	r := l.Recipe()
	o.open('{')
	o.bytes(`"name": `, `"name_base64": `, l.Name)
	o.name(`"recipe": `)
	o.text(r.Name)
	o.name(`"recipe_confidence": `)
	o.text(string(l.RecipeConfidence()))
	o.name(`"recipe_evidence": `)
	o.open('[')
	for _, why := range l.RecipeEvidence() {
		o.next()
		o.text(why)
	}
	o.shut(']')
	o.name(`"recipe_observed": `)
	o.truth(l.RecipeObserved())
	o.name(`"order": `)
	o.text(string(r.Order))
	o.name(`"waiters_visible": `)
	o.truth(r.HasHolder && r.WaitersVisible())
	o.name(`"exclusive": `)
	o.truth(r.Exclusive())
	o.name(`"blocked": `)
	o.truth(l.Blocked())
	o.name(`"state": `)
	o.text(status.ConditionOf(s, l).Word)
	o.name(`"moves_when": `)
	if when := text.English(status.NextMove(s, l, now).When); when != "" {
		o.text(when)
	} else {
		o.null()
	}
	list := 0
	o.name(queueLists[list])
	o.open('[')
	upTo := func(at int) {
		for ; list < at; list++ {
			o.shut(']')
			o.name(queueLists[list+1])
			o.open('[')
		}
	}
	foreign := 0
	for c := range fields.Queue(s, l, now) {
		switch {
		case r.HasHolder && c.Role.Name() == foreignRole:
			foreign++
			continue
		case !r.HasHolder:
			upTo(2)
		case c.Role != model.RoleHolds:
			upTo(1)
		}
		o.next()
		o.open('{')
		o.claim(c)
		o.shut('}')
	}
	upTo(2)
	o.shut(']')
	o.name(`"foreign": `)
	o.open('[')
	if foreign > 0 {
		for c := range fields.Queue(s, l, now) {
			if c.Role.Name() == foreignRole {
				o.next()
				o.open('{')
				o.claim(c)
				o.shut('}')
			}
		}
	}
	o.shut(']')
	o.name(`"kubernetes": `)
	o.kubernetes(l)
	o.name(`"handovers": `)
	o.handovers(l.Stats())
	o.name(`"findings": `)
	o.findings(s.FindingsOf(l))
	lockRest.write(o, fields.Lock{S: s, L: l, Now: now})
	o.shut('}')
}

// lockRest and claimRest are what is not written by hand of a lock and of a claim, behind
// what is: a field of theirs is added in its table alone.
var (
	lockRest  = objectOf(fields.Locks, nil)
	claimRest = objectOf(fields.Claims, nil)
)

// queueLists are the lists into which the keys of a name go, in the order in which they
// are written: those of what is no lock are members, and neither hold nor wait. Those that
// are no claims of the lock, and block its claims, are in a list of their own: foreign.
var queueLists = [...]string{`"holders": `, `"waiters": `, `"members": `}

const foreignRole = "foreign"

// claim writes the names of a claim into the object that is open.
func (o *stream) claim(c fields.Claim) {
	o.name(`"position": `)
	o.int(int64(c.Position))
	o.name(`"role": `)
	o.text(c.Role.Name())
	o.bytes(`"key": `, `"key_base64": `, c.Key)
	o.name(`"create_revision": `)
	o.int(c.CreateRev)
	o.name(`"mod_revision": `)
	o.int(c.ModRev)
	o.name(`"version": `)
	o.int(c.Version)
	o.name(`"lease": `)
	o.lease(c.KV.Lease)
	if c.Unread {
		o.name(`"value": `)
		o.null()
	} else {
		o.bytes(`"value": `, `"value_base64": `, c.Value)
	}
	o.name(`"identity": `)
	o.identity(c.S.IdentityOf(c.Claim))
	o.reading(fields.ReadingOf(c.LeaseInfo(), c.Now))
	o.name(`"lease_state": `)
	o.text(string(c.LeaseInfo().State()))
	o.name(`"since": `)
	o.time(c.Since)
	o.name(`"since_is_lower_bound": `)
	o.truth(c.SinceAtLeast)
	o.name(`"waits_for": `)
	if c.Ahead == nil {
		o.null()
	} else if !o.plain(c.Ahead.Key) {
		key, _ := Text(c.Ahead.Key)
		o.text(key)
	}
	claimRest.write(o, c)
}

func (o *stream) lease(id model.LeaseID) {
	if id == 0 {
		o.null()
		return
	}
	o.b = append(o.b, '"')
	o.b = strconv.AppendUint(o.b, uint64(id), 16)
	o.b = append(o.b, '"')
}

func (o *stream) identity(id locks.Identity) {
	o.open('{')
	o.name(`"text": `)
	if id.Text == "" {
		o.null()
	} else {
		o.text(id.Text)
	}
	o.name(`"source": `)
	o.text(id.Source)
	o.shut('}')
}

func (o *stream) reading(r fields.Reading) {
	for _, n := range [...]struct {
		name string
		n    int64
	}{{`"granted": `, r.Granted}, {`"remaining": `, r.Remaining}} {
		o.name(n.name)
		if r.Known {
			o.int(n.n)
		} else {
			o.null()
		}
	}
	o.name(`"renewed_ago": `)
	o.secondsIf(r.RenewedKnown, r.Renewed)
}

// kubernetes writes what a Lease of Kubernetes says.
func (o *stream) kubernetes(l *locks.Lock) {
	k, ok := status.Kube(l)
	if !ok {
		o.null()
		return
	}
	skew, seen := status.KubeSkew(l)
	o.value(kubeLease{readableIf(k.Holder), secondsIf(k.For > 0, k.For), timeIf(k.Acquired), timeIf(k.Renewed), k.Transitions,
		readableIf(k.Strategy), readableIf(k.Preferred), secondsIf(seen, skew)})
}

// kubeLease is a Lease of Kubernetes: null is what it does not say.
type kubeLease struct {
	Holder      *string    `json:"holder"`
	Duration    *float64   `json:"duration"`
	Acquired    *time.Time `json:"acquired"`
	Renewed     *time.Time `json:"renewed"`
	Transitions int64      `json:"transitions"`
	Strategy    *string    `json:"strategy"`
	Preferred   *string    `json:"preferred_holder"`
	Skew        *float64   `json:"skew"` // by how much the last put was seen later than its holder's clock says
}

func readableIf(s string) *string {
	if s == "" {
		return nil
	}
	readable, _ := Text(s)
	return &readable
}

func timeIf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func secondsIf(known bool, d time.Duration) *float64 {
	if !known {
		return nil
	}
	return seconds(d)
}

func (o *stream) handovers(st locks.Stats) {
	o.open('{')
	o.name(`"seen": `)
	o.int(int64(st.Handovers))
	o.name(`"overtakes": `)
	o.int(int64(st.Overtakes))
	for _, q := range [...]struct {
		name  string
		known bool
		d     time.Duration
	}{{`"wait_p50": `, st.Waits > 0, st.WaitP50}, {`"wait_p99": `, st.Waits > 0, st.WaitP99},
		{`"hold_p50": `, st.Holds > 0, st.HoldP50}, {`"hold_p99": `, st.Holds > 0, st.HoldP99}} {
		o.name(q.name)
		o.secondsIf(q.known, q.d)
	}
	o.shut('}')
}

func (o *stream) findings(list []model.Finding) {
	if len(list) == 0 {
		o.b = append(o.b, "[]"...)
		return
	}
	o.value(FindingsOf(list))
}

func seconds(d time.Duration) *float64 {
	sec := d.Seconds()
	return &sec
}

// FindingsOf is the JSON of findings, in their order.
func FindingsOf(list []model.Finding) []Finding {
	out := []Finding{}
	for _, f := range list {
		j := Finding{Code: string(f.Code), Severity: string(f.Severity), Confidence: string(f.Confidence), Since: f.Since, Summary: text.English(f.Summary),
			Evidence: NotNil(text.EnglishAll(f.Evidence)), Advice: NotNil(text.EnglishAll(f.Advice)), Etcdctl: NotNil(f.Etcdctl), Alternatives: []string{}}
		if f.Lock != "" {
			name, _ := Text(f.Lock)
			j.Lock = &name
		}
		if f.Lease != 0 {
			id := f.Lease.String()
			j.Lease = &id
		}
		if !f.Claim.IsZero() {
			key, b64 := Text(f.Claim.Key)
			j.Claim, j.ClaimBase64 = &key, b64
		}
		for _, a := range f.Alternatives {
			j.Alternatives = append(j.Alternatives, string(a))
		}
		if f.Story != 0 {
			j.Story, j.Count = &f.Story, &f.Count
		}
		out = append(out, j)
	}
	return out
}

// NotNil is the list, an empty one for nil: JSON has [] and no null for a list.
func NotNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func identityOf(s *store.View, r model.ClaimRef) identity {
	id := s.Identity(r)
	out := identity{Source: id.Source}
	if id.Text != "" {
		out.Text = &id.Text
	}
	return out
}

package report

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"locktop/model"
	"locktop/model/findings"
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
	LockBase64   string    `json:"lock_base64,omitempty"`
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

// Problem is what the screen calls the finding.
func (f Finding) Problem() string {
	return text.English(findings.Problem(&model.Finding{Code: model.Code(f.Code), Confidence: model.Confidence(f.Confidence)}))
}

// Alike are the names of what looks the same from outside.
func (f Finding) Alike() string {
	var codes []model.Code
	for _, a := range f.Alternatives {
		codes = append(codes, model.Code(a))
	}
	return strings.Join(text.EnglishAll(findings.Problems(codes)), ", ")
}

type identity struct {
	Text   *string `json:"text"`
	Source string  `json:"source"`
}

// lockObject and claimObject are a lock, and a claim in its queue.
var (
	lockObject = objectOf(fields.Locks, map[string]func(*stream, fields.Lock){
		"recipe_evidence": func(o *stream, x fields.Lock) {
			o.list(func() {
				for _, why := range fields.Evidence(x.L) {
					o.text(why)
				}
			})
		},
		"holders": keysOf(func(l *locks.Lock, r model.Role) bool { return l.Recipe().HasHolder && r == model.RoleHolds }),
		"waiters": keysOf(func(l *locks.Lock, r model.Role) bool {
			return l.Recipe().HasHolder && r != model.RoleHolds && !foreign(r)
		}),
		"members":    keysOf(func(l *locks.Lock, _ model.Role) bool { return !l.Recipe().HasHolder }),
		"foreign":    keysOf(func(l *locks.Lock, r model.Role) bool { return l.Recipe().HasHolder && foreign(r) }),
		"kubernetes": func(o *stream, x fields.Lock) { o.kubernetes(x.L) },
		"handovers":  func(o *stream, x fields.Lock) { o.handovers(x.L.Stats()) },
		"findings":   func(o *stream, x fields.Lock) { o.findings(x.S.FindingsOf(x.L)) },
	})
	claimObject = objectOf(fields.Claims, map[string]func(*stream, fields.Claim){
		"position":        func(o *stream, x fields.Claim) { o.int(int64(x.Position)) },
		"create_revision": func(o *stream, x fields.Claim) { o.int(x.CreateRev) },
		"mod_revision":    func(o *stream, x fields.Claim) { o.int(x.ModRev) },
		"version":         func(o *stream, x fields.Claim) { o.int(x.Version) },
		"lease":           func(o *stream, x fields.Claim) { o.lease(x.KV.Lease) },
		"identity":        func(o *stream, x fields.Claim) { o.identity(x.S.IdentityOf(x.Claim)) },
		"granted":         reading(func(o *stream, r fields.Reading) { o.number(r.Known, r.Granted) }),
		"remaining":       reading(func(o *stream, r fields.Reading) { o.number(r.Known, r.Remaining) }),
		"renewed_ago":     reading(func(o *stream, r fields.Reading) { o.seconds(r.RenewedKnown, r.Renewed) }),
		"since":           func(o *stream, x fields.Claim) { o.time(x.Since) },
		"value": func(o *stream, x fields.Claim) {
			if x.Unread {
				o.null()
			} else {
				o.bytes("value", x.Value)
			}
		},
		"waits_for": func(o *stream, x fields.Claim) {
			if x.Ahead == nil {
				o.null()
			} else {
				o.bytes("waits_for", x.Ahead.Key)
			}
		},
	})
)

// keys writes those of the keys of a lock that belong into one of its lists. Keys that are no
// claims of the lock, and block its claims, are foreign; those of what is no lock are members.
func (o *stream) keys(x fields.Lock, belongs func(*locks.Lock, model.Role) bool) {
	o.token(jsontext.BeginArray)
	for c := range fields.Queue(x.S, x.L, x.Now) {
		if belongs(x.L, c.Role) {
			claimObject.write(o, c)
		}
	}
	o.token(jsontext.EndArray)
}

func keysOf(belongs func(*locks.Lock, model.Role) bool) func(*stream, fields.Lock) {
	return func(o *stream, x fields.Lock) { o.keys(x, belongs) }
}

func foreign(r model.Role) bool { return r.Name() == "foreign" }

// reading writes a value of the reading of the lease of a claim.
func reading(value func(*stream, fields.Reading)) func(*stream, fields.Claim) {
	return func(o *stream, x fields.Claim) { value(o, fields.ReadingOf(x.LeaseInfo(), x.Now)) }
}

func (o *stream) identity(id locks.Identity) {
	o.token(jsontext.BeginObject)
	o.name("text")
	if id.Text == "" {
		o.null()
	} else {
		o.text(id.Text)
	}
	o.name("source")
	o.text(id.Source)
	o.token(jsontext.EndObject)
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
	readable, _ := textOrNull(s)
	return readable
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
	return new(d.Seconds())
}

func (o *stream) handovers(st locks.Stats) {
	o.token(jsontext.BeginObject)
	o.name("seen")
	o.int(int64(st.Handovers))
	o.name("overtakes")
	o.int(int64(st.Overtakes))
	for _, q := range [...]struct {
		name  string
		known bool
		d     time.Duration
	}{{"wait_p50", st.Waits > 0, st.WaitP50}, {"wait_p99", st.Waits > 0, st.WaitP99},
		{"hold_p50", st.Holds > 0, st.HoldP50}, {"hold_p99", st.Holds > 0, st.HoldP99}} {
		o.name(q.name)
		o.seconds(q.known, q.d)
	}
	o.token(jsontext.EndObject)
}

func (o *stream) findings(list []model.Finding) {
	if len(list) == 0 {
		o.list(func() {})
		return
	}
	o.value(FindingsOf(list))
}

// FindingsOf is the JSON of findings, in their order.
func FindingsOf(list []model.Finding) []Finding {
	out := []Finding{}
	for _, f := range list {
		j := Finding{Code: string(f.Code), Severity: string(f.Severity), Confidence: string(f.Confidence), Since: f.Since, Summary: text.English(f.Summary),
			Evidence: NotNil(text.EnglishAll(f.Evidence)), Advice: NotNil(text.EnglishAll(f.Advice)), Etcdctl: NotNil(f.Etcdctl), Alternatives: []string{}}
		j.Lock, j.LockBase64 = textOrNull(f.Lock)
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
	return identity{OrNull(id.Text), id.Source}
}

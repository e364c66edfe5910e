package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// watchedLab is a lab that looks into the audit log when it is asked to do something.
type watchedLab struct {
	audit *bytes.Buffer
	seen  []string // the audit log at each Do
}

func (l *watchedLab) Available(model.Action) error { return nil }

func (l *watchedLab) Targets(model.Action) model.Message { return model.Message{} }

func (l *watchedLab) Do(context.Context, model.Action) (model.Message, error) {
	l.seen = append(l.seen, l.audit.String())
	return model.Say("detail-process", 4711), nil
}

// TestEveryKindIsWrittenDownBeforeItIsDone: who, when, where, what and how by hand
// stand in the audit log when the act begins, and what came of it afterwards.
func TestEveryKindIsWrittenDownBeforeItIsDone(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, kind := range model.ActionKinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			lab := &watchedLab{}
			var lease clientv3.LeaseID
			var b *bench
			b = newBench(t, func(o *Options) {
				o.Now, o.Lab = func() time.Time { return at }, lab
				dial := o.Dial
				o.Dial = func(ctx context.Context) (*clientv3.Client, error) {
					lab.seen = append(lab.seen, b.audit.String()) // nothing can be written before
					return dial(ctx)
				}
			})
			lab.audit = &b.audit
			lease = b.lease(t)
			a := b.claim(t, "/locks/a/1", lease)
			a.Kind, a.Lock, a.Contender, a.Word = kind, "/locks/a", "c1", "unlock"
			a.Fault = model.Fault{Kind: model.FaultHold, Target: "c1", Method: "KV/Txn", For: time.Second}
			p := b.plan(t, a)
			a = p.Action // with its guard
			if o := b.gate.Do(chaostest.Within(t), p); !o.Done {
				t.Fatalf("outcome %+v", o)
			}
			if len(lab.seen) != 1 {
				t.Fatalf("acted %d times", len(lab.seen))
			}
			checkIntent(t, lab.seen[0], a, b.gate.o.Endpoint)
			lines := b.lines(t)
			last := lines[len(lines)-1]
			if len(lines) != 2 || last["step"] != stepOutcome || last["done"] != true || !strings.HasPrefix(last["outcome"].(string), text.English(model.Outcome{Action: a, Done: true}.Message())) {
				t.Errorf("audit log afterwards: %v", lines)
			}
		})
	}
}

// checkIntent wants one line with all that is known before the act.
func checkIntent(t *testing.T, audit string, a model.Action, endpoint string) {
	t.Helper()
	var line map[string]any
	if err := json.Unmarshal([]byte(audit), &line); err != nil {
		t.Fatalf("the audit log when the act began: %q: %v", audit, err)
	}
	for field, want := range map[string]string{"step": stepIntent, "time": "2024-05-06T07:08:09Z", "user": "me",
		"endpoint": endpoint, "action": text.English(a.Message()), "lock": a.Lock, "etcdctl": a.Etcdctl()} {
		got, _ := line[field].(string)
		if got != want {
			t.Errorf("%s is %q in the audit log, want %q", field, got, want)
		}
	}
	keys, _ := line["keys"].([]any)
	if a.Kind.WritesEtcd() && len(keys) != 1 {
		t.Errorf("keys %v in the audit log, want the one that goes", keys)
	}
}

// TestAnArmedGateNeverWritesWithTheReader: even a gate that is given the reading
// connection to write with does nothing.
func TestAnArmedGateNeverWritesWithTheReader(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) {
		member := o.Endpoint
		o.Dial = func(context.Context) (*clientv3.Client, error) {
			return chaostest.Connect(clientv3.Config{Endpoints: []string{member}, DialOptions: chaos.ReadOnly()})
		}
	})
	a := b.claim(t, "/locks/a/1", b.lease(t))
	before := b.world(t)
	for _, kind := range []model.ActionKind{model.RevokeLease, model.DeleteClaim} {
		a.Kind = kind
		wantRefused(t, b.gate.Do(chaostest.Within(t), b.plan(t, a)), "not restricted")
	}
	reader := b.gate.o.Reader
	wantRefused(t, b.gate.deleteClaim(chaostest.Within(t), reader, model.Plan{Action: a}), "never writes: Txn refused")
	wantRefused(t, b.gate.revoke(chaostest.Within(t), reader, model.Plan{Action: a}), "never writes: LeaseRevoke refused")
	if b.world(t) != before {
		t.Error("something was written")
	}
}

// FuzzAuditLog: whatever keys, users and errors hold, a line of it is one line of
// printable ASCII that parses, and no value of a key is in it.
func FuzzAuditLog(f *testing.F) {
	f.Add("/l/1", "me", "etcdserver: no", int64(3))
	f.Add("\x1b[2J\xff\u202e\n", "\u009b", "\x00\U000e0041", int64(-1))
	f.Fuzz(func(t *testing.T, key, user, text string, rev int64) {
		var out bytes.Buffer
		l := auditLog{to: &out, user: user, endpoint: key, now: func() time.Time { return time.Unix(0, 0) }}
		p := model.Plan{Action: model.Action{Kind: model.DeleteClaim, Key: key, Lock: key, CreateRev: rev},
			Goes: []model.KV{{Key: key, Value: "the value of a key", CreateRev: rev}}, Unknown: model.Say("quote", text)}
		err := errors.Join(l.writeIntent(p), l.writeOutcome(p, model.Outcome{Action: p.Action, Err: text, Detail: model.Say("quote", user)}))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
		if len(lines) != 2 || !json.Valid(lines[0]) || !json.Valid(lines[1]) {
			t.Fatalf("want two lines of JSON: %q", &out)
		}
		for _, c := range bytes.Join(lines, nil) {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, &out)
			}
		}
		if !strings.Contains(key+user+text, "the value") && strings.Contains(out.String(), "the value of a key") {
			t.Errorf("the value of a key is in the audit log: %q", &out)
		}
	})
}

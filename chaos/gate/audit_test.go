package gate

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// writerFunc is an audit log that looks at the world while it is written.
type writerFunc func(line []byte) (int, error)

func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

func TestAuditLogIsWrittenBeforeTheAct(t *testing.T) {
	t.Parallel()
	var b *bench
	var lease clientv3.LeaseID
	var lived []bool
	b = newBench(t, func(o *Options) {
		o.AuditLog = writerFunc(func(line []byte) (int, error) {
			lived = append(lived, chaostest.LeaseLives(t, b.direct, lease))
			return len(line), nil
		})
	})
	lease = b.lease(t)
	o := b.gate.Do(chaostest.Within(t), b.plan(t, model.Action{Kind: model.RevokeLease, Lease: model.LeaseID(lease)}))
	if d := cmp.Diff([]bool{true, false}, lived); d != "" || !o.Done {
		t.Errorf("outcome %+v; whether the lease lived at each line (-want +got):\n%s", o, d)
	}
}

func TestAuditLogThatFailsPreventsTheAct(t *testing.T) {
	t.Parallel()
	lab := &labStub{}
	b := newBench(t, func(o *Options) {
		o.Lab = lab
		o.AuditLog = writerFunc(func([]byte) (int, error) { return 0, errors.New("no space left") })
	})
	claim := b.claim(t, "/claim", b.lease(t))
	before := b.world(t)
	for _, kind := range model.ActionKinds {
		a := claim
		a.Kind, a.Contender = kind, "a"
		wantRefused(t, b.gate.Do(chaostest.Within(t), b.plan(t, a)), "the audit log cannot be written: no space left")
	}
	if b.dialled != 0 || len(lab.did) != 0 || b.world(t) != before {
		t.Errorf("dialled %d times, lab did %v", b.dialled, lab.did)
	}
}

func TestAuditLogThatFailsAfterTheActIsSaid(t *testing.T) {
	t.Parallel()
	n := 0
	b := newBench(t, func(o *Options) {
		o.AuditLog = writerFunc(func(line []byte) (int, error) {
			if n++; n > 1 {
				return 0, errors.New("no space left")
			}
			return len(line), nil
		})
	})
	o := b.gate.Do(chaostest.Within(t), b.plan(t, b.claim(t, "/claim", 0)))
	if !o.Done || o.Err != "the outcome could not be written down: no space left" {
		t.Errorf("outcome %+v", o)
	}
}

func TestAuditLogLines(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	b := newBench(t, func(o *Options) { o.Now = func() time.Time { return at } })
	// Escape sequences of terminals, a right-to-left override, bytes that are no
	// UTF-8, a rune beyond 16 bits.
	key := "/\x1b[2J\x7f\u009b\u202e\xff😀\n\"'"
	a := b.claim(t, key, 0)
	p := b.plan(t, a)
	a = p.Action // with its guard
	o := b.gate.Do(chaostest.Within(t), p)
	if !o.Done {
		t.Fatalf("outcome %+v", o)
	}
	for _, c := range b.audit.Bytes() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %#x in the audit log: %s", c, &b.audit)
		}
	}
	if strings.Contains(b.audit.String(), "secret") {
		t.Errorf("the value of a key is in the audit log: %s", &b.audit)
	}
	keys := []any{map[string]any{"key": strings.ToValidUTF8(key, "\ufffd"),
		"key_base64": "LxtbMkp/wpvigK7/8J+YgAoiJw==", "create_revision": float64(a.CreateRev)}}
	intent := map[string]any{"time": "2024-05-06T07:08:09Z", "step": "intent", "user": "me",
		"endpoint": b.gate.o.Endpoint, "kind": "delete claim", "dry_run": false, "keys": keys,
		"action": strings.ToValidUTF8(text.English(a.Message()), "\ufffd"), "etcdctl": strings.ToValidUTF8(a.Etcdctl(), "\ufffd")}
	outcome := map[string]any{"step": "outcome", "done": true, "result": "done", "revision": float64(o.Rev),
		"outcome": strings.ToValidUTF8(text.English(o.Message()), "\ufffd")}
	for k, v := range intent {
		if outcome[k] == nil {
			outcome[k] = v
		}
	}
	if d := cmp.Diff([]map[string]any{intent, outcome}, b.lines(t)); d != "" {
		t.Errorf("audit log (-want +got):\n%s", d)
	}
}

func TestWhatWasDoneIsReadFromTheAuditLog(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	var file bytes.Buffer
	b := newBench(t, func(o *Options) {
		o.Lab, o.AuditLog, o.User, o.Now = &labStub{}, &file, "ada", func() time.Time { return at }
	})
	revoked := b.gate.Do(chaostest.Within(t), b.plan(t, model.Action{Kind: model.RevokeLease, Lock: "/l", Lease: model.LeaseID(b.lease(t))}))
	claim := b.claim(t, "/claim\xff", 0)
	claim.Lock = "/claim"
	deleted := b.gate.Do(chaostest.Within(t), b.plan(t, claim))
	again := b.gate.Do(chaostest.Within(t), b.plan(t, claim))
	heal := b.gate.Do(chaostest.Within(t), b.plan(t, model.Action{Kind: model.HealAll}))
	if !revoked.Done || !deleted.Done || again.Done || !heal.Done {
		t.Fatalf("outcomes %+v, %+v, %+v, %+v", revoked, deleted, again, heal)
	}
	for _, line := range []string{
		`{"time":`, // cut off
		`{"time":"2024-05-06T07:08:09Z","step":"outcome","result":"done","etcdctl":"etcdctl lease revoke a1"}`,                  // of old, without its kind
		`{"time":"2024-05-06T07:08:09Z","step":"outcome","result":"done","kind":"revoke lease"}`,                                // of no lease
		`{"time":"2024-05-06T07:08:09Z","step":"outcome","result":"done","kind":"delete claim","keys":[]}`,                      // of no key
		`{"time":"2024-05-06T07:08:09Z","step":"outcome","result":"not-done","kind":"delete claim","keys":[{"key":"/claim"}]}}`, // more after its end
	} {
		file.WriteString(line + "\n")
	}
	done, damaged, err := ReadAuditLog(&file)
	if err != nil || damaged != 5 || len(done) != 2 {
		t.Fatalf("got %+v, %d damaged, %v", done, damaged, err)
	}
	for i, want := range []model.Outcome{revoked, deleted} {
		got := done[i]
		if got.By != "ada" || !got.At.Equal(at) || got.Rev != want.Rev || got.Action.Kind != want.Action.Kind || got.Action.Lock != want.Action.Lock || got.Action.Lease != want.Action.Lease {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if done[1].Action.Key != "/claim\xff" || done[1].Action.CreateRev != claim.CreateRev {
		t.Errorf("deleted %+v", done[1].Action)
	}
}

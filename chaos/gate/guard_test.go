package gate

import (
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// rewrite puts a key again as somebody else does after the dialog was shown.
func (b *bench) rewrite(t *testing.T, key, value string, lease clientv3.LeaseID) {
	t.Helper()
	_, err := b.direct.Put(chaostest.Within(t), key, value, clientv3.WithLease(lease))
	chaostest.Must(t, err)
}

// TestDeleteTakesOnlyWhatWasShown: the claim has the create revision, the lease and the
// value that the person saw, or it stays, and the outcome says what is different.
func TestDeleteTakesOnlyWhatWasShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const value = "secret value" // see bench.claim
	other := b.lease(t)
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, key string, lease clientv3.LeaseID)
		words  string // "" for a delete that is done
		reason string
	}{
		{"another value", func(t *testing.T, key string, lease clientv3.LeaseID) { b.rewrite(t, key, "new owner", lease) },
			"its value is another since revision", "the value may name a new owner"},
		{"a value that begins alike", func(t *testing.T, key string, lease clientv3.LeaseID) { b.rewrite(t, key, value+"\x00", lease) },
			"its value is another since revision", "values are compared whole"},
		{"another lease", func(t *testing.T, key string, _ clientv3.LeaseID) { b.rewrite(t, key, value, other) },
			"it is on lease", "another session has it now"},
		{"no lease", func(t *testing.T, key string, _ clientv3.LeaseID) { b.rewrite(t, key, value, 0) },
			"it is on no lease now", "a put without the lease took it off"},
		{"both", func(t *testing.T, key string, _ clientv3.LeaseID) { b.rewrite(t, key, "new owner", other) },
			", and its value is another", "all that changed is said"},
		{"a new claim", func(t *testing.T, key string, lease clientv3.LeaseID) {
			_, err := b.direct.Delete(chaostest.Within(t), key)
			chaostest.Must(t, err)
			b.rewrite(t, key, value, lease)
		}, "it is another claim now", "the same session, its next acquisition"},
		{"the same again", func(t *testing.T, key string, lease clientv3.LeaseID) { b.rewrite(t, key, value, lease) },
			"", "a heartbeat of the holder changes nothing that was shown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lease := b.lease(t)
			a := b.claim(t, "/guard/"+tt.name, lease)
			p := b.plan(t, a)
			w, err := b.gate.connection(chaostest.Within(t))
			chaostest.Must(t, err)
			tt.change(t, a.Key, lease)
			before := b.world(t)
			// The check is for the person; it is the transaction that must not be fooled.
			if late := b.gate.deleteClaim(chaostest.Within(t), w, p); late.Done || late.Changed == "" || late.Now.Key != a.Key {
				t.Errorf("%s: the transaction did %+v", tt.reason, late)
			}
			o := b.gate.Do(chaostest.Within(t), p)
			if tt.words == "" {
				if !o.Done || chaostest.Count(t, b.direct, a.Key) != 0 {
					t.Errorf("%s: %+v", tt.reason, o)
				}
				lines := b.lines(t)
				if ctl := lines[len(lines)-2]["etcdctl"].(string); ctl != o.Action.Etcdctl() || o.Action.ModRev == p.Action.ModRev {
					t.Errorf("the audit log has the guard %s, and %s was sent", ctl, o.Action.Etcdctl())
				}
				return
			}
			wantRefused(t, o, tt.words)
			if o.Changed != o.Err || o.Now.Key != a.Key || strings.Contains(o.Err, "owner") {
				t.Errorf("%s: %+v", tt.reason, o)
			}
			if b.world(t) != before {
				t.Errorf("%s: something was written", tt.reason)
			}
			if again := b.gate.Do(chaostest.Within(t), b.plan(t, model.Action{Kind: a.Kind, Key: a.Key, CreateRev: o.Now.CreateRev, Lease: o.Now.Lease})); !again.Done {
				t.Errorf("shown again and confirmed: %+v", again)
			}
		})
	}
}

// TestRevokeTakesOnlyWhatWasShown: a key of the lease that is new, under a name that was
// shown too, was not agreed to, nor one whose value is another. Fewer keys are no harm.
func TestRevokeTakesOnlyWhatWasShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease := b.lease(t)
	a := b.claim(t, "/claim", lease)
	a.Kind = model.RevokeLease
	for _, key := range []string{"/also", "/goes"} {
		b.claim(t, key, lease)
	}
	p := b.plan(t, a)
	_, err := b.direct.Delete(chaostest.Within(t), "/also")
	chaostest.Must(t, err)
	b.claim(t, "/also", lease)
	o := b.gate.Do(chaostest.Within(t), p)
	wantRefused(t, o, `it is another claim now: "/also"`)
	if o.Changed == "" || o.Now.Key != a.Key || !chaostest.LeaseLives(t, b.direct, lease) {
		t.Errorf("outcome %+v", o)
	}
	p = b.plan(t, a)
	_, err = b.direct.Delete(chaostest.Within(t), "/goes")
	chaostest.Must(t, err)
	for _, key := range []string{a.Key, "/also"} {
		stale := p
		b.rewrite(t, key, "new owner", lease)
		o := b.gate.Do(chaostest.Within(t), stale)
		wantRefused(t, o, "its value is another since revision")
		if o.Changed == "" || o.Now.Key != a.Key || !chaostest.LeaseLives(t, b.direct, lease) {
			t.Errorf("%s has another value: %+v", key, o)
		}
		p = b.plan(t, a)
	}
	b.rewrite(t, a.Key, "new owner", lease)
	if o := b.gate.Do(chaostest.Within(t), p); !o.Done || text.English(o.Detail) != "2 keys" {
		t.Errorf("with fewer keys, and one that was written again as it was: %+v", o)
	}
}

package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// bench is a member, a gate before it, and what they left behind.
type bench struct {
	gate    *Gate
	direct  *clientv3.Client
	audit   bytes.Buffer
	dialled int
	acted   []model.Outcome
}

// newBench starts a member and an armed gate. The options may change it.
func newBench(t *testing.T, options ...func(*Options)) *bench {
	t.Helper()
	member := chaostest.StartMember(t)
	b := &bench{direct: chaostest.Dial(t, []string{member})}
	o := Options{
		Reader: chaostest.Dial(t, []string{member}, chaos.ReadOnly()...),
		Dial: func(context.Context) (*clientv3.Client, error) {
			b.dialled++
			return chaostest.Connect(clientv3.Config{Endpoints: []string{member}, DialOptions: chaos.Writing()})
		},
		Armed: true, Why: model.Say("quote", "read-only: not locktop's own lab"),
		AuditLog: &b.audit, Endpoint: member, User: "me",
		Report: func(e model.Event) { b.acted = append(b.acted, e.(model.Acted).Outcome) },
	}
	for _, change := range options {
		change(&o)
	}
	b.gate = New(o)
	t.Cleanup(func() { chaostest.Must(t, b.gate.Close()) })
	return b
}

// claim puts a key on a lease (0 for none) and returns what a person would see.
func (b *bench) claim(t *testing.T, key string, lease clientv3.LeaseID) model.Action {
	t.Helper()
	r, err := b.direct.Put(chaostest.Within(t), key, "secret value", clientv3.WithLease(lease))
	chaostest.Must(t, err)
	return model.Action{Kind: model.DeleteClaim, Key: key, CreateRev: r.Header.Revision, Lease: model.LeaseID(lease)}
}

func (b *bench) lease(t *testing.T) clientv3.LeaseID {
	t.Helper()
	r, err := b.direct.Grant(chaostest.Within(t), 600)
	chaostest.Must(t, err)
	return r.ID
}

func (b *bench) plan(t *testing.T, a model.Action) model.Plan {
	t.Helper()
	p, err := b.gate.Plan(chaostest.Within(t), a)
	chaostest.Must(t, err)
	return p
}

// world is all that a write could change.
func (b *bench) world(t *testing.T) string {
	t.Helper()
	kvs, err := b.direct.Get(chaostest.Within(t), "", clientv3.WithPrefix())
	chaostest.Must(t, err)
	leases, err := b.direct.Leases(chaostest.Within(t))
	chaostest.Must(t, err)
	return fmt.Sprint(kvs.Header.Revision, kvs.Kvs, leases.Leases)
}

// lines decodes the audit log.
func (b *bench) lines(t *testing.T) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, l := range strings.Split(strings.TrimSuffix(b.audit.String(), "\n"), "\n") {
		var m map[string]any
		chaostest.Must(t, json.Unmarshal([]byte(l), &m))
		out = append(out, m)
	}
	return out
}

func keysOf(kvs []model.KV) []string {
	var out []string
	for _, kv := range kvs {
		out = append(out, kv.Key)
	}
	return out
}

// wantRefused wants nothing done, for a reason with these words.
func wantRefused(t *testing.T, o model.Outcome, words string) {
	t.Helper()
	if o.Done || o.Rev != 0 || !strings.Contains(o.Err, words) {
		t.Errorf("%+v: want nothing done because of %q", o, words)
	}
}

func TestRevokeTakesThePlannedKeysAtOneRevision(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease := b.lease(t)
	first := b.claim(t, "/locks/b/1", lease)
	b.claim(t, "/locks/a/1", lease)
	b.claim(t, "/locks/a/other", 0)
	a := model.Action{Kind: model.RevokeLease, Key: first.Key, CreateRev: first.CreateRev, Lease: first.Lease}

	p := b.plan(t, a)
	if d := cmp.Diff([]string{"/locks/a/1", "/locks/b/1"}, keysOf(p.Goes)); d != "" || !p.Unknown.IsZero() || !p.Refused.IsZero() {
		t.Errorf("plan: unknown %q, refused %q, goes (-want +got):\n%s", p.Unknown, p.Refused, d)
	}
	if p.Goes[1].CreateRev != first.CreateRev || p.Goes[1].Value != "secret value" || p.Lease.Granted != 600 {
		t.Errorf("plan: %+v: want the keys and the lease as they are", p)
	}
	watch := b.direct.Watch(chaostest.Within(t), "/locks/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	<-watch
	o := b.gate.Do(chaostest.Within(t), p)
	if !o.Done || text.English(o.Detail) != "2 keys" || o.Action != a {
		t.Errorf("outcome %+v", o)
	}
	gone := <-watch
	if len(gone.Events) != 2 || gone.Events[0].Kv.ModRevision != o.Rev || gone.Events[1].Kv.ModRevision != o.Rev {
		t.Errorf("deleted %v, want both keys at revision %d of the outcome", gone.Events, o.Rev)
	}
	if d := cmp.Diff([]model.Outcome{o}, b.acted); d != "" {
		t.Errorf("reported (-want +got):\n%s", d)
	}
	if p := b.plan(t, a); !strings.Contains(text.English(p.Refused), "is gone") {
		t.Errorf("plan of a lease that is gone: %q", p.Refused)
	}
	wantRefused(t, b.gate.Do(chaostest.Within(t), p), "is gone")
}

func TestRevokeIsRefusedWhenThePlanIsNotTrueAnyMore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct {
		name, words string
		change      func(t *testing.T, a model.Action)
		reason      string
	}{
		{name: "more keys", words: `has a key that was not shown, "/more"`,
			change: func(t *testing.T, a model.Action) { b.claim(t, "/more", clientv3.LeaseID(a.Lease)) },
			reason: "the person agreed to the keys that were shown"},
		{name: "the claim went", words: "the claim is gone",
			change: func(t *testing.T, a model.Action) {
				_, err := b.direct.Delete(chaostest.Within(t), a.Key)
				chaostest.Must(t, err)
			},
			reason: "the lock is free already, and the session innocent"},
		{name: "the claim is on another lease", words: "is not on lease",
			change: func(t *testing.T, a model.Action) { b.claim(t, a.Key, b.lease(t)) },
			reason: "the revoke would not free the lock"},
		{name: "the claim has no lease", words: "but on no lease now",
			change: func(t *testing.T, a model.Action) {
				_, err := b.direct.Put(chaostest.Within(t), a.Key, "")
				chaostest.Must(t, err)
			},
			reason: "the revoke would not free the lock either, and nobody reads a lease 0"},
		{name: "the lease went", words: "is gone",
			change: func(t *testing.T, a model.Action) {
				_, err := b.direct.Revoke(chaostest.Within(t), clientv3.LeaseID(a.Lease))
				chaostest.Must(t, err)
			},
			reason: "nothing is left to do"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := b.claim(t, "/claim/"+tt.name, b.lease(t))
			a.Kind = model.RevokeLease
			p := b.plan(t, a)
			tt.change(t, a)
			before := b.world(t)
			wantRefused(t, b.gate.Do(chaostest.Within(t), p), tt.words)
			if after := b.world(t); after != before {
				t.Errorf("%s: something was written", tt.reason)
			}
		})
	}
}

func TestPlanBoundsWhatItReadsOfALargeLease(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease := b.lease(t)
	for i := 0; i < maxRead+50; i += 50 {
		var puts []clientv3.Op
		for j := range 50 {
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("/k/%05d", i+j), "", clientv3.WithLease(lease)))
		}
		_, err := b.direct.Txn(chaostest.Within(t)).Then(puts...).Commit()
		chaostest.Must(t, err)
	}
	p := b.plan(t, model.Action{Kind: model.RevokeLease, Lease: model.LeaseID(lease)})
	if want := "50 of the 1050 keys are listed by name only"; text.English(p.Unknown) != want || len(p.Goes) != maxRead+50 {
		t.Errorf("%d keys, unknown %q, want %q", len(p.Goes), p.Unknown, want)
	}
	if p.Goes[maxRead-1].CreateRev == 0 || p.Goes[maxRead].CreateRev != 0 || !slices.IsSorted(keysOf(p.Goes)) {
		t.Error("want the first keys read, the others by name, in key order")
	}
	if o := b.gate.Do(chaostest.Within(t), p); !o.Done {
		t.Errorf("outcome %+v", o)
	}
}

func TestGuardedDelete(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease := b.lease(t)
	a := b.claim(t, "/claim", lease)
	b.claim(t, "/other", lease)
	stale := b.plan(t, a)

	_, err := b.direct.Delete(chaostest.Within(t), a.Key)
	chaostest.Must(t, err)
	wantRefused(t, b.gate.Do(chaostest.Within(t), stale), "the claim is gone")
	now := b.claim(t, "/claim", lease)
	wantRefused(t, b.gate.Do(chaostest.Within(t), stale), "it is another claim now")
	if p := b.plan(t, a); !strings.Contains(text.English(p.Refused), "it is another claim now") {
		t.Errorf("plan for a claim that changed: %q", p.Refused)
	}
	// The check is for the person; it is the transaction that must not be fooled.
	w, err := b.gate.connection(chaostest.Within(t))
	chaostest.Must(t, err)
	wantRefused(t, b.gate.deleteClaim(chaostest.Within(t), w, stale), "it is another claim now")

	o := b.gate.Do(chaostest.Within(t), b.plan(t, now))
	left, err := b.direct.Get(chaostest.Within(t), "/", clientv3.WithPrefix())
	chaostest.Must(t, err)
	if !o.Done || o.Rev != left.Header.Revision {
		t.Errorf("outcome %+v, want it done at revision %d", o, left.Header.Revision)
	}
	if left.Count != 1 || string(left.Kvs[0].Key) != "/other" || !chaostest.LeaseLives(t, b.direct, lease) {
		t.Errorf("left %v, want the other key of a lease that lives", left.Kvs)
	}
	if b.dialled != 1 {
		t.Errorf("dialled %d times, want one connection for all writes", b.dialled)
	}
}

func TestUnarmedGateRefusesEverything(t *testing.T) {
	t.Parallel()
	lab := &labStub{}
	b := newBench(t, func(o *Options) { o.Armed, o.Lab = false, lab })
	claim := b.claim(t, "/claim", b.lease(t))
	before := b.world(t)
	for _, kind := range model.ActionKinds {
		a := claim
		a.Kind, a.Contender = kind, "a"
		if err := b.gate.Available(a); err == nil || err.Error() != "read-only: not locktop's own lab" {
			t.Errorf("%s: available: %v", kind, err)
		}
		for _, dry := range []bool{false, true} {
			p := b.plan(t, a)
			p.DryRun = dry
			wantRefused(t, b.gate.Do(chaostest.Within(t), p), "read-only: not locktop's own lab")
		}
	}
	if b.dialled != 0 || len(lab.did) != 0 || b.audit.Len() != 0 || b.world(t) != before {
		t.Errorf("dialled %d times, lab did %v, audit log %q", b.dialled, lab.did, &b.audit)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	lab := &labStub{}
	b := newBench(t, func(o *Options) { o.Lab = lab })
	claim := b.claim(t, "/claim", b.lease(t))
	before := b.world(t)
	for _, kind := range model.ActionKinds {
		a := claim
		a.Kind, a.Contender = kind, "a"
		p := b.plan(t, a)
		p.DryRun = true
		o := b.gate.Do(chaostest.Within(t), p)
		wantRefused(t, o, "dry run")
		if !strings.HasPrefix(text.English(o.Detail), "would ") {
			t.Errorf("%s: %q does not say what it would do", kind, o.Detail)
		}
	}
	if b.dialled != 0 || len(lab.did) != 0 || b.world(t) != before {
		t.Errorf("dialled %d times, lab did %v, world %v, was %v", b.dialled, lab.did, b.world(t), before)
	}
	for _, l := range b.lines(t) {
		if l["dry_run"] != true {
			t.Errorf("the audit log does not say that it was a dry run: %v", l)
		}
	}
}

// labStub is a lab that cannot kill.
type labStub struct {
	did []model.Action
	err error
}

func (l *labStub) Available(model.Action) error { return nil }

func (l *labStub) Targets(a model.Action) model.Message {
	return model.Say("detail-named-process", a.Fault.Target, 4711)
}

func (l *labStub) Do(_ context.Context, a model.Action) (model.Message, error) {
	l.did = append(l.did, a)
	return model.Say("detail-process", 4711), l.err
}

func TestLabActionsGoToTheLab(t *testing.T) {
	t.Parallel()
	lab := &labStub{}
	b := newBench(t, func(o *Options) { o.Lab = lab })
	a := model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultKill, Target: "a"}}
	if o := b.gate.Do(chaostest.Within(t), b.plan(t, a)); !o.Done || text.English(o.Detail) != "pid 4711" || o.Rev != 0 {
		t.Errorf("outcome %+v", o)
	}
	for _, l := range b.lines(t) {
		if l["hits"] != "a, pid 4711" {
			t.Errorf("the audit log does not say whom it hits: %v", l)
		}
	}
	lab.err = errors.New("it has ended")
	wantRefused(t, b.gate.Do(chaostest.Within(t), b.plan(t, a)), "it has ended")
	if d := cmp.Diff([]model.Action{a, a}, lab.did); d != "" {
		t.Errorf("the lab did (-want +got):\n%s", d)
	}
	if b.dialled != 0 {
		t.Error("a lab action opened a connection to write with")
	}
}

func TestUnavailableActionsSayWhy(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	closed := New(Options{Armed: true, AuditLog: &bytes.Buffer{}})
	chaostest.Must(t, closed.Close())
	kill := model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultKill, Target: "a"}}
	for _, tt := range []struct {
		gate   *Gate
		action model.Action
		words  string
		reason string
	}{
		{b.gate, kill, "not locktop's own lab", "there is no lab"},
		{b.gate, model.Action{Kind: model.RevokeLease}, "there is no lease", "a key without a lease"},
		{b.gate, model.Action{Kind: model.DeleteClaim, Key: "/k"}, "create revision must be known", "no guard without it"},
		{b.gate, model.Action{Kind: "dance"}, "unknown action", "a kind of a later version"},
		{New(Options{Armed: true}), kill, "no audit log", "what is not written down is not done"},
		{closed, kill, "closing", "after Close"},
		{New(Options{}), kill, "read-only", "not armed, and nobody said why"},
	} {
		if err := tt.gate.Available(tt.action); err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v, want %q", tt.reason, err, tt.words)
		}
	}
}

func TestGateRefusesAWriterThatMayDoAnything(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		dial func(member string) (*clientv3.Client, error)
		want string
	}{
		{"no permits", func(m string) (*clientv3.Client, error) {
			return chaostest.Connect(clientv3.Config{Endpoints: []string{m}})
		}, "not restricted"},
		{"no connection", func(string) (*clientv3.Client, error) { return nil, errors.New("no route") }, "no route"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(o *Options) {
				member := o.Endpoint
				o.Dial = func(context.Context) (*clientv3.Client, error) { return tt.dial(member) }
			})
			a := b.claim(t, "/claim", 0)
			before := b.world(t)
			wantRefused(t, b.gate.Do(chaostest.Within(t), b.plan(t, a)), tt.want)
			if b.world(t) != before {
				t.Error("something was written")
			}
		})
	}
}

// TestNothingOfKubernetesIsWritten: neither is its key deleted, nor a lease revoked on which
// one hangs; a claim beside them is.
func TestNothingOfKubernetesIsWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease, other := b.lease(t), b.lease(t)
	put := func(key, value string, opts ...clientv3.OpOption) model.KV {
		r, err := b.direct.Put(chaostest.Within(t), key, value, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return model.KV{Key: key, CreateRev: r.Header.Revision}
	}
	object := put("/registry/leases/kube-system/scheduler", "k8s\x00\x0a\x00")
	put("/registry/masterleases/10.0.0.1", "k8s\x00\x0a\x00", clientv3.WithLease(lease))
	claim := b.claim(t, "/locks/a/1", other)
	for _, a := range []model.Action{
		{Kind: model.DeleteClaim, Key: object.Key, CreateRev: object.CreateRev},
		{Kind: model.RevokeLease, Lease: model.LeaseID(lease)},
	} {
		p := b.plan(t, a)
		if !strings.Contains(text.English(p.Refused), "is an object of Kubernetes") {
			t.Errorf("%s: refused %q", text.English(a.Message()), p.Refused)
		}
		p.Refused = model.Message{}
		wantRefused(t, b.gate.Do(chaostest.Within(t), p), "is an object of Kubernetes")
	}
	p := b.plan(t, model.Action{Kind: model.DeleteClaim, Key: claim.Key, CreateRev: claim.CreateRev})
	if o := b.gate.Do(chaostest.Within(t), p); !o.Done {
		t.Errorf("a claim beside them: %+v", o)
	}
}

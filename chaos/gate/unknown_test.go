package gate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/hostile"
)

// newLossy is a bench whose gate writes over a path that loses things.
func newLossy(t *testing.T, options ...func(*Options)) (*bench, *chaostest.Between) {
	t.Helper()
	var path *chaostest.Between
	b := newBench(t, append(options, func(o *Options) {
		path = chaostest.NewBetween(t, o.Endpoint)
		o.Dial = func(context.Context) (*clientv3.Client, error) {
			return chaostest.Connect(clientv3.Config{Endpoints: []string{path.Addr}, DialOptions: chaos.Writing()})
		}
	})...)
	return b, path
}

// calls are the ways to break a claim, by the method that does it.
var calls = map[model.ActionKind]string{model.RevokeLease: "LeaseRevoke", model.DeleteClaim: "Txn"}

// A write whose answer is lost may have been done, or not: the outcome and the audit log say
// neither, and the write is not sent again.
func TestALostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		how    chaostest.Loss
		done   bool
		reason string
	}{
		{chaostest.AnswerNever, true, "the answer is out when the time is up"},
		{chaostest.AnswerCut, true, "the client library would send a revoke again and hear that the lease is gone"},
		{chaostest.AnswerUnavailable, true, "what is in between answers, as if the member had not been asked"},
		{chaostest.AnswerReset, true, "a code that no etcd gives says nothing"},
		{chaostest.AnswerTooLate, true, "the time of somebody else is up"},
		{chaostest.RequestNever, false, "it has left, and nobody knows that it never arrived"},
		{chaostest.RequestCut, false, "neither does anybody here"},
	} {
		for kind, method := range calls {
			t.Run(string(kind)+", "+string(row.how), func(t *testing.T) {
				t.Parallel()
				b, path := newLossy(t)
				path.Lose(method, row.how)
				a := b.claim(t, "/l/1", b.lease(t))
				a.Kind = kind
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				p := b.plan(t, a)
				o := b.gate.Do(ctx, p)
				if o.Done || !o.Unknown || o.Result() != model.ResultUnknown || o.Rev != 0 || o.Went != nil ||
					!strings.HasPrefix(text.English(o.Message()), "unknown whether done: ") || !strings.Contains(o.Err, "it may have been done") {
					t.Errorf("%s: %+v", row.reason, o)
				}
				if gone := chaostest.Count(t, b.direct, a.Key) == 0; gone != row.done {
					t.Errorf("gone: %t, and the test is about %t", gone, row.done)
				}
				if n := path.Came(method); n != 1 {
					t.Errorf("sent %d times", n)
				}
				line := b.lines(t)[1]
				done, said := line["done"]
				if line["result"] != "unknown" || done != nil || !said || strings.Contains(line["outcome"].(string), "not done") {
					t.Errorf("the audit log says %v", line)
				}
			})
		}
	}
}

// What surely was not done is not unknown: etcd refused it, or nothing was sent.
func TestWhatWasNotDoneIsNotUnknown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		before func(t *testing.T, b *bench, a model.Action)
		words  string
		reason string
	}{
		{"the lease expired in between", func(t *testing.T, b *bench, a model.Action) {
			_, err := b.direct.Revoke(chaostest.Within(t), clientv3.LeaseID(a.Lease))
			chaostest.Must(t, err)
		}, "is gone: it expired or was revoked", "etcd found no lease, and a reading of this cluster confirms it"},
		{"the claim changed in between", func(t *testing.T, b *bench, a model.Action) {
			b.rewrite(t, a.Key, "another", clientv3.LeaseID(a.Lease))
		}, "its value is another", "the comparison failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b, path := newLossy(t)
			a := b.claim(t, "/l/1", b.lease(t))
			method := "Txn"
			if strings.Contains(row.name, "lease") {
				a.Kind, method = model.RevokeLease, "LeaseRevoke"
			}
			path.Before(method, func() { row.before(t, b, a) })
			o := b.gate.Do(chaostest.Within(t), b.plan(t, a))
			wantRefused(t, o, row.words)
			if line := b.lines(t)[1]; o.Unknown || line["result"] != "not-done" || line["done"] != false {
				t.Errorf("%s: %+v, %v", row.reason, o, line)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(o *Options) {
			o.Dial = func(context.Context) (*clientv3.Client, error) {
				return chaostest.Connect(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}, DialOptions: chaos.Writing()})
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		o := b.gate.Do(ctx, b.plan(t, b.claim(t, "/l/1", 0)))
		if o.Done || o.Unknown {
			t.Errorf("nothing was sent: %+v", o)
		}
	})
}

// Another cluster behind the same address knows no such lease and no such key: of ours nothing
// is said by that. Where it has both, it did what was meant for ours.
func TestAnotherClusterSaysNothingOfOurs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		kind   model.ActionKind
		copied bool // it has the same lease and key, as a copy has
		reads  bool // it answers the reader, too
		says   string
	}{
		{"the write alone", model.RevokeLease, false, false, "but it is there: look again"},
		{"the write and what is read then", model.RevokeLease, false, true, "another cluster answers"},
		{"the write alone", model.DeleteClaim, false, false, "another cluster answers"},
		{"a copy", model.RevokeLease, true, false, "it was meant for"},
	} {
		t.Run(string(row.kind)+", "+row.name, func(t *testing.T) {
			t.Parallel()
			b, path := newLossy(t)
			other := chaostest.StartMember(t)
			a := b.claim(t, "/l/1", b.lease(t))
			a.Kind = row.kind
			if row.copied {
				_, err := clientv3.RetryLeaseClient(chaostest.Dial(t, []string{other})).LeaseGrant(chaostest.Within(t), &pb.LeaseGrantRequest{TTL: 600, ID: int64(a.Lease)})
				chaostest.Must(t, err)
			}
			p := b.plan(t, a)
			path.Before(calls[row.kind], func() {
				if path.Lead(t, other); row.reads {
					b.gate.o.Reader.SetEndpoints(path.Addr)
				}
			})
			o := b.gate.Do(chaostest.Within(t), p)
			if !strings.Contains(o.Err, row.says) || strings.Contains(o.Err, "is gone") || o.Rev != 0 || o.Done != row.copied || o.Unknown {
				t.Errorf("%+v: want %q", o, row.says)
			}
		})
	}
}

// An answer that names no cluster is not said as if it had been checked.
func TestALeaseThatIsGoneByAnAnswerWithoutAName(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	g := gateTo(t, 0xaa, s.Addr)
	a := model.Action{Kind: model.RevokeLease, Key: "/l/a/1", CreateRev: 5, Lease: 1}
	for _, row := range []struct {
		id   uint64
		want string
	}{{0xaa, "lease 1 is gone: it expired"}, {0, "an answer that names no cluster says that lease 1 is gone"}} {
		s.Become(row.id, 10)
		p, err := g.Plan(chaostest.Within(t), a)
		chaostest.Must(t, err)
		if !strings.HasPrefix(text.English(p.Refused), row.want) {
			t.Errorf("cluster %x: %q, want %q", row.id, p.Refused, row.want)
		}
	}
}

// A revoke takes what is on the lease when it comes, and that is what is listed: also a key
// that joined after the last look, and not one that had left.
func TestTheOutcomeListsWhatWentWithTheLease(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		join   []string
		leave  bool
		detail string
		went   []string
		reason string
	}{
		{"nothing changed", nil, false, "2 keys", []string{"/l/1", "/other/1"}, "what was shown went"},
		{"a key joined", []string{"/zz/1"}, false, `3 keys; "/zz/1" was not shown: it joined just before`, []string{"/l/1", "/other/1", "/zz/1"}, "nobody agreed to it, and it is gone"},
		{"keys joined", []string{"/\xff", "/\x00/1"}, false, `4 keys; 2 were not shown: they joined just before, "/\x00/1" is the first`, []string{"/\x00/1", "/l/1", "/other/1", "/\xff"}, "of any bytes"},
		{"a key left", nil, true, "1 key", []string{"/l/1"}, "somebody else had deleted it"},
		{"one joined, one left", []string{"/a"}, true, `2 keys; "/a" was not shown: it joined just before`, []string{"/a", "/l/1"}, "both"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b, path := newLossy(t)
			lease := b.lease(t)
			a := b.claim(t, "/l/1", lease)
			a.Kind = model.RevokeLease
			b.claim(t, "/other/1", lease)
			b.claim(t, "/free", 0)
			p := b.plan(t, a)
			path.Before("LeaseRevoke", func() {
				for _, key := range row.join {
					b.claim(t, key, lease)
				}
				if row.leave {
					_, err := b.direct.Delete(chaostest.Within(t), "/other/1")
					chaostest.Must(t, err)
				}
			})
			o := b.gate.Do(chaostest.Within(t), p)
			if d := cmp.Diff(row.went, keysOf(o.Went)); d != "" || text.English(o.Detail) != row.detail || !o.Done {
				t.Errorf("%s: %+v; went (-want +got):\n%s", row.reason, o, d)
			}
			for _, kv := range o.Went {
				if kv.Value != "" || kv.CreateRev == 0 {
					t.Errorf("%+v: want no value, which may be a secret, and the revision", kv)
				}
			}
			if went, _ := b.lines(t)[1]["went"].([]any); len(went) != len(row.went) {
				t.Errorf("the audit log says %v", b.lines(t)[1])
			}
		})
	}
}

// A revoke that finds no key writes nothing: what the last write of somebody else deleted did
// not go with it.
func TestARevokeWithoutKeysTookNothing(t *testing.T) {
	t.Parallel()
	b, path := newLossy(t)
	lease := b.lease(t)
	b.claim(t, "/theirs", 0)
	p := b.plan(t, model.Action{Kind: model.RevokeLease, Lease: model.LeaseID(lease)})
	path.Before("LeaseRevoke", func() {
		_, err := b.direct.Delete(chaostest.Within(t), "/theirs")
		chaostest.Must(t, err)
	})
	if o := b.gate.Do(chaostest.Within(t), p); !o.Done || text.English(o.Detail) != "0 keys" || o.Rev != 0 || len(o.Went) != 0 {
		t.Errorf("outcome %+v", o)
	}
	lines := b.lines(t)
	if went, said := lines[1]["went"].([]any); !said || len(went) != 0 {
		t.Errorf("the audit log says %v", lines[1])
	}
}

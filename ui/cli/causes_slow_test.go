//go:build slow

package cli

import (
	"context"
	"io"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/gate"
	"locktop/demo"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/cli/session"
	"locktop/watcher"
)

// bench is a lab with the whole road behind it: watcher and lab into a state, and
// the gate.
type bench struct {
	t     *testing.T
	src   model.Source
	state *store.Store
	gate  *gate.Gate
}

// newBench starts a lab with two contenders on one mutex.
func newBench(t *testing.T, locks ...string) *bench {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	lab, err := demo.Start(ctx, demo.Options{Members: 1, Contenders: 2, Locks: locks, TTL: 3, Hold: time.Hour,
		Self: []string{locktop(t), "contend", "--armed"}})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	client, err := dial(lab.MemberEndpoints(), time.Second, nil, chaos.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	w := watcher.New(client, watcher.Options{})
	b := &bench{t: t, src: session.Merge(ctx, w, lab), state: store.New()}
	b.gate = gate.New(gate.Options{Reader: client, Armed: true, Lab: lab, AuditLog: io.Discard, Report: lab.Report,
		Dial: func(context.Context) (*clientv3.Client, error) {
			return dial(lab.MemberEndpoints(), time.Second, nil, chaos.Writing())
		}})
	t.Cleanup(func() {
		cancel()
		b.gate.Close()
		w.Close()
		client.Close()
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// pull applies batches until ok says so.
func (b *bench) pull(what string, ok func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	for !ok() {
		batch, err := b.src.Next(ctx, b.state.Want(nil))
		if err != nil {
			b.t.Fatalf("waiting until %s: %v\n%s", what, err, b.journal())
		}
		b.state.Apply(batch)
	}
}

func (b *bench) journal() string {
	var all string
	for _, f := range b.state.Journal() {
		all += f.Sentence(b.state.Who) + " [" + text.English(f.Evidence) + "]\n"
	}
	return all
}

// queue waits until n claims are in the queue and returns the holder and the next.
func (b *bench) queue(lock string) (holder, next model.ClaimRef) {
	b.t.Helper()
	b.pull("two contenders are queued and known", func() bool {
		l := b.state.Lock(lock)
		if l == nil || l.Len() != 2 || l.Holder() == nil {
			return false
		}
		holder, next = l.Head().Ref(), l.At(1).Ref()
		read := l.Head().LeaseInfo()
		return read != nil && read.HasRead && b.state.Identity(holder).Source == "proxy" && b.state.Identity(next).Source == "proxy"
	})
	return holder, next
}

func (b *bench) do(a model.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	plan, err := b.gate.Plan(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	if o := b.gate.Do(ctx, plan); !o.Done {
		b.t.Fatal(text.English(o.Message()))
	}
}

// TestTheJournalFindsTheCause breaks a held lock in every way, and reads from the
// journal alone what became of it.
func TestTheJournalFindsTheCause(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name       string
		action     func(holder model.ClaimRef, contender string) model.Action
		cause      journal.Cause
		confidence model.Confidence
		reason     string
	}{
		{"holder crash", func(_ model.ClaimRef, c string) model.Action {
			return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultKill, Target: c}}
		},
			journal.CauseExpired, model.Strong, "nobody renews the lease of a dead process"},
		{"keepalive hold", func(_ model.ClaimRef, c string) model.Action {
			return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: c}}
		}, journal.CauseExpired, model.Strong, "the process lives, but its renewals do not arrive"},
		{"pause", func(_ model.ClaimRef, c string) model.Action {
			return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultPause, Target: c}}
		},
			journal.CauseExpired, model.Strong, "a stopped process renews nothing"},
		{"revoke", func(h model.ClaimRef, _ string) model.Action {
			return model.Action{Kind: model.RevokeLease, Lease: h.Lease, Key: h.Key, CreateRev: h.CreateRev}
		}, journal.CauseRevoked, model.Certain, "our own journal says so"},
		{"guarded delete", func(h model.ClaimRef, _ string) model.Action {
			return model.Action{Kind: model.DeleteClaim, Key: h.Key, CreateRev: h.CreateRev}
		}, journal.CauseDeleted, model.Certain, "our own journal says so"},
		{"stop", func(_ model.ClaimRef, c string) model.Action {
			return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStop, Target: c}}
		},
			"", "", "it unlocks and closes its session: released if the lease was read in between, else ended early"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, "/l")
			holder, next := b.queue("/l")
			b.do(r.action(holder, b.state.Identity(holder).Text))
			var got *journal.Entry
			b.pull("the handover is seen and explained", func() bool {
				for _, f := range b.state.Journal() {
					if f.Kind == journal.Handover && f.From.Key == holder.Key && !f.Pending {
						got = f
						// The lease may be read before the word of our own deed comes.
						return r.confidence != model.Certain || f.Confidence == model.Certain
					}
				}
				return false
			})
			if got.Claim.Key != next.Key || got.Gap != 0 {
				t.Errorf("went to %s with a gap of %v, want the next in line %s at once", got.Claim.Key, got.Gap, next.Key)
			}
			if r.cause == "" {
				if got.Cause != journal.CauseReleased && got.Cause != journal.CauseRevoked {
					t.Errorf("cause %s (%s): %s\n%s", got.Cause, text.English(got.Evidence), r.reason, b.journal())
				}
				return
			}
			if got.Cause != r.cause || got.Confidence != r.confidence {
				t.Errorf("cause %s (%s, %s), want %s (%s): %s\n%s", got.Cause, got.Confidence, text.English(got.Evidence), r.cause, r.confidence, r.reason, b.journal())
			}
		})
	}
}

// TestHealAllEndsEveryFault holds one contender's keepalives and stops another's
// process, and heals both before their leases end.
func TestHealAllEndsEveryFault(t *testing.T) {
	b := newBench(t, "/l")
	holder, next := b.queue("/l")
	b.do(model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: b.state.Identity(holder).Text}})
	b.do(model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultPause, Target: b.state.Identity(next).Text}})
	b.pull("both faults are reported", func() bool { return len(b.state.Reports().Faults()) == 2 })
	b.do(model.Action{Kind: model.HealAll})
	b.pull("no active faults", func() bool { return len(b.state.Reports().Faults()) == 0 })
	for _, c := range b.state.Reports().Contenders() {
		if c.Proc != model.ProcRunning {
			t.Errorf("%s is %s", c.Name, c.Proc)
		}
	}
}

// TestSpawnJoinsTheQueue spawns one more contender, which is seen through the watch.
func TestSpawnJoinsTheQueue(t *testing.T) {
	t.Parallel()
	b := newBench(t, "/l")
	b.queue("/l")
	b.do(model.Action{Kind: model.SpawnProc, Lock: "/l"})
	b.pull("a third one is queued", func() bool { return b.state.Lock("/l").Len() == 3 })
}

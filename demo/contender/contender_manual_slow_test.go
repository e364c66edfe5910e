//go:build slow

package contender

import (
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/drill"
	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/demo/resource"
	"locktop/model"
)

// told starts a manual contender with two locks and a resource.
func told(t *testing.T, recipe string) (*run, *resource.Resource, *clientv3.Client) {
	t.Helper()
	endpoint, cli := oneEtcd(t)
	res := newResource(t, resource.Options{Fence: drill.FenceNone})
	h := &heard{t: t}
	return contendWith(t, h, Options{Name: "m", Locks: []string{"/l", "/k"}, Recipe: recipe,
		Endpoints: []string{endpoint}, TTL: 30, Manual: true, Resource: res.Addr()}), res, cli
}

func TestManualWordsThatMakeNoSense(t *testing.T) {
	r, _, _ := told(t, RecipeMutex)
	tests := []struct{ word, want string }{
		{"dance", "want one of abandon, claim, close, delete, drop"},
		{"unlock", "holds no lock"},
		{"unlock-again", "nothing was unlocked"},
		{"resign-again", "has not resigned"},
		{"lock-again", "holds no lock"},
		{"write", "holds no lock"},
		{"read", "holds no lock"},
		{"put", "has read nothing"},
		{"close", "no session"},
		{"drop", "renews nothing"},
		{"proclaim", "holds no lock"},
		{"give-up", "waits for nothing"},
		{"abandon", "waits for nothing"},
		{"leader", "recipe mutex has no leader"},
		{"resumed-leader", "recipe mutex has no leader"},
		{"observe", "recipe mutex has no leader"},
		{"observed", "observed nobody"},
		{"renew", "nobody has a lease on /l"},
	}
	for _, tt := range tests {
		if b := r.saying(r.tell(tt.word), tt.want); b.State != model.BeliefIdle {
			t.Errorf("%s: %+v", tt.word, b)
		}
	}
	r.after(r.tell("lock"), "m", model.BeliefHolding)
	r.saying(r.tell("proclaim"), "recipe mutex writes nothing into its key")
	r.after(r.tell("lock"), "m", model.BeliefHolding)
	if b := r.saying(r.tell("lock"), "lock-again"); b.State != model.BeliefHolding || b.Lock != "/k" {
		t.Errorf("%+v: its belief is as it was", b)
	}
}

func TestManualLocksAndUnlocks(t *testing.T) {
	r, res, cli := told(t, RecipeMutex)
	first := r.after(r.tell("lock"), "m", model.BeliefHolding)
	again := r.after(r.tell("lock-again"), "m", model.BeliefHolding)
	if first.Lock != "/l" || again.Key != first.Key || again.Token != first.Token {
		t.Errorf("%+v, then %+v: one session has one key", first, again)
	}
	r.tell("read")
	r.tell("put")
	r.tell("write")
	labtest.Eventually(t, "it writes twice", func() bool { acked, _, _ := res.Counts("/l"); return acked == 2 })
	// The first unlock takes the key that both stand on; the other does not know.
	if b := r.after(r.tell("unlock"), "m", model.BeliefHolding); b.Key != first.Key || len(labtest.Queue(t, cli, "/l")) != 0 {
		t.Errorf("%+v with keys %q", b, labtest.Queue(t, cli, "/l"))
	}
	r.after(r.tell("unlock"), "m", model.BeliefIdle)
	// An unlock that comes twice takes away what was locked anew.
	r.after(r.tell("lock"), "m", model.BeliefHolding)
	if len(labtest.Queue(t, cli, "/l")) != 1 {
		t.Error("it has a new key")
	}
	if b := r.saying(r.tell("unlock-again"), "once more"); b.State != model.BeliefHolding || len(labtest.Queue(t, cli, "/l")) != 0 {
		t.Errorf("%+v with keys %q", b, labtest.Queue(t, cli, "/l"))
	}
}

// TestWordsThatComeEarly: whoever looks at the queue sees the holder before that one has the answer
// of its attempt. What it is told then is done once it has it; what it could never do it refuses
// after a while.
func TestWordsThatComeEarly(t *testing.T) {
	r, _, cli := told(t, RecipeMutex)
	r.until(0, "it is there", func(b model.Belief) bool { return b.Lock == "/k" })
	from := r.tell("lock")
	r.tell("unlock")
	r.after(from, "m", model.BeliefLeaving)
	r.tell("lock")
	n := r.tell("lock")
	r.until(n, "it holds the second", func(b model.Belief) bool { return b.Lock == "/k" && b.State == model.BeliefHolding })
	var said []string
	for _, b := range r.lines()[from:] {
		said = append(said, b.Lock+" "+string(b.State))
	}
	if want := []string{"/l waiting", "/l holding", "/l leaving", "/l idle", "/l waiting", "/l holding", "/k waiting", "/k holding"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	r.tell("unlock")
	r.after(r.tell("unlock"), "m", model.BeliefLeaving)
	if _, err := cli.Put(t.Context(), "/l/0", "before it"); err != nil {
		t.Fatal(err)
	}
	r.tell("lock")
	if b := r.saying(r.tell("unlock"), "holds no lock"); b.State != model.BeliefWaiting {
		t.Errorf("%+v: it waits", b)
	}
	if b := r.saying(r.tell("lock"), "still waiting"); b.State != model.BeliefWaiting {
		t.Errorf("%+v: it waits", b)
	}
}

func TestManualSession(t *testing.T) {
	r, _, cli := told(t, RecipeElection)
	first := r.after(r.tell("lock"), "m", model.BeliefHolding)
	r.saying(r.tell("proclaim"), "proclaimed m#1")
	if kv, err := cli.Get(t.Context(), first.Key); err != nil || string(kv.Kvs[0].Value) != "m#1" {
		t.Errorf("%v (%v)", kv, err)
	}
	// Dropped, the lease stays, and so does the belief.
	if b := r.saying(r.tell("drop"), "renews no more"); b.State != model.BeliefHolding {
		t.Errorf("%+v", b)
	}
	if q := labtest.Queue(t, cli, "/l"); len(q) != 1 {
		t.Errorf("keys %q", q)
	}
	r.after(r.tell("close"), "m", model.BeliefIdle)
	if q := labtest.Queue(t, cli, "/l"); len(q) != 0 {
		t.Errorf("keys %q", q)
	}
	second := r.after(r.tell("lock"), "m", model.BeliefHolding)
	if second.Lease == first.Lease {
		t.Error("a new session has a new lease")
	}
	// A lease that somebody else revokes is heard of.
	n := len(r.lines())
	if _, err := cli.Revoke(t.Context(), clientv3.LeaseID(second.Lease)); err != nil {
		t.Fatal(err)
	}
	if b := r.after(n, "m", model.BeliefLost); b.Key != second.Key {
		t.Errorf("%+v", b)
	}
	r.after(r.tell("lock"), "m", model.BeliefHolding)
	r.in.Close()
	if !process.Wait(r.ended, labtest.Patience) {
		t.Fatal("it ends with its input")
	}
	if q := labtest.Queue(t, cli, "/l"); len(q) != 0 {
		t.Errorf("left behind: %q", q)
	}
}

// An unlock that nobody answers is over for who asked: the session goes on, and may
// have a claim that its owner does not know of.
func TestManualUnlockWithoutAnAnswer(t *testing.T) {
	endpoint, member := etcdProcess(t)
	r := contendWith(t, &heard{t: t}, Options{Name: "m", Locks: []string{"/l"}, Recipe: RecipeMutex,
		Endpoints: []string{endpoint}, TTL: 60, Manual: true})
	first := r.after(r.tell("lock"), "m", model.BeliefHolding)
	if err := member.Signal(process.SigPause); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = member.Signal(process.SigContinue) })
	if err := process.AwaitPaused(member.Pid); err != nil {
		t.Fatal(err)
	}
	if b := r.after(r.tell("unlock"), "m", model.BeliefIdle); !strings.Contains(b.Text, "no answer within 3s") {
		t.Errorf("%+v", b)
	}
	if err := member.Signal(process.SigContinue); err != nil {
		t.Fatal(err)
	}
	if b := r.after(r.tell("lock"), "m", model.BeliefHolding); b.Lease != first.Lease {
		t.Errorf("lease %v, before %v: want the same session", b.Lease, first.Lease)
	}
	r.saying(r.tell("unlock-again"), "once more")
	r.saying(r.tell("resign-again"), "does not resign")
}

// Two who take two locks in opposite order wait for each other for ever, until one of
// them gives up.
func TestManualDeadlock(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	o := Options{Recipe: RecipeMutex, Endpoints: []string{endpoint}, TTL: 60, Manual: true}
	o.Name, o.Locks = "a", []string{"/1", "/2"}
	a := contendWith(t, h, o)
	o.Name, o.Locks = "b", []string{"/2", "/1"}
	b := contendWith(t, h, o)
	h.after(a.tell("lock"), "a", model.BeliefHolding)
	h.after(b.tell("lock"), "b", model.BeliefHolding)
	n := a.tell("lock")
	if w := h.after(n, "a", model.BeliefWaiting); w.Lock != "/2" {
		t.Errorf("%+v", w)
	}
	h.after(b.tell("lock"), "b", model.BeliefWaiting)
	labtest.Eventually(t, "both wait", func() bool { return len(labtest.Queue(t, cli, "/1")) == 2 && len(labtest.Queue(t, cli, "/2")) == 2 })
	b.tell("close")
	if got := h.after(n, "a", model.BeliefHolding); got.Lock != "/2" {
		t.Errorf("%+v", got)
	}
}

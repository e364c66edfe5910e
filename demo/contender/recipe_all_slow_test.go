//go:build slow

package contender

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/recipe"
	"locktop/model/store"
)

func TestRecipesTakeTurns(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	hex, uuid, ns := `/[0-9a-f]{8,16}`, `/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, `/\d{19}`
	tests := []struct {
		recipe, key string
		queued      int // keys while one holds and one waits
		noLease     bool
		reason      string
	}{
		{RecipeMutex, hex, 2, false, "the Go mutex"},
		{RecipeTryLock, hex, 1, false, "who fails leaves the queue, except for a moment"},
		{RecipeElection, hex, 2, false, "the Go election"},
		{RecipeRWRead, "/read" + ns, 2, false, "readers hold together"},
		{RecipeRWWrite, "/write" + ns, 2, false, "writers queue"},
		{RecipeLockRPC, hex, 2, false, "the server's mutex"},
		{RecipeLockRPC, hex, 2, true, "on a lease of the server's own"},
		{RecipeElectionRPC, hex, 2, false, "the server's election"},
		{RecipeElectionRPC, hex, 2, true, "on a lease of the server's own"},
		{RecipeSingle, "", 1, false, "waiters have no key"},
		{RecipeOwner, "", 1, false, "neither here"},
		{RecipeUUIDQueue, uuid, 2, false, "a queue by hand"},
		{RecipeSpin, "", 1, false, "nor here"},
		{RecipeUUIDBare, uuid, 2, false, "the same queue by hand, where no other lock begins with its name"},
		{RecipeOwnerSteps, "", 1, false, "as with owner, as long as nothing comes between its steps"},
		{RecipeTimer, "", 1, false, "waiters have no key, and leave no lease"},
		{RecipeUnread, "", 1, false, "nor here"},
		{RecipeRequireLeader, "", 1, false, "nor here"},
		{RecipeExpiryLater, "", 1, false, "the second step comes at once"},
		{RecipeLookThenPut, "", 1, false, "as long as nobody looks at the same time"},
		{RecipeCounted, hex, 2, false, "the Go mutex"},
	}
	tried := map[string]bool{RecipeCron: true} // TestTheCronTutorialExcludesNobody
	for i, tt := range tests {
		tried[tt.recipe] = true
		t.Run(fmt.Sprintf("%s/%v", tt.recipe, tt.noLease), func(t *testing.T) {
			t.Parallel()
			lock := fmt.Sprintf("/locks/%d", i)
			if tt.recipe == RecipeOwner || tt.recipe == RecipeOwnerSteps {
				lock = fmt.Sprintf("/layotto/lock|||%d", i) // by which it is known
			}
			o := Options{Locks: []string{lock}, Recipe: tt.recipe, Endpoints: []string{endpoint},
				TTL: 30, NoLease: tt.noLease, Think: 20 * time.Millisecond, Manual: true}
			h := &heard{t: t}
			o.Name = "a"
			a := contendWith(t, h, o)
			o.Name = "b"
			b := contendWith(t, h, o)
			first := h.after(a.tell("lock"), "a", model.BeliefHolding)
			wantClaim(t, cli, regexp.QuoteMeta(lock)+tt.key, first, tt.recipe)
			n := b.tell("lock")
			h.after(n, "b", model.BeliefWaiting)
			labtest.Eventually(t, "b asks: "+tt.reason, func() bool { return countKeys(t, cli, lock) == tt.queued })
			if got, want := toldFrom(t, cli, lock), recipe.Played(tt.recipe); got != want {
				t.Errorf("the keys tell %+v: want %+v", got, want)
			}
			if tt.recipe == RecipeRWRead {
				h.after(n, "b", model.BeliefHolding)
			}
			h.after(a.tell("unlock"), "a", model.BeliefIdle)
			second := h.after(n, "b", model.BeliefHolding)
			wantClaim(t, cli, regexp.QuoteMeta(lock)+tt.key, second, tt.recipe)
			if second.Token <= first.Token {
				t.Errorf("tokens %d, then %d: want them to grow", first.Token, second.Token)
			}
			h.after(b.tell("unlock"), "b", model.BeliefIdle)
			labtest.Eventually(t, "nothing is left", func() bool { return countKeys(t, cli, lock) == 0 })
		})
	}
	for _, r := range Recipes {
		if !tried[r] {
			t.Errorf("recipe %s is not tried", r)
		}
	}
	for _, r := range recipe.All() {
		for _, word := range r.Plays {
			if !slices.Contains(Recipes, word) {
				t.Errorf("%s is said to be played as %s, which no contender knows", r.Name, word)
			}
		}
	}
}

// toldFrom is the recipe that the keys of a lock tell.
func toldFrom(t *testing.T, cli *clientv3.Client, lock string) *recipe.Recipe {
	t.Helper()
	r, err := cli.Get(t.Context(), lock, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	list := model.Listed{}
	for _, kv := range r.Kvs {
		if k := string(kv.Key); k == lock || strings.HasPrefix(k, lock+"/") {
			list.KVs = append(list.KVs, model.KV{Key: k, Value: string(kv.Value), CreateRev: kv.CreateRevision, ModRev: kv.ModRevision,
				Version: kv.Version, Lease: model.LeaseID(kv.Lease)})
		}
	}
	s := store.New()
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{}, list, model.Loaded{Rev: r.Header.Revision}}})
	if l := s.Lock(lock); l != nil {
		return l.Recipe()
	}
	return nil
}

// wantClaim compares what a holder says of its key with what etcd has.
func wantClaim(t *testing.T, cli *clientv3.Client, key string, b model.Belief, value string) {
	t.Helper()
	if !regexp.MustCompile("^" + key + "$").MatchString(b.Key) {
		t.Errorf("key %q: want %s", b.Key, key)
	}
	r, err := cli.Get(t.Context(), b.Key)
	if err != nil || len(r.Kvs) != 1 {
		t.Fatalf("key %q: %v (%v)", b.Key, r, err)
	}
	kv := r.Kvs[0]
	if kv.CreateRevision != b.Token || model.LeaseID(kv.Lease) != b.Lease || b.Lease == 0 {
		t.Errorf("%+v: etcd has %v", b, kv)
	}
	valued := slices.Contains([]string{RecipeElection, RecipeElectionRPC, RecipeSingle, RecipeSpin, RecipeOwner, RecipeOwnerSteps,
		RecipeTimer, RecipeUnread, RecipeRequireLeader, RecipeExpiryLater, RecipeLookThenPut}, value)
	if got := string(kv.Value); valued && got != b.Contender || !valued && got != "" {
		t.Errorf("value %q of recipe %s", got, value)
	}
}

// countKeys are the keys of a lock, and the one of its name.
func countKeys(t *testing.T, cli *clientv3.Client, lock string) int {
	t.Helper()
	r, err := cli.Get(t.Context(), lock, clientv3.WithCountOnly())
	if err != nil {
		t.Fatal(err)
	}
	return int(r.Count) + len(labtest.Queue(t, cli, lock))
}

func TestRecipesByThemselves(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	for _, recipe := range Recipes {
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			lock := "/locks/" + recipe
			h := &heard{t: t}
			var both []*run
			for i, name := range []string{"a", "b"} {
				both = append(both, contendWith(t, h, Options{Name: name, Locks: []string{lock}, Recipe: recipe,
					Endpoints: []string{endpoint}, TTL: 30, Rounds: 2, Hold: 20 * time.Millisecond, Think: 20 * time.Millisecond,
					Seed: uint64(i)}))
			}
			held := map[string]int{}
			for _, r := range both {
				if !process.Wait(r.ended, labtest.Patience) {
					t.Fatalf("it has not ended after 2 rounds: %+v", h.lines())
				}
			}
			for _, b := range h.lines() {
				vain := recipe == RecipeSingle && b.State == model.BeliefIdle && b.Text == triedInVain ||
					recipe == RecipeLookThenPut && strings.HasPrefix(b.Text, "unlock: the lock ") // both looked at the same time
				if b.Text != "" && !vain {
					t.Errorf("%+v", b)
				}
				if b.State == model.BeliefHolding {
					held[b.Contender]++
				}
			}
			if held["a"] != 2 || held["b"] != 2 {
				t.Errorf("turns %v: want 2 each", held)
			}
			if n := countKeys(t, cli, lock); n != 0 {
				t.Errorf("%d keys are left", n)
			}
		})
	}
}

// TestTheCronTutorialExcludesNobody: it compares a key that nobody writes.
func TestTheCronTutorialExcludesNobody(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	o := Options{Locks: []string{"/cron/lock/job7"}, Recipe: RecipeCron, Endpoints: []string{endpoint}, TTL: 30, Manual: true, Owner: "worker"}
	o.Name = "a"
	a := contendWith(t, h, o)
	o.Name = "b"
	b := contendWith(t, h, o)
	h.after(a.tell("lock"), "a", model.BeliefHolding)
	if held := h.after(b.tell("lock"), "b", model.BeliefHolding); held.Key != "/cron/jobs/job7" {
		t.Errorf("%+v: it writes the key of the job", held)
	}
	r, err := cli.Get(t.Context(), "/cron/", clientv3.WithPrefix())
	if err != nil || len(r.Kvs) != 1 || string(r.Kvs[0].Value) != "worker" {
		t.Errorf("%v (%v): want one key, with the owner that was asked for", r, err)
	}
}

// renewed waits until a lease has more left than it had.
func renewed(t *testing.T, cli *clientv3.Client, lease clientv3.LeaseID) {
	t.Helper()
	least := int64(math.MaxInt64)
	labtest.Eventually(t, "the lease is renewed", func() bool {
		r, err := cli.TimeToLive(t.Context(), lease)
		if err != nil || r.TTL < 0 {
			t.Fatalf("%+v, %v: the lease has gone", r, err)
		}
		least = min(least, r.TTL)
		return r.TTL > least
	})
}

// TestATimerRenews its lease, and its unlock tells whether the lease was still there.
// So does who reads no answer.
func TestATimerRenews(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	for _, recipe := range []string{RecipeTimer, RecipeUnread} {
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			h := &heard{t: t}
			a := contendWith(t, h, Options{Name: "a", Locks: []string{"/locks/" + recipe}, Recipe: recipe, Endpoints: []string{endpoint}, TTL: 20, Manual: true})
			held := h.after(a.tell("lock"), "a", model.BeliefHolding)
			renewed(t, cli, clientv3.LeaseID(held.Lease))
			if _, err := cli.Revoke(t.Context(), clientv3.LeaseID(held.Lease)); err != nil {
				t.Fatal(err)
			}
			if b := h.after(a.tell("unlock"), "a", model.BeliefIdle); !strings.Contains(b.Text, "lease not found") {
				t.Errorf("%+v: nobody told it before", b)
			}
		})
	}
}

// TestRequireLeaderHears: a program that reads the channel of its renewals hears when it closes.
func TestRequireLeaderHears(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	a := contendWith(t, h, Options{Name: "a", Locks: []string{"/locks/x"}, Recipe: RecipeRequireLeader, Endpoints: []string{endpoint}, TTL: 3, Manual: true})
	held := h.after(a.tell("lock"), "a", model.BeliefHolding)
	renewed(t, cli, clientv3.LeaseID(held.Lease))
	if _, err := cli.Revoke(t.Context(), clientv3.LeaseID(held.Lease)); err != nil {
		t.Fatal(err)
	}
	if lost := h.after(0, "a", model.BeliefLost); lost.Key != held.Key || lost.Text != renewalsOver {
		t.Errorf("%+v", lost)
	}
	if again := h.after(a.tell("lock"), "a", model.BeliefHolding); again.Lease == held.Lease {
		t.Errorf("%+v: want a lease of its own for each time", again)
	}
}

// TestCountedReentry: the lock is free after as many unlocks as there were locks.
func TestCountedReentry(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	a := contendWith(t, h, Options{Name: "a", Locks: []string{"/l"}, Recipe: RecipeCounted, Endpoints: []string{endpoint}, TTL: 30, Manual: true})
	first := h.after(a.tell("lock"), "a", model.BeliefHolding)
	again := h.after(a.tell("lock-again"), "a", model.BeliefHolding)
	if again.Key != first.Key {
		t.Errorf("%s, then %s: want one key", first.Key, again.Key)
	}
	h.after(a.tell("unlock"), "a", model.BeliefHolding)
	if n := countKeys(t, cli, "/l"); n != 1 {
		t.Errorf("%d keys after the first of two unlocks", n)
	}
	h.after(a.tell("unlock"), "a", model.BeliefIdle)
	if n := countKeys(t, cli, "/l"); n != 0 {
		t.Errorf("%d keys after the last unlock", n)
	}
}

// TestTheLastPutStandsOverTheFirst where both looked before.
func TestTheLastPutStandsOverTheFirst(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	a := contendWith(t, h, Options{Name: "a", Locks: []string{"/locks/x"}, Recipe: RecipeLookThenPut, Endpoints: []string{endpoint}, TTL: 30, Manual: true})
	h.after(a.tell("lock"), "a", model.BeliefHolding)
	if _, err := cli.Put(t.Context(), "/locks/x", "b"); err != nil {
		t.Fatal(err)
	}
	if b := h.after(a.tell("unlock"), "a", model.BeliefIdle); !strings.Contains(b.Text, "belongs to others") {
		t.Errorf("%+v", b)
	}
}

// TestASidecarRenewsForTheDead: the lease lives for as long as the sidecar does.
func TestASidecarRenewsForTheDead(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	lease, err := cli.Grant(t.Context(), 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cli.Put(t.Context(), "/l/"+model.LeaseID(lease.ID).String(), "", clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	h := &heard{t: t}
	s := contendWith(t, h, Options{Name: "s", Locks: []string{"/l"}, Recipe: RecipeMutex, Endpoints: []string{endpoint}, TTL: 30, Manual: true})
	h.saying(s.tell("renew"), "renews the lease "+model.LeaseID(lease.ID).String())
	renewed(t, cli, lease.ID)
	s.in.Close()
	if !process.Wait(s.ended, labtest.Patience) {
		t.Fatal("the sidecar does not end")
	}
	labtest.Eventually(t, "nobody renews it any more", func() bool { return countKeys(t, cli, "/l") == 0 })
}

func TestOwnerIsAnswered(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	lock := "/layotto/lock|||app||x"
	a := contendWith(t, h, Options{Name: "a", Locks: []string{lock}, Recipe: RecipeOwner,
		Endpoints: []string{endpoint}, Manual: true})
	tests := []struct {
		meanwhile func() error
		want      string
	}{
		{func() error { _, err := cli.Delete(t.Context(), lock); return err }, "the lock does not exist"},
		{func() error { _, err := cli.Put(t.Context(), lock, "b"); return err }, "the lock belongs to others"},
	}
	for _, tt := range tests {
		h.after(a.tell("lock"), "a", model.BeliefHolding)
		if err := tt.meanwhile(); err != nil {
			t.Fatal(err)
		}
		if b := h.after(a.tell("unlock"), "a", model.BeliefIdle); !strings.Contains(b.Text, tt.want) {
			t.Errorf("%+v: want %q", b, tt.want)
		}
	}
	if r, err := cli.Get(t.Context(), lock); err != nil || len(r.Kvs) != 1 {
		t.Errorf("the lock of others: %v (%v)", r, err)
	}
}

// Election.Campaign does not look at its own key after it waited: a candidate whose
// lease ended meanwhile is told that it won (etcd issue 19597).
func TestGhostLeader(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	for _, ignore := range []bool{true, false} {
		t.Run(fmt.Sprint(ignore), func(t *testing.T) {
			h := &heard{t: t}
			lock := fmt.Sprintf("/ghost/%v", ignore)
			a := contendWith(t, h, Options{Name: "a", Locks: []string{lock}, Recipe: RecipeElection,
				Endpoints: []string{endpoint}, TTL: 30, Manual: true})
			h.after(a.tell("lock"), "a", model.BeliefHolding)
			b := contendWith(t, h, Options{Name: "b", Locks: []string{lock}, Recipe: RecipeElection,
				Endpoints: []string{endpoint}, TTL: 3, Manual: true, IgnoreDone: ignore})
			n := b.tell("lock")
			waiting := h.after(n, "b", model.BeliefWaiting)
			labtest.Eventually(t, "b is in line", func() bool { return len(labtest.Queue(t, cli, lock)) == 2 })
			if _, err := cli.Revoke(t.Context(), clientv3.LeaseID(waiting.Lease)); err != nil {
				t.Fatal(err)
			}
			if !ignore {
				h.after(n, "b", model.BeliefLost)
				return
			}
			a.tell("unlock")
			won := h.after(n, "b", model.BeliefHolding)
			if q := labtest.Queue(t, cli, lock); len(q) != 0 {
				t.Errorf("keys %q", q)
			}
			if won.Key != waiting.Key || won.Token == 0 {
				t.Errorf("%+v: want the key and the token that it had", won)
			}
		})
	}
}

func TestWorkersShareOneKey(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	h := &heard{t: t}
	contendWith(t, h, Options{Name: "w", Locks: []string{"/l"}, Recipe: RecipeMutex,
		Endpoints: []string{endpoint}, Workers: 2, Hold: time.Hour})
	one, two := h.after(0, "w.1", model.BeliefHolding), h.after(0, "w.2", model.BeliefHolding)
	if one.Key != two.Key || one.Token != two.Token || one.Token == 0 {
		t.Errorf("%+v and %+v: want one claim", one, two)
	}
	if q := labtest.Queue(t, cli, "/l"); len(q) != 1 {
		t.Errorf("keys %q", q)
	}
}

func TestSeveralLocksAreLetGoInReverse(t *testing.T) {
	endpoint, _ := oneEtcd(t)
	h := &heard{t: t}
	r := contendWith(t, h, Options{Name: "c", Locks: []string{"/a", "/b"}, Recipe: RecipeMutex,
		Endpoints: []string{endpoint}, Rounds: 1})
	if !process.Wait(r.ended, labtest.Patience) {
		t.Fatal("its round is over")
	}
	var got []string
	for _, b := range h.lines() {
		got = append(got, string(b.State)+b.Lock)
	}
	want := "idle/a idle/b waiting/a holding/a waiting/b holding/b leaving/b idle/b leaving/a idle/a"
	if strings.Join(got, " ") != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Who does not hear of the end of the session believes to hold until the turn is over,
// and takes a new session for the next one.
func TestIgnoreDone(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	for _, ignore := range []bool{true, false} {
		t.Run(fmt.Sprint(ignore), func(t *testing.T) {
			h := &heard{t: t}
			contendWith(t, h, Options{Name: "c", Locks: []string{fmt.Sprintf("/l/%v", ignore)}, Recipe: RecipeLockRPC,
				Endpoints: []string{endpoint}, TTL: 2, Hold: 3 * time.Second, IgnoreDone: ignore, Rounds: 2})
			first := h.after(0, "c", model.BeliefHolding)
			if _, err := cli.Revoke(t.Context(), clientv3.LeaseID(first.Lease)); err != nil {
				t.Fatal(err)
			}
			second := h.until(0, "another claim", func(b model.Belief) bool {
				return b.State == model.BeliefHolding && b.Key != first.Key
			})
			if second.Token <= first.Token {
				t.Errorf("tokens %d, then %d", first.Token, second.Token)
			}
			lost := slices.ContainsFunc(h.lines(), func(b model.Belief) bool { return b.State == model.BeliefLost })
			if lost == ignore {
				t.Errorf("lost is said: %v; %+v", lost, h.lines())
			}
		})
	}
}

// after waits for a line of that contender in that state, at index n or later.
func (h *heard) after(n int, contender string, state model.BeliefState) (b model.Belief) {
	h.t.Helper()
	return h.until(n, fmt.Sprintf("%s is %s", contender, state), func(b model.Belief) bool {
		return b.Contender == contender && b.State == state
	})
}

// tell says a word, and returns how many lines were heard before.
func (r *run) tell(word string) int {
	r.t.Helper()
	n := len(r.lines())
	if _, err := io.WriteString(r.in, word+"\n"); err != nil {
		r.t.Fatal(err)
	}
	return n
}

package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"locktop/model/recipe"
)

// Draw a history as etcd could produce it: several locks, nested
// ones among them, foreign keys, values, leases with several keys, leases that
// end, keys that lose their lease, readings in between.
func Draw(t *rapid.T) *History {
	h := New()
	h.Loaded(0)
	sec := 1.0
	names := []string{"/l", "/l/sub", "/m", "", "/l/sub/deep", "/locks/x", "/locks"}
	leases := []LeaseID{0x1, 0x2, 0xa, 0xb, 0x1f}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		sec += float64(rapid.IntRange(0, 3000).Draw(t, "ms")) / 1000
		lock := rapid.SampledFrom(names).Draw(t, "lock")
		lease := rapid.SampledFrom(leases).Draw(t, "lease")
		switch rapid.IntRange(0, 16).Draw(t, "what") {
		case 0, 1, 2:
			h.Put(sec, ClaimKey(lock, lease), rapid.SampledFrom([]string{"", "x"}).Draw(t, "value"), lease)
		case 3:
			h.Put(sec, ClaimKey(lock, lease), "detached", 0)
		case 4:
			name := rapid.SampledFrom(looseKeys).Draw(t, "loose")
			if strings.Contains(name, "%d") {
				name = fmt.Sprintf(name, lease)
			}
			h.Put(sec, lock+name, rapid.SampledFrom([]string{"", "v", "host:7"}).Draw(t, "loose value"), rapid.SampledFrom([]LeaseID{0, lease}).Draw(t, "loose lease"))
			continue
		case 10:
			h.Put(sec, lock+"/note", "n", rapid.SampledFrom([]LeaseID{0, lease}).Draw(t, "note's lease"))
		case 5:
			if _, ok := h.Keys[ClaimKey(lock, lease)]; ok {
				h.Del(sec, ClaimKey(lock, lease))
			}
		case 6:
			h.End(sec, lease)
		case 7:
			h.Read(sec, lease, 10, int64(rapid.IntRange(-1, 10).Draw(t, "left")))
		case 8:
			h.Txn(sec, lock, leases)
		case 9:
			h.Add(Tick{At: At(sec)})
		case 11, 12, 13, 14, 15, 16:
			h.Add(drawReport(t, At(sec), lock, lease, h.Rev+int64(rapid.IntRange(-2, 1).Draw(t, "rev"))))
		}
	}
	return h
}

// drawReport makes a report of the lab or its proxy. Its sources do not wait for the
// watch, so it may speak of what is not seen yet, or not any more.
func drawReport(t *rapid.T, at time.Time, lock string, lease LeaseID, rev int64) Event {
	name := rapid.SampledFrom([]string{"c1", "c1.1", "c1.2", "c2", "127.0.0.1:7"}).Draw(t, "name")
	c := Client{Name: name, Certain: name[0] == 'c'}
	yes := rapid.Bool().Draw(t, "yes")
	key := ClaimKey(lock, lease)
	at = at.Add(-time.Duration(rapid.IntRange(0, 900).Draw(t, "late")) * time.Millisecond)
	switch rapid.IntRange(0, 8).Draw(t, "report") {
	case 0:
		return Contender{At: at, Name: name, PID: 7, Lock: lock, Recipe: "mutex", TTL: 5,
			Proc: rapid.SampledFrom([]ProcState{ProcRunning, ProcRunning, ProcPaused, ProcEnded}).Draw(t, "proc")}
	case 1, 2:
		return Belief{At: at, Contender: name, Lock: lock, Key: key, Lease: lease, Token: rev,
			State: rapid.SampledFrom([]BeliefState{BeliefIdle, BeliefWaiting, BeliefHolding, BeliefHolding, BeliefLost}).Draw(t, "belief")}
	case 3:
		return LeaseOwner{At: at, Client: c, Lease: lease, Renews: yes, Member: "m1:2379"}
	case 4, 5:
		return Wrote{At: at, Client: c, Key: key, Delete: yes, Lease: lease, Rev: rapid.SampledFrom([]int64{0, rev}).Draw(t, "answer"),
			Told: rapid.Bool().Draw(t, "told")}
	case 6:
		return Watches{At: at, Client: c, Key: key, On: yes}
	case 7:
		return Refused{At: at, Client: c, Method: "Lease/LeaseKeepAlive", Lease: lease, Text: "permission denied"}
	}
	return Connected{At: at, Client: c, Peer: name, Member: "m1:2379", On: yes}
}

// looseKeys are keys of every other form.
var looseKeys = []string{"/read/1700000000000000001", "/write/1700000000000000002", "/write/1700000000000000003",
	"/waiters/1700000000000000004", "/%d", "/elections/e/locks/%d", "/6ba7b810-9dad-11d1-80b4-00c04fd430c8", "/694d81e5fc652594", "/name", ""}

// txn creates several claims in one revision.
func (h *History) Txn(sec float64, lock string, leases []LeaseID) {
	h.Rev++
	c := Committed{At: At(sec), Rev: h.Rev}
	for _, l := range leases[:3] {
		c.Changes = append(c.Changes, Change{KV: h.Write(ClaimKey(lock, l), "", l)})
	}
	h.Add(c)
}

// dump prints the whole state, queues first; history says whether what only
// history knows is wanted too.
func dump(s *State, history bool) string {
	var b strings.Builder
	for _, l := range s.Locks() {
		if l.Free() && !history {
			continue
		}
		fmt.Fprintf(&b, "lock %q %s holder=%v of %d blocked=%v\n", l.Name, l.Recipe().Name, refOf(l.Holder()), l.holds, l.Blocked())
		for c := range l.Claims {
			fmt.Fprintf(&b, "  %+v form=%d claim=%v\n", c.KV, c.form, l.IsClaim(c))
			if history {
				fmt.Fprintf(&b, "    since %v %v\n", c.Since.Sub(Start), c.SinceAtLeast)
			}
		}
		if history {
			fmt.Fprintf(&b, "  head since %v, %d handovers, free since %v\n", l.headSince.Sub(Start), l.Handovers, l.freeSince)
		}
	}
	var ids []LeaseID
	for id, l := range s.byID {
		if len(l.claims) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		l := s.byID[id]
		var keys []string
		for _, c := range l.claims {
			keys = append(keys, c.Key)
		}
		slices.Sort(keys)
		fmt.Fprintf(&b, "lease %s keys=%q heads=%d\n", id, keys, l.heads)
		if history {
			fmt.Fprintf(&b, "  %+v %s pending=%d class=%d due=%v\n", l.Read, l.State(), len(l.pending), l.class, l.due.Sub(Start))
		}
	}
	if history {
		for _, f := range s.Journal() {
			fmt.Fprintf(&b, "%+v\n", *f)
		}
		for _, f := range s.Findings() {
			fmt.Fprintf(&b, "%+v\n", f)
		}
		fmt.Fprintf(&b, "want %v\n", s.Want())
	}
	return b.String()
}

// envelopes puts events into batches of random size.
func envelopes(t *rapid.T, events []Event) []Batch {
	var batches []Batch
	for len(events) > 0 {
		n := rapid.IntRange(1, len(events)).Draw(t, "batch")
		batches = append(batches, Batch{Events: events[:n]})
		events = events[n:]
	}
	return batches
}

func apply(batches ...Batch) *State {
	s := NewState()
	for _, b := range batches {
		s.Apply(b)
	}
	return s
}

func TestLaw1TheSameHistoryGivesTheSameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		batch := Batch{Events: h.Events}
		if d := cmp.Diff(dump(apply(batch), true), dump(apply(batch), true)); d != "" {
			t.Fatal(d)
		}
	})
}

// What the lab reports fills belief. It never changes what is true of the queues.
func TestReportsDoNotChangeTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		truth := slices.DeleteFunc(slices.Clone(h.Events), func(e Event) bool {
			switch e.(type) {
			case Contender, Belief, LeaseOwner, Wrote, Watches, Refused, Connected, Access:
				return true
			}
			return false
		})
		with, without := apply(Batch{Events: h.Events}), apply(Batch{Events: truth})
		if d := cmp.Diff(dump(without, false), dump(with, false)); d != "" {
			t.Fatalf("(-without reports +with)\n%s", d)
		}
	})
}

// Whatever is reported, what is open is listed with its lock, and nothing else is.
func TestNotesAgreeWithTheirLocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := apply(Batch{Events: Draw(t).Events})
		want := map[string][]string{}
		for key, n := range s.Reports.notes {
			if n.open() {
				want[n.lock] = append(want[n.lock], key)
			}
		}
		for name, ll := range s.Reports.locks {
			slices.Sort(want[name])
			if !slices.Equal(want[name], ll.Open) {
				t.Fatalf("%s: open %q, want %q", name, ll.Open, want[name])
			}
			delete(want, name)
			for key, sp := range ll.running {
				if c := s.claims[key]; c == nil || c.CreateRev != sp.ref.CreateRev || !sp.To.IsZero() {
					t.Fatalf("%s: %+v goes on without its claim", name, *sp)
				}
			}
		}
		if len(want) > 0 || len(s.Reports.noteOrder) != len(s.Reports.notes) {
			t.Fatalf("open without a lock: %q; %d notes, %d in order", want, len(s.Reports.notes), len(s.Reports.noteOrder))
		}
	})
}

func TestLaw2EnvelopesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		one := apply(Batch{Events: h.Events})
		many := apply(envelopes(t, h.Events)...)
		if d := cmp.Diff(dump(one, true), dump(many, true)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestLaw3ASnapshotAndTheRestGiveTheSameQueues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		cut := rapid.IntRange(2, len(h.Events)).Draw(t, "cut")
		all := apply(Batch{Events: h.Events})
		short := apply(append(snapshot(t, h.Events[:cut]), Batch{Events: h.Events[cut:]})...)
		if d := cmp.Diff(dump(all, false), dump(short, false)); d != "" {
			t.Fatalf("(-from the start +from a snapshot)\n%s", d)
		}
	})
}

// The same law for a watch that was lost: a list over what was known gives the
// same queues as the events that were missed.
func TestLaw3HoldsForARelistToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		lost := rapid.IntRange(2, len(h.Events)).Draw(t, "lost at")
		found := rapid.IntRange(lost, len(h.Events)).Draw(t, "listed at")
		all := apply(Batch{Events: h.Events})
		batches := []Batch{{Events: h.Events[:lost]}}
		batches = append(batches, snapshot(t, h.Events[:found])...)
		gapped := apply(append(batches, Batch{Events: h.Events[found:]})...)
		if d := cmp.Diff(dump(all, false), dump(gapped, false)); d != "" {
			t.Fatalf("(-all seen +relisted)\n%s", d)
		}
	})
}

// snapshot lists the keys as they stand after events, in chunks, in key order.
func snapshot(t *rapid.T, events []Event) []Batch {
	s := apply(Batch{Events: events})
	var kvs []KV
	for _, c := range s.claims {
		kvs = append(kvs, c.KV)
	}
	slices.SortFunc(kvs, func(a, b KV) int { return strings.Compare(a.Key, b.Key) })
	now := s.Now()
	list := []Event{LoadStarted{At: now, Rev: s.Rev()}}
	for len(kvs) > 0 {
		n := rapid.IntRange(1, len(kvs)).Draw(t, "chunk")
		list = append(list, Listed{At: now, Rev: s.Rev(), KVs: kvs[:n]})
		kvs = kvs[n:]
	}
	return envelopes(t, append(list, Loaded{At: now, Rev: s.Rev()}))
}

// After any history the indices agree with the plain list of keys.
func TestIndicesAgreeWithTheKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := apply(Batch{Events: Draw(t).Events})
		for _, l := range s.Locks() {
			var want []*Claim
			var tally recipe.Tally
			for _, c := range s.claims {
				if c.home == l.dir {
					tally.Count(c.form, c.Value != "", 1)
				}
				in := strings.HasPrefix(c.Key, l.Name+"/")
				if l.mode != recipe.Queue {
					in = c.home == l.dir && c.form.Shape() == l.mode
				}
				if in {
					want = append(want, c)
				}
			}
			slices.SortFunc(want, l.queue.compare)
			var got []*Claim
			for c := range l.Claims {
				got = append(got, c)
			}
			x := ruleContext{k: s.Keyspace, l: l}
			misplaced := slices.ContainsFunc(got, func(c *Claim) bool { _, is := x.misplaced(c); return is })
			if l.mode == recipe.Queue && misplaced && l.AllByLease() {
				t.Fatalf("lock %q: a key is out of place, but all are named by their lease", l.Name)
			}
			if !slices.Equal(want, got) && l.mode != recipe.NoShape || tally != l.tally {
				t.Fatalf("lock %q: queue %d keys, %+v; want %d, %+v", l.Name, len(got), l.tally, len(want), tally)
			}
		}
		infos := 0
		for key, c := range s.claims {
			if key > s.maxKey {
				t.Fatalf("key %q stands behind %q, the last one", key, s.maxKey)
			}
			if recipe.IsBeside(key) {
				infos++
			}
			if got, want := s.IdentityOf(c), s.Identity(c.Ref()); got != want {
				t.Fatalf("key %q is of %v and of %v", key, got, want)
			}
		}
		if *neverRead != (Readings{}) {
			t.Fatalf("a lease has written into what all share: %+v", *neverRead)
		}
		if infos != s.infos {
			t.Fatalf("%d keys of Terraform, want %d", s.infos, infos)
		}
		for _, l := range s.Locks() {
			l.Queue(func(c, ahead *Claim) bool {
				if want := l.WaitsFor(c); ahead != want {
					t.Fatalf("lock %q: %q waits for %v, want %v", l.Name, c.Key, ahead, want)
				}
				return true
			})
		}
		missed, silent := 0, 0
		for id, l := range s.byID {
			if s.leaseList[l.slot] != l {
				t.Fatalf("lease %s is not where it says in the list of all", id)
			}
			if l.missedRenewal {
				missed++
			}
			if l.State() == LeaseSilent {
				silent++
			}
			heads := 0
			for _, c := range l.claims {
				if c.lease != l || l.claims[c.slot] != c {
					t.Fatalf("lease %s: claim %q does not point back", id, c.Key)
				}
				if lk := c.Lock(); lk != nil && lk.Holder() == c {
					heads++
				}
			}
			if heads != int(l.heads) {
				t.Fatalf("lease %s: heads %d, want %d", id, l.heads, heads)
			}
		}
		if len(s.leaseList) != len(s.byID) || missed != s.missed || silent > missed {
			t.Fatalf("%d leases in the list of %d, %d counted as behind with a renewal of %d, %d silent",
				len(s.leaseList), len(s.byID), s.missed, missed, silent)
		}
	})
}

func TestQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var q queue
		var want []*Claim
		for i := range n {
			if len(want) > 0 && r.IntN(4) == 0 {
				j := r.IntN(len(want))
				if r.IntN(2) == 0 {
					j = 0
				}
				if !q.remove(want[j]) {
					t.Fatalf("claim %d is not in the queue", j)
				}
				want = slices.Delete(want, j, j+1)
				continue
			}
			c := &Claim{KV: KV{CreateRev: int64(r.IntN(n)), Key: fmt.Sprint(i)}}
			q.insert(c)
			at, _ := slices.BinarySearchFunc(want, c, q.compare)
			want = slices.Insert(want, at, c)
		}
		if q.n != len(want) {
			t.Fatalf("%d claims, want %d", q.n, len(want))
		}
		for i, c := range want {
			if q.at(i) != c || q.rank(c) != i {
				t.Fatalf("place %d: at %v, rank %d", i, q.at(i), q.rank(c))
			}
			if i > 0 && q.prev(c) != want[i-1] {
				t.Fatalf("place %d: wrong predecessor", i)
			}
		}
		if q.remove(&Claim{KV: KV{CreateRev: -1}}) {
			t.Fatal("removed what was never in it")
		}
	})
}

func TestWantAsksInOrderOfNeed(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/free", 0x1), "", 0x1) // a head that nobody waits for
	h.Put(1, ClaimKey("/busy", 0x2), "", 0x2) // a contended head
	h.Put(1, ClaimKey("/busy", 0x3), "", 0x3) // a waiter
	h.Put(1, ClaimKey("/gone", 0x4), "", 0x4) // its cause will be asked for
	h.Put(1, ClaimKey("/never", 0x0), "x", 0) // no lease
	h.Put(1, "/data/config", "x", 0x5)        // leased, but no claim of a lock
	h.Del(2, ClaimKey("/gone", 0x4))
	s := h.state()
	if d := cmp.Diff(Want{Leases: []LeaseID{4, 2, 1, 3}, Hurry: true, WakeAt: s.Want().WakeAt}, s.Want()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	s.Apply(Batch{Events: []Event{
		LeaseRead{At: At(2), ID: 4, Granted: 0, Remaining: -1}, LeaseRead{At: At(2), ID: 2, Granted: 60, Remaining: 55},
		LeaseRead{At: At(2), ID: 1, Granted: 60, Remaining: 10}, LeaseUnread{At: At(2), ID: 3, Reason: "denied"}}})
	if w := s.Want(); len(w.Leases) != 0 || !w.WakeAt.Equal(At(3)) {
		t.Errorf("after the readings: want %v at %v; want nothing until the refused one is due again at 3 s", w.Leases, w.WakeAt.Sub(Start))
	}
	s.Look([]LeaseID{1})
	s.Apply(Batch{Events: []Event{Tick{At: At(3.5)}}})
	if d := cmp.Diff(Want{Leases: []LeaseID{1, 3}, WakeAt: s.Want().WakeAt}, s.Want()); d != "" {
		t.Errorf("on the screen and late, so read every second; the refused one is due (-want +got)\n%s", d)
	}
	if got := s.Lease(1).State(); got != LeaseSilent {
		t.Errorf("lease 1 is %s", got)
	}
}

// TestANewLeaderIsAskedAtOnce: while there is none a reading fails again and again.
func TestANewLeaderIsAskedAtOnce(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0x1), "", 0x1)
	s := h.state()
	status := func(sec float64, leads bool) ClusterStatus {
		return ClusterStatus{At: At(sec), ClusterID: 7, Members: []Member{{ID: 1, Name: "m1", Leader: leads, NoLeader: !leads, Term: 2}}}
	}
	s.Apply(Batch{Events: []Event{status(1, true), status(2, false)}})
	for sec := 3.0; sec < 10; sec++ {
		s.Apply(Batch{Events: []Event{LeaseUnread{At: At(sec), ID: 1, Reason: "no leader"}}})
	}
	s.Apply(Batch{Events: []Event{status(10, false)}})
	if w := s.Want(); len(w.Leases) > 0 {
		t.Fatalf("%v is wanted, with no leader and just refused", w.Leases)
	}
	s.Apply(Batch{Events: []Event{status(10.5, true)}})
	if d := cmp.Diff([]LeaseID{1}, s.Want().Leases); d != "" {
		t.Errorf("there is a leader again (-want +got)\n%s", d)
	}
}

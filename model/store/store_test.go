package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"

	"github.com/google/go-cmp/cmp"
)

func state(h *modeltest.History) *Store {
	s := New()
	s.Apply(model.Batch{Events: h.Events})
	return lawful(s)
}

// told prints what the state says happened, one line per fact.
func told(s *Store) string {
	var b strings.Builder
	for _, f := range s.Journal() {
		fmt.Fprintf(&b, "%s %s\n", f.Kind, f.Sentence(s.Who))
	}
	return b.String()
}

func TestStories(t *testing.T) {
	a, b, c := model.LeaseID(0xa1), model.LeaseID(0xb2), model.LeaseID(0xc3)
	rows := []struct {
		name, reason string
		tell         func(h *modeltest.History)
		want         string
	}{
		{"release", "one key goes and its lease lives on", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Del(5, modeltest.ClaimKey("/lock", a))
			h.Read(5.1, a, 10, 8)
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
handover b2 took over /lock from a1 (held 4.0s, released: hint)
`},
		{"expiry", "the readings fell to nothing before all keys went in one revision", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Read(3.8, a, 5, 1)
			h.Read(5, a, 5, 0)
			h.Del(5.9, modeltest.ClaimKey("/lock", a))
			h.Read(6, a, 0, -1)
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
finding Renews late (hint): a1 missed a renewal; without one the lock is free in about 1.5s (on /lock)
finding Holder silent (hint): a1 may be dead: no renewal for 5.0s; without one the lock is free in about 0.5s (on /lock)
handover b2 took over /lock from a1 (held 4.9s, lease expired: strong)
finding Holder silent is over, after 0.9s (on /lock)
`},
		{"ended early", "the lease had time left: its owner closed it, or somebody revoked it", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Read(4, a, 60, 58)
			h.End(5, a)
			h.Read(5.1, a, 0, -1)
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 4.0s: released and closed, or lease revoked (hint); nobody waits
`},
		{"our own revoke", "our journal is the only thing that makes a revoke certain", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, modeltest.ClaimKey("/lock", b), "", b)
			h.End(5, a)
			h.Add(model.Acted{At: modeltest.At(5.1), Outcome: model.Outcome{At: modeltest.At(5.1), Done: true, Rev: h.Rev, Action: model.Action{Kind: model.RevokeLease, Lease: a}}})
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
handover b2 took over /lock from a1 (held 4.0s, revoked by you)
action Revoked lease a1
`},
		{"a revoke of the lab", "a lesson or a fault asked for it, and nobody at the keys", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, modeltest.ClaimKey("/lock", b), "", b)
			h.End(5, a)
			h.Add(model.Acted{At: modeltest.At(5.1), Outcome: model.Outcome{At: modeltest.At(5.1), Done: true, Rev: h.Rev, ByLab: true, Action: model.Action{Kind: model.RevokeLease, Lease: a}}})
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
handover b2 took over /lock from a1 (held 4.0s, revoked by the lab)
action Revoked lease a1 (by the lab)
`},
		{"a delete of the lab", "likewise", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Add(model.Acted{At: modeltest.At(4.9), Outcome: model.Outcome{At: modeltest.At(4.9), Done: true, Rev: h.Rev + 1, ByLab: true,
				Action: model.Action{Kind: model.DeleteClaim, Key: modeltest.ClaimKey("/lock", a), CreateRev: h.Rev}}})
			h.Del(5, modeltest.ClaimKey("/lock", a))
		}, `acquired a1 took /lock, which was free
action Deleted claim /lock/a1 (by the lab)
left a1 no longer holds /lock after 4.0s: deleted by the lab; nobody waits
`},
		{"our own delete", "done may be known before it is seen", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Add(model.Acted{At: modeltest.At(4.9), Outcome: model.Outcome{At: modeltest.At(4.9), Done: true, Rev: h.Rev + 1,
				Action: model.Action{Kind: model.DeleteClaim, Key: modeltest.ClaimKey("/lock", a), CreateRev: h.Rev}}})
			h.Del(5, modeltest.ClaimKey("/lock", a))
		}, `acquired a1 took /lock, which was free
action Deleted claim /lock/a1
left a1 no longer holds /lock after 4.0s: deleted by you; nobody waits
`},
		{"other keys of the lease stay", "an ended lease takes all its keys in one revision", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, modeltest.ClaimKey("/m", a), "", a)
			h.Del(2, modeltest.ClaimKey("/lock", a))
		}, `acquired a1 took /lock, which was free
acquired a1 took /m, which was free
left a1 no longer holds /lock after 1.0s: released (hint); nobody waits
`},
		{"over a free lock", "the gap is how long nobody held", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Del(2, modeltest.ClaimKey("/lock", a))
			h.Read(2.1, a, 10, 9)
			h.Put(2.5, modeltest.ClaimKey("/lock", b), "", b)
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 1.0s: released (hint); nobody waits
handover b2 took over /lock from a1 (held 1.0s, released: hint; it was free for 0.5s)
`},
		{"a waiter leaves", "it never held, so nothing is handed over", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, modeltest.ClaimKey("/lock", b), "", b)
			h.Put(1, modeltest.ClaimKey("/lock", c), "", c)
			h.Del(2, modeltest.ClaimKey("/lock", b))
			h.Read(2, b, 10, 9)
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
queued c3 joined the queue of /lock at place 3, behind b2
left b2 left the queue of /lock at place 2: released (hint)
`},
		{"nobody reads the lease", "without a reading the cause stays unknown", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Del(2, modeltest.ClaimKey("/lock", a))
			h.Add(model.Tick{At: modeltest.At(8)})
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 1.0s: cause unknown (hint); nobody waits
`},
		{"a foreign key", "the recipe counts every key under the name", func(h *modeltest.History) {
			h.Put(1, "/lock/config", "x", 0)
			h.Put(2, modeltest.ClaimKey("/lock", a), "", a)
			h.Del(3, "/lock/config")
		}, `blocked /lock is blocked by /lock/config, not a claim of it
queued a1 joined the queue of /lock at place 2, behind /lock/config
finding Foreign key blocks (certain): /lock/config is not a lock key, but sits in the queue and blocks it
acquired a1 got /lock, which /lock/config blocked
finding Foreign key blocks is over, after 1.0s (on /lock)
`},
		{"an orphan", "nothing but a delete takes a key without a lease", func(h *modeltest.History) {
			h.Put(1, "/lock/694d81e5fc652594", "", 0)
			h.Put(2, modeltest.ClaimKey("/lock", a), "", a)
			h.Del(3, "/lock/694d81e5fc652594")
		}, `acquired /lock/694d81e5fc652594 took /lock, which was free
queued a1 joined the queue of /lock at place 2, behind /lock/694d81e5fc652594
finding Key without a lease blocks (certain): /lock/694d81e5fc652594 has no lease: it never expires and blocks the lock
handover a1 took over /lock from /lock/694d81e5fc652594 (held 1.0s, key deleted: strong)
finding Key without a lease blocks is over, after 1.0s (on /lock)
`},
		{"an election", "candidates are named by their value, who held by that with which it did", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/e", a), "node-1", a)
			h.Put(2, modeltest.ClaimKey("/e", b), "node-2", b)
			h.Put(3, modeltest.ClaimKey("/e", a), "node-1 again", a)
			h.Del(4, modeltest.ClaimKey("/e", a))
			h.Read(4, a, 10, 9)
		}, `acquired node-1 took /e, which was free
queued node-2 joined the queue of /e at place 2, behind node-1
handover node-2 took over /e from node-1 (held 3.0s, released: hint)
`},
		{"taken again", "etcd refuses a put on a lease that has ended: no reading is needed", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Read(1.5, a, 60, 59)
			h.Del(2, modeltest.ClaimKey("/lock", a))
			h.Put(2.1, modeltest.ClaimKey("/lock", a), "", a)
			h.Del(3, modeltest.ClaimKey("/lock", a))
			h.Put(3.1, modeltest.ClaimKey("/m", a), "", a)
			h.Read(3.2, a, 0, -1)
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 1.0s: released (hint); nobody waits
handover a1 took /lock again (held 1.0s, released: hint; it was free for 0.1s)
left a1 no longer holds /lock after 0.9s: released (hint); nobody waits
acquired a1 took /m, which was free
`},
		{"a put on another lease", "it says nothing of the one that may have ended", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Read(1.5, a, 60, 59)
			h.Del(2, modeltest.ClaimKey("/lock", a))
			h.Put(2.1, modeltest.ClaimKey("/lock", b), "", b)
			h.Read(3.2, a, 0, -1)
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 1.0s: released and closed, or lease revoked (hint); nobody waits
handover b2 took over /lock from a1 (held 1.0s, released and closed, or lease revoked: hint; it was free for 0.1s)
`},
		{"a queue is deleted", "one request took it: its waiters never held, and nobody of them let go", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", c), "", c) // the keys are not in the order of the queue
			h.Put(3, modeltest.ClaimKey("/lock", b), "", b)
			h.Del(4, modeltest.ClaimKey("/lock", a), modeltest.ClaimKey("/lock", b), modeltest.ClaimKey("/lock", c))
			h.Read(4.1, a, 10, 9)
			h.Read(4.1, b, 10, 9)
		}, `acquired a1 took /lock, which was free
queued c3 joined the queue of /lock at place 2, behind a1
queued b2 joined the queue of /lock at place 3, behind c3
left b2 left the queue of /lock at place 3: key deleted (strong)
left c3 left the queue of /lock at place 2: key deleted (strong)
left a1 no longer holds /lock after 3.0s: key deleted (strong); nobody waits
`},
		{"a session with all its claims", "one lease, so it may as well have ended", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, modeltest.ClaimKey("/m", a), "", a)
			h.Read(1.5, a, 60, 59)
			h.End(2, a)
			h.Read(2.1, a, 0, -1)
		}, `acquired a1 took /lock, which was free
acquired a1 took /m, which was free
left a1 no longer holds /lock after 1.0s: lease revoked or closed (hint); nobody waits
left a1 no longer holds /m after 1.0s: lease revoked or closed (hint); nobody waits
`},
		{"data beside a claim", "a client may keep a note without a lease beside its claim, and take both away", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(1, "/lock.lockinfo", "{}", 0)
			h.Del(2, modeltest.ClaimKey("/lock", a), "/lock.lockinfo")
			h.Read(2.1, a, 10, 9)
		}, `acquired a1 took /lock, which was free
left a1 no longer holds /lock after 1.0s: released (hint); nobody waits
`},
		{"a key written over", "the lease and the owner are other ones: somebody else holds", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", a)
			h.Put(3, "shedlock:prod:report", "ADDED:2026-01-02T03:04:02Z@host-b", b)
		}, `acquired host-a took shedlock:prod:report, which was free
handover host-b took over shedlock:prod:report from host-a (held 2.0s, its key was written over)
`},
		{"any value written over", "who cannot read the values cannot be sure that it is another owner", func(h *modeltest.History) {
			h.Put(1, "layotto||lock|||job", "step 1", a)
			h.Put(2, "layotto||lock|||job", "step 2", a)
			h.Put(3, "layotto||lock|||job", "step 3", b)
		}, `acquired step 1 took layotto||lock|||job, which was free
handover step 3 took over layotto||lock|||job from step 1 (held 2.0s, its key was written over: hint)
`},
		{"a key written again", "a holder may put its key again with another lease, as ShedLock does when its job ends", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", a)
			h.Put(3, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", b)
			h.Put(4, "shedlock:prod:report", "ADDED:2026-01-02T03:04:02Z@host-a", b)
		}, `acquired host-a took shedlock:prod:report, which was free
`},
		{"a key alone loses its lease", "it never expires: it is held, and who waits leaves no trace", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", a)
			h.Put(3, "shedlock:prod:report", "at work", 0)
			h.Del(9, "shedlock:prod:report")
		}, `acquired host-a took shedlock:prod:report, which was free
finding Lease detached (certain): shedlock:prod:report lost its lease by a later put without one: it never expires and blocks the lock
left host-a no longer holds shedlock:prod:report after 8.0s: key deleted (strong); who waits for it leaves no trace in etcd
finding Lease detached is over, after 6.0s (on shedlock:prod:report)
`},
		{"a key alone gets its lease again", "it ends with its holder, as ever", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", a)
			h.Put(3, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", 0)
			h.Put(4, "shedlock:prod:report", "ADDED:2026-01-02T03:04:01Z@host-a", a)
		}, `acquired host-a took shedlock:prod:report, which was free
finding Lease detached (certain): shedlock:prod:report lost its lease by a later put without one: it never expires and blocks the lock
finding Lease detached is over, after 1.0s (on shedlock:prod:report)
`},
		{"data beside", "a key that never had a lease is no lock", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:config", "x", 0)
			h.Put(3, "shedlock:prod:config", "y", 0)
		}, ``},
		{"readers", "who joins others holds from then on, and who leaves them hands nothing over", func(h *modeltest.History) {
			h.Put(1, "/rw/read/1700000000000000001", "", a)
			h.Put(2, "/rw/read/1700000000000000002", "", b)
			h.Put(3, "/rw/write/1700000000000000003", "", c)
			h.Del(4, "/rw/read/1700000000000000001")
			h.Read(4.1, a, 10, 9)
			h.Del(6, "/rw/read/1700000000000000002")
			h.Read(6.1, b, 10, 9)
		}, `acquired a1 took /rw, which was free
shared b2 holds /rw too, at place 2
queued c3 joined the queue of /rw at place 3, behind b2
left a1 no longer holds /rw after 3.0s: released (hint); one other still holds it
handover c3 took over /rw from b2 (held 4.0s, released: hint)
`},
		{"readers that waited", "all of them hold as soon as no writer is ahead", func(h *modeltest.History) {
			h.Put(1, "/rw/write/1700000000000000001", "", a)
			h.Put(2, "/rw/read/1700000000000000002", "", b)
			h.Put(3, "/rw/read/1700000000000000003", "", c)
			h.Del(4, "/rw/write/1700000000000000001")
			h.Read(4.1, a, 10, 9)
		}, `acquired a1 took /rw, which was free
queued b2 joined the queue of /rw at place 2, behind a1
queued c3 joined the queue of /rw at place 3, behind a1
handover b2 took over /rw from a1 (held 3.0s, released: hint)
shared c3 holds /rw too, at place 2
`},
		{"a writer gives up", "the readers behind it hold together with those ahead", func(h *modeltest.History) {
			h.Put(1, "/rw/read/1700000000000000001", "", a)
			h.Put(2, "/rw/write/1700000000000000002", "", b)
			h.Put(3, "/rw/read/1700000000000000003", "", c)
			h.Del(4, "/rw/write/1700000000000000002")
			h.Read(4.1, b, 10, 9)
		}, `acquired a1 took /rw, which was free
queued b2 joined the queue of /rw at place 2, behind a1
queued c3 joined the queue of /rw at place 3, behind b2
left b2 left the queue of /rw at place 2: released (hint)
shared c3 holds /rw too, at place 2
`},
		{"a group", "nobody knows what its keys are for, but who comes first changed", func(h *modeltest.History) {
			h.Put(1, "/g/host-a:80", "", a)
			h.Put(2, "/g/host-b:80", "", b)
			h.Put(2, "/g/host-c:80", "", c)
			h.Del(3, "/g/host-b:80")
			h.Del(4, "/g/host-a:80")
			h.Read(4.1, a, 10, 9)
			h.Del(5, "/g/host-c:80")
		}, `first c3 comes first in /g, since a1 went: released (hint)
`},
		{"a foreign key takes over", "the holder that went is told of, too", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, "/lock/setting", "x", 0)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Del(3, modeltest.ClaimKey("/lock", a))
			h.Read(3.1, a, 10, 9)
		}, `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 3, behind /lock/setting
finding Foreign key blocks (certain): /lock/setting is not a lock key, but sits in the queue and blocks it, when it becomes first; it is at place 2
left a1 no longer holds /lock after 2.0s: released (hint)
blocked /lock is blocked by /lock/setting, not a claim of it
finding Foreign key blocks (certain): /lock/setting is not a lock key, but sits in the queue and blocks it
`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			r.tell(h)
			if d := cmp.Diff(r.want, told(state(h))); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
			}
		})
	}
}

func TestQueueOrderAndHolder(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/1f", "", 0x1f)
	h.Put(2, "/lock/b", "", 0xb)
	h.Put(3, "/lock/sub/c", "", 0xc) // nested: /lock waits for it, it does not wait for /lock
	h.Put(4, "/lock/note", "hello", 0)
	h.Put(5, "/lx/d", "", 0xd) // a sibling that shares only letters
	s := state(h)
	l := s.Lock("/lock")
	var keys []string
	for c := range l.Claims {
		keys = append(keys, c.Key)
	}
	if d := cmp.Diff([]string{"/lock/1f", "/lock/b", "/lock/sub/c", "/lock/note"}, keys); d != "" {
		t.Errorf("queue of /lock (-want +got)\n%s", d)
	}
	if got := l.Holder().Key; got != "/lock/1f" {
		t.Errorf("holder of /lock is %s", got)
	}
	if got := s.Lock("/lock/sub").Len(); got != 1 {
		t.Errorf("/lock/sub has %d keys: nesting is one-way", got)
	}
	if got := l.WaitsFor(s.Claim("/lock/sub/c")).Key; got != "/lock/b" {
		t.Errorf("the nested key waits in /lock for %s", got)
	}
	if d := cmp.Diff([]string{"/lock", "/lock/sub", "/lx"}, lockNames(s)); d != "" {
		t.Errorf("locks (-want +got)\n%s", d)
	}
}

func lockNames(s *Store) []string {
	var names []string
	for _, l := range s.Locks() {
		names = append(names, l.Name)
	}
	return names
}

func TestDurationsThatBeganBeforeWeLookedAreLowerBounds(t *testing.T) {
	h := modeltest.New()
	h.Add(model.LoadStarted{At: modeltest.At(0), Rev: 50},
		model.Listed{At: modeltest.At(0), Rev: 50, KVs: []model.KV{{Key: "/lock/a1", CreateRev: 9, ModRev: 9, Version: 1, Lease: 0xa1}}, Done: 1, Total: 1},
		model.Loaded{At: modeltest.At(0), Rev: 50})
	h.Put(3, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	s := state(h)
	l := s.Lock("/lock")
	if d, bound := l.HeldFor(modeltest.At(10)); d != 10*time.Second || !bound {
		t.Errorf("held %v, lower bound %v; want 10s, true", d, bound)
	}
	if d, bound, any := l.LongestWait(modeltest.At(10)); d != 7*time.Second || bound || !any {
		t.Errorf("longest wait %v, lower bound %v; want 7s seen from its start", d, bound)
	}
}

func TestAFreeLockIsRememberedForAWhile(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Del(2, modeltest.ClaimKey("/lock", 0xa1))
	s := state(h)
	if l := s.Lock("/lock"); l == nil || !l.Free() {
		t.Fatalf("lock after its only claim went: %+v, want a free one", l)
	}
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(70)}}})
	if l := s.Lock("/lock"); l != nil {
		t.Errorf("still remembered after a minute")
	}
	if len(s.Leases()) != 0 {
		t.Errorf("%d leases are left over", len(s.Leases()))
	}
}

func TestRelistSaysOnlyWhatItKnows(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Put(2, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	h.Put(2, modeltest.ClaimKey("/m", 0xc3), "", 0xc3)
	h.Add(model.Lost{At: modeltest.At(3), Reason: model.LostCompacted, Detail: model.Say("quote", "the watch fell behind")},
		model.LoadStarted{At: modeltest.At(9), Rev: 500},
		model.Listed{At: modeltest.At(9), Rev: 500, KVs: []model.KV{
			{Key: "/lock/b2", CreateRev: 102, ModRev: 102, Version: 1, Lease: 0xb2},
			{Key: "/m/c3", CreateRev: 103, ModRev: 103, Version: 1, Lease: 0xc3}}, Done: 2, Total: 2},
		model.Loaded{At: modeltest.At(9), Rev: 500})
	s := state(h)
	want := `acquired a1 took /lock, which was free
queued b2 joined the queue of /lock at place 2, behind a1
acquired c3 took /m, which was free
gap the watch of all keys is lost (compacted): the watch fell behind
handover b2 now holds /lock, a1 does not any more: it changed while the watch was lost
gap all keys: listed again at revision 500, and what happened in between was not seen
`
	if d := cmp.Diff(want, told(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d, bound := s.Lock("/m").HeldFor(modeltest.At(12)); d != 10*time.Second || bound {
		t.Errorf("/m held for %v (lower bound %v): the same claim was seen from its start", d, bound)
	}
}

func TestLeaseStates(t *testing.T) {
	rows := []struct {
		granted, remaining int64
		want               model.LeaseState
		reason             string
	}{
		{60, 59, model.LeaseHealthy, "just renewed"},
		{60, 40, model.LeaseHealthy, "the renewal is due now"},
		{60, 37, model.LeaseLate, "more than a third and a second ago"},
		{60, 10, model.LeaseSilent, "two renewals missed"},
		{5, 4, model.LeaseHealthy, "a short lease just renewed"},
		{5, 3, model.LeaseHealthy, "a short lease before its renewal: 3.4 s reads 3"},
		{5, 1, model.LeaseLate, "at least 3 s ago where 1.7 is usual"},
		{5, 0, model.LeaseSilent, "in its last second"},
		{60, -5, model.LeaseOverdue, "expired but not yet revoked (etcd-io/etcd#13975)"},
		{0, -1, model.LeaseGone, "etcd does not know it"},
	}
	for _, r := range rows {
		l := &locks.Lease{Readings: &locks.Readings{Read: model.LeaseRead{Granted: r.granted, Remaining: r.remaining}, HasRead: true}}
		if got := l.State(); got != r.want {
			t.Errorf("%d of %d s left: %s, want %s: %s", r.remaining, r.granted, got, r.want, r.reason)
		}
	}
}

func TestPrintable(t *testing.T) {
	rows := []struct{ in, want, reason string }{
		{"/jobs/a", "/jobs/a", "plain"},
		{"a\x1b[31mb", `a\x1b[31mb`, "escape sequence"},
		{"a\nb\t", `a\nb\t`, "control characters"},
		{"a\xff\xfe", `a\xff\xfe`, "not UTF-8"},
		{"a\u202eb", `a\u202eb`, "mark that turns the direction of text"},
		{"锁", "锁", "wide but printable"},
		{"e\u0301", "e\u0301", "a letter and its mark that are one character"},
		{"q\u0301", `q\u0301`, "a mark that makes no character with its letter: its width depends on the terminal"},
		{"\u0301e", `\u0301e`, "a mark without a letter before it"},
		{`a\b`, `a\\b`, "the escape character itself"},
	}
	for _, r := range rows {
		if got := model.Printable(r.in); got != r.want {
			t.Errorf("Printable(%q) = %q, want %q: %s", r.in, got, r.want, r.reason)
		}
	}
}

func TestParseLeaseID(t *testing.T) {
	rows := []struct {
		in   string
		want model.LeaseID
		ok   bool
	}{
		{"694d81e5fc652594", 0x694d81e5fc652594, true},
		{"093a64a83ac42057", 0x93a64a83ac42057, true},
		{"0x2A", 0x2a, true},
		{"", 0, false}, {"0", 0, false}, {"xyz", 0, false}, {"ffffffffffffffff", 0, false},
	}
	for _, r := range rows {
		got, err := model.ParseLeaseID(r.in)
		if got != r.want || (err == nil) != r.ok {
			t.Errorf("ParseLeaseID(%q) = %v, %v", r.in, got, err)
		}
	}
}

// TestWhatIsOnTheScreenIsReadFirst: among many contended locks, the leases that a person
// looks at do not wait for their turn among all heads, and what was asked for first
// keeps its place whatever happens to it.
func TestWhatIsOnTheScreenIsReadFirst(t *testing.T) {
	const locks = 500
	s := New()
	events := []model.Event{model.LoadStarted{At: modeltest.Start, Rev: 2 * locks}}
	var kvs []model.KV
	for i := range 2 * locks { // two claims of each
		lease := model.LeaseID(0x1000 + i)
		kvs = append(kvs, model.KV{Key: fmt.Sprintf("/lock/%03d/%s", i/2, lease), CreateRev: int64(i + 1), ModRev: int64(i + 1), Version: 1, Lease: lease})
	}
	s.Apply(model.Batch{Events: append(events, model.Listed{At: modeltest.Start, Rev: 2 * locks, KVs: kvs}, model.Loaded{At: modeltest.Start, Rev: 2 * locks})})
	before := s.Want(nil).Leases
	if len(before) != 64 {
		t.Fatalf("%d leases are wanted, want %d", len(before), 64)
	}
	first := s.Claim(kvs[slices.IndexFunc(kvs, func(kv model.KV) bool { return kv.Lease == before[0] })].Key)
	kv := first.KV
	kv.ModRev, kv.Version = 5_000, 2
	s.Apply(model.Batch{Events: []model.Event{model.Committed{At: modeltest.Start.Add(time.Second), Rev: 5_000, Changes: []model.Change{{KV: kv}}}}})
	if after := s.Want(nil).Leases; after[0] != before[0] {
		t.Errorf("a key was written again, and its lease lost its place to %s", after[0])
	}
	shown := []model.LeaseID{0x1000 + 2*400, 0x1000 + 2*401 + 1}
	got := s.Want(shown).Leases
	for _, id := range shown {
		if i := slices.Index(got, id); i < 0 || i > 1 {
			t.Errorf("lease %s is on the screen and wanted at place %d", id, i)
		}
	}
	if got := s.Want(nil).Leases; slices.Contains(got[:2], shown[0]) {
		t.Errorf("lease %s is not on the screen any more, and still before others", shown[0])
	}
}

// A directory that empties in one revision takes none of its neighbours along: etcd's
// recipes count every key under a name, in whatever directory.
func TestADirectoryThatEmptiesAtOnceLeavesItsNeighbours(t *testing.T) {
	for _, emptied := range []string{"/h/a", "/h/b", "/h/c"} {
		h := modeltest.New()
		h.Loaded(0)
		for _, dir := range []string{"/h/a", "/h/b", "/h/c"} {
			h.Put(1, dir+"/1", "", 0)
			h.Put(1, dir+"/2", "", 0)
		}
		h.Del(2, emptied+"/1", emptied+"/2")
		h.Put(3, "/h/17", "", 0x17)
		if n := state(h).Lock("/h").Len(); n != 5 {
			t.Errorf("without %s there are %d keys in the queue, want the four of its neighbours and the claim", emptied, n)
		}
	}
}

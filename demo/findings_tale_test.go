package demo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/store"
)

// tale writes a history of events: what the watcher would report of a cluster that
// cannot be built here, because it is too old, broken or too large.
type tale struct {
	now    time.Time
	rev    int64
	term   uint64
	leader string
	keys   map[string]model.KV
	events []model.Event
	line   []model.LeaseID // of the claims that stand in the queue of /lock for good
	next   int             // of them
}

func newTale() *tale {
	ta := &tale{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), rev: 100, term: 2, leader: "m1", keys: map[string]model.KV{}}
	ta.tell(model.LoadStarted{At: ta.now, Rev: ta.rev}, model.Loaded{At: ta.now, Rev: ta.rev})
	return ta
}

func (ta *tale) tell(e ...model.Event) { ta.events = append(ta.events, e...) }

// after lets time pass.
func (ta *tale) after(d time.Duration) {
	ta.now = ta.now.Add(d)
	ta.tell(model.Tick{At: ta.now})
}

// claim puts a claim of a lease into the queue of a lock.
func (ta *tale) claim(lock string, lease model.LeaseID) { ta.put(lock+"/"+lease.String(), "", lease) }

func (ta *tale) put(key, value string, lease model.LeaseID) {
	ta.rev++
	kv := model.KV{Key: key, Value: value, CreateRev: ta.rev, ModRev: ta.rev, Version: 1, Lease: lease}
	ta.keys[key] = kv
	ta.tell(model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{KV: kv}}})
}

// end deletes all keys of a lease in one revision, as its expiry and its revoke do,
// and lets it be read as gone.
func (ta *tale) end(lease model.LeaseID) {
	ta.rev++
	c := model.Committed{At: ta.now, Rev: ta.rev}
	for key, kv := range ta.keys {
		if kv.Lease == lease {
			delete(ta.keys, key)
			c.Changes = append(c.Changes, model.Change{Deleted: true, KV: model.KV{Key: key, ModRev: ta.rev}})
		}
	}
	slices.SortFunc(c.Changes, func(a, b model.Change) int { return len(a.KV.Key) - len(b.KV.Key) })
	ta.tell(c)
	ta.read(lease, 0, -1)
}

func (ta *tale) read(lease model.LeaseID, granted, remaining int64) {
	ta.tell(model.LeaseRead{At: ta.now, ID: lease, Granted: granted, Remaining: remaining, Term: ta.term, Rev: ta.rev})
}

// falls reads a lease that nobody renews every second for that long.
func (ta *tale) falls(lease model.LeaseID, granted int64, d time.Duration) {
	for s := int64(0); s <= int64(d/time.Second); s++ {
		ta.read(lease, granted, granted-1-s)
		ta.after(time.Second)
	}
}

// status is a round of status requests to three members of that version.
func (ta *tale) status(version string) { ta.statusOf(version, func(*model.ClusterStatus) {}) }

// statusOf is one that is changed before it is told.
func (ta *tale) statusOf(version string, change func(*model.ClusterStatus)) {
	e := model.ClusterStatus{At: ta.now, ClusterID: 7}
	for i := range 3 {
		name := fmt.Sprint("m", i+1)
		e.Members = append(e.Members, model.Member{ID: uint64(i + 1), Name: name, Endpoint: name + ":2379",
			Leader: name == ta.leader, NoLeader: ta.leader == noLeader, Version: version, Term: ta.term, Rev: ta.rev})
	}
	change(&e)
	ta.tell(e)
}

// lists is a round of status in which one member lists leases that the leader lacks.
func (ta *tale) lists(ghosts ...model.LeaseID) {
	ta.statusOf("3.6.1", func(c *model.ClusterStatus) { c.Members[2].GhostLeases = ghosts })
}

// noLeader is whom the members name in an election.
const noLeader = "nobody yet"

// elect gives the cluster another leader.
func (ta *tale) elect(name string) { ta.leader, ta.term = name, ta.term+1 }

// crowd is n sessions with a lock each, read as just renewed.
func (ta *tale) crowd(n int, granted int64) (leases []model.LeaseID) {
	for i := range n {
		id := model.LeaseID(0xa00 + i)
		ta.claim(fmt.Sprint("/lock", i), id)
		ta.read(id, granted, granted-1)
		leases = append(leases, id)
	}
	return leases
}

// state plays the history. Of a healthy one nothing may be found at any time.
func (ta *tale) state(t *testing.T, healthy *story) *store.Store {
	t.Helper()
	sc := &scene{t: t, s: store.New(), healthy: healthy}
	for i, e := range ta.events {
		sc.s.Apply(model.Batch{Events: []model.Event{e}})
		sc.stillHealthy(fmt.Sprintf("event %d, %T", i, e))
	}
	return sc.s
}

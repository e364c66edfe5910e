package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
)

// fleet is clients whose leases are renewed at a third of their TTL, and read as often as
// the budget allows: 20 in a second, in the order that the state asks for.
type fleet struct {
	t       *testing.T
	s       *Store
	h       *modeltest.History
	ttl     float64
	renewed map[model.LeaseID]float64 // when last; one that is not here is gone
	from    map[model.LeaseID]float64
	dead    map[model.LeaseID]bool
	now     float64
	told    []string // as `events` writes them for people
	lost    int      // lines about holders that were lost, told one by one
	stories []*journal.Entry
	seen    uint64
}

func newFleet(t *testing.T, ttl float64) *fleet {
	f := &fleet{t: t, s: New(), h: modeltest.New(), ttl: ttl,
		renewed: map[model.LeaseID]float64{}, from: map[model.LeaseID]float64{}, dead: map[model.LeaseID]bool{}}
	f.h.Loaded(0)
	return f
}

// take lets a client with that lease take a lock.
func (f *fleet) take(lock, value string, id model.LeaseID) {
	if _, ok := f.renewed[id]; !ok {
		f.renewed[id] = f.now
	}
	f.h.Put(f.now, modeltest.ClaimKey(lock, id), value, id)
}

func (f *fleet) flush() {
	f.s.Apply(model.Batch{Events: f.h.Events})
	f.h.Events = nil
	for _, e := range f.s.JournalAfter(f.seen) {
		if e.Pending {
			return
		}
		f.seen = e.Seq
		switch {
		case e.Kind == journal.Together:
			f.stories = append(f.stories, e)
		case e.Part():
			continue
		case e.Kind == journal.Left || e.Kind == journal.Handover:
			f.lost++
		}
		f.told = append(f.told, e.Sentence(f.s.Who))
	}
}

// run lets time pass, 50 ms a step.
func (f *fleet) run(until float64) {
	for ; f.now < until; f.now += 0.05 {
		var ids []model.LeaseID
		for id := range f.renewed {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			switch age := f.now - f.renewed[id]; {
			case !f.dead[id] && age >= f.ttl/3:
				f.renewed[id] = f.now
			case age >= f.ttl && int(f.now*20+0.5)%10 == 0: // etcd looks each 500 ms
				delete(f.renewed, id)
				f.h.End(f.now, id)
			}
		}
		f.h.Add(model.Tick{At: modeltest.At(f.now)})
		f.flush()
		if want := f.s.Want(nil).Leases; len(want) > 0 {
			id := want[0]
			if at, ok := f.renewed[id]; ok {
				f.h.Read(f.now, id, int64(f.ttl), int64(f.ttl-(f.now-at)))
			} else {
				f.h.Read(f.now, id, 0, -1)
			}
			f.flush()
		}
	}
}

// causes counts the causes of the claims that went.
func (f *fleet) causes() map[string]int {
	n := map[string]int{}
	for _, e := range f.s.Journal() {
		if e.GoneRev != 0 && e.GoneRev == e.Rev && (e.Kind == journal.Left || e.Kind == journal.Handover) {
			n[fmt.Sprintf("%s %s", e.Cause, e.Confidence)]++
		}
	}
	return n
}

// TestWhatEndsTogetherIsOneEvent: one SIGKILL is one event, however many locks it costs and
// on however many leases they hang, and its locks all have the cause.
func TestWhatEndsTogetherIsOneEvent(t *testing.T) {
	rows := []struct {
		name, reason string
		ttl          float64
		leases       int // of the client that dies, with so many locks in all
		locks        int
		value        func(i int) string
		spread       float64 // how far apart its leases were granted
		stories      int
	}{
		{"one lease", "an ended lease takes all its keys, so one reading tells of all", 10, 1, 200, func(int) string { return "" }, 0, 1},
		{"one lease that names itself", "the value says who", 10, 1, 200, func(int) string { return "node-a" }, 0, 1},
		{"a lease for each lock", "a budget of 20 readings in a second reaches half of them", 10, 200, 200, func(int) string { return "node-a" }, 0.2, 1},
		{"nobody is named", "nothing says that it was one client, and they ended in the same second", 10, 200, 200, func(int) string { return "" }, 0.2, 1},
		{"a name for each", "every goroutine has a name of its own", 10, 200, 200, func(i int) string { return fmt.Sprintf("node-a/%d", i) }, 0.2, 1},
		{"phases apart", "half of its leases were renewed just before it died, the others a third of a TTL earlier", 15, 200, 200, func(int) string { return "node-a" }, 2, 2},
		{"a long TTL", "each was read often, and long before its end", 60, 200, 200, func(int) string { return "node-a" }, 0.2, 1},
		{"ten leases of twenty locks", "each ends in a revision of its own", 10, 10, 200, func(int) string { return "node-a" }, 0.2, 1},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			f := newFleet(t, r.ttl)
			for i := range 40 { // the neighbours: healthy, and one of them lets go in the same second
				f.take(fmt.Sprintf("/well/%02d", i), "node-b", model.LeaseID(0x9000+i))
			}
			f.take("/shop/000", "node-b", 0x9000) // waits
			for i := range r.locks {
				id := model.LeaseID(0x100 + i%r.leases)
				f.run(float64(i) * r.spread / float64(r.locks))
				if i == 0 {
					f.h.Del(f.now, modeltest.ClaimKey("/shop/000", 0x9000))
				}
				f.take(fmt.Sprintf("/shop/%03d", i), r.value(i), id)
			}
			f.take("/shop/007", "node-b", 0x9001) // waits for one that dies
			f.run(2*r.ttl + 1)
			for i := range r.leases {
				f.dead[model.LeaseID(0x100+i)] = true
			}
			before := len(f.told)
			f.lost = 0
			f.run(2*r.ttl + 1 + r.ttl)
			f.h.Del(f.now, modeltest.ClaimKey("/well/05", 0x9005))
			f.run(3*r.ttl + 12)
			lines := strings.Join(f.told[before:], "\n")
			var claims, locks, leases int
			for _, e := range f.stories {
				claims, locks, leases = claims+e.Count, locks+e.Locks, leases+e.Leases
				if e.Cause != journal.CauseExpired || e.Pending {
					t.Errorf("%s %s: %s", e.Cause, e.Sentence(f.s.Who), r.reason)
				}
			}
			if len(f.stories) != r.stories || claims != r.locks || locks != r.locks || leases != r.leases {
				t.Errorf("%d events of %d claims, %d locks, %d leases, want %d: %s\n%s", len(f.stories), claims, locks, leases, r.stories, r.reason, lines)
			}
			if n := f.causes(); n["expired strong"]+n["expired hint"] != r.locks || n["released hint"] != 2 {
				t.Errorf("causes %v: %s", n, r.reason)
			}
			if f.lost != 1 || !strings.Contains(lines, "node-b no longer holds /well/05") {
				t.Errorf("%d losses are told one by one, want that of the neighbour alone\n%s", f.lost, lines)
			}
		})
	}
}

// TestShortLeasesThatDieAreOneEvent: the end of one short lease tells nothing, that of many does. Some
// are settled by themselves, as unknown, before it shows how many go.
func TestShortLeasesThatDieAreOneEvent(t *testing.T) {
	const n = 150
	f := newFleet(t, 6)
	for i := range n {
		f.run(1.2 * float64(i) / n)
		f.take(fmt.Sprintf("/shop/%03d", i), "node-a", model.LeaseID(0x100+i))
	}
	f.run(21)
	for i := range n {
		f.dead[model.LeaseID(0x100+i)] = true
	}
	f.run(50)
	if causes := f.causes(); len(f.stories) != 1 || f.stories[0].Count != n || causes["expired strong"]+causes["expired hint"] != n {
		t.Errorf("%d events, causes %v\n%s", len(f.stories), causes, strings.Join(f.told, "\n"))
	}
}

// TestTrafficIsNotToldTogether: programs that come and go all the time are told one by one,
// also while the lease of one of them runs out.
func TestTrafficIsNotToldTogether(t *testing.T) {
	for _, value := range []string{"", "node-a"} {
		f := newFleet(t, 10)
		f.run(0.2)
		f.take("/dead", value, 0x77)
		f.dead[0x77] = true
		for i := range 400 { // 20 in a second: half let go, half close their session
			id := model.LeaseID(0x1000 + i)
			lock := fmt.Sprintf("/busy/%d", i%40)
			f.take(lock, value, id)
			f.run(float64(i+1) * 0.05)
			if old := id - 16; old >= 0x1000 {
				lock = fmt.Sprintf("/busy/%d", (i-16)%40)
				if i%2 == 0 {
					f.h.Del(f.now, modeltest.ClaimKey(lock, old))
					f.run(f.now + 0.01)
				} else {
					f.h.End(f.now, old)
				}
				delete(f.renewed, old)
			}
			switch i {
			case 184, 198:
				f.h.Read(f.now, 0x77, 10, 0)
			case 205:
				f.h.Read(f.now, 0x77, 0, -1)
			}
		}
		f.run(40)
		n := f.causes()
		if n["expired strong"] != 1 || n["expired hint"] != 0 || len(f.stories) > 0 {
			t.Errorf("%q: causes %v and %d events of many, want the one lease that ran out", value, n, len(f.stories))
		}
	}
}

// TestOneRequestIsOneEvent: what one revision takes is one event, and nine lines are read one by one.
func TestOneRequestIsOneEvent(t *testing.T) {
	rows := []struct {
		name, reason string
		n            int
		want         string
	}{
		{"a prefix is deleted", "each key has its own lease, and one request took all", 12,
			"12 locks lost their holder with 12 leases: key deleted (strong); /lock/0, /lock/1, /lock/10 and 9 more"},
		{"nine", "few enough to be read", 9, ""},
	}
	for _, r := range rows {
		h := modeltest.New()
		h.Loaded(0)
		var keys []string
		for i := range r.n {
			key := modeltest.ClaimKey(fmt.Sprintf("/lock/%d", i), model.LeaseID(0x10+i))
			h.Put(1, key, "", model.LeaseID(0x10+i))
			keys = append(keys, key)
		}
		slices.Sort(keys)
		h.Del(5, keys...)
		var got []string
		for _, e := range state(h).Journal() {
			if e.Kind == journal.Together {
				got = append(got, e.Sentence(func(model.ClaimRef) string { return "" }))
			}
		}
		if strings.Join(got, "\n") != r.want {
			t.Errorf("%s: %q, want %q: %s", r.name, got, r.want, r.reason)
		}
	}
}

// TestOneOfManyTurnsOut: a waiter that seemed to have gone with its holder had let go. It is told by
// itself, and the lock counts as lost all the same.
func TestOneOfManyTurnsOut(t *testing.T) {
	const n, waiter = 12, model.LeaseID(0x99)
	h := modeltest.New()
	h.Loaded(0)
	for i := range n {
		id := model.LeaseID(0x10 + i)
		h.Put(0, modeltest.ClaimKey(fmt.Sprintf("/lock/%02d", i), id), "", id)
		h.Read(6, id, 10, 4)
	}
	h.Put(0.5, modeltest.ClaimKey("/lock/00", waiter), "", waiter)
	h.Del(9.95, modeltest.ClaimKey("/lock/00", waiter))
	for i := range n {
		h.End(10, model.LeaseID(0x10+i))
	}
	told := func() (line string, alone int) {
		for _, e := range state(h).Journal() {
			switch who := func(model.ClaimRef) string { return "one" }; {
			case e.Kind == journal.Together:
				line += e.Sentence(who)
			case e.Kind == journal.Left && !e.Part():
				alone++
			}
		}
		return line, alone
	}
	for _, r := range []struct {
		reason, want string
		lease        model.LeaseID
		granted      int64
		alone        int
	}{
		{"the first reading: they all may have run out", "12 locks lost their holder and 1 other claim left with 13 leases", 0x11, 0, 0},
		{"the waiter's lease lives on", "12 locks lost their holder with 12 leases", waiter, 10, 1},
	} {
		h.Read(10.3, r.lease, r.granted, r.granted-1)
		if line, alone := told(); !strings.HasPrefix(line, r.want) || alone != r.alone {
			t.Errorf("%s: %q and %d by themselves, want %q and %d", r.reason, line, alone, r.want, r.alone)
		}
	}
}

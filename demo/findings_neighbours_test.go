package demo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/store"
)

// neighbour is a history close to that of a finding, on which a simpler rule says
// something untrue, or nothing where it should.
type neighbour struct {
	name, reason string
	told         func(*tale)
	want, not    model.Code // what has to be found in the end, and what must not at any time
	// modest says whether the finding that must not be there claims so little that it
	// may. Nil: never.
	modest func(model.Finding) bool
}

func uncertain(f model.Finding) bool { return f.Confidence != model.Certain }

var neighbours = []neighbour{
	{"one lease with twelve locks", "one session that is closed is no mass revocation, however many locks it had",
		func(ta *tale) {
			ta.status("3.5.12")
			for i := range 12 {
				ta.claim(fmt.Sprint("/lock", i), 0xa1)
			}
			ta.read(0xa1, 10, 9)
			ta.after(time.Second)
			ta.elect("m2")
			ta.status("3.5.12")
			ta.after(time.Second)
			ta.read(0xa1, 10, 9)
			ta.after(time.Second)
			ta.end(0xa1)
			ta.after(3 * time.Second)
			ta.status("3.5.12")
		}, "", model.CodeMassRevocation, nil},
	{"unlock by revoke", "Vitess and npm etcd3 unlock by a revoke: one a second is their daily work, leader change or not",
		func(ta *tale) {
			ta.status("3.7.3")
			ta.elect("m2")
			ta.after(time.Second)
			ta.status("3.7.3")
			for i := range 11 {
				ta.after(800 * time.Millisecond)
				id := model.LeaseID(0xa00 + i)
				ta.claim("/lock", id)
				ta.read(id, 30, 29)
				ta.end(id)
			}
			ta.after(time.Second)
			ta.status("3.7.3")
		}, "", model.CodeMassRevocation, nil},
	{"a burst before the change is noticed", "rounds of status are seconds apart, so the burst is usually seen first",
		func(ta *tale) {
			ta.status("3.5.12")
			ids := ta.crowd(12, 10)
			ta.after(time.Second)
			ta.elect("m2")
			for _, id := range ids {
				ta.read(id, 10, 9)
			}
			ta.after(time.Second)
			for _, id := range ids {
				ta.end(id)
			}
			ta.after(2 * time.Second)
			ta.status("3.5.12")
			ta.after(5 * time.Second)
			ta.status("3.5.12")
		}, model.CodeMassRevocation, "", nil},
	{"an unlock without a leader", "nobody can delete meanwhile, and nobody sees whether the key is still there",
		func(ta *tale) {
			ta.takes("c1", 0xa1, model.BeliefHolding)
			ta.takes("c2", 0xb2, model.BeliefWaiting)
			ta.renewed(0xa1, 0xb2)
			ta.tell(model.Lost{At: ta.now, Reason: model.LostDisconnect})
			ta.tell(model.Wrote{At: ta.now, Client: certainly("c1"), Key: ta.key(0xa1), Delete: true})
			ta.believes("c1", model.BeliefIdle, "", 0)
			for range 15 {
				ta.after(time.Second)
			}
			ta.tell(model.Back{At: ta.now, Rev: ta.rev})
			ta.after(time.Second)
			ta.del(ta.key(0xa1))
			ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
			ta.renewed(0xb2)
		}, "", model.CodeUnlockLost, nil},
	{"an unlock that stays undone after the outage", "from when the cluster is seen to work again the claim counts as left behind",
		func(ta *tale) {
			ta.takes("c1", 0xa1, model.BeliefHolding)
			ta.takes("c2", 0xb2, model.BeliefWaiting)
			ta.renewed(0xa1, 0xb2)
			ta.tell(model.Lost{At: ta.now, Reason: model.LostDisconnect})
			ta.tell(model.Wrote{At: ta.now, Client: certainly("c1"), Key: ta.key(0xa1), Delete: true, Unsent: true})
			ta.believes("c1", model.BeliefIdle, "", 0)
			ta.after(2 * time.Second)
			ta.tell(model.Back{At: ta.now, Rev: ta.rev})
			ta.renewed(0xa1, 0xb2)
			ta.after(2 * time.Second)
			ta.renewed(0xa1, 0xb2)
		}, model.CodeUnlockLost, "", nil},
	{"a version that is not told", "unknown is not older than 3.5",
		func(ta *tale) { ta.status("unknown") }, "", model.CodeExpiredWaiterWins, nil},
	{"many leases that do not shrink", "the usual shape of a refused revoke: all of them overdue, for minutes, and none goes",
		func(ta *tale) {
			ta.overdue(30, -4, "3.5.4")
			for m := range 10 {
				ta.after(time.Minute)
				for i := range 30 {
					ta.read(model.LeaseID(0xa00+i), 20, int64(-4-60*(m+1)))
				}
			}
		}, model.CodeRevokeFailing, "", nil},
	{"a backlog of an old server", "it forgets single revokes; thousands that end together are a backlog there, too",
		func(ta *tale) { ta.overdue(300, -12, "3.3.10") }, "", model.CodeRevokeForgotten, nil},
	{"an ordinary election", "all members answer, one round finds no leader, the next one does: no quorum was lost",
		func(ta *tale) {
			ta.status("3.7.3")
			ta.after(5 * time.Second)
			ta.elect(noLeader)
			ta.status("3.7.3")
			ta.after(5 * time.Second)
			ta.elect("m2")
			ta.status("3.7.3")
		}, "", model.CodeNoQuorum, nil},
	{"three clients dead, by chance of one member", "that member is well: once in nine times three that die came through the same one of three",
		func(ta *tale) { ta.stallOn(3, false) }, "", model.CodePinnedBadMember, nil},
	{"three clients stall with a member that knows no leader", "that member is ill: so few are a pattern",
		func(ta *tale) { ta.stallOn(3, true) }, model.CodePinnedBadMember, "", nil},
	{"the same, and it knew none in one round alone", "a machine with much to do has one late round, and three of one client that died look the same",
		func(ta *tale) {
			ta.stallOn(3, false)
			ta.status("3.7.3")
			ta.events[len(ta.events)-1].(model.ClusterStatus).Members[1].NoLeader = true
		}, "", model.CodePinnedBadMember, nil},
	{"the whole cluster stalls, and three leases of one member are read first", "the others were renewed before it stalled, and that says nothing of what happens since",
		func(ta *tale) { ta.stall(3, true, 90, 66) }, "", model.CodePinnedBadMember, nil},
	{"six leases stall with a member that looks well", "what is cut may be the way to it: that is worth a hint",
		func(ta *tale) { ta.stallOn(6, false) }, model.CodePinnedBadMember, "", nil},
	{"one program with forty leases dies", "it came through one member, as one with a single endpoint does: no member is to blame",
		func(ta *tale) { ta.stallOn(40, false) }, "", model.CodePinnedBadMember, func(f model.Finding) bool {
			return f.Confidence == model.Hint && f.Severity == model.SevInfo
		}},
	{"one dead client elsewhere", "twenty that stall with one member are a pattern, whatever one more does",
		func(ta *tale) {
			ta.status("3.7.3")
			for i := range 60 {
				id := model.LeaseID(uint64(1+i%3)<<48 | uint64(0x1000+i))
				ta.claim(fmt.Sprint("/lock", i), id)
				ta.read(id, 30, 29)
			}
			ta.after(25 * time.Second)
			for i := range 60 {
				id, left := model.LeaseID(uint64(1+i%3)<<48|uint64(0x1000+i)), int64(27)
				if i%3 == 1 || i == 0 {
					left = 4
				}
				ta.read(id, 30, left)
			}
			ta.status("3.7.3")
		}, model.CodePinnedBadMember, "", nil},
	{"a waiter that is not on the screen", "a waiter is read every 15 s at most, so with a TTL of 30 s it is late at the one reading and gone at the next",
		func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.claim("/lock", 0xb2)
			s := store.New()
			s.Apply(model.Batch{Events: ta.events})
			for sec := range int64(30) {
				from := len(ta.events)
				ta.after(time.Second)
				ta.read(0xa1, 30, 29)
				if slices.Contains(s.Want(nil).Leases, 0xb2) {
					ta.read(0xb2, 30, 29-sec)
				}
				s.Apply(model.Batch{Events: ta.events[from:]})
			}
		}, model.CodeDeadWaiter, "", nil},
	{"nobody left of three declared", "an empty queue is the worst of too short ones (pin: three expected)",
		func(ta *tale) {
			ta.claim("/declared", 0xa1)
			ta.read(0xa1, 10, 9)
			ta.after(time.Second)
			ta.end(0xa1)
			ta.after(30 * time.Second)
			ta.status("3.7.3")
		}, model.CodeNobodyHolds, "", nil},
	{"a leader change just after a renewal", "a fresh lease does not jump, but its client's loop has ended all the same",
		func(ta *tale) {
			ids := ta.crowd(5, 30)
			ta.after(10500 * time.Millisecond)
			for _, id := range ids {
				ta.read(id, 30, 29)
			}
			ta.after(500 * time.Millisecond)
			ta.elect("m2")
			for range 2 {
				ta.after(10 * time.Second)
				for _, id := range ids[1:] {
					ta.read(id, 30, 29)
				}
			}
			ta.read(ids[0], 30, 8)
		}, model.CodeKeepaliveHalted, "", nil},
	{"one lease for many workers", "two agents with a lease each for all their workers (Cilium): worker 1 of each holds, worker 2 of each waits, and no worker waits for itself; it ends with the holds",
		func(ta *tale) {
			ta.claim("/k1", 0xa1)
			ta.claim("/k2", 0xb2)
			ta.claim("/k1", 0xb2)
			ta.claim("/k2", 0xa1)
		}, "", model.CodeLockCycle, uncertain},
	{"a renewal and a leader change between two readings", "a client that renews at half of its TTL did renew: the jump may be either's",
		func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.read(0xa1, 30, 29)
			ta.after(14 * time.Second)
			ta.read(0xa1, 30, 15)
			ta.after(2 * time.Second)
			ta.elect("m2")
			ta.read(0xa1, 30, 28)
		}, "", model.CodeTTLReset, uncertain},
	{"a session of 60 s whose program died young", "60 s is the default of the Go client, too: killed within 20 s of its Lock it looks the same",
		func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.claim("/lock", 0xb2)
			ta.falls(0xa1, 60, 25*time.Second)
		}, "", model.CodeUnattendedLease, nil},
}

func TestFindingsNeighbours(t *testing.T) {
	for _, o := range neighbours {
		t.Run(o.name, func(t *testing.T) {
			ta := newTale()
			o.told(ta)
			s := store.New(model.Pin{Prefix: "/declared", Expect: 3})
			wrong := ""
			for _, e := range ta.events {
				s.Apply(model.Batch{Events: []model.Event{e}})
				if f := findingOf(s, o.not); f != nil && (o.modest == nil || !o.modest(*f)) {
					wrong = findingLine(*f)
				}
			}
			if o.want != "" && findingOf(s, o.want) == nil {
				wrong = "no " + string(o.want) + ", but:\n" + listFindings(s)
			}
			if wrong != "" {
				t.Errorf("%s\nsaid is: %s", o.reason, wrong)
			}
		})
	}
}

// stallOn is as many leases of m2 that stall together as said, ten of each other member
// that are renewed, and m2 well or without a leader.
func (ta *tale) stallOn(n int, ill bool) { ta.stall(n, ill, 30, 29) }

// stall tells of leases of m2 that stall, and of others with that TTL of which so much is left then.
func (ta *tale) stall(n int, ill bool, ttl, left int64) {
	status := func() {
		ta.status("3.7.3")
		ta.events[len(ta.events)-1].(model.ClusterStatus).Members[1].NoLeader = ill
	}
	status()
	read := func(stalled, others int64) {
		for i := range n {
			ta.read(model.LeaseID(2<<48|0x2000+i), 30, stalled)
		}
		for i := range 20 {
			ta.read(model.LeaseID((1+2*(i%2))<<48|0x1000+i), ttl, others)
		}
	}
	for i := range n {
		ta.claim(fmt.Sprint("/s", i), model.LeaseID(2<<48|0x2000+i))
	}
	for i := range 20 {
		ta.claim(fmt.Sprint("/lock", i), model.LeaseID((1+2*(i%2))<<48|0x1000+i))
	}
	read(29, ttl-1)
	ta.after(25 * time.Second)
	read(4, left)
	status()
}

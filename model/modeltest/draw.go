package modeltest

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"

	"pgregory.net/rapid"
)

// init has all that is drawn at random start from one seed, so that the tests say the same of the same
// program each time. Other histories are looked for on purpose: see CONTRIBUTING.md.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// Draw makes a history as etcd could produce it: several locks, nested
// ones among them, foreign keys, values, leases with several keys, leases that
// end, keys that lose their lease, readings in between.
func Draw(t *rapid.T) *History {
	h := New()
	h.Loaded(0)
	sec := 1.0
	names := []string{"/lock", "/lock/sub", "/m", "", "/lock/sub/deep", "/locks/x", "/locks"}
	leases := []model.LeaseID{0x1, 0x2, 0xa, 0xb, 0x1f}
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
			h.Put(sec, lock+name, rapid.SampledFrom([]string{"", "v", "host:7"}).Draw(t, "loose value"), rapid.SampledFrom([]model.LeaseID{0, lease}).Draw(t, "loose lease"))
			continue
		case 10:
			h.Put(sec, lock+"/note", "n", rapid.SampledFrom([]model.LeaseID{0, lease}).Draw(t, "note's lease"))
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
			h.Add(model.Tick{At: At(sec)})
			if rapid.Bool().Draw(t, "slept") {
				h.Add(model.Slept{At: At(sec + 3), Since: At(sec)})
				sec += 3
			}
			if rapid.Bool().Draw(t, "caught up") {
				h.Add(model.Watching{At: At(sec), Asked: At(sec), Rev: h.Rev})
			}
		case 11, 12, 13, 14, 15, 16:
			h.Add(drawReport(t, At(sec), lock, lease, h.Rev+int64(rapid.IntRange(-2, 1).Draw(t, "rev"))))
		}
	}
	return h
}

// DrawReturns makes a history of keys that go and come back by other leases, so that some become
// locks by that. Some may be there before anybody looked, some of it may be from etcd's history,
// and the observer may sleep or have to list anew.
func DrawReturns(t *rapid.T) *History {
	h := New()
	keys := []string{"/app/cron/lock/job", "/app/report", "/online/ann", "/jobs/leader"}
	if rapid.Bool().Draw(t, "some are there before") {
		for i, key := range keys[:2] {
			h.Rev++
			h.Write(key, "a", model.LeaseID(8+i))
		}
	}
	h.listed(0)
	mark, undated := len(h.Events), rapid.IntRange(0, 10).Draw(t, "from history")
	sec := 1.0
	for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
		if i == undated {
			h.Undated(mark, sec)
		}
		sec += float64(rapid.IntRange(0, 9000).Draw(t, "ms")) / 1000
		key := rapid.SampledFrom(keys).Draw(t, "key")
		lease := model.LeaseID(rapid.IntRange(1, 30).Draw(t, "lease"))
		_, there := h.Keys[key]
		switch what := rapid.IntRange(0, 8).Draw(t, "what"); {
		case what <= 2 || i < undated && !there:
			h.Put(sec, key, rapid.SampledFrom([]string{"", "a", "b", "host:7"}).Draw(t, "value"), lease)
		case what <= 5 && there || i < undated:
			h.Del(sec, key)
		case what == 6:
			h.Add(model.Slept{At: At(sec + 2), Since: At(sec)})
			sec += 2
		case what == 7:
			h.Add(model.Lost{At: At(sec), Reason: model.LostDisconnect})
			delete(h.Keys, key)
			h.Rev++
			h.listed(sec)
		default:
			h.Read(sec, lease, 10, int64(rapid.IntRange(0, 10).Draw(t, "left")))
		}
	}
	return h
}

// listed lists the keys as they are.
func (h *History) listed(sec float64) {
	list := model.Listed{At: At(sec), Rev: h.Rev}
	for _, key := range slices.Sorted(maps.Keys(h.Keys)) {
		list.KVs = append(list.KVs, h.Keys[key])
	}
	h.Add(model.LoadStarted{At: At(sec), Rev: h.Rev}, list, model.Loaded{At: At(sec), Rev: h.Rev})
}

// drawReport makes a report of the lab or its proxy. Its sources do not wait for the
// watch, so it may speak of what is not seen yet, or not any more.
func drawReport(t *rapid.T, at time.Time, lock string, lease model.LeaseID, rev int64) model.Event {
	name := rapid.SampledFrom([]string{"c1", "c1.1", "c1.2", "c2", "127.0.0.1:7"}).Draw(t, "name")
	c := model.Client{Name: name, Certain: name[0] == 'c'}
	yes := rapid.Bool().Draw(t, "yes")
	key := ClaimKey(lock, lease)
	at = at.Add(-time.Duration(rapid.IntRange(0, 900).Draw(t, "late")) * time.Millisecond)
	switch rapid.IntRange(0, 11).Draw(t, "report") {
	case 0:
		return model.Contender{At: at, Name: name, PID: 7, Lock: lock, Recipe: "mutex", TTL: 5,
			Proc: rapid.SampledFrom([]model.ProcState{model.ProcRunning, model.ProcRunning, model.ProcPaused, model.ProcEnded}).Draw(t, "proc")}
	case 1, 2:
		return model.Belief{At: at, Contender: name, Lock: lock, Key: key, Lease: lease, Token: rev,
			State: rapid.SampledFrom([]model.BeliefState{model.BeliefIdle, model.BeliefWaiting, model.BeliefHolding, model.BeliefHolding, model.BeliefLost}).Draw(t, "belief")}
	case 3:
		return model.LeaseOwner{At: at, Client: c, Lease: lease, Renews: yes, Member: "m1:2379"}
	case 4, 5:
		return model.Wrote{At: at, Client: c, Key: key, Delete: yes, Lease: lease, Rev: rapid.SampledFrom([]int64{0, rev}).Draw(t, "answer"),
			Took: yes && rapid.Bool().Draw(t, "took"), Told: rapid.Bool().Draw(t, "told")}
	case 6:
		return model.Watches{At: at, Client: c, Key: key, On: yes}
	case 10:
		return model.Printed{At: at, Contender: name, Left: 1, Lines: []model.Line{{At: at, From: "stdout", Text: "line"}}}
	case 9:
		return model.Asked{At: at, Client: c, Txns: 2, Vain: 1}
	case 7:
		return model.Revoked{At: at, Client: c, Lease: lease, Rev: rapid.SampledFrom([]int64{0, rev}).Draw(t, "answer")}
	case 8:
		return model.Refused{At: at, Client: c, Method: "Lease/LeaseKeepAlive", Lease: lease, Text: "permission denied"}
	}
	return model.Connected{At: at, Client: c, Peer: name, Member: "m1:2379", On: yes}
}

// looseKeys are keys of every other form.
var looseKeys = []string{"/read/1700000000000000001", "/write/1700000000000000002", "/write/1700000000000000003",
	"/waiters/1700000000000000004", "/%d", "/elections/e/locks/%d", "/6ba7b810-9dad-11d1-80b4-00c04fd430c8", "/694d81e5fc652594", "/name", ""}

// Txn creates several claims in one revision.
func (h *History) Txn(sec float64, lock string, leases []model.LeaseID) {
	h.Rev++
	c := model.Committed{At: At(sec), Rev: h.Rev}
	for _, l := range leases[:3] {
		c.Changes = append(c.Changes, model.Change{KV: h.Write(ClaimKey(lock, l), "", l)})
	}
	h.Add(c)
}

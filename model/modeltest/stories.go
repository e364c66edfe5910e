package modeltest

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
)

// Start is when every history begins.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// At is that many seconds after Start.
func At(s float64) time.Time { return Start.Add(time.Duration(s * float64(time.Second))) }

// History writes the events of a story with as little noise as possible.
type History struct {
	Rev    int64
	Keys   map[string]model.KV
	Events []model.Event
}

// New returns an empty history, at revision 100.
func New() *History { return &History{Rev: 100, Keys: map[string]model.KV{}} }

// Add appends events.
func (h *History) Add(e ...model.Event) { h.Events = append(h.Events, e...) }

// Loaded ends the first list: nothing was there before.
func (h *History) Loaded(sec float64) {
	h.Add(model.LoadStarted{At: At(sec), Rev: h.Rev}, model.Loaded{At: At(sec), Rev: h.Rev})
}

// ClaimKey is the key of a claim as etcd's own recipes name it.
func ClaimKey(lock string, lease model.LeaseID) string { return lock + "/" + lease.String() }

// Put writes a key at the next revision.
func (h *History) Put(sec float64, key, value string, lease model.LeaseID) {
	h.Rev++
	h.Add(model.Committed{At: At(sec), Rev: h.Rev, Changes: []model.Change{{KV: h.Write(key, value, lease)}}})
}

// Write notes a key as it is after a put at this revision.
func (h *History) Write(key, value string, lease model.LeaseID) model.KV {
	kv := h.Keys[key]
	if kv.Key == "" {
		kv = model.KV{Key: key, CreateRev: h.Rev}
	}
	kv.Value, kv.Lease, kv.ModRev = value, lease, h.Rev
	kv.Version++
	h.Keys[key] = kv
	return kv
}

// Del deletes keys in one revision.
func (h *History) Del(sec float64, keys ...string) {
	h.Rev++
	c := model.Committed{At: At(sec), Rev: h.Rev}
	for _, k := range keys {
		delete(h.Keys, k)
		c.Changes = append(c.Changes, model.Change{Deleted: true, KV: model.KV{Key: k, ModRev: h.Rev}})
	}
	h.Add(c)
}

// End deletes every key of a lease in one revision, as a revoke and an expiry do.
func (h *History) End(sec float64, lease model.LeaseID) {
	var keys []string
	for k, kv := range h.Keys {
		if kv.Lease == lease {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	h.Del(sec, keys...)
}

// Read adds a reading of a lease.
func (h *History) Read(sec float64, lease model.LeaseID, granted, remaining int64) {
	h.Add(model.LeaseRead{At: At(sec), ID: lease, Granted: granted, Remaining: remaining, Term: 2, Rev: h.Rev})
}

// Undated makes history of what was added since mark, read all at once at that second.
func (h *History) Undated(mark int, sec float64) {
	for i, e := range h.Events[mark:] {
		c := e.(model.Committed)
		c.At, c.Past = At(sec), true
		h.Events[mark+i] = c
	}
}

// TenClaims lists n claims, ten to a lock, as a list from etcd brings them: in
// key order, in parts of 2,000.
func TenClaims(n int) []model.Event {
	events := []model.Event{model.LoadStarted{At: Start, Rev: int64(n)}}
	var kvs []model.KV
	for i := range n {
		lease := model.LeaseID(0x694d81e5fc650000 + i)
		kvs = append(kvs, model.KV{Key: fmt.Sprintf("/bench/lock-%06d/%s", i/10, lease), CreateRev: int64(i + 1),
			ModRev: int64(i + 1), Version: 1, Lease: lease})
		if len(kvs) == 2000 || i == n-1 {
			events = append(events, model.Listed{At: Start, Rev: int64(n), KVs: kvs, Done: int64(i + 1), Total: int64(n)})
			kvs = nil
		}
	}
	return append(events, model.Loaded{At: Start, Rev: int64(n)})
}

// OneQueue lists n claims of a single lock.
func OneQueue(n int) []model.Event {
	events := TenClaims(n)
	for _, e := range events {
		if l, ok := e.(model.Listed); ok {
			for i, kv := range l.KVs {
				l.KVs[i].Key = "/bench/lock/" + kv.Lease.String()
			}
		}
	}
	return events
}

// TwoContenders is c1 that holds /lock and c2 behind it, as the lab reports them.
func TwoContenders() *History {
	h := New()
	h.Loaded(0)
	for i, id := range []model.LeaseID{0xa1, 0xb2} {
		name := fmt.Sprint("c", i+1)
		h.Add(model.Contender{At: At(1), Name: name, PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning},
			model.LeaseOwner{At: At(1), Lease: id, Client: model.Client{Name: name, Certain: true}})
		h.Put(1+float64(i), ClaimKey("/lock", id), "", id)
		h.Add(model.Belief{At: At(1 + float64(i)), Contender: name, Lock: "/lock", Key: ClaimKey("/lock", id), Lease: id,
			State: []model.BeliefState{model.BeliefHolding, model.BeliefWaiting}[i]})
	}
	return h
}

package model

import (
	"fmt"
	"slices"
	"time"
)

var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func At(s float64) time.Time { return Start.Add(time.Duration(s * float64(time.Second))) }

// History writes the events of a story with as little noise as possible.
type History struct {
	Rev    int64
	Keys   map[string]KV
	Events []Event
}

func New() *History { return &History{Rev: 100, Keys: map[string]KV{}} }

func (h *History) Add(e ...Event) { h.Events = append(h.Events, e...) }

// loaded ends the first list: nothing was there before.
func (h *History) Loaded(sec float64) {
	h.Add(LoadStarted{At: At(sec), Rev: h.Rev}, Loaded{At: At(sec), Rev: h.Rev})
}

func ClaimKey(lock string, lease LeaseID) string { return lock + "/" + lease.String() }

func (h *History) Put(sec float64, key, value string, lease LeaseID) {
	h.Rev++
	h.Add(Committed{At: At(sec), Rev: h.Rev, Changes: []Change{{KV: h.Write(key, value, lease)}}})
}

func (h *History) Write(key, value string, lease LeaseID) KV {
	kv := h.Keys[key]
	if kv.Key == "" {
		kv = KV{Key: key, CreateRev: h.Rev}
	}
	kv.Value, kv.Lease, kv.ModRev = value, lease, h.Rev
	kv.Version++
	h.Keys[key] = kv
	return kv
}

func (h *History) Del(sec float64, keys ...string) {
	h.Rev++
	c := Committed{At: At(sec), Rev: h.Rev}
	for _, k := range keys {
		delete(h.Keys, k)
		c.Changes = append(c.Changes, Change{Deleted: true, KV: KV{Key: k, ModRev: h.Rev}})
	}
	h.Add(c)
}

// end deletes every key of a lease in one revision, as a revoke and an expiry do.
func (h *History) End(sec float64, lease LeaseID) {
	var keys []string
	for k, kv := range h.Keys {
		if kv.Lease == lease {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	h.Del(sec, keys...)
}

func (h *History) Read(sec float64, lease LeaseID, granted, remaining int64) {
	h.Add(LeaseRead{At: At(sec), ID: lease, Granted: granted, Remaining: remaining, Term: 2, Rev: h.Rev})
}

// Undated makes history of what was added since mark, read all at once at that second.
func (h *History) Undated(mark int, sec float64) {
	for i, e := range h.Events[mark:] {
		c := e.(Committed)
		c.At, c.Past = At(sec), true
		h.Events[mark+i] = c
	}
}

// TenClaims lists n claims, ten to a lock, as a list from etcd brings them: in
// key order, in parts of 2,000.
func TenClaims(n int) []Event {
	events := []Event{LoadStarted{At: Start, Rev: int64(n)}}
	var kvs []KV
	for i := range n {
		lease := LeaseID(0x694d81e5fc650000 + i)
		kvs = append(kvs, KV{Key: fmt.Sprintf("/bench/lock-%06d/%s", i/10, lease), CreateRev: int64(i + 1),
			ModRev: int64(i + 1), Version: 1, Lease: lease})
		if len(kvs) == 2000 || i == n-1 {
			events = append(events, Listed{At: Start, Rev: int64(n), KVs: kvs, Done: int64(i + 1), Total: int64(n)})
			kvs = nil
		}
	}
	return append(events, Loaded{At: Start, Rev: int64(n)})
}

// OneQueue lists n claims of a single lock.
func OneQueue(n int) []Event {
	events := TenClaims(n)
	for _, e := range events {
		if l, ok := e.(Listed); ok {
			for i, kv := range l.KVs {
				l.KVs[i].Key = "/bench/lock/" + kv.Lease.String()
			}
		}
	}
	return events
}

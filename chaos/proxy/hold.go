package proxy

import (
	"maps"
	"slices"
	"sync"

	"locktop/model"
)

// holds are the calls whose renewals hold-keepalives may act on.
type holds struct {
	faults *faults
	mu     sync.Mutex
	calls  map[*renewals]bool
}

// keeps says whether a renewal of that lease on that connection is to be held.
func (h *holds) keeps(l *connection, lease model.LeaseID) bool {
	for _, x := range h.faults.now().list {
		if x.Kind == model.FaultHoldKeepalives && (x.lease != 0 && x.lease == lease || x.appliesTo(l.route)) {
			return true
		}
	}
	return false
}

// release lets go what no fault keeps back any more.
func (h *holds) release() {
	h.mu.Lock()
	calls := slices.Collect(maps.Keys(h.calls))
	h.mu.Unlock()
	for _, r := range calls {
		r.release()
	}
}

// renewals registers the requests of one LeaseKeepAlive call.
func (h *holds) renewals(l *connection, to sink) *renewals {
	r := &renewals{holds: h, link: l, to: to, heldMessages: map[model.LeaseID]*piece{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls == nil {
		h.calls = map[*renewals]bool{}
	}
	h.calls[r] = true
	return r
}

// ended forgets a call, and with it what it held.
func (h *holds) ended(r *renewals) {
	h.mu.Lock()
	delete(h.calls, r)
	h.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, lease := range r.order {
		r.to.forget(r.heldMessages[lease])
	}
	r.order = nil
}

// sink takes the requests of a call.
type sink interface {
	send(p *piece) error
	forget(p *piece) // it will not be sent
}

// renewals are the requests of one LeaseKeepAlive call. clientv3 sends those of
// all its leases through one call, so it is messages that are held, not the call.
type renewals struct {
	holds *holds
	link  *connection

	mu           sync.Mutex // keeps the order
	to           sink
	heldMessages map[model.LeaseID]*piece // the latest held message of each lease
	order        []model.LeaseID          // of kept, oldest first
	end          *piece                   // the client's half-close, if it came
}

// busy says whether something is kept back.
func (r *renewals) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.order) > 0
}

// pass sends a request to the member or keeps it back. A later request for the same
// lease takes the place of the one that is kept.
func (r *renewals) pass(p *piece) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.end {
		r.end = p
		return r.finish()
	}
	lease := renewedLease(p.text)
	if !r.holds.keeps(r.link, lease) {
		return r.to.send(p)
	}
	if old := r.heldMessages[lease]; old != nil {
		r.to.forget(old)
	} else {
		r.order = append(r.order, lease)
	}
	r.heldMessages[lease] = p
	return nil
}

// release sends what is not to be held any more. If the call is over by now there
// is nobody to tell.
func (r *renewals) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = slices.DeleteFunc(r.order, func(lease model.LeaseID) bool {
		if r.holds.keeps(r.link, lease) {
			return false
		}
		if r.to.send(r.heldMessages[lease]) != nil {
			r.to.forget(r.heldMessages[lease])
		}
		delete(r.heldMessages, lease)
		return true
	})
	_ = r.finish()
}

// finish passes the half-close on once nothing is kept back: a member that sees the
// end without the request would answer at once where silence is wanted.
func (r *renewals) finish() error {
	if r.end == nil || len(r.order) > 0 {
		return nil
	}
	end := r.end
	r.end = nil
	return r.to.send(end)
}

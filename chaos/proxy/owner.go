package proxy

import (
	"sync"

	"locktop/model"
)

// maxOwned bounds the memory of leases that ended without a revoke. When it is
// reached all is forgotten, and each renewal is reported once more.
const maxOwned = 100_000

// owners remembers what was reported, so that nothing is reported twice.
type owners struct {
	mu       sync.Mutex
	reported map[model.LeaseID]map[string]model.LeaseOwner // by client
}

// news says whether this was not reported yet: another client, another member, or
// the first renewal by the client that was granted the lease. A guess is no news
// where the owner is certain.
func (o *owners) news(e model.LeaseOwner) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	clients := o.reported[e.Lease]
	if old, known := clients[e.Name]; known {
		if old.Member == e.Member && (old.Renews || !e.Renews) {
			return false
		}
		clients[e.Name] = e
		return true
	}
	for _, other := range clients {
		if other.Certain && !e.Certain {
			return false
		}
	}
	if o.reported == nil || len(o.reported) >= maxOwned {
		o.reported = map[model.LeaseID]map[string]model.LeaseOwner{}
	}
	if o.reported[e.Lease] == nil {
		o.reported[e.Lease] = map[string]model.LeaseOwner{}
	}
	o.reported[e.Lease][e.Name] = e
	return true
}

// forgetLease drops a lease that was revoked.
func (o *owners) forgetLease(id model.LeaseID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.reported, id)
}

// forgetClient drops a client that went.
func (o *owners) forgetClient(client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, clients := range o.reported {
		delete(clients, client)
		if len(clients) == 0 {
			delete(o.reported, id)
		}
	}
}

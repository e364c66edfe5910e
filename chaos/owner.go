package chaos

import (
	"sync"

	"locktop/model"
)

// maxOwned bounds the memory of leases that ended without a revoke. When it is
// reached all is forgotten, and each renewal is reported once more.
const maxOwned = 100_000

// owners remembers what was reported, so that each is reported once.
type owners struct {
	mu   sync.Mutex
	seen map[model.LeaseID]map[string]bool // client → certain
}

// first says whether it is news that the client has the lease. A guess is no news
// where the owner is certain.
func (o *owners) first(id model.LeaseID, client string, certain bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	clients := o.seen[id]
	if _, known := clients[client]; known {
		return false
	}
	for _, sure := range clients {
		if sure && !certain {
			return false
		}
	}
	if o.seen == nil || len(o.seen) >= maxOwned {
		o.seen = map[model.LeaseID]map[string]bool{}
	}
	if o.seen[id] == nil {
		o.seen[id] = map[string]bool{}
	}
	o.seen[id][client] = certain
	return true
}

// forgetLease drops a lease that was revoked.
func (o *owners) forgetLease(id model.LeaseID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, id)
}

// forgetClient drops a client that went.
func (o *owners) forgetClient(client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, clients := range o.seen {
		delete(clients, client)
		if len(clients) == 0 {
			delete(o.seen, id)
		}
	}
}

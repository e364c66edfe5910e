package model

import (
	"slices"
	"time"
)

// keysAge is how old the list of what hangs on a lease may be, where it is needed.
const keysAge = 30 * time.Second

// leaseKeys takes in what etcd lists as attached to a lease.
func (k *Keyspace) leaseKeys(e LeaseKeys) {
	l := k.byID[e.ID]
	if l == nil || e.At.Before(k.woke) || l.attached != nil && e.At.Before(l.attached.At) {
		return
	}
	l.keep().attached, l.needKeys = &e, false
	k.TouchLease(l)
}

// hangs follows up on a change of what hangs on a lease, where somebody asked for that.
func (k *Keyspace) hangs(l *Lease) {
	if l != nil && l.attached != nil {
		k.TouchLease(l)
	}
}

// Attached returns what etcd listed last of the keys that hang on the lease, nil if it was
// not asked. Keys outside of what is watched are among them.
func (l *Lease) Attached() *LeaseKeys { return l.attached }

// Others returns the keys that hang on the lease besides one, as far as they were named,
// and how many there are in all. Known is false where etcd was not asked, or did not say.
func (l *Lease) Others(key string) (names []string, n int, known bool) {
	a := l.attached
	if a == nil || a.Reason != "" {
		return nil, 0, false
	}
	n = a.Total
	listed := slices.Contains(a.Keys, key)
	if listed || a.Total > len(a.Keys) { // else it joined since
		n--
	}
	for _, name := range a.Keys {
		if name != key {
			names = append(names, name)
		}
	}
	if a.Total == len(a.Keys) {
		for _, c := range l.claims { // the watch knows of those that joined since
			if c.Key != key && c.ModRev > a.Rev && !slices.Contains(names, c.Key) {
				names, n = append(names, c.Key), n+1
			}
		}
	}
	slices.Sort(names)
	return names, n, true
}

// NeedKeys asks for a list of what hangs on a lease, with one of its next readings.
func (k *Keyspace) NeedKeys(l *Lease) {
	if a := l.attached; a != nil && k.now.Sub(a.At) < keysAge || l.needKeys {
		return
	}
	l.keep().needKeys = true
	k.keysNeeded = append(k.keysNeeded, l.ID)
	k.reschedule(l, k.now)
}

// KeysNeeded returns the leases of which it is to be known what hangs on them, and is not.
func (k *Keyspace) KeysNeeded() []LeaseID {
	k.keysNeeded = slices.DeleteFunc(k.keysNeeded, func(id LeaseID) bool { l := k.byID[id]; return l == nil || !l.needKeys })
	return k.keysNeeded
}

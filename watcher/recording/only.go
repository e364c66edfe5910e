package recording

import (
	"slices"
	"strings"

	"locktop/model"
)

// Only leaves out what is not about some keys: those under one of the prefixes, and those of the
// locks, which are the keys of their names and below. The cluster, its members and leases stay.
// Without either it leaves out nothing.
type Only struct {
	Prefixes, Locks []string

	leases map[model.LeaseID]bool // on which such a key was seen to hang
	// Strict: readings of other leases go, too, and the names of other keys. What is sent to others
	// is to tell of no other lock.
	Strict bool
	// met: a prefix that was watched covers some of them.
	met bool
}

// IsAll says whether nothing is left out.
func (o *Only) IsAll() bool {
	return len(o.Locks) == 0 && (len(o.Prefixes) == 0 || slices.Contains(o.Prefixes, ""))
}

// Met says whether any prefix that was watched has to do with what is asked for. It is known once all
// was read.
func (o *Only) Met() bool { return o.met || o.IsAll() }

// places are what is asked for as prefixes, none within another.
func (o *Only) places() []string {
	all := slices.Concat(o.Prefixes, o.Locks)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { // one within another is told with that
		return slices.ContainsFunc(all, func(q string) bool { return q != p && strings.HasPrefix(p, q) })
	})
}

// key says whether a key belongs to it.
func (o *Only) key(key string) bool {
	for _, p := range o.Prefixes {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return slices.ContainsFunc(o.Locks, func(lock string) bool { return below(key, lock) })
}

// below says whether a key is a lock's name, or lies below it.
func below(key, lock string) bool {
	rest, ok := strings.CutPrefix(key, lock)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(lock, "/"))
}

// watched are the prefixes in the place of one that was watched: itself, if it lies within what is
// asked for, or what of that lies within it.
func (o *Only) watched(prefix string) (all []string) {
	for _, p := range o.places() {
		switch {
		case strings.HasPrefix(prefix, p):
			o.met = true
			return []string{prefix}
		case strings.HasPrefix(p, prefix):
			o.met = true
			all = append(all, p)
		}
	}
	return all
}

// Events returns what is left of an event: itself, nothing, or where a list of several prefixes was
// one, an event for each.
func (o *Only) Events(e model.Event) []model.Event {
	if o.IsAll() {
		return []model.Event{e}
	}
	switch e := e.(type) {
	case model.Committed:
		var kept []model.Change
		for _, c := range e.Changes {
			if o.key(c.KV.Key) {
				o.note(c.KV)
				kept = append(kept, c)
			}
		}
		if len(kept) < len(e.Changes) {
			e.Changes = kept
		}
		return []model.Event{e} // one without changes says how far the cluster is
	case model.Requested:
		var all []string
		for _, p := range e.Prefixes {
			all = append(all, o.watched(p)...)
		}
		e.Prefixes = all
		return []model.Event{e}
	case model.LoadStarted:
		return each(o, e.Prefix, func(p string) model.Event { e.Prefix = p; return e })
	case model.Listed:
		kvs := e.KVs
		return each(o, e.Prefix, func(p string) model.Event {
			e.Prefix, e.KVs = p, nil
			for _, kv := range kvs {
				if strings.HasPrefix(kv.Key, p) && o.key(kv.Key) {
					o.note(kv)
					e.KVs = append(e.KVs, kv)
				}
			}
			e.Done, e.Total = int64(len(e.KVs)), 0
			return e
		})
	case model.Loaded:
		return each(o, e.Prefix, func(p string) model.Event { e.Prefix = p; return e })
	case model.Watching:
		return each(o, e.Prefix, func(p string) model.Event { e.Prefix = p; return e })
	case model.Lost:
		return each(o, e.Prefix, func(p string) model.Event { e.Prefix = p; return e })
	case model.Back:
		return each(o, e.Prefix, func(p string) model.Event { e.Prefix = p; return e })
	case model.LeaseRead:
		return one(e, !o.Strict || o.leases[e.ID])
	case model.LeaseUnread:
		return one(e, !o.Strict || o.leases[e.ID])
	case model.LeaseOwner:
		return one(e, !o.Strict || o.leases[e.Lease])
	case model.LeaseKeys:
		if o.Strict {
			e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(k string) bool { return !o.key(k) })
			return one(e, o.leases[e.ID])
		}
		return []model.Event{e}
	case model.Contender:
		return one(e, o.name(e.Lock))
	case model.Belief:
		return one(e, o.name(e.Lock))
	case model.Access:
		return one(e, o.name(e.Lock))
	case model.Wrote:
		return one(e, o.key(e.Key))
	case model.Revoked:
		return one(e, !o.Strict || o.leases[e.Lease])
	case model.Watches:
		return one(e, !o.Strict || o.key(e.Key))
	case model.Acted:
		return one(e, e.Outcome.Action.Lock == "" || o.name(e.Outcome.Action.Lock))
	case model.Printed: // there may be anything in it
		return one(e, !o.Strict)
	}
	return []model.Event{e}
}

// name says whether a lock belongs to it, by its name.
func (o *Only) name(lock string) bool { return lock == "" || o.key(lock) || o.key(lock+"/") }

func (o *Only) note(kv model.KV) {
	if kv.Lease != 0 {
		if o.leases == nil {
			o.leases = map[model.LeaseID]bool{}
		}
		o.leases[kv.Lease] = true
	}
}

func one(e model.Event, keep bool) []model.Event {
	if keep {
		return []model.Event{e}
	}
	return nil
}

func each(o *Only, prefix string, with func(string) model.Event) (all []model.Event) {
	for _, p := range o.watched(prefix) {
		all = append(all, with(p))
	}
	return all
}

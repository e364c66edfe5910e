package store

import "locktop/model/locks"

// versions number the changes, so that who shows something knows whether it is other than before.
type versions struct {
	last   uint64
	byLock map[*locks.Lock]uint64 // of each lock, its last one
}

// note numbers changes. A lock that is forgotten takes its number with it.
func (v *versions) note(changes []locks.Change) {
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == locks.Coverage:
			v.last++
		case c.Kind != locks.Changed:
		case c.Lock.Listed():
			v.last++
			v.byLock[c.Lock] = v.last
		default:
			v.last++
			delete(v.byLock, c.Lock)
		}
	}
}

// forget drops the numbers of the locks of another cluster.
func (v *versions) forget() { *v = versions{v.last + 1, map[*locks.Lock]uint64{}} }

package store

import (
	"locktop/model/copies"
)

// Clone returns a store that knows the same, with all that only history tells, and goes its own way:
// a checkpoint to which one can come back. What nobody writes to any more both have: spans that are
// over, and entries of the journal that are quiet. Nobody may apply to the first one meanwhile;
// several may clone it at once.
func (s *Store) Clone() *Store {
	k, c := s.locks.Clone()
	spans := s.timeline.Clone(k, c)
	said := s.reports.Clone(k, spans, c)
	found := s.findings.Clone(k, said, c)
	numbers := versions{s.versions.last, copies.Keys(s.versions.byLock, c.Lock)}
	c.Complete()
	return &Store{View: &View{k, said, found, spans, s.drill.Clone(), numbers}}
}

// weightLeast is what a store weighs without any key.
const weightLeast = 2000

// Weight returns how much a copy takes, in keys. An entry of the journal that may still change is
// copied, and takes as much as a key.
func (s *Store) Weight() int {
	keys, _ := s.Counts()
	for _, f := range s.Journal() {
		if !f.Quiet(s.Now()) {
			keys++
		}
	}
	return weightLeast + keys
}

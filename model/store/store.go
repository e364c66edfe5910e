package store

import (
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/model/timeline"
)

// Store is everything that is known, folded from batches. Whoever owns it applies and says what is
// to be read; to ask there is its View, which others get in its place. It is not safe for
// concurrent use: one goroutine applies and reads.
type Store struct {
	*View
	changes []locks.Change // memory for those of the event at hand
}

// New returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func New(pins ...model.Pin) *Store {
	k := locks.NewState(pins...)
	spans := timeline.New(k, 0)
	lab := reports.NewReports(k, spans)
	return &Store{View: &View{k, lab, findings.New(k, lab), spans, &reports.DrillRun{}, versions{byLock: map[*locks.Lock]uint64{}}}}
}

// Want returns what the store asks of its source now, where these leases are on a screen: they are
// read before others.
func (s *Store) Want(visible []model.LeaseID) model.Want {
	s.locks.Leases.ShowLeases(visible)
	return s.findings.Ask(s.locks.Want())
}

// NeedKeys asks for a list of what hangs on a lease, with one of its next readings.
func (s *Store) NeedKeys(id model.LeaseID) {
	if l := s.locks.Leases.Lease(id); l != nil {
		s.locks.Leases.NeedKeys(l)
	}
}

// SetMaxSpans makes the timeline keep so many spans at most from the next one on.
func (s *Store) SetMaxSpans(most int) { s.timeline.SetMaxSpans(most) }

// SetFindings puts a list, the worst first, in the place of what was found of a lock, until it is
// judged again: so a test judges what shows them.
func (s *Store) SetFindings(l *locks.Lock, found []model.Finding) {
	s.findings.Put(l, found)
	s.versions.note([]locks.Change{{Kind: locks.Changed, Lock: l}})
}

// Apply folds a batch into the state.
func (s *Store) Apply(b model.Batch) { s.ApplyWhile(b, func() bool { return true }) }

// ApplyWhile does so as long as it is to go on, which it asks before each event and each lock that
// an event is about, and says whether it came to the end of the batch. It is of no use after it did
// not: what was left out is missing.
func (s *Store) ApplyWhile(b model.Batch, goOn func() bool) bool { return s.applyEach(b, goOn, nil) }

// applyEach calls after, if it is not nil, with each event that was applied.
func (s *Store) applyEach(b model.Batch, goOn func() bool, after func(model.Event)) bool {
	for _, e := range b.Events {
		if !goOn() {
			return false
		}
		s.apply(e, goOn)
		if after != nil {
			after(e)
		}
	}
	return goOn()
}

// apply takes an event from one part to the next. Each gets what the event changed of those before
// it and returns what it changes itself.
func (s *Store) apply(e model.Event, goOn func() bool) {
	changes := append(s.changes[:0], s.locks.Apply(e)...)
	written := len(changes)
	changes = append(changes, s.reports.Apply(e, changes)...)
	changes = append(changes, s.drill.Apply(e)...)
	s.locks.Write(changes[written:])
	s.timeline.Apply(e, changes)
	found := s.findings.Apply(e, changes, goOn)
	s.locks.Write(found)
	s.timeline.Note(found)
	changes = append(changes, found...)
	if lost, is := e.(model.Lost); is && lost.Reason == model.LostCluster {
		s.versions.forget()
	}
	s.versions.note(changes)
	clear(changes) // nothing is kept of what went
	s.changes = changes
}

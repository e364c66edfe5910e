package fold

import (
	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/intervals"
	"locktop/model/lab"
)

// State is everything that is known, folded from batches. It is not safe for
// concurrent use: one goroutine applies and reads. Only of the locks that Locks returned
// several may read queues, claims, findings and identities while nobody applies.
type State struct {
	*model.Keyspace
	*lab.Reports
	*diagnose.Diagnosis
	// Book is when each claim waited and held.
	Book *intervals.Book
}

// NewState returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewState(pins ...model.Pin) *State {
	k := model.NewKeyspace(pins...)
	book := intervals.NewBook(k, 0)
	lab := lab.NewReports(k, book)
	k.SetWitness(lab)
	return &State{k, lab, diagnose.NewDiagnosis(k, lab), book}
}

// Apply folds a batch into the state.
func (s *State) Apply(b model.Batch) {
	for _, e := range b.Events {
		s.Keyspace.Apply(e)
		s.Book.Follow(e)
		switch e := e.(type) {
		case model.Committed, model.Listed, model.Loaded:
			s.Reports.Follow()
		case model.Lost:
			if e.Reason == model.LostCluster {
				s.Book.Forget()
				s.Reports.Forget()
				s.Diagnosis.Forget()
			}
		case model.ClusterStatus:
			s.UpdateCluster()
		default:
			s.Reports.Apply(e)
		}
		s.Update()
	}
	s.Book.ReadJournal()
}

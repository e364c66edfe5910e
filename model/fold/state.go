package fold

import (
	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/intervals"
	"locktop/model/keyspace"
	"locktop/model/lab"
	"locktop/model/rehearsal"
)

// State is everything that is known, folded from batches. It is not safe for
// concurrent use: one goroutine applies and reads. Only of the locks that Locks returned
// several may read queues, claims, findings and identities while nobody applies.
type State struct {
	*keyspace.Keyspace
	*lab.Reports
	*diagnose.Diagnosis
	// Book is when each claim waited and held.
	Book *intervals.Book
	// Drill is the drill, or lesson, that is played.
	Drill *rehearsal.Run
}

// NewState returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewState(pins ...model.Pin) *State {
	k := keyspace.NewKeyspace(pins...)
	book := intervals.NewBook(k, 0)
	lab := lab.NewReports(k, book)
	k.SetWitness(lab)
	return &State{k, lab, diagnose.NewDiagnosis(k, lab), book, &rehearsal.Run{}}
}

// Want returns what the state asks of its source now.
func (s *State) Want() model.Want { return s.Leaks.Ask(s.Keyspace.Want()) }

// Apply folds a batch into the state.
func (s *State) Apply(b model.Batch) {
	for _, e := range b.Events {
		s.Keyspace.Apply(e)
		s.Book.Follow(e)
		s.Leaks.Follow(e)
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
		case model.DrillBegan, model.DrillStep, model.DrillJudged, model.DrillOver:
			if line := s.Drill.Apply(e); line != nil {
				s.Record(line)
			}
		default:
			s.Reports.Apply(e)
		}
		s.Update()
	}
	s.Book.ReadJournal()
}

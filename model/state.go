package model

// State is everything that is known, folded from batches. It is not safe for
// concurrent use: one goroutine applies and reads. Only of the locks that Locks returned
// several may read queues, claims, findings and identities while nobody applies.
type State struct {
	*Keyspace
	*Reports
	*Diagnosis
}

// NewState returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewState(pins ...Pin) *State {
	k := NewKeyspace(pins...)
	lab := NewReports(k)
	k.SetWitness(lab)
	return &State{k, lab, NewDiagnosis(k, lab)}
}

// Apply folds a batch into the state.
func (s *State) Apply(b Batch) {
	for _, e := range b.Events {
		s.Keyspace.Apply(e)
		switch e := e.(type) {
		case Committed, Listed, Loaded:
			s.Reports.Follow()
		case Lost:
			if e.Reason == LostCluster {
				s.Reports.Forget()
				s.Diagnosis.Forget()
			}
		case ClusterStatus:
			s.UpdateCluster()
		default:
			s.Reports.Apply(e)
		}
		s.Update()
	}
}

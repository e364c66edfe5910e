package recipe

import "strings"

// Keys of Vitess, <lock>/locks/<lease id in decimal>, ordered by mod revision
// (etcd2topo/lock.go). The directory locks is part of the name that is shown.
var vitessForm = &Form{Shape: Queue, ByLease: true, Fits: func(k *Key) bool { return byDecimal(k) && ofVitess(k) }}

var vitess = []*Recipe{
	{Name: "vitess-lock", Users: "Vitess etcd2topo", Shape: Queue, Order: ByMod, HasHolder: true, Confidence: Strong,
		Signs: []Sign{
			{Forms: []*Form{vitessForm}, Lock: func(l Look) bool { return !ofVitessElection(l.Name) },
				Why: []string{namedInDecimal, "the values say who locked and why"}},
			{Forms: []*Form{decForm}, When: ValuesUnread, Confidence: Hint, Lock: func(l Look) bool { return strings.HasSuffix(l.Name, vitessDir) },
				Why: []string{namedInDecimal, "the path ends in locks", notSeen}},
		}},
	{Name: "vitess-election", Users: "Vitess etcd2topo", Shape: Queue, Order: ByMod, HasHolder: true, Leads: true, Confidence: Strong,
		Signs: []Sign{{Forms: []*Form{vitessForm}, Lock: func(l Look) bool { return ofVitessElection(l.Name) },
			Why: []string{namedInDecimal, "the path is that of an election of Vitess"}}}},
}

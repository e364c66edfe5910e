package recipe

import "strings"

// Keys of etcd3 for Node, <lock>/<lease id in decimal>. By itself such a name says
// nothing about exclusion: services are registered like this too.
var decForm = &Form{Shape: Queue, ByLease: true, Fits: func(k *Key) bool { return byDecimal(k) && !ofVitess(k) && !registers(k) }}

var npm = []*Recipe{
	{Name: "npm-election", Users: "etcd3 for Node", Shape: Queue, Order: ByCreate, HasHolder: true, Leads: true, Confidence: Hint,
		Signs: []Sign{
			{Forms: []*Form{decForm}, When: ValuesRead, Lock: belowElection,
				Why: []string{namedInDecimal, "the path has a segment election", "no value is an address, as those of a registry"}},
			{Forms: []*Form{decForm}, When: ValuesUnread, Lock: belowElection, Why: []string{namedInDecimal, "the path has a segment election", notSeen}},
		}},
}

func belowElection(l Look) bool { return strings.Contains("/"+l.Name, "/election/") }

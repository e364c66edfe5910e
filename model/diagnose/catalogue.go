package diagnose

import "locktop/model"

// Needs says what has to be there to find something.
type Needs string

// What findings need.
const (
	NeedsEtcd        Needs = "etcd alone"
	NeedsProxy       Needs = "proxy in the path"
	NeedsVersion     Needs = "server version"
	NeedsClient      Needs = "the client's word"
	NeedsMetrics     Needs = "the members' own metrics"
	NeedsDeclaration Needs = "expected number of contenders"
)

// Entry is what is known of one kind of finding, for somebody who has to act on it.
type Entry struct {
	Code  model.Code
	Title string // one line, plain words
	// Mechanism is what happens, Looks how it shows, Do what to do first and what
	// not to do. One to four sentences each.
	Mechanism, Looks, Do string
	// Threads are where it was reported or fixed: owner/repository#number, or only
	// repository#number.
	Threads []string
	// Needs is what it takes to find it: first what Confidence rests on, then what
	// makes it surer. If NeedsEtcd is not the first, etcd shows no sign of it that
	// would be worth a finding.
	Needs []Needs
	// Confidence is the most that may be claimed with the first of Needs.
	Confidence model.Confidence
	// Breaking says whether breaking the claim that it is about is a cure.
	Breaking Breaking
}

// Catalogue returns every kind of finding in the order in which a diagnosis asks:
// the cluster first, then a head that does not leave, a head that renews, the
// waiters, locks lost at work, and two who believe.
func Catalogue() []Entry {
	var all []Entry
	for _, part := range [][]Entry{clusterEntries, headEntries, renewingEntries, waiterEntries, lostEntries, twoEntries} {
		all = append(all, part...)
	}
	for i := range all {
		all[i].Breaking = breakings[all[i].Code]
	}
	return all
}

// Explain returns the entry of a code.
func Explain(code model.Code) (Entry, bool) {
	for _, e := range Catalogue() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}

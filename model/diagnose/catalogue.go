package diagnose

import (
	"slices"
	"strings"

	"locktop/model"
)

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
	Code model.Code
	// Place is where it stands in the catalogue, which begins with what a diagnosis asks
	// first. Places are counted in tens, so that one more fits between two.
	Place int
	Title string // one line, plain words
	// Word is the state of a lock that has it, in 14 cells at most. Story is the same as
	// the headline of a verdict: "{lock}" stands for the lock, or for how many there are.
	Word, Story string
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
	all := make([]Entry, len(order))
	for i, code := range order {
		all[i] = *entries[code]
	}
	return all
}

// Explain returns the entry of a code.
func Explain(code model.Code) (Entry, bool) {
	e := entries[code]
	if e == nil {
		return Entry{}, false
	}
	return *e, true
}

// Called returns the entries of a code, or of all codes by whose word a lock's state is
// called: "lock-cycle" and "deadlock" are the same.
func Called(name string) []Entry {
	var all []Entry
	for _, code := range order {
		if e := entries[code]; string(code) == name || e.Word == name || strings.ReplaceAll(e.Word, " ", "-") == name {
			all = append(all, *e)
		}
	}
	return all
}

// entries are those of all families, and order is that of the catalogue.
var (
	entries = map[model.Code]*Entry{}
	order   []model.Code
)

func init() {
	for _, f := range families {
		for i := range f.entries {
			e := &f.entries[i]
			entries[e.Code] = e
			order = append(order, e.Code)
		}
	}
	slices.SortFunc(order, func(a, b model.Code) int { return entries[a].Place - entries[b].Place })
}

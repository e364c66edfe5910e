package findings

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

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
		word := text.English(entries[code].Word)
		if string(code) == name || word == name || strings.ReplaceAll(word, " ", "-") == name {
			all = append(all, *entries[code])
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
		for i := range f.Entries {
			e := &f.Entries[i]
			entries[e.Code] = e
			order = append(order, e.Code)
		}
	}
	slices.SortFunc(order, func(a, b model.Code) int { return entries[a].Place - entries[b].Place })
}

package fields

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
)

// Diff is one thing that differs between two moments: a field of a lock, or of the cluster, for which
// Lock is "". Before and After are "" where there is none.
type Diff struct {
	Lock, Field, Before, After string
}

// Diffs are the fields of that.
var Diffs = []Field[Diff]{
	{Name: "lock", Title: "title-lock", In: In{Table: 10, CSV: 10, JSON: 10}, JSON: Bytes, Raw: func(d Diff) string { return d.Lock }},
	{Name: "field", Title: "title-field", In: In{Table: 20, CSV: 20, JSON: 20}, JSON: Text, Own: func(d Diff) string { return d.Field }},
	{Name: "before", Title: "title-before", In: In{Table: 30, CSV: 30, JSON: 30}, JSON: Bytes, Raw: func(d Diff) string { return d.Before }},
	{Name: "after", Title: "title-after", In: In{Table: 40, CSV: 40, JSON: 40}, JSON: Bytes, Raw: func(d Diff) string { return d.After }},
}

// compared are the fields of a lock that differ because something happened, and not because time
// passes.
var compared = []string{"recipe", "state", "holder", "lease", "holders", "waiters", "blocked", "handovers", "findings"}

// DiffOf returns what differs between two states, of the cluster first, then by the names of locks.
func DiffOf(a, b *store.View) (all []Diff) {
	note := func(lock, field, before, after string) {
		if before != after {
			all = append(all, Diff{lock, field, before, after})
		}
	}
	note("", "leader", leader(a), leader(b))
	note("", "alarms", strings.Join(a.Cluster().Alarms, " | "), strings.Join(b.Cluster().Alarms, " | "))
	note("", "findings", codesOf(a.ClusterFindings()), codesOf(b.ClusterFindings()))
	var names []string
	for _, s := range []*store.View{a, b} {
		for _, l := range s.Locks() {
			names = append(names, l.Name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := a.Lock(name), b.Lock(name)
		for _, f := range Locks {
			if slices.Contains(compared, f.Name) {
				note(name, f.Name, valueOf(&f, a, was), valueOf(&f, b, is))
			}
		}
	}
	return all
}

// valueOf is a field of a lock for programs, without what guards a spreadsheet, "" where there is no
// such lock.
func valueOf(f *Field[Lock], s *store.View, l *locks.Lock) string {
	if l == nil {
		return ""
	}
	x := Lock{s, l, s.Now()}
	if f.Name == "holder" {
		return holder(x)
	}
	return f.ForJSON(x)
}

func leader(s *store.View) string {
	for _, m := range s.Cluster().Members {
		if m.Leader {
			return m.Name
		}
	}
	return ""
}

func codesOf(list []model.Finding) string {
	var all []string
	for _, f := range list {
		all = append(all, string(f.Code))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " | ")
}

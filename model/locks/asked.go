package locks

import (
	"slices"
	"strings"

	"locktop/model"
)

// Bare is a watched prefix below which there is no lock, so that nothing there was judged.
type Bare struct {
	Prefix string
	Keys   int // that are there all the same
}

// Bare returns the prefixes that were listed and have no lock, by name. It looks at every key.
func (s *State) Bare() []Bare {
	var all []Bare
	for _, w := range s.Prefixes.Watches() {
		if w.WasListed() {
			all = append(all, Bare{Prefix: w.Prefix})
		}
	}
	locked := make([]bool, len(all))
	for name, c := range s.Keys.claims {
		for i := range all {
			if strings.HasPrefix(name, all[i].Prefix) {
				all[i].Keys++
				locked[i] = locked[i] || c.home != nil
			}
		}
	}
	for _, l := range s.Keys.Locks() { // one that is free has no key
		for i := range all {
			locked[i] = locked[i] || strings.HasPrefix(l.Name+"/", all[i].Prefix)
		}
	}
	bare := all[:0]
	for i, b := range all {
		if !locked[i] {
			bare = append(bare, b)
		}
	}
	return bare
}

// Expectation is what somebody said of the locks under a prefix, and what is there.
type Expectation struct {
	Prefix string
	// Contenders is how many each lock there should have, at least.
	Contenders int
	// Locks is how many locks are there.
	Locks int
	// Few are those that have fewer contenders, by name.
	Few []*Lock
	// Hidden are those whose waiters leave no key, so that it is not known how many they have.
	Hidden []*Lock
}

// Met says whether what is there is as expected, as far as it is to be seen: a prefix without
// a lock is not.
func (e Expectation) Met() bool { return e.Locks > 0 && len(e.Few) == 0 }

// Expectations returns what was said, in that order. A lock is measured by the longest prefix
// that covers it.
func (s *State) Expectations() []Expectation {
	var all []Expectation
	for i := range s.Pins.all {
		p := &s.Pins.all[i]
		if p.Expect == 0 {
			continue
		}
		e := Expectation{Prefix: p.Prefix, Contenders: p.Expect}
		for _, l := range s.Keys.Locks() {
			if !l.recipe.HasHolder || !strings.HasPrefix(l.Name+"/", p.Prefix) {
				continue
			}
			e.Locks++
			switch {
			case s.Pins.expecting(l.Name) != p:
			case few(l, p.Expect):
				e.Few = append(e.Few, l)
			case !l.recipe.WaitersVisible() && p.Expect > 1:
				e.Hidden = append(e.Hidden, l)
			}
		}
		all = append(all, e)
	}
	return all
}

// Unheld yields the prefixes for which contenders are declared, and how many, under which no lock is known.
func (s *State) Unheld(yield func(prefix string, contenders int) bool) {
	for _, p := range s.Pins.all {
		if p.Expect == 0 {
			continue
		}
		all := s.Keys.Locks()
		i, _ := slices.BinarySearchFunc(all, strings.TrimSuffix(p.Prefix, "/"), func(l *Lock, name string) int { return strings.Compare(l.Name, name) })
		any := slices.ContainsFunc(all[i:], func(l *Lock) bool { return l.recipe.HasHolder && strings.HasPrefix(l.Name+"/", p.Prefix) })
		if !any && !yield(p.Prefix, p.Expect) {
			return
		}
	}
}

// Few says whether a lock has fewer contenders than were declared for it.
func (ps *Pins) Few(l *Lock) bool {
	want := ps.Expected(l.Name)
	return want > 0 && few(l, want)
}

// few says whether a lock has fewer contenders than it should. Where who waits leaves no key,
// only the holder can be missed.
func few(l *Lock, want int) bool {
	if !l.recipe.WaitersVisible() {
		want = min(want, 1)
	}
	return l.recipe.HasHolder && l.Own() < want
}

// expecting returns the pin that says how many contenders a lock should have, nil for none.
func (ps *Pins) expecting(lock string) (found *model.Pin) {
	for i := range ps.all {
		p := &ps.all[i]
		if p.Expect > 0 && strings.HasPrefix(lock+"/", p.Prefix) && (found == nil || len(p.Prefix) > len(found.Prefix)) {
			found = p
		}
	}
	return found
}

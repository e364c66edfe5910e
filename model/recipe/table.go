package recipe

import "slices"

// table has every recipe, in the order in which they are tried.
var table = slices.Concat(concurrency, npm, vitess, queues, generics, singles)

// The forms are numbered as the table names them, and what is asked of every key is
// put together.
func init() {
	last := FormID(0)
	number := func(f *Form) {
		if f == nil || f.id != 0 {
			return
		}
		last++
		f.id, forms[last] = last, f
		if f.Fits != nil || f.Named != nil {
			queueForms = append(queueForms, f)
		}
	}
	for _, r := range table {
		for _, s := range r.Signs {
			for _, f := range s.Forms {
				number(f)
			}
		}
		if r.Ignore != nil {
			ignored = append(ignored, r.Ignore)
		}
		if r.Owner != nil {
			owners = append(owners, r.Owner)
		}
		if r.Beside != "" {
			besides = append(besides, r.Beside)
		}
	}
	number(alone)
	number(leased)
	for _, kind := range [][]*Form{{hexForm}, {vitessForm}, {reader, writer}, {scalingo}, {suffixed}, {member}, {decForm}, {waiter}} {
		kinds = append(kinds, setOf(kind...))
	}
	for i := int(last) + 1; i < maxForms; i++ {
		forms[i] = forms[0]
	}
}

// All returns every recipe, for --recipe and for explain. It is not to be changed.
func All() []*Recipe { return table }

// Named returns the recipe of that name, nil if there is none. A semaphore has its number of permits
// behind its name.
func Named(name string) *Recipe {
	if r := withPermits(name); r != nil {
		return r
	}
	return find(func(r *Recipe) bool { return r.Name == name })
}

// Played returns the recipe by which a contender takes part that says that word, nil if
// there is none.
func Played(word string) *Recipe {
	if r := find(func(r *Recipe) bool { return slices.Contains(r.Plays, word) }); r != nil {
		return r
	}
	return Named(word)
}

func find(is func(r *Recipe) bool) *Recipe {
	if i := slices.IndexFunc(table, is); i >= 0 {
		return table[i]
	}
	return nil
}

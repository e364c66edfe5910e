package cli

import (
	"slices"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/report"
)

// spellings are the names that an argument may mean: the one that it is, and the one that is printed
// like it. JSON has names as they are, and all else escapes what a terminal would not show.
func spellings(arg string) []string {
	if arg == model.PrintableName("") {
		return []string{arg, ""}
	}
	if read := model.Unescape(arg); read != arg {
		return []string{arg, read}
	}
	return []string{arg}
}

// spelled are the prefixes that arguments may mean.
func spelled(args []string) (all []string) {
	for _, arg := range args {
		all = append(all, spellings(arg)...)
	}
	return all
}

// lockNamed returns the lock of one of these names, nil if there is none. Two are an error: nobody knows
// which of them is meant.
func lockNamed(s *store.Store, names []string) (found *locks.Lock, err error) {
	for _, name := range names {
		l := s.Lock(name)
		if l != nil && found != nil {
			return nil, bad("%q may be the lock that is printed as %s, or the one printed as %s: write \\\\ for each backslash of the one that you mean",
				names[0], model.Printable(found.Name), model.Printable(l.Name))
		}
		if l != nil {
			found = l
		}
	}
	return found, nil
}

// isNamed says whether a lock has one of these names.
func isNamed(names []string) func(*locks.Lock) bool {
	return func(l *locks.Lock) bool { return slices.Contains(names, l.Name) }
}

// meant leaves out of prefixes without a lock those that are another spelling of one that has locks, or
// that was named before.
func meant(bare []report.Bare, asked []string) []report.Bare {
	isBare := func(prefix string) bool {
		return slices.ContainsFunc(bare, func(b report.Bare) bool { return b.Prefix == prefix })
	}
	return slices.DeleteFunc(slices.Clone(bare), func(b report.Bare) bool {
		return slices.ContainsFunc(asked, func(p string) bool {
			return p != b.Prefix && (model.Unescape(p) == b.Prefix || model.Unescape(b.Prefix) == p && !isBare(p))
		})
	})
}

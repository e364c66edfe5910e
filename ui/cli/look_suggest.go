package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"locktop/model/locks"
)

// suggestionsMax is how many names a suggestion has at most: who reads more searches again.
const suggestionsMax = 3

// partLeast is the least of a name that tells it from the others.
const partLeast = 3

// didYouMean names what a person may have meant, as the end of an error: "; did you mean …?". It
// is empty if no name is near. What is near is cobra's judgement: one letter off, else two, or a
// beginning of the name; else a part of it.
func didYouMean(typed string, names []string) string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	near := all.SuggestionsFor(typed)
	all.SuggestionsMinimumDistance = 1
	if nearer := all.SuggestionsFor(typed); len(nearer) > 0 {
		near = nearer
	}
	if len(near) == 0 && utf8.RuneCountInString(typed) >= partLeast {
		near = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, typed) })
	}
	if typed == "" || len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(quoted(near[:min(len(near), suggestionsMax)]), " or "))
}

// lockNames are the names of locks that one can type as they are.
func lockNames(all []*locks.Lock) []string {
	var names []string
	for _, l := range all {
		if plainWord(l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}

// nearLocks names the locks beside one that is not there. It looks once more, for a second at
// most, at the first thousand keys beside it, and says nothing where it cannot look.
func (a *access) nearLocks(ctx context.Context, name string) string {
	dir := path.Dir(name)
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return didYouMean(name, a.lockNames(ctx, strings.TrimPrefix(dir, "./")))
}

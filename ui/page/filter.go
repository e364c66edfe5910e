package page

import (
	"regexp"
	"strings"

	"locktop/model"
	"locktop/ui/draw"
)

// matcher returns what a filter keeps, nil for all. A filter is words, each of which has to
// stand in one of the texts, or a regular expression between slashes; "!" inverts either.
// They tell capitals apart only if they contain one. An expression that is none keeps all:
// see [badFilter].
func matcher(filter string) func(texts ...string) bool {
	want, not := strings.CutPrefix(filter, "!")
	if strings.TrimSpace(want) == "" {
		return nil
	}
	fold := want == strings.ToLower(want)
	if re, is := expression(want); is {
		if fold {
			re = "(?i)" + re
		}
		x, err := regexp.Compile(re)
		if err != nil {
			return nil
		}
		return func(texts ...string) bool {
			for _, s := range texts {
				if x.MatchString(s) {
					return !not
				}
			}
			return not
		}
	}
	words := strings.Fields(want)
	return func(texts ...string) bool { return hasAll(texts, words, fold) != not }
}

func hasAll(texts, words []string, fold bool) bool {
	for _, w := range words {
		found := false
		for _, s := range texts {
			if fold {
				s = strings.ToLower(s)
			}
			if found = strings.Contains(s, w); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// expression cuts a regular expression out of its slashes.
func expression(want string) (re string, is bool) {
	if len(want) < 3 || want[0] != '/' || want[len(want)-1] != '/' {
		return "", false
	}
	return want[1 : len(want)-1], true
}

// badFilter says why a filter is no regular expression though it stands between slashes, ""
// if it filters.
func badFilter(filter string) model.Message {
	re, is := expression(strings.TrimPrefix(filter, "!"))
	if !is {
		return model.Message{}
	}
	if _, err := regexp.Compile(re); err != nil {
		return model.Say("not-a-regular-expression", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return model.Message{}
}

// filterMost is how many cells a filter takes in a title.
const filterMost = 24

// filteredBy says in a title by what rows are filtered, nil for nothing.
func filteredBy(th *draw.Theme, filter string) []draw.Span {
	if filter == "" {
		return nil
	}
	said := []draw.Span{draw.Plain.Of("   "), draw.Accent.Of(th.Say("filter-word")), draw.Strong.Of(" " + th.Cut(th.Clean(filter), filterMost)), draw.Plain.Of("   ")}
	if why := badFilter(filter); !why.IsZero() {
		return append(said, draw.Late.Of(th.Message(why)))
	}
	return append(said, draw.Accent.Of("esc"), draw.Dim.Of(" "+th.Say("key-clears")))
}

// Hits says how many rows a filter leaves, or why it filters nothing.
func Hits(filter string, left model.Message) model.Message {
	if why := badFilter(filter); !why.IsZero() {
		return why
	}
	return left
}

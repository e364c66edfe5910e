package fields

import (
	"strconv"
	"strings"

	"locktop/model/discover"
)

// Guesses are the fields of a prefix that looks like locks.
var Guesses = []Field[discover.PrefixGuess]{
	{Name: "name", In: In{JSON: 10}},
	{Name: "prefix", Title: "title-prefix", In: In{Table: 10, CSV: 10, Console: 10}, Width: Width{Least: 14, Fair: 24, Most: 60},
		Raw: func(p discover.PrefixGuess) string { return p.Prefix }},
	{Name: "recipe", Title: "title-recipe", In: In{Table: 20, CSV: 20, JSON: 30, Console: 20}, Width: Width{Least: 8, Fair: 18, Most: 24, Rank: 2},
		Cell: recipes, Record: func(p discover.PrefixGuess) string { return Guarded(recipes(p)) }},
	{Name: "alternatives", In: In{JSON: 40}},
	{Name: "confidence", Title: "title-confidence", In: In{Table: 30, CSV: 30}, Own: guessSure},
	{Name: "recipe_confidence", In: In{JSON: 50}},
	{Title: "title-sure", In: In{Console: 30}, Width: Width{Least: 7, Most: 7, Rank: 3}},
	{Name: "locks", Title: "title-locks", In: In{Table: 40, CSV: 40, JSON: 60, Console: 40}, Width: Width{Least: 7, Most: 9, Rank: 1, Right: true},
		Own: guessLocks},
	{Name: "claims", Title: "title-claims", In: In{Table: 50, CSV: 50, JSON: 70, Console: 50}, Width: Width{Least: 7, Most: 9, Rank: 4, Right: true},
		Own: guessClaims},
	{Name: "leased", Title: "title-leased", In: In{Wide: 10, CSV: 60, JSON: 80}, Own: guessLeased},
	{Name: "pattern", Title: "title-pattern", In: In{Wide: 20, CSV: 70, JSON: 20},
		Raw: func(p discover.PrefixGuess) string { return p.Pattern }},
	{Name: "example", Title: "title-example", In: In{Wide: 30, CSV: 80, JSON: 90, Console: 60}, Width: Width{Least: 20, Fair: 30, Most: 70, Rank: 5},
		Raw: func(p discover.PrefixGuess) string { return p.Example }},
}

// recipes names the recipe, and those that only a value would tell from it.
func recipes(p discover.PrefixGuess) string {
	return strings.Join(append([]string{p.Recipe}, p.Alternatives...), " or ")
}

func guessSure(p discover.PrefixGuess) string   { return string(p.Confidence) }
func guessLocks(p discover.PrefixGuess) string  { return strconv.Itoa(p.Locks) }
func guessClaims(p discover.PrefixGuess) string { return strconv.Itoa(p.Claims) }
func guessLeased(p discover.PrefixGuess) string { return strconv.Itoa(p.Leased) }

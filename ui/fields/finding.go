package fields

import (
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

// Findings are the fields of a finding.
var Findings = []Field[model.Finding]{
	{Title: "FINDING", In: In{Console: 10}, Width: Width{Least: 19, Fair: 19, Most: 24}},
	{Name: "code", Title: "CODE", In: In{Table: 20, CSV: 10, JSON: 10}, Cell: code, Record: code},
	{Name: "severity", Title: "SEVERITY", In: In{Table: 10, CSV: 20, JSON: 20}, Cell: severity, Record: severity},
	{Name: "confidence", Title: "CONFIDENCE", In: In{Table: 30, CSV: 30, JSON: 30}, Cell: confidence, Record: confidence},
	{Name: "lock", Title: "LOCK", In: In{Table: 40, CSV: 40, JSON: 40, Console: 20}, Width: Width{Least: 17, Fair: 26, Most: 40, Rank: 1},
		Cell: func(f model.Finding) string { return orDash(model.Printable(f.Lock)) }, Record: func(f model.Finding) string { return Plain(f.Lock) }},
	{Name: "lease", Title: "LEASE", In: In{Table: 50, CSV: 50, JSON: 50},
		Cell: func(f model.Finding) string { return orDash(leaseIf(f.Lease)) }, Record: func(f model.Finding) string { return leaseIf(f.Lease) }},
	{Name: "since", Title: "SINCE", In: In{Table: 60, CSV: 60, JSON: 60, Console: 30}, Width: Width{Least: 6, Fair: 7, Most: 7, Rank: 4, Right: true},
		Cell:   func(f model.Finding) string { return f.Since.Format(time.RFC3339) },
		Record: func(f model.Finding) string { return f.Since.Format(time.RFC3339Nano) }},
	{Title: "SURE", In: In{Console: 40}, Width: Width{Least: 7, Most: 7, Rank: 3}},
	{Title: "IN SHORT", In: In{Console: 50}, Width: Width{Least: 20, Fair: 90, Most: 160, Rank: 2}},
	{Name: "summary", Title: "SUMMARY", In: In{Table: 70, CSV: 70, JSON: 70},
		Cell: func(f model.Finding) string { return f.Summary }, Record: func(f model.Finding) string { return Guarded(f.Summary) }},
	{Name: "evidence", In: In{CSV: 80, JSON: 80}, Record: func(f model.Finding) string { return joined(f.Evidence) }},
	{Name: "advice", In: In{CSV: 90, JSON: 90}, Record: func(f model.Finding) string { return joined(f.Advice) }},
	{Name: "etcdctl", In: In{CSV: 100, JSON: 100}, Record: func(f model.Finding) string { return joined(f.Etcdctl) }},
	{Name: "alternatives", In: In{CSV: 110, JSON: 110}, Record: func(f model.Finding) string { return joined(f.Alternatives) }},
}

func code(f model.Finding) string       { return string(f.Code) }
func severity(f model.Finding) string   { return string(f.Severity) }
func confidence(f model.Finding) string { return string(f.Confidence) }

// Guesses are the fields of a prefix that looks like locks.
var Guesses = []Field[model.PrefixGuess]{
	{Name: "name", In: In{JSON: 10}},
	{Name: "prefix", Title: "PREFIX", In: In{Table: 10, CSV: 10},
		Cell: func(p model.PrefixGuess) string { return model.Printable(p.Prefix) }, Record: func(p model.PrefixGuess) string { return Plain(p.Prefix) }},
	{Name: "recipe", Title: "RECIPE", In: In{Table: 20, CSV: 20, JSON: 30},
		Cell: recipes, Record: func(p model.PrefixGuess) string { return Guarded(recipes(p)) }},
	{Name: "alternatives", In: In{JSON: 40}},
	{Name: "confidence", Title: "CONFIDENCE", In: In{Table: 30, CSV: 30}, Cell: guessSure, Record: guessSure},
	{Name: "recipe_confidence", In: In{JSON: 50}},
	{Name: "locks", Title: "LOCKS", In: In{Table: 40, CSV: 40, JSON: 60}, Cell: guessLocks, Record: guessLocks},
	{Name: "claims", Title: "CLAIMS", In: In{Table: 50, CSV: 50, JSON: 70}, Cell: guessClaims, Record: guessClaims},
	{Name: "leased", Title: "LEASED", In: In{Wide: 10, CSV: 60, JSON: 80}, Cell: guessLeased, Record: guessLeased},
	{Name: "pattern", Title: "PATTERN", In: In{Wide: 20, CSV: 70, JSON: 20},
		Cell: func(p model.PrefixGuess) string { return model.Printable(p.Pattern) }, Record: func(p model.PrefixGuess) string { return Plain(p.Pattern) }},
	{Name: "example", Title: "EXAMPLE", In: In{Wide: 30, CSV: 80, JSON: 90},
		Cell: func(p model.PrefixGuess) string { return model.Printable(p.Example) }, Record: func(p model.PrefixGuess) string { return Plain(p.Example) }},
}

// recipes names the recipe, and those that only a value would tell from it.
func recipes(p model.PrefixGuess) string {
	return strings.Join(append([]string{p.Recipe}, p.Alternatives...), " or ")
}

func guessSure(p model.PrefixGuess) string   { return string(p.Confidence) }
func guessLocks(p model.PrefixGuess) string  { return strconv.Itoa(p.Locks) }
func guessClaims(p model.PrefixGuess) string { return strconv.Itoa(p.Claims) }
func guessLeased(p model.PrefixGuess) string { return strconv.Itoa(p.Leased) }

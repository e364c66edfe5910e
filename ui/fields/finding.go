package fields

import (
	"time"

	"locktop/model"
	"locktop/model/text"
)

// Findings are the fields of a finding.
var Findings = []Field[model.Finding]{
	{Title: "title-problem", In: In{Console: 10}, Width: Width{Least: 20, Fair: 28, Most: 28}},
	{Name: "code", Title: "title-code", In: In{Table: 20, CSV: 10, JSON: 10, Console: 60}, Width: Width{Least: 12, Fair: 22, Most: 22, Rank: 6}, Own: code},
	{Name: "severity", Title: "title-severity", In: In{Table: 10, CSV: 20, JSON: 20}, Own: severity},
	{Name: "confidence", Title: "title-confidence", In: In{Table: 30, CSV: 30, JSON: 30}, Own: confidence},
	{Name: "lock", Title: "title-lock", In: In{Table: 40, CSV: 40, JSON: 40, Console: 20}, Width: Width{Least: 17, Fair: 26, Most: 40, Rank: 1},
		Raw: func(f model.Finding) string { return f.Lock }},
	{Name: "lease", Title: "title-lease", In: In{Table: 50, CSV: 50, JSON: 50},
		Own: func(f model.Finding) string { return leaseIf(f.Lease) }},
	{Name: "claim", In: In{CSV: 120, JSON: 55}, Raw: func(f model.Finding) string { return f.Claim.Key }},
	{Name: "since", Title: "title-since", In: In{Table: 60, CSV: 60, JSON: 60, Console: 30}, Width: Width{Least: 6, Fair: 7, Most: 7, Rank: 3, Right: true},
		Cell:   func(f model.Finding) string { return f.Since.Format(time.RFC3339) },
		Record: func(f model.Finding) string { return f.Since.Format(time.RFC3339Nano) }},
	{Title: "title-waiting", In: In{Console: 35}, Width: Width{Least: 7, Most: 7, Rank: 5, Right: true}},
	{Title: "title-sure", In: In{Console: 40}, Width: Width{Least: 7, Most: 7, Rank: 4}},
	{Title: "title-fix", In: In{Console: 50}, Width: Width{Least: text.DoFirst, Fair: text.DoFirst, Most: 120, Rank: 2}},
	{Name: "summary", Title: "title-summary", In: In{Table: 70, CSV: 70, JSON: 70},
		Cell: func(f model.Finding) string { return text.English(f.Summary) }, Record: func(f model.Finding) string { return Guarded(text.English(f.Summary)) }},
	{Name: "evidence", In: In{CSV: 80, JSON: 80}, Record: func(f model.Finding) string { return joined(text.EnglishAll(f.Evidence)) }},
	{Name: "advice", In: In{CSV: 90, JSON: 90}, Record: func(f model.Finding) string { return joined(text.EnglishAll(f.Advice)) }},
	{Name: "etcdctl", In: In{CSV: 100, JSON: 100}, Record: func(f model.Finding) string { return joined(f.Etcdctl) }},
	{Name: "story", In: In{JSON: 120}},
	{Name: "count", In: In{JSON: 130}},
	{Name: "alternatives", In: In{CSV: 110, JSON: 110}, Record: func(f model.Finding) string { return joined(f.Alternatives) }},
}

func code(f model.Finding) string       { return string(f.Code) }
func severity(f model.Finding) string   { return string(f.Severity) }
func confidence(f model.Finding) string { return string(f.Confidence) }

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/model/timeline"
	"locktop/ui/fields"
)

// verdict is the worst of what is wrong, in JSON.
type verdict struct {
	Code       string  `json:"code"`
	Severity   string  `json:"severity"`
	Confidence string  `json:"confidence"`
	Lock       *string `json:"lock"`
	LockBase64 string  `json:"lock_base64,omitempty"`
	Locks      int     `json:"locks"`
	Text       string  `json:"text"`
	How        string  `json:"how"`
	Do         *string `json:"do"`
	Dont       *string `json:"dont"`
	Errors     int     `json:"errors"` // besides
	Warnings   int     `json:"warnings"`
}

func verdictOf(s *store.View) *verdict {
	v, any := s.Verdict()
	if !any {
		return nil
	}
	f := v.Finding
	out := &verdict{Code: string(f.Code), Severity: string(f.Severity), Confidence: string(f.Confidence), Locks: v.Locks, Text: text.English(v.Title()), How: v.How("en"),
		Do: OrNull(text.English(v.Do())), Dont: OrNull(text.English(v.Dont())), Errors: v.Errors, Warnings: v.Warnings}
	out.Lock, out.LockBase64 = textOrNull(f.Lock)
	return out
}

// OrNull is nil for no text: what is not known is null.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Top writes what all locks cost in the time that was observed, those first for which most was
// waited, in one of Formats.
func Top(w io.Writer, s *store.View, o Observation, format string) error {
	costs := fields.Costs(s, o.At.Add(-o.For), o.At)
	switch format {
	case "table", "wide":
		if err := topHead(w, s, costs); err != nil {
			return err
		}
		return align(w, fields.Rows(fields.CostFields, costs, format == "wide"))
	case "json":
		out := newStream(w, true)
		out.object(func() {
			out.name("schema")
			out.int(Schema)
			out.name("cluster")
			out.value(ClusterOf(s))
			out.name("observed")
			out.value(ObservedOf(s, o))
			out.name("verdict")
			out.value(verdictOf(s))
			out.name("locks")
			out.list(func() {
				for _, x := range costs {
					costObject.write(out, x)
				}
			})
		})
		return out.end()
	case "jsonl":
		return eachLine(w, slices.Values(costs), costObject.write)
	case "csv":
		return writeCSV(w, fields.Records(fields.CostFields, costs))
	}
	return noFormat(format)
}

// topHead says the worst of what is wrong, and what shorter holds of the first lock would
// change.
func topHead(w io.Writer, s *store.View, costs []fields.Cost) error {
	var b strings.Builder
	if v, any := s.Verdict(); any {
		fmt.Fprintln(&b, model.Short(text.English(v.Title()), lineMax))
		if do := text.English(v.Do()); do != "" {
			fmt.Fprintln(&b, "  do: "+model.Short(do, lineMax))
		}
		if dont := text.English(v.Dont()); dont != "" {
			fmt.Fprintln(&b, "  don't: "+dont)
		}
	}
	if len(costs) > 0 && costs[0].Visible && costs[0].TotalWait > 0 {
		x := costs[0]
		line := "Most was waited for " + model.Short(model.Printable(x.Name), cellMax)
		if half, ok := x.WhatIf(0.5); ok {
			line += fmt.Sprintf(": %s in all, %s if each hold of it had been half as long", model.Duration(x.TotalWait, x.Unseen > 0), model.Duration(half, false))
		}
		fmt.Fprintln(&b, line)
	}
	return writeText(w, &b)
}

// costObject is what a lock cost in JSON.
var costObject = objectOf(fields.CostFields, map[string]func(*stream, fields.Cost){
	"pairs": func(o *stream, x fields.Cost) { o.value(pairsOf(x.Pairs)) },
})

// pair is who waited for whom.
type pair struct {
	Waiter   string  `json:"waiter"`
	Holder   string  `json:"holder"`
	Episodes int     `json:"episodes"`
	Total    float64 `json:"total"`
	Longest  float64 `json:"longest"`
}

func pairsOf(all []timeline.Pair) []pair {
	out := []pair{}
	for _, p := range all[:min(len(all), fields.PairsMost)] {
		out = append(out, pair{p.Waiter, p.Holder, int(p.Episodes), p.Total.Seconds(), p.Longest.Seconds()})
	}
	return out
}

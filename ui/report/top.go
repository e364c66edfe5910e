package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/intervals"
	"locktop/ui/fields"
)

// verdict is the worst of what is wrong, in JSON.
type verdict struct {
	Code       string  `json:"code"`
	Severity   string  `json:"severity"`
	Confidence string  `json:"confidence"`
	Lock       *string `json:"lock"`
	Locks      int     `json:"locks"`
	Text       string  `json:"text"`
	How        string  `json:"how"`
	Do         *string `json:"do"`
	Dont       *string `json:"dont"`
	Errors     int     `json:"errors"` // besides
	Warnings   int     `json:"warnings"`
}

func verdictOf(s *fold.State) *verdict {
	v, any := s.Verdict()
	if !any {
		return nil
	}
	f := v.Finding
	out := &verdict{Code: string(f.Code), Severity: string(f.Severity), Confidence: string(f.Confidence), Locks: v.Locks, Text: v.Title(), How: v.How(),
		Do: orNull(v.Do()), Dont: orNull(v.Dont()), Errors: v.Errors, Warnings: v.Warnings}
	if f.Lock != "" {
		name, _ := text(f.Lock)
		out.Lock = &name
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Top writes what all locks cost in the time that was observed, those first for which most was
// waited, in one of Formats.
func Top(w io.Writer, s *fold.State, o Observation, format string) error {
	costs := fields.Costs(s, o.At.Add(-o.For), o.At)
	switch format {
	case "table", "wide":
		if err := topHead(w, s, costs); err != nil {
			return err
		}
		return align(w, fields.Rows(fields.CostFields, costs, format == "wide"))
	case "json":
		out := newStream(w, true, flushAt)
		out.open('{')
		out.name(`"schema": `)
		out.int(Schema)
		out.name(`"cluster": `)
		out.value(clusterOf(s))
		out.name(`"observed": `)
		out.value(observedOf(s, o))
		out.name(`"verdict": `)
		out.value(verdictOf(s))
		out.name(`"locks": `)
		out.open('[')
		for _, x := range costs {
			out.next()
			out.cost(x)
		}
		out.shut(']')
		out.shut('}')
		return out.end()
	case "jsonl":
		return eachLine(w, slices.Values(costs), (*stream).cost)
	case "csv":
		return writeCSV(w, fields.Records(fields.CostFields, costs))
	}
	return noFormat(format)
}

// topHead says the worst of what is wrong, and what shorter holds of the first lock would
// change.
func topHead(w io.Writer, s *fold.State, costs []fields.Cost) error {
	var lines []string
	if v, any := s.Verdict(); any {
		lines = append(lines, model.Short(v.Title(), lineMax))
		if do := v.Do(); do != "" {
			lines = append(lines, "  do: "+model.Short(do, lineMax))
		}
		if dont := v.Dont(); dont != "" {
			lines = append(lines, "  don't: "+dont)
		}
	}
	if len(costs) > 0 && costs[0].Visible && costs[0].TotalWait > 0 {
		x := costs[0]
		line := "Most was waited for " + model.Short(model.Printable(x.Name), cellMax)
		if half, ok := x.WhatIf(0.5); ok {
			line += fmt.Sprintf(": %s in all, %s if each hold of it had been half as long", model.Duration(x.TotalWait, x.Unseen > 0), model.Duration(half, false))
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return nil
}

// cost writes what a lock cost.
func (o *stream) cost(x fields.Cost) {
	orText := func(name, s string) {
		o.name(name)
		if s == "" {
			o.null()
			return
		}
		o.text(s)
	}
	p50 := func(name string, d intervals.Durations) {
		o.name(name)
		half, ok := d.P50()
		o.secondsIf(ok, half)
	}
	count := func(name string, known bool, n int) {
		o.name(name)
		if !known {
			o.null()
			return
		}
		o.int(int64(n))
	}
	ratio := func(name string, known bool, f float64) {
		o.name(name)
		if !known {
			o.null()
			return
		}
		o.b = strconv.AppendFloat(o.b, fields.Ratio(f), 'f', -1, 64)
	}
	o.open('{')
	o.bytes(`"name": `, `"name_base64": `, x.Name)
	recipe := ""
	if x.L != nil {
		recipe = x.L.Recipe().Name
	}
	orText(`"recipe": `, recipe)
	o.name(`"state": `)
	o.text(x.State(func(c model.Condition) string { return c.Word }))
	orText(`"moves_when": `, x.MovesWhen())
	o.name(`"total_wait": `)
	o.secondsIf(x.Visible, x.TotalWait)
	o.name(`"since": `)
	o.time(x.From)
	o.name(`"unseen": `)
	o.secondsIf(true, x.Unseen)
	count(`"waiters": `, x.Visible, x.Waiters)
	p50(`"wait_p50": `, x.WaitsSeen())
	p50(`"hold_p50": `, x.Holds)
	p50(`"gap_p50": `, x.Gaps)
	ratio(`"utilisation": `, true, x.Utilisation())
	o.name(`"queued": `)
	o.secondsIf(x.Visible, x.Queued)
	ratio(`"fairness": `, x.Fairness > 0, x.Fairness)
	count(`"bypassed": `, x.Visible, x.Bypass)
	o.name(`"convoy": `)
	if x.Visible {
		o.truth(x.Convoy())
	} else {
		o.null()
	}
	half, ok := x.WhatIf(0.5)
	o.name(`"total_wait_half_hold": `)
	o.secondsIf(ok, half)
	o.name(`"pairs": `)
	o.open('[')
	for _, p := range x.Pairs[:min(len(x.Pairs), fields.PairsMost)] {
		o.next()
		o.open('{')
		for _, of := range []struct{ name, who string }{{`"waiter": `, p.Waiter}, {`"holder": `, p.Holder}} {
			o.name(of.name)
			o.text(of.who)
		}
		count(`"episodes": `, true, p.Episodes)
		for _, d := range []struct {
			name string
			d    time.Duration
		}{{`"total": `, p.Total}, {`"longest": `, p.Longest}} {
			o.name(d.name)
			o.secondsIf(true, d.d)
		}
		o.shut('}')
	}
	o.shut(']')
	count(`"pairs_left_out": `, !x.PairsCut, max(0, len(x.Pairs)-fields.PairsMost))
	o.shut('}')
}

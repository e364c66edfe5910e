package report

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
)

// Over is a finding above info that came while one looked, and does not stand any more: of a lock, or of
// the cluster if Lock is empty. It came so many Times, First and Last.
type Over struct {
	Lock        string
	Finding     model.Finding // as it was the last time
	Times       int
	First, Last time.Time
}

// OverBy returns what is over of the locks that were asked for, nil for all, in the order in which it came
// first. Of a lock that is gone nobody knows whether it was asked for: it counts.
func OverBy(s *store.View, asked func(*locks.Lock) bool) []Over {
	var all []Over
	type problem struct {
		lock string
		code model.Code
	}
	at := map[problem]int{} // in all
	for _, f := range came(s.Journal()) {
		l, standing := s.Lock(f.lock), s.ClusterFindings()
		if f.lock != "" {
			standing = s.FindingsOf(l)
		}
		if asked != nil && l != nil && !asked(l) || slices.ContainsFunc(standing, func(now model.Finding) bool { return now.Code == f.Code }) {
			continue
		}
		i, known := at[problem{f.lock, f.Code}]
		if !known {
			i, at[problem{f.lock, f.Code}] = len(all), len(all)
			all = append(all, Over{Lock: f.lock, First: f.Since})
		}
		all[i].Finding, all[i].Last, all[i].Times = f.Finding, f.Since, all[i].Times+1
	}
	return all
}

// foundOn is what was found of a lock, or of the cluster: "".
type foundOn struct {
	lock string
	model.Finding
}

// came returns what was found, each as it was last. What took the place of something else stands for both.
func came(lines []*journal.Entry) (all []foundOn) {
	last := map[string]int{} // of a lock, and the lease that matters
	for _, e := range lines {
		if e.Kind != journal.Finding || e.Found == nil {
			continue
		}
		f := foundOn{e.Lock, model.Finding(*e.Found)}
		key := f.lock + "\x00" + f.Lease.String()
		i, known := last[key]
		if known && f.Follows(&all[i].Finding) && (!f.Same(&all[i].Finding) || f.Since.Equal(all[i].Since)) {
			all[i] = f
			continue
		}
		last[key] = len(all)
		all = append(all, f)
	}
	return all
}

// OverWords say it in lines, the first of them for how long was looked; nil if nothing is over.
func OverWords(o Observation) (lines []string) {
	if len(o.Over) == 0 {
		return nil
	}
	lines = []string{fmt.Sprintf("Seen in these %s, and not any more:", model.Duration(o.For, false))}
	told := overStories(o.Over)
	for i, x := range told {
		if i == overNamed {
			return append(lines, fmt.Sprintf("  and %d more", len(told)-i))
		}
		where := "the cluster"
		switch {
		case len(x.locks) > 1:
			where = model.CountOf(len(x.locks), "lock") + " (" + findings.FirstOf(x.locks) + ")"
		case x.Lock != "":
			where = model.Short(model.PrintableName(x.Lock), lineMax)
		}
		often := ""
		if x.Times > 1 {
			often = fmt.Sprintf(", %d times, the last %s ago", x.Times, model.Duration(o.At.Sub(x.Last), false))
		}
		lines = append(lines, fmt.Sprintf("  %s: %s", where, heading(x.Finding, often)))
	}
	return lines
}

// overStory is what is told in one line: what was found of one lease on several locks is the same.
type overStory struct {
	Over
	locks []string
}

func overStories(all []Over) (told []overStory) {
	type fact struct {
		code  model.Code
		lease model.LeaseID
		text  string
		times int
	}
	at := map[fact]int{} // in told
	for _, x := range all {
		f := fact{x.Finding.Code, x.Finding.Lease, text.English(x.Finding.Summary), x.Times}
		i, known := at[f]
		if known && f.lease != 0 {
			told[i].locks = append(told[i].locks, x.Lock)
			continue
		}
		at[f] = len(told)
		told = append(told, overStory{x, []string{x.Lock}})
	}
	return told
}

// overNamed bounds how many of them are told in lines.
const overNamed = 20

// over is one of them in JSON.
type over struct {
	Code       model.Code       `json:"code"`
	Severity   model.Severity   `json:"severity"`
	Confidence model.Confidence `json:"confidence"`
	Lock       *string          `json:"lock"`
	Base64     string           `json:"lock_base64,omitempty"`
	Times      int              `json:"times"`
	First      time.Time        `json:"first"`
	Last       time.Time        `json:"last"`
	Summary    string           `json:"summary"`
}

func oversOf(all []Over) []over {
	out := []over{}
	for _, x := range all {
		name, b64 := Text(x.Lock)
		out = append(out, over{x.Finding.Code, x.Finding.Severity, x.Finding.Confidence, OrNull(name), b64, x.Times, x.First, x.Last, text.English(x.Finding.Summary)})
	}
	return out
}

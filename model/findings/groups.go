package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/text"
)

// Findings of the same kind that are of one client make a story from that many on: fewer are
// read one by one. A deadlock is one story, however few locks are in it, and so are locks that
// share a lease: what is found of each of them is the same.
const (
	storyMin = 10
	oneMin   = 2
)

// storyNames is how many locks are named of a story.
const storyNames = 3

// cause is what findings of one story have in common.
type cause struct {
	code       model.Code
	severity   model.Severity
	confidence model.Confidence
	client     string // the client, or a lease, or the cycle of a deadlock
	unnamed    bool   // it is a lease
}

// StoriesOf returns every finding of the cluster and of the locks that are asked about, nil for all,
// as [Set.Findings] does. Those of one story have its number and their count, and so has what FindingsOf
// returns from then on: the same is found of many locks of one client, by its name or its lease. Of those
// whose client nothing names there is one story for each kind.
func (d *Set) StoriesOf(asked func(*locks.Lock) bool) []model.Finding {
	var all []*model.Finding
	for l, found := range d.known {
		if asked != nil && !asked(l) {
			continue
		}
		for i := range found {
			all = append(all, &found[i])
		}
	}
	slices.SortStableFunc(all, inOrder)
	byCause := map[cause][]*model.Finding{}
	var causes []cause // in the order of their first findings
	for _, f := range all {
		f.Story, f.Count = 0, 0
		c := d.causeOf(f)
		if byCause[c] == nil {
			causes = append(causes, c)
		}
		byCause[c] = append(byCause[c], f)
	}
	for _, c := range causes {
		if len(byCause[c]) < storyMin && c.unnamed { // too few for a story of their own
			rest := cause{c.code, c.severity, c.confidence, "", true}
			if byCause[rest] == nil {
				causes = append(causes, rest)
			}
			byCause[rest] = append(byCause[rest], byCause[c]...)
			delete(byCause, c)
		}
	}
	n := uint64(0)
	for _, c := range causes {
		if len(byCause[c]) < c.least() {
			continue
		}
		n++
		for _, f := range byCause[c] {
			f.Story, f.Count = n, len(byCause[c])
		}
	}
	found := d.ClusterFindings()
	for _, f := range all {
		found = append(found, *f)
	}
	return worstFirst(found)
}

// inOrder is the order of findings of locks: the worst first, and by name.
func inOrder(a, b *model.Finding) int {
	return cmp.Or(a.Severity.Compare(b.Severity), strings.Compare(a.Lock, b.Lock), strings.Compare(string(a.Code), string(b.Code)))
}

// least is how many findings of the cause make a story.
func (c cause) least() int {
	if c.code == model.CodeLockCycle || c.code == model.CodeSharedLease {
		return oneMin
	}
	return storyMin
}

// causeOf names what a finding may have in common with others: those of one deadlock name the
// same sessions and locks.
func (d *Set) causeOf(f *model.Finding) cause {
	switch f.Code {
	case model.CodeLockCycle:
		return cause{f.Code, f.Severity, f.Confidence, text.English(f.Summary), false}
	case model.CodeSharedLease:
		return cause{f.Code, f.Severity, f.Confidence, f.Lease.String(), false}
	}
	if id := d.k.Owners.Identity(f.Claim); id.Text != "" && id.Source != "uuid" {
		return cause{f.Code, f.Severity, f.Confidence, id.Text, false}
	}
	return cause{f.Code, f.Severity, f.Confidence, f.Lease.String(), true}
}

// StoryWords say of findings that are one story how many locks they are about, and which.
func (d *Set) StoryWords(parts []model.Finding) string {
	var locks []string
	seen := map[string]bool{}
	who, lease := d.k.Owners.Identity(parts[0].Claim).Text, parts[0].Lease
	for i := range parts {
		f := &parts[i]
		if !seen[f.Lock] {
			seen[f.Lock] = true
			locks = append(locks, f.Lock)
		}
		if d.k.Owners.Identity(f.Claim).Text != who {
			who = ""
		}
		if f.Lease != lease {
			lease = 0
		}
	}
	text := fmt.Sprintf("%d locks", len(locks))
	if len(locks) == 1 {
		text = "1 lock"
	}
	if who != "" {
		text += " of " + who
	}
	if lease != 0 {
		text += ", by one lease"
	}
	for i, name := range locks[:min(len(locks), storyNames)] {
		text += [...]string{": ", ", ", ", "}[i] + model.Short(model.Printable(name), 60)
	}
	if more := len(locks) - storyNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

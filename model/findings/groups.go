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
// read one by one. A deadlock is one story, however few locks are in it, and so is what is found of
// locks by one lease: it is the same of each of them.
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
	of         string
}

// causes are the ways in which findings belong together, the closest first: from how many on, and by what.
// What no way says anything of stands alone.
func (d *Set) causes() []way {
	return []way{
		{oneMin, func(f *model.Finding) (string, bool) { // those of one deadlock name the same sessions and locks
			switch f.Code {
			case model.CodeSharedLease:
				return f.Lease.String(), true
			case model.CodeLockCycle:
				return text.English(f.Summary), true
			}
			return "", false
		}},
		{storyMin, func(f *model.Finding) (string, bool) {
			id := d.k.Owners.Identity(f.Claim)
			return id.Text, id.Text != "" && id.Source != "uuid"
		}},
		{oneMin, func(f *model.Finding) (string, bool) { return f.Lease.String(), f.Lease != 0 }},
		{storyMin, func(f *model.Finding) (string, bool) {
			id := d.k.Owners.Identity(f.Claim)
			return "", id.Text == "" || id.Source == "uuid"
		}},
	}
}

type way struct {
	least int
	of    func(*model.Finding) (string, bool)
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
	together := map[*model.Finding][]*model.Finding{} // by the first of a story
	alone := slices.Clone(all)
	for _, way := range d.causes() {
		parts := map[cause][]*model.Finding{}
		for _, f := range alone {
			f.Story, f.Count = 0, 0
			if of, ok := way.of(f); ok {
				c := cause{f.Code, f.Severity, f.Confidence, of}
				parts[c] = append(parts[c], f)
			}
		}
		for _, story := range parts {
			if len(story) < way.least {
				continue
			}
			together[story[0]] = story
			for _, f := range story {
				f.Count = len(story)
			}
		}
		alone = slices.DeleteFunc(alone, func(f *model.Finding) bool { return f.Count > 0 })
	}
	n := uint64(0)
	for _, first := range all {
		if story := together[first]; story != nil {
			n++
			for _, f := range story {
				f.Story = n
			}
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
	text := model.CountOf(len(locks), "lock")
	if who != "" {
		text += " of " + who
	}
	if lease != 0 {
		text += ", by one lease"
	}
	return text + ": " + FirstOf(locks)
}

// FirstOf names the first locks, and says how many more there are.
func FirstOf(locks []string) string {
	text := ""
	for i, name := range locks[:min(len(locks), storyNames)] {
		text += [...]string{"", ", ", ", "}[i] + model.Short(model.PrintableName(name), 60)
	}
	if more := len(locks) - storyNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

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

// cause is what findings of one story have in common, besides what they say.
type cause struct {
	lease model.LeaseID
	of    string
}

// ways are how findings belong together, the closest first: from how many on, and by what. What no way
// says anything of stands alone.
var ways = []way{
	{oneMin, func(f *part) (cause, bool) { // those of one deadlock name the same sessions and locks
		switch f.Code {
		case model.CodeSharedLease:
			return cause{lease: f.Lease}, true
		case model.CodeLockCycle:
			return cause{of: text.English(f.Summary)}, true
		}
		return cause{}, false
	}},
	{storyMin, func(f *part) (cause, bool) { return cause{of: f.who}, f.who != "" }},
	{oneMin, func(f *part) (cause, bool) { return cause{lease: f.Lease}, f.Lease != 0 }},
	{storyMin, func(f *part) (cause, bool) { return cause{}, f.who == "" }},
}

type way struct {
	least int
	of    func(*part) (cause, bool)
}

// part is a finding of a lock, with what decides where it is told: there may be tens of thousands.
type part struct {
	*model.Finding
	lock     string
	rank, at int    // how bad it is; its place among those of its lock
	who      string // the client, if anything names it
	story    *story // that it is told in, or may be
	first    *part  // of its story
}

// story is what belongs together.
type story struct {
	first *part
	parts int
}

// byPlace puts the worst first, and those as bad by name.
func byPlace(a, b *part) int {
	if a.rank != b.rank {
		return a.rank - b.rank
	}
	if by := strings.Compare(a.lock, b.lock); by != 0 {
		return by
	}
	return cmp.Or(strings.Compare(string(a.Code), string(b.Code)), a.at-b.at)
}

// StoriesOf returns every finding of the cluster and of the locks that are asked about, nil for all,
// as [Set.Findings] does. Those of one story have its number and their count, and so has what FindingsOf
// returns from then on: the same is found of many locks of one client, by its name or its lease. Of those
// whose client nothing names there is one story for each kind.
func (set *Set) StoriesOf(asked func(*locks.Lock) bool) []model.Finding {
	return copied(set.inOrder(set.tell(asked)))
}

// Heads returns how many findings there are, and those that a list shows, in the order of StoriesOf: what
// belongs to no story, and of each story the one that is chosen, else the first. Only those with keep count,
// nil for all. They are no copies: only for reading.
func (set *Set) Heads(keep, chosen func(*model.Finding) bool) (heads []*model.Finding, of int) {
	all := set.tell(nil)
	of = len(all) + len(set.cluster)
	var list []*part
	places := map[*part]int{}
	for _, f := range all {
		if keep != nil && !keep(f.Finding) {
			continue
		}
		at, known := places[f.first]
		switch {
		case f.first == nil:
			list = append(list, f)
		case !known:
			places[f.first] = len(list)
			list = append(list, f)
		case chosen(f.Finding) || !chosen(list[at].Finding) && byPlace(f, list[at]) < 0:
			list[at] = f
		}
	}
	heads = set.inOrder(list)
	if keep != nil {
		heads = slices.DeleteFunc(heads, func(f *model.Finding) bool { return !keep(f) })
	}
	return heads, of
}

// tell numbers the stories of the locks that are asked about, nil for all, and returns what was found of
// them, in no order.
func (set *Set) tell(asked func(*locks.Lock) bool) []*part {
	all := set.found(asked)
	alone := slices.Clone(all)
	for _, f := range all {
		f.Story, f.Count = 0, 0
		if id := set.k.Owners.Identity(f.Claim); id.Source != "uuid" {
			f.who = id.Text
		}
	}
	var firsts []*part
	for _, way := range ways {
		type kind struct {
			code       model.Code
			severity   model.Severity
			confidence model.Confidence
			cause
		}
		stories := map[kind]*story{}
		for _, f := range alone {
			by, ok := way.of(f)
			if f.story = nil; !ok {
				continue
			}
			k := kind{f.Code, f.Severity, f.Confidence, by}
			s := stories[k]
			if s == nil {
				s = &story{first: f}
				stories[k] = s
			}
			if f.story = s; byPlace(f, s.first) < 0 {
				s.first = f
			}
			s.parts++
		}
		for _, s := range stories {
			if s.parts >= way.least {
				firsts = append(firsts, s.first)
			}
		}
		alone = slices.DeleteFunc(alone, func(f *part) bool {
			if f.story == nil || f.story.parts < way.least {
				return false
			}
			f.first, f.Count = f.story.first, f.story.parts
			return true
		})
	}
	slices.SortFunc(firsts, byPlace)
	for i, f := range firsts {
		f.Story = uint64(i + 1)
	}
	for _, f := range all {
		if f.first != nil {
			f.Story = f.first.Story
		}
	}
	return all
}

// found returns what was found of the locks that are asked about, nil for all, in no order.
func (set *Set) found(asked func(*locks.Lock) bool) []*part {
	room := make([]part, 0, len(set.byLock)+len(set.byLock)/4)
	for l, found := range set.known {
		if asked != nil && !asked(l) {
			continue
		}
		for i := range found {
			room = append(room, part{Finding: &found[i], lock: l.Name, rank: found[i].Severity.Compare(model.SevError), at: i})
		}
	}
	all := make([]*part, len(room))
	for i := range room {
		all[i] = &room[i]
	}
	return all
}

// inOrder puts findings of locks in order, and those of the cluster before them that are as bad.
func (set *Set) inOrder(ofLocks []*part) []*model.Finding {
	slices.SortFunc(ofLocks, byPlace)
	all := make([]*model.Finding, 0, len(set.cluster)+len(ofLocks))
	next := 0
	cluster := func(until int) {
		for ; next < len(set.cluster) && set.cluster[next].Severity.Compare(model.SevError) <= until; next++ {
			all = append(all, &set.cluster[next])
		}
	}
	for _, f := range ofLocks {
		cluster(f.rank)
		all = append(all, f.Finding)
	}
	cluster(model.SevInfo.Compare(model.SevError))
	return all
}

func copied(list []*model.Finding) []model.Finding {
	all := make([]model.Finding, len(list))
	for i, f := range list {
		all[i] = *f
	}
	return all
}

// StoryWords say of findings that are one story how many locks they are about, and which.
func (set *Set) StoryWords(parts []model.Finding) string {
	var locks []string
	seen := map[string]bool{}
	who, lease := set.k.Owners.Identity(parts[0].Claim).Text, parts[0].Lease
	for i := range parts {
		f := &parts[i]
		if !seen[f.Lock] {
			seen[f.Lock] = true
			locks = append(locks, f.Lock)
		}
		if set.k.Owners.Identity(f.Claim).Text != who {
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

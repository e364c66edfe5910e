package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/ui/draw"
)

// FactsOf are the last entries of the journal about a lock, n at most, as of the cursor; with
// them those about no lock, if it stands somewhere.
func (f Frame) FactsOf(lock string, n int) []*journal.Entry {
	l, at := f.S.Lock(lock), f.Axis.At()
	if at.IsZero() && l != nil {
		return l.Journal()
	}
	var all []*journal.Entry
	for _, e := range slices.Backward(f.UpTo(f.S.Journal())) {
		if len(all) >= n {
			break
		}
		if e.Lock == lock || e.Lock == "" && !at.IsZero() {
			all = append(all, e)
		}
	}
	slices.Reverse(all)
	if len(all) == 0 && l != nil { // of a lock at which little happens its own journal goes back further
		return f.UpTo(l.Journal())
	}
	return all
}

// factsSeen bounds how many entries are looked at for a few lines of what happened to all locks.
const factsSeen = 2_000

// FactsOfAll are the last entries of the journal about any lock, n at most, as of the cursor.
func (f Frame) FactsOfAll(n int) []*journal.Entry {
	var all []*journal.Entry
	kept := f.UpTo(f.S.Journal())
	for _, e := range slices.Backward(kept[max(0, len(kept)-factsSeen):]) {
		if len(all) >= n {
			break
		}
		if e.Part() || len(all) > 0 && e.Repeats(all[len(all)-1]) {
			continue
		}
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}

// JournalOf is that of a lock, nil for one without keys.
func (f Frame) JournalOf(lock string) []*journal.Entry {
	if l := f.S.Lock(lock); l != nil {
		return l.Journal()
	}
	return nil
}

// UpTo cuts off what is later than the cursor.
func (f Frame) UpTo(all []*journal.Entry) []*journal.Entry {
	if at := f.Axis.At(); !at.IsZero() {
		for at = at.Add(time.Microsecond); len(all) > 0 && !all[len(all)-1].At.Before(at); {
			all = all[:len(all)-1]
		}
	}
	return all
}

// spareFrom is how many free lines a page has at least for what happened.
const spareFrom = 5

// fillWith appends what happened, under its title, where h lines are still free below: no page is half
// empty. facts are asked for so many entries.
func fillWith(lines []string, f Frame, title []draw.Span, facts func(n int) []*journal.Entry, named bool, w, h int) []string {
	if h < spareFrom {
		return lines
	}
	lines = append(lines, draw.Blank(w), f.Th.Ruler(w, title...))
	return LastFacts(lines, f, facts(h-2), named, w, h-2)
}

// happenedTo is the title of what happened to a lock or a session.
func (f Frame) happenedTo(name string) []draw.Span {
	return []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-to") + " "), draw.Plain.Of(f.Th.CutPath(f.Th.Clean(name), 40))}
}

// factsOfLease are the last entries of the journal about claims on a lease, n at most.
func (f Frame) factsOfLease(id model.LeaseID, n int) []*journal.Entry {
	var all []*journal.Entry
	kept := f.UpTo(f.S.Journal())
	for _, e := range slices.Backward(kept[max(0, len(kept)-factsSeen):]) {
		if len(all) >= n {
			break
		}
		if id != 0 && (e.Claim.Lease == id || e.From.Lease == id) {
			all = append(all, e)
		}
	}
	slices.Reverse(all)
	return all
}

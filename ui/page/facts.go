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
	ofAll := func(e *journal.Entry) bool { return e.Lock == lock || e.Lock == "" && !at.IsZero() }
	if at.IsZero() && l != nil {
		return once(l.Journal(), n, ofAll)
	}
	all := once(f.UpTo(f.S.Journal()), n, ofAll)
	if len(all) == 0 && l != nil { // of a lock at which little happens its own journal goes back further
		return once(f.UpTo(l.Journal()), n, ofAll)
	}
	return all
}

// factsSeen bounds how many entries are looked at for a few lines of what happened to all locks.
const factsSeen = 2_000

// lately are the last entries as of the cursor.
func (f Frame) lately() []*journal.Entry {
	kept := f.UpTo(f.S.Journal())
	return kept[max(0, len(kept)-factsSeen):]
}

// FactsOfAll are the last entries of the journal about any lock, n at most, as of the cursor.
func (f Frame) FactsOfAll(n int) []*journal.Entry {
	return once(f.lately(), n, func(e *journal.Entry) bool { return !e.Part() })
}

// factsBeside are the last entries of the journal about other locks than one, n at most, as of the cursor.
func (f Frame) factsBeside(lock string, n int) []*journal.Entry {
	return once(f.lately(), n, func(e *journal.Entry) bool { return !e.Part() && e.Lock != "" && e.Lock != lock })
}

// factsOfLease are the last entries of the journal about claims on a lease, n at most.
func (f Frame) factsOfLease(id model.LeaseID, n int) []*journal.Entry {
	return once(f.lately(), n, func(e *journal.Entry) bool { return id != 0 && (e.Claim.Lease == id || e.From.Lease == id) })
}

// once are the last of the entries that are wanted, n at most. What a later line tells as well is not told
// a second time: a holder that renews late, then is silent, and then loses its lease is one story.
func once(kept []*journal.Entry, n int, wanted func(*journal.Entry) bool) []*journal.Entry {
	all := make([]*journal.Entry, 0, min(n, len(kept)))
	for i, e := range slices.Backward(kept) {
		if len(all) >= n {
			break
		}
		if !wanted(e) || len(all) > 0 && e.Repeats(all[len(all)-1]) || toldLater(e, all) || toldAround(e, kept[:i], all) {
			continue
		}
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}

// How far apart two lines of one story are at most, and how many lines apart.
const (
	storySpan  = 30 * time.Second
	storyEnd   = 2 * time.Second
	storyReach = 64
)

// silence says whether an entry is about a holder that does not renew.
func silence(e *journal.Entry) bool {
	return e.Kind == journal.Finding && (e.Code == model.CodeKeepaliveStalled || e.Code == model.CodeDeadHolder)
}

// goes says whether an entry tells that the holder of the lock went.
func goes(e *journal.Entry) bool {
	return e.Kind == journal.Handover || e.Kind == journal.Left && e.WasHolder
}

// toldLater says whether one of the later entries, newest first, tells more of what this one began.
func toldLater(e *journal.Entry, later []*journal.Entry) bool {
	blocked := e.Kind == journal.Blocked
	if !blocked && (!silence(e) || e.Severity == model.SevInfo) { // that it is over is not told here
		return false
	}
	for i, x := range slices.Backward(later) {
		switch {
		case len(later)-i > storyReach || x.At.Sub(e.At) > storySpan:
			return false
		case x.Lock != e.Lock || x.Kind == journal.Finding && x.Severity == model.SevInfo:
		case blocked && x.Code == model.CodeForeignKey, !blocked && (silence(x) || goes(x) && x.Cause == journal.CauseExpired):
			return true
		}
	}
	return false
}

// toldAround says whether an entry tells that a silence is over beside one that tells how it ended.
func toldAround(e *journal.Entry, before, later []*journal.Entry) bool {
	if !silence(e) || e.Severity != model.SevInfo {
		return false
	}
	ends := func(x *journal.Entry) bool {
		return x.Lock == e.Lock && goes(x) && x.At.Sub(e.At).Abs() <= storyEnd
	}
	return slices.ContainsFunc(before[max(0, len(before)-storyReach):], ends) || slices.ContainsFunc(later[max(0, len(later)-storyReach):], ends)
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
const spareFrom = 4

// fillWith appends what happened, under its title, where h lines are still free below: no page is half
// empty. facts are asked for so many entries.
func fillWith(lines []string, f Frame, title []draw.Span, facts func(n int) []*journal.Entry, named bool, w, h int) []string {
	if h < spareFrom {
		return lines
	}
	lines = append(lines, draw.Blank(w), f.Th.Ruler(w, title...))
	return lastFacts(lines, f, facts(h-2), named, w, h-2)
}

// fillBeside is [fillWith] what happened to other locks, where little happened to one.
func (f Frame) fillBeside(lines []string, lock string, w, h int) []string {
	if others := f.factsBeside(lock, max(0, h)); len(others) > 0 {
		return fillWith(lines, f, []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-to-others"))}, func(n int) []*journal.Entry { return others[max(0, len(others)-n):] }, true, w, h)
	}
	return lines
}

// fillBesideLease is [fillWith] what else happened, where little happened to a session.
func (f Frame) fillBesideLease(lines []string, id model.LeaseID, w, h int) []string {
	others := once(f.lately(), max(0, h), func(e *journal.Entry) bool {
		return !e.Part() && e.Lock != "" && e.Claim.Lease != id && e.From.Lease != id
	})
	if len(others) == 0 {
		return lines
	}
	return fillWith(lines, f, []draw.Span{draw.Dim.Of(f.Th.Say("what-else-happened"))}, func(n int) []*journal.Entry { return others[max(0, len(others)-n):] }, true, w, h)
}

// happenedTo is the title of what happened to a lock or a session.
func (f Frame) happenedTo(name string) []draw.Span {
	return []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-to") + " "), draw.Plain.Of(f.Th.CutPath(f.Th.Clean(name), 40))}
}

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

// factRows is how many lines an entry takes at most under a picture, if there are wholeFrom of
// them for all: on fewer more entries say more.
const (
	factRows  = 2
	wholeFrom = 4
)

// LastFacts appends the newest entries that h lines have room for, newest last.
func LastFacts(lines []string, f Frame, facts []*journal.Entry, w, h int) []string {
	if len(facts) == 0 && h > 0 && !f.Axis.At().IsZero() {
		return append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("the-journal-does-not-go-back"))}, nil))
	}
	if since := f.S.Timeline().Start(); len(facts) == 0 && h > 0 && !since.IsZero() {
		return append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("nothing-since", model.Verbatim(since.In(f.Now.Location()).Format(time.TimeOnly))))}, nil))
	}
	var all [][]string
	rows := 1
	if h >= wholeFrom {
		rows = factRows
	}
	for _, fact := range slices.Backward(facts) {
		sign, st := f.Th.FactSign(fact)
		lead := []draw.Span{draw.Dim.Of("  " + f.Th.FactClock(fact, draw.ClockBrief) + " "), st.Of(sign + " ")}
		said := f.Th.Wrap(f.Th.SentenceHere(f.S, fact), max(1, w-draw.WidthOf(lead)), min(rows, max(1, h)))
		if h -= len(said); h < 0 {
			break
		}
		for i, text := range said {
			if said[i] = f.Th.Line(w, append(lead, draw.Plain.Of(text)), nil); i == 0 {
				lead = []draw.Span{draw.Plain.Of(draw.Blank(draw.WidthOf(lead)))}
			}
		}
		all = append(all, said)
	}
	slices.Reverse(all)
	return append(lines, slices.Concat(all...)...)
}

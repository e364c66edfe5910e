package ticket

import (
	"slices"

	"locktop/model/journal"
	"locktop/model/store"
)

// Log keeps the lines of the journal of which stories are made: a journal keeps the last lines, and a
// page tells of the whole period. The zero value has none.
type Log struct {
	kept []*journal.Entry
	seen uint64
}

// logMost bounds how many lines are kept.
const logMost = 50_000

// Take takes what is new in the journal of a state.
func (l *Log) Take(s *store.View) {
	for _, e := range s.JournalAfter(l.seen) {
		l.seen = e.Seq
		switch e.Kind {
		case journal.Finding:
			if e.Found == nil { // it is over: how, its lock tells
				for _, x := range s.JournalAfter(max(e.Seq, lookBack) - lookBack) {
					if x.Lock == e.Lock && x.Seq < e.Seq && endsProblems(x.Kind) && within(x.At, e.At, settledWithin, 0) {
						l.keep(x)
					}
				}
			}
			l.keep(e)
		case journal.Gap, journal.Member, journal.Action:
			l.keep(e)
		}
	}
}

// lookBack is among how many lines before the end of a problem its cause is looked for.
const lookBack = 200

func (l *Log) keep(e *journal.Entry) {
	if len(l.kept) == logMost {
		l.kept = slices.Delete(l.kept, 0, logMost/10)
	}
	l.kept = append(l.kept, e)
}

// entries are the lines of the journal, with those before that were kept.
func (p *Page) entries() []*journal.Entry {
	all := p.s.Journal()
	if p.o.Log == nil {
		return all
	}
	var older []*journal.Entry
	for _, e := range p.o.Log.kept {
		if len(all) == 0 || e.Seq < all[0].Seq {
			older = append(older, e)
		}
	}
	slices.SortFunc(older, func(a, b *journal.Entry) int { return int(a.Seq) - int(b.Seq) })
	older = slices.CompactFunc(older, func(a, b *journal.Entry) bool { return a.Seq == b.Seq })
	return append(older, all...)
}

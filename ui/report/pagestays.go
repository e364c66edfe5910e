package report

import (
	"time"

	"locktop/model"
	"locktop/model/fold"
)

// stay is the time of one claim in the queue of its lock: it came, it got the lock or not,
// it went. What goes on has no end.
type stay struct {
	Claim                   model.ClaimRef
	Came, Got, Gone         time.Time
	CameAtLeast, GotAtLeast bool
}

// stayBook are the stays of all locks, as far as the journal goes back.
type stayBook map[string][]stay

// wholeSince is from when on the stays are whole, zero if from the beginning.
func wholeSince(s *fold.State) time.Time {
	if j := s.Journal(); len(j) > 0 && j[0].Seq > 1 {
		return j[0].At
	}
	return time.Time{}
}

// staysOf reads the journal: who took over says how long he waited, and who went what he
// had.
func staysOf(s *fold.State) stayBook {
	book, open := stayBook{}, map[model.ClaimRef]int{}
	id := func(r model.ClaimRef) model.ClaimRef { return model.ClaimRef{Key: r.Key, CreateRev: r.CreateRev} }
	add := func(lock string, x stay) {
		x.Came, x.Got, x.Gone = x.Came.Truncate(time.Microsecond), x.Got.Truncate(time.Microsecond), x.Gone.Truncate(time.Microsecond)
		if x.Gone.IsZero() {
			open[id(x.Claim)] = len(book[lock])
		}
		book[lock] = append(book[lock], x)
	}
	gone := func(f *model.JournalEntry, r model.ClaimRef, at time.Time) {
		if i, ok := open[id(r)]; ok {
			book[f.Lock][i].Gone = at.Truncate(time.Microsecond)
			delete(open, id(r))
			return
		}
		add(f.Lock, stay{Claim: r, Came: at.Add(-f.Held), Got: at.Add(-f.Held), Gone: at, CameAtLeast: true, GotAtLeast: f.HeldAtLeast})
	}
	for _, f := range s.Journal() {
		switch {
		case f.Past || f.Lock == "":
		case f.Kind == model.EntryHandover:
			gone(f, f.From, f.At.Add(-f.Gap))
			add(f.Lock, stay{Claim: f.Claim, Came: f.At.Add(-f.Waited), Got: f.At})
		case f.Kind == model.EntryAcquired || f.Kind == model.EntryShared:
			add(f.Lock, stay{Claim: f.Claim, Came: f.At.Add(-f.Waited), Got: f.At})
		case f.Kind == model.EntryLeft && f.WasHolder:
			gone(f, f.Claim, f.At)
		case f.Kind == model.EntryLeft:
			add(f.Lock, stay{Claim: f.Claim, Came: f.At.Add(-f.Waited), Gone: f.At})
		}
	}
	for _, l := range s.Locks() {
		for c := range l.Claims {
			if _, ok := open[id(c.Ref())]; ok || !l.IsClaim(c) || !l.Recipe().HasHolder {
				continue
			}
			x := stay{Claim: c.Ref(), Came: c.Since, CameAtLeast: c.SinceAtLeast}
			if l.Holds(l.Place(c)) {
				d, bound := l.HeldFor(s.Now())
				x.Got, x.GotAtLeast = s.Now().Add(-d), bound
			}
			add(l.Name, x)
		}
	}
	return book
}

package keyspace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/prefixes"
)

// lists takes in what the watches of the prefixes tell besides revisions: lists of their keys,
// and that a watch was lost or is back.
type lists struct {
	agenda   *agenda
	prefixes *prefixes.Prefixes
	keys     *Keys
	leases   *LeaseBook
	change   *change
	marks    *Marks
	journals *journals
	settling *settling
	commit   *commit
	listings map[string]*listing // under way, by prefix
}

// listing is a list of a prefix that is under way.
type listing struct {
	number  uint32 // each list has its own
	touched []*Lock
	room    bool // made for its keys
}

// listingOf returns the list of a prefix that is under way.
func (ls *lists) listingOf(prefix string) *listing {
	of := ls.listings[prefix]
	if of == nil {
		w := ls.prefixes.Watch(prefix)
		of = &listing{number: w.List()}
		ls.listings[prefix] = of
	}
	return of
}

// For how many keys room is made on the word of a server: for less it is not worth it.
const (
	roomMin = 1 << 10
	roomMax = 1 << 20
)

func (ls *lists) takeList(e model.Listed) {
	list := ls.listingOf(e.Prefix)
	if room := int(min(e.Total, roomMax)); !list.room && room > roomMin+2*len(ls.keys.claims) { // not made anew again and again while it grows
		list.room = true
		ls.keys.claims = withRoom(ls.keys.claims, room)
		ls.leases.makeRoom(room)
	}
	ls.change.begin()
	for _, kv := range e.KVs {
		ls.commit.put(kv, e.At, true).list = list.number
	}
	ls.compareListed(list, e.At)
}

// compareListed settles a part of a list. What a relist changed is compared as a
// whole when it has ended.
func (ls *lists) compareListed(list *listing, at time.Time) {
	for _, l := range ls.change.touched {
		if l.listedIn == list.number {
			continue
		}
		l.listedIn, l.listHead = list.number, l.headRef
		if !l.heldAtMark {
			l.listHead = model.ClaimRef{}
		}
		list.touched = append(list.touched, l)
	}
	ls.settling.compareWithBefore(at, 0, true)
}

// loaded ends a list: what it did not contain is gone. When and why was not seen.
func (ls *lists) loaded(e model.Loaded, was prefixes.Watch) {
	if was.WasListed() {
		list := ls.listingOf(e.Prefix)
		ls.dropUnlisted(e.Prefix, list, e.At)
		for _, l := range list.touched {
			ls.writeUnseenChange(l, e.At, e.Rev)
		}
		ls.note(e.At, e.Rev, fmt.Sprintf("%s was listed again at revision %d: what happened in between was not seen", prefixName(e.Prefix), e.Rev))
	}
	delete(ls.listings, e.Prefix)
	ls.marks.version++
	if e.Note != "" {
		ls.note(e.At, e.Rev, e.Note)
	}
	if is := ls.prefixes.Watch(e.Prefix); is.HistoryUntil() != 0 {
		ls.note(e.At, e.Rev, fmt.Sprintf("the history of %s is read from revision %d on: when it happened is not known, nor what came before",
			prefixName(e.Prefix), e.Rev))
	}
}

func (ls *lists) dropUnlisted(prefix string, list *listing, at time.Time) {
	var stale []*Claim
	for key, c := range ls.keys.claims {
		if c.list != list.number && strings.HasPrefix(key, prefix) {
			stale = append(stale, c)
		}
	}
	slices.SortFunc(stale, func(a, b *Claim) int { return strings.Compare(a.Key, b.Key) })
	ls.change.begin()
	for _, c := range stale {
		ls.commit.take(c)
	}
	ls.compareListed(list, at)
}

// writeUnseenChange writes that the holder changed while nobody watched.
func (ls *lists) writeUnseenChange(l *Lock, at time.Time, rev int64) {
	holder := refOf(l.Holder())
	if holder == l.listHead || (holder.Key == l.listHead.Key && holder.CreateRev == l.listHead.CreateRev) {
		return
	}
	fact := &journal.Entry{At: at, Rev: rev, Lock: l.Name, Unseen: true, Claim: holder,
		Why: journal.Why{Cause: journal.CauseUnknown, Confidence: model.Hint, Evidence: "it happened while the watch was lost"}}
	switch {
	case holder.IsZero():
		fact.Kind, fact.WasHolder, fact.Place, fact.Claim = journal.Left, true, 1, l.listHead
		l.lastHolder, l.lastLoss = l.listHead, fact
	case l.listHead.IsZero():
		fact.Kind = journal.Acquired
	default:
		fact.Kind, fact.From = journal.Handover, l.listHead
		l.Handovers++
	}
	ls.journals.Record(fact)
}

func (ls *lists) lost(e model.Lost, was prefixes.Watch) {
	ls.marks.version++
	if was.State == prefixes.Lost && was.Reason == e.Reason {
		return
	}
	text := fmt.Sprintf("the watch of %s is lost (%s): %s", prefixName(e.Prefix), e.Reason, e.Detail)
	is := ls.prefixes.Watch(e.Prefix)
	if denied, _ := is.Denied(); denied {
		text = fmt.Sprintf("%s may not be read: %s", prefixName(e.Prefix), e.Detail)
	}
	ls.note(e.At, 0, text)
}

func (ls *lists) back(e model.Back, was prefixes.Watch) {
	if was.State == prefixes.Lost {
		ls.note(e.At, e.Rev, fmt.Sprintf("the watch of %s is back after %s, nothing was missed", prefixName(e.Prefix), model.Duration(e.At.Sub(was.Since), false)))
	}
	ls.noteEndOfHistory(was, e.At)
	ls.marks.version++
}

// noteEndOfHistory writes that what follows is seen as it happens, if that is new.
func (ls *lists) noteEndOfHistory(was prefixes.Watch, at time.Time) {
	is := ls.prefixes.Watch(was.Prefix)
	if until := was.HistoryUntil(); until != 0 && is.HistoryUntil() == 0 {
		ls.note(at, until, fmt.Sprintf("the history of %s is read up to revision %d: from here on it is seen as it happens", prefixName(was.Prefix), until))
		ls.marks.version++
	}
}

// slept takes in that nothing was observed for a while. What was known then may have
// changed, so every time that spans the gap is a lower bound, and every lease counts as
// unread until it is read again.
func (ls *lists) slept(e model.Slept) {
	ls.prefixes.Apply(model.Slept{At: ls.agenda.now, Since: e.Since}) // never before what was seen last
	for _, c := range ls.keys.claims {
		c.SinceAtLeast, c.gotLate = true, c.got != 0
	}
	for _, l := range ls.keys.Locks() {
		l.headAtLeast = true
		l.renewed.at, l.renewed.live = e.At, false // its holder may have slept with us
		l.freePast = l.freePast || !l.freeSince.IsZero()
		if !l.fewSince.IsZero() {
			l.fewSince = e.At
		}
		ls.marks.changed(l)
	}
	for _, l := range ls.leases.leaseList {
		if l.HasRead {
			l.HasRead, l.stale = false, true
			ls.leases.index(l)
			ls.agenda.schedule(l)
		}
	}
	ls.note(e.At, 0, "locktop did not run for "+model.Duration(e.At.Sub(e.Since), false)+
		": when things happened meanwhile is not known, and times that span it are lower bounds")
}

// note writes a line about the watch itself.
func (ls *lists) note(at time.Time, rev int64, text string) {
	ls.journals.Record(&journal.Entry{At: at, Rev: rev, Kind: journal.Gap, Text: text})
}

func prefixName(p string) string {
	if p == "" {
		return "all keys"
	}
	return model.Printable(p)
}

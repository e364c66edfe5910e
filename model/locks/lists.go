package locks

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// lists takes in what the watches of the prefixes tell besides revisions: lists of their keys,
// and that a watch was lost or is back.
type lists struct {
	scheduler   *scheduler
	prefixes    *Prefixes
	keys        *Keys
	leases      *LeaseTable
	change      *currentChange
	journals    *Journals
	transitions *transitions
	commit      *commit
	listings    map[string]*listing // under way, by prefix
}

// listing is a list of a prefix that is under way.
type listing struct {
	number  uint32 // each list has its own
	touched []*Lock
	room    bool // made for its keys
}

// listingOf returns the list of a prefix that is under way.
func (ls *lists) listingOf(prefix string) *listing {
	list := ls.listings[prefix]
	if list == nil {
		w := ls.prefixes.Watch(prefix)
		list = &listing{number: w.List()}
		ls.listings[prefix] = list
	}
	return list
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
	back := ls.prefixes.Watch(e.Prefix).Rev > e.Rev // restored: the revisions of before say nothing
	for _, kv := range e.KVs {
		if c := ls.keys.claims[kv.Key]; back && c != nil && c.KV != kv {
			ls.commit.take(c)
		}
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
	ls.transitions.compareWithBefore(at, 0, true)
}

// loaded ends a list: what it did not contain is gone. When and why was not seen.
func (ls *lists) loaded(e model.Loaded, was Watch) {
	if was.WasListed() {
		list := ls.listingOf(e.Prefix)
		ls.dropUnlisted(e.Prefix, list, e.At)
		for _, l := range list.touched {
			ls.writeUnseenChange(l, e.At, e.Rev)
		}
		ls.note(e.At, e.Rev, model.Say("listed-again", model.PrefixWord(e.Prefix), e.Rev))
	}
	delete(ls.listings, e.Prefix)
	ls.reach(e.Prefix)
	ls.change.add(Change{Kind: Coverage})
	if !e.Note.IsZero() {
		ls.note(e.At, e.Rev, e.Note)
	}
	if is := ls.prefixes.Watch(e.Prefix); is.HistoryUntil() != 0 {
		ls.note(e.At, e.Rev, model.Say("history-is-read", model.PrefixWord(e.Prefix), e.Rev))
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
		Why: journal.Why{Cause: journal.CauseUnknown, Confidence: model.Hint, Evidence: model.Say("watch-was-lost")}}
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
	ls.transitions.recheckWhenStill(l)
}

func (ls *lists) lost(e model.Lost, was Watch) {
	ls.change.add(Change{Kind: Coverage})
	if was.State == Lost && was.Reason == e.Reason {
		return
	}
	ls.reach(e.Prefix)
	line := model.Say("watch-lost", model.PrefixWord(e.Prefix), e.Reason, e.Detail)
	is := ls.prefixes.Watch(e.Prefix)
	if denied, _ := is.Denied(); denied {
		line = model.Say("prefix-denied", model.PrefixWord(e.Prefix), e.Detail)
	}
	ls.note(e.At, 0, line)
}

func (ls *lists) back(e model.Back, was Watch) {
	if was.State == Lost {
		ls.note(e.At, e.Rev, model.Say("watch-back", model.PrefixWord(e.Prefix), e.At.Sub(was.Since)))
	}
	ls.reach(e.Prefix)
	ls.noteEndOfHistory(was, e.At)
	ls.change.add(Change{Kind: Coverage})
}

// reach notes of the locks under a prefix up to when they are seen, after its watch was lost or is
// back. What depends on the time has to be judged anew.
func (ls *lists) reach(prefix string) {
	for _, l := range ls.keys.Locks() {
		if !strings.HasPrefix(l.Name+"/", prefix) {
			continue
		}
		l.lostAt = 0
		if at := ls.prefixes.LostFor(l.Name); !at.IsZero() {
			l.lostAt = at.UnixMicro()
		}
		ls.change.changed(l)
	}
}

// noteEndOfHistory writes that what follows is seen as it happens, if that is new.
func (ls *lists) noteEndOfHistory(was Watch, at time.Time) {
	is := ls.prefixes.Watch(was.Prefix)
	if until := was.HistoryUntil(); until != 0 && is.HistoryUntil() == 0 {
		ls.note(at, until, model.Say("history-was-read", model.PrefixWord(was.Prefix), until))
		ls.change.add(Change{Kind: Coverage})
	}
}

// slept takes in that nothing was observed for a while. What was known then may have
// changed, so every time that spans the gap is a lower bound, and every lease counts as
// unread until it is read again.
func (ls *lists) slept(e model.Slept) {
	ls.prefixes.apply(model.Slept{At: ls.scheduler.now, Since: e.Since}) // never before what was seen last
	for _, c := range ls.keys.claims {
		c.SinceAtLeast, c.gotLate = true, c.got != 0
	}
	for _, l := range ls.keys.Locks() {
		l.headAtLeast = true
		l.renewed.at, l.renewed.live = e.At, false // its holder may have slept with us
		l.freePast = l.freePast || !l.freeSince.IsZero()
		ls.change.changed(l)
	}
	for _, l := range ls.leases.leaseList {
		if l.HasRead {
			l.HasRead, l.stale = false, true
			ls.leases.index(l)
			ls.scheduler.schedule(l)
		}
	}
	ls.note(e.At, 0, model.Say("locktop-did-not-run", e.At.Sub(e.Since)))
}

// note writes a line about the watch itself.
func (ls *lists) note(at time.Time, rev int64, line model.Message) {
	ls.journals.Record(&journal.Entry{At: at, Rev: rev, Kind: journal.Gap, Text: line})
}

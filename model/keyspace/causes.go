package keyspace

import (
	"iter"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/prefixes"
	"locktop/model/recipe"
)

// causes finds out why claims went. Where that is not seen at once, an entry of the journal
// waits for a reading of the claim's lease. To the journal it tells what only the keys and
// the leases know.
type causes struct {
	*agenda
	*journals
	prefixes *prefixes.Prefixes
	keys     *Keys
	leases   *LeaseBook
	change   *change
	owners   *owners
}

// causeWait is how long a cause waits for a reading.
const causeWait = 5 * time.Second

// explain finds out why c went in a revision that took n claims of its lease and
// left rest of them. l is its lease, nil for none.
func (cs *causes) explain(f *journal.Entry, l *Lease, n, rest int) {
	if !cs.change.past && (cs.chronicle.ExplainByAct(f) || cs.owners.witness.Explain(f)) {
		return
	}
	switch {
	case l == nil:
		f.Cause, f.Confidence = journal.CauseDeleted, model.Strong
		f.Evidence = "the key had no lease: only a delete takes it"
		return
	case cs.change.severalOwners():
		f.Cause, f.Confidence = journal.CauseDeleted, model.Strong
		f.Evidence = cs.change.request
		return
	case rest > 0 && cs.toldWith(l, f):
		f.Cause, f.Confidence = journal.CauseReleased, model.Strong
		f.Evidence = "other keys of its lease stayed"
		return
	case cs.change.past:
		f.Cause, f.Confidence = journal.CauseUnknown, model.Hint
		f.Evidence = "it was before we looked: how its lease ended cannot be told any more"
		if cs.prefixes.CatchingUp() {
			f.Evidence = "locktop did not run when it happened: how its lease ended cannot be told any more"
		}
		return
	case n > 1 && rest == 0:
		f.Cause, f.Confidence, f.Evidence = cs.howEnded(l, f, "all its keys went in one revision")
	default:
		f.Cause, f.Confidence = journal.CauseUnknown, model.Hint
		f.Evidence = "its lease has not been read since"
	}
	f.Pending = true
	l.pending = append(l.pending, f)
	l.asked = l.asked || f.Kind == journal.Handover || f.WasHolder || f.Waited >= visitor
	cs.later(deadline{at: f.At.Add(causeWait), fact: f})
}

// visitor is how long a waiter has to have been there for the cause of its going to
// be worth a reading before others: TryLock comes and goes within milliseconds.
const visitor = time.Second

// toldWith says whether one of the keys that stayed on a lease is told of by the watch that
// told of the one that went. What one revision does under another prefix comes over another
// watch, and may still be on its way.
func (cs *causes) toldWith(l *Lease, f *journal.Entry) bool {
	told := cs.prefixes.ToldBy(f.Removed().Key)
	for _, c := range l.claims {
		if cs.prefixes.ToldBy(c.Key) == told {
			return true
		}
	}
	return false
}

// likeBefore gives a handover over a free lock the cause that the holder's going
// had, which may itself still be waited for.
func (cs *causes) likeBefore(f, left *journal.Entry) {
	if left == nil {
		f.Cause, f.Confidence = journal.CauseUnknown, model.Hint
		return
	}
	f.Held, f.HeldAtLeast, f.GoneRev = left.Held, left.HeldAtLeast, left.GoneRev
	f.Cause, f.Confidence, f.Evidence = left.Cause, left.Confidence, left.Evidence
	if l := cs.leases.byID[left.Removed().Lease]; left.Pending && l != nil {
		f.Pending, l.asked = true, true
		l.pending = append(l.pending, f)
		cs.later(deadline{at: left.At.Add(causeWait), fact: f})
	}
}

// howEnded tells how a lease that is gone ended, by its last reading: that bounds
// what it had left unless it was renewed since.
func (cs *causes) howEnded(l *Lease, f *journal.Entry, sign string) (journal.Cause, model.Confidence, string) {
	if !l.HasRead || l.Read.Granted <= 0 {
		return journal.CauseUnknown, model.Hint, sign + "; its lease ended, but it was never read"
	}
	since := f.At.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since // at least, if not renewed; a second more at most
	read := sign + "; last reading " + model.Seconds(since) + " before: " +
		itoa(l.Read.Remaining) + " of " + itoa(l.Read.Granted) + " s left"
	renewal := time.Duration(l.Read.Granted) * time.Second / 3
	switch {
	case l.Read.Remaining <= 0 && since < time.Second+expiryLag:
		return journal.CauseExpired, model.Strong, read
	case cs.fellSilent(l, f) && left <= expirySlack && left > -expiryLate && 3*l.Read.Remaining > l.Read.Granted:
		return journal.CauseExpired, model.Hint, read + ", a renewal missed" // it may have been made up for since
	case cs.fellSilent(l, f) && left <= expirySlack && left > -expiryLate:
		return journal.CauseExpired, model.Strong, read + ", renewals missed"
	case left <= expirySlack:
		return journal.CauseUnknown, model.Hint, read + ", too long ago to tell expired from revoked"
	case since <= renewal:
		return journal.CauseRevoked, model.Hint, read + ": closed by its owner, or revoked"
	}
	return journal.CauseRevoked, model.Hint, read + ": ended early, closed by its owner or revoked"
}

// fellSilent says whether the last reading showed missed renewals. The claims that told how
// the lease is renewed may be gone by now, and then the lock tells that.
func (cs *causes) fellSilent(l *Lease, f *journal.Entry) bool {
	if l.State() != model.LeaseHealthy {
		return true
	}
	_, missed := l.Read.Missed()
	lk := cs.keys.Lock(f.Lock)
	return missed && l.Renewals == 0 && lk != nil && lk.recipe.HasHolder && lk.recipe.Rhythm == recipe.RenewsAtThird
}

// endedOnTime says in words that a lease went just when it would have if it was not renewed
// after its last reading, "" if it did not, or if it was read as often as it should be: then
// nothing speaks for that. It may have been renewed, and closed just then.
func (l *Lease) endedOnTime(at time.Time) string {
	if !l.HasRead || l.Read.Granted <= 0 {
		return ""
	}
	since := at.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since
	if since < minInterval+renewalSlack || left > expirySlack || left < -time.Second-2*expiryLag {
		return ""
	}
	return "last reading " + model.Seconds(since) + " before: " + itoa(l.Read.Remaining) + " of " + itoa(l.Read.Granted) +
		" s left, and it went just when that was over; it was not read often enough to be sure"
}

// expiryLag is how long after its end etcd removes a lease at most: it looks every 500 ms.
const expiryLag = 500 * time.Millisecond

// expiryLate bounds how long after its end a lease that nobody renewed is removed.
const expiryLate = 3 * time.Second

// expirySlack bounds how much a lease that just expired can seem to have left:
// readings are cut down to seconds.
const expirySlack = 200 * time.Millisecond

// settlePending gives the entries that waited for a reading of l their cause.
func (cs *causes) settlePending(l *Lease, e model.LeaseRead) {
	if len(l.pending) == 0 {
		return
	}
	waiting := l.pending
	l.pending, l.asked = nil, false
	for _, f := range waiting {
		switch {
		case !f.Pending:
			continue
		case e.Granted > 0 && e.Rev != 0 && e.Rev < f.GoneRev: // asked before the key went, answered who knows when
			l.pending, l.asked = append(l.pending, f), true
			continue
		}
		f.Pending = false
		cs.Explained()
		late := e.At.Sub(f.At)
		if e.Granted > 0 {
			cs.chronicle.NotTogether(f)
			f.Cause, f.Confidence = journal.CauseReleased, model.Strong
			f.Evidence = "its lease lived on: " + itoa(e.Remaining) + " of " + itoa(e.Granted) + " s left " + model.Seconds(late) + " later"
			continue
		}
		sign := "its lease was gone " + model.Seconds(late) + " later"
		f.Cause, f.Confidence, f.Evidence = cs.howEnded(l, f, sign)
		cs.chronicle.Together(cs, f)
		if f.Cause == journal.CauseUnknown && (f.Story != 0 || cs.unexplained.len() >= journal.StoryMin) {
			f.ReadInVain() // what goes with it may tell
			f.OnTime = l.endedOnTime(f.At)
			continue
		}
		cs.noteStop(f, l)
		f.OnTime = l.endedOnTime(f.At)
		f.GuessByTime()
		if f.Cause == journal.CauseRevoked {
			cs.leases.endedEarly(l.ID, f.At)
		}
	}
	cs.chronicle.Retell(cs.now)
	if len(l.claims) == 0 {
		cs.leases.releaseLease(l)
	}
}

// livedOn gives the entries that wait for a reading of a key's lease their cause: etcd
// refuses a put on a lease that has ended, so it had not.
func (cs *causes) livedOn(c *Claim) {
	l := c.lease
	if l == nil || len(l.pending) == 0 {
		return
	}
	waiting := l.pending
	l.pending, l.asked = nil, false
	for _, f := range waiting {
		switch {
		case !f.Pending:
		case f.GoneRev >= c.ModRev:
			l.pending = append(l.pending, f)
		default:
			cs.chronicle.NotTogether(f)
			f.Pending, f.Cause, f.Confidence = false, journal.CauseReleased, model.Strong
			f.Evidence = "its lease lived on: " + model.Printable(c.Key) + " was put on it at revision " + itoa(c.ModRev)
			cs.Explained()
		}
	}
}

// noteStop remembers at which age a holder's renewals stopped, if it was renewed
// before and its lease then ran out.
func (cs *causes) noteStop(f *journal.Entry, l *Lease) {
	lk := cs.keys.Lock(f.Lock)
	if f.Cause != journal.CauseExpired || lk == nil || l.Renewals == 0 || f.Held == 0 || f.HeldAtLeast || f.Gap > 0 {
		return
	}
	age := f.Held - time.Duration(l.Read.Granted)*time.Second // it ran out one TTL after the last renewal
	if age > 0 {
		if len(lk.stopAges) == stopsKept {
			lk.stopAges = lk.stopAges[1:]
		}
		lk.stopAges = append(lk.stopAges, age)
	}
}

// stopsKept is how many ages at which renewals stopped are kept of a lock.
const stopsKept = 3

// giveUp ends the wait for a reading: the cause stays as uncertain as it is, unless
// it was told otherwise meanwhile.
func (cs *causes) giveUp(f *journal.Entry) {
	l := cs.leases.byID[f.Removed().Lease]
	if f.Pending && f.Kind != journal.Together {
		f.Pending = false
		cs.foretold(f, l)
		cs.chronicle.Explained()
	}
	cs.chronicle.RetellOf(f, cs.now)
	if f.Kind == journal.Together && f.Pending {
		cs.later(deadline{at: cs.now.Add(journal.StoryGap), fact: f})
	}
	if l == nil {
		return
	}
	if i := slices.Index(l.pending, f); i >= 0 {
		l.pending = slices.Delete(l.pending, i, i+1)
		cs.leases.releaseLease(l)
	}
}

// foretold gives an entry a cause for which no reading came in time: by the last one before,
// else by what went with it, and that is a hint.
func (cs *causes) foretold(f *journal.Entry, l *Lease) {
	late := "no reading within " + model.Seconds(cs.now.Sub(f.At))
	if f.WasReadInVain() {
		late = f.Evidence
	}
	if f.Cause != journal.CauseUnknown {
		f.Evidence += "; " + late
		return
	}
	if !f.OwnGoing() { // somebody got the lock later: the cause is that of the loss before
		if lk := cs.keys.Lock(f.Lock); lk != nil && lk.lastLoss != nil && lk.lastLoss.GoneRev == f.GoneRev && !lk.lastLoss.Pending {
			f.Cause, f.Confidence, f.Evidence = lk.lastLoss.Cause, lk.lastLoss.Confidence, lk.lastLoss.Evidence
			return
		}
	}
	if !f.WasReadInVain() && l != nil && l.HasRead && l.Read.Granted > 0 {
		if cause, sure, why := cs.howEnded(l, f, late); cause == journal.CauseExpired {
			f.Cause, f.Confidence, f.Evidence = cause, sure, why
			cs.chronicle.Together(cs, f)
			return
		}
	}
	if cs.chronicle.ShareFate(cs, f, late) {
		return
	}
	if !f.WasReadInVain() {
		f.Evidence += "; " + late
		if l != nil {
			f.OnTime = l.endedOnTime(f.At)
		}
	}
	f.GuessByTime()
	cs.chronicle.NotTogether(f)
}

// LookAgain has a look at an entry again later.
func (cs *causes) LookAgain(f *journal.Entry, at time.Time) {
	cs.later(deadline{at: at, fact: f})
}

// Open yields the entries that wait for a reading: all, or the most before f in that line,
// and behind.
func (cs *causes) Open(f *journal.Entry, most int) iter.Seq[*journal.Entry] {
	open := cs.unexplained.all[cs.unexplained.head:]
	if most > 0 {
		i, _ := slices.BinarySearchFunc(open, f.At.Add(causeWait), func(d deadline, at time.Time) int { return d.at.Compare(at) })
		open = open[max(0, i-most):min(len(open), i+most)]
	}
	return func(yield func(*journal.Entry) bool) {
		for i := range open {
			if !yield(open[i].fact) {
				return
			}
		}
	}
}

// CanHaveExpired says whether nothing speaks against it that g's lease ran out, as that of f
// did: neither its last reading nor its age. What the dead leave is at least as old as the
// time that a lease has left which is renewed at a third of it.
func (cs *causes) CanHaveExpired(g, f *journal.Entry) bool {
	l := cs.leases.byID[g.Removed().Lease]
	var ttl int64
	if of := cs.leases.byID[f.Removed().Lease]; of != nil {
		ttl = of.Granted()
	}
	if l != nil && l.HasRead && l.Read.Granted > 0 {
		ttl = l.Read.Granted
		if l.Read.At.Add(time.Duration(l.Read.Remaining) * time.Second).After(g.At.Add(expirySlack)) {
			return false
		}
	}
	return g.LastedFor(time.Duration(ttl)*time.Second*2/3 - time.Second)
}

// ClientOf names the client whose claim it was, "" if nothing does.
func (cs *causes) ClientOf(r model.ClaimRef) string {
	if id := cs.owners.Identity(r); id.Source != "uuid" {
		return id.Text
	}
	return ""
}

package locks

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// attribution finds out why claims went. Where that is not seen at once, an entry of the journal
// waits for a reading of the claim's lease. To the journal it tells what only the keys and
// the leases know.
type attribution struct {
	members   *Members
	scheduler *scheduler
	journals  *Journals
	prefixes  *Prefixes
	keys      *Keys
	leases    *LeaseTable
	change    *currentChange
	owners    *Owners
}

// causeWait is how long a cause waits for a reading.
const causeWait = 5 * time.Second

// explain finds out why c went in a revision that took n claims of its lease and
// left rest of them. l is its lease, nil for none.
func (a *attribution) explain(f *journal.Entry, l *Lease, n, rest int) {
	a.noteGone(f, l)
	if !a.change.unobserved && a.journals.log.ExplainByAct(f) {
		return
	}
	switch {
	case l == nil:
		f.Cause, f.Confidence = journal.CauseDeleted, model.Strong
		f.Evidence = model.Say("key-had-no-lease")
		return
	case a.change.severalOwners():
		f.Cause, f.Confidence = journal.CauseDeleted, model.Strong
		f.Evidence = a.change.request
		return
	case rest > 0 && a.toldWith(l, f):
		f.LeaseLived(model.Say("other-keys-stayed"))
		return
	case a.change.unobserved:
		f.Cause, f.Confidence = journal.CauseUnknown, model.Hint
		f.Evidence = model.Say("went-before-we-looked")
		switch {
		case a.prefixes.CatchingUp():
			f.Evidence = model.Say("went-while-locktop-did-not-run")
		case !a.change.unseen.IsZero():
			f.Evidence = model.Say("went-while-nothing-was-seen")
		}
		return
	case n > 1 && rest == 0:
		f.AllAtOnce = true
		f.Cause, f.Confidence, f.Evidence = a.howEnded(l, f, model.Say("all-keys-went-at-once"))
	default:
		f.Cause, f.Confidence = journal.CauseUnknown, model.Hint
		f.Evidence = model.Say("lease-not-read-since")
	}
	f.Pending = true
	l.pending = append(l.pending, f)
	l.asked = l.asked || f.Kind == journal.Handover || f.WasHolder || f.Waited >= visitor
	a.journals.log.Wait(f, f.At.Add(causeWait))
}

// visitor is how long a waiter has to have been there for the cause of its going to
// be worth a reading before others: TryLock comes and goes within milliseconds.
const visitor = time.Second

// toldWith says whether one of the keys that stayed on a lease is told of by the watch that
// told of the one that went. What one revision does under another prefix comes over another
// watch, and may still be on its way.
func (a *attribution) toldWith(l *Lease, f *journal.Entry) bool {
	prefix := a.prefixes.ToldBy(f.Removed().Key)
	if s := &a.change.stayed; s.lease != l || s.prefix != prefix { // asked for each key that the revision took
		*s = stayed{l, prefix, slices.ContainsFunc(l.claims, func(c *Claim) bool { return a.prefixes.ToldBy(c.Key) == prefix })}
	}
	return a.change.stayed.any
}

// likeBefore gives a handover over a free lock the cause that the holder's going
// had, which may itself still be waited for.
func (a *attribution) likeBefore(f, left *journal.Entry) {
	if left == nil {
		f.Cause, f.Confidence, f.HeldAtLeast = journal.CauseUnknown, model.Hint, true
		return
	}
	f.Held, f.HeldAtLeast, f.HeldAtMost, f.GoneRev = left.Held, left.HeldAtLeast || left.Unseen, left.HeldAtMost, left.GoneRev
	f.Cause, f.Confidence, f.Evidence, f.AllAtOnce = left.Cause, left.Confidence, left.Evidence, left.AllAtOnce
	if l := a.leases.byID[left.Removed().Lease]; left.Pending && l != nil {
		f.Pending, l.asked = true, true
		l.pending = append(l.pending, f)
		a.journals.log.Wait(f, left.At.Add(causeWait))
	}
}

// howEnded tells how a lease that is gone ended, by its last reading: that bounds
// what it had left unless it was renewed since.
func (a *attribution) howEnded(l *Lease, f *journal.Entry, sign model.Message) (journal.Cause, model.Confidence, model.Message) {
	cause, sure, why := a.howEndedIn(l, f, sign)
	if sure != model.Hint && a.members.Cluster().Agreed.Delayed() { // what its owner did may have come in its last moment
		return cause, model.Hint, model.Say("and", why, model.Say("cluster-answers-late"))
	}
	return cause, sure, why
}

// howEndedIn is that in a cluster that answers in time.
func (a *attribution) howEndedIn(l *Lease, f *journal.Entry, sign model.Message) (journal.Cause, model.Confidence, model.Message) {
	if !l.HasRead || l.Read.Granted <= 0 {
		return journal.CauseUnknown, model.Hint, model.Say("lease-ended-unread", sign)
	}
	since := f.At.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since // at least, if not renewed; a second more at most
	read := model.Say("last-reading-before", sign, since, l.Read.Remaining, l.Read.Granted)
	renewal := time.Duration(l.Read.Granted) * time.Second / 3
	early := model.Say("ended-early", read)
	switch {
	case !f.AllAtOnce && since <= renewal:
		early = model.Say("released-closed-or-revoked", read)
	case !f.AllAtOnce:
		early = model.Say("ended-early-or-released", read)
	case since <= renewal:
		early = model.Say("closed-or-revoked", read)
	}
	old := f.LastedFor(renewal*2 - time.Second) // who put its key later lived then
	switch {
	case l.Read.Remaining <= 0 && since < time.Second+expiryLag:
		return a.ranOut(l, f, read)
	case old && a.fellSilent(l, f) && left <= journal.ExpirySlack && left > -expiryLate && 3*l.Read.Remaining > l.Read.Granted:
		return journal.CauseExpired, model.Hint, model.Say("renewal-missed", read) // it may have been made up for since
	case old && a.fellSilent(l, f) && left <= journal.ExpirySlack && left > -expiryLate:
		return a.ranOut(l, f, model.Say("renewals-missed", read))
	case left <= journal.ExpirySlack:
		return journal.CauseUnknown, model.Hint, model.Say("read-too-long-ago", read)
	}
	return journal.CauseRevoked, model.Hint, early
}

// ranOut tells of a lease that nobody renewed to its end, as far as its readings show. Its owner may have
// closed it in its last moment: that it expired is sure only if it went after the last moment at which it
// can have ended, or if a proxy carries its owner's requests and saw none that closes it.
func (a *attribution) ranOut(l *Lease, f *journal.Entry, why model.Message) (journal.Cause, model.Confidence, model.Message) {
	if over := f.At.Sub(l.endTo); over > l.Read.Took+toldLate {
		return journal.CauseExpired, model.Strong, model.Say("gone-after-its-end", why, over)
	}
	if o, known := a.owners.LeaseOwner(l.ID); known && o.Certain {
		return journal.CauseExpired, model.Strong, model.Say("proxy-saw-no-revoke", why)
	}
	return journal.CauseExpired, model.Hint, model.Say("gone-about-its-end", why, l.endTo.Sub(l.endFrom))
}

// toldLate is how long the news of a key that went takes, besides the way of an answer.
const toldLate = 20 * time.Millisecond

// fellSilent says whether the last reading showed missed renewals. The claims that told how
// the lease is renewed may be gone by now, and then the lock tells that.
func (a *attribution) fellSilent(l *Lease, f *journal.Entry) bool {
	if l.State() != model.LeaseHealthy {
		return true
	}
	_, missed := l.Read.Missed()
	lk := a.keys.Lock(f.Lock)
	return missed && l.Renewals == 0 && lk != nil && lk.recipe.HasHolder && lk.recipe.Rhythm == recipe.RenewsAtThird
}

// endedOnTime says that a lease went just when it would have if it was not renewed after its
// last reading, and nothing if it did not, or if it was read as often as it should be: then
// nothing speaks for that. It may have been renewed, and closed just then.
func (l *Lease) endedOnTime(at time.Time) model.Message {
	if !l.HasRead || l.Read.Granted <= 0 {
		return model.Message{}
	}
	since := at.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since
	if since < minInterval+renewalSlack || left > journal.ExpirySlack || left < -time.Second-2*expiryLag {
		return model.Message{}
	}
	return model.Say("ended-on-time", since, l.Read.Remaining, l.Read.Granted)
}

// expiryLag is how long after its end etcd removes a lease at most: it looks every 500 ms.
const expiryLag = 500 * time.Millisecond

// expiryLate bounds how long after its end a lease that nobody renewed is removed.
const expiryLate = 3 * time.Second

// settlePending gives the entries that waited for a reading of l their cause.
func (a *attribution) settlePending(l *Lease, e model.LeaseRead) {
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
		a.journals.log.Explained()
		if lk := a.keys.Lock(f.Lock); lk != nil && f.Kind == journal.Left {
			a.change.changed(lk) // one that gave up tells what the lock is for
		}
		late := e.At.Sub(f.At)
		if e.Granted > 0 {
			a.journals.log.NotTogether(f)
			f.LeaseLived(model.Say("lease-lived-on", e.Remaining, e.Granted, late))
			a.noteReleased(f, l, e)
			continue
		}
		sign := model.Say("lease-gone-later", late)
		f.Cause, f.Confidence, f.Evidence = a.howEnded(l, f, sign)
		a.journals.wroteTogether(a.journals.log.Together(f, a.scheduler.now))
		if f.Cause == journal.CauseUnknown && (f.Story != 0 || a.journals.log.Waiting() >= journal.StoryMin) {
			f.ReadInVain() // what goes with it may tell
			f.OnTime = l.endedOnTime(f.At)
			continue
		}
		a.noteStop(f, l)
		f.OnTime = l.endedOnTime(f.At)
		f.GuessByTime()
		if f.Cause == journal.CauseRevoked {
			a.leases.endedEarly(l.ID, f.At)
		}
	}
	a.journals.log.Retell(a.scheduler.now)
	if len(l.claims) == 0 {
		a.leases.releaseLease(l)
	}
}

// takeExplanation gives an entry the cause that somebody saw, unless one is known that is as sure.
func (a *attribution) takeExplanation(f *journal.Entry, why *Explanation) {
	if !f.Pending && f.Confidence != "" && why.Confidence.Compare(f.Confidence) >= 0 {
		return
	}
	old := f
	f = a.journals.amend(f)
	f.Cause, f.Confidence, f.Evidence, f.Pending = why.Cause, why.Confidence, why.Evidence, false
	a.journals.log.NotTogether(f)
	a.journals.log.Explained()
	if l := a.leases.byID[f.Removed().Lease]; l != nil {
		if i := slices.Index(l.pending, old); i >= 0 {
			l.pending = slices.Delete(l.pending, i, i+1)
			l.asked = l.asked && len(l.pending) > 0
			a.leases.releaseLease(l)
		}
	}
}

// livedOn gives the entries that wait for a reading of a key's lease their cause: etcd
// refuses a put on a lease that has ended, so it had not.
func (a *attribution) livedOn(c *Claim) {
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
			a.journals.log.NotTogether(f)
			f.Pending = false
			f.LeaseLived(model.Say("key-put-on-lease", c.Key, c.ModRev))
			a.journals.log.Explained()
		}
	}
}

// noteReleased counts a holder that released though its lease had not been renewed when it was time.
func (a *attribution) noteReleased(f *journal.Entry, l *Lease, e model.LeaseRead) {
	lk := a.keys.Lock(f.Lock)
	if lk == nil || !f.WasHolder && f.Kind != journal.Handover {
		return
	}
	lk.unrenewedLost = 0
	born, seen := l.Born()
	alone := time.Duration(e.Granted-e.Remaining) * time.Second
	if seen && l.Renewals == 0 && e.At.Sub(born) < alone+2*time.Second && f.At.Sub(born) > time.Duration(e.Granted)*time.Second/3+2*time.Second {
		lk.unrenewedReleased++
	}
}

// noteStop remembers when a holder's renewals stopped, if it was renewed before and its lease then ran out.
func (a *attribution) noteStop(f *journal.Entry, l *Lease) {
	lk := a.keys.Lock(f.Lock)
	if f.Cause == journal.CauseExpired && lk != nil && l.Renewals == 0 && f.Held > 0 && !f.HeldAtLeast {
		lk.unrenewedLost++
	}
	if f.Cause != journal.CauseExpired || lk == nil || l.Renewals == 0 || f.Held == 0 || f.HeldAtLeast || f.Gap > 0 || f.Came.IsZero() {
		return
	}
	gone := time.Duration(l.Read.Granted)*time.Second + expiryLag/2 // it ran out one TTL after the last renewal
	if stop := (Stop{Held: f.Held - gone, Lived: f.At.Sub(f.Came) - gone}); stop.Held > 0 {
		if len(lk.stops) == stopsKept {
			lk.stops = lk.stops[:copy(lk.stops, lk.stops[1:])]
		}
		lk.stops = append(lk.stops, stop)
	}
}

// stopsKept is how many of them are kept of a lock.
const stopsKept = 8

// giveUp ends the wait for a reading: the cause stays as uncertain as it is, unless
// it was told otherwise meanwhile.
func (a *attribution) giveUp(f *journal.Entry) {
	l := a.leases.byID[f.Removed().Lease]
	if f.Pending && f.Kind != journal.Together {
		f.Pending = false
		a.foretold(f, l)
		a.journals.log.Explained()
	}
	a.journals.log.RetellOf(f, a.scheduler.now)
	if f.Kind == journal.Together && f.Pending {
		a.journals.log.Wait(f, a.scheduler.now.Add(journal.StoryGap))
	}
	if l == nil {
		return
	}
	switch i := slices.Index(l.pending, f); {
	case i < 0:
		return
	case i == 0: // as a rule: the first gives up first
		l.pending[0] = nil
		l.pending = l.pending[1:]
	default:
		l.pending = slices.Delete(l.pending, i, i+1)
	}
	a.leases.releaseLease(l)
}

// foretold gives an entry a cause for which no reading came in time: by the last one before,
// else by what went with it, and that is a hint.
func (a *attribution) foretold(f *journal.Entry, l *Lease) {
	late := model.Say("no-reading-within", a.scheduler.now.Sub(f.At))
	if f.WasReadInVain() {
		late = f.Evidence
	}
	if f.Cause != journal.CauseUnknown {
		f.Evidence = model.Say("and", f.Evidence, late)
		return
	}
	if !f.OwnGoing() { // somebody got the lock later: the cause is that of the loss before
		if lk := a.keys.Lock(f.Lock); lk != nil && lk.lastLoss != nil && lk.lastLoss.GoneRev == f.GoneRev && !lk.lastLoss.Pending {
			f.Cause, f.Confidence, f.Evidence = lk.lastLoss.Cause, lk.lastLoss.Confidence, lk.lastLoss.Evidence
			return
		}
	}
	if !f.WasReadInVain() && l != nil && l.HasRead && l.Read.Granted > 0 {
		if cause, sure, why := a.howEnded(l, f, late); cause == journal.CauseExpired {
			f.Cause, f.Confidence, f.Evidence = cause, sure, why
			a.journals.wroteTogether(a.journals.log.Together(f, a.scheduler.now))
			return
		}
	}
	if a.journals.log.ShareFate(f, late) {
		return
	}
	if !f.WasReadInVain() {
		f.Evidence = model.Say("and", f.Evidence, late)
		if l != nil {
			f.OnTime = l.endedOnTime(f.At)
		}
	}
	f.GuessByTime()
	a.journals.log.NotTogether(f)
}

// noteGone notes what is known of the client of the claim that went, and of its lease, nil for none.
func (a *attribution) noteGone(f *journal.Entry, l *Lease) {
	var granted int64
	var lasts time.Time
	if l != nil && l.HasRead {
		if read := l.lastAlive(); read.Granted > 0 {
			granted, lasts = read.Granted, read.At.Add(time.Duration(read.Remaining)*time.Second)
		}
	}
	f.NoteEnd(a.clientOf(f.Removed()), granted, lasts)
}

// clientOf names the client whose claim it was, "" if nothing does.
func (a *attribution) clientOf(r model.ClaimRef) string {
	if id := a.owners.Identity(r); id.Source != "uuid" {
		return id.Text
	}
	return ""
}

package model

import (
	"slices"
	"time"

	"locktop/model/recipe"
)

// EntryKind is the kind of one line of the journal.
type EntryKind string

// Kinds of entries.
const (
	EntryQueued   EntryKind = "queued"   // a claim joined the queue behind others
	EntryAcquired EntryKind = "acquired" // a claim took a lock whose last holder is not known
	EntryShared   EntryKind = "shared"   // a claim joined others that hold already
	EntryLeft     EntryKind = "left"     // a waiter went, or a holder without a successor
	EntryHandover EntryKind = "handover" // the holder changed
	EntryBlocked  EntryKind = "blocked"  // a key that is no claim came first
	EntryFirst    EntryKind = "first"    // of keys side by side, none of which is known to hold, another one came first
	EntryTogether EntryKind = "together" // many claims went at once: one line for all of them
	EntryFinding  EntryKind = "finding"  // a diagnosis came or went
	EntryGap      EntryKind = "gap"      // the watch was lost, or is back
	EntryMember   EntryKind = "member"   // the cluster changed: leader, members, alarms
	EntryLab      EntryKind = "lab"      // what the lab reports: processes, beliefs, faults
	EntryAction   EntryKind = "action"   // what the console did
)

// Cause is why a key went. etcd keeps no reason for a delete: a cause is inferred.
type Cause string

// Causes.
const (
	CauseReleased Cause = "released" // the key was deleted and its lease lived on
	CauseExpired  Cause = "expired"  // its lease ran out
	CauseRevoked  Cause = "revoked"  // its lease ended early: closed by its owner, or revoked
	CauseDeleted  Cause = "deleted"  // the key was deleted by somebody else than its owner
	CauseReplaced Cause = "replaced" // another owner put the key again in place
	CauseUnknown  Cause = "unknown"
)

// ClaimRef names a claim that may be gone. Value is empty for a key that is no
// claim.
type ClaimRef struct {
	Key       string
	CreateRev int64
	Lease     LeaseID
	Value     string
}

// IsZero says whether it names nothing.
func (r ClaimRef) IsZero() bool { return r.Key == "" }

// Same says whether both name the same claim: its lease and its value may have changed.
func (r ClaimRef) Same(o ClaimRef) bool { return r.Key == o.Key && r.CreateRev == o.CreateRev }

func refOf(c *Claim) ClaimRef {
	if c == nil {
		return ClaimRef{}
	}
	r := ClaimRef{Key: c.Key, CreateRev: c.CreateRev, Lease: c.KV.Lease}
	if c.form.Claims() || c.detached {
		r.Value = c.Value // of a foreign key the value says nothing about who
	}
	return r
}

// Chronicle is the journal and what it is written from.
type Chronicle struct {
	journal        []*JournalEntry
	entrySeq       uint64
	journalVersion uint64
	acts           []Outcome
	stories        []*story // that are told together, and may still change
	storyVersion   uint64
}

// JournalEntry is one line of the journal. While Pending, its cause waits for a reading
// of the lease and may still change; everything else never does.
type JournalEntry struct {
	Seq  uint64
	At   time.Time
	Rev  int64
	Kind EntryKind
	Lock string
	// Claim is whom it is about: the one that queued, acquired, left or took over.
	Claim ClaimRef
	// From is the holder before, for a handover; of a claim that acquired, the key that
	// blocked the lock before.
	From ClaimRef
	// GoneRev is the revision at which the one that the cause explains went, 0 if it was
	// not seen to go. Who says that he took it has to name this one.
	GoneRev int64
	// WasHolder: the claim that left held the lock. Others is how many hold it on, that
	// held together with it; Hidden says that who waits leaves no trace.
	WasHolder bool
	Others    int
	Hidden    bool
	// Cause is why From (a handover) or Claim (left) went.
	Cause      Cause
	Confidence Confidence
	Pending    bool
	// Evidence says what the cause was inferred from.
	Evidence string
	// Gap is how long nobody held, for a handover; 0 if the next one waited already.
	Gap time.Duration
	// Held is how long From, or the holder that left, had held.
	Held        time.Duration
	HeldAtLeast bool
	// Waited is how long the one that took over, or the waiter that left, had waited.
	Waited time.Duration
	// Place is the place in the queue, from 1, and WaitsFor the key ahead; of a holder that
	// left, the key that is no claim and blocks the lock since.
	Place    int
	WaitsFor ClaimRef
	// Unseen: it happened while the watch was lost; At is when we learnt of it.
	Unseen bool
	// Past: it is from etcd's history, which keeps no times. At is when we read it; how
	// long anybody held or waited, and nobody held, is not known.
	Past bool
	// Severity is that of a finding that came, SevInfo for one that is over.
	Severity Severity
	// Text is the sentence of the kinds that have no fields of their own.
	Text string
	// By is who did what an action is about, "" if that was not said.
	By string
	// Story is the number of the entry that tells of many that went together, of those and
	// of itself: see [JournalEntry.Part].
	Story uint64
	// Count is how many claims went together, Locks how many locks lost their holder so, and
	// Leases on how many leases they hung; of an entry that tells of many.
	Count, Locks, Leases int

	came  time.Time // when the claim was first seen that the cause is about
	story *story
	read  bool // its lease was read since, and that did not tell
	fated bool // the cause is that of others which went with it

	// LeftOut is how many entries are missing in this place, of a gap in what is told.
	LeftOut uint64
}

// Removed is the claim whose going the cause explains.
func (f *JournalEntry) Removed() ClaimRef {
	if f.Kind == EntryHandover || f.Kind == EntryFirst {
		return f.From
	}
	return f.Claim
}

const (
	journalMax   = 10_000           // entries kept in all
	journalBurst = 10 * journalMax  // and of one event before the oldest of them go
	lockFactsMax = 32               // and per lock
	causeWait    = 5 * time.Second  // how long a cause waits for a reading
	actWindow    = 10 * time.Second // how far done and seen may lie apart
	actsMax      = 100
)

// trimJournal drops the oldest entries, now and then. It happens between two events, so that
// whoever reads the journal after each batch misses nothing of one revision, however many
// keys it took.
func (c *Chronicle) trimJournal() {
	if len(c.journal) >= 2*journalMax {
		c.journal = append([]*JournalEntry(nil), c.journal[len(c.journal)-journalMax:]...)
	}
}

// Record appends an entry to the journal and to that of its lock.
func (k *Keyspace) Record(f *JournalEntry) *JournalEntry {
	k.entrySeq++
	f.Seq = k.entrySeq
	f.Past = k.past
	if f.At.IsZero() {
		f.At = k.now
	}
	k.journal = append(k.journal, f)
	if len(k.journal) >= journalBurst {
		k.trimJournal()
	}
	if d := k.dirs[f.Lock]; f.Lock != "" && d != nil && d.lock != nil {
		l := d.lock
		l.journal = append(l.journal, f)
		if len(l.journal) >= 2*lockFactsMax {
			l.journal = append([]*JournalEntry(nil), l.journal[len(l.journal)-lockFactsMax:]...)
		}
	}
	k.journalVersion++
	return f
}

// Journal returns the journal, oldest first: the last 10,000 entries at least, as far
// as there are any.
func (c *Chronicle) Journal() []*JournalEntry { return c.journal }

// JournalAfter returns the entries that are still kept with a number above seq, oldest
// first.
func (c *Chronicle) JournalAfter(seq uint64) []*JournalEntry {
	i, _ := slices.BinarySearchFunc(c.journal, seq+1, func(f *JournalEntry, want uint64) int {
		switch {
		case f.Seq < want:
			return -1
		case f.Seq > want:
			return 1
		}
		return 0
	})
	return c.journal[i:]
}

// JournalVersion rises when an entry is added or its cause becomes known.
func (c *Chronicle) JournalVersion() uint64 { return c.journalVersion }

// Explained says that an entry of the journal was given its cause.
func (c *Chronicle) Explained() { c.journalVersion++ }

// explain finds out why c went in a revision that took n claims of its lease and
// left rest of them. l is its lease, nil for none.
func (k *Keyspace) explain(f *JournalEntry, l *Lease, n, rest int) {
	if !k.past && (k.explainByAct(f) || k.witness.Explain(f)) {
		return
	}
	switch {
	case l == nil:
		f.Cause, f.Confidence = CauseDeleted, Strong
		f.Evidence = "the key had no lease: only a delete takes it"
		return
	case k.severalOwners():
		f.Cause, f.Confidence = CauseDeleted, Strong
		f.Evidence = k.request
		return
	case rest > 0:
		f.Cause, f.Confidence = CauseReleased, Strong
		f.Evidence = "other keys of its lease stayed"
		return
	case k.past:
		f.Cause, f.Confidence = CauseUnknown, Hint
		f.Evidence = "it was before we looked: how its lease ended cannot be told any more"
		if k.CatchingUp() {
			f.Evidence = "locktop did not run when it happened: how its lease ended cannot be told any more"
		}
		return
	case n > 1:
		f.Cause, f.Confidence, f.Evidence = k.howEnded(l, f, "all its keys went in one revision")
	default:
		f.Cause, f.Confidence = CauseUnknown, Hint
		f.Evidence = "its lease has not been read since"
	}
	f.Pending = true
	l.pending = append(l.pending, f)
	l.asked = l.asked || f.Kind == EntryHandover || f.WasHolder || f.Waited >= visitor
	k.later(deadline{at: f.At.Add(causeWait), fact: f})
}

// visitor is how long a waiter has to have been there for the cause of its going to
// be worth a reading before others: TryLock comes and goes within milliseconds.
const visitor = time.Second

// howEnded tells how a lease that is gone ended, by its last reading: that bounds
// what it had left unless it was renewed since.
func (k *Keyspace) howEnded(l *Lease, f *JournalEntry, sign string) (Cause, Confidence, string) {
	if !l.HasRead || l.Read.Granted <= 0 {
		return CauseUnknown, Hint, sign + "; its lease ended, but it was never read"
	}
	since := f.At.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since // at least, if not renewed; a second more at most
	read := sign + "; last reading " + seconds(since) + " before: " +
		itoa(l.Read.Remaining) + " of " + itoa(l.Read.Granted) + " s left"
	renewal := time.Duration(l.Read.Granted) * time.Second / 3
	switch {
	case l.Read.Remaining <= 0 && since < time.Second:
		return CauseExpired, Strong, read
	case k.fellSilent(l, f) && left <= expirySlack && left > -expiryLate:
		return CauseExpired, Strong, read + ", renewals missed"
	case left <= expirySlack:
		return CauseUnknown, Hint, read + ", too long ago to tell expired from revoked"
	case since <= renewal:
		return CauseRevoked, Hint, read + ": closed by its owner, or revoked"
	}
	return CauseRevoked, Hint, read + ": ended early, closed by its owner or revoked"
}

// fellSilent says whether the last reading showed missed renewals. The claims that told how
// the lease is renewed may be gone by now, and then the lock tells that.
func (k *Keyspace) fellSilent(l *Lease, f *JournalEntry) bool {
	if l.State() != LeaseHealthy {
		return true
	}
	_, missed := l.Read.missed()
	lk := k.Lock(f.Lock)
	return missed && l.Renewals == 0 && lk != nil && lk.recipe.HasHolder && lk.recipe.Rhythm == recipe.RenewsAtThird
}

// expiryLate bounds how long after its end a lease that nobody renewed is removed.
const expiryLate = 3 * time.Second

// expirySlack bounds how much a lease that just expired can seem to have left:
// readings are cut down to seconds.
const expirySlack = 200 * time.Millisecond

// settlePending gives the entries that waited for a reading of l their cause.
func (k *Keyspace) settlePending(l *Lease, e LeaseRead) {
	if len(l.pending) == 0 {
		return
	}
	waiting := l.pending
	l.pending, l.asked = nil, false
	for _, f := range waiting {
		if !f.Pending {
			continue
		}
		f.Pending = false
		k.Explained()
		late := e.At.Sub(f.At)
		if e.Granted > 0 {
			k.notTogether(f)
			f.Cause, f.Confidence = CauseReleased, Strong
			f.Evidence = "its lease lived on: " + itoa(e.Remaining) + " of " + itoa(e.Granted) + " s left " + seconds(late) + " later"
			continue
		}
		sign := "its lease was gone " + seconds(late) + " later"
		f.Cause, f.Confidence, f.Evidence = k.howEnded(l, f, sign)
		k.together(f)
		if f.Cause == CauseUnknown && (f.story != nil || k.unexplained.len() >= storyMin) {
			f.Pending, f.read = true, true // what goes with it may tell
			continue
		}
		k.noteStop(f, l)
		if f.Cause == CauseRevoked {
			k.endedEarly(l.ID, f.At)
		}
	}
	k.retell()
	if len(l.claims) == 0 {
		k.releaseLease(l)
	}
}

// livedOn gives the entries that wait for a reading of a key's lease their cause: etcd
// refuses a put on a lease that has ended, so it had not.
func (k *Keyspace) livedOn(c *Claim) {
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
			k.notTogether(f)
			f.Pending, f.Cause, f.Confidence = false, CauseReleased, Strong
			f.Evidence = "its lease lived on: " + Printable(c.Key) + " was put on it at revision " + itoa(c.ModRev)
			k.Explained()
		}
	}
}

// noteStop remembers at which age a holder's renewals stopped, if it was renewed
// before and its lease then ran out.
func (k *Keyspace) noteStop(f *JournalEntry, l *Lease) {
	lk := k.Lock(f.Lock)
	if f.Cause != CauseExpired || lk == nil || l.Renewals == 0 || f.Held == 0 || f.HeldAtLeast || f.Gap > 0 {
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
func (k *Keyspace) giveUp(f *JournalEntry) {
	l := k.byID[f.Removed().Lease]
	if f.Pending && f.Kind != EntryTogether {
		f.Pending = false
		k.foretold(f, l)
		k.journalVersion++
	}
	k.retell()
	if f.Kind == EntryTogether && f.Pending {
		k.later(deadline{at: k.now.Add(storyGap), fact: f})
	}
	if l == nil {
		return
	}
	if i := slices.Index(l.pending, f); i >= 0 {
		l.pending = slices.Delete(l.pending, i, i+1)
		k.releaseLease(l)
	}
}

// explainByAct looks for an action of ours that took the claim: the only thing
// that makes a revoke or a delete certain.
func (c *Chronicle) explainByAct(f *JournalEntry) bool {
	for i := len(c.acts) - 1; i >= 0; i-- {
		if c.acts[i].took(f) {
			settleByAct(f, c.acts[i])
			return true
		}
	}
	return false
}

// acted takes an action of ours in. The watch may have seen its effect before.
func (k *Keyspace) acted(o Outcome) {
	if o.Done && o.Action.Kind.WritesEtcd() {
		k.acts = append(k.acts, o)
		if len(k.acts) > actsMax {
			k.acts = append([]Outcome(nil), k.acts[1:]...)
		}
		var told *story
		for i := len(k.journal) - 1; i >= 0 && o.At.Sub(k.journal[i].At) < actWindow; i-- {
			if gone := k.journal[i]; o.took(gone) {
				settleByAct(gone, o)
				if gone.story != nil {
					told = gone.story
				}
			}
		}
		if k.retell(); told != nil && !told.entry.Pending {
			told.settle()
		}
	}
	k.Record(&JournalEntry{At: o.At, Rev: o.Rev, Kind: EntryAction, Lock: o.Action.Lock, Text: o.Describe(), By: o.By})
}

// took says whether the action took the claim of which the entry says that it went.
func (o Outcome) took(f *JournalEntry) bool {
	if f.GoneRev == 0 || f.GoneRev != o.Rev {
		return false
	}
	gone := f.Removed()
	switch o.Action.Kind {
	case RevokeLease:
		return gone.Lease == o.Action.Lease
	case DeleteClaim:
		return gone.Key == o.Action.Key && gone.CreateRev == o.Action.CreateRev
	}
	return false
}

func settleByAct(f *JournalEntry, o Outcome) {
	f.Cause = CauseRevoked
	if o.Action.Kind == DeleteClaim {
		f.Cause = CauseDeleted
	}
	f.Confidence, f.Pending = Certain, false
	f.Evidence = "done from this console"
}

package model

import (
	"slices"
	"time"
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
	// WasHolder: the claim that left held the lock.
	WasHolder bool
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
	// Place is the place in the queue, from 1, and WaitsFor the key ahead.
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
}

// removedClaim is the claim whose going the cause explains.
func (f *JournalEntry) removed() ClaimRef {
	if f.Kind == EntryHandover {
		return f.From
	}
	return f.Claim
}

const (
	journalMax   = 10_000           // entries kept in all
	lockFactsMax = 32               // and per lock
	causeWait    = 5 * time.Second  // how long a cause waits for a reading
	actWindow    = 10 * time.Second // how far done and seen may lie apart
	actsMax      = 100
)

// record appends an entry to the journal and to that of its lock.
func (s *State) record(f *JournalEntry) *JournalEntry {
	s.entrySeq++
	f.Seq = s.entrySeq
	f.Past = s.past
	if f.At.IsZero() {
		f.At = s.now
	}
	s.journal = append(s.journal, f)
	if len(s.journal) >= 2*journalMax {
		s.journal = append([]*JournalEntry(nil), s.journal[len(s.journal)-journalMax:]...)
	}
	if d := s.dirs[f.Lock]; f.Lock != "" && d != nil && d.lock != nil {
		l := d.lock
		l.journal = append(l.journal, f)
		if len(l.journal) >= 2*lockFactsMax {
			l.journal = append([]*JournalEntry(nil), l.journal[len(l.journal)-lockFactsMax:]...)
		}
	}
	s.journalVersion++
	return f
}

// Journal returns the journal, oldest first: the last 10,000 entries at least, as far
// as there are any.
func (s *State) Journal() []*JournalEntry { return s.journal }

// JournalAfter returns the entries that are still kept with a number above seq, oldest
// first.
func (s *State) JournalAfter(seq uint64) []*JournalEntry {
	i, _ := slices.BinarySearchFunc(s.journal, seq+1, func(f *JournalEntry, want uint64) int {
		switch {
		case f.Seq < want:
			return -1
		case f.Seq > want:
			return 1
		}
		return 0
	})
	return s.journal[i:]
}

// JournalVersion rises when an entry is added or its cause becomes known.
func (s *State) JournalVersion() uint64 { return s.journalVersion }

// explain finds out why c went in a revision that took n claims of its lease and
// left rest of them. l is its lease, nil for none.
func (s *State) explain(f *JournalEntry, l *Lease, n, rest int) {
	if !s.past && (s.explainByAct(f) || s.lab.explainByNotes(s, f)) {
		return
	}
	switch {
	case l == nil:
		f.Cause, f.Confidence = CauseDeleted, Strong
		f.Evidence = "the key had no lease: only a delete takes it"
		return
	case rest > 0:
		f.Cause, f.Confidence = CauseReleased, Strong
		f.Evidence = "other keys of its lease stayed"
		return
	case s.past:
		f.Cause, f.Confidence = CauseUnknown, Hint
		f.Evidence = "it was before we looked: how its lease ended cannot be told any more"
		return
	case n > 1:
		f.Cause, f.Confidence, f.Evidence = s.howEnded(l, f.At, "all its keys went in one revision")
	default:
		f.Cause, f.Confidence = CauseUnknown, Hint
		f.Evidence = "its lease has not been read since"
	}
	f.Pending = true
	l.pending = append(l.pending, f)
	l.asked = l.asked || f.Kind == EntryHandover || f.WasHolder || f.Waited >= visitor
	s.later(deadline{at: f.At.Add(causeWait), fact: f})
}

// visitor is how long a waiter has to have been there for the cause of its going to
// be worth a reading before others: TryLock comes and goes within milliseconds.
const visitor = time.Second

// howEnded tells how a lease that is gone ended, by its last reading: that bounds
// what it had left unless it was renewed since.
func (s *State) howEnded(l *Lease, at time.Time, sign string) (Cause, Confidence, string) {
	if !l.HasRead || l.Read.Granted <= 0 {
		return CauseUnknown, Hint, sign + "; its lease ended, but it was never read"
	}
	since := at.Sub(l.Read.At)
	left := time.Duration(l.Read.Remaining)*time.Second - since // at least, if not renewed; a second more at most
	read := sign + "; last reading " + seconds(since) + " before: " +
		itoa(l.Read.Remaining) + " of " + itoa(l.Read.Granted) + " s left"
	renewal := time.Duration(l.Read.Granted) * time.Second / 3
	switch {
	case l.Read.Remaining <= 0 && since < time.Second:
		return CauseExpired, Strong, read
	case l.State() != LeaseHealthy && left <= expirySlack && left > -expiryLate:
		return CauseExpired, Strong, read + ", renewals missed"
	case left <= expirySlack:
		return CauseUnknown, Hint, read + ", too long ago to tell expired from revoked"
	case since <= renewal:
		return CauseRevoked, Hint, read + ": closed by its owner, or revoked"
	}
	return CauseRevoked, Hint, read + ": ended early, closed by its owner or revoked"
}

// expiryLate bounds how long after its end a lease that nobody renewed is removed.
const expiryLate = 3 * time.Second

// expirySlack bounds how much a lease that just expired can seem to have left:
// readings are cut down to seconds.
const expirySlack = 200 * time.Millisecond

// settlePending gives the entries that waited for a reading of l their cause.
func (s *State) settlePending(l *Lease, e LeaseRead) {
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
		s.journalVersion++
		late := e.At.Sub(f.At)
		if e.Granted > 0 {
			f.Cause, f.Confidence = CauseReleased, Strong
			f.Evidence = "its lease lived on: " + itoa(e.Remaining) + " of " + itoa(e.Granted) + " s left " + seconds(late) + " later"
			continue
		}
		sign := "its lease was gone " + seconds(late) + " later"
		f.Cause, f.Confidence, f.Evidence = s.howEnded(l, f.At, sign)
		s.noteStop(f, l)
		if f.Cause == CauseRevoked {
			s.endedEarly(l.ID, f.At)
		}
	}
	if len(l.claims) == 0 {
		s.releaseLease(l)
	}
}

// noteStop remembers at which age a holder's renewals stopped, if it was renewed
// before and its lease then ran out.
func (s *State) noteStop(f *JournalEntry, l *Lease) {
	lk := s.Lock(f.Lock)
	if f.Cause != CauseExpired || lk == nil || l.Renewals == 0 || f.Held == 0 || f.HeldAtLeast || f.Gap > 0 {
		return
	}
	age := f.Held - time.Duration(l.Read.Granted)*time.Second // it ran out one TTL after the last renewal
	if age > 0 {
		if len(lk.stopAges) == stopsMin {
			lk.stopAges = lk.stopAges[1:]
		}
		lk.stopAges = append(lk.stopAges, age)
	}
}

// giveUp ends the wait for a reading: the cause stays as uncertain as it is, unless
// it was told otherwise meanwhile.
func (s *State) giveUp(f *JournalEntry) {
	if f.Pending {
		f.Pending = false
		f.Evidence += "; no reading within " + seconds(s.now.Sub(f.At))
		s.journalVersion++
	}
	l := s.leases[f.removed().Lease]
	if l == nil {
		return
	}
	if i := slices.Index(l.pending, f); i >= 0 {
		l.pending = slices.Delete(l.pending, i, i+1)
		s.releaseLease(l)
	}
}

// explainByAct looks for an action of ours that took the claim: the only thing
// that makes a revoke or a delete certain.
func (s *State) explainByAct(f *JournalEntry) bool {
	for i := len(s.acts) - 1; i >= 0; i-- {
		if s.acts[i].took(f) {
			settleByAct(f, s.acts[i])
			return true
		}
	}
	return false
}

// acted takes an action of ours in. The watch may have seen its effect before.
func (s *State) acted(o Outcome) {
	if o.Done && o.Action.Kind.WritesEtcd() {
		s.acts = append(s.acts, o)
		if len(s.acts) > actsMax {
			s.acts = append([]Outcome(nil), s.acts[1:]...)
		}
		for i := len(s.journal) - 1; i >= 0 && o.At.Sub(s.journal[i].At) < actWindow; i-- {
			if gone := s.journal[i]; o.took(gone) {
				settleByAct(gone, o)
			}
		}
	}
	s.record(&JournalEntry{At: o.At, Rev: o.Rev, Kind: EntryAction, Lock: o.Action.Lock, Text: o.Describe()})
}

// took says whether the action took the claim of which the entry says that it went.
func (o Outcome) took(f *JournalEntry) bool {
	if f.Past || f.Kind != EntryHandover && f.Kind != EntryLeft {
		return false
	}
	gone := f.removed()
	if o.Rev != 0 && f.Rev != 0 && f.Gap == 0 && o.Rev != f.Rev {
		return false // over a free lock, the entry is later than the act
	}
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

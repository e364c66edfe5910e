package journal

import (
	"fmt"
	"time"

	"locktop/model"
)

// Kind is the kind of one line of the journal.
type Kind string

// Kinds of entries.
const (
	Queued   Kind = "queued"   // a claim joined the queue behind others
	Acquired Kind = "acquired" // a claim took a lock whose last holder is not known
	Shared   Kind = "shared"   // a claim joined others that hold already
	Left     Kind = "left"     // a waiter went, or a holder without a successor
	Handover Kind = "handover" // the holder changed
	Blocked  Kind = "blocked"  // a key that is not a claim came first
	First    Kind = "first"    // of keys side by side, none of which is known to hold, another one came first
	Together Kind = "together" // many claims went at once: one line for all of them
	Finding  Kind = "finding"  // a diagnosis came or went
	Gap      Kind = "gap"      // the watch was lost, or is back
	Member   Kind = "member"   // the cluster changed: leader, members, alarms
	Lab      Kind = "lab"      // what the lab reports: processes, beliefs, faults
	Action   Kind = "action"   // what the console did
	Drill    Kind = "drill"    // what a drill tells of itself: steps and verdicts
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

// Entry is one line of the journal. While Pending, its cause waits for a reading
// of the lease and may still change; everything else never does.
type Entry struct {
	Seq  uint64
	At   time.Time
	Rev  int64
	Kind Kind
	Lock string
	// Claim is whom it is about: the one that queued, acquired, left or took over.
	Claim model.ClaimRef
	// From is the holder before, for a handover; of a claim that acquired, the key that
	// blocked the lock before.
	From model.ClaimRef
	// GoneRev is the revision at which the one that the cause explains went, 0 if it was
	// not seen to go. Who says that he took it has to name this one.
	GoneRev int64
	// WasHolder: the claim that left held the lock. Others is how many still hold it, that
	// held together with it; Hidden says that who waits leaves no trace.
	WasHolder bool
	Others    int
	Hidden    bool
	// Why says why From (a handover) or Claim (left) went.
	Why
	Spans
	// Place is the place in the queue, from 1, and WaitsFor the key ahead; of a holder that
	// left, the key that is not a claim and blocks the lock since.
	Place    int
	WaitsFor model.ClaimRef
	// Unseen: it happened while the watch was lost; At is when we learnt of it.
	Unseen bool
	// Past: it is from etcd's history, which keeps no times. At is when we read it; how
	// long anybody held or waited, and nobody held, is not known.
	Past bool
	// Severity is that of a finding that came, SevInfo for one that is over.
	Severity model.Severity
	// Text is the sentence of the kinds that have no fields of their own.
	Text string
	// By is who did what an action is about, "" if that was not said.
	By string
	Many

	// LeftOut is how many entries are missing in this place, of a gap in what is told.
	LeftOut uint64
}

// Why is the cause of a claim's going, and how sure that is.
type Why struct {
	Cause      Cause
	Confidence model.Confidence
	Pending    bool // it may become surer
	// Evidence says what the cause was inferred from.
	Evidence string
	// OnTime says in words that its lease went just when it would have if it was not renewed
	// after its last reading, "" if it did not, or nothing speaks for that.
	OnTime string

	read  bool // its lease was read since, and that did not tell
	byUs  bool // an action of ours took it
	fated bool // the cause is that of others which went with it, or a guess by its time
}

// Spans are the times of an entry.
type Spans struct {
	// Gap is how long nobody held, for a handover; 0 if the next one waited already.
	Gap time.Duration
	// Held is how long From, or the holder that left, had held.
	Held        time.Duration
	HeldAtLeast bool
	// Waited is how long the one that took over, or the waiter that left, had waited.
	Waited time.Duration
	// Came is when the claim was first seen that the cause is about, zero if it was there
	// before we looked.
	Came time.Time
}

// Many is what an entry has to do with others that went with it.
type Many struct {
	// Story is the number of the entry that tells of many that went together, of those and
	// of itself: see [Entry.Part].
	Story uint64
	// Count is how many claims went together, Locks how many locks lost their holder so, and
	// Leases on how many leases they hung; of an entry that tells of many.
	Count, Locks, Leases int

	story *story
}

// Alone says whether the entry points to no other: what it says stands in it.
func (f *Entry) Alone() bool { return f.story == nil }

// quietAfter is more than anything takes that changes an entry: what is open is given up by then.
const quietAfter = 15 * time.Second

// Quiet says whether the entry stays as it is, so that several states may have the same one: it
// gives no cause, or one for which neither a reading nor others that went with it may come any
// more. What is told later still makes another entry of it: see [Chronicle.Amend].
func (f *Entry) Quiet(now time.Time) bool {
	return f.Alone() && !f.Pending && (f.GoneRev == 0 || now.Sub(f.At) > quietAfter)
}

// Removed is the claim whose going the cause explains.
func (f *Entry) Removed() model.ClaimRef {
	if f.Kind == Handover || f.Kind == First {
		return f.From
	}
	return f.Claim
}

// Sentence says an entry in one plain sentence, with who naming claims. Bytes of
// keys and values are escaped.
func (f *Entry) Sentence(who func(model.ClaimRef) string) string {
	lock := model.Printable(f.Lock)
	queue := "the queue of " + lock
	if f.Lock == "" { // where it is told the lock has a name
		lock, queue = "the lock", "the queue"
	}
	switch f.Kind {
	case Queued:
		return fmt.Sprintf("%s joined %s at place %d, behind %s", who(f.Claim), queue, f.Place, who(f.WaitsFor))
	case Acquired:
		if f.Unseen {
			return fmt.Sprintf("%s holds %s since some time while the watch was lost", who(f.Claim), lock)
		}
		if !f.From.IsZero() {
			return fmt.Sprintf("%s got %s, which %s blocked", who(f.Claim), lock, model.Printable(f.From.Key))
		}
		return fmt.Sprintf("%s took %s, which was free", who(f.Claim), lock)
	case Shared:
		return fmt.Sprintf("%s holds %s too, at place %d", who(f.Claim), lock, f.Place)
	case Left:
		if f.WasHolder {
			return fmt.Sprintf("%s no longer holds %s%s: %s%s", who(f.Claim), lock, f.heldWords(), f.causeWords(), f.restWords())
		}
		return fmt.Sprintf("%s left %s at place %d: %s", who(f.Claim), queue, f.Place, f.causeWords())
	case Handover:
		return f.handoverSentence(who, lock)
	case First:
		return fmt.Sprintf("%s comes first in %s, since %s went: %s", who(f.Claim), lock, who(f.From), f.causeWords())
	case Together:
		return f.story.sentence()
	case Blocked:
		return fmt.Sprintf("%s is blocked by %s, not a claim of it", lock, model.Printable(f.Claim.Key))
	}
	return model.Printable(f.Text)
}

// restWords say what is left of a lock when a holder left.
func (f *Entry) restWords() string {
	switch {
	case f.Others == 1:
		return "; one other still holds it"
	case f.Others > 1:
		return fmt.Sprintf("; %d others still hold it", f.Others)
	case f.Hidden:
		return "; who waits for it leaves no trace in etcd"
	case !f.WaitsFor.IsZero() || f.Place > 1:
		return "" // it is blocked, or somebody else got it: that is a line of its own
	}
	return "; nobody waits"
}

func (f *Entry) handoverSentence(who func(model.ClaimRef) string, lock string) string {
	if f.Unseen {
		return fmt.Sprintf("%s now holds %s, %s does not any more: it changed while the watch was lost", who(f.Claim), lock, who(f.From))
	}
	to, from, held, gap := who(f.Claim), who(f.From), "", "; immediate handover"
	if f.Gap > 0 {
		gap = "; it was free for " + model.Seconds(f.Gap)
	}
	if f.Held > 0 || f.HeldAtLeast {
		held = "held " + model.Duration(f.Held, f.HeldAtLeast) + ", "
	}
	if f.Past {
		held, gap = "", ""
	}
	what := fmt.Sprintf("%s got %s from %s", to, lock, from)
	if to == from && f.Claim.Lease != 0 && f.From.Lease != 0 {
		what = fmt.Sprintf("%s took %s again", to, lock)
	}
	return what + ": " + held + f.causeWords() + gap
}

func (f *Entry) heldWords() string {
	if f.Held == 0 && !f.HeldAtLeast || f.Past {
		return ""
	}
	return " after " + model.Duration(f.Held, f.HeldAtLeast)
}

func (f *Entry) causeWords() string {
	if f.Pending {
		if f.Cause == CauseUnknown {
			return "cause not known yet"
		}
		return f.Cause.Words() + " (reading its lease)"
	}
	words := f.Cause.Words()
	switch {
	case f.byUs && f.Cause == CauseRevoked:
		words = "revoked by you"
	case f.byUs:
		words = "deleted by you"
	}
	if f.Confidence == model.Certain {
		return words
	}
	return words + " (" + string(f.Confidence) + ")"
}

// Words says the cause for the screen. A lease that ended early is no accusation:
// closing a session revokes its lease.
func (c Cause) Words() string {
	switch c {
	case CauseReleased:
		return "released"
	case CauseExpired:
		return "lease expired"
	case CauseRevoked:
		return "lease revoked or closed"
	case CauseDeleted:
		return "key deleted"
	case CauseReplaced:
		return "its key was written over"
	}
	return "cause unknown"
}

// Part says whether another entry tells of this one and of many others: see
// Entry.Story. People read that one, programs get both.
func (f *Entry) Part() bool { return f.Story != 0 && f.Kind != Together }

// ReadInVain says that the lease was read, and that it did not tell the cause. It stays
// open: what goes with it may tell.
func (f *Entry) ReadInVain() { f.Pending, f.read = true, true }

// GuessByTime gives an entry without a cause the one that its time makes likely.
func (f *Entry) GuessByTime() {
	if f.Cause == CauseUnknown && f.OnTime != "" {
		f.Cause, f.Confidence, f.Evidence, f.fated = CauseExpired, model.Hint, f.OnTime, true
	}
}

// WasReadInVain says whether it was.
func (f *Entry) WasReadInVain() bool { return f.read }

// OwnGoing says whether the entry tells of a claim that went in its revision.
func (f *Entry) OwnGoing() bool {
	return f.GoneRev != 0 && f.GoneRev == f.Rev && (f.Kind == Left || f.Kind == Handover)
}

// LastedFor says whether the claim was there for that long, as far as that is known.
func (f *Entry) LastedFor(d time.Duration) bool {
	return f.Came.IsZero() || f.At.Sub(f.Came) >= d
}

// lostLock says whether it was a holder that went.
func (f *Entry) lostLock() bool { return f.Kind == Handover || f.WasHolder }

package journal

import (
	"strings"
	"time"

	"locktop/model"
	"locktop/model/text"
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
	// CauseReleased: the key was deleted while its lease lived, which is certain, and by its
	// owner, which is inferred: a delete by others looks the same.
	CauseReleased Cause = "released"
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
	// Permits is how many may hold, of a semaphore; else 0.
	Permits int
	// LikeMembers: the keys may as well be members that are there together, so that the first need not hold.
	LikeMembers bool
	// Unseen: it happened while the watch was lost; At is when we learnt of it.
	Unseen bool
	// Past: it was not seen as it happened, and At is when it was learnt. It is from etcd's
	// history, which keeps no times, or came late: then it happened Within that time before At.
	// For how long nobody held is not known, nor how long anybody held or waited but for bounds.
	Past   bool
	Within time.Duration
	// Severity is that of a finding that came, SevInfo for one that is over.
	Severity model.Severity
	// Code is that of a finding that came or is over, "" for all else.
	Code model.Code
	// Found is the finding as it was when it came, or grew, nil for all else.
	Found *Found
	// Text is the sentence of the kinds that have no fields of their own.
	Text model.Message
	// Broke says of an action that it was done, and took a claim or a lease of etcd: what is done to a
	// lab breaks no lock.
	Broke bool
	// By is who did what an action is about, or took the claim that went by one; "" if that was not
	// said: then it was you.
	By string
	StoryPart

	// LeftOut is how many entries are missing in this place, of a gap in what is told.
	LeftOut uint64

	end   ended     // of an entry that gives a cause
	until time.Time // up to when it waits to be looked at again
}

// Found is a finding as it was at a time.
type Found model.Finding

// String says the finding in one sentence.
func (f *Found) String() string {
	if f == nil {
		return ""
	}
	return string(f.Code) + ": " + text.English(f.Summary)
}

// Why is the cause of a claim's going, and how sure that is.
type Why struct {
	Cause      Cause
	Confidence model.Confidence
	Pending    bool // it may become surer
	// Evidence says what the cause was inferred from.
	Evidence model.Message
	// OnTime says that its lease went just when it would have if it was not renewed
	// after its last reading, and nothing if it did not, or nothing speaks for that.
	OnTime model.Message

	// AllAtOnce: all keys of its lease went in one revision. No release takes several.
	AllAtOnce bool

	read  bool // its lease was read since, and that did not tell
	byUs  bool // an action of ours took it
	byLab bool // a fault of the lab did, which a lesson may have asked for
	fated bool // the cause is that of others which went with it, or a guess by its time
}

// Spans are the times of an entry.
type Spans struct {
	// Gap is how long nobody held, for a handover; 0 if the next one waited already.
	Gap time.Duration
	// Held is how long From, or the holder that left, had held.
	// HeldAtLeast: it may have held longer, up to HeldAtMost where that is not 0.
	Held        time.Duration
	HeldAtLeast bool
	HeldAtMost  time.Duration
	// Waited is how long the one that took over, or the waiter that left, had waited, with the
	// same bounds.
	Waited        time.Duration
	WaitedAtLeast bool
	WaitedAtMost  time.Duration
	// Came is when the claim was first seen that the cause is about, zero if it was there
	// before we looked.
	Came time.Time
}

// StoryPart is what an entry has to do with others that went with it.
type StoryPart struct {
	// Story is the number of the entry that tells of many that went together, of those and
	// of itself: see [Entry.Part].
	Story uint64
	// Count is how many claims went together, Locks how many locks lost their holder so, and
	// Leases on how many leases they hung; of an entry that tells of many.
	Count, Locks, Leases int

	story *story
}

// Alone says whether the entry points to no other: what it says stands in it.
func (e *Entry) Alone() bool { return e.story == nil }

// quietAfter is more than anything takes that changes an entry: what is open is given up by then.
const quietAfter = 15 * time.Second

// Quiet says whether the entry stays as it is, so that several states may have the same one: it
// gives no cause, or one for which neither a reading nor others that went with it may come any
// more. What is told later still makes another entry of it: see [Journal.Amend].
func (e *Entry) Quiet(now time.Time) bool {
	return e.Alone() && !e.Pending && (e.GoneRev == 0 || now.Sub(e.At) > quietAfter)
}

// Removed is the claim whose going the cause explains.
func (e *Entry) Removed() model.ClaimRef {
	if e.Kind == Handover || e.Kind == First {
		return e.From
	}
	return e.Claim
}

// Sentence says an entry in one plain English sentence, with who naming claims. Bytes of
// keys and values are escaped.
func (e *Entry) Sentence(who func(model.ClaimRef) string) string {
	return text.English(e.Message(who))
}

// Message says an entry in one sentence, with who naming claims, in words that are fit for a
// terminal.
func (e *Entry) Message(who func(model.ClaimRef) string) model.Message {
	name := func(r model.ClaimRef) model.Verbatim { return model.Verbatim(who(r)) }
	var lock any = e.Lock
	queue := model.Say("queue-of", e.Lock)
	if e.Lock == "" { // where it is told the lock has a name
		lock, queue = model.Say("the-lock"), model.Say("the-queue")
	}
	switch e.Kind {
	case Queued:
		if e.Permits > 1 {
			return model.Say("joined-for-a-permit", name(e.Claim), queue, e.Place, e.Permits)
		}
		return model.Say("joined", name(e.Claim), queue, e.Place, name(e.WaitsFor))
	case Acquired:
		switch {
		case e.Unseen:
			return model.Say("acquired-unseen", name(e.Claim), lock)
		case !e.From.IsZero():
			return model.Say("acquired-after-block", name(e.Claim), lock, e.From.Key)
		}
		if e.Permits > 1 {
			return model.Say("took-a-permit", name(e.Claim), lock, 1, e.Permits)
		}
		if e.LikeMembers {
			return model.Say("comes-first-of-all", name(e.Claim), queue)
		}
		return model.Say("acquired", name(e.Claim), lock)
	case Shared:
		if e.Permits > 1 {
			return model.Say("took-a-permit", name(e.Claim), lock, e.Place, e.Permits)
		}
		return model.Say("holds-too", name(e.Claim), lock, e.Place)
	case Left:
		if e.WasHolder && !e.LikeMembers {
			return model.Say("no-longer-holds", name(e.Claim), lock, e.heldBefore(), e.cause(), e.rest())
		}
		return model.Say("left", name(e.Claim), queue, e.Place, e.cause())
	case Handover:
		if e.LikeMembers && !e.Unseen {
			return model.Say("comes-first", name(e.Claim), queue, name(e.From), e.cause())
		}
		return e.handover(name, lock)
	case First:
		return model.Say("comes-first", name(e.Claim), lock, name(e.From), e.cause())
	case Together:
		return e.story.message()
	case Blocked:
		return model.Say("is-blocked", lock, e.Claim.Key)
	case Finding:
		switch said := text.English(e.Text); {
		case e.Lock == "" || e.Locks <= 1 && strings.Contains(said, model.Printable(e.Lock)):
		case e.Locks > 1:
			return model.Say("found-on-locks", e.Text, e.Lock, e.Locks-1)
		default:
			return model.Say("found-on-lock", e.Text, e.Lock)
		}
	}
	return e.Text
}

// rest says what is left of a lock when a holder left.
func (e *Entry) rest() model.Message {
	switch {
	case e.Others == 1:
		return model.Say("another-still-holds")
	case e.Others > 1:
		return model.Say("others-still-hold", e.Others)
	case e.Hidden:
		return model.Say("waiters-leave-no-trace")
	case !e.WaitsFor.IsZero() || e.Place > 1:
		return model.Message{} // it is blocked, or somebody else got it: that is a line of its own
	}
	return model.Say("then-nobody-waits")
}

// gapLeast is how long a lock is free before that is said: less would be said as 0.0s.
const gapLeast = 50 * time.Millisecond

func (e *Entry) handover(name func(model.ClaimRef) model.Verbatim, lock any) model.Message {
	to, from := name(e.Claim), name(e.From)
	if e.Unseen {
		return model.Say("handover-unseen", to, lock, from)
	}
	gap := model.Message{}
	if e.Gap >= gapLeast && !e.Past {
		gap = model.Say("was-free-for", e.Gap)
	}
	again := to == from && e.Claim.Lease != 0 && e.From.Lease != 0
	held := model.Message{}
	switch d := e.HeldFor(); {
	case d == "":
	case again:
		held = model.Say("had-held-before", model.Verbatim(d))
	default:
		held = model.Say("had-held", model.Verbatim(d))
	}
	if again {
		return model.Say("took-again", to, lock, held, e.causeWithin(), gap)
	}
	if e.Lock == "" {
		return model.Say("handover-here", to, from, held, e.causeWithin(), gap)
	}
	return model.Say("handover", to, lock, from, held, e.causeWithin(), gap)
}

// heldBefore says for how long a holder that left had held.
func (e *Entry) heldBefore() model.Message {
	if d := e.HeldFor(); d != "" {
		return model.Say("after-holding", model.Verbatim(d))
	}
	return model.Message{}
}

// up rounds a time up to what its words show: an upper bound that is cut down is none.
func up(d time.Duration) time.Duration {
	unit := time.Second
	if d < 10*time.Second {
		unit = 100 * time.Millisecond
	}
	return (d + unit - 1).Truncate(unit)
}

// HeldFor says in words how long the holder had held, or between which bounds, "" if nothing is
// known of that.
func (e *Entry) HeldFor() string {
	least := model.Duration(e.Held, false)
	switch most := "≤" + model.Duration(up(e.HeldAtMost), false); {
	case e.Past && e.Within == 0 || e.Held == 0 && !e.HeldAtLeast:
		return ""
	case e.HeldAtMost > 0 && e.Held < time.Second:
		return most
	case e.HeldAtMost > 0:
		return "≥" + least + ", " + most
	case e.Past && e.Held == 0:
		return ""
	case e.Past:
		return "≥" + least
	}
	return model.Duration(e.Held, e.HeldAtLeast)
}

// Ours says whether an action of ours is known to have ended the claim.
func (e *Entry) Ours() bool { return e.byUs }

// cause says why a claim went, and how sure that is.
func (e *Entry) cause() model.Message {
	switch {
	case e.Pending && e.Cause == CauseUnknown:
		return model.Say("cause-not-known-yet")
	case e.Pending:
		return model.Say("reading-its-lease", e.Cause.Message())
	}
	cause := e.Cause.Message()
	switch {
	case e.byLab && e.Cause == CauseRevoked:
		cause = model.Say("revoked-by-lab")
	case e.byLab:
		cause = model.Say("deleted-by-lab")
	case e.byUs && e.Cause == CauseRevoked && e.By != "":
		cause = model.Say("revoked-by", e.By)
	case e.byUs && e.Cause == CauseRevoked:
		cause = model.Say("revoked-by-you")
	case e.byUs && e.By != "":
		cause = model.Say("deleted-by", e.By)
	case e.byUs:
		cause = model.Say("deleted-by-you")
	case e.Cause == CauseRevoked && e.Confidence == model.Hint && !e.AllAtOnce:
		cause = model.Say("released-and-closed-or-revoked")
	}
	switch {
	case e.Confidence == model.Certain:
		return cause
	case cause.ID == "cause-unknown":
		return model.Say("cause-unknown-surely", e.Confidence)
	}
	return model.Say("cause-surely", cause, e.Confidence)
}

// causeWithin is the cause where it stands in brackets already.
func (e *Entry) causeWithin() model.Message {
	c := e.cause()
	switch c.ID {
	case "cause-surely":
		return model.Say("cause-surely-within", c.Args...)
	case "cause-unknown-surely":
		return model.Say("cause-unknown-within", c.Args...)
	}
	return c
}

// Words says the cause in English.
func (c Cause) Words() string { return text.English(c.Message()) }

// Message says the cause. A lease that ended early is no accusation: closing a session revokes
// its lease.
func (c Cause) Message() model.Message {
	switch c {
	case CauseReleased:
		return model.Say("released")
	case CauseExpired:
		return model.Say("lease-expired")
	case CauseRevoked:
		return model.Say("lease-revoked-or-closed")
	case CauseDeleted:
		return model.Say("key-deleted")
	case CauseReplaced:
		return model.Say("key-written-over")
	}
	return model.Say("cause-unknown")
}

// Part says whether another entry tells of this one and of many others: see
// Entry.Story. People read that one, programs get both.
func (e *Entry) Part() bool { return e.Story != 0 && e.Kind != Together }

// Repeats says whether the entry says the same as the one before it, of another lock, as a deadlock of
// both is.
func (e *Entry) Repeats(before *Entry) bool {
	return e.Kind == Finding && before.Kind == Finding && e.Text.Same(before.Text) && e.At.Equal(before.At)
}

// ReadInVain says that the lease was read, and that it did not tell the cause. It stays
// open: what goes with it may tell.
func (e *Entry) ReadInVain() { e.Pending, e.read = true, true }

// tellingTTL is the shortest TTL in seconds of which the end tells something: of a shorter one every
// other close falls there.
const tellingTTL = 8

// GuessByTime gives an entry without a cause the one that its time makes likely. That of a short lease
// makes none likely by itself, but with many others.
func (e *Entry) GuessByTime() {
	if e.story == nil && e.end.granted < tellingTTL {
		return
	}
	if e.Cause == CauseUnknown && !e.OnTime.IsZero() && e.canHaveExpired(e) {
		e.Cause, e.Confidence, e.Evidence, e.fated = CauseExpired, model.Hint, e.OnTime, true
	}
}

// WasReadInVain says whether a reading came back that could not tell how the claim went.
func (e *Entry) WasReadInVain() bool { return e.read }

// LeaseLived gives an entry of which the key went while its lease lived its cause: most likely
// its owner let go. how says from what it is known that the lease lived.
func (e *Entry) LeaseLived(how model.Message) {
	e.Cause, e.Confidence = CauseReleased, model.Hint
	e.Evidence = model.Say("looks-like-an-unlock", how)
}

// OwnGoing says whether the entry tells of a claim that went in its revision.
func (e *Entry) OwnGoing() bool {
	return e.GoneRev != 0 && e.GoneRev == e.Rev && (e.Kind == Left || e.Kind == Handover)
}

// LastedFor says whether the claim was there for that long, as far as that is known.
func (e *Entry) LastedFor(d time.Duration) bool {
	return e.Came.IsZero() || e.At.Sub(e.Came) >= d
}

// lostLock says whether it was a holder that went.
func (e *Entry) lostLock() bool { return e.Kind == Handover || e.WasHolder }

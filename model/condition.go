package model

// Level is how much a condition matters.
type Level int8

// Levels, in rising order. From LevelWarning on a person should look.
const (
	LevelIdle   Level = iota // nobody holds it, or nobody is supposed to
	LevelUnread              // its lease was not read yet
	LevelWell
	LevelInfo
	LevelWarning
	LevelError
)

// Level returns the level of what was found.
func (s Severity) Level() Level {
	switch s {
	case SevError:
		return LevelError
	case SevWarning:
		return LevelWarning
	}
	return LevelInfo
}

// Condition is how a lock or a session does: by its worst finding, else by its lease.
// It is worked out here alone, and everything else prints it. It is small: every sort
// asks for that of every lock.
type Condition struct {
	// Rank orders conditions: the higher the worse.
	Rank  int32
	Level Level
	// Word is what it is called.
	Word string
	from *Finding // nil for none
}

// Ranks of a condition. How the lease is counts within those of a finding.
const (
	rankInfo    = 5
	rankTrouble = 10
	rankWarning = 20
	rankError   = 30
)

// Trouble says whether a person should look.
func (c Condition) Trouble() bool { return c.Level >= LevelWarning }

// Code returns the code of the finding from which it follows, "" for none.
func (c Condition) Code() Code {
	if c.from == nil {
		return ""
	}
	return c.from.Code
}

// Sentence says the same as the word, at more length.
func (c Condition) Sentence() string {
	if c.from == nil {
		return sentences[c.Word]
	}
	return c.from.Summary
}

// The conditions in which nothing has to be found.
var (
	isFree      = Condition{Level: LevelIdle, Word: "free"}
	isOrderOnly = Condition{Level: LevelIdle, Word: "group, no lock"}
	isBlocked   = Condition{Rank: rankTrouble + 4, Level: LevelError, Word: "blocked"}
	isMoving    = Condition{Level: LevelWell, Word: "moving"}
	isHeld      = Condition{Level: LevelWell, Word: "held"}
	isEncrypted = Condition{Level: LevelUnread, Word: "encrypted"}
	isHealthy   = Condition{Level: LevelWell, Word: "healthy"}
	isUnread    = Condition{Level: LevelUnread, Word: "lease not read"}
	isLate      = Condition{Rank: rankTrouble + 1, Level: LevelWarning, Word: "lease late"}
	hasNoLease  = Condition{Rank: rankTrouble + 2, Level: LevelWarning, Word: "no lease"}
	isGone      = Condition{Rank: rankTrouble + 3, Level: LevelError, Word: "lease gone"}
	isSilent    = Condition{Rank: rankTrouble + 5, Level: LevelError, Word: "lease silent"}
	isOverdue   = Condition{Rank: rankTrouble + 6, Level: LevelError, Word: "lease overdue"}
)

var sentences = map[string]string{
	isFree.Word:      "nobody holds it and nobody waits",
	isOrderOnly.Word: "keys of no known recipe: in order, and nothing is said of a holder",
	isEncrypted.Word: "its value is encrypted, so who holds it is not known",
	isBlocked.Word:   "a key that is no claim stands first",
	isMoving.Word:    "it changes hands as it used to",
	isHeld.Word:      "it has a holder; whether its program works, etcd cannot tell",
	isHealthy.Word:   "renewed on time",
	isUnread.Word:    "no reading of its lease yet",
	isLate.Word:      "its lease missed one renewal",
	hasNoLease.Word:  "its key has no lease and never expires by itself",
	isGone.Word:      "etcd does not know its lease any more",
	isSilent.Word:    "missed two renewals or more: it ends unless renewed",
	isOverdue.Word:   "past its end, not yet revoked by etcd",
}

// Conditions returns those in which nothing has to be found, the best first.
func Conditions() []Condition {
	return []Condition{isMoving, isHeld, isHealthy, isUnread, isEncrypted, isFree, isOrderOnly, isLate, hasNoLease, isGone, isBlocked, isSilent, isOverdue}
}

// Condition returns how the lease alone says that its session does.
func (st LeaseState) Condition() Condition {
	switch st {
	case LeaseHealthy:
		return isHealthy
	case LeaseUnknown:
		return isUnread
	case LeaseLate:
		return isLate
	case LeaseNone:
		return hasNoLease
	case LeaseGone:
		return isGone
	case LeaseSilent:
		return isSilent
	}
	return isOverdue
}

// with returns the condition as a finding makes it. What is only worth knowing says
// more than that all is well, and less than anything else.
func (c Condition) with(f *Finding) Condition {
	if f.Severity == SevInfo && c.Level != LevelWell && c.Level != LevelUnread && c.Level != LevelInfo {
		return c
	}
	rank, level := int32(rankInfo), f.Severity.Level()
	switch level {
	case LevelError:
		rank = rankError + c.Rank%rankTrouble
	case LevelWarning:
		rank = rankWarning + c.Rank%rankTrouble
	}
	return Condition{rank, level, string(f.Code), f}
}

// Condition returns how the lock does.
func (l *Lock) Condition() Condition {
	var c Condition
	switch head := l.Head(); {
	case head == nil:
		c = isFree
	case !l.recipe.HasHolder:
		c = isOrderOnly
	case !l.IsClaim(head):
		c = isBlocked
	case l.recipe.OfKube():
		c = l.kubeCondition()
	default:
		c = head.lease.State().Condition()
		if c.Word == isHealthy.Word {
			c = l.pace()
		}
	}
	if len(l.findings) > 0 {
		return c.with(&l.findings[0])
	}
	return c
}

// kubeCondition returns how a Lease of Kubernetes does. Time alone is in MovesWhen.
func (l *Lock) kubeCondition() Condition {
	switch k, ok := l.Kube(); {
	case !ok:
		return isEncrypted
	case k.Holder == "":
		return isFree
	}
	return isHeld
}

// sessionKeys bounds how many keys of a session are looked at to say how it does.
const sessionKeys = 32

// Condition returns how a session does. A finding that is only worth knowing does not
// change that.
func (l *Lease) Condition() Condition {
	c := l.State().Condition()
	if f, _ := l.Worst(); f != nil && f.Severity != SevInfo {
		return c.with(f)
	}
	return c
}

// Worst returns the worst finding about a claim of the lease and the lock in which it
// shows, nil if there is none.
func (l *Lease) Worst() (worst *Finding, where *Lock) {
	for _, c := range l.claims[:min(len(l.claims), sessionKeys)] {
		lock := c.Lock()
		if lock == nil {
			continue
		}
		if f := lock.Worst(c); f != nil && (worst == nil || !worst.Severity.AtLeast(f.Severity)) {
			worst, where = f, lock
		}
	}
	return worst, where
}

// Worst returns the worst finding about a claim in the queue of the lock, nil if there
// is none.
func (l *Lock) Worst(c *Claim) *Finding {
	for i := range l.findings {
		if l.findings[i].About(c) {
			return &l.findings[i]
		}
	}
	return nil
}

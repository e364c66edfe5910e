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
// Package status works it out, and everything else prints that. It is small: every sort
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

// Hint says whether it follows from what is found, and may be none.
func (c Condition) Hint() bool { return c.from != nil && c.from.Confidence == Hint }

// Message says the same as the word, at more length.
func (c Condition) Message() Message {
	if c.from == nil {
		return wellKnown[c.Word].sentence
	}
	return c.from.Summary
}

// Called is the word as a message: the code for what was found.
func (c Condition) Called() Message {
	if c.from == nil {
		return wellKnown[c.Word].word
	}
	return Say("code", c.from.Code)
}

// The conditions in which nothing has to be found. They are not to be changed.
var (
	IsFree      = Condition{Level: LevelIdle, Word: "free"}
	IsOrderOnly = Condition{Level: LevelIdle, Word: "leased keys"}
	IsBlocked   = Condition{Rank: rankTrouble + 4, Level: LevelError, Word: "blocked"}
	IsMoving    = Condition{Level: LevelWell, Word: "moving"}
	IsHeld      = Condition{Level: LevelWell, Word: "held"}
	IsPresumed  = Condition{Level: LevelIdle, Word: "a lock?"}
	IsWaitedFor = Condition{Level: LevelInfo, Word: IsHeld.Word} // held, and others wait
	IsEncrypted = Condition{Level: LevelUnread, Word: "encrypted"}
	IsHealthy   = Condition{Level: LevelWell, Word: "renewed"}
	IsUnread    = Condition{Level: LevelUnread, Word: "lease not read"}
	IsLate      = Condition{Rank: rankTrouble + 1, Level: LevelWarning, Word: "lease late"}
	HasNoLease  = Condition{Rank: rankTrouble + 2, Level: LevelWarning, Word: "no lease"}
	IsGone      = Condition{Rank: rankTrouble + 3, Level: LevelError, Word: "lease gone"}
	IsSilent    = Condition{Rank: rankTrouble + 5, Level: LevelError, Word: "lease silent"}
	IsOverdue   = Condition{Rank: rankTrouble + 6, Level: LevelError, Word: "lease overdue"}
)

// wellKnown are the words and the sentences of the conditions in which nothing has to be found.
var wellKnown = map[string]struct{ word, sentence Message }{
	IsFree.Word:      {Say("state-free"), Say("is-free")},
	IsOrderOnly.Word: {Say("state-leased-keys"), Say("is-in-order-only")},
	IsEncrypted.Word: {Say("state-encrypted"), Say("is-encrypted")},
	IsBlocked.Word:   {Say("state-blocked"), Say("is-blocked-by-no-claim")},
	IsMoving.Word:    {Say("state-moving"), Say("is-moving")},
	IsHeld.Word:      {Say("state-held"), Say("is-held")},
	IsPresumed.Word:  {Say("state-perhaps-a-lock"), Say("is-perhaps-a-lock")},
	IsHealthy.Word:   {Say("state-renewed"), Say("is-renewed")},
	IsUnread.Word:    {Say("state-lease-not-read"), Say("lease-is-unread")},
	IsLate.Word:      {Say("state-lease-late"), Say("lease-is-late")},
	HasNoLease.Word:  {Say("state-no-lease"), Say("has-no-lease")},
	IsGone.Word:      {Say("state-lease-gone"), Say("lease-is-gone")},
	IsSilent.Word:    {Say("state-lease-silent"), Say("lease-is-silent")},
	IsOverdue.Word:   {Say("state-lease-overdue"), Say("lease-is-overdue")},
}

// Conditions returns those in which nothing has to be found, the best first.
func Conditions() []Condition {
	return []Condition{IsMoving, IsHeld, IsHealthy, IsUnread, IsEncrypted, IsFree, IsOrderOnly, IsPresumed, IsLate, HasNoLease, IsGone, IsBlocked, IsSilent, IsOverdue}
}

// Condition returns how the lease alone says that its session does.
func (st LeaseState) Condition() Condition {
	switch st {
	case LeaseHealthy:
		return IsHealthy
	case LeaseUnknown:
		return IsUnread
	case LeaseLate:
		return IsLate
	case LeaseNone:
		return HasNoLease
	case LeaseGone:
		return IsGone
	case LeaseSilent:
		return IsSilent
	}
	return IsOverdue
}

// With returns the condition as a finding makes it. What is only worth knowing says
// more than that all is well, and less than anything else.
func (c Condition) With(f *Finding) Condition {
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

// LeaseState is what the readings of a lease say about its owner.
type LeaseState string

// Lease states. Late and silent follow from a reading, never from the passing of
// time alone.
const (
	LeaseNone    LeaseState = "none"    // the key has no lease and never expires
	LeaseUnknown LeaseState = "unread"  // no reading yet
	LeaseHealthy LeaseState = "healthy" // renewed on time
	LeaseLate    LeaseState = "late"    // one renewal missed
	LeaseSilent  LeaseState = "silent"  // two or more renewals missed
	LeaseOverdue LeaseState = "overdue" // past its end, not yet revoked by etcd
	LeaseGone    LeaseState = "gone"    // etcd does not know it any more
)

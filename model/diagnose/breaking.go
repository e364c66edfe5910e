package diagnose

import (
	"locktop/model"
	"locktop/model/keyspace"
	"locktop/model/outlook"
)

// Breaking says what comes of breaking the claim that a finding is about: of a delete,
// or of a revoke of its lease.
type Breaking struct {
	Effect BreakEffect
	// Why is said before anybody breaks it. Where the finding is about no claim, it says
	// what to do instead.
	Why string
}

// BreakEffect is what breaking a claim does about a finding.
type BreakEffect string

// Effects of breaking.
const (
	BreakNone     BreakEffect = ""         // the finding is never about a claim
	BreakCures    BreakEffect = "cure"     // under the condition that Why names
	BreakHarmless BreakEffect = "harmless" // it takes nothing from anybody, and is not needed
	BreakWrong    BreakEffect = "wrong"    // it does not help, or it harms
)

// Words say what comes of breaking the claim, in one sentence.
func (b Breaking) Words() string {
	switch b.Effect {
	case BreakCures:
		return "breaking this claim is a cure: " + b.Why
	case BreakHarmless:
		return "breaking this claim harms nobody: " + b.Why
	case BreakWrong:
		return "breaking this claim is the wrong cure: " + b.Why
	}
	return "there is no claim to break: " + b.Why
}

// What several findings have in common.
const (
	holderDead   = "it frees the lock before the lease ends; make sure first that the holder is dead"
	writerGone   = "the key never expires, so only a delete frees the lock; make sure first that its writer is gone"
	nothingWrong = "nothing is wrong with this claim"
	ghostAtWork  = "no claim in the queue is to blame: restart the program that works without one"
	goneStopIt   = "the claim is gone already: make sure that its old owner has stopped; the one who holds now is innocent"
)

// BreakingOf says what comes of breaking the claim that a finding of the code is about.
func BreakingOf(code model.Code) Breaking {
	e, _ := Explain(code)
	return e.Breaking
}

// BreakWords say what comes of breaking the claim of a finding, or what to do where it is
// about no claim.
func BreakWords(f *model.Finding) string {
	if f.Claim.IsZero() {
		return "there is no claim to break: " + BreakingOf(f.Code).Why
	}
	return CureWords(f)
}

// CureWords say what comes of breaking a claim of which that is found, or which stands in
// its lock. What is only a hint may be something else: then a break may be wrong.
func CureWords(f *model.Finding) string {
	b := BreakingOf(f.Code)
	if f.Confidence != model.Hint || b.Effect != BreakCures && b.Effect != BreakHarmless {
		return b.Words()
	}
	alike := "something else"
	if len(f.Alternatives) > 0 {
		alike = string(f.Alternatives[0])
	}
	return "this is a hint, " + alike + " looks the same: breaking the claim may be a cure or do harm, so look at its client first"
}

// BeforeBreak returns the finding to read before a claim in the queue of the lock is
// broken, nil for none: one for which a break is the wrong cure and no claim is to blame,
// else the worst about that claim.
func BeforeBreak(l *keyspace.Lock, c *keyspace.Claim) *model.Finding {
	found := l.Findings()
	for i := range found {
		if f := &found[i]; f.Claim.IsZero() && f.Severity == model.SevError && BreakingOf(f.Code).Effect == BreakWrong {
			return f
		}
	}
	return outlook.Worst(l, c)
}

package findings

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
)

// BreakingOf says what comes of breaking the claim that a finding of the code is about.
func BreakingOf(code model.Code) Breaking {
	e, _ := Explain(code)
	return e.Breaking
}

// BreakWords say what comes of breaking the claim of a finding, or what to do where it is
// about no claim.
func BreakWords(f *model.Finding) model.Message {
	if f.Claim.IsZero() {
		return Breaking{Why: BreakingOf(f.Code).Why}.Words()
	}
	return CureWords(f)
}

// CureWords say what comes of breaking a claim of which that is found, or which stands in
// its lock. What is only a hint may be something else: then a break may be wrong.
func CureWords(f *model.Finding) model.Message {
	b := BreakingOf(f.Code)
	if f.Confidence != model.Hint || b.Effect != BreakCures && b.Effect != BreakHarmless {
		return b.Words()
	}
	alike := model.Say("something-else")
	if len(f.Alternatives) > 0 {
		alike = quoted(f.Alternatives[0])
	}
	return model.Say("breaking-on-a-hint", alike)
}

// quoted is the name of a problem within a sentence.
func quoted(code model.Code) model.Message {
	e, _ := Explain(code)
	return model.Say("quoted", e.Word)
}

// Way is what a break is beside the advice of a finding: another way to mend it, or none. One of both is
// said, or neither.
type Way struct{ Or, Dont model.Message }

// WayOf says of a finding what a break is.
func WayOf(f *model.Finding) Way {
	b := BreakingOf(f.Code)
	cures := b.Effect == BreakCures || b.Effect == BreakHarmless
	switch {
	case b.Why.IsZero(), cures && f.Claim.IsZero(): // what could be broken is gone
		return Way{}
	case cures && f.Confidence == model.Hint && len(f.Alternatives) > 0:
		return Way{Dont: model.Say("break-not-on-a-hint", quoted(f.Alternatives[0]))}
	case cures:
		return Way{Or: model.Say("break-it-so", b.Why)}
	}
	if f.Lock == "" {
		return Way{Dont: model.Say("break-any-so", b.Why)}
	}
	return Way{Dont: model.Say("break-it-so", b.Why)}
}

// BeforeBreak returns the finding to read before a claim in the queue of the lock is
// broken, nil for none: one for which a break is the wrong cure and no claim is to blame,
// else the worst about that claim.
func BeforeBreak(d status.Diagnosis, l *locks.Lock, c *locks.Claim) *model.Finding {
	found := d.FindingsOf(l)
	for i := range found {
		if f := &found[i]; f.Claim.IsZero() && f.Severity == model.SevError && BreakingOf(f.Code).Effect == BreakWrong {
			return f
		}
	}
	return status.Worst(d, l, c)
}

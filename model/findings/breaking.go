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
		alike = model.Say("code", f.Alternatives[0])
	}
	return model.Say("breaking-on-a-hint", alike)
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

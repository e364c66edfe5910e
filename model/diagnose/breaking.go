package diagnose

import "locktop/model"

// BreakingOf says what comes of breaking the claim that a finding of the code is about.
func BreakingOf(code model.Code) Breaking { return breakings[code] }

// BreakWords say the same in a sentence, or what to do where the finding is about no claim.
func BreakWords(f *model.Finding) string {
	if f.Claim.IsZero() {
		return "there is no claim to break: " + BreakingOf(f.Code).Why
	}
	return BreakingOf(f.Code).Words()
}

// BeforeBreak returns the finding to read before a claim in the queue of the lock is
// broken, nil for none: one for which a break is the wrong cure and no claim is to blame,
// else the worst about that claim.
func BeforeBreak(l *model.Lock, c *model.Claim) *model.Finding {
	found := l.Findings()
	for i := range found {
		if f := &found[i]; f.Claim.IsZero() && f.Severity == model.SevError && BreakingOf(f.Code).Effect == BreakWrong {
			return f
		}
	}
	return l.Worst(c)
}

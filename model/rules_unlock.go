package model

import (
	"fmt"
)

// staleUnlocks finds a contender whose claim its own client deleted while it believes
// on: an unlock that was tried again took a later claim of the same name. Where
// workers share a session, the unlock of one of them does the same.
func staleUnlocks(x *ruleContext) {
	if x.lab == nil {
		return
	}
	for _, u := range x.lab.Stale {
		if u.Victim == "" {
			x.recheck(u.At.Add(Grace))
			continue
		}
		x.recheck(u.Told.Add(ToldFor))
		x.staleUnlock(u)
	}
}

// staleUnlock reports one of them.
func (x *ruleContext) staleUnlock(u *StaleUnlock) {
	f := Finding{Code: CodeStaleUnlock, Severity: SevWarning, Confidence: Certain,
		Summary:  fmt.Sprintf("%s deleted a claim by which %s went on to believe that it held: the lock was let go under it", Printable(u.Client), Printable(u.Victim)),
		Evidence: []string{fmt.Sprintf("the proxy saw %s delete %s at revision %d; %s did not say that it let go", Printable(u.Client), Printable(u.Key), u.Rev, Printable(u.Victim))},
		Advice:   []string{"stop " + Printable(u.Victim) + ": it does not hold any more", "in the client: a session of its own for each acquisition, or a delete guarded by the create revision"}}
	if u.Retried {
		f.Evidence = append(f.Evidence, "an earlier delete of that key was not answered, so the client tried again")
	}
	if u.Shared && !u.Retried {
		f.Code, f.Confidence = CodeSameSession, Strong
		f.Advice[1] = "give each worker a session of its own"
	}
	if x.reports.BelievesOn(u, x.l.Name) {
		f.Severity = SevError
	}
	x.report(f, nil)
}

package diagnose

import (
	"fmt"

	"locktop/model"
	"locktop/model/lab"
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
			x.recheck(u.At.Add(lab.Grace))
			continue
		}
		x.recheck(u.Told.Add(lab.ToldFor))
		x.staleUnlock(u)
	}
}

// staleUnlock reports one of them.
func (x *ruleContext) staleUnlock(u *lab.StaleUnlock) {
	f := model.Finding{Code: model.CodeStaleUnlock, Severity: model.SevWarning, Confidence: model.Certain,
		Summary:  fmt.Sprintf("%s deleted a claim by which %s went on to believe that it held: the lock was let go under it", model.Printable(u.Client), model.Printable(u.Victim)),
		Evidence: []string{fmt.Sprintf("the proxy saw %s delete %s at revision %d; %s did not say that it let go", model.Printable(u.Client), model.Printable(u.Key), u.Rev, model.Printable(u.Victim))},
		Advice:   []string{"stop " + model.Printable(u.Victim) + ": it does not hold any more", "in the client: a session of its own for each acquisition, or a delete guarded by the create revision"}}
	if u.Retried {
		f.Evidence = append(f.Evidence, "an earlier delete of that key was not answered, so the client tried again")
	}
	if u.Shared && !u.Retried {
		f.Code, f.Confidence = model.CodeSameSession, model.Strong
		f.Advice[1] = "give each worker a session of its own"
	}
	if x.reports.BelievesOn(u, x.l.Name) {
		f.Severity = model.SevError
	}
	x.report(f, nil)
}

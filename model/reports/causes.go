package reports

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// Explain looks for a request, to delete it or to end its lease, that the proxy saw take the claim.
func (lab *Reports) Explain(f *journal.Entry) bool {
	if f.GoneRev == 0 {
		return false
	}
	if n := lab.notes[f.Removed().Key]; n != nil {
		for _, w := range n.writes {
			if w.Took && w.Rev == f.GoneRev && lab.settleByWrote(f, w) {
				return true
			}
		}
	}
	for _, r := range slices.Backward(lab.revokes) {
		if tookAlong(r, f) {
			lab.settleByRevoked(f, r)
			return true
		}
	}
	return false
}

const (
	revokesMax  = 256              // requests that are remembered until the watch tells what went
	revokesLook = 10 * time.Second // how far back a request may explain what the watch told before,
	revokesBack = 1000             // and how many lines
)

// revoked takes the end of a request to revoke a lease in.
func (lab *Reports) revoked(e model.Revoked) {
	if e.Rev == 0 {
		return
	}
	if lab.revokes = append(lab.revokes, e); len(lab.revokes) > revokesMax {
		lab.revokes = slices.Delete(lab.revokes, 0, 1)
	}
	journal := lab.k.Journal()
	for _, f := range slices.Backward(journal[max(0, len(journal)-revokesBack):]) {
		if lab.k.Now().Sub(f.At) > revokesLook {
			return
		}
		if tookAlong(e, f) {
			lab.settleByRevoked(locks.Amend(lab.k, f), e)
			lab.k.Explained()
		}
	}
}

// tookAlong says whether a request to revoke explains an entry about which nothing surer is known.
func tookAlong(r model.Revoked, f *journal.Entry) bool {
	sure := f.Confidence == model.Certain || f.Confidence == model.Strong && !f.Pending ||
		f.Cause == journal.CauseReleased && !f.Pending // its lease lived on: it ended later
	return r.Rev != 0 && f.GoneRev == r.Rev && f.Removed().Lease == r.Lease && !sure
}

// settleByRevoked gives an entry the cause that a request to end its lease was answered at the
// revision at which the claim went. That is not certain: a delete by somebody whom the proxy does
// not see, right before, leaves the lease without keys, and the answer has the revision of that.
func (lab *Reports) settleByRevoked(f *journal.Entry, r model.Revoked) {
	f.Cause, f.Confidence, f.Pending = journal.CauseRevoked, model.Strong, false
	switch o, known := lab.owners[r.Lease]; {
	case !known || !o.Certain || !r.Certain:
		f.Evidence = model.Say("proxy-saw-revoke")
	case lab.SameProgram(o.Name, r.Name):
		f.Evidence = model.Say("proxy-saw-owner-revoke", r.Name)
	default:
		f.Evidence = model.Say("proxy-saw-another-revoke", r.Name, o.Name)
	}
}

// explainByWrote gives the entries about a claim that a client deleted their cause. The
// watch may have seen its going before the proxy reported the request.
func (lab *Reports) explainByWrote(w model.Wrote) {
	l := lab.k.Lock(lab.lockName(w.Key))
	if l == nil || w.Rev == 0 { // it went at no revision that is known
		return
	}
	for _, f := range slices.Backward(l.Journal()) {
		if f.GoneRev == w.Rev && f.Removed().Key == w.Key && f.Confidence != model.Certain && lab.settleByWrote(locks.Amend(lab.k, f), w) {
			lab.k.Explained()
		}
	}
}

// settleByWrote makes a cause certain by who deleted the key, if both that one and the
// owner are known.
func (lab *Reports) settleByWrote(f *journal.Entry, w model.Wrote) bool {
	o, known := lab.owners[f.Removed().Lease]
	if !known || !o.Certain || !w.Certain {
		return false
	}
	f.Cause, f.Confidence, f.Pending = journal.CauseReleased, model.Certain, false
	f.Evidence = model.Say("proxy-saw-owner-delete", w.Name)
	if !lab.SameProgram(o.Name, w.Name) {
		f.Cause = journal.CauseDeleted
		f.Evidence = model.Say("proxy-saw-another-delete", w.Name, o.Name)
	}
	return true
}

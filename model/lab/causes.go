package lab

import (
	"slices"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/keyspace"
)

// Explain looks for a delete that the proxy saw take the claim.
func (lab *Reports) Explain(f *journal.Entry) bool {
	n := lab.notes[f.Removed().Key]
	if n == nil || f.GoneRev == 0 {
		return false
	}
	for _, w := range n.writes {
		if w.Took && w.Rev == f.GoneRev && lab.settleByWrote(f, w) {
			return true
		}
	}
	return false
}

// explainByWrote gives the entries about a claim that a client deleted their cause. The
// watch may have seen its going before the proxy reported the request.
func (lab *Reports) explainByWrote(w model.Wrote) {
	l := lab.k.Lock(lab.lockName(w.Key))
	if l == nil || w.Rev == 0 { // it went at no revision that is known
		return
	}
	for _, f := range slices.Backward(l.Journal()) {
		if f.GoneRev == w.Rev && f.Removed().Key == w.Key && f.Confidence != model.Certain && lab.settleByWrote(keyspace.Amend(lab.k, f), w) {
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
	f.Evidence = "the proxy saw its owner " + model.Printable(w.Name) + " delete it"
	if !lab.SameProgram(o.Name, w.Name) {
		f.Cause = journal.CauseDeleted
		f.Evidence = "the proxy saw " + model.Printable(w.Name) + " delete it, which is not its owner " + model.Printable(o.Name)
	}
	return true
}

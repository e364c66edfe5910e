package reports

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// explain looks for requests, to delete keys or to end leases, that the proxy saw take the claims
// that just went.
func (rs *Reports) explain(changes []locks.Change) {
	if len(rs.notebook.notes)+len(rs.revokes) == 0 {
		return
	}
	for i := range changes {
		if f := changes[i].Entry; changes[i].Kind == locks.Happened && f.GoneRev != 0 && !f.Past && f.Confidence != model.Certain {
			rs.news.explained(f, rs.whyGone(f))
		}
	}
}

// whyGone says why the claim of an entry went, nil if no request is known that took it.
func (rs *Reports) whyGone(f *journal.Entry) *locks.Explanation {
	if n := rs.notebook.notes[f.Removed().Key]; n != nil {
		for _, w := range n.writes {
			if why := rs.byWrote(f, w); why != nil && w.Took && w.Rev == f.GoneRev {
				return why
			}
		}
	}
	for _, r := range slices.Backward(rs.revokes) {
		if tookAlong(r, f) {
			return rs.byRevoked(r)
		}
	}
	return nil
}

const (
	revokesMax  = 256              // requests that are remembered until the watch tells what went
	revokesLook = 10 * time.Second // how far back a request may explain what the watch told before,
	revokesBack = 1000             // and how many lines
)

// revoked takes the end of a request to revoke a lease in.
func (rs *Reports) revoked(e model.Revoked) {
	if e.Rev == 0 {
		return
	}
	if rs.revokes = append(rs.revokes, e); len(rs.revokes) > revokesMax {
		rs.revokes = slices.Delete(rs.revokes, 0, 1)
	}
	journal := rs.k.Journals.Journal()
	for _, f := range slices.Backward(journal[max(0, len(journal)-revokesBack):]) {
		if rs.k.Now().Sub(f.At) > revokesLook {
			return
		}
		if tookAlong(e, f) {
			rs.news.explained(f, rs.byRevoked(e))
		}
	}
}

// tookAlong says whether a request to revoke explains an entry about which nothing surer is known.
func tookAlong(r model.Revoked, f *journal.Entry) bool {
	sure := f.Confidence == model.Certain || f.Confidence == model.Strong && !f.Pending ||
		f.Cause == journal.CauseReleased && !f.Pending // its lease lived on: it ended later
	return r.Rev != 0 && f.GoneRev == r.Rev && f.Removed().Lease == r.Lease && !sure
}

// byRevoked explains that a request to end the lease of a claim was answered at the
// revision at which the claim went. That is not certain: a delete by somebody whom the proxy does
// not see, right before, leaves the lease without keys, and the answer has the revision of that.
func (rs *Reports) byRevoked(r model.Revoked) *locks.Explanation {
	why := &locks.Explanation{Cause: journal.CauseRevoked, Confidence: model.Strong}
	switch o, known := rs.k.Owners.LeaseOwner(r.Lease); {
	case !known || !o.Certain || !r.Certain:
		why.Evidence = model.Say("proxy-saw-revoke")
	case rs.Programs.SameProgram(o.Name, r.Name):
		why.Evidence = model.Say("proxy-saw-owner-revoke", r.Name)
	default:
		why.Evidence = model.Say("proxy-saw-another-revoke", r.Name, o.Name)
	}
	return why
}

// explainByWrote gives the entries about a claim that a client deleted their cause. The
// watch may have seen its going before the proxy reported the request.
func (rs *Reports) explainByWrote(w model.Wrote) {
	l := rs.k.Keys.Lock(rs.places.lockName(w.Key))
	if l == nil || w.Rev == 0 { // it went at no revision that is known
		return
	}
	for _, f := range slices.Backward(l.Journal()) {
		if f.GoneRev == w.Rev && f.Removed().Key == w.Key && f.Confidence != model.Certain {
			rs.news.explained(f, rs.byWrote(f, w))
		}
	}
}

// byWrote explains for certain who deleted the key of a claim, nil if that one or the owner is
// not known for certain.
func (rs *Reports) byWrote(f *journal.Entry, w model.Wrote) *locks.Explanation {
	o, known := rs.k.Owners.LeaseOwner(f.Removed().Lease)
	if !known || !o.Certain || !w.Certain {
		return nil
	}
	if !rs.Programs.SameProgram(o.Name, w.Name) {
		return &locks.Explanation{Cause: journal.CauseDeleted, Confidence: model.Certain, Evidence: model.Say("proxy-saw-another-delete", w.Name, o.Name)}
	}
	return &locks.Explanation{Cause: journal.CauseReleased, Confidence: model.Certain, Evidence: model.Say("proxy-saw-owner-delete", w.Name)}
}

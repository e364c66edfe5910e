package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/lab"
)

// openAfter is how long an answer, a watch event or a second try may be under way.
const openAfter = 2 * time.Second

// sure is how sure a word of the proxy about clients is: of one that shares its
// listener only the connection is known.
func sure(clients ...model.Client) model.Confidence {
	if slices.ContainsFunc(clients, func(c model.Client) bool { return !c.Certain }) {
		return model.Strong
	}
	return model.Certain
}

// openNotes looks at what the proxy saw of this lock's keys and what has not come to
// its end.
func openNotes(x *ruleContext) {
	if x.lab == nil || !x.l.Recipe().HasHolder {
		return
	}
	missed := false
	for _, key := range x.lab.Open {
		n := x.reports.NotesOf(key)
		if c := x.k.Claim(key); c != nil && c.Lock() == x.l {
			ghostWaiter(x, n, c)
			unlockLost(x, n, c)
		} else if !missed {
			missed = missedDelete(x, n)
		}
	}
}

// blocks raises a finding to an error if its claim is first and others wait.
func (x *ruleContext) blocks(f *model.Finding, c *model.Claim) {
	f.Severity = model.SevWarning
	if c == x.head && x.l.Behind() > 0 {
		f.Severity = model.SevError
		x.explained = true
		f.Evidence = append(f.Evidence, fmt.Sprintf("it is first, and %d behind it wait", x.l.Behind()))
	}
}

// ghostWaiter finds a claim whose client was never told that it was written: it
// believes that its Lock failed, and its session renews the claim all the same
// (etcd-io/etcd#9715).
func ghostWaiter(x *ruleContext, n *lab.Notes, c *model.Claim) {
	w := n.Ghost
	if w == nil || c.CreateRev > w.Rev || c.KV.Lease != w.Lease {
		return
	}
	if x.k.Now().Sub(w.At) < openAfter {
		x.recheck(w.At.Add(openAfter))
		return
	}
	f := model.Finding{Code: model.CodeGhostWaiter, Confidence: sure(w.Client), Lease: w.Lease,
		Summary: fmt.Sprintf("%s has a claim of which it was never told: it does not wait for its turn, and will not let go", model.Printable(w.Name)),
		Evidence: []string{fmt.Sprintf("the proxy saw the put of %s done at revision %d, and its answer never reached the client", model.Printable(n.Key), w.Rev),
			"the client has not spoken of that key since, and watches no key ahead of it"},
		Advice: []string{"revoke that lease: " + model.Action{Kind: model.RevokeLease, Lease: w.Lease}.Etcdctl(), "in the client: close the session after any error of Lock"}}
	x.blocks(&f, c)
	x.report(f, c)
}

// unlockLost finds a claim that its client tried to delete, without effect, while its
// session lives on (cilium#9855).
func unlockLost(x *ruleContext, n *lab.Notes, c *model.Claim) {
	w := n.Undone
	if w == nil || c.Since.After(w.At) || c.LeaseInfo().State() != model.LeaseHealthy {
		return
	}
	if x.k.Now().Sub(w.At) < openAfter {
		x.recheck(w.At.Add(openAfter))
		return
	}
	what := "it was sent, and no answer came"
	if w.Unsent {
		what = "it never reached the member"
	}
	f := model.Finding{Code: model.CodeUnlockLost, Confidence: sure(w.Client), Lease: c.KV.Lease,
		Summary: fmt.Sprintf("%s tried to delete its claim %s ago, without effect; its session renews it on", model.Printable(w.Name), model.Duration(x.k.Now().Sub(w.At), false)),
		Evidence: []string{fmt.Sprintf("the proxy saw the delete of %s: %s", model.Printable(n.Key), what),
			"the claim is still there: " + readingWords(c.LeaseInfo())},
		Advice: []string{"revoke its lease: " + model.Action{Kind: model.RevokeLease, Lease: c.KV.Lease}.Etcdctl(), "in the client: close the session when Unlock fails"}}
	for _, o := range x.reports.Workers(w.Name) {
		if o.CompetesFor(x.lab) && o.Belief.State == model.BeliefIdle && o.Belief.At.After(c.Since) {
			f.Evidence = append(f.Evidence, model.Printable(o.Name)+" says that it is idle")
		}
	}
	x.blocks(&f, c)
	x.report(f, c)
}

// missedDelete finds a head that still watches a key which went: it does not know that
// its turn has come (etcd-io/etcd#17529 and others).
func missedDelete(x *ruleContext, n *lab.Notes) bool {
	if x.head == nil || x.lease == nil || n.GoneAt.IsZero() || x.lease.State() != model.LeaseHealthy {
		return false
	}
	o, known := x.reports.LeaseOwner(x.lease.ID)
	if !known || x.reports.HoldsBy(o.Name, x.head.Key) {
		return false
	}
	at := slices.IndexFunc(n.Watchers, func(w model.Watches) bool { return x.reports.SameProgram(w.Name, o.Name) })
	if at < 0 {
		return false
	}
	w, since := n.Watchers[at], n.GoneAt
	if w.At.After(since) {
		since = w.At
	}
	if x.k.Now().Sub(since) < openAfter {
		x.recheck(since.Add(openAfter))
		return false
	}
	f := model.Finding{Code: model.CodeMissedDelete, Confidence: sure(o.Client, w.Client), Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s is first and does not know it: it still waits for a key that went %s ago", model.Printable(o.Name), model.Duration(x.k.Now().Sub(n.GoneAt), false)),
		Evidence: []string{"the proxy sees its watch of " + model.Printable(n.Key) + " open, and that key is gone",
			readingWords(x.lease)},
		Advice: []string{"restart " + model.Printable(o.Name) + ": its claim goes and the next in line moves up", "use WithRequireLeader and DialKeepAliveTime in clients"}}
	x.blocks(&f, x.head)
	x.report(f, x.head)
	return true
}

// claimsHere yields the claims of this lock that hang on one of some leases, by lease:
// the leases are few, the claims may be many.
func claimsHere[V any](x *ruleContext, of map[model.LeaseID]V, yield func(*model.Lease, *model.Claim)) {
	if len(of) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		l := x.k.Lease(id)
		if l == nil {
			continue
		}
		if c := x.claimOn(l); c != nil {
			yield(l, c)
		}
	}
}

// foreignKeepalive finds a lease that somebody else than its owner renews, so that the
// owner's end would not free the lock (etcd-io/etcd#10117).
func foreignKeepalive(x *ruleContext) {
	if !x.l.Recipe().HasHolder {
		return
	}
	claimsHere(x, x.reports.Shared(), func(l *model.Lease, c *model.Claim) {
		names := x.reports.ForeignKeepers(l.ID, x.k.Now())
		if len(names) == 0 {
			return
		}
		f := model.Finding{Code: model.CodeForeignKeepalive, Severity: model.SevInfo, Confidence: model.Certain, Lease: l.ID,
			Summary:  fmt.Sprintf("the lease of %s is renewed by %s", model.Printable(c.Key), strings.Join(names, " and ")),
			Evidence: []string{"the proxy saw their requests, each on a listener of its own"},
			Advice:   []string{"find out who renews on purpose before you break the lock: the end of its owner does not free it"}}
		if c == x.head && x.l.Behind() > 0 {
			f.Severity = model.SevWarning
		}
		x.report(f, c)
	})
}

// keepaliveDenied finds a claim whose lease may not be renewed any more
// (etcd-io/etcd#13300, the fix of CVE-2026-33413).
func keepaliveDenied(x *ruleContext) {
	if !x.l.Recipe().HasHolder {
		return
	}
	claimsHere(x, x.reports.Refusals(), func(l *model.Lease, c *model.Claim) {
		if !x.denied(l) {
			return
		}
		r := x.reports.Refusals()[l.ID]
		left, _ := l.Remaining(x.k.Now())
		f := model.Finding{Code: model.CodeKeepaliveDenied, Severity: model.SevWarning, Confidence: sure(r.Client), Lease: l.ID,
			Summary: fmt.Sprintf("%s may not renew the lease of %s any more: it ends in about %d s, whatever its client does",
				model.Printable(r.Name), model.Printable(c.Key), left),
			Evidence: []string{"the member refused its renewal: " + model.Printable(r.Text), readingWords(l)},
			Advice:   []string{"give its role write permission on the keys of the lock, or renew its token, and restart it"}}
		x.report(f, c)
	})
}

// denied says whether a renewal of a lease was refused within its TTL, and none has
// gone through since.
func (x *ruleContext) denied(l *model.Lease) bool {
	r, refused := x.reports.Refusals()[l.ID]
	if !refused || !l.HasRead || l.Read.Granted <= 0 || !l.Read.At.After(r.At) || !l.ResetAt.IsZero() {
		return false
	}
	ttl := time.Duration(l.Read.Granted) * time.Second
	if x.k.Now().Sub(r.At) > ttl+expiryLag {
		return false
	}
	renewed := l.Read.At.Add(-time.Duration(l.Read.Granted-l.Read.Remaining) * time.Second) // and up to a second later
	return renewed.Add(time.Second).Before(r.At) || x.k.Now().Sub(r.At) > ttl/2 && renewed.Before(r.At)
}

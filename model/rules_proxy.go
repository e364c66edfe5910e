package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// openAfter is how long an answer, a watch event or a second try may be under way.
const openAfter = 2 * time.Second

// sure is how sure a word of the proxy about clients is: of one that shares its
// listener only the connection is known.
func sure(clients ...Client) Confidence {
	if slices.ContainsFunc(clients, func(c Client) bool { return !c.Certain }) {
		return Strong
	}
	return Certain
}

// openNotes looks at what the proxy saw of this lock's keys and what has not come to
// its end.
func openNotes(x *ruleContext) {
	if x.lab == nil || !x.l.recipe.HasHolder {
		return
	}
	missed := false
	for _, key := range x.lab.open {
		n := x.s.lab.notes[key]
		if c := x.s.claims[key]; c != nil && c.Lock() == x.l {
			ghostWaiter(x, n, c)
			unlockLost(x, n, c)
		} else if !missed {
			missed = missedDelete(x, n)
		}
	}
}

// blocks raises a finding to an error if its claim is first and others wait.
func (x *ruleContext) blocks(f *Finding, c *Claim) {
	f.Severity = SevWarning
	if c == x.head && x.l.Behind() > 0 {
		f.Severity = SevError
		x.explained = true
		f.Evidence = append(f.Evidence, fmt.Sprintf("it is first, and %d behind it wait", x.l.Behind()))
	}
}

// ghostWaiter finds a claim whose client was never told that it was written: it
// believes that its Lock failed, and its session renews the claim all the same
// (etcd-io/etcd#9715).
func ghostWaiter(x *ruleContext, n *keyNotes, c *Claim) {
	w := n.ghost
	if w == nil || c.CreateRev > w.Rev || c.KV.Lease != w.Lease {
		return
	}
	if x.s.now.Sub(w.At) < openAfter {
		x.recheck(w.At.Add(openAfter))
		return
	}
	f := Finding{Code: CodeGhostWaiter, Confidence: sure(w.Client), Lease: w.Lease,
		Summary: fmt.Sprintf("%s has a claim of which it was never told: it does not wait for its turn, and will not let go", Printable(w.Name)),
		Evidence: []string{fmt.Sprintf("the proxy saw the put of %s done at revision %d, and its answer never reached the client", Printable(n.key), w.Rev),
			"the client has not spoken of that key since, and watches no key ahead of it"},
		Advice: []string{"revoke that lease: " + Action{Kind: RevokeLease, Lease: w.Lease}.Etcdctl(), "in the client: close the session after any error of Lock"}}
	x.blocks(&f, c)
	x.report(f, c)
}

// unlockLost finds a claim that its client tried to delete, without effect, while its
// session lives on (cilium#9855).
func unlockLost(x *ruleContext, n *keyNotes, c *Claim) {
	w := n.lost
	if w == nil || c.Since.After(w.At) || c.lease.State() != LeaseHealthy {
		return
	}
	if x.s.now.Sub(w.At) < openAfter {
		x.recheck(w.At.Add(openAfter))
		return
	}
	what := "it was sent, and no answer came"
	if w.Unsent {
		what = "it never reached the member"
	}
	f := Finding{Code: CodeUnlockLost, Confidence: sure(w.Client), Lease: c.KV.Lease,
		Summary: fmt.Sprintf("%s tried to delete its claim %s ago, without effect; its session renews it on", Printable(w.Name), Duration(x.s.now.Sub(w.At), false)),
		Evidence: []string{fmt.Sprintf("the proxy saw the delete of %s: %s", Printable(n.key), what),
			"the claim is still there: " + readingWords(c.lease)},
		Advice: []string{"revoke its lease: " + Action{Kind: RevokeLease, Lease: c.KV.Lease}.Etcdctl(), "in the client: close the session when Unlock fails"}}
	for _, o := range x.s.lab.workers(w.Name) {
		if o.place == x.lab && o.Belief.State == BeliefIdle && o.Belief.At.After(c.Since) {
			f.Evidence = append(f.Evidence, Printable(o.Name)+" says that it is idle")
		}
	}
	x.blocks(&f, c)
	x.report(f, c)
}

// missedDelete finds a head that still watches a key which went: it does not know that
// its turn has come (etcd-io/etcd#17529 and others).
func missedDelete(x *ruleContext, n *keyNotes) bool {
	if x.head == nil || x.lease == nil || n.goneAt.IsZero() || x.lease.State() != LeaseHealthy {
		return false
	}
	o, known := x.s.lab.owners[x.lease.ID]
	if !known || x.s.lab.holdsBy(o.Name, x.head.Key) {
		return false
	}
	at := slices.IndexFunc(n.watchers, func(w Watches) bool { return x.s.lab.sameProgram(w.Name, o.Name) })
	if at < 0 {
		return false
	}
	w, since := n.watchers[at], n.goneAt
	if w.At.After(since) {
		since = w.At
	}
	if x.s.now.Sub(since) < openAfter {
		x.recheck(since.Add(openAfter))
		return false
	}
	f := Finding{Code: CodeMissedDelete, Confidence: sure(o.Client, w.Client), Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s is first and does not know it: it still waits for a key that went %s ago", Printable(o.Name), Duration(x.s.now.Sub(n.goneAt), false)),
		Evidence: []string{"the proxy sees its watch of " + Printable(n.key) + " open, and that key is gone",
			readingWords(x.lease)},
		Advice: []string{"restart " + Printable(o.Name) + ": its claim goes and the next in line moves up", "use WithRequireLeader and DialKeepAliveTime in clients"}}
	x.blocks(&f, x.head)
	x.report(f, x.head)
	return true
}

// holdsBy says whether a worker of that process believes that it holds by a key.
func (lab *labState) holdsBy(name, key string) bool {
	return slices.ContainsFunc(lab.workers(name), func(c *competitor) bool {
		return c.Belief.State == BeliefHolding && c.Belief.Key == key
	})
}

// claimsHere yields the claims of this lock that hang on one of some leases, by lease:
// the leases are few, the claims may be many.
func claimsHere[V any](x *ruleContext, of map[LeaseID]V, yield func(*Lease, *Claim)) {
	if len(of) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		l := x.s.leases[id]
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
	if !x.l.recipe.HasHolder {
		return
	}
	claimsHere(x, x.s.lab.shared, func(l *Lease, c *Claim) {
		names := x.s.lab.foreignKeepers(l.ID, x.s.now)
		if len(names) == 0 {
			return
		}
		f := Finding{Code: CodeForeignKeepalive, Severity: SevInfo, Confidence: Certain, Lease: l.ID,
			Summary:  fmt.Sprintf("the lease of %s is renewed by %s", Printable(c.Key), strings.Join(names, " and ")),
			Evidence: []string{"the proxy saw their requests, each on a listener of its own"},
			Advice:   []string{"find out who renews on purpose before you break the lock: the end of its owner does not free it"}}
		if c == x.head && x.l.Behind() > 0 {
			f.Severity = SevWarning
		}
		x.report(f, c)
	})
}

// foreignKeepers names who renews a lease, if that is not its owner alone. Only
// clients count that have listeners of their own and are there.
func (lab *labState) foreignKeepers(id LeaseID, now time.Time) (names []string) {
	owner, foreign := "", false
	for _, k := range lab.keepers[id] {
		if k.Certain && !k.Renews {
			owner = lab.program(k.Name)
		}
	}
	for _, k := range lab.keepers[id] {
		if !k.Certain || !k.Renews || !lab.there(k.Name, now) {
			continue
		}
		name := lab.program(k.Name)
		foreign = foreign || owner != "" && name != owner || owner == "" && len(names) > 0
		names = append(names, Printable(name))
	}
	if !foreign {
		return nil
	}
	slices.Sort(names)
	if owner != "" && !slices.Contains(names, Printable(owner)) {
		names[len(names)-1] += ", not by " + Printable(owner) + " that was granted it"
	}
	return names
}

// keepaliveDenied finds a claim whose lease may not be renewed any more
// (etcd-io/etcd#13300, the fix of CVE-2026-33413).
func keepaliveDenied(x *ruleContext) {
	if !x.l.recipe.HasHolder {
		return
	}
	claimsHere(x, x.s.lab.refused, func(l *Lease, c *Claim) {
		if !x.denied(l) {
			return
		}
		r := x.s.lab.refused[l.ID]
		left, _ := l.Remaining(x.s.now)
		f := Finding{Code: CodeKeepaliveDenied, Severity: SevWarning, Confidence: sure(r.Client), Lease: l.ID,
			Summary: fmt.Sprintf("%s may not renew the lease of %s any more: it ends in about %d s, whatever its client does",
				Printable(r.Name), Printable(c.Key), left),
			Evidence: []string{"the member refused its renewal: " + Printable(r.Text), readingWords(l)},
			Advice:   []string{"give its role write permission on the keys of the lock, or renew its token, and restart it"}}
		x.report(f, c)
	})
}

// denied says whether a renewal of a lease was refused within its TTL, and none has
// gone through since.
func (x *ruleContext) denied(l *Lease) bool {
	r, refused := x.s.lab.refused[l.ID]
	if !refused || !l.HasRead || l.Read.Granted <= 0 || !l.Read.At.After(r.At) || !l.ResetAt.IsZero() {
		return false
	}
	ttl := time.Duration(l.Read.Granted) * time.Second
	if x.s.now.Sub(r.At) > ttl+expiryLag {
		return false
	}
	renewed := l.Read.At.Add(-time.Duration(l.Read.Granted-l.Read.Remaining) * time.Second) // and up to a second later
	return renewed.Add(time.Second).Before(r.At) || x.s.now.Sub(r.At) > ttl/2 && renewed.Before(r.At)
}

// explainByNotes looks for a delete that the proxy saw take the claim.
func (lab *labState) explainByNotes(s *State, f *JournalEntry) bool {
	n := lab.notes[f.removed().Key]
	if n == nil || f.Rev == 0 {
		return false
	}
	for _, w := range n.writes {
		if w.Delete && w.Rev == f.Rev && lab.settleByWrote(f, w) {
			return true
		}
	}
	return false
}

// explainByWrote gives the entries about a claim that a client deleted their cause. The
// watch may have seen its going before the proxy reported the request.
func (lab *labState) explainByWrote(s *State, w Wrote) {
	d := s.dirs[lab.lockName(w.Key)]
	ll := lab.placeOf(w.Key)
	if d == nil || d.lock == nil {
		return
	}
	for _, f := range slices.Backward(d.lock.journal) {
		if f.Kind != EntryHandover && f.Kind != EntryLeft || f.removed().Key != w.Key || f.Confidence == Certain {
			continue
		}
		direct := f.Rev == w.Rev
		if g := (*removedClaim)(nil); !direct && f.Gap > 0 && ll != nil { // over a free lock
			g = ll.removedBy(w.Key)
			direct = g != nil && g.rev == w.Rev && g.ref.CreateRev == f.removed().CreateRev
		}
		if direct && lab.settleByWrote(f, w) {
			s.journalVersion++
		}
	}
}

// settleByWrote makes a cause certain by who deleted the key, if both that one and the
// owner are known.
func (lab *labState) settleByWrote(f *JournalEntry, w Wrote) bool {
	o, known := lab.owners[f.removed().Lease]
	if !known || !o.Certain || !w.Certain {
		return false
	}
	f.Cause, f.Confidence, f.Pending = CauseReleased, Certain, false
	f.Evidence = "the proxy saw its owner " + Printable(w.Name) + " delete it"
	if !lab.sameProgram(o.Name, w.Name) {
		f.Cause = CauseDeleted
		f.Evidence = "the proxy saw " + Printable(w.Name) + " delete it, which is not its owner " + Printable(o.Name)
	}
	return true
}

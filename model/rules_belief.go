package model

import (
	"fmt"
	"time"

	"locktop/model/recipe"
)

// falseBeliefs finds contenders that say they hold while etcd says that they do not:
// two may act now.
func falseBeliefs(x *ruleContext) {
	if x.lab == nil {
		return
	}
	for _, c := range x.lab.Competitors {
		since, is := x.reports.FalseSince(c, x.l)
		if !is {
			continue
		}
		claim, _ := x.reports.ClaimOf(c, x.l)
		if grace := x.graceOf(c, claim, since); x.k.Now().Sub(since) < grace {
			x.recheck(since.Add(grace))
			continue
		}
		if !x.reports.TookItself(c) && !x.reports.HangsInUnlock(c) {
			x.falseBelief(c, claim)
		}
	}
}

// lateGrace is how long a client that runs may go on believing after its lease ended,
// though it looks after its session: it counts the TTL from the last answer, looks
// about once a second, and its word has to come. What it tells then is [CodeLateDone].
const lateGrace = Grace + 1500*time.Millisecond

// graceOf is how long a contender's belief has to be false to be reported. One that
// was paused, or that never held, is not merely late.
func (x *ruleContext) graceOf(c *Competitor, claim *Claim, since time.Time) time.Duration {
	if x.reports.PausedSince(c.ContenderInfo, since) || claim == nil && x.reports.NeverHeld(c) {
		return Grace
	}
	return lateGrace
}

// claimHere returns the claim of this lock that has that key, nil for none.
func (x *ruleContext) claimHere(key string) *Claim {
	if c := x.k.Claim(key); c != nil && c.Lock() == x.l {
		return c
	}
	return nil
}

// claimOn returns the claim of this lock that hangs on a lease, nil for none.
func (x *ruleContext) claimOn(l *Lease) *Claim {
	for _, c := range l.Claims()[:min(len(l.Claims()), MaxScan)] {
		if c.Lock() == x.l {
			return c
		}
	}
	return nil
}

// falseBelief reports one of them.
func (x *ruleContext) falseBelief(c *Competitor, claim *Claim) {
	now := "nobody holds it"
	if x.head != nil {
		now = "etcd gave it to " + x.k.Who(x.head.Ref())
	}
	f := Finding{Code: CodeStaleHolder, Severity: SevError, Confidence: Strong, Lease: c.Lease,
		Summary:  fmt.Sprintf("%s still believes that it holds %s, but %s", Printable(c.Name), Printable(x.l.Name), now),
		Evidence: []string{"its own word against the queue; its process is " + string(x.reports.ProcOf(c.ContenderInfo))},
		Advice:   []string{"stop " + Printable(c.Name), "let the resource that the lock protects refuse old revisions (fencing)"}}
	if claim == nil && x.reports.NeverHeld(c) {
		f.Code, f.Confidence = ghostCode(c.Recipe), Certain
		f.Summary = fmt.Sprintf("%s believes that it holds %s, but its key was gone before it began to; %s", Printable(c.Name), Printable(x.l.Name), now)
		f.Evidence = []string{"key " + Printable(c.Belief.Key) + " did not exist when its client was told that it had won"}
		f.Advice = []string{"restart " + Printable(c.Name), "in the client: wait for Lock or Campaign and for session.Done() at once, and check after it that the own key is there"}
	}
	if g := x.lab.Removed(c.Belief.Key); g != nil && x.actedAfter(c, g) {
		f.Confidence = Certain
		f.Evidence = append(f.Evidence, fmt.Sprintf("the resource accepted its token %d %s after its claim had gone", c.LastAccess.Token, Duration(c.LastAccess.At.Sub(g.At), false)))
	}
	x.report(f, claim)
}

// ghostCode names what a win without a key is, by the word for the contender's recipe.
func ghostCode(word string) Code {
	if r := recipe.Played(word); r != nil && r.Ghost != "" {
		return Code(r.Ghost)
	}
	return CodeGhostLeader
}

// actedAfter says whether the resource accepted an access of a contender after its
// claim had gone.
func (x *ruleContext) actedAfter(c *Competitor, g *RemovedClaim) bool {
	a := c.LastAccess
	return a.Accepted && a.Lock == x.l.Name && a.At.After(g.At) && (a.Token == 0 || a.Token <= g.Ref.CreateRev)
}

// sameSession finds workers that all believe to hold by one and the same key: a second
// Lock on a session succeeds at once (etcd-io/etcd#7444).
func sameSession(x *ruleContext) {
	if x.lab == nil {
		return
	}
	first := map[string]*Competitor{}
	for _, c := range x.lab.Competitors {
		if c.Belief.State != BeliefHolding || c.Belief.Key == "" || x.reports.ProcOf(c.ContenderInfo) == ProcEnded {
			continue
		}
		o := first[c.Belief.Key]
		if o == nil {
			first[c.Belief.Key] = c
			continue
		}
		since := c.Belief.At
		if o.Belief.At.After(since) {
			since = o.Belief.At
		}
		if x.k.Now().Sub(since) < Grace {
			x.recheck(since.Add(Grace))
			continue
		}
		x.report(Finding{Code: CodeSameSession, Severity: SevError, Confidence: Strong, Lease: c.Belief.Lease,
			Summary:  fmt.Sprintf("%s and %s both believe that they hold %s, by one claim", Printable(o.Name), Printable(c.Name), Printable(x.l.Name)),
			Evidence: []string{"both name the key " + Printable(c.Belief.Key)},
			Advice:   []string{"give each worker a session of its own, or put a mutex of the programming language around the lock"}}, x.claimHere(c.Belief.Key))
		return
	}
}

// lateDone notes that a contender learnt of its loss after the next one had the lock,
// though its process was never paused: the Go client counts the TTL from the last
// reply and looks once a second (client/v3 lease.go, deadlineLoop).
func lateDone(x *ruleContext) {
	if x.lab == nil || !x.l.Recipe().Exclusive() {
		return
	}
	var worst LateWord
	for _, w := range x.reports.LateWords(x.lab) {
		if worst.Lock == "" || w.From.After(worst.From) {
			worst = w
		}
		x.recheck(w.At.Add(ToldFor))
	}
	if worst.Lock == "" {
		return
	}
	x.report(Finding{Code: CodeLateDone, Severity: SevInfo, Confidence: Certain, Lease: worst.Holder.Lease,
		Summary: fmt.Sprintf("%s learnt that it had lost %s %d ms after %s had got it",
			Printable(worst.Believer), Printable(x.l.Name), worst.At.Sub(worst.From).Milliseconds(), worst.Who),
		Evidence: []string{"its own word against the queue; its process was not paused"},
		Advice:   []string{"let holders stop after two thirds of the TTL without a renewal", "let the resource that the lock protects refuse old revisions (fencing)"}}, nil)
}

// zombieAfter is how long a contender that does not want the lock may take to let go.
const zombieAfter = 5 * time.Second

// zombieHolder finds a head that is renewed though no worker of its process wants the
// lock: a session that was never closed (projecteru2/core#399).
func zombieHolder(x *ruleContext) {
	if x.explained || x.lab == nil || x.l.Behind() == 0 || x.lease == nil || x.lease.State() != LeaseHealthy {
		return
	}
	o, known := x.reports.LeaseOwner(x.lease.ID)
	if !known {
		return
	}
	since := x.l.HeadSince()
	var who *Competitor
	for _, c := range x.reports.Workers(o.Name) {
		if !c.CompetesFor(x.lab) {
			continue
		}
		if c.Belief.At.IsZero() || x.reports.ProcOf(c.ContenderInfo) != ProcRunning ||
			c.Belief.State != BeliefIdle && c.Belief.State != BeliefLost {
			return
		}
		if who = c; c.Belief.At.After(since) {
			since = c.Belief.At
		}
	}
	if who == nil {
		return
	}
	if x.k.Now().Sub(since) < zombieAfter {
		x.recheck(since.Add(zombieAfter))
		return
	}
	x.explained = true
	x.report(Finding{Code: CodeZombieHolder, Severity: SevError, Confidence: Strong, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s says that it is %s since %s, but its claim heads the queue of %s and is renewed",
			Printable(who.Name), who.Belief.State, Duration(x.k.Now().Sub(since), false), Printable(x.l.Name)),
		Evidence: []string{readingWords(x.lease), fmt.Sprintf("%d behind it wait", x.l.Behind())},
		Advice:   []string{"revoke its lease: " + Action{Kind: RevokeLease, Lease: x.lease.ID}.Etcdctl(), "make the client close its session when it does not want the lock any more"}}, x.head)
}

// candidateAfter is how long a healthy client takes at least to learn that its lease
// has gone.
const candidateAfter = 2 * time.Second

// zombieCandidates finds a contender that waits for ever: its key went while it
// waited, which Lock and Campaign do not notice (etcd-io/etcd#19597).
func zombieCandidates(x *ruleContext) {
	if x.lab == nil || x.k.LiveSince(x.l.Name).IsZero() {
		return
	}
	for _, c := range x.lab.Competitors {
		b := c.Belief
		if b.State != BeliefWaiting || b.Key == "" || x.k.Claim(b.Key) != nil || x.reports.ProcOf(c.ContenderInfo) != ProcRunning {
			continue
		}
		g := x.lab.Removed(b.Key)
		if g == nil || g.At.Before(b.At) {
			continue // its request may be under way
		}
		grace := max(candidateAfter, time.Duration(c.TTL)*time.Second/3+time.Second) // its next renewal tells it
		if x.k.Now().Sub(g.At) < grace {
			x.recheck(g.At.Add(grace))
			continue
		}
		x.report(Finding{Code: CodeZombieCandidate, Severity: SevWarning, Confidence: Strong, Lease: b.Lease,
			Summary:  fmt.Sprintf("%s waits for %s since its claim went %s ago, and is not in the queue", Printable(c.Name), Printable(x.l.Name), Duration(x.k.Now().Sub(g.At), false)),
			Evidence: []string{"key " + Printable(b.Key) + " is gone; the contender's last word is that it waits"},
			Advice:   []string{"restart " + Printable(c.Name), "in the client: wait for Lock or Campaign and for session.Done() at once"}}, nil)
	}
}

// ttlFloor notes that a contender of the lab got a longer TTL than it asked for: the
// server's shortest is one and a half election timeouts.
func ttlFloor(x *ruleContext) {
	if x.lab == nil || x.head == nil || !x.l.Recipe().HasHolder {
		return
	}
	for _, c := range x.lab.Competitors {
		if c.Lease == 0 || c.TTL == 0 {
			continue
		}
		if l := x.k.Lease(c.Lease); l != nil && l.HasRead && l.Read.Granted > int64(c.TTL) {
			x.report(Finding{Code: CodeTTLFloor, Severity: SevInfo, Confidence: Certain, Lease: l.ID,
				Summary:  fmt.Sprintf("%s asked for a TTL of %d s and was granted %d s", Printable(c.Name), c.TTL, l.Read.Granted),
				Evidence: []string{"the server grants no less than one and a half election timeouts"},
				Advice:   []string{"count with the granted TTL"}}, x.claimOn(l))
			return
		}
	}
}

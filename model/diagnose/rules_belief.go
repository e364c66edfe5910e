package diagnose

import (
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/lab"
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
const lateGrace = lab.Grace + 1500*time.Millisecond

// graceOf is how long a contender's belief has to be false to be reported. One that
// was paused, or that never held, is not merely late.
func (x *ruleContext) graceOf(c *lab.Competitor, claim *model.Claim, since time.Time) time.Duration {
	if x.reports.PausedSince(c.ContenderInfo, since) || claim == nil && x.reports.NeverHeld(c) {
		return lab.Grace
	}
	return lateGrace
}

// claimHere returns the claim of this lock that has that key, nil for none.
func (x *ruleContext) claimHere(key string) *model.Claim {
	if c := x.k.Claim(key); c != nil && c.Lock() == x.l {
		return c
	}
	return nil
}

// claimOn returns the claim of this lock that hangs on a lease, nil for none.
func (x *ruleContext) claimOn(l *model.Lease) *model.Claim {
	for _, c := range l.Claims()[:min(len(l.Claims()), model.MaxScan)] {
		if c.Lock() == x.l {
			return c
		}
	}
	return nil
}

// falseBelief reports one of them.
func (x *ruleContext) falseBelief(c *lab.Competitor, claim *model.Claim) {
	now := "nobody holds it"
	if x.head != nil {
		now = "etcd gave it to " + x.k.Who(x.head.Ref())
	}
	f := model.Finding{Code: model.CodeStaleHolder, Severity: model.SevError, Confidence: model.Strong, Lease: c.Lease,
		Summary:  fmt.Sprintf("%s still believes that it holds %s, but %s", model.Printable(c.Name), model.Printable(x.l.Name), now),
		Evidence: []string{"its own word against the queue; its process is " + string(x.reports.ProcOf(c.ContenderInfo))},
		Advice:   []string{"stop " + model.Printable(c.Name), "let the resource that the lock protects refuse old revisions (fencing)"}}
	if claim == nil && x.reports.NeverHeld(c) {
		f.Code, f.Confidence = ghostCode(c.Recipe), model.Certain
		f.Summary = fmt.Sprintf("%s believes that it holds %s, but its key was gone before it began to; %s", model.Printable(c.Name), model.Printable(x.l.Name), now)
		f.Evidence = []string{"key " + model.Printable(c.Belief.Key) + " did not exist when its client was told that it had won"}
		f.Advice = []string{"restart " + model.Printable(c.Name), "in the client: wait for Lock or Campaign and for session.Done() at once, and check after it that the own key is there"}
	}
	if g := x.lab.Removed(c.Belief.Key); g != nil && x.actedAfter(c, g) {
		f.Confidence = model.Certain
		f.Evidence = append(f.Evidence, fmt.Sprintf("the resource accepted its token %d %s after its claim had gone", c.LastAccess.Token, model.Duration(c.LastAccess.At.Sub(g.At), false)))
	}
	x.report(f, claim)
}

// ghostCode names what a win without a key is, by the word for the contender's recipe.
func ghostCode(word string) model.Code {
	if r := recipe.Played(word); r != nil && r.Ghost != "" {
		return model.Code(r.Ghost)
	}
	return model.CodeGhostLeader
}

// actedAfter says whether the resource accepted an access of a contender after its
// claim had gone.
func (x *ruleContext) actedAfter(c *lab.Competitor, g *lab.RemovedClaim) bool {
	a := c.LastAccess
	return a.Accepted && a.Lock == x.l.Name && a.At.After(g.At) && (a.Token == 0 || a.Token <= g.Ref.CreateRev)
}

// sameSession finds workers that all believe to hold by one and the same key: a second
// Lock on a session succeeds at once (etcd-io/etcd#7444).
func sameSession(x *ruleContext) {
	if x.lab == nil {
		return
	}
	first := map[string]*lab.Competitor{}
	for _, c := range x.lab.Competitors {
		if c.Belief.State != model.BeliefHolding || c.Belief.Key == "" || x.reports.ProcOf(c.ContenderInfo) == model.ProcEnded {
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
		if x.k.Now().Sub(since) < lab.Grace {
			x.recheck(since.Add(lab.Grace))
			continue
		}
		x.report(model.Finding{Code: model.CodeSameSession, Severity: model.SevError, Confidence: model.Strong, Lease: c.Belief.Lease,
			Summary:  fmt.Sprintf("%s and %s both believe that they hold %s, by one claim", model.Printable(o.Name), model.Printable(c.Name), model.Printable(x.l.Name)),
			Evidence: []string{"both name the key " + model.Printable(c.Belief.Key)},
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
	var worst lab.LateWord
	for _, w := range x.reports.LateWords(x.lab) {
		if worst.Lock == "" || w.From.After(worst.From) {
			worst = w
		}
		x.recheck(w.At.Add(lab.ToldFor))
	}
	if worst.Lock == "" {
		return
	}
	x.report(model.Finding{Code: model.CodeLateDone, Severity: model.SevInfo, Confidence: model.Certain, Lease: worst.Holder.Lease,
		Summary: fmt.Sprintf("%s learnt that it had lost %s %d ms after %s had got it",
			model.Printable(worst.Believer), model.Printable(x.l.Name), worst.At.Sub(worst.From).Milliseconds(), worst.Who),
		Evidence: []string{"its own word against the queue; its process was not paused"},
		Advice:   []string{"let holders stop after two thirds of the TTL without a renewal", "let the resource that the lock protects refuse old revisions (fencing)"}}, nil)
}

// zombieAfter is how long a contender that does not want the lock may take to let go.
const zombieAfter = 5 * time.Second

// zombieHolder finds a head that is renewed though no worker of its process wants the
// lock: a session that was never closed (projecteru2/core#399).
func zombieHolder(x *ruleContext) {
	if x.explained || x.lab == nil || x.l.Behind() == 0 || x.lease == nil || x.lease.State() != model.LeaseHealthy {
		return
	}
	o, known := x.reports.LeaseOwner(x.lease.ID)
	if !known {
		return
	}
	since := x.l.HeadSince()
	var who *lab.Competitor
	for _, c := range x.reports.Workers(o.Name) {
		if !c.CompetesFor(x.lab) {
			continue
		}
		if c.Belief.At.IsZero() || x.reports.ProcOf(c.ContenderInfo) != model.ProcRunning ||
			c.Belief.State != model.BeliefIdle && c.Belief.State != model.BeliefLost {
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
	x.report(model.Finding{Code: model.CodeZombieHolder, Severity: model.SevError, Confidence: model.Strong, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s says that it is %s since %s, but its claim heads the queue of %s and is renewed",
			model.Printable(who.Name), who.Belief.State, model.Duration(x.k.Now().Sub(since), false), model.Printable(x.l.Name)),
		Evidence: []string{readingWords(x.lease), fmt.Sprintf("%d behind it wait", x.l.Behind())},
		Advice:   []string{"revoke its lease: " + model.Action{Kind: model.RevokeLease, Lease: x.lease.ID}.Etcdctl(), "make the client close its session when it does not want the lock any more"}}, x.head)
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
		if b.State != model.BeliefWaiting || b.Key == "" || x.k.Claim(b.Key) != nil || x.reports.ProcOf(c.ContenderInfo) != model.ProcRunning {
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
		x.report(model.Finding{Code: model.CodeZombieCandidate, Severity: model.SevWarning, Confidence: model.Strong, Lease: b.Lease,
			Summary:  fmt.Sprintf("%s waits for %s since its claim went %s ago, and is not in the queue", model.Printable(c.Name), model.Printable(x.l.Name), model.Duration(x.k.Now().Sub(g.At), false)),
			Evidence: []string{"key " + model.Printable(b.Key) + " is gone; the contender's last word is that it waits"},
			Advice:   []string{"restart " + model.Printable(c.Name), "in the client: wait for Lock or Campaign and for session.Done() at once"}}, nil)
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
			x.report(model.Finding{Code: model.CodeTTLFloor, Severity: model.SevInfo, Confidence: model.Certain, Lease: l.ID,
				Summary:  fmt.Sprintf("%s asked for a TTL of %d s and was granted %d s", model.Printable(c.Name), c.TTL, l.Read.Granted),
				Evidence: []string{"the server grants no less than one and a half election timeouts"},
				Advice:   []string{"count with the granted TTL"}}, x.claimOn(l))
			return
		}
	}
}

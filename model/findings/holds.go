package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/reports"
)

// holdFamily is about holders that are renewed and do not let go.
var holdFamily = Family{Lock: []Func{longHeld}, Lab: []Func{zombieHolder}, Entries: []Entry{
	{
		Code:       model.CodeLongHeld,
		Place:      270,
		Severity:   model.SevWarning,
		Word:       model.Say("state-long-held"),
		Story:      model.Say("headline-long-held", theLock),
		Title:      model.Say("about-long-held"),
		Mechanism:  model.Say("mechanism-long-held"),
		Looks:      model.Say("looks-long-held"),
		Do:         model.Say("do-long-held"),
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-long-held")},
	},
	{
		Code:       model.CodeZombieHolder,
		Place:      280,
		Severity:   model.SevError,
		Word:       model.Say("state-zombie-holder"),
		Story:      model.Say("headline-zombie-holder", theLock),
		Title:      model.Say("about-zombie-holder"),
		Mechanism:  model.Say("mechanism-zombie-holder"),
		Looks:      model.Say("looks-zombie-holder"),
		Do:         model.Say("do-zombie-holder"),
		Threads:    []string{"etcd-io/etcd#17470", "etcd-io/etcd#6127", "rabbitmq#17404", "projecteru2/core#399", "vitess#4189"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-zombie-holder")},
	},
}}

// Bounds of longHeld: a hold is long if it is this many times the longest of the last ones,
// or where too few are known, if what is waited for it together is this many times the TTL.
const (
	longFactor = 5
	longLeast  = 30 * time.Second
	longTTLs   = 10
	longMost   = 5 * time.Minute  // without a history, however long the TTL
	longTTL    = 30 * time.Minute // a dead holder's lease of this length blocks the others for long
	longUnseen = time.Minute      // while no renewal was seen, of such a lease
)

// longHeld says honestly that etcd cannot tell a hung holder from a busy one.
func longHeld(x *Context) {
	if x.Explained || x.Lease == nil || x.Lease.State() != model.LeaseHealthy || x.L.LikeMembers() || x.K.Pins.Long(x.L.Name) || someGoOn(x.L) {
		return
	}
	if x.L.Blocked() || slices.ContainsFunc(x.Found, func(f model.Finding) bool { return f.Code == model.CodeLockCycle && f.Severity != model.SevInfo }) {
		return // it is told why
	}
	held, atLeast := x.L.AllHeldFor(x.K.Now())
	for _, p := range []patience{declared(x), usual(x), untold(x)} {
		switch {
		case p.limit == 0:
			continue
		case p.limit > p.lasted:
			x.Recheck(x.K.Now().Add(p.limit - p.lasted))
		default:
			holdsLong(x, held, atLeast, p)
		}
		return
	}
}

// someGoOn says whether a semaphore has a permit left, or a holder that is not well: then who waits is
// told of that one.
func someGoOn(l *locks.Lock) bool {
	if n := l.Recipe().Permits; n < 2 || l.Holders() < n {
		return n > 1
	}
	for c := range l.First(min(l.Holders(), locks.MaxScan)) {
		if st := c.LeaseInfo().State(); st != model.LeaseHealthy && st != model.LeaseUnknown {
			return true
		}
	}
	return false
}

// patience is what is compared with a limit, and what the limit is; limit 0: none.
type patience struct {
	lasted, limit time.Duration
	reason        model.Message
	standBy       bool // those who wait neither came nor went for long: they may only stand by
}

// declared is the limit that somebody set for waiting.
func declared(x *Context) patience {
	limit := x.K.Pins.WarnWait(x.L.Name)
	longest, atLeast, any := x.L.LongestWait(x.K.Now())
	if !any || limit == 0 {
		return patience{}
	}
	return patience{lasted: longest, limit: limit, reason: model.Say("while-they-wait-longest", x.L.Behind(), model.Span{For: longest, AtLeast: atLeast})}
}

// usual is that of the lock's own past.
func usual(x *Context) patience {
	known := x.L.HoldTimes()
	if len(known) < longHolds {
		return patience{}
	}
	most := slices.Max(known)
	held, _ := x.L.AllHeldFor(x.K.Now())
	p := patience{lasted: held, limit: max(longFactor*most, longLeast, 2*x.L.LongestUnseen()), reason: model.Say("while-holds-took-at-most", len(known), most)}
	if fades := p.limit + fadesAfter; held < fades {
		x.Recheck(x.K.Now().Add(fades - held))
	} else {
		p.standBy = onlyStandBy(x, p.limit)
	}
	return p
}

// onlyStandBy says whether nobody comes to wait, or gives up, since a holder has held for longer than half
// the limit, or for long.
func onlyStandBy(x *Context, limit time.Duration) bool {
	after := x.K.Now().Add(-standByAfter)
	if formed := x.L.HeadSince().Add(limit / 2); formed.After(after) {
		after = formed
	}
	last := x.L.LastMove(after)
	if last == after {
		return true
	}
	x.Recheck(last.Add(standByAfter))
	return false
}

// untold is that of a lock of which too little is known: the more wait, and the shorter
// the lease, the sooner. A leader is meant to hold.
func untold(x *Context) patience {
	n, ttl := x.L.Behind(), x.Lease.Granted()
	reason := model.Say("while-they-wait", n)
	if n == 0 && waitedLately(x) {
		n, reason = 1, model.Say("while-waiters-come-and-go")
	}
	if n == 0 || ttl <= 0 || x.L.Recipe().Leads || saysItHolds(x) {
		return patience{}
	}
	held, _ := x.L.AllHeldFor(x.K.Now())
	limit := min(max(time.Duration(ttl)*time.Second*longTTLs/time.Duration(n), longLeast), longMost)
	if !x.Lease.Learned() && time.Duration(ttl)*time.Second >= longTTL {
		limit = longUnseen // its holder may be dead, and its lease keeps the others waiting
	}
	if known := x.L.HoldTimes(); len(known) > 0 {
		limit = max(limit, 2*slices.Max(known))
	}
	limit = max(limit, 2*x.L.LongestUnseen())
	return patience{lasted: held, limit: limit, reason: reason, standBy: onlyStandBy(x, limit)}
}

// waitsAgain is how soon one that gave up comes again, as a rule.
const waitsAgain = 5 * time.Second

// waitedLately says whether a waiter left so lately that it may come again.
func waitedLately(x *Context) bool {
	for _, f := range slices.Backward(x.L.Journal()) {
		if f.Kind == journal.Left && !f.WasHolder {
			x.Recheck(f.At.Add(waitsAgain))
			return x.K.Now().Sub(f.At) < waitsAgain
		}
	}
	return false
}

// standByAfter is for how long nobody has to come to wait for a lock, or to give up, for its waiters
// to be taken for programs that stand by: a service that leads by a mutex has such.
const standByAfter = 10 * time.Minute

// fadesAfter is for how long a hold that is unusual is told of as trouble while nobody comes or goes: who
// could know has seen it by then, or the lock is used otherwise than it was.
const fadesAfter = time.Hour

// saysItHolds says whether the holder is a running program of the lab that says so itself:
// that it holds for long is what it is there for, as in a lesson that waits for its reader.
func saysItHolds(x *Context) bool {
	if x.Lab == nil {
		return false
	}
	for _, c := range x.Lab.Competitors {
		if c.Belief.State == model.BeliefHolding && c.Belief.Key != "" && c.Belief.SpeaksOf(x.Head.Ref()) && x.Reports.Programs.ProcOf(c.ContenderInfo) == model.ProcRunning {
			return true
		}
	}
	return false
}

func holdsLong(x *Context, held time.Duration, atLeast bool, p patience) {
	who := x.K.Owners.Who(x.Head.Ref())
	f := model.Finding{Code: model.CodeLongHeld, Severity: model.SevInfo, Confidence: model.Hint, Lease: x.Lease.ID,
		Summary:      model.Say("has-held-long-and-renews", model.Verbatim(who), model.Span{For: held, AtLeast: atLeast}, p.reason),
		Evidence:     []model.Message{readingWords(x.Lease)},
		Advice:       []model.Message{model.Say("look-at-the-holders-process"), model.Say("if-it-works-only-slowly")},
		Alternatives: []model.Code{model.CodeZombieHolder, model.CodeUnlockLost, model.CodeGhostWaiter, model.CodeMissedDelete, model.CodeForeignKeepalive}}
	if n := x.L.Recipe().Permits; n > 1 {
		f.Summary = model.Say("all-permits-held-long", n, model.Span{For: held, AtLeast: atLeast}, p.reason)
	}
	if !x.Lease.Learned() && x.L.Recipe().Permits < 2 {
		f.Summary = model.Say("has-held-long-and-may-be-dead", model.Verbatim(who), model.Span{For: held, AtLeast: atLeast}, p.reason, untilLeaseEnds(x))
		f.Advice = []model.Message{model.Say("see-whether-holder-runs"),
			model.Say("break-if-gone-or-hangs")}
		f.Alternatives = append(f.Alternatives, model.CodeDeadHolder)
	}
	switch {
	case p.standBy && x.Lease.Learned():
		f.Evidence = append(f.Evidence, model.Say("waiters-may-stand-by"))
	case x.L.Behind() > 0 || waitedLately(x):
		f.Severity = model.SevWarning
		if aside := x.L.SeenAside(); !aside.IsZero() {
			f.Evidence = append(f.Evidence, aside)
		}
	}
	x.Report(f, x.Head)
}

// untilLeaseEnds is what the lease of the head has left.
func untilLeaseEnds(x *Context) time.Duration {
	left, _ := x.Lease.Remaining(x.K.Now())
	return time.Duration(left) * time.Second
}

// zombieAfter is how long a contender that does not want the lock may take to let go.
const zombieAfter = 5 * time.Second

// zombieHolder finds a head that is renewed though no worker of its process wants the
// lock: a session that was never closed (projecteru2/core#399).
func zombieHolder(x *Context) {
	if x.Explained || x.Lab == nil || x.L.Behind() == 0 || x.Lease == nil || x.Lease.State() != model.LeaseHealthy {
		return
	}
	o, known := x.K.Owners.LeaseOwner(x.Lease.ID)
	if !known {
		return
	}
	since := x.L.HeadSince()
	var who *reports.Competitor
	for _, c := range x.Reports.Programs.Workers(o.Name) {
		if !c.CompetesFor(x.Lab) {
			continue
		}
		if c.Belief.At.IsZero() || x.Reports.Programs.ProcOf(c.ContenderInfo) != model.ProcRunning ||
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
	if x.K.Now().Sub(since) < zombieAfter {
		x.Recheck(since.Add(zombieAfter))
		return
	}
	x.Explained = true
	x.Report(model.Finding{Code: model.CodeZombieHolder, Severity: model.SevError, Confidence: model.Strong, Lease: x.Lease.ID,
		Summary:  model.Say("says-that-it-is-since", who.Name, who.Belief.State, x.K.Now().Sub(since), x.L.Name),
		Evidence: []model.Message{readingWords(x.Lease), model.Say("waiters-behind-it", x.L.Behind())},
		Advice:   append(x.ToBreak(x.Head, model.Strong), model.Say("make-the-client-close"))}, x.Head)
}

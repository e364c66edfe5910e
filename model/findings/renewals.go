package findings

import (
	"math"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
)

// renewalFamily is about renewals that do not come.
var renewalFamily = Family{Lock: []Func{missedRenewals}, Entries: []Entry{
	{
		Code:       model.CodeDeadHolder,
		Place:      130,
		Severity:   model.SevWarning,
		Word:       model.Say("state-dead-holder"),
		Story:      model.Say("headline-dead-holder", theLock),
		Title:      model.Say("about-dead-holder"),
		Mechanism:  model.Say("mechanism-dead-holder"),
		Looks:      model.Say("looks-dead-holder"),
		Do:         model.Say("do-dead-holder"),
		Threads:    []string{"cilium#8195", "ovsdb-etcd#357", "pingcap/tidb#4624", "pingcap/tidb#3454"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: HolderDead},
	},
	{
		Code:       model.CodeKeepaliveStalled,
		Place:      140,
		Severity:   model.SevWarning,
		Word:       model.Say("state-keepalive-stalled"),
		Story:      model.Say("headline-keepalive-stalled", theLock),
		Title:      model.Say("about-keepalive-stalled"),
		Mechanism:  model.Say("mechanism-keepalive-stalled"),
		Looks:      model.Say("looks-keepalive-stalled"),
		Do:         model.Say("do-keepalive-stalled"),
		Threads:    []string{"etcd-io/etcd#11886", "etcd-io/etcd#13156", "etcd-io/etcd#9899", "pingcap/tiflow#4248"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-keepalive-stalled")},
	},
	{
		Code:       model.CodeUnattendedLease,
		Place:      150,
		Severity:   model.SevWarning,
		Word:       model.Say("state-unattended-lease"),
		Story:      model.Say("headline-unattended-lease", theLock),
		Title:      model.Say("about-unattended-lease"),
		Mechanism:  model.Say("mechanism-unattended-lease"),
		Looks:      model.Say("looks-unattended-lease"),
		Do:         model.Say("do-unattended-lease"),
		Threads:    []string{"shubhamranjan/dotnet-etcd#321", "etcd-cpp-apiv3#30"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-unattended-lease")},
	},
	{
		Code:       model.CodeProxyKeepalive,
		Place:      200,
		NotFound:   model.Say("not-found-proxy-keepalive"),
		Word:       model.Say("state-proxy-keepalive"),
		Story:      model.Say("headline-proxy-keepalive", theLock),
		Title:      model.Say("about-proxy-keepalive"),
		Mechanism:  model.Say("mechanism-proxy-keepalive"),
		Looks:      model.Say("looks-proxy-keepalive"),
		Do:         model.Say("do-proxy-keepalive"),
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakCures, Why: HolderDead},
	},
	{
		Code:       model.CodeKeepaliveCancelled,
		Place:      410,
		Severity:   model.SevWarning,
		Word:       model.Say("state-keepalive-cancelled"),
		Story:      model.Say("headline-keepalive-cancelled", theLock),
		Title:      model.Say("about-keepalive-cancelled"),
		Mechanism:  model.Say("mechanism-keepalive-cancelled"),
		Looks:      model.Say("looks-keepalive-cancelled"),
		Do:         model.Say("do-keepalive-cancelled"),
		Threads:    []string{"vitess#11794", "vitess#11811", "vitess#20340", "cilium#12619"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-keepalive-cancelled")},
	},
	{
		Code:       model.CodeKeepaliveHalted,
		Place:      420,
		Severity:   model.SevWarning,
		Word:       model.Say("state-keepalive-halted"),
		Story:      model.Say("headline-keepalive-halted", theLock),
		Title:      model.Say("about-keepalive-halted"),
		Mechanism:  model.Say("mechanism-keepalive-halted"),
		Looks:      model.Say("looks-keepalive-halted"),
		Do:         model.Say("do-keepalive-halted"),
		Threads:    []string{"etcd-io/etcd#6922", "etcd-io/etcd#8618", "etcd-io/etcd#7472", "etcd-io/jetcd#1049", "trillian#2654"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-keepalive-halted")},
	},
	{
		Code:       model.CodeKeepaliveUnread,
		Place:      430,
		NotFound:   model.Say("not-found-keepalive-unread"),
		Word:       model.Say("state-keepalive-unread"),
		Story:      model.Say("headline-keepalive-unread", theLock),
		Title:      model.Say("about-keepalive-unread"),
		Mechanism:  model.Say("mechanism-keepalive-unread"),
		Looks:      model.Say("looks-keepalive-unread"),
		Do:         model.Say("do-keepalive-unread"),
		Threads:    []string{"etcd-io/etcd#9911", "etcd-io/etcd#9952"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy, NeedsVersion},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-keepalive-unread")},
	},
	{
		Code:       model.CodeHalfOpenTCP,
		Place:      450,
		NotFound:   model.Say("not-found-half-open-tcp"),
		Word:       model.Say("state-half-open-tcp"),
		Story:      model.Say("headline-half-open-tcp", theLock),
		Title:      model.Say("about-half-open-tcp"),
		Mechanism:  model.Say("mechanism-half-open-tcp"),
		Looks:      model.Say("looks-half-open-tcp"),
		Do:         model.Say("do-half-open-tcp"),
		Threads:    []string{"cortex#2278", "etcd-cpp-apiv3#105"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-half-open-tcp")},
	},
}}

// etaError is how far away the end of a dead holder's lease has to be to be an
// error for those who wait.
const etaError = 30 * time.Second

// missedRenewals finds holders whose lease is not renewed any more, or never was: a lock has one, or
// several that hold together.
func missedRenewals(x *Context) {
	head, lease := x.Head, x.Lease
	for c := range x.L.First(max(1, min(x.L.Holders(), locks.MaxScan))) {
		x.Head, x.Lease = c, c.LeaseInfo()
		missedRenewal(x)
	}
	x.Head, x.Lease = head, lease
}

// freed says what is free when a holder is gone: the lock, or a permit of a semaphore.
func freed(l *locks.Lock) model.Message {
	if n := l.Recipe().Permits; n > 1 {
		return model.Say("one-of-its-permits", n)
	}
	return model.Say("the-lock")
}

// goOn returns how many other holders of a semaphore are not silent: who waits goes on with their permits.
func goOn(l *locks.Lock, except *locks.Claim) (n int) {
	if l.Recipe().Permits < 2 {
		return 0
	}
	for c := range l.First(min(l.Holders(), locks.MaxScan)) {
		if c != except && c.LeaseInfo().State() != model.LeaseSilent {
			n++
		}
	}
	return n
}

// renewalCodes are what a holder is found to be that missed renewals: which of them, may change as time goes on.
var renewalCodes = []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder, model.CodeKeepaliveCancelled}

// missedRenewal says so of the holder at hand.
func missedRenewal(x *Context) {
	if x.Lease == nil || denied(x, x.Lease) {
		return
	}
	if _, dead := x.Lease.ResetDead(); dead {
		return
	}
	st := x.Lease.State()
	if st != model.LeaseLate && st != model.LeaseSilent {
		return
	}
	if unattended(x, x.Head) {
		return
	}
	f := model.Finding{Severity: model.SevWarning, Confidence: model.Strong, Lease: x.Lease.ID,
		Evidence:     []model.Message{readingWords(x.Lease), rhythmWords(x)},
		Alternatives: slices.Clone(likeDead)}
	if !x.Lease.Learned() {
		f.Confidence = model.Hint // some clients renew only at the very end (etcd-cpp-apiv3: a second before)
	}
	young := neverRenewed(x.Head)
	ended := young && processEnded(x, x.Head)
	told := slices.ContainsFunc(x.Before, func(b model.Finding) bool { return b.Lease == f.Lease && slices.Contains(renewalCodes, b.Code) })
	if age := x.K.Now().Sub(x.Lease.Read.At); !told && !ended && 3*age > time.Duration(x.Lease.Read.Granted)*time.Second {
		return // it had time for another renewal since, and is read again
	}
	if ofService(x.Head) {
		f.Alternatives = append([]model.Code{model.CodeUnattendedLease}, f.Alternatives...)
	}
	if young {
		f.Evidence = append(f.Evidence, diedYoung(x)...)
		if ended {
			f.Confidence, f.Alternatives = model.Strong, nil
			f.Evidence = append(f.Evidence, model.Say("its-process-has-ended"))
		}
	}
	left, _ := x.Lease.Remaining(x.K.Now())
	eta := time.Duration(left)*time.Second + expiryLag
	who := x.K.Owners.Who(x.Head.Ref())
	namePattern(x, &f)
	if f.Code != "" {
		f.Summary = model.Say("the-lock-is-free", f.Summary, eta, freed(x.L))
	} else if st == model.LeaseLate && !young {
		f.Code = model.CodeKeepaliveStalled
		if ofService(x.Head) { // it may never have been renewed, before we looked
			f.Alternatives = append([]model.Code{model.CodeDeadHolder}, f.Alternatives...)
		}
		f.Summary = model.Say("has-missed-a-renewal", model.Verbatim(who), eta, freed(x.L))
		f.Advice = []model.Message{model.Say("look-at-the-holder-paused")}
	} else {
		f.Code = model.CodeDeadHolder
		f.Summary = model.Say("stopped-renewing-the-lock", model.Verbatim(who), eta, freed(x.L))
		if f.Confidence == model.Hint {
			f.Summary = model.Say("may-be-dead-no-renewal", model.Verbatim(who), time.Duration(x.Lease.Read.Granted-x.Lease.Read.Remaining)*time.Second, eta, freed(x.L))
		}
		f.Advice = adviceOnDead(x, f.Confidence)
		if x.L.Behind() > 0 && eta > etaError && goOn(x.L, x.Head) == 0 {
			f.Severity = model.SevError
		}
	}
	if n := goOn(x.L, x.Head); n > 0 {
		f.Evidence = append(f.Evidence, model.Say("other-permits-move", n, x.L.Recipe().Permits))
	}
	x.Report(f, x.Head)
	haltedAtMove(x, eta)
}

// likeDead is what looks from outside like a holder that died: its process lives.
var likeDead = []model.Code{model.CodeKeepaliveCancelled, model.CodeKeepaliveHalted, model.CodeHalfOpenTCP}

// adviceOnDead says what to do about a holder that is dead, or may be: no lock is broken on a hint.
func adviceOnDead(x *Context, sure model.Confidence) []model.Message {
	if sure == model.Hint {
		return []model.Message{model.Say("wait-for-the-end"), model.Say("look-at-the-holder-meanwhile")}
	}
	return append([]model.Message{model.Say("wait-until-its-lease-ends")}, x.ToBreak(x.Head, sure)...)
}

// stopsMin is how many renewals have to have stopped before to make a pattern.
const stopsMin = 3

// haltedAtMove finds a holder that is not seen to be renewed since the leader changed, while others
// are: a loop that ended then, or a client that died about then. The new leader gave the lease its whole TTL
// anew, so that a renewal just after is not seen: it has to have missed the next one for long.
func haltedAtMove(x *Context, eta time.Duration) {
	others := x.K.Leases.RenewedSinceLeader()
	if x.Lease.ResetAt.IsZero() || x.K.Members.LeaderSince().IsZero() || others < stopsMin || !x.Lease.LongMissed() {
		return
	}
	x.Report(model.Finding{Code: model.CodeKeepaliveHalted, Severity: model.SevWarning, Confidence: model.Hint, Lease: x.Lease.ID,
		Summary: model.Say("no-renewal-since-the-leader", model.Verbatim(x.K.Owners.Who(x.Head.Ref())), others, eta),
		Evidence: []model.Message{readingWords(x.Lease), rhythmWords(x),
			model.Say("new-raft-term-seen", x.K.Now().Sub(x.K.Members.LeaderSince()))},
		Advice: []model.Message{model.Say("look-at-the-holder"),
			model.Say("upgrade-its-client-and-watch")},
		Alternatives: []model.Code{model.CodeDeadHolder, model.CodeHalfOpenTCP}}, x.Head)
}

// namePattern tells a way of stopping that leaves a pattern: at the same age in one holder after another, be
// it since they came or since they held. None may have held for longer before.
func namePattern(x *Context, f *model.Finding) {
	renewed, known := x.Lease.RenewedAt(x.K.Now())
	since, atLeast := x.L.HoldsSince(x.Head)
	if atLeast || !known || x.Head.SinceAtLeast {
		return
	}
	ttl := time.Duration(x.Lease.Granted()) * time.Second
	for _, of := range []func(locks.Stop) time.Duration{
		func(s locks.Stop) time.Duration { return s.Held },
		func(s locks.Stop) time.Duration { return s.Lived },
	} {
		age := of(locks.Stop{Held: renewed.Sub(since), Lived: renewed.Sub(x.Head.Since)})
		var before []time.Duration
		for _, s := range x.L.Stops() {
			before = append(before, of(s))
		}
		n, age := sameAge(before, age, ttl)
		if n < stopsMin || len(x.L.HoldTimes()) > 0 && slices.Max(x.L.HoldTimes()) > age+ttl+ageError+expiryLag {
			continue
		}
		f.Code = model.CodeKeepaliveCancelled
		f.Summary = model.Say("stopped-renewing-like-the-last", model.Verbatim(x.K.Owners.Who(x.Head.Ref())), n, age)
		f.Advice = []model.Message{model.Say("look-for-a-timeout")}
		f.Alternatives = []model.Code{model.CodeDeadHolder}
		return
	}
}

const (
	ageError  = 1500 * time.Millisecond // readings are to the second, and etcd removes a lease half a second late
	byChance  = 3e-6                    // a lock that is watched for years has so many holders that die
	chanceLag = 500 * time.Millisecond  // holders of one age differ by no less
)

// sameAge returns how many of the last ages are like this one, back to the first that is not, and the age
// of them all; 0 if that may be chance, or if they are less than a TTL: those that end earlier were renewed two
// times at most, and all stop at one of these. Ages that mean nothing lie anywhere between nothing and twice
// their middle; so many lie within a part of that by chance as (n of them) times that part to the power of n-1.
func sameAge(before []time.Duration, age, ttl time.Duration) (n int, middle time.Duration) {
	all := []time.Duration{age}
	for _, a := range slices.Backward(before) {
		if next := append(all, a); slices.Max(next)-slices.Min(next) > ageError {
			break
		}
		all = append(all, a)
	}
	middle = model.Percentile(all, 50)
	if len(all) < 2 || slices.Min(all) < ttl {
		return 0, 0
	}
	spread := max(slices.Max(all)-slices.Min(all), chanceLag)
	if chance := float64(len(all)) * math.Pow(spread.Seconds()/(2*middle.Seconds()), float64(len(all)-1)); chance > byChance {
		return 0, 0
	}
	return len(all) - 1, middle
}

// ofService says whether a lease may be one that the lock service granted to a caller that brought none.
// A session of the Go client asks for the same TTL, if nobody says another.
func ofService(c *locks.Claim) bool {
	l, rpcLease := c.LeaseInfo(), c.Form().Form().ServerLease
	return rpcLease != 0 && l.Read.Granted == rpcLease && l.Renewals == 0
}

// neverRenewed says whether such a lease was seen from its beginning, and not renewed when it was time.
func neverRenewed(c *locks.Claim) bool {
	l := c.LeaseInfo()
	return ofService(c) && !c.SinceAtLeast && l.Read.At.Sub(l.First().At) >= time.Duration(l.Read.Granted)*time.Second/3 && l.First().Remaining >= l.Read.Granted-5
}

// unattended finds a claim whose lease nobody ever renewed, though its owner is seen to live: the lock
// service grants such to callers that bring none (dotnet-etcd#321). Without a sign of life a program that
// died before its first renewal is likelier.
func unattended(x *Context, c *locks.Claim) bool {
	if !neverRenewed(c) {
		return false
	}
	sign := signOfLife(x, c)
	if sign.IsZero() {
		return false
	}
	l := c.LeaseInfo()
	left, _ := l.Remaining(x.K.Now())
	x.Report(model.Finding{Code: model.CodeUnattendedLease, Severity: model.SevWarning, Confidence: model.Hint, Lease: l.ID,
		Alternatives: []model.Code{model.CodeDeadHolder},
		Summary:      model.Say("lease-was-never-renewed", c.Key, left),
		Evidence: []model.Message{readingWords(l), model.Say("only-falling-since-first-read", l.First().Remaining, x.K.Now().Sub(l.First().At)),
			sign, model.Say("lock-service-grants-60-s")},
		Advice: []model.Message{model.Say("make-the-caller-grant")}}, c)
	return true
}

// signOfLife says by what it is seen that the owner of a claim works though nobody renews its lease,
// nothing if it is not.
func signOfLife(x *Context, c *locks.Claim) model.Message {
	l := c.LeaseInfo()
	if p := programOf(x, c); p != nil && x.Reports.Programs.ProcOf(p) == model.ProcRunning {
		return model.Say("its-process-runs", p.Name)
	}
	if at, again := c.PutAgain(); again && at.Sub(c.Since) > time.Duration(l.Read.Granted)*time.Second/3 {
		return model.Say("put-again-without-a-renewal", at.Sub(c.Since))
	}
	if n, _ := x.L.Unrenewed(); n >= unrenewedMin {
		return model.Say("holders-released-without-a-renewal", n)
	}
	return model.Message{}
}

// unrenewedMin is how many holders that released tell how the clients of a lock are. One may have been
// deleted by hand.
const unrenewedMin = 2

// diedYoung says what speaks for a holder that died before its first renewal.
func diedYoung(x *Context) []model.Message {
	why := []model.Message{model.Say("died-before-its-first-renewal")}
	if _, lost := x.L.Unrenewed(); lost > 0 {
		why = append(why, model.Say("holders-ended-without-a-renewal", lost))
	}
	others := 0
	for _, c := range x.L.Waiters(locks.MaxScan) {
		if c.LeaseInfo().Learned() {
			others++
		}
	}
	if others > 0 {
		why = append(why, model.Say("waiters-renew", others))
	}
	return why
}

// programOf returns the program of the lab whose claim it is for certain, nil for none.
func programOf(x *Context, c *locks.Claim) *reports.ContenderInfo {
	if o, known := x.K.Owners.LeaseOwner(c.KV.Lease); known && o.Certain && x.Lab != nil {
		return x.Reports.Programs.Program(o.Name)
	}
	return nil
}

func rhythmWords(x *Context) model.Message {
	if x.Lease.Learned() {
		return model.Say("was-seen-to-be-renewed", max(x.Lease.Rhythm, time.Duration(x.Lease.Read.Granted)*time.Second/3))
	}
	return model.Say("was-not-seen-to-be-renewed")
}

// denied says whether a renewal of a lease was refused within its TTL, and none has
// gone through since.
func denied(x *Context, l *locks.Lease) bool {
	r, refused := x.Reports.Keepers.Refusals()[l.ID]
	if !refused || !l.HasRead || l.Read.Granted <= 0 || !l.Read.At.After(r.At) || !l.ResetAt.IsZero() {
		return false
	}
	ttl := time.Duration(l.Read.Granted) * time.Second
	if x.K.Now().Sub(r.At) > ttl+expiryLag {
		return false
	}
	renewed := l.Read.At.Add(-time.Duration(l.Read.Granted-l.Read.Remaining) * time.Second) // and up to a second later
	return renewed.Add(time.Second).Before(r.At) || x.K.Now().Sub(r.At) > ttl/2 && renewed.Before(r.At)
}

package findings

import (
	"slices"
	"time"

	"locktop/model"
)

// ttlFamily is about TTLs that are not what one would think.
var ttlFamily = Family{Lock: []Func{unbelievable, reset}, Lab: []Func{ttlFloor}, Entries: []Entry{
	{
		Code:      model.CodeTTLReset,
		Place:     80,
		Severity:  model.SevWarning,
		Word:      model.Say("state-ttl-reset"),
		Story:     model.Say("headline-ttl-reset", theLock),
		Title:     model.Say("about-ttl-reset"),
		Mechanism: model.Say("mechanism-ttl-reset"),
		Looks:     model.Say("looks-ttl-reset"),
		Do:        model.Say("do-ttl-reset"),
		Threads: []string{"etcd-io/etcd#9395", "etcd-io/etcd#13294", "etcd-io/etcd#20273", "etcd-io/etcd#2660", "etcd-io/etcd#9888",
			"etcd-io/etcd#17132", "gardener/etcd-druid#733"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: HolderDead},
	},
	{
		Code:       model.CodeTTLRollover,
		Place:      210,
		Severity:   model.SevInfo,
		Word:       model.Say("state-ttl-rollover"),
		Story:      model.Say("headline-ttl-rollover", theLock),
		Title:      model.Say("about-ttl-rollover"),
		Mechanism:  model.Say("mechanism-ttl-rollover"),
		Looks:      model.Say("looks-ttl-rollover"),
		Do:         model.Say("do-ttl-rollover"),
		Threads:    []string{"etcd-io/etcd#12381", "etcd-io/etcd#17704"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-ttl-rollover")},
	},
	{
		Code:       model.CodeTTLFloor,
		Place:      220,
		Severity:   model.SevInfo,
		Word:       model.Say("state-ttl-floor"),
		Story:      model.Say("headline-ttl-floor", theLock),
		Title:      model.Say("about-ttl-floor"),
		Mechanism:  model.Say("mechanism-ttl-floor"),
		Looks:      model.Say("looks-ttl-floor"),
		Do:         model.Say("do-ttl-floor"),
		Needs:      []Needs{NeedsClient, NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-ttl-floor")},
	},
}}

// oddKeep is how long an unbelievable answer is worth mentioning.
const oddKeep = 30 * time.Second

// unbelievable finds a reading with more left than was granted (etcd-io/etcd#12381).
func unbelievable(x *Context) {
	if x.Lease == nil || x.Lease.Odd == nil || x.K.Now().Sub(x.Lease.Odd.At) > oddKeep {
		return
	}
	o := x.Lease.Odd
	x.Recheck(o.At.Add(oddKeep + time.Millisecond))
	x.Report(model.Finding{Code: model.CodeTTLRollover, Severity: model.SevInfo, Confidence: model.Certain, Lease: o.ID,
		Summary:  model.Say("a-reading-said-s-left", o.Remaining, o.Granted),
		Evidence: []model.Message{model.Say("a-new-leader-adds")},
		Advice:   []model.Message{model.Say("nothing-the-lease-is-read")}}, x.Head)
}

// reset finds a head that was not renewed and got a whole TTL more from a new raft
// leader (etcd-io/etcd#9395).
func reset(x *Context) {
	if x.Lease == nil || x.Lease.ResetAt.IsZero() {
		return
	}
	sure, dead := x.Lease.ResetDead()
	if !dead {
		return
	}
	f := model.Finding{Code: model.CodeTTLReset, Severity: model.SevWarning, Confidence: sure, Lease: x.Lease.ID,
		Summary:  model.Say("a-new-raft-leader-gave", x.Head.Key, x.Lease.Read.Granted),
		Evidence: []model.Message{readingWords(x.Lease), model.Say("the-raft-term-changed", x.Lease.Read.Term)},
		Advice:   append([]model.Message{model.Say("find-out-why-the-leader")}, adviceOnDead(x, sure)...)}
	if sure == model.Hint {
		f.Alternatives = slices.Clone(likeDead)
	}
	x.Report(f, x.Head)
}

// ttlFloor notes that a contender of the lab got a longer TTL than it asked for: the
// server's shortest is one and a half election timeouts.
func ttlFloor(x *Context) {
	if x.Lab == nil || x.Head == nil || !x.L.Recipe().HasHolder {
		return
	}
	for _, c := range x.Lab.Competitors {
		if c.Lease == 0 || c.TTL == 0 {
			continue
		}
		if l := x.K.Leases.Lease(c.Lease); l != nil && l.HasRead && l.Read.Granted > int64(c.TTL) {
			x.Report(model.Finding{Code: model.CodeTTLFloor, Severity: model.SevInfo, Confidence: model.Certain, Lease: l.ID,
				Summary:  model.Say("asked-for-a-ttl", c.Name, c.TTL, l.Read.Granted),
				Evidence: []model.Message{model.Say("the-server-grants-no-less")},
				Advice:   []model.Message{model.Say("count-with-the-granted-ttl")}}, x.ClaimOn(l))
			return
		}
	}
}

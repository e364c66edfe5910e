package diagnose

import (
	"slices"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/diagnose/waitfor"
	"locktop/model/journal"
	"locktop/model/keyspace"
	"locktop/model/lab"
	"locktop/model/leftover"
)

// Diagnosis is what the rules found, of the cluster and of each lock.
type Diagnosis struct {
	k        *keyspace.Keyspace
	reports  *lab.Reports
	cluster  []model.Finding
	troubled map[*keyspace.Lock]struct{} // those of which something was found
	circles  waitfor.Circles
	names    *rule.Namesakes
	Leaks    *leftover.Book // leases that live on without a key
	context  rule.Context   // memory for the one that is under way
}

// NewDiagnosis returns that of a keyspace and what was reported of it, before anything
// was found.
func NewDiagnosis(k *keyspace.Keyspace, reports *lab.Reports) *Diagnosis {
	return &Diagnosis{k: k, reports: reports, names: &rule.Namesakes{}, Leaks: leftover.NewBook(k), troubled: map[*keyspace.Lock]struct{}{}, circles: waitfor.New()}
}

// Forget drops what was found of another cluster.
func (d *Diagnosis) Forget() { *d = *NewDiagnosis(d.k, d.reports) }

// Update derives the findings anew of every lock that is marked. While a list is
// under way it waits: half a queue would be judged.
func (d *Diagnosis) Update() {
	if d.k.Partial() {
		return
	}
	if suspects, stale := d.k.TakeSuspects(); stale {
		d.circles.Update(d.k, suspects)
	}
	d.k.TakeMarked(d.examine)
}

func (d *Diagnosis) examine(l *keyspace.Lock) {
	if !l.Listed() {
		delete(d.troubled, l)
		return // forgotten, with its findings
	}
	x := &d.context // there is one for every event
	*x = rule.Context{K: d.k, Reports: d.reports, Circles: d.circles.Of, Names: d.names, Leaks: d.Leaks, L: l, Head: l.Head(), Lab: d.reports.Of(l.Name)}
	if x.Head != nil {
		x.Lease = x.Head.LeaseInfo()
	}
	if x.Lease.Stale() { // it is read again, and then it is judged
		d.replace(l, slices.DeleteFunc(slices.Clone(l.Findings()), func(f model.Finding) bool {
			return !f.Claim.IsZero() && !f.About(d.k.Claim(f.Claim.Key).Ref())
		}))
		return
	}
	if x.Lab != nil || len(d.reports.Shared())+len(d.reports.Refusals()) > 0 {
		d.reports.Observe(l)
		ask(x, func(f *rule.Family) []rule.Func { return f.Lab }) // these also where the lock is free
	}
	ask(x, func(f *rule.Family) []rule.Func { return f.Any })
	switch {
	case x.Head == nil || !l.Recipe().HasHolder:
	case l.Recipe().OfKube(): // it has no lease of etcd to judge
		ask(x, func(f *rule.Family) []rule.Func { return f.Kube })
	default:
		ask(x, func(f *rule.Family) []rule.Func { return f.Lock })
	}
	d.replace(l, x.Found)
	if !x.Again.IsZero() {
		d.k.Recheck(l, x.Again)
	}
}

// ask asks some rules of each family.
func ask(x *rule.Context, which func(*rule.Family) []rule.Func) {
	for _, f := range families {
		for _, r := range which(f) {
			r(x)
		}
	}
}

// replace puts the findings of a lock in the place of the old ones.
func (d *Diagnosis) replace(l *keyspace.Lock, found []model.Finding) {
	old := l.Findings()
	if len(found) == 0 && len(old) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b model.Finding) int { return a.Severity.Compare(b.Severity) })
	d.note(old, found, l.Name)
	d.k.SetFindings(l, found)
	if len(found) > 0 {
		d.troubled[l] = struct{}{}
	} else {
		delete(d.troubled, l)
	}
}

// UpdateCluster derives the findings anew that are of no lock.
func (d *Diagnosis) UpdateCluster() {
	x := &rule.ClusterContext{K: d.k, Reports: d.reports, Before: d.cluster}
	for _, f := range families {
		for _, r := range f.Cluster {
			r(x)
		}
	}
	if len(x.Found)+len(d.cluster) > 0 {
		d.note(d.cluster, x.Found, "")
		d.k.Renew()
	}
	d.cluster = x.Found
}

// note dates what was found, and writes to the journal what came, what grew worse or surer,
// and what went.
func (d *Diagnosis) note(old, found []model.Finding, lock string) {
	for i := range found {
		f, before := &found[i], rule.Same(old, &found[i])
		f.Since = d.k.Now()
		if before != nil {
			f.Since = before.Since
		}
		if f.Severity != model.SevInfo && (before == nil || grew(before, f)) {
			d.k.Record(&journal.Entry{Kind: journal.Finding, Lock: lock, Severity: f.Severity, Why: journal.Why{Confidence: f.Confidence},
				Text: string(f.Code) + " (" + string(f.Confidence) + "): " + f.Summary})
		}
	}
	on := ""
	if lock != "" {
		on = " on " + model.Printable(lock)
	}
	for i := range old {
		o := &old[i]
		if o.Severity == model.SevInfo || slices.ContainsFunc(found, func(f model.Finding) bool { return f.Follows(o) }) {
			continue
		}
		d.k.Record(&journal.Entry{Kind: journal.Finding, Lock: lock, Severity: model.SevInfo,
			Text: string(o.Code) + on + " is over, after " + model.Duration(d.k.Now().Sub(o.Since), false)})
	}
}

// grew says whether a finding is more than the same one was before: worse, or no longer a hint.
func grew(before, f *model.Finding) bool {
	worse := !before.Severity.AtLeast(f.Severity)
	return worse || before.Confidence == model.Hint && f.Confidence != model.Hint
}

// ClusterFindings returns the diagnoses of the cluster as a whole.
func (d *Diagnosis) ClusterFindings() []model.Finding {
	return append([]model.Finding(nil), d.cluster...)
}

// Findings returns every diagnosis, of the cluster first, then of the locks, the
// worst first and by name.
func (d *Diagnosis) Findings() []model.Finding {
	all := d.ClusterFindings()
	var of []model.Finding
	for l := range d.troubled {
		of = append(of, l.Findings()...)
	}
	slices.SortStableFunc(of, func(a, b model.Finding) int { return inOrder(&a, &b) })
	return append(all, of...)
}

// Ring returns the sessions of the deadlock that was found of a lock, in their order, nil if
// none was.
func (d *Diagnosis) Ring(l *keyspace.Lock) []waitfor.Link {
	c := d.circles.Of[l]
	if c == nil || !c.Stands() || !slices.ContainsFunc(l.Findings(), func(f model.Finding) bool { return f.Code == model.CodeLockCycle }) {
		return nil
	}
	return slices.Clone(c.Steps)
}

// CountFindings returns how many findings there are of each severity.
func (d *Diagnosis) CountFindings() (errors, warnings, infos int) {
	count := func(list []model.Finding) {
		for i := range list {
			switch list[i].Severity {
			case model.SevError:
				errors++
			case model.SevWarning:
				warnings++
			default:
				infos++
			}
		}
	}
	count(d.cluster)
	for l := range d.troubled {
		count(l.Findings())
	}
	return errors, warnings, infos
}

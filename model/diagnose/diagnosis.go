package diagnose

import (
	"slices"

	"locktop/model"
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
	circles  circles
	names    *namesakes
	Leaks    *leftover.Book // leases that live on without a key
	context  ruleContext    // memory for the one that is under way
}

// NewDiagnosis returns that of a keyspace and what was reported of it, before anything
// was found.
func NewDiagnosis(k *keyspace.Keyspace, reports *lab.Reports) *Diagnosis {
	return &Diagnosis{k: k, reports: reports, names: &namesakes{}, Leaks: leftover.NewBook(k), troubled: map[*keyspace.Lock]struct{}{}, circles: circles{of: map[*keyspace.Lock]*cycle{}}}
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
		d.circles.update(d.k, suspects)
	}
	d.k.TakeMarked(d.examine)
}

func (d *Diagnosis) examine(l *keyspace.Lock) {
	if !l.Listed() {
		delete(d.troubled, l)
		return // forgotten, with its findings
	}
	x := &d.context // there is one for every event
	*x = ruleContext{k: d.k, reports: d.reports, circles: d.circles.of, names: d.names, leaks: d.Leaks, l: l, head: l.Head(), lab: d.reports.Of(l.Name)}
	if x.head != nil {
		x.lease = x.head.LeaseInfo()
	}
	if x.lease.Stale() { // it is read again, and then it is judged
		d.replace(l, slices.DeleteFunc(slices.Clone(l.Findings()), func(f model.Finding) bool {
			return !f.Claim.IsZero() && !f.About(d.k.Claim(f.Claim.Key).Ref())
		}))
		return
	}
	if x.lab != nil || len(d.reports.Shared())+len(d.reports.Refusals()) > 0 {
		d.reports.Observe(l)
		x.ask(func(f *family) []rule { return f.lab }) // these also where the lock is free
	}
	x.ask(func(f *family) []rule { return f.any })
	switch {
	case x.head == nil || !l.Recipe().HasHolder:
	case l.Recipe().OfKube(): // it has no lease of etcd to judge
		x.ask(func(f *family) []rule { return f.kube })
	default:
		x.ask(func(f *family) []rule { return f.lock })
	}
	d.replace(l, x.found)
	if !x.again.IsZero() {
		d.k.Recheck(l, x.again)
	}
}

// ask asks some rules of each family.
func (x *ruleContext) ask(which func(*family) []rule) {
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
	x := &clusterContext{k: d.k, reports: d.reports, before: d.cluster}
	for _, f := range families {
		for _, r := range f.cluster {
			r(x)
		}
	}
	if len(x.found)+len(d.cluster) > 0 {
		d.note(d.cluster, x.found, "")
		d.k.Renew()
	}
	d.cluster = x.found
}

// note dates what was found, and writes to the journal what came and what went.
func (d *Diagnosis) note(old, found []model.Finding, lock string) {
	for i := range found {
		f := &found[i]
		f.Since = d.k.Now()
		if o := same(old, f); o != nil {
			f.Since = o.Since
		} else if f.Severity != model.SevInfo {
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

// same returns that of a list which says the same as f, nil for none.
func same(list []model.Finding, f *model.Finding) *model.Finding {
	for i := range list {
		if list[i].Same(f) {
			return &list[i]
		}
	}
	return nil
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

package findings

import (
	"strings"
	"time"

	"locktop/model"
	"locktop/model/status"
)

// kubernetesFamily is about Leases of Kubernetes, which have no lease of etcd.
var kubernetesFamily = Family{Kube: []Func{kubeOverdue}, Entries: []Entry{
	{
		Code:       model.CodeKubeLeaseOverdue,
		Place:      240,
		Severity:   model.SevWarning,
		Word:       model.Say("state-kube-lease-overdue"),
		Story:      model.Say("headline-kube-lease-overdue", theLock),
		Title:      model.Say("about-kube-lease-overdue"),
		Mechanism:  model.Say("mechanism-kube-lease-overdue"),
		Looks:      model.Say("looks-kube-lease-overdue"),
		Do:         model.Say("do-kube-lease-overdue"),
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-kube-lease-overdue")},
	},
}}

// kubeOverdue finds a Lease of Kubernetes that nobody renewed for as long as it holds.
func kubeOverdue(x *Context) {
	if x.K.Prefixes.LiveSince(x.L.Name).IsZero() { // it may have been renewed: nothing new is said
		x.Recheck(x.K.Now().Add(time.Second))
		for _, f := range x.Before {
			if f.Code == model.CodeKubeLeaseOverdue {
				x.Report(f, x.Head)
			}
		}
		return
	}
	left, clocks, ok := status.KubeLeft(x.L, x.K.Now())
	lease, _ := status.Kube(x.L)
	seen, _ := x.L.LastRenewal()
	if sure := lease.For - x.K.Now().Sub(seen); sure >= 0 { // then it may be overdue, or is so for sure
		x.Recheck(x.K.Now().Add(sure + time.Millisecond))
	}
	if !ok {
		return
	}
	if left >= 0 {
		x.Recheck(x.K.Now().Add(left + time.Millisecond))
		return
	}
	f := model.Finding{Code: model.CodeKubeLeaseOverdue, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  model.Say("has-not-renewed-its-lease", model.Verbatim(x.K.Owners.Who(x.Head.Ref())), lease.For),
		Evidence: []model.Message{model.Say("nobody-put-it-again-since", x.K.Now().Sub(seen))},
		Advice: []model.Message{model.Say("look-at-the-pods"),
			model.Say("a-program-that-was-removed")}}
	if clocks {
		f.Confidence = model.Hint
		f.Summary = model.Say("has-not-renewed-its-lease-by-its-clock", model.Verbatim(x.K.Owners.Who(x.Head.Ref())), lease.For)
		f.Evidence = nil
	}
	if !lease.Renewed.IsZero() {
		f.Evidence = append(f.Evidence, model.Say("renewed-by-the-holders-clock", lease.Renewed), status.Skew(x.L))
	}
	if namespace, name, ok := kubeName(x.L.Name); ok {
		f.Advice = append(f.Advice, model.Say("see-it-by-kubectl-get", model.Verbatim(model.ShellQuote(namespace)), model.Verbatim(model.ShellQuote(name))))
	}
	x.Report(f, x.Head)
}

// kubeName reads namespace and name of a Lease off its key.
func kubeName(key string) (namespace, name string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[len(parts)-2], parts[len(parts)-1], true
}

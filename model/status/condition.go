package status

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// Diagnosis is what was found.
type Diagnosis interface {
	// FindingsOf returns what was found of a lock, the worst first.
	FindingsOf(l *locks.Lock) []model.Finding
	// Now is the time of the last event.
	Now() time.Time
}

// ConditionOf returns how the lock does: by its worst finding, else by its lease.
func ConditionOf(d Diagnosis, l *locks.Lock) model.Condition {
	var c model.Condition
	switch head := l.Head(); {
	case head == nil:
		c = model.IsFree
	case !l.Recipe().HasHolder:
		c = model.IsOrderOnly
	case !l.IsClaim(head):
		c = model.IsBlocked
	case l.Recipe().OfKube():
		c = kubeCondition(l)
	default:
		c = head.LeaseInfo().State().Condition()
		if c.Word == model.IsHealthy.Word {
			c = pace(d, l)
		}
	}
	found := d.FindingsOf(l)
	for i := range found {
		if saysHow(&found[i]) {
			return c.With(&found[i])
		}
	}
	return c
}

// saysHow says whether a finding tells how a lock does. One that is only worth knowing does not, like that
// its lease is shared, unless it is about how long the lock is held, or waited for.
func saysHow(f *model.Finding) bool {
	return f.Severity != model.SevInfo || f.Code == model.CodeLongHeld || f.Code == model.CodeLongQueue
}

// kubeCondition returns how a Lease of Kubernetes does. Time alone is in MovesWhen.
func kubeCondition(l *locks.Lock) model.Condition {
	switch k, ok := Kube(l); {
	case !ok:
		return model.IsEncrypted
	case k.Holder == "":
		return model.IsFree
	}
	return model.IsHeld
}

// sessionKeys bounds how many keys of a session are looked at to say how it does.
const sessionKeys = 32

// OfSession returns how a session does. A finding that is only worth knowing does not
// change that.
func OfSession(d Diagnosis, l *locks.Lease) model.Condition {
	c := l.State().Condition()
	if f := WorstOfSession(d, l); f != nil && f.Severity != model.SevInfo {
		return c.With(f)
	}
	return c
}

// WorstOfSession returns the worst finding about a claim of the lease, nil if there is none.
func WorstOfSession(d Diagnosis, l *locks.Lease) (worst *model.Finding) {
	for _, c := range l.Claims()[:min(len(l.Claims()), sessionKeys)] {
		lock := c.Lock()
		if lock == nil {
			continue
		}
		if f := Worst(d, lock, c); f != nil && (worst == nil || !worst.Severity.AtLeast(f.Severity)) {
			worst = f
		}
	}
	return worst
}

// Worst returns the worst finding about a claim in the queue of the lock, nil if there
// is none.
func Worst(d Diagnosis, l *locks.Lock, c *locks.Claim) *model.Finding {
	r := c.Ref()
	found := d.FindingsOf(l)
	for i := range found {
		if found[i].About(r) {
			return &found[i]
		}
	}
	return nil
}

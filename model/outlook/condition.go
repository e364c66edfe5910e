package outlook

import (
	"locktop/model"
	"locktop/model/keyspace"
)

// Of returns how the lock does: by its worst finding, else by its lease.
func Of(l *keyspace.Lock) model.Condition {
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
			c = pace(l)
		}
	}
	if found := l.Findings(); len(found) > 0 {
		return c.With(&found[0])
	}
	return c
}

// kubeCondition returns how a Lease of Kubernetes does. Time alone is in MovesWhen.
func kubeCondition(l *keyspace.Lock) model.Condition {
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
func OfSession(l *keyspace.Lease) model.Condition {
	c := l.State().Condition()
	if f, _ := WorstOfSession(l); f != nil && f.Severity != model.SevInfo {
		return c.With(f)
	}
	return c
}

// WorstOfSession returns the worst finding about a claim of the lease and the lock in which it
// shows, nil if there is none.
func WorstOfSession(l *keyspace.Lease) (worst *model.Finding, where *keyspace.Lock) {
	for _, c := range l.Claims()[:min(len(l.Claims()), sessionKeys)] {
		lock := c.Lock()
		if lock == nil {
			continue
		}
		if f := Worst(lock, c); f != nil && (worst == nil || !worst.Severity.AtLeast(f.Severity)) {
			worst, where = f, lock
		}
	}
	return worst, where
}

// Worst returns the worst finding about a claim in the queue of the lock, nil if there
// is none.
func Worst(l *keyspace.Lock, c *keyspace.Claim) *model.Finding {
	r := c.Ref()
	found := l.Findings()
	for i := range found {
		if found[i].About(r) {
			return &found[i]
		}
	}
	return nil
}

package status

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// Sealed says whether it is a Lease of Kubernetes that is encrypted, so that nothing can be
// said of it.
func Sealed(l *locks.Lock) bool {
	_, readable := Kube(l)
	return l.Recipe().OfKube() && l.Head() != nil && !readable
}

// Kube returns what the Lease of Kubernetes says that is this lock; ok is false for any
// other lock, and for one that is encrypted.
func Kube(l *locks.Lock) (lease recipe.KubeLease, ok bool) {
	if h := l.Head(); h != nil && l.Recipe().OfKube() {
		return recipe.ReadKubeLease(h.Value)
	}
	return lease, false
}

// KubeLeft returns how long a Lease of Kubernetes still holds. As its candidates do, it counts
// from when the last put was seen. If none was, it has not been watched for as long as it
// holds, and the holder's own clock says that less is left, that is what counts, and clocks
// says so. ok is false where nobody holds, where it is encrypted or says of no time.
func KubeLeft(l *locks.Lock, now time.Time) (left time.Duration, clocks, ok bool) {
	k, ok := Kube(l)
	if !ok || k.Holder == "" || k.For <= 0 {
		return 0, false, false
	}
	seen, live := l.LastRenewal()
	left = k.For - now.Sub(seen)
	if live || k.Renewed.IsZero() {
		return left, false, live || left < 0
	}
	if left < 0 {
		return left, false, true
	}
	return min(left, k.For-now.Sub(k.Renewed)), true, true
}

// KubeSkew returns how long after the time that the holder's clock wrote its last put was
// seen, by our clock; ok is false where it was not seen as it happened.
func KubeSkew(l *locks.Lock) (skew time.Duration, ok bool) {
	k, ok := Kube(l)
	seen, live := l.LastRenewal()
	return seen.Sub(k.Renewed), ok && live && !k.Renewed.IsZero()
}

// kubeMoves says what it takes for a Lease of Kubernetes to change hands.
func kubeMoves(l *locks.Lock, now time.Time) model.Message {
	left, clocks, ok := KubeLeft(l, now)
	if !ok {
		return model.Message{}
	}
	var unsure model.Message
	if clocks {
		unsure = model.Say("if-the-holders-clock-is-right")
	}
	if left < 0 {
		_, live := l.LastRenewal()
		return model.Say("overdue-others-may-take-it", model.Span{For: -left, AtLeast: !clocks && !live}, unsure)
	}
	return model.Say("others-may-take-it-unless-renewed", left, unsure)
}

// kubeBrief is [Move.Brief] for a Lease of Kubernetes: first what depends on a clock is said, and
// then it is not.
func (m Move) kubeBrief() []model.Message {
	args := m.When.Args
	switch m.When.ID {
	case "overdue-others-may-take-it":
		return append([]model.Message{model.Say("overdue-by", args...)}, append(m.kubeUntilBrief(), model.Say("overdue-by", args[0], model.Message{}))...)
	case "others-may-take-it-unless-renewed":
		return []model.Message{model.Say("expires-in", args...), model.Say("expires-in", args[0], model.Message{})}
	}
	return nil
}

// kubeUntilBrief is [Move.UntilBrief] for a Lease of Kubernetes.
func (m Move) kubeUntilBrief() []model.Message {
	args := m.When.Args
	switch m.When.ID {
	case "overdue-others-may-take-it":
		return []model.Message{model.Say("overdue-others-may-take-it", args[0], model.Message{})}
	case "others-may-take-it-unless-renewed":
		return []model.Message{model.Say("others-may-take-it-unless-renewed", args[0], model.Message{}), model.Say("others-may-take-it-in", args[0])}
	}
	return nil
}

// KubeWords says what a Lease of Kubernetes tells, nil for any other lock.
func KubeWords(l *locks.Lock, now time.Time) (lines []model.Message) {
	if !l.Recipe().OfKube() || l.Head() == nil {
		return nil
	}
	k, ok := Kube(l)
	if !ok {
		return []model.Message{model.Say("encrypted-by-kubernetes")}
	}
	holder := model.Say("nobody-holds-it")
	if k.Holder != "" {
		holder = model.Say("held-by", k.Holder)
	}
	var since model.Message
	if !k.Acquired.IsZero() {
		since = model.Say("acquired-at", k.Acquired)
	}
	lines = append(lines, model.Say("holder-and-transitions", holder, since, k.Transitions))
	if !k.Renewed.IsZero() {
		lines = append(lines, model.Say("renewed-for", model.Verbatim(k.Renewed.Format(time.RFC3339Nano)), k.For), Skew(l))
	}
	if k.Strategy != "" || k.Preferred != "" {
		var strategy, preferred model.Message
		if k.Strategy != "" {
			strategy = model.Say("strategy", k.Strategy)
		}
		if k.Preferred != "" {
			preferred = model.Say("preferred-holder", k.Preferred)
		}
		lines = append(lines, model.Say("coordinated-election", strategy, preferred))
	}
	if moves := kubeMoves(l, now); !moves.IsZero() {
		lines = append(lines, moves)
	}
	return lines
}

// Skew says how far the holder's clock is off, as far as that is known.
func Skew(l *locks.Lock) model.Message {
	skew, ok := KubeSkew(l)
	if !ok {
		return model.Say("skew-not-known")
	}
	return model.Say("skew-of-clocks", skew.Round(time.Millisecond))
}

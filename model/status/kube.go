package status

import (
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
	"locktop/model/text"
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
func kubeMoves(l *locks.Lock, now time.Time) string {
	left, clocks, ok := KubeLeft(l, now)
	if !ok {
		return ""
	}
	unsure := ""
	if clocks {
		unsure = ", if the holder's clock is right"
	}
	if left < 0 {
		_, live := l.LastRenewal()
		return fmt.Sprintf("overdue by %s: others may take it%s", model.Duration(-left, !clocks && !live), unsure)
	}
	return fmt.Sprintf("others may take it in %s unless renewed%s", model.Duration(left, false), unsure)
}

// KubeWords says in words what a Lease of Kubernetes tells, nil for any other lock.
func KubeWords(l *locks.Lock, now time.Time) (lines []string) {
	if !l.Recipe().OfKube() || l.Head() == nil {
		return nil
	}
	k, ok := Kube(l)
	if !ok {
		return []string{"encrypted by Kubernetes: who holds it is not known"}
	}
	holder := "nobody holds it"
	if k.Holder != "" {
		holder = "held by " + model.Printable(k.Holder)
	}
	if !k.Acquired.IsZero() {
		holder += ", acquired " + k.Acquired.Format(time.RFC3339)
	}
	lines = append(lines, fmt.Sprintf("%s, %d transitions", holder, k.Transitions))
	if !k.Renewed.IsZero() {
		lines = append(lines, fmt.Sprintf("renewed %s by the holder's clock, for %s", k.Renewed.Format(time.RFC3339Nano), k.For))
		lines = append(lines, text.English(Skew(l)))
	}
	if k.Strategy != "" || k.Preferred != "" {
		line := "coordinated election"
		if k.Strategy != "" {
			line += ", strategy " + model.Printable(k.Strategy)
		}
		if k.Preferred != "" {
			line += ", preferred holder " + model.Printable(k.Preferred)
		}
		lines = append(lines, line)
	}
	if moves := kubeMoves(l, now); moves != "" {
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

package model

import (
	"fmt"
	"time"

	"locktop/model/recipe"
)

// renewal is the last put of a Lease of Kubernetes that the watch has seen.
type renewal struct {
	rev  int64
	at   time.Time
	live bool // it was seen as it happened
}

// noteRenewal dates the put of the key of such a lock.
func (l *Lock) noteRenewal(c *Claim, at time.Time, live bool) {
	if c != nil && l.recipe.OfKube() && c.ModRev != l.renewed.rev {
		l.renewed = renewal{c.ModRev, at, live}
	}
}

// Kube returns what the Lease of Kubernetes says that is this lock; ok is false for any
// other lock, and for one that is encrypted.
func (l *Lock) Kube() (lease recipe.KubeLease, ok bool) {
	if h := l.Head(); h != nil && l.recipe.OfKube() {
		return recipe.ReadKubeLease(h.Value)
	}
	return lease, false
}

// kubeLeft returns how long the Lease still holds. As its candidates do, it counts from when
// the last put was seen; if none was, from what the holder's clock wrote, and clocks says so.
func (l *Lock) kubeLeft(k recipe.KubeLease, now time.Time) (left time.Duration, clocks bool) {
	if l.renewed.live {
		return k.For - now.Sub(l.renewed.at), false
	}
	return k.For - now.Sub(k.Renewed), true
}

// kubeMoves says what it takes for a Lease of Kubernetes to change hands.
func (l *Lock) kubeMoves(now time.Time) string {
	k, ok := l.Kube()
	if !ok || k.Holder == "" {
		return ""
	}
	left, clocks := l.kubeLeft(k, now)
	unsure := ""
	if clocks {
		unsure = ", if the holder's clock is right"
	}
	if left < 0 {
		return fmt.Sprintf("overdue by %s: others may take it%s", Duration(-left, false), unsure)
	}
	return fmt.Sprintf("others may take it in %s unless renewed%s", Duration(left, false), unsure)
}

// KubeWords says in words what a Lease of Kubernetes tells, nil for any other lock.
func (l *Lock) KubeWords(now time.Time) (lines []string) {
	if !l.recipe.OfKube() || l.Head() == nil {
		return nil
	}
	k, ok := l.Kube()
	if !ok {
		return []string{"encrypted by Kubernetes: who holds it is not known"}
	}
	holder := "nobody holds it"
	if k.Holder != "" {
		holder = "held by " + Printable(k.Holder)
	}
	if !k.Acquired.IsZero() {
		holder += ", acquired " + k.Acquired.Format(time.RFC3339)
	}
	lines = append(lines, fmt.Sprintf("%s, %d transitions", holder, k.Transitions))
	if !k.Renewed.IsZero() {
		lines = append(lines, fmt.Sprintf("renewed %s by the holder's clock, for %s", k.Renewed.Format(time.RFC3339Nano), k.For))
		if skew := l.renewed.at.Sub(k.Renewed); l.renewed.live {
			lines = append(lines, fmt.Sprintf("that put was seen %s after that time, by our clock: the way and the skew of the clocks together", skew.Round(time.Millisecond)))
		} else {
			lines = append(lines, "no renewal was seen yet, so the skew of the clocks is not known")
		}
	}
	if k.Strategy != "" || k.Preferred != "" {
		line := "coordinated election"
		if k.Strategy != "" {
			line += ", strategy " + Printable(k.Strategy)
		}
		if k.Preferred != "" {
			line += ", preferred holder " + Printable(k.Preferred)
		}
		lines = append(lines, line)
	}
	if moves := l.kubeMoves(now); moves != "" {
		lines = append(lines, moves)
	}
	return lines
}

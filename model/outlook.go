package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model/recipe"
)

// Bounds of what counts as moving, and of an estimate.
const (
	movingFactor = 2 // times the longest of the last holds
	movingLeast  = 10 * time.Second
	estimateMin  = 10 // holds that have to be known
)

// pace says of a lock whose holder renews whether it moves. A renewal shows that some
// process lives, and no more: who waits may wait for ever.
func (l *Lock) pace() Condition {
	switch {
	case l.moving:
		return isMoving
	case l.Behind() > 0:
		return Condition{Rank: 1, Level: LevelInfo, Word: isHeld.Word}
	}
	return isHeld
}

// notePace notes whether a lock moves: it changed hands, and is not held for much longer
// than before. It asks for another look when time alone ends that.
func (k *Keyspace) notePace(l *Lock) {
	l.moving = false
	if l.Holder() == nil || l.Handovers == 0 || len(l.holdTimes) == 0 {
		return
	}
	until := l.headSince.Add(max(movingLeast, movingFactor*slices.Max(l.holdTimes)))
	if l.moving = k.now.Before(until); l.moving {
		k.Recheck(l, until)
	}
}

// never begins the words for what does not move by itself.
const never = "will not clear "

// MovesWhen says what it takes for the lock to move: words that go on after "it moves
// when", or that say that it will not; "" where nobody holds it or that is not known.
func (l *Lock) MovesWhen(now time.Time) string {
	h := l.Head()
	if h == nil || !l.recipe.HasHolder {
		return ""
	}
	if l.recipe.OfKube() {
		return l.kubeMoves(now)
	}
	lease := h.lease.State()
	if f := l.Worst(h); f != nil { // and not one about a key that only waits
		switch f.Code {
		case CodeOrphanKey, CodeLeaseDetached, CodeForeignKey:
			return never + "by itself"
		case CodeLockCycle:
			if lease == LeaseHealthy {
				return never + "while its holder is alive"
			}
		}
	}
	left, ok := h.lease.Remaining(now)
	switch {
	case l.Blocked():
		return "the key that blocks it goes"
	case lease == LeaseOverdue:
		return "etcd revokes its lease, which is past its end"
	case lease == LeaseNone:
		return "its key is deleted: it has no lease"
	case (lease == LeaseLate || lease == LeaseSilent) && ok:
		return "its lease ends, in " + leftWords(left) + " unless renewed"
	case lease == LeaseHealthy, lease == LeaseUnknown:
		return l.releaseWords(now)
	}
	return ""
}

// inShort says it in fewer words.
var inShort = strings.NewReplacer(never+"by itself", "not by itself", never+"while its holder is alive", "not while renewed",
	"the key that blocks it goes", "blocking key goes", "etcd revokes its lease, which is past its end", "etcd revokes it",
	"its key is deleted: it has no lease", "key is deleted", "its program releases", "program releases", " holders release", " release",
	"its lease ends, in ", "lease ends in ", "others may take it in ", "expires in ", ": others may take it", "", " unless renewed", "")

// MovesBriefly says what [Lock.MovesWhen] says in at most so many characters, if it has words
// for that: fewer of them, or only the first of several things.
func (l *Lock) MovesBriefly(now time.Time, room int) string {
	when := l.MovesWhen(now)
	short := inShort.Replace(when)
	first := func(s string) string { s, _, _ = strings.Cut(s, ","); return s }
	for _, text := range []string{when, short, first(short), first(when)} {
		if len(text) <= room {
			return text
		}
	}
	return first(short)
}

// Until says the same of the time up to then.
func (l *Lock) Until(now time.Time) string {
	when := l.MovesWhen(now)
	if when == "" || l.recipe.OfKube() || strings.HasPrefix(when, never) {
		return when
	}
	return "until " + when
}

// releaseWords say what ends a hold of which nothing is wrong.
func (l *Lock) releaseWords(now time.Time) string {
	lease := l.Head().lease
	left, ok := lease.Remaining(now)
	switch {
	case l.holds > 1:
		return fmt.Sprintf("all %d holders release", l.holds)
	case !ok:
		return "its program releases, or its lease ends"
	case l.recipe.Rhythm == recipe.RenewsNever:
		return "its program releases, or its lease ends, in " + leftWords(left)
	case !lease.Learned():
		return "its program releases, or its lease ends, in " + leftWords(left) + " unless renewed"
	}
	return "its program releases" + l.usualWords(now)
}

// usualWords say when holders usually release, from half to nine tenths of those known.
// They are not said of a hold that has lasted longer, or began before we looked.
func (l *Lock) usualWords(now time.Time) string {
	held, atLeast := l.HeldFor(now)
	if len(l.holdTimes) < estimateMin || atLeast {
		return ""
	}
	from, to := Percentile(l.holdTimes, 50)-held, Percentile(l.holdTimes, 90)-held
	switch {
	case to <= 0:
		return ""
	case from <= 0:
		return ", usually within " + Duration(to, false)
	}
	if a, b := Duration(from, false), Duration(to, false); a != b {
		return ", usually in " + a + " to " + b
	}
	return ", usually in about " + Duration(to, false)
}

// leftWords write the seconds that a lease has left.
func leftWords(left int64) string {
	if left < 60 {
		return itoa(left) + "s"
	}
	return Duration(time.Duration(left)*time.Second, false)
}

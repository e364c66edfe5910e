package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// estimateMin is how many holds have to be known for an estimate.
const estimateMin = 10

// pace says of a lock whose holder renews whether it moves. A renewal shows that some
// process lives, and no more: who waits may wait for ever.
func pace(d Diagnosis, l *locks.Lock) model.Condition {
	switch {
	case l.Moving(d.Now()):
		return model.IsMoving
	case l.Behind() > 0:
		return model.IsWaitedFor
	}
	return model.IsHeld
}

// never begins the words for what does not move by itself, inCircle are those for what may be
// a deadlock.
const (
	never    = "will not clear "
	inCircle = "never, if this is a deadlock"
)

// NextMove says what it takes for the lock to move: words that go on after "it moves
// when", or that say that it will not; "" where nobody holds it or that is not known.
func NextMove(d Diagnosis, l *locks.Lock, now time.Time) string {
	h := l.Head()
	if h == nil || !l.Recipe().HasHolder {
		return ""
	}
	if l.Recipe().OfKube() {
		return kubeMoves(l, now)
	}
	lease := h.LeaseInfo().State()
	if f := Worst(d, l, h); f != nil { // and not one about a key that only waits
		switch f.Code {
		case model.CodeOrphanKey, model.CodeLeaseDetached, model.CodeForeignKey:
			return never + "by itself"
		case model.CodeLockCycle:
			switch {
			case lease == model.LeaseHealthy && f.Confidence != model.Hint:
				return never + "while its holder is alive"
			case lease == model.LeaseHealthy || lease == model.LeaseUnknown:
				return inCircle
			}
		}
	}
	left, ok := h.LeaseInfo().Remaining(now)
	switch {
	case l.Blocked():
		return "the key that blocks it goes"
	case lease == model.LeaseOverdue:
		return "etcd revokes its lease, which is past its end"
	case lease == model.LeaseNone:
		return "its key is deleted: it has no lease"
	case (lease == model.LeaseLate || lease == model.LeaseSilent) && ok:
		return "its lease ends, in " + leftWords(left) + " unless renewed"
	case lease == model.LeaseHealthy, lease == model.LeaseUnknown:
		return releaseWords(l, now)
	}
	return ""
}

// inShort says it in fewer words.
var inShort = strings.NewReplacer(never+"by itself", "not by itself", never+"while its holder is alive", "not while renewed",
	inCircle, "not if a deadlock",
	"the key that blocks it goes", "blocking key goes", "etcd revokes its lease, which is past its end", "etcd revokes it",
	"its key is deleted: it has no lease", "key is deleted", "its program releases", "program releases", " holders release", " release",
	"its lease ends, in ", "lease ends in ", "others may take it in ", "expires in ", ": others may take it", "", " unless renewed", "")

// longLeft is from how many seconds on it is said also where there is little room how long the
// lease of a holder lasts that was not seen to renew: so long others may wait for a dead one.
const longLeft = 120

// NextMoveBriefly says what [Lock.MovesWhen] says in at most so many characters, if it has words
// for that: fewer of them, or only the first of several things.
func NextMoveBriefly(d Diagnosis, l *locks.Lock, now time.Time, room int) string {
	when := NextMove(d, l, now)
	short := inShort.Replace(when)
	first := func(s string) string { s, _, _ = strings.Cut(s, ","); return s }
	texts := []string{when, short, strings.TrimPrefix(short, "lease "), first(when), first(short)}
	if strings.Contains(when, "releases, or its lease ends, in ") {
		if left, _ := l.Head().LeaseInfo().Remaining(now); left >= longLeft {
			texts = []string{when, short, "release or in " + model.Ticks(time.Duration(left)*time.Second), first(short)}
		}
	}
	if strings.Contains(when, usually) {
		texts = append([]string{when}, usuallyIn(l, now), first(when), first(short))
	}
	for _, text := range texts {
		if len(text) <= room {
			return text
		}
	}
	return first(short)
}

// usuallyIn says in few words when holders usually release.
func usuallyIn(l *locks.Lock, now time.Time) string {
	held, _ := l.HeldFor(now)
	if left := locks.Percentile(l.HoldTimes(), 50) - held; left >= time.Second {
		return "~" + model.Ticks(left.Round(time.Second)) + ", as usual"
	}
	return "soon, as usual"
}

// DeadlineOf says the same of the time up to then.
func DeadlineOf(d Diagnosis, l *locks.Lock, now time.Time) string {
	when := NextMove(d, l, now)
	if when == "" || l.Recipe().OfKube() || strings.HasPrefix(when, never) || when == inCircle {
		return when
	}
	return "until " + when
}

// UntilBriefly says it in at most so many characters, or only the first of several things; ""
// if that is too long, too.
func UntilBriefly(d Diagnosis, l *locks.Lock, now time.Time, room int) string {
	text := DeadlineOf(d, l, now)
	bare := strings.TrimSuffix(text, " unless renewed")
	first, _, _ := strings.Cut(text, ",")
	for _, text := range []string{text, bare, first} {
		if len(text) <= room {
			return text
		}
	}
	return ""
}

// releaseWords say what ends a hold of which nothing is wrong.
func releaseWords(l *locks.Lock, now time.Time) string {
	lease := l.Head().LeaseInfo()
	left, ok := lease.Remaining(now)
	switch {
	case l.Holders() > 1:
		return fmt.Sprintf("all %d holders release", l.Holders())
	case !ok:
		return "its program releases, or its lease ends"
	case l.Recipe().Rhythm == recipe.RenewsNever:
		return "its program releases, or its lease ends, in " + leftWords(left)
	case !lease.Learned():
		return "its program releases, or its lease ends, in " + leftWords(left) + " unless renewed"
	}
	return "its program releases" + usualWords(l, now)
}

// usually begins the words for when holders usually release.
const usually = ", usually "

// usualWords say when holders usually release, from half to nine tenths of those known.
// They are not said of a hold that has lasted longer, or began before we looked.
func usualWords(l *locks.Lock, now time.Time) string {
	held, atLeast := l.HeldFor(now)
	if len(l.HoldTimes()) < estimateMin || atLeast {
		return ""
	}
	from, to := locks.Percentile(l.HoldTimes(), 50)-held, locks.Percentile(l.HoldTimes(), 90)-held
	switch {
	case to <= 0:
		return ""
	case from <= 0:
		return usually + "within " + model.Duration(to, false)
	}
	if a, b := model.Duration(from, false), model.Duration(to, false); a != b {
		return usually + "in " + a + " to " + b
	}
	return usually + "in about " + model.Duration(to, false)
}

// leftWords write the seconds that a lease has left.
func leftWords(left int64) string {
	if left < 60 {
		return strconv.FormatInt(left, 10) + "s"
	}
	return model.Duration(time.Duration(left)*time.Second, false)
}

package status

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// EstimateMin is how many holds have to be known for an estimate.
const EstimateMin = 3

// pace says of a lock whose holder renews whether it moves. A renewal shows that some
// process lives, and no more: who waits may wait for ever.
func pace(d Diagnosis, l *locks.Lock) model.Condition {
	switch {
	case l.Doubtful():
		return model.IsPresumed
	case l.Moving(d.Now()):
		return model.IsMoving
	case l.Behind() > 0:
		return model.IsWaitedFor
	}
	return model.IsHeld
}

// Move is what it takes for a lock to move.
type Move struct {
	// When goes on after "it moves when", or says that it will not. It is the zero Message where
	// nobody holds the lock, or where that is not known.
	When model.Message
	lock *locks.Lock
	now  time.Time
}

// NextMove says what it takes for the lock to move.
func NextMove(d Diagnosis, l *locks.Lock, now time.Time) Move {
	return Move{nextMove(d, l, now), l, now}
}

func nextMove(d Diagnosis, l *locks.Lock, now time.Time) model.Message {
	h := l.Head()
	if h == nil || !l.Recipe().HasHolder {
		return model.Message{}
	}
	if l.Recipe().OfKube() {
		return kubeMoves(l, now)
	}
	lease := h.LeaseInfo().State()
	if f := Worst(d, l, h); f != nil { // and not one about a key that only waits
		switch f.Code {
		case model.CodeOrphanKey, model.CodeLeaseDetached, model.CodeForeignKey:
			if h.KV.Lease == 0 {
				return model.Say("will-not-clear-by-itself")
			}
		case model.CodeLockCycle:
			switch {
			case lease == model.LeaseHealthy && f.Confidence != model.Hint:
				return model.Say("will-not-clear-while-alive")
			case lease == model.LeaseHealthy || lease == model.LeaseUnknown:
				return model.Say("never-if-a-deadlock")
			}
		}
	}
	left, ok := h.LeaseInfo().Remaining(now)
	switch {
	case lease == model.LeaseOverdue:
		return model.Say("etcd-revokes-its-lease-past-its-end")
	case (lease == model.LeaseLate || lease == model.LeaseSilent) && ok:
		return model.Say("its-lease-ends-unless-renewed", leftWords(left))
	case l.Blocked():
		return model.Say("blocking-key-goes")
	case lease == model.LeaseNone:
		return model.Say("its-key-is-deleted")
	case lease == model.LeaseHealthy, lease == model.LeaseUnknown:
		return release(l, now)
	}
	return model.Message{}
}

// Brief says it in fewer words, or only the first of several things, the shortest last.
func (m Move) Brief() []model.Message {
	program, brief := model.Say("its-program-releases"), model.Say("program-releases")
	args := m.When.Args
	switch m.When.ID {
	case "will-not-clear-by-itself":
		return []model.Message{model.Say("not-by-itself")}
	case "will-not-clear-while-alive":
		return []model.Message{model.Say("never-break-one")}
	case "never-if-a-deadlock":
		return []model.Message{model.Say("not-if-a-deadlock"), model.Say("never")}
	case "blocking-key-goes":
		return []model.Message{model.Say("blocking-key-goes-briefly")}
	case "etcd-revokes-its-lease-past-its-end":
		return []model.Message{model.Say("etcd-revokes-it")}
	case "its-key-is-deleted":
		return []model.Message{model.Say("key-is-deleted")}
	case "its-lease-ends-unless-renewed":
		return []model.Message{model.Say("lease-ends-in", args...), model.Say("ends-in", args...)}
	case "all-holders-release":
		return []model.Message{model.Say("all-release", args...)}
	case "its-program-releases", "a-holder-releases":
		return []model.Message{brief}
	case "its-program-releases-or-lease-ends":
		return []model.Message{model.Say("program-releases-or-lease-ends"), program, brief}
	case "its-program-releases-or-lease-ends-in", "its-program-releases-or-lease-ends-unless-renewed":
		shorter := []model.Message{model.Say("program-releases-or-lease-ends-in", args...), program, brief}
		if left, _ := m.lock.Head().LeaseInfo().Remaining(m.now); left >= longLeft {
			shorter[1] = model.Say("release-or-in", model.Verbatim(model.Ticks(time.Duration(left)*time.Second)))
		}
		return shorter
	case "releases-usually-within", "releases-usually-in", "releases-usually-in-about":
		return []model.Message{usuallyIn(m.lock, m.now), program, brief}
	}
	return m.kubeBrief()
}

// Until says the same of the time up to then.
func (m Move) Until() model.Message {
	if m.When.IsZero() || m.ofAllTime() {
		return m.When
	}
	return model.Say("until", m.When)
}

// ofAllTime says whether it is said of all time, and not of a moment.
func (m Move) ofAllTime() bool {
	switch m.When.ID {
	case "will-not-clear-by-itself", "will-not-clear-while-alive", "never-if-a-deadlock":
		return true
	}
	return m.lock.Recipe().OfKube()
}

// UntilBrief says Until in fewer words, or only the first of several things, the shortest last.
func (m Move) UntilBrief() []model.Message {
	args := m.When.Args
	var shorter []model.Message
	switch m.When.ID {
	case "never-if-a-deadlock":
		return []model.Message{model.Say("never")}
	case "etcd-revokes-its-lease-past-its-end":
		shorter = []model.Message{model.Say("etcd-revokes-its-lease")}
	case "its-lease-ends-unless-renewed":
		shorter = []model.Message{model.Say("its-lease-ends-in", args...), model.Say("its-lease-ends")}
	case "its-program-releases-or-lease-ends-unless-renewed":
		shorter = []model.Message{model.Say("its-program-releases-or-lease-ends-in", args...), model.Say("its-program-releases")}
	case "its-program-releases-or-lease-ends", "its-program-releases-or-lease-ends-in", "releases-usually-within", "releases-usually-in", "releases-usually-in-about":
		shorter = []model.Message{model.Say("its-program-releases")}
	default:
		return m.kubeUntilBrief()
	}
	for i, when := range shorter {
		shorter[i] = model.Say("until", when)
	}
	return shorter
}

// longLeft is from how many seconds on it is said also where there is little room how long the
// lease of a holder lasts that was not seen to renew: so long others may wait for a dead one.
const longLeft = 120

// release says what ends a hold of which nothing is wrong.
func release(l *locks.Lock, now time.Time) model.Message {
	lease := l.Head().LeaseInfo()
	left, ok := lease.Remaining(now)
	switch {
	case l.Recipe().Permits > 1:
		return model.Say("a-holder-releases", l.Holders())
	case l.Holders() > 1:
		return model.Say("all-holders-release", l.Holders())
	case !ok:
		return model.Say("its-program-releases-or-lease-ends")
	case l.Recipe().Rhythm == recipe.RenewsNever:
		return model.Say("its-program-releases-or-lease-ends-in", leftWords(left))
	case !lease.Learned():
		return model.Say("its-program-releases-or-lease-ends-unless-renewed", leftWords(left))
	}
	return usually(l, now)
}

// usuallyIn says in few words when holders usually release.
func usuallyIn(l *locks.Lock, now time.Time) model.Message {
	held, _ := l.HeldFor(now)
	if left := model.Percentile(l.HoldTimes(), 50) - held; left >= time.Second {
		return model.Say("as-usual", model.Verbatim(model.Ticks(left.Round(time.Second))))
	}
	return model.Say("soon-as-usual")
}

// usually says that the program releases, and when holders usually do, from half to nine tenths
// of those known; not when for a hold that has lasted longer, or began before we looked.
func usually(l *locks.Lock, now time.Time) model.Message {
	held, atLeast := l.HeldFor(now)
	if len(l.HoldTimes()) < EstimateMin || atLeast {
		return model.Say("its-program-releases")
	}
	from, to := model.Percentile(l.HoldTimes(), 50)-held, model.Percentile(l.HoldTimes(), 90)-held
	switch {
	case to <= 0:
		return model.Say("its-program-releases")
	case from <= 0:
		return model.Say("releases-usually-within", to)
	}
	if model.Duration(from, false) != model.Duration(to, false) {
		return model.Say("releases-usually-in", from, to)
	}
	return model.Say("releases-usually-in-about", to)
}

// leftWords write the seconds that a lease has left.
func leftWords(left int64) model.Verbatim {
	if left < 60 {
		return model.Verbatim(strconv.FormatInt(left, 10) + "s")
	}
	return model.Verbatim(model.Duration(time.Duration(left)*time.Second, false))
}

package locks

import (
	"slices"
	"time"

	"locktop/model"
)

// neverRead are the readings of every lease that has none yet. Nobody writes to them:
// see [Lease.keep].
var neverRead = &Readings{}

// keep returns the readings of the lease for a change. A lease has its own only from
// the first one on, or from that of another one on: of a million waiters nearly all are never
// read.
func (l *Lease) keep() *Readings {
	if l.Readings == neverRead {
		l.Readings = &Readings{}
	}
	return l.Readings
}

// Claims returns the watched keys that hang on the lease, in no order. Keys
// outside the watched prefixes are not among them.
func (l *Lease) Claims() []*Claim { return l.claims }

// Competing returns those of its watched keys that are claims, in no order.
func (l *Lease) Competing() []*Claim { return l.claims[:l.competing] }

// otherKeys are those of its watched keys that are no claims.
func (l *Lease) otherKeys() []*Claim { return l.claims[l.competing:] }

// Waits says whether a claim of it waits for a lock.
func (l *Lease) Waits() bool { return l.waiting > 0 }

// Granted returns the granted TTL in seconds, 0 while unknown.
func (l *Lease) Granted() int64 {
	if !l.HasRead {
		return 0
	}
	return l.Read.Granted
}

// State tells how the lease is by its last reading.
//
// A lease has missed a renewal when its last one is certainly longer ago than its
// client is known, or its recipe supposed, to leave it alone, and a second.
// Answers are cut down to whole seconds. The clients of etcd renew at a third of
// the TTL (client/v3 lease.go). Where nobody is supposed to renew, falling is
// healthy.
func (l *Lease) State() model.LeaseState {
	if l == nil {
		return model.LeaseNone
	}
	if !l.HasRead {
		return model.LeaseUnknown
	}
	g, r := l.Read.Granted, l.Read.Remaining
	switch {
	case g <= 0:
		return model.LeaseGone
	case r < 0:
		return model.LeaseOverdue
	}
	since, missed := l.Read.Missed()
	if !missed {
		return model.LeaseHealthy // whatever its interval is: none is shorter than a third
	}
	interval, known := l.interval()
	switch {
	case !known:
		return model.LeaseHealthy
	case since > 2*interval && since > interval+time.Second:
		return model.LeaseSilent
	case since > interval+time.Second:
		return model.LeaseLate
	}
	return model.LeaseHealthy
}

// interval is how long the lease's client leaves it alone, as far as that is
// known: from what was seen, else from the recipes of its claims.
func (l *Lease) interval() (d time.Duration, known bool) {
	third := time.Duration(l.Read.Granted) * time.Second / 3
	if l.Renewals > 0 {
		return max(third, l.Rhythm), true
	}
	return third, l.thirds > 0 || len(l.claims) == 0
}

// ResetDead says that renewals were missed before a new raft leader gave the lease its full
// TTL anew, and how sure that is.
func (l *Lease) ResetDead() (model.Confidence, bool) { return l.resetSure, l.resetDead }

// Multi says whether the lease competes in more than one place.
func (l *Lease) Multi() bool { return l.competing > 1 }

// Heads returns of how many locks a claim of it is the holder.
func (l *Lease) Heads() int { return int(l.heads) }

// Learned says whether the lease was seen to be renewed, so that its rhythm is its
// own and not only that of its recipe.
func (l *Lease) Learned() bool { return l != nil && l.Renewals > 0 }

// Remaining returns the seconds left if nobody renewed since the last reading:
// never less than 0, never more than was read. ok is false without a reading.
func (l *Lease) Remaining(now time.Time) (seconds int64, ok bool) {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return 0, false
	}
	left := l.Read.Remaining - int64(now.Sub(l.Read.At)/time.Second)
	return max(0, min(left, l.Read.Remaining)), true
}

// Renewed returns how long ago the lease was renewed, as far as the last reading
// can tell: granted minus remaining, to the second. ok is false without one, and
// after a new raft leader gave it its full TTL anew.
func (l *Lease) Renewed(now time.Time) (ago time.Duration, ok bool) {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 || !l.ResetAt.IsZero() {
		return 0, false
	}
	ago = time.Duration(l.Read.Granted-l.Read.Remaining)*time.Second + now.Sub(l.Read.At)
	return max(0, ago), true
}

// RenewedAt returns when the lease was renewed last, as near as all readings since tell; ok is false where
// Renewed's is.
func (l *Lease) RenewedAt(now time.Time) (at time.Time, ok bool) {
	_, ok = l.Renewed(now)
	return l.endFrom.Add(l.endTo.Sub(l.endFrom)/2 - time.Duration(l.Granted())*time.Second), ok
}

// MissedFor returns how long ago the lease's client should have renewed it, by its rhythm or
// that of its recipe, as far as the last reading can tell. It is negative while it had time
// at that reading. ok is false where Renewed's is.
func (l *Lease) MissedFor(now time.Time) (d time.Duration, ok bool) {
	ago, ok := l.Renewed(now)
	if !ok {
		return 0, false
	}
	interval, _ := l.interval()
	return ago - interval, true
}

// LongMissed says whether at its last reading, for certain by all readings since its TTL was full, more than
// half of the time had passed that its client had after its renewal was due. Clients try again within that
// time, also those that have to connect to another member first.
func (l *Lease) LongMissed() bool {
	if !l.HasRead || l.Read.Granted <= 0 {
		return false
	}
	interval, known := l.interval()
	ttl := time.Duration(l.Read.Granted) * time.Second
	return known && l.Read.At.Sub(l.endTo.Add(-ttl)) > (interval+ttl)/2
}

// Stale says whether the lease was read before the observer slept and neither was since
// nor could be: it will be.
func (l *Lease) Stale() bool { return l != nil && l.stale && l.Unread.IsZero() }

// Attached returns what etcd listed last of the keys that hang on the lease, nil if it was
// not asked. Keys outside of what is watched are among them.
func (l *Lease) Attached() *model.LeaseKeys { return l.attached }

// Others returns the keys that hang on the lease besides one, as far as they were named,
// and how many there are in all. Known is false where etcd was not asked, or did not say. Of more
// than etcd names, no more are named: those that joined since are counted.
func (l *Lease) Others(key string) (names []string, n int, known bool) {
	a := l.attached
	if a == nil || !a.Reason.IsZero() {
		return nil, 0, false
	}
	n = a.Total
	listed := slices.Contains(a.Keys, key)
	if listed || a.Total > len(a.Keys) { // else it joined since
		n--
	}
	for _, name := range a.Keys {
		if name != key {
			names = append(names, name)
		}
	}
	if len(l.claims) > model.MaxLeaseKeys {
		n = max(n, len(l.claims)-1)
	} else if a.Total == len(a.Keys) {
		for _, c := range l.claims { // the watch knows of those that joined since
			if c.Key != key && c.ModRev > a.Rev && !slices.Contains(names, c.Key) {
				names, n = append(names, c.Key), n+1
			}
		}
	}
	slices.Sort(names)
	return names, n, true
}

// First returns what the first reading said, and when.
func (l *Lease) First() model.LeaseRead {
	return model.LeaseRead{At: time.UnixMicro(l.first.at), ID: l.ID, Granted: l.first.granted, Remaining: l.first.left}
}

// ReadOnce says whether there was one reading of it so far.
func (l *Lease) ReadOnce() bool { return l.HasRead && l.first.at == l.Read.At.UnixMicro() }

// Born returns when a key was first seen to be put on the lease; ok is false where it had one
// before we looked.
func (l *Lease) Born() (at time.Time, ok bool) { return time.UnixMicro(l.born), l.born != 0 }

// learn compares two readings: more left than the passing of time allows is a
// renewal, or the doing of a new raft leader.
func (l *Lease) learn(prev, e model.LeaseRead, had bool) {
	l.narrow(prev, e, had)
	if !had {
		l.first.at, l.first.granted, l.first.left = e.At.UnixMicro(), e.Granted, e.Remaining
		return
	}
	if prev.Granted <= 0 || e.Granted <= 0 {
		return
	}
	back := e.Rev != 0 && e.Rev < prev.Rev // restored from a backup, in which terms begin anew; or a member that lags answers
	if e.Term != prev.Term || back {
		l.ResetAt = e.At // also without a jump: right after a renewal there is none
	}
	passed := e.At.Sub(prev.At)
	left := time.Duration(prev.Remaining+1)*time.Second - passed // at most, if untouched
	if time.Duration(e.Remaining)*time.Second <= left+slackReading {
		return
	}
	if e.Term != prev.Term || back {
		switch l.State() { // by the reading before
		case model.LeaseSilent:
			l.resetDead, l.resetSure = true, model.Certain
		case model.LeaseLate:
			l.resetDead, l.resetSure = true, model.Strong // it may have been renewed in between
		}
		if e.Term == prev.Term {
			l.resetSure = model.Hint
		}
		return
	}
	if l.ResetAt.IsZero() {
		alone := time.Duration(prev.Granted-prev.Remaining-1) * time.Second
		l.Rhythm = max(l.Rhythm, min(alone, time.Duration(prev.Granted)*time.Second))
	}
	l.Renewals++
	l.ResetAt, l.resetDead = time.Time{}, false
}

// lastAlive returns the last reading of the lease while it lived, or what was read if that is not kept.
func (l *Lease) lastAlive() model.LeaseRead {
	if l.alive != nil {
		return *l.alive
	}
	return l.Read
}

// narrow takes in what a reading says of the lease's end. Readings at other fractions of a second make it
// surer, as long as nobody renews it, and no new raft leader does.
func (l *Lease) narrow(prev, e model.LeaseRead, had bool) {
	if e.Granted <= 0 {
		return
	}
	from, to := e.End()
	if had && prev.Granted > 0 && e.Term == prev.Term && from.Before(l.endTo) && l.endFrom.Before(to) {
		from, to = model.Later(from, l.endFrom), model.Earlier(to, l.endTo)
	}
	l.endFrom, l.endTo = from, to
}

// slackReading bounds how far apart asking and answering may be.
const slackReading = 300 * time.Millisecond

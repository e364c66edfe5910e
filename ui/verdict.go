package ui

import (
	"strconv"
	"time"

	"locktop/model"
)

// verdict is how a lock or a session does: a rank (the higher the worse), a sign
// and a word.
type verdict struct {
	rank  int
	st    style
	sign  string
	word  string
	lease model.LeaseState // of the head
	code  model.Code       // of the worst finding, "" if there is none
}

// Ranks: how a lease is counts within these.
const (
	rankInfo    = 5
	rankTrouble = 10 // from here on a person should look
	rankWarning = 20
	rankError   = 30
)

// judge tells how a lock does: by its worst finding, else by the lease of its head.
func (th *theme) judge(l *model.Lock) verdict {
	head := l.Head()
	switch {
	case head == nil:
		v := verdict{st: dim, sign: th.sign.waits, word: "free"}
		if all := l.Findings(); len(all) > 0 && all[0].Severity != model.SevInfo {
			return th.worse(v, &all[0]) // nobody holds it, and one believes so
		}
		return v
	case !l.Recipe().Judged:
		return verdict{st: dim, sign: th.sign.waits, word: "order only"}
	}
	v := th.judgeLease(head.LeaseInfo())
	if l.Blocked() {
		v.rank, v.st, v.sign, v.word = rankTrouble+4, bad, th.sign.bad, "blocked"
	}
	if all := l.Findings(); len(all) > 0 {
		return th.worse(v, &all[0])
	}
	return v
}

// worse puts a finding in the place of a verdict, if it says more.
func (th *theme) worse(v verdict, f *model.Finding) verdict {
	if f.Severity == model.SevInfo && v.trouble() {
		return v
	}
	v.st, v.sign = th.severity(f.Severity)
	v.word, v.code = string(f.Code), f.Code
	inner := v.rank % rankTrouble
	switch f.Severity {
	case model.SevError:
		v.rank = rankError + inner
	case model.SevWarning:
		v.rank = rankWarning + inner
	default:
		v.rank = rankInfo
	}
	return v
}

// severity returns the sign and style of a severity.
func (th *theme) severity(s model.Severity) (style, string) {
	switch s {
	case model.SevError:
		return bad, th.sign.bad
	case model.SevWarning:
		return late, th.sign.late
	}
	return waiting, th.sign.info
}

func (th *theme) judgeLease(l *model.Lease) verdict {
	v := verdict{lease: l.State(), st: bad, sign: th.sign.bad}
	switch v.lease {
	case model.LeaseOverdue:
		v.rank, v.word = rankTrouble+6, "overdue"
	case model.LeaseSilent:
		v.rank, v.word = rankTrouble+5, "silent"
	case model.LeaseGone:
		v.rank, v.word = rankTrouble+3, "gone"
	case model.LeaseNone:
		v.rank, v.st, v.sign, v.word = rankTrouble+2, late, th.sign.late, "no lease"
	case model.LeaseLate:
		v.rank, v.st, v.sign, v.word = rankTrouble+1, late, th.sign.late, "late"
	case model.LeaseUnknown:
		v.st, v.sign, v.word = dim, th.sign.unread, "not read"
	default:
		v.st, v.sign, v.word = good, th.sign.holds, "healthy"
	}
	return v
}

// trouble says whether a person should look at it.
func (v verdict) trouble() bool { return v.rank >= rankTrouble }

// outlook says when the lock will move, as far as that is known.
func outlook(l *model.Lock, v verdict, now time.Time) string {
	h := l.Head()
	switch {
	case h == nil && v.trouble():
		return "free for " + age(l.FreeFor(now), false)
	case h == nil:
		return "for " + age(l.FreeFor(now), false)
	case !l.Recipe().Judged:
		return plural(l.Len(), "key")
	}
	switch v.code {
	case model.CodeOrphanKey, model.CodeLeaseDetached, model.CodeForeignKey:
		return "does not end by itself"
	case model.CodeLockCycle:
		if v.lease == model.LeaseHealthy {
			return "does not end while renewed"
		}
	}
	left, ok := h.LeaseInfo().Remaining(now)
	switch {
	case l.Blocked():
		return "a key that is no claim stands first"
	case v.lease == model.LeaseOverdue:
		return "past its end, etcd has yet to revoke it"
	case v.lease == model.LeaseNone:
		return "never expires by itself"
	case (v.lease == model.LeaseLate || v.lease == model.LeaseSilent) && ok:
		return "ends in " + strconv.FormatInt(left, 10) + "s unless renewed"
	}
	return ""
}

// tallyAtOnce is below how many locks findings are counted with every change.
const tallyAtOnce = 1000

// tally counts the findings, at a rhythm: it goes over all of them.
type tally struct {
	errors, warnings, infos int
	at                      time.Time
	version                 uint64
}

func (t *tally) update(s *model.State, total int, now time.Time) {
	every := sortEvery * time.Duration(1+total/sortPer)
	if t.at.IsZero() || now.Sub(t.at) >= every || total < tallyAtOnce && s.Version() != t.version {
		t.at, t.version = now, s.Version()
		t.errors, t.warnings, t.infos = s.CountFindings()
	}
}

// count returns how many a person should look at, in the style of the worst.
func (t *tally) count() (int, style) {
	if t.errors > 0 {
		return t.errors + t.warnings, bad
	}
	return t.warnings, late
}

package ui

import (
	"time"

	"locktop/model"
)

// lease fills in what is known of a lease, into the room that the cell has:
// bar, remaining of granted, and how long ago it was renewed.
func (r *row) lease(l *model.Lease, now time.Time) {
	th := r.f.th
	left, ok := l.Remaining(now)
	if !ok {
		r.add(dim, th.noReading(l))
		return
	}
	ago, _ := l.Renewed(now)
	granted := l.Granted()
	sign := th.sign.renewed
	st, _ := th.level(l.State().Condition().Level)
	if old := now.Sub(l.Read.At); st == good && old > time.Duration(granted)*time.Second/3+3*time.Second {
		// It was healthy, and nobody has asked since: no reason to let it run out.
		sign, left, ago, st = th.sign.stale, max(0, l.Read.Remaining), old, dim
	}
	nums := remaining(left, granted)
	numw := max(7, len(nums))
	if bar := min(barCells, r.room()-numw-6); bar >= 3 {
		full := int((left*int64(bar) + granted - 1) / granted)
		r.add(barStyle(st), th.fullBar[:full*len(th.sign.full)])
		r.add(dim, th.emptyBar[(barCells-bar+full)*len(th.sign.empty):])
	}
	r.add(plain, blanks[:numw-len(nums)]+nums+" ")
	t := ticks(ago)
	r.add(dim, sign+blanks[:max(0, 3-len(t))]+t)
}

func barStyle(st style) style {
	switch st {
	case late:
		return barLate
	case bad:
		return barBad
	}
	return st
}

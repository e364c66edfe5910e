package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Waited returns how long all together waited for a lock between two times, but for those in which
// nothing was seen of it.
func (tl *Timeline) Waited(lock string, from, to time.Time) time.Duration {
	first, last := from.UnixMicro(), to.UnixMicro()
	sum := tl.waited(lock, first, last)
	for _, g := range tl.unseen(lock, first, last) {
		sum -= tl.waited(lock, g.from, g.to)
	}
	return time.Duration(max(0, sum)) * time.Microsecond
}

// unseens are times in which nothing was seen, in µs and in their order; none touches the next.
type unseens []struct{ from, to int64 }

// unseen returns those of a lock between two times.
func (tl *Timeline) unseen(lock string, first, last int64) (all unseens) {
	if len(tl.gaps) == 0 {
		return nil
	}
	gaps := tl.Gaps(lock)
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.From.UnixMicro(), b.From.UnixMicro()) })
	for _, g := range gaps {
		from, to := max(first, g.From.UnixMicro()), last
		if !g.To.IsZero() {
			to = min(last, g.To.UnixMicro())
		}
		if n := len(all); n > 0 && from <= all[n-1].to {
			all[n-1].to = max(all[n-1].to, to)
		} else if to > from {
			all = append(all, struct{ from, to int64 }{from, to})
		}
	}
	return all
}

// within is how much of a span lies in them.
func (u unseens) within(from, to int64) (sum int64) {
	for _, g := range u {
		sum += within(g.from, g.to, from, to)
	}
	return sum
}

// less is a moment in the time that is left without them.
func (u unseens) less(at int64) int64 {
	if at == math.MaxInt64 {
		return at
	}
	return at - u.within(math.MinInt64, at)
}

// less is the turn in the time that is left.
func (t turn) less(u unseens) turn {
	t.came, t.gone = u.less(t.came), u.less(t.gone)
	if t.held {
		t.got = u.less(t.got)
	}
	return t
}

// waited is how long they waited, in µs.
func (tl *Timeline) waited(lock string, first, last int64) int64 {
	var sum int64
	if ln := tl.lines[lock]; ln != nil {
		for _, c := range ln.chunks[ln.firstChunkAfter(first):] {
			switch {
			case c.came >= last:
			case c.came >= first && c.gone <= last: // all of it
				sum += c.waited
			default:
				for i := range c.spans {
					p := &c.spans[i]
					sum += max(0, min(p.end(), last)-max(p.Came.UnixMicro(), first))
				}
			}
		}
	}
	tl.presentPieces(lock, first, last, 0, func(p *Segment) bool {
		sum += max(0, min(p.Waited(), last)-max(p.Came, first)) * int64(p.N)
		return true
	})
	return sum
}

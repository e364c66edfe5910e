package timeline

import (
	"math"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// Segment is a part of the past of a lock, as much as a picture of a certain grain needs: one
// span, or many that all held within one grain. Times are µs since 1970.
type Segment struct {
	Came, Got, Gone int64
	// Held: it got the lock. Index numbers the spans of the lock that did, so that a picture
	// can tell one from the next, whichever of them it shows.
	Held  bool
	Index int
	// N is how many spans the piece is of. Of more than one Came and Gone are the bounds, Got
	// is the first, and Waiting is how many waited when the last one ended.
	N, Waiting int
	// Present: it goes on. It may be of several that only wait, since Came.
	Present bool

	span  *Span // that is over
	claim *locks.Claim
}

// Waited is when the wait of a piece of one span ended: by getting the lock, or by going.
func (s *Segment) Waited() int64 {
	if s.Held {
		return s.Got
	}
	return s.Gone
}

// Lease is the lease of a piece of one span, 0 for several.
func (s *Segment) Lease() model.LeaseID {
	switch {
	case s.span != nil:
		return s.span.Claim.Lease
	case s.claim != nil:
		return s.claim.KV.Lease
	}
	return 0
}

// Claim names the claim of a piece of one span.
func (s *Segment) Claim() model.ClaimRef {
	switch {
	case s.span != nil:
		return s.span.Claim
	case s.claim != nil:
		return s.claim.Ref()
	}
	return model.ClaimRef{}
}

// Now is the claim of a piece that goes on, nil for one that is over and for several.
func (s *Segment) Now() *locks.Claim { return s.claim }

// Segments yields the past of a lock between two times in µs, to not included, and what goes
// on. Spans that all held within one of the grains that from begins are one piece; grain 0
// keeps each apart. The piece is valid until the next.
func (tl *Timeline) Segments(lock string, from, to, grain int64, yield func(*Segment) bool) {
	var x Segment
	ln, held := tl.lines[lock], 0
	if ln != nil {
		held = ln.held
		for _, c := range ln.chunks[ln.firstChunkAfter(from):] {
			if c.came >= to {
				continue
			}
			if grain > 0 && c.gone < to && c.within(from, grain) {
				x = Segment{Came: c.came, Got: c.got, Gone: c.gone, Held: c.held > 0, Index: c.before, N: len(c.spans), Waiting: c.waiting}
				if !yield(&x) {
					return
				}
				continue
			}
			i := c.before
			for j := range c.spans {
				p := &c.spans[j]
				x = Segment{Came: p.Came.UnixMicro(), Gone: p.Gone.UnixMicro(), Held: !p.Got.IsZero(), Index: i, N: 1, span: p}
				if x.Held {
					x.Got = p.Got.UnixMicro()
					i++
				}
				if p.touches(from, to) && !yield(&x) {
					return
				}
			}
		}
	}
	tl.presentPieces(lock, from, to, held, yield)
}

// within says whether all that held in the chunk did so within one grain.
func (c *chunk) within(from, grain int64) bool {
	first := c.over
	if c.held > 0 {
		first = min(first, c.got)
	}
	return len(c.spans) > 1 && first >= from && (first-from)/grain == (c.gone-from)/grain
}

// presentPieces yields the spans that go on: those that hold, then those that came since,
// the last one first, and all others that wait as one.
func (tl *Timeline) presentPieces(lock string, from, to int64, held int, yield func(*Segment) bool) {
	l := tl.k.Keys.Lock(lock)
	if l == nil || !l.Recipe().HasHolder {
		return
	}
	for c := range l.First(l.Holders()) {
		got, _, holds := c.HeldSince()
		came, _ := tl.BeganAt(c)
		x := Segment{Came: came.UnixMicro(), Got: got.UnixMicro(), Gone: math.MaxInt64, Held: true, Index: held, N: 1, Present: true, claim: c}
		if !l.Recipe().WaitersVisible() {
			x.Came = x.Got // as in going
		}
		if held++; holds && x.Came < to && !yield(&x) {
			return
		}
	}
	left, inOrder := l.Behind(), l.Recipe().Order == recipe.ByCreate // else one that was put again stands behind later ones
	for c := range l.ClaimsBack {
		if left == 0 {
			return
		}
		if !l.IsClaim(c) {
			continue
		}
		came, atLeast := tl.BeganAt(c)
		x := Segment{Came: came.UnixMicro(), Gone: math.MaxInt64, Index: held, N: 1, Present: true, claim: c}
		if many := left > locks.MaxScan; x.Came < from && (inOrder || many) || atLeast && many {
			x.N, x.Waiting, x.claim = left, left, nil // and so did all before it
			yield(&x)
			return
		}
		if left--; x.Came < to && !yield(&x) {
			return
		}
	}
}

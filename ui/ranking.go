package ui

import (
	"cmp"
	"slices"
	"time"
)

// What goes over all locks, leases or findings has a rhythm of its own.
const (
	sortEvery = time.Second
	sortHold  = 2 * time.Second // after a cursor key rows stay where they are
	sortPer   = 20_000          // for so many rows, another sortEvery between two sorts
)

// rhythm says when a list is due to be gone over anew: not for every change, and the
// less often the longer it is.
type rhythm struct {
	per    int // for so many, another sortEvery in between
	atOnce int // below so many, a change counts at once

	n       int // how many there were
	version uint64
	at      time.Time
	held    time.Time // not before, unless forced
	force   bool
}

// due says whether it is, for a state of that version.
func (r *rhythm) due(version uint64, now time.Time) bool {
	switch {
	case r.force, r.at.IsZero():
		return true
	case version == r.version:
		return false
	}
	return r.n < r.atOnce || now.Sub(r.at) >= sortEvery*time.Duration(1+r.n/r.per) && !now.Before(r.held)
}

// begin notes that it is gone over now, and whether that was asked for.
func (r *rhythm) begin(version uint64, now time.Time, n int) (forced bool) {
	forced, r.force = r.force, false
	r.version, r.at, r.n = version, now, n
	return forced
}

// rankPiece is how many rows are ranked at a time where there are more of them. A key
// waits for no more.
const rankPiece = 10_000

// scored is a row to be and its place among the others: the lowest rank first, and of
// equals the lowest tie.
type scored[ID any] struct {
	id   ID
	rank int64
	tie  uint64
}

func (a scored[ID]) compare(b scored[ID]) int {
	if a.rank != b.rank {
		return cmp.Compare(a.rank, b.rank)
	}
	return cmp.Compare(a.tie, b.tie)
}

// ranking is a list in the order in which it is shown. It is brought up to date at a
// rhythm, a piece in each call: first the pieces are ranked, then they are merged. What
// is shown stays until all of that is done.
type ranking[T, ID any] struct {
	rhythm
	ids   []ID // as shown
	total int  // how many it would be without the filter

	// Of the ranking that goes on: all that is to be ranked, how many are, and what came
	// of these, piece by piece: a heap of lists in order, by the first of each.
	going, forced bool
	all           []T
	seen, found   int
	keys          []scored[ID]
	pieces        [][]scored[ID]
	next          []ID
}

func newRanking[T, ID any]() ranking[T, ID] {
	return ranking[T, ID]{rhythm: rhythm{per: sortPer, atOnce: 1}}
}

// unranked says whether refresh has something to do.
func (r *ranking[T, ID]) unranked(version uint64, now time.Time) bool {
	return r.going && !r.waits(now) || r.begins(version, now)
}

func (r *ranking[T, ID]) begins(version uint64, now time.Time) bool {
	return r.force || !r.going && r.due(version, now)
}

// waits says whether all is ranked, and the rows have to stay where they are.
func (r *ranking[T, ID]) waits(now time.Time) bool {
	return r.left() == 0 && len(r.pieces) == 0 && !r.forced && now.Before(r.held)
}

// left is how many are still to be ranked.
func (r *ranking[T, ID]) left() int { return len(r.all) - r.seen }

// refresh goes on with what is due, and says whether that changed what is shown. rank
// gets what list has and its place there, and says whether it is to be shown; it counts
// in found what would be without a filter.
func (r *ranking[T, ID]) refresh(version uint64, now time.Time, list func() []T, rank func(T, int) (scored[ID], bool)) bool {
	if r.begins(version, now) {
		r.all = append(r.all[:0], list()...)
		r.going, r.forced = true, r.begin(version, now, len(r.all))
		r.keys, r.pieces, r.next = slices.Grow(r.keys[:0], len(r.all)), r.pieces[:0], r.next[:0]
		r.seen, r.found = 0, 0
	}
	if r.left() > 0 {
		if r.piece(rank); len(r.all) > rankPiece {
			return false
		}
	}
	r.merge()
	if len(r.pieces) > 0 || r.waits(now) {
		return false
	}
	r.going, r.total = false, r.found
	r.ids, r.next = r.next, r.ids
	clear(r.keys)
	clear(r.all)
	return true
}

// piece ranks the next ones.
func (r *ranking[T, ID]) piece(rank func(T, int) (scored[ID], bool)) {
	from := len(r.keys)
	for _, x := range r.all[r.seen:min(r.seen+rankPiece, len(r.all))] {
		if k, keep := rank(x, r.seen); keep {
			r.keys = append(r.keys, k)
		}
		r.seen++
	}
	piece := r.keys[from:]
	if len(piece) == 0 {
		return
	}
	slices.SortFunc(piece, scored[ID].compare)
	r.pieces = append(r.pieces, piece)
	for i := len(r.pieces) - 1; i > 0 && r.less(i, (i-1)/2); i = (i - 1) / 2 {
		r.pieces[i], r.pieces[(i-1)/2] = r.pieces[(i-1)/2], r.pieces[i]
	}
}

func (r *ranking[T, ID]) less(i, j int) bool { return r.pieces[i][0].compare(r.pieces[j][0]) < 0 }

// merge takes the next ones off the pieces, the first of all first.
func (r *ranking[T, ID]) merge() {
	for i := 0; i < rankPiece && len(r.pieces) > 0; i++ {
		top := r.pieces[0]
		if len(r.pieces) == 1 { // of what fits into one piece that is all
			n := min(rankPiece-i, len(top))
			for j := range top[:n] {
				r.next = append(r.next, top[j].id)
			}
			if r.pieces[0] = top[n:]; n == len(top) {
				r.pieces = r.pieces[:0]
			}
			return
		}
		r.next = append(r.next, top[0].id)
		if r.pieces[0] = top[1:]; len(top) == 1 {
			last := len(r.pieces) - 1
			r.pieces[0], r.pieces[last] = r.pieces[last], nil
			r.pieces = r.pieces[:last]
		}
		r.sink()
	}
}

// sink puts the piece at the top of the heap where it belongs.
func (r *ranking[T, ID]) sink() {
	for i := 0; ; {
		least := 2*i + 1
		if least >= len(r.pieces) {
			return
		}
		if least+1 < len(r.pieces) && r.less(least+1, least) {
			least++
		}
		if !r.less(least, i) {
			return
		}
		r.pieces[i], r.pieces[least] = r.pieces[least], r.pieces[i]
		i = least
	}
}

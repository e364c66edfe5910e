package table

import (
	"cmp"
	"slices"
	"time"
)

// A loop over all locks, leases or findings has a rhythm of its own.
const (
	sortEvery = time.Second
	SortHold  = 2 * time.Second // after a cursor key rows stay where they are
	SortPer   = 20_000          // for so many rows, another sortEvery between two sorts
)

// Clock is the time that is shown. Where it stands, as that of a recording that is paused,
// nothing waits for its turn: the moment is shown as it is.
type Clock struct {
	Now    time.Time
	Stands bool
}

// Rhythm says when a list is due to be gone over anew: not for every change, and the
// less often the longer it is.
type Rhythm struct {
	Per    int // for so many, another sortEvery in between
	AtOnce int // below so many, a change counts at once

	n         int // how many there were
	version   uint64
	At        time.Time
	NotBefore time.Time // not before, unless forced
	Force     bool
}

// Due says whether it is, for a state of that version.
func (r *Rhythm) Due(version uint64, c Clock) bool {
	switch {
	case r.Force, r.At.IsZero():
		return true
	case version == r.version:
		return false
	}
	return c.Stands || r.n < r.AtOnce || c.Now.Sub(r.At) >= sortEvery*time.Duration(1+r.n/r.Per) && !c.Now.Before(r.NotBefore)
}

// Begin notes that it is gone over now, and whether that was asked for.
func (r *Rhythm) Begin(version uint64, now time.Time, n int) (forced bool) {
	forced, r.Force = r.Force, false
	r.version, r.At, r.n = version, now, n
	return forced
}

// RankPiece is how many rows are ranked at a time where there are more of them. A key
// waits for no more.
const RankPiece = 10_000

// Scored is a row to be and its place among the others: the lowest rank first, and of
// equals the lowest tie.
type Scored[ID any] struct {
	ID   ID
	Rank int64
	Tie  uint64
}

func (a Scored[ID]) compare(b Scored[ID]) int {
	if a.Rank != b.Rank {
		return cmp.Compare(a.Rank, b.Rank)
	}
	return cmp.Compare(a.Tie, b.Tie)
}

// Ranking is a list in the order in which it is shown. It is brought up to date at a
// rhythm, a piece in each call: first the pieces are ranked, then they are merged. What
// is shown stays until all of that is done.
type Ranking[T, ID any] struct {
	Rhythm
	IDs   []ID // as shown
	Total int  // how many it would be without the filter

	// Of the ranking that goes on: all that is to be ranked, how many are, and what came
	// of these, piece by piece: a heap of lists in order, by the first of each.
	Going, forced  bool
	all            []T
	scanned, Found int
	keys           []Scored[ID]
	pieces         [][]Scored[ID]
	next           []ID
}

// NewRanking returns a ranking that is due.
func NewRanking[T, ID any]() Ranking[T, ID] {
	return Ranking[T, ID]{Rhythm: Rhythm{Per: SortPer, AtOnce: 1}}
}

// Unranked says whether refresh has something to do.
func (r *Ranking[T, ID]) Unranked(version uint64, c Clock) bool {
	return r.Going && !r.Waits(c) || r.begins(version, c)
}

func (r *Ranking[T, ID]) begins(version uint64, c Clock) bool {
	return r.Force || !r.Going && r.Due(version, c)
}

// Waits says whether all is ranked, and the rows have to stay where they are.
func (r *Ranking[T, ID]) Waits(c Clock) bool {
	return r.Left() == 0 && len(r.pieces) == 0 && !r.forced && !c.Stands && c.Now.Before(r.NotBefore)
}

// Left is how many are still to be ranked.
func (r *Ranking[T, ID]) Left() int { return len(r.all) - r.scanned }

// Refresh goes on with what is due, and says whether that changed what is shown. rank
// gets what list has and its place there, and says whether it is to be shown; it counts
// in found what would be without a filter.
func (r *Ranking[T, ID]) Refresh(version uint64, c Clock, list func() []T, rank func(T, int) (Scored[ID], bool)) bool {
	if r.begins(version, c) {
		r.all = append(r.all[:0], list()...)
		r.Going, r.forced = true, r.Begin(version, c.Now, len(r.all))
		r.keys, r.pieces, r.next = slices.Grow(r.keys[:0], len(r.all)), r.pieces[:0], r.next[:0]
		r.scanned, r.Found = 0, 0
	}
	if r.Left() > 0 {
		if r.piece(rank); len(r.all) > RankPiece {
			return false
		}
	}
	r.merge()
	if len(r.pieces) > 0 || r.Waits(c) {
		return false
	}
	r.Going, r.Total = false, r.Found
	r.IDs, r.next = r.next, r.IDs
	clear(r.keys)
	clear(r.all)
	return true
}

// piece ranks the next ones.
func (r *Ranking[T, ID]) piece(rank func(T, int) (Scored[ID], bool)) {
	from := len(r.keys)
	for _, x := range r.all[r.scanned:min(r.scanned+RankPiece, len(r.all))] {
		if k, keep := rank(x, r.scanned); keep {
			r.keys = append(r.keys, k)
		}
		r.scanned++
	}
	piece := r.keys[from:]
	if len(piece) == 0 {
		return
	}
	slices.SortFunc(piece, Scored[ID].compare)
	r.pieces = append(r.pieces, piece)
	for i := len(r.pieces) - 1; i > 0 && r.less(i, (i-1)/2); i = (i - 1) / 2 {
		r.pieces[i], r.pieces[(i-1)/2] = r.pieces[(i-1)/2], r.pieces[i]
	}
}

func (r *Ranking[T, ID]) less(i, j int) bool { return r.pieces[i][0].compare(r.pieces[j][0]) < 0 }

// merge takes the next ones off the pieces, the first of all first.
func (r *Ranking[T, ID]) merge() {
	for i := 0; i < RankPiece && len(r.pieces) > 0; i++ {
		top := r.pieces[0]
		if len(r.pieces) == 1 { // of what fits into one piece that is all
			n := min(RankPiece-i, len(top))
			for j := range top[:n] {
				r.next = append(r.next, top[j].ID)
			}
			if r.pieces[0] = top[n:]; n == len(top) {
				r.pieces = r.pieces[:0]
			}
			return
		}
		r.next = append(r.next, top[0].ID)
		if r.pieces[0] = top[1:]; len(top) == 1 {
			last := len(r.pieces) - 1
			r.pieces[0], r.pieces[last] = r.pieces[last], nil
			r.pieces = r.pieces[:last]
		}
		r.sink()
	}
}

// sink puts the piece at the top of the heap where it belongs.
func (r *Ranking[T, ID]) sink() {
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

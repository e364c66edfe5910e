package model

import (
	"cmp"
	"slices"
	"strings"
)

// queue keeps claims in the order of their recipe, in chunks, so that inserting
// and removing anywhere costs O(√n) moves of pointers at most and the common
// cases (append at the end, remove the first) O(1). The zero value is empty.
type queue struct {
	chunks [][]*Claim
	n      int
	byMod  bool // ordered by mod revision, else by create revision
}

// chunkMin is for how many claims the first chunk of a queue has room: a lock that is
// worth a look has some.
const (
	chunkMin = 4
	chunkMax = 512
)

// before is the order of the queue: the revision that the recipe orders by, and
// the key where one transaction wrote several.
func (q *queue) before(a, b *Claim) bool { return q.compare(a, b) < 0 }

func (q *queue) compare(a, b *Claim) int {
	x, y := a.CreateRev, b.CreateRev
	if q.byMod {
		x, y = a.ModRev, b.ModRev
	}
	if c := cmp.Compare(x, y); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}

// reorder puts the same claims into the other order.
func (q *queue) reorder(byMod bool) {
	old := *q
	*q = queue{byMod: byMod}
	old.all(func(c *Claim) bool { q.insert(c); return true })
}

// chunkOf returns the chunk in which c is or belongs.
func (q *queue) chunkOf(c *Claim) int {
	lo, hi := 0, len(q.chunks)-1
	for lo < hi { // the last chunk whose first claim is not after c
		mid := (lo + hi + 1) / 2
		if q.before(c, q.chunks[mid][0]) {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	return lo
}

func (q *queue) insert(c *Claim) {
	q.n++
	if len(q.chunks) == 0 {
		q.chunks = append(q.chunks, append(make([]*Claim, 0, chunkMin), c))
		return
	}
	i := q.chunkOf(c)
	ch := q.chunks[i]
	if last := ch[len(ch)-1]; q.before(last, c) {
		ch = append(ch, c)
	} else {
		at, _ := slices.BinarySearchFunc(ch, c, q.compare)
		ch = slices.Insert(ch, at, c)
	}
	q.chunks[i] = ch
	if len(ch) > chunkMax {
		half := slices.Clone(ch[chunkMax/2:])
		clear(ch[chunkMax/2:])
		q.chunks[i] = ch[:chunkMax/2]
		q.chunks = slices.Insert(q.chunks, i+1, half)
	}
}

// remove takes c out and says whether it was there.
func (q *queue) remove(c *Claim) bool {
	if q.n == 0 {
		return false
	}
	i := q.chunkOf(c)
	ch := q.chunks[i]
	at, ok := slices.BinarySearchFunc(ch, c, q.compare)
	if !ok {
		return false
	}
	q.n--
	if at == 0 { // the usual case: the holder goes
		ch[0] = nil
		ch = ch[1:]
	} else {
		ch = slices.Delete(ch, at, at+1)
	}
	if len(ch) == 0 {
		q.chunks = slices.Delete(q.chunks, i, i+1)
	} else {
		q.chunks[i] = ch
	}
	return true
}

func (q *queue) first() *Claim {
	if q.n == 0 {
		return nil
	}
	return q.chunks[0][0]
}

// at returns the i-th claim, nil beyond the end.
func (q *queue) at(i int) *Claim {
	if i < 0 || i >= q.n {
		return nil
	}
	for _, ch := range q.chunks {
		if i < len(ch) {
			return ch[i]
		}
		i -= len(ch)
	}
	return nil
}

// rank returns the place of c, from 0, and -1 if it is not in the queue.
func (q *queue) rank(c *Claim) int {
	if q.n == 0 {
		return -1
	}
	ci := q.chunkOf(c)
	at, ok := slices.BinarySearchFunc(q.chunks[ci], c, q.compare)
	if !ok {
		return -1
	}
	for _, ch := range q.chunks[:ci] {
		at += len(ch)
	}
	return at
}

// prev returns the claim just ahead of c, nil if c is first or not in the queue.
func (q *queue) prev(c *Claim) *Claim {
	if q.n == 0 {
		return nil
	}
	ci := q.chunkOf(c)
	at, ok := slices.BinarySearchFunc(q.chunks[ci], c, q.compare)
	switch {
	case !ok:
		return nil
	case at > 0:
		return q.chunks[ci][at-1]
	case ci > 0:
		ch := q.chunks[ci-1]
		return ch[len(ch)-1]
	}
	return nil
}

// all yields the claims in order.
func (q *queue) all(yield func(*Claim) bool) {
	for _, ch := range q.chunks {
		for _, c := range ch {
			if !yield(c) {
				return
			}
		}
	}
}

// back yields the claims in order, the last one first.
func (q *queue) back(yield func(*Claim) bool) {
	for _, ch := range slices.Backward(q.chunks) {
		for _, c := range slices.Backward(ch) {
			if !yield(c) {
				return
			}
		}
	}
}

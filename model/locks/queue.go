package locks

import "slices"

// Queue keeps things in order, in chunks of at most chunkMax. No two of them are alike. To find a place takes
// O(log n) comparisons. To insert or remove there moves a part of one chunk at most, and nothing at the end or
// of the first; only where a chunk is cut in two or gets empty, the list of the chunks moves, too. Who counts
// ([Queue.At], [Queue.Rank], [Queue.Before]) walks over the chunks.
type Queue[E Item[E]] struct {
	chunks [][]E
	n      int
	second bool
}

// Item is what can stand in a queue: it has two orders, of which second is one.
type Item[E any] interface {
	Compare(with E, second bool) int
}

// newQueue returns an empty queue in the first or in the second order.
func newQueue[E Item[E]](second bool) Queue[E] { return Queue[E]{second: second} }

// chunkMin is for how many things the first chunk of a queue has room: a queue that is
// worth a look has some.
const (
	chunkMin = 4
	chunkMax = 512
)

// Len returns how many are in it.
func (q *Queue[E]) Len() int { return q.n }

// Second says whether it is in the second order.
func (q *Queue[E]) Second() bool { return q.second }

func (q *Queue[E]) compare(a, b E) int { return a.Compare(b, q.second) }

func (q *Queue[E]) before(a, b E) bool { return a.Compare(b, q.second) < 0 }

// Reorder puts the same things into the first or the second order.
func (q *Queue[E]) Reorder(second bool) {
	old := *q
	*q = newQueue[E](second)
	old.All(func(c E) bool { q.Insert(c); return true })
}

// chunkOf returns the chunk in which c is or belongs.
func (q *Queue[E]) chunkOf(c E) int {
	lo, hi := 0, len(q.chunks)-1
	for lo < hi { // the last chunk whose first one is not after c
		mid := (lo + hi + 1) / 2
		if q.before(c, q.chunks[mid][0]) {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	return lo
}

// Insert puts c where it belongs.
func (q *Queue[E]) Insert(c E) {
	q.n++
	if len(q.chunks) == 0 {
		q.chunks = append(q.chunks, append(make([]E, 0, chunkMin), c))
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

// Remove takes c out and says whether it was there.
func (q *Queue[E]) Remove(c E) bool {
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
		ch[0] = *new(E)
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

// First returns the first, the zero value if there is none.
func (q *Queue[E]) First() (c E) {
	if q.n == 0 {
		return c
	}
	return q.chunks[0][0]
}

// At returns the i-th, from 0, the zero value beyond the end.
func (q *Queue[E]) At(i int) (c E) {
	if i < 0 || i >= q.n {
		return c
	}
	for _, ch := range q.chunks {
		if i < len(ch) {
			return ch[i]
		}
		i -= len(ch)
	}
	return c
}

// Rank returns the place of c, from 0, and -1 if it is not in the queue.
func (q *Queue[E]) Rank(c E) int {
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

// Before returns how many stand before c, which need not be in the queue.
func (q *Queue[E]) Before(c E) (n int) {
	if q.n == 0 {
		return 0
	}
	ci := q.chunkOf(c)
	at, _ := slices.BinarySearchFunc(q.chunks[ci], c, q.compare)
	for _, ch := range q.chunks[:ci] {
		at += len(ch)
	}
	return at
}

// Prev returns what is just ahead of c, the zero value if c is first or not in the queue.
func (q *Queue[E]) Prev(c E) (ahead E) {
	if q.n == 0 {
		return ahead
	}
	ci := q.chunkOf(c)
	at, ok := slices.BinarySearchFunc(q.chunks[ci], c, q.compare)
	switch {
	case !ok:
		return ahead
	case at > 0:
		return q.chunks[ci][at-1]
	case ci > 0:
		ch := q.chunks[ci-1]
		return ch[len(ch)-1]
	}
	return ahead
}

// All yields them in order.
func (q *Queue[E]) All(yield func(E) bool) { q.From(0)(yield) }

// From yields them in order from the i-th on, from 0.
func (q *Queue[E]) From(i int) func(yield func(E) bool) {
	return func(yield func(E) bool) {
		skip := i
		for _, ch := range q.chunks {
			if skip >= len(ch) {
				skip -= len(ch)
				continue
			}
			for _, c := range ch[skip:] {
				if !yield(c) {
					return
				}
			}
			skip = 0
		}
	}
}

// Back yields them in order, the last one first.
func (q *Queue[E]) Back(yield func(E) bool) {
	for _, ch := range slices.Backward(q.chunks) {
		for _, c := range slices.Backward(ch) {
			if !yield(c) {
				return
			}
		}
	}
}

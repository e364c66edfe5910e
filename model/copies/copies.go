package copies

// Set has the copies of records of one type. The zero value has none.
type Set[T any] struct {
	all  map[*T]*T // by the record of which each is the copy
	open []*T      // they still point to what the first ones point to
	room []T       // for the next copies: one by one they cost more than the rest
}

// roomFor is for how many copies memory is taken at once.
const roomFor = 64

// Expect makes room for n copies.
func (s *Set[T]) Expect(n int) { s.all, s.open = make(map[*T]*T, n), make([]*T, 0, n) }

// Get returns the copy of a record, nil for nil.
func (s *Set[T]) Get(first *T) *T {
	if first == nil {
		return nil
	}
	if own := s.all[first]; own != nil {
		return own
	}
	if len(s.room) == 0 {
		s.room = make([]T, roomFor)
	}
	own := &s.room[0]
	s.room = s.room[1:]
	*own = *first
	if s.all == nil {
		s.all = map[*T]*T{}
	}
	s.all[first] = own
	s.open = append(s.open, own)
	return own
}

// List returns the copies of several records.
func (s *Set[T]) List(first []*T) []*T { return List(first, s.Get) }

// Complete has fix put copies in the place of what each copy points to, and says whether there was
// anything to do. That may ask for more copies, of this set and of others.
func (s *Set[T]) Complete(fix func(own *T)) bool {
	n := 0
	for ; len(s.open) > 0; n++ {
		own := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		fix(own)
	}
	return n > 0
}

// List returns a slice of copies, nil for nil.
func List[T any](first []T, get func(T) T) []T {
	if first == nil {
		return nil
	}
	own := make([]T, len(first))
	for i, x := range first {
		own[i] = get(x)
	}
	return own
}

// Keys returns a map with copies of the keys and with the same values, nil for nil.
func Keys[K comparable, V any](first map[K]V, get func(K) K) map[K]V {
	if first == nil {
		return nil
	}
	own := make(map[K]V, len(first))
	for k, v := range first {
		own[get(k)] = v
	}
	return own
}

// Values returns a map with the same keys and with copies of the values, nil for nil.
func Values[K comparable, V any](first map[K]V, get func(V) V) map[K]V {
	if first == nil {
		return nil
	}
	own := make(map[K]V, len(first))
	for k, v := range first {
		own[k] = get(v)
	}
	return own
}

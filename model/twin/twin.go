package twin

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Maker makes twins. What it learns of types it keeps, so one is made once. It is not safe for
// concurrent use.
type Maker struct {
	// Bytes is about how much memory the last twin took.
	Bytes int

	plans  map[reflect.Type]*plan
	shared map[reflect.Type]bool
	same   []unsafe.Pointer
	todo   []object
	maps   []object // fields that are maps
	late   bool     // it is their turn
	within int      // how many maps and interfaces one is in, of which the parts cannot wait
}

// object is one that was copied, and of which the parts have not been yet.
type object struct {
	p  *plan
	at unsafe.Pointer
}

// plan is how a type is copied: fix puts copies in the place of what a value points to. A
// type that points to nothing that changes has no fix.
type plan struct {
	t    reflect.Type
	size uintptr
	fix  func(at unsafe.Pointer)
	made table // the copies of objects of the type in this twin
	// instead returns what stands for an object, and is no copy, if it is not nil; copied is
	// told of each copy.
	instead func(from unsafe.Pointer) unsafe.Pointer
	copied  func(to unsafe.Pointer)
	slab    reflect.Value
	used    int // of the slab
}

// slabMax is how many objects of a type are made at once.
const slabMax = 512

// make returns a new object with the contents of another. Those of a type stand side by
// side: they live and die with their twin, and to make each by itself costs more than the rest.
func (p *plan) make(from unsafe.Pointer) unsafe.Pointer {
	if !p.slab.IsValid() || p.used == p.slab.Len() {
		n := min(slabMax, max(1, p.made.n/2))
		p.slab, p.used = reflect.MakeSlice(reflect.SliceOf(p.t), n, n), 0
	}
	to := p.slab.Index(p.used)
	p.used++
	to.Set(reflect.NewAt(p.t, from).Elem())
	return to.Addr().UnsafePointer()
}

// NewMaker returns a maker. Pointers to the types of shared stay as they are, and so do the
// pointers of same: all values point to these, and nobody writes to them. An [Appended] that
// is full is shared, too.
func NewMaker(shared []reflect.Type, same ...any) *Maker {
	m := &Maker{plans: map[reflect.Type]*plan{}, shared: map[reflect.Type]bool{}}
	for _, t := range shared {
		m.shared[t] = true
	}
	for _, p := range same {
		m.same = append(m.same, reflect.ValueOf(p).UnsafePointer())
	}
	return m
}

// Appended are bytes that are only ever appended to: once there is no room left they do not
// change, and twins share them. Before that a twin has as much room as the first.
type Appended []byte

// Instead says of the objects of a type which stand for them in a twin, where that is no copy:
// those must never change. nil asks for a copy, and copied is told of it; it is not whole yet.
func Instead[T any](m *Maker, of func(*T) *T, copied func(*T)) {
	p := m.plan(reflect.TypeFor[T]())
	p.instead = func(from unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(of((*T)(from))) }
	p.copied = func(to unsafe.Pointer) { copied((*T)(to)) }
}

// Of returns the twin of what v points to.
func Of[T any](m *Maker, v *T) *T {
	m.Bytes = 0
	defer m.forget()
	first := m.copy(m.plan(reflect.TypeFor[T]()), unsafe.Pointer(v))
	for len(m.todo)+len(m.maps) > 0 { // lists of their own: a long chain of pointers would overflow the stack
		next := &m.todo
		if len(m.todo) == 0 {
			next = &m.maps // last, since they go through memory in no order
		}
		o := (*next)[len(*next)-1]
		*next = (*next)[:len(*next)-1]
		m.late = next == &m.maps
		o.p.fix(o.at)
	}
	return (*T)(first)
}

// forget lets go of the twin that was made.
func (m *Maker) forget() {
	for _, p := range m.plans {
		p.made.reset()
		p.slab = reflect.Value{}
	}
}

// copy returns the copy of an object, of which the parts may be copied later.
func (m *Maker) copy(p *plan, from unsafe.Pointer) unsafe.Pointer {
	slot := p.made.find(from, p.size)
	if slot.from != nil {
		return slot.to
	}
	if slices.Contains(m.same, from) {
		return from
	}
	if p.instead != nil {
		if to := p.instead(from); to != nil {
			return to
		}
	}
	at := p.make(from)
	*slot = pair{from, at}
	if p.copied != nil {
		p.copied(at)
	}
	p.made.n++
	m.Bytes += int(p.size)
	if p.fix != nil {
		m.todo = append(m.todo, object{p, at})
	}
	return at
}

// table finds the copy of an object. The map of Go does, too, at several times the cost.
type table struct {
	pairs []pair // a power of two of them, or none
	n     int
	last  int // how many there were in the twin before
}

type pair struct{ from, to unsafe.Pointer }

// find returns the place of an object of a size, or an empty one for it. What is together on a
// page of memory is together here, since it is mostly asked for together.
func (t *table) find(from unsafe.Pointer, size uintptr) *pair {
	if t.n*2 >= len(t.pairs) {
		t.grow(size)
	}
	const spread, page = 0x9e3779b97f4a7c15, 4096 // odd, and with all bits mixed
	at := uintptr(from)
	mask := len(t.pairs) - 1
	for i := int(uint64(at/page)*spread>>32) + int(at%page/max(1, size)); ; i++ {
		if p := &t.pairs[i&mask]; p.from == from || p.from == nil {
			return p
		}
	}
}

func (t *table) grow(size uintptr) {
	old, n := t.pairs, 16
	for n < 4*max(t.n, t.last) {
		n *= 2
	}
	t.pairs = make([]pair, n)
	for _, p := range old {
		if p.from != nil {
			*t.find(p.from, size) = p
		}
	}
}

func (t *table) reset() { *t = table{last: t.n} }

func (m *Maker) plan(t reflect.Type) *plan {
	if p := m.plans[t]; p != nil {
		return p
	}
	p := &plan{t: t, size: t.Size()}
	m.plans[t] = p
	if !m.plain(t) {
		p.fix = m.fix(t)
	}
	return p
}

// plain says whether a copy of the bytes is a twin.
func (m *Maker) plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !m.plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return m.plain(t.Elem())
	case reflect.Pointer:
		return m.shared[t.Elem()]
	case reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	}
	return true
}

func (m *Maker) fix(t reflect.Type) func(at unsafe.Pointer) {
	switch t.Kind() {
	case reflect.Struct:
		return m.fixStruct(t)
	case reflect.Array:
		return m.fixArray(t)
	case reflect.Pointer:
		elem := m.plan(t.Elem())
		return func(at unsafe.Pointer) {
			if p := (*unsafe.Pointer)(at); *p != nil {
				*p = m.copy(elem, *p)
			}
		}
	case reflect.Slice:
		return m.fixSlice(t)
	case reflect.Map:
		return m.fixMap(t)
	case reflect.Interface:
		return func(at unsafe.Pointer) {
			v := reflect.NewAt(t, at).Elem()
			if !v.IsNil() {
				v.Set(m.value(v.Elem()))
			}
		}
	}
	panic(fmt.Sprintf("twin: a %v cannot be copied", t))
}

func (m *Maker) fixStruct(t reflect.Type) func(at unsafe.Pointer) {
	type field struct {
		offset uintptr
		p      *plan
	}
	var fields []field
	for i := range t.NumField() {
		if f := t.Field(i); !m.plain(f.Type) {
			fields = append(fields, field{f.Offset, m.plan(f.Type)})
		}
	}
	return func(at unsafe.Pointer) {
		for _, f := range fields {
			f.p.fix(unsafe.Add(at, f.offset))
		}
	}
}

func (m *Maker) fixArray(t reflect.Type) func(at unsafe.Pointer) {
	elem, n := m.plan(t.Elem()), t.Len()
	return func(at unsafe.Pointer) { elem.each(at, n) }
}

// each fixes elements that lie one behind the other.
func (p *plan) each(at unsafe.Pointer, n int) {
	if p.fix != nil {
		for i := range n {
			p.fix(unsafe.Add(at, uintptr(i)*p.size))
		}
	}
}

func (m *Maker) fixSlice(t reflect.Type) func(at unsafe.Pointer) {
	if t == reflect.TypeFor[Appended]() {
		return func(at unsafe.Pointer) {
			if s := (*Appended)(at); len(*s) < cap(*s) {
				*s = append(make(Appended, 0, cap(*s)), *s...)
				m.Bytes += cap(*s)
			}
		}
	}
	elem := m.plan(t.Elem())
	return func(at unsafe.Pointer) {
		old := reflect.NewAt(t, at).Elem()
		if old.IsNil() {
			return
		}
		n := old.Len()
		own := reflect.MakeSlice(t, n, n)
		reflect.Copy(own, old)
		m.Bytes += n * int(elem.size)
		old.Set(own)
		if n > 0 {
			elem.each(own.UnsafePointer(), n)
		}
	}
}

func (m *Maker) fixMap(t reflect.Type) func(at unsafe.Pointer) {
	key, elem := m.plan(t.Key()), m.plan(t.Elem())
	return func(at unsafe.Pointer) {
		old := reflect.NewAt(t, at).Elem()
		if old.IsNil() {
			return
		}
		if m.within == 0 && !m.late {
			m.maps = append(m.maps, object{m.plans[t], at})
			return
		}
		m.late = false
		m.within++
		own := reflect.MakeMapWithSize(t, old.Len())
		k, v := reflect.New(t.Key()), reflect.New(t.Elem())
		for it := old.MapRange(); it.Next(); {
			k.Elem().SetIterKey(it)
			v.Elem().SetIterValue(it)
			if key.fix != nil {
				key.fix(k.UnsafePointer())
			}
			if elem.fix != nil {
				elem.fix(v.UnsafePointer())
			}
			own.SetMapIndex(k.Elem(), v.Elem())
		}
		m.Bytes += old.Len() * int(key.size+elem.size+2)
		old.Set(own)
		m.within--
	}
}

// value returns the twin of what an interface holds.
func (m *Maker) value(v reflect.Value) reflect.Value {
	p := m.plan(v.Type())
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	if p.fix != nil {
		m.within++
		p.fix(own.UnsafePointer())
		m.within--
	}
	return own.Elem()
}

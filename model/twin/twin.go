package twin

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Maker makes images. What it learns of types it keeps, so one is made once. It is not safe for
// concurrent use; its images are.
type Maker struct {
	plans  map[reflect.Type]*plan
	all    []*plan // by their number
	always map[reflect.Type]bool
	same   []unsafe.Pointer

	// These stay as they are, of this image and of those before: the images share the list, too.
	shared []unsafe.Pointer
	stays  table
	asked  int // for how many in this image
	many   int // as many may be in the list in any case

	// These are what the image that is being made has so far.
	todo  []object
	later []object // maps: last, since they go through memory in no order
	taken []taken  // by the number of the plan
	maps  []mapping
	boxes []box
	text  []byte
	texts table

	room []byte // to pack in
}

// object is some objects of a type, one behind the other, of which the parts have not been
// looked at.
type object struct {
	p    *plan
	from unsafe.Pointer
	i, n int // the number of the first of them, and how many they are
	slot *slot
}

// taken is what was taken of a type.
type taken struct {
	stays func(unsafe.Pointer) bool // says whether an object stays as it is; nil: none does
	bytes []byte
	refs  []uint32
	n     int
	found table
}

// NewMaker returns a maker. Pointers to the types of shared stay as they are, and so do the
// pointers of same: all values point to these, and nobody writes to them. An [Appended] that
// is full is shared, too.
func NewMaker(shared []reflect.Type, same ...any) *Maker {
	m := &Maker{plans: map[reflect.Type]*plan{}, always: map[reflect.Type]bool{}, many: shareMany}
	for _, t := range shared {
		m.always[t] = true
	}
	for _, p := range same {
		m.same = append(m.same, reflect.ValueOf(p).UnsafePointer())
	}
	return m
}

// Appended are bytes that are only ever appended to: once there is no room left they do not
// change, and twins share them. Before that a twin has as much room as the first.
type Appended []byte

// Share says which objects of a type stay as they are: those must never change.
func Share[T any](m *Maker, stays func(*T) bool) {
	m.taken[m.plan(reflect.TypeFor[T]()).number].stays = func(at unsafe.Pointer) bool { return stays((*T)(at)) }
}

// Keep returns the image of what v points to.
func Keep[T any](m *Maker, v *T) *Image[T] {
	defer m.forget()
	m.begin()
	root := m.plan(reflect.TypeFor[T]())
	m.ref(root, unsafe.Pointer(v))
	for len(m.todo)+len(m.later) > 0 { // lists of their own: a long chain of pointers would overflow the stack
		next := &m.todo
		if len(m.todo) == 0 {
			next = &m.later
		}
		o := (*next)[len(*next)-1]
		*next = (*next)[:len(*next)-1]
		if o.slot != nil {
			m.takeMap(o)
			continue
		}
		m.take(o)
	}
	x := &Image[T]{m.image()}
	x.root = root.number
	return x
}

// shareMany is how many things are in a list of what stays before another one may be begun.
const shareMany = 1 << 16

// begin begins an image: with another list, if most of this one is nobody's any more.
func (m *Maker) begin() {
	if len(m.shared) > max(4*m.asked, m.many) {
		m.shared, m.stays = nil, table{}
	}
	m.asked = 0
}

// image returns what was taken.
func (m *Maker) image() image {
	x := image{text: pack(m.text, &m.room), shared: m.shared[:len(m.shared):len(m.shared)], maps: slices.Clone(m.maps), boxes: slices.Clone(m.boxes)}
	x.Bytes = len(x.text.bytes)
	for i := range m.taken {
		t := &m.taken[i]
		p := part{m.all[i], t.n, pack(t.bytes, &m.room), pack(bytesOf(t.refs), &m.room)}
		x.parts = append(x.parts, p)
		x.Bytes += len(p.bytes.bytes) + len(p.refs.bytes)
	}
	return x
}

// forget lets go of the image that was made, and keeps the room for the next.
func (m *Maker) forget() {
	m.maps, m.boxes, m.text = m.maps[:0], m.boxes[:0], m.text[:0]
	clear(m.todo[:cap(m.todo)])
	clear(m.later[:cap(m.later)])
	m.texts.reset()
	for i := range m.taken {
		t := &m.taken[i]
		t.bytes, t.refs, t.n = t.bytes[:0], t.refs[:0], 0
		t.found.reset()
	}
}

// add takes the bytes of objects in, and returns the number of the first.
func (m *Maker) add(p *plan, from unsafe.Pointer, n int) int {
	t := &m.taken[p.number]
	i := t.n
	if t.n += n; t.n >= isShared-1 {
		panic("twin: more objects of " + p.t.String() + " than can be counted")
	}
	if !p.bare() {
		t.bytes = append(t.bytes, unsafe.Slice((*byte)(from), uintptr(n)*p.size)...)
	}
	if len(p.slots) > 0 && n > 0 {
		t.refs = append(t.refs, make([]uint32, n*len(p.slots))...)
		m.todo = append(m.todo, object{p: p, from: from, i: i, n: n})
	}
	return i
}

// ref returns the number for a pointer, or one that says that it stays.
func (m *Maker) ref(p *plan, from unsafe.Pointer) uint32 {
	t := &m.taken[p.number]
	if t.stays != nil {
		if at := m.stays.find(uintptr(from), stayUnit); at.from != 0 {
			m.asked++
			return at.ref
		}
	}
	at := t.found.find(uintptr(from), p.size)
	if at.from == 0 {
		if slices.Contains(m.same, from) || t.stays != nil && t.stays(from) {
			return m.keep(from)
		}
		*at = pair{from: uintptr(from), ref: uint32(m.add(p, from, 1)) + 1}
		t.found.n++
	}
	return at.ref
}

// keep returns the number of a pointer that stays as it is.
func (m *Maker) keep(from unsafe.Pointer) uint32 {
	m.asked++
	at := m.stays.find(uintptr(from), stayUnit)
	if at.from == 0 {
		m.shared = append(m.shared, from)
		*at = pair{from: uintptr(from), ref: isShared | uint32(len(m.shared))}
		m.stays.n++
	}
	return at.ref
}

// string returns the number of a string. One that begins where another does is the same as far
// as it goes.
func (m *Maker) string(s string) uint32 {
	from := unsafe.Pointer(unsafe.StringData(s))
	at := m.texts.find(uintptr(from), textUnit)
	if at.from == 0 || at.n < len(s) {
		if at.from == 0 {
			m.texts.n++
		}
		if len(m.text)/textUnit >= isShared-1 {
			panic("twin: more text than can be counted")
		}
		*at = pair{from: uintptr(from), n: len(s), ref: uint32(len(m.text)/textUnit) + 1}
		m.text = append(m.text, s...)
		m.text = append(m.text, make([]byte, -len(m.text)&(textUnit-1))...)
	}
	return at.ref
}

// take takes in what objects point to, and puts numbers in the place of it.
func (m *Maker) take(o object) {
	for k := range o.n {
		for j := range o.p.slots {
			s := &o.p.slots[j]
			from := unsafe.Add(o.from, uintptr(k)*o.p.size+s.at)
			if *(*unsafe.Pointer)(from) == nil {
				continue
			}
			at := uintptr(o.i+k)*o.p.size + s.at // in the bytes, which may move
			ref := m.part(s, from)
			t := &m.taken[o.p.number]
			if !o.p.bare() {
				clear(t.bytes[at : at+s.pointers()*pointerSize])
			}
			t.refs[(o.i+k)*len(o.p.slots)+j] = ref
		}
	}
}

// part takes in what a slot points to, which is not nil.
func (m *Maker) part(s *slot, from unsafe.Pointer) uint32 {
	switch s.kind {
	case pointer:
		return m.ref(s.p, *(*unsafe.Pointer)(from))
	case sharing:
		return m.keep(*(*unsafe.Pointer)(from))
	case text:
		if t := *(*string)(from); t != "" {
			return m.string(t)
		}
		return 0
	case slice:
		of := *(*[]byte)(from) // the length is that of whatever it is
		return uint32(m.add(s.p, unsafe.Pointer(unsafe.SliceData(of)), len(of))) + 1
	case appended:
		of := *(*Appended)(from)
		if len(of) == cap(of) {
			return m.keep(unsafe.Pointer(unsafe.SliceData(of)))
		}
		return uint32(m.add(s.p, unsafe.Pointer(unsafe.SliceData(of)), cap(of))) + 1
	case mapped:
		m.maps = append(m.maps, mapping{})
		m.later = append(m.later, object{from: from, i: len(m.maps) - 1, slot: s})
		return uint32(len(m.maps))
	}
	v := reflect.NewAt(s.t, from).Elem().Elem()
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	p := m.plan(v.Type())
	m.boxes = append(m.boxes, box{p, m.add(p, own.UnsafePointer(), 1)})
	return uint32(len(m.boxes))
}

// takeMap takes a map in.
func (m *Maker) takeMap(o object) {
	v := reflect.NewAt(o.slot.t, o.from).Elem()
	n, i := v.Len(), 0
	keys, vals := reflect.MakeSlice(reflect.SliceOf(o.slot.p.t), n, n), reflect.MakeSlice(reflect.SliceOf(o.slot.val.t), n, n)
	for it := v.MapRange(); it.Next(); i++ {
		keys.Index(i).SetIterKey(it)
		vals.Index(i).SetIterValue(it)
	}
	m.maps[o.i] = mapping{o.slot, n, m.add(o.slot.p, keys.UnsafePointer(), n), m.add(o.slot.val, vals.UnsafePointer(), n)}
}

func (m *Maker) plan(t reflect.Type) *plan {
	if p := m.plans[t]; p != nil {
		return p
	}
	p := &plan{t: t, number: len(m.all), size: t.Size()}
	m.plans[t], m.all, m.taken = p, append(m.all, p), append(m.taken, taken{})
	m.look(p, t, 0)
	return p
}

// look finds the slots in a part of a type.
func (m *Maker) look(p *plan, t reflect.Type, at uintptr) {
	s := slot{at: at, t: t}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			m.look(p, t.Field(i).Type, at+t.Field(i).Offset)
		}
		return
	case reflect.Array:
		for i := range t.Len() {
			m.look(p, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
		return
	case reflect.Pointer:
		if s.kind = sharing; !m.always[t.Elem()] {
			s.kind, s.p = pointer, m.plan(t.Elem())
		}
	case reflect.String:
		s.kind = text
	case reflect.Slice:
		if s.kind = slice; t == reflect.TypeFor[Appended]() {
			s.kind = appended
		}
		s.p = m.plan(t.Elem())
	case reflect.Map:
		s.kind, s.p, s.val = mapped, m.plan(t.Key()), m.plan(t.Elem())
	case reflect.Interface:
		s.kind = boxed
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		panic(fmt.Sprintf("twin: a %v cannot be copied", t))
	default:
		return
	}
	p.slots = append(p.slots, s)
}

// table finds what was taken by its address. The map of Go does, too, at several times the cost.
type table struct {
	pairs []pair // a power of two of them, or none
	n     int
}

type pair struct {
	from uintptr // it is alive elsewhere
	n    int
	ref  uint32
}

// find returns the place of an object of a size, or an empty one for it. What is together on a
// page of memory is together here, since it is mostly asked for together.
func (t *table) find(at uintptr, size uintptr) *pair {
	if t.n*2 >= len(t.pairs) {
		t.grow(size)
	}
	const spread, page = 0x9e3779b97f4a7c15, 4096 // odd, and with all bits mixed
	mask := len(t.pairs) - 1
	for i := int(uint64(at/page)*spread>>32) + int(at%page/max(1, size)); ; i++ {
		if p := &t.pairs[i&mask]; p.from == at || p.from == 0 {
			return p
		}
	}
}

func (t *table) grow(size uintptr) {
	old := t.pairs
	t.pairs = make([]pair, max(16, 4*t.n))
	for _, p := range old {
		if p.from != 0 {
			*t.find(p.from, size) = p
		}
	}
}

// reset forgets all, and keeps the room.
func (t *table) reset() {
	clear(t.pairs)
	t.n = 0
}

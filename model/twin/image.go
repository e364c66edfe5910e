package twin

import (
	"reflect"
	"unsafe"
)

// Image is a value as it was, of which any number of new ones can be made, by several at once.
type Image[T any] struct{ image }

type image struct {
	// Bytes is about how much memory it takes.
	Bytes int

	root   int    // the part that has it
	parts  []part // by the number of the plan
	text   packed
	shared []unsafe.Pointer
	maps   []mapping
	boxes  []box
}

// part is all objects of a type.
type part struct {
	*plan
	n     int
	bytes packed
	refs  packed // of numbers
}

// fresh is a value that is being made: the objects of each type stand side by side, since they
// live and die together, and to make each by itself costs more than the rest.
type fresh struct {
	*image
	text    []byte
	objects []reflect.Value  // slices of them
	at      []unsafe.Pointer // the first of each
	maps    []reflect.Value
	boxes   []reflect.Value // interfaces
}

// New returns a new value.
func (x *Image[T]) New() *T {
	f := fresh{image: &x.image, objects: make([]reflect.Value, len(x.parts)), at: make([]unsafe.Pointer, len(x.parts)),
		maps: make([]reflect.Value, len(x.maps)), boxes: make([]reflect.Value, len(x.boxes)), text: make([]byte, x.text.size)}
	x.text.unpack(f.text)
	var most int
	for i := range x.parts {
		most = max(most, x.parts[i].bytes.size, x.parts[i].refs.size)
	}
	refs := make([]uint32, (most+3)/4)
	room := bytesOf(refs) // nothing is unpacked into objects: what is there for a moment might look like a pointer
	for i := range x.parts {
		p := &x.parts[i]
		f.objects[i] = reflect.MakeSlice(reflect.SliceOf(p.t), p.n, p.n)
		f.at[i] = f.objects[i].UnsafePointer()
		p.bytes.unpack(room)
		copy(unsafe.Slice((*byte)(f.at[i]), p.bytes.size), room) // the places of pointers are empty
	}
	for i, o := range x.maps {
		f.maps[i] = reflect.MakeMapWithSize(o.t, o.n)
	}
	for i := range x.parts {
		x.parts[i].refs.unpack(room)
		f.fix(&x.parts[i], f.at[i], refs)
	}
	for i := len(x.boxes) - 1; i >= 0; i-- { // one that is in another was found later
		f.boxes[i].Set(f.objects[x.boxes[i].p.number].Index(x.boxes[i].i))
	}
	for i, o := range x.maps {
		keys, vals := f.objects[o.p.number], f.objects[o.val.number]
		for j := range o.n {
			f.maps[i].SetMapIndex(keys.Index(o.keys+j), vals.Index(o.vals+j))
		}
	}
	return (*T)(f.at[x.root])
}

// fix puts pointers in the place of numbers.
func (f *fresh) fix(p *part, at unsafe.Pointer, all []uint32) {
	if len(p.slots) == 0 {
		return
	}
	for i := range p.n {
		refs := all[i*len(p.slots):][:len(p.slots)]
		for j, ref := range refs {
			if ref != 0 {
				s := &p.slots[j]
				f.put(s, unsafe.Add(at, uintptr(i)*p.size+s.at), ref)
			}
		}
	}
}

// put puts a pointer in its place.
func (f *fresh) put(s *slot, at unsafe.Pointer, ref uint32) {
	to := (*unsafe.Pointer)(at)
	switch {
	case ref&isShared != 0 && s.kind != text:
		*to = f.shared[ref&^isShared-1]
	case s.kind == pointer:
		*to = unsafe.Add(f.at[s.p.number], uintptr(ref-1)*s.p.size)
	case s.kind == text:
		*to = unsafe.Pointer(&f.text[int(ref-1)*textUnit])
	case s.kind == slice:
		n := *(*int)(unsafe.Add(at, pointerSize))
		*(*int)(unsafe.Add(at, 2*pointerSize)) = n // no more room than that
		if *to = f.at[s.p.number]; n > 0 {
			*to = unsafe.Add(*to, uintptr(ref-1)*s.p.size)
		}
	case s.kind == appended:
		*to = unsafe.Add(f.at[s.p.number], uintptr(ref-1)*s.p.size)
	case s.kind == mapped:
		*to = f.maps[ref-1].UnsafePointer()
	case s.kind == boxed:
		f.boxes[ref-1] = reflect.NewAt(s.t, at).Elem()
	}
}

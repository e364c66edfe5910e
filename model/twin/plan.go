package twin

import (
	"reflect"
	"unsafe"
)

// plan is how objects of a type are kept: their bytes, and for each of the slots, which are
// the places of pointers, a number.
type plan struct {
	t      reflect.Type
	number int
	size   uintptr
	slots  []slot
}

// bare says whether an object is nothing but a pointer: there are no bytes to keep.
func (p *plan) bare() bool { return p.size == pointerSize && len(p.slots) == 1 }

// slot is the place of a pointer in an object.
type slot struct {
	kind
	at  uintptr
	t   reflect.Type
	p   *plan // of what it points to, of the keys of a map
	val *plan // of the values of a map
}

// kind is what a slot is. The number of a pointer says which object it is of its type, that of a
// slice which one is its first, that of a string where it begins; 0 is nil.
type kind uint8

const (
	pointer kind = iota
	sharing
	text
	slice
	appended
	mapped
	boxed
)

// pointers is how many pointers are in a slot, one behind the other.
func (s *slot) pointers() uintptr {
	if s.kind == boxed {
		return 2
	}
	return 1
}

const (
	// isShared is in the number of a pointer that stays as it is.
	isShared = 1 << 31
	// stayUnit is about how large is what stays.
	stayUnit = 64
	// textUnit is of what the number of a string counts.
	textUnit = 8
)

// mapping is a map: its keys and values are objects, one behind the other.
type mapping struct {
	*slot
	n, keys, vals int
}

// box is what an interface holds: the object of that number.
type box struct {
	p *plan
	i int
}

const pointerSize = unsafe.Sizeof(uintptr(0))

package recipe

import "strings"

// Key is one key as a recipe looks at it. Nobody keeps or changes one that is shown to
// him, so a caller can use the same again.
type Key struct {
	Name, Value string // raw bytes
	// Lease is that of the last put, 0 for none; Version counts the puts.
	Lease, Version int64
	// Unread: its value was not seen. Then Value is empty, and says nothing.
	Unread bool
	slash  int // the place of the last one in Name, -1 for none
}

// NewKey is a key with that name, value, lease and version.
func NewKey(name, value string, lease, version int64) Key {
	return Key{Name: name, Value: value, Lease: lease, Version: version, slash: strings.LastIndexByte(name, '/')}
}

// Below says whether the key stands below anything: no queue can contain one without a
// slash.
func (k *Key) Below() bool { return k.slash >= 0 }

// Dir returns the name up to the last slash.
func (k *Key) Dir() string { return k.Name[:max(0, k.slash)] }

// Last returns the last segment of the name.
func (k *Key) Last() string { return k.Name[k.slash+1:] }

// Form is how one key is made: what its name, its value and its lease say, without a
// look at any other key.
type Form struct {
	// Shape is what a key of this form makes of the lock.
	Shape Shape
	// Segment is the segment between the lock's name and the key's own, empty for none.
	Segment string
	// Fits says whether a key, standing where Segment says, has the form. It is nil for a
	// form that only a recipe or a pin gives.
	Fits func(k *Key) bool
	// Named, for keys whose lock is not the directory in which they stand, returns its name,
	// empty for a key that has not the form.
	Named func(k *Key) string
	// ByLease: such a key is named by its lease, so it has one and is nobody else's.
	ByLease bool
	// ServerLease is the TTL in seconds that the server's lock service grants to callers
	// that bring no lease; nobody renews it. 0 where there is no such service.
	ServerLease int64

	id FormID
}

// FormID stands for a form: every claim has one, so it is small. The zero value is no form:
// the key counts for queues above it, and is nothing by itself.
type FormID uint8

// maxForms bounds how many forms there are: a lock counts its claims by form.
const maxForms = 12

// Form returns the form, one without a shape for the zero value.
func (f FormID) Form() *Form { return forms[f] }

// Shape is what a key of the form makes of the lock.
func (f FormID) Shape() Shape { return forms[f].Shape }

// Claims says whether a key of the form competes for something.
func (f FormID) Claims() bool { return f.Shape() > Group }

// FormSet is a set of forms.
type FormSet uint16

// Has says whether the form is in the set.
func (s FormSet) Has(f FormID) bool { return s>>f&1 != 0 }

func setOf(forms ...*Form) (s FormSet) {
	for _, f := range forms {
		s |= 1 << f.id
	}
	return s
}

// Tally is what the claims of one lock come to.
type Tally struct {
	// Forms counts the claims of each form, Valued those of them that carry a value.
	Forms, Valued [maxForms]int32
}

// Count adds n claims of a form.
func (t *Tally) Count(f FormID, valued bool, n int32) {
	t.Forms[f] += n
	if valued {
		t.Valued[f] += n
	}
}

// AnyValued says whether any of the claims carries a value.
func (t *Tally) AnyValued() bool { return t.in(t.Kind(), &t.Valued) > 0 }

// Claims returns how many keys are claims of a lock of that shape. Keys of different kinds
// under one name do not compete with each other: those of the first kind that is there do,
// and the others are foreign to them.
func (t *Tally) Claims(s Shape) int32 {
	if s == Queue {
		return t.in(t.Kind(), &t.Forms)
	}
	n := int32(0)
	for f := range forms {
		if forms[f].Shape == s {
			n += t.Forms[f]
		}
	}
	return n
}

// Kind returns the forms of the keys that make the queue.
func (t *Tally) Kind() FormSet {
	for _, kind := range kinds {
		if t.in(kind, &t.Forms) > 0 {
			return kind
		}
	}
	return AnyForm
}

// ByLease returns how many of the claims of a kind are named by their lease.
func (t *Tally) ByLease(kind FormSet) (n int32) {
	for f := range forms {
		if forms[f].ByLease && kind.Has(FormID(f)) {
			n += t.Forms[f]
		}
	}
	return n
}

// Own returns how many of the claims are of a kind.
func (t *Tally) Own(kind FormSet) int32 { return t.in(kind, &t.Forms) }

func (t *Tally) in(set FormSet, counts *[maxForms]int32) (n int32) {
	for f, c := range counts {
		if c != 0 && set.Has(FormID(f)) {
			n += c
		}
	}
	return n
}

// AnyForm are all forms.
const AnyForm = ^FormSet(0)

// What the table comes to.
var (
	forms      = [maxForms]*Form{{}} // by id; the first is none
	queueForms []*Form               // those that a key has by itself, the surest first
	kinds      []FormSet             // of the forms that compete with each other, the surest first
	ignored    []func(k *Key) bool
	owners     []func(value string) (who, source string)
	besides    []string
)

// Shape is what keys make together.
type Shape uint8

// Shapes, the weakest first.
const (
	NoShape Shape = iota
	Group         // leased keys side by side, of which nothing is said but their order
	Single        // the key itself is the lock, and its waiters leave no key
	Queue         // each claim is a key below the lock's name, and all keys below it count
)

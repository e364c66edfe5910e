package recipe

import "strings"

// Key is one key as a recipe looks at it. Nobody keeps or changes one that is shown to
// him, so a caller can use the same again.
type Key struct {
	Name, Value string // raw bytes
	// Lease is that of the last put, 0 for none; Version counts the puts.
	Lease, Version int64
	slash          int // the place of the last one in Name, -1 for none
}

// NewKey is a key with that name, value, lease and version.
func NewKey(name, value string, lease, version int64) Key {
	return Key{name, value, lease, version, strings.LastIndexByte(name, '/')}
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
	// Under is the segment between the lock's name and the key's own, empty for none.
	Under string
	// Fits says whether a key, standing where Under says, has the form. It is nil for a
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

// MaxForms bounds how many forms there are: a lock counts its claims by form.
const MaxForms = 12

// Of returns the form, one without a shape for the zero value.
func (f FormID) Of() *Form { return forms[f] }

// Shape is what a key of the form makes of the lock.
func (f FormID) Shape() Shape { return forms[f].Shape }

// Claims says whether a key of the form competes for something.
func (f FormID) Claims() bool { return f.Shape() > Group }

// Place returns the lock that a key competes for, and by which form; the zero form
// says that it competes for none.
func Place(k *Key) (lock string, f FormID) {
	if isKubeLease(k) {
		return k.Name, alone.id
	}
	for _, ignores := range ignored {
		if ignores(k) {
			return "", 0
		}
	}
	if lock, f = queuePlace(k); f != 0 || k.Lease == 0 {
		return lock, f
	}
	if TellKey(k).Sign != nil {
		return k.Name, alone.id
	}
	if !k.Below() {
		return "", 0
	}
	return k.Dir(), leased.id
}

// queuePlace finds the forms in which a claim is a key below the lock's name.
func queuePlace(k *Key) (lock string, f FormID) {
	if !k.Below() {
		return "", 0
	}
	for _, form := range queueForms {
		switch {
		case form.Named != nil:
			if name := form.Named(k); name != "" {
				return name, form.id
			}
			continue
		case form.Under == "":
			if form.Fits(k) {
				return k.Dir(), form.id
			}
			continue
		}
		if name, ok := strings.CutSuffix(k.Dir(), form.Under); ok && strings.HasSuffix(name, "/") && form.Fits(k) {
			return name[:len(name)-1], form.id
		}
	}
	return "", 0
}

// Place is the place of a key that is said to be of the recipe.
func (r *Recipe) Place(k *Key) (lock string, f FormID) {
	switch {
	case r.Shape == Single:
		return k.Name, alone.id
	case !k.Below(), r.Shape == Group && k.Lease == 0:
		return "", 0
	case r.Shape == Group:
		return k.Dir(), leased.id
	}
	if lock, f = queuePlace(k); f != 0 {
		return lock, f
	}
	return k.Dir(), member.id
}

// PlaceUnread is [Place] for a key whose value was not read; told is the recipe if the
// key is a lock by itself.
func PlaceUnread(k *Key) (lock string, f FormID, told Told) {
	lock, f = Place(k)
	switch f {
	case alone.id:
		told = TellKey(k)
	case leased.id:
		if told = tellKey(k, ValuesUnread, nil); told.Sign != nil {
			lock, f = k.Name, alone.id
		} else if strings.HasPrefix(k.Name, "/registry/") { // of Kubernetes, as far as one can tell without the value
			lock, f = "", 0
		}
	}
	return lock, f, told
}

// IsUnder says whether a segment of that name stands between a lock and its claims in
// some recipe.
func IsUnder(segment string) bool {
	for _, f := range queueForms {
		if f.Under == segment && segment != "" {
			return true
		}
	}
	return false
}

// IsBeside says whether a key is named as one that stands beside a lock and says who
// holds it.
func IsBeside(key string) bool {
	for _, end := range besides {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}

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
	Forms, Valued [MaxForms]int32
}

// Count adds n claims of a form.
func (t *Tally) Count(f FormID, valued bool, n int32) {
	t.Forms[f] += n
	if valued {
		t.Valued[f] += n
	}
}

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

func (t *Tally) in(set FormSet, of *[MaxForms]int32) (n int32) {
	for f, c := range of {
		if c != 0 && set.Has(FormID(f)) {
			n += c
		}
	}
	return n
}

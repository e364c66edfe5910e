package recording

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"locktop/model"
)

// Mask replaces what must not be told. The same always gets the same replacement, so that
// what belongs together still does. The zero value replaces nothing.
type Mask struct {
	// Values replaces the values of keys with "hidden-1" and so on, or with nothing if Drop.
	Values, Drop bool
	// Names replaces the names of locks, keys, clients and members, and all free text. Of a
	// path stays how it is cut, and what the rules of the recipes go by: the ids of leases,
	// numbers, and words such as "locks".
	Names bool

	known map[digest]string // what has a number
	count map[string]int
	key   []byte // of the digests
}

// digest stands for what is replaced, and its kind: values may be large, and many.
type digest [16]byte

// knownMax bounds how many replacements have a number. Later ones are told by their digest,
// whose key is drawn at random and kept nowhere.
const knownMax = 100_000

// Event returns the event with the replacements. Others may have the event too: theirs
// stays as it is.
func (m *Mask) Event(e model.Event) model.Event {
	if !m.Values && !m.Drop && !m.Names {
		return e
	}
	if c, ok := e.(model.Committed); ok && !m.Names && !slices.ContainsFunc(c.Changes, func(x model.Change) bool { return x.KV.Value != "" }) {
		return e // the most frequent of all, and in many programs keys have no values
	}
	if p, ok := e.(model.Printed); ok { // there may be anything in it
		p.Left, p.Lines = p.Left+len(p.Lines), nil
		e = p
	}
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	m.walk(v, "")
	return v.Interface().(model.Event)
}

// Fields by what is in them. A field of text that none of these names is free text.
var (
	pathFields = map[string]bool{"Key": true, "Lock": true, "Prefix": true, "Prefixes": true}
	keptFields = map[string]bool{"Recipe": true, "Version": true, "Method": true, "Alarms": true, "Why": true, "Word": true}
)

func (m *Mask) walk(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Struct:
		if kv, ok := v.Addr().Interface().(*model.KV); ok && m.Drop && kv.Value != "" {
			kv.Unread = true // or it would seem to have none
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				m.walk(f, v.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		if v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			v.Set(own)
		}
		for i := range v.Len() {
			m.walk(v.Index(i), field)
		}
	case reflect.Interface: // what a message speaks of
		if !v.IsNil() {
			own := reflect.New(v.Elem().Type()).Elem()
			own.Set(v.Elem())
			m.walk(own, field)
			v.Set(own)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.Len() > 0 {
			v.SetString(m.text(field, v.String()))
		}
	}
}

func (m *Mask) text(field, s string) string {
	switch {
	case field == "Value" && m.Drop:
		return ""
	case field == "Value" && (m.Values || m.Names):
		return m.replacement("hidden-", s)
	case !m.Names || keptFields[field]:
		return s
	case pathFields[field]:
		return m.Path(s)
	}
	return m.replacement("name-", s)
}

// replacement is the same for the same.
func (m *Mask) replacement(kind, s string) string {
	if m.known == nil {
		m.known, m.count, m.key = map[digest]string{}, map[string]int{}, make([]byte, sha256.Size)
		rand.Read(m.key) // it never fails
	}
	mac := hmac.New(sha256.New, m.key)
	io.WriteString(mac, kind+"\x00"+s)
	d := digest(mac.Sum(nil))
	if r, ok := m.known[d]; ok {
		return r
	}
	if len(m.known) >= knownMax {
		return kind + "x" + hex.EncodeToString(d[:])
	}
	m.count[kind]++
	r := kind + strconv.Itoa(m.count[kind])
	m.known[d] = r
	return r
}

// Path replaces the segments of a path, such as the name of a lock, one by one.
func (m *Mask) Path(s string) string {
	parts := strings.Split(s, "/")
	for i, p := range parts {
		if p != "" && !ruled(p) {
			parts[i] = m.replacement("n", p)
		}
	}
	return strings.Join(parts, "/")
}

// ruled says whether the rules of recipes go by a segment: an id or a number, which names
// nobody, or one of their words.
func ruled(p string) bool {
	if words[strings.ToLower(p)] {
		return true
	}
	const digits = "0123456789"
	return strings.Trim(p, digits+"abcdef-") == "" && strings.ContainsAny(p, digits)
}

var words = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`lock locks _locks mutex mutexes election elections leader leaders owner _ld sentinel-leader
		read write waiters members keys queue registry`) {
		all[w] = true
	}
	return all
}()

// PathsWhole says why names cannot be masked where only these prefixes are watched, nil if
// they can be: a prefix that ends within a segment has no masked form.
func PathsWhole(prefixes []string) error {
	for _, p := range prefixes {
		if p != "" && !strings.HasSuffix(p, "/") {
			return fmt.Errorf("names cannot be masked under the prefix %q, which does not end with a slash", p)
		}
	}
	return nil
}

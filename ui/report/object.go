package report

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"locktop/ui/fields"
)

// object are the fields of an R in JSON, in the order of their table.
type object[R any] []member[R]

type member[R any] struct {
	fields.Field[R]
	value func(*stream, R) // nil: the field says how it is written
}

// objectOf are the fields of a table that JSON has, with what writes the values of those that
// do not say by [fields.JSON] how they are written.
func objectOf[R any](all []fields.Field[R], values map[string]func(*stream, R)) object[R] {
	var o object[R]
	for _, f := range fields.Object(all) {
		value := values[f.Name]
		if (value == nil) == (f.JSON == fields.ByHand) {
			panic(fmt.Sprintf("%s is to be written in one way", f.Name))
		}
		o = append(o, member[R]{f, value})
	}
	return o
}

// write writes an object.
func (all object[R]) write(o *stream, x R) {
	o.token(jsontext.BeginObject)
	all.members(o, x)
	o.token(jsontext.EndObject)
}

// members writes the fields into the object that is open.
func (all object[R]) members(o *stream, x R) {
	for i := range all {
		m := &all[i]
		o.name(m.Name)
		if m.value != nil {
			m.value(o, x)
			continue
		}
		switch v := m.ForJSON(x); {
		case m.JSON == fields.Bytes:
			o.bytes(m.Name, v)
		case v == "":
			o.null()
		case m.JSON == fields.Bare:
			o.b = append(o.b[:0], v...)
			o.raw(o.b)
		default:
			o.text(v)
		}
	}
}

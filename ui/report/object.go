package report

import "locktop/ui/fields"

// object are the fields of an R in JSON that the table of fields says how to write, in
// their order.
type object[R any] []member[R]

type member[R any] struct {
	field        fields.Field[R]
	name, base64 string // as JSON has them
	hand         func(*stream, R)
}

// objectOf are the fields of a table, with what writes those that are written by hand; of
// these the others are left to the caller, who writes them before.
func objectOf[R any](all []fields.Field[R], hand map[string]func(*stream, R)) object[R] {
	var o object[R]
	for _, f := range fields.Object(all) {
		if by := hand[f.Name]; by != nil || f.JSON != fields.ByHand {
			o = append(o, member[R]{f, `"` + f.Name + `": `, `"` + f.Name + `_base64": `, by})
		}
	}
	return o
}

// write writes the fields into the object that is open.
func (all object[R]) write(o *stream, x R) {
	for i := range all {
		m := &all[i]
		if m.hand != nil {
			o.name(m.name)
			m.hand(o, x)
			continue
		}
		v := m.field.ForJSON(x)
		if m.field.JSON == fields.Bytes {
			o.bytes(m.name, m.base64, v)
			continue
		}
		o.name(m.name)
		switch {
		case v == "":
			o.null()
		case m.field.JSON == fields.Bare:
			o.b = append(o.b, v...)
		default:
			o.text(v)
		}
	}
}

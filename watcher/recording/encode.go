package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/model"
)

// encoder writes events. Times are those of its clock, nil: as they are.
type encoder struct{ clock func(time.Time) time.Time }

// when is the time of an event that is written.
func (x encoder) when(at time.Time) time.Time {
	if x.clock == nil || at.IsZero() {
		return at
	}
	return x.clock(at)
}

func (x encoder) appendEvent(out []byte, batch int64, e model.Event) ([]byte, error) {
	v := reflect.ValueOf(e)
	if !v.IsValid() || eventNames[v.Type()] == "" {
		return out, fmt.Errorf("record an event: no name for type %T", e)
	}
	name := eventNames[v.Type()]
	out = strconv.AppendInt(append(out, `{"batch":`...), batch, 10)
	out = append(append(append(out, `,"event":"`...), name...), '"')
	out = x.appendFields(out, v, shapes[name], true)
	return append(out, "}\n"...), nil
}

// appendFields writes the fields of a struct that are not zero, each behind a comma, or all but
// the first if nothing comes before.
func (x encoder) appendFields(out []byte, v reflect.Value, s *shape, more bool) []byte {
	for i := range s.fields {
		f := v.Field(s.fields[i].index)
		if f.IsZero() {
			continue
		}
		if more {
			out = append(out, ',')
		}
		more = true
		out = append(append(append(out, '"'), s.fields[i].name...), `":`...)
		out = x.appendValue(out, f, s.fields[i].shape)
	}
	return out
}

func (x encoder) appendValue(out []byte, v reflect.Value, s *shape) []byte {
	switch s.kind {
	case aTime:
		return x.when(v.Interface().(time.Time)).UTC().AppendFormat(out, `"`+time.RFC3339Nano+`"`)
	case aLease:
		return strconv.AppendQuote(out, model.LeaseID(v.Int()).String())
	case aMessage:
		return appendMessage(out, v.Interface().(model.Message))
	case aStruct:
		return append(x.appendFields(append(out, '{'), v, s, false), '}')
	case aList:
		out = append(out, '[')
		for i := range v.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = x.appendValue(out, v.Index(i), s.elem)
		}
		return append(out, ']')
	case aText:
		return appendText(out, v.String())
	}
	return appendNumber(out, v)
}

// appendMessage writes a message. What somebody else said is a string.
func appendMessage(out []byte, m model.Message) []byte {
	if words, is := m.Quoted(); is {
		return appendText(out, words)
	}
	out = appendText(append(out, `{"say":`...), string(m.ID))
	if m.Args != nil {
		out = append(out, `,"args":[`...)
	}
	for i, arg := range m.Args {
		if i > 0 {
			out = append(out, ',')
		}
		switch arg := arg.(type) {
		case model.Message:
			out = appendMessage(out, arg)
		case int64:
			out = strconv.AppendInt(out, arg, 10)
		case string:
			out = appendText(out, arg)
		default: // events hold no other
			out = appendText(out, fmt.Sprint(arg))
		}
	}
	if m.Args != nil {
		out = append(out, ']')
	}
	return append(out, '}')
}

// appendNumber writes what is left of the kinds that events are made of.
func appendNumber(out []byte, v reflect.Value) []byte {
	switch {
	case v.CanInt():
		return strconv.AppendInt(out, v.Int(), 10)
	case v.CanUint():
		return strconv.AppendUint(out, v.Uint(), 10)
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(out, v.Bool())
	}
	panic("a recording cannot hold a " + v.Type().String())
}

func appendText(out []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return fmt.Appendf(out, `{"base64":%q}`, base64.StdEncoding.EncodeToString([]byte(s)))
	}
	if plain(s) {
		return append(append(append(out, '"'), s...), '"')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can always be written
	}
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// plain says whether a string stands in JSON as it is, as nearly every key does.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// wireName is the name of a field in a recording: CreateRev is createRev, KVs is kvs.
func wireName(field string) string {
	if len(field) > 1 && field[1] >= 'A' && field[1] <= 'Z' {
		return strings.ToLower(field)
	}
	return strings.ToLower(field[:1]) + field[1:]
}

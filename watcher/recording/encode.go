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

func appendEvent(out []byte, batch int64, e model.Event) ([]byte, error) {
	v := reflect.ValueOf(e)
	if !v.IsValid() || eventNames[v.Type()] == "" {
		return out, fmt.Errorf("record an event: no name for type %T", e)
	}
	out = fmt.Appendf(out, `{"batch":%d,"event":%q`, batch, eventNames[v.Type()])
	out = appendFields(out, v)
	return append(out, "}\n"...), nil
}

// appendFields writes the fields of a struct that are not zero, each behind a comma.
func appendFields(out []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			out = append(out, ',')
			out = strconv.AppendQuote(out, wireName(v.Type().Field(i).Name))
			out = appendValue(append(out, ':'), f)
		}
	}
	return out
}

func appendValue(out []byte, v reflect.Value) []byte {
	switch x := v.Interface().(type) {
	case time.Time:
		return x.UTC().AppendFormat(out, `"`+time.RFC3339Nano+`"`)
	case model.LeaseID:
		return strconv.AppendQuote(out, x.String())
	}
	switch v.Kind() {
	case reflect.Struct:
		fields := appendFields(nil, v)
		return append(append(append(out, '{'), bytes.TrimPrefix(fields, []byte(","))...), '}')
	case reflect.Slice:
		out = append(out, '[')
		for i := range v.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, v.Index(i))
		}
		return append(out, ']')
	case reflect.String:
		return appendText(out, v.String())
	}
	return appendNumber(out, v)
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can always be written
	}
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// wireName is the name of a field in a recording: CreateRev is createRev, KVs is kvs.
func wireName(field string) string {
	if len(field) > 1 && field[1] >= 'A' && field[1] <= 'Z' {
		return strings.ToLower(field)
	}
	return strings.ToLower(field[:1]) + field[1:]
}

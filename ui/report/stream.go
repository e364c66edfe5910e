package report

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"locktop/model"
)

// stream writes JSON value by value, so that a document takes the memory of one value: one
// of 100,000 claims has 70 MB. The first error stays, and nothing is written after it.
type stream struct {
	out *bufio.Writer
	enc *jsontext.Encoder
	err error

	when time.Time // written last: claims of one list have the same
	at   []byte    // of when, as JSON
	b    []byte    // of the number or the lease that is written
}

// newStream writes to w on one line per value, or with two blanks for each level.
func newStream(w io.Writer, indent bool) *stream {
	out := bufio.NewWriterSize(w, 64<<10)
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)} // names are those of tables; escapes stay
	if indent {
		options = append(options, jsontext.WithIndent("  "))
	}
	return &stream{out: out, enc: jsontext.NewEncoder(out, options...)}
}

// end says what went wrong since the start.
func (o *stream) end() error {
	if o.err == nil {
		o.err = o.out.Flush()
	}
	if o.err != nil {
		return fmt.Errorf("writing JSON: %w", o.err)
	}
	return nil
}

func (o *stream) token(t jsontext.Token) {
	if o.err == nil {
		o.err = o.enc.WriteToken(t)
	}
}

func (o *stream) raw(js []byte) {
	if o.err == nil {
		o.err = o.enc.WriteValue(js)
	}
}

// name begins a value in an object.
func (o *stream) name(n string) { o.token(jsontext.String(n)) }

// object and list write what is between their brackets.
func (o *stream) object(inside func()) {
	o.token(jsontext.BeginObject)
	inside()
	o.token(jsontext.EndObject)
}

func (o *stream) list(inside func()) {
	o.token(jsontext.BeginArray)
	inside()
	o.token(jsontext.EndArray)
}

func (o *stream) null()       { o.token(jsontext.Null) }
func (o *stream) int(n int64) { o.token(jsontext.Int(n)) }

// number writes a number that is not text first: there are ten of them in a claim.
func (o *stream) number(known bool, n int64) {
	if known {
		o.int(n)
	} else {
		o.null()
	}
}

func (o *stream) seconds(known bool, d time.Duration) {
	if known {
		o.token(jsontext.Float(d.Seconds()))
	} else {
		o.null()
	}
}

// text writes text of our own, or from elsewhere in a readable form.
func (o *stream) text(s string) {
	if plain(s) {
		o.token(jsontext.String(s))
	} else {
		o.value(s)
	}
}

// plain says whether text is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// bytes writes the value of a name: the text in a readable form, and a value beside it in
// base64 where it is no UTF-8.
func (o *stream) bytes(name, s string) {
	readable, b64 := Text(s)
	o.text(readable)
	if b64 != "" {
		o.name(name + "_base64")
		o.text(b64)
	}
}

func (o *stream) lease(id model.LeaseID) {
	if id == 0 {
		o.null()
		return
	}
	o.b = append(strconv.AppendUint(append(o.b[:0], '"'), uint64(id), 16), '"')
	o.raw(o.b)
}

func (o *stream) time(t time.Time) {
	if t != o.when || o.at == nil {
		o.when, o.at = t, append(t.AppendFormat(append(o.at[:0], '"'), time.RFC3339Nano), '"')
	}
	o.raw(o.at)
}

// value writes what encoding/json makes of v, for what there is little of.
func (o *stream) value(v any) {
	js, err := model.JSON(v, "")
	if err != nil && o.err == nil {
		o.err = err
		return
	}
	o.raw(js)
}

// textOrNull is [Text], nil for none.
func textOrNull(s string) (readable *string, b64 string) {
	if s == "" {
		return nil, ""
	}
	text, b64 := Text(s)
	return &text, b64
}

// Text returns bytes as they are where they are UTF-8; else in a readable form,
// with the bytes in base64 beside it.
func Text(s string) (readable, b64 string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return model.Printable(s), base64.StdEncoding.EncodeToString([]byte(s))
}

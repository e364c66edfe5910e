package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"locktop/model"
)

// stream writes JSON piece by piece, byte for byte as [WriteJSON] would write the
// whole. A document of 100,000 claims has 70 MB: made by encoding/json it was held in
// memory three times over, and read twice more to indent it and to make it printable.
type stream struct {
	w      io.Writer
	b      []byte // what is yet to be written
	full   int    // from how many bytes on it is
	indent bool   // two blanks for each level, else all on one line
	depth  int
	gap    string // what stands between two values, the comma first
	more   bool   // something stands before, in the same object or list
	err    error

	when     time.Time // written last: claims of one list have the same
	whenText []byte
}

// flushAt is from how many bytes on they are handed to the writer, but for a part of a list.
const flushAt = 64 << 10

func newStream(w io.Writer, indent bool, full int) *stream {
	o := &stream{w: w, indent: indent, full: full, b: make([]byte, 0, full+full/4)}
	o.at(0)
	return o
}

// at goes to a depth.
func (o *stream) at(depth int) {
	o.depth, o.gap = depth, indents[:1]
	if o.indent {
		o.gap = indents[:2+2*depth]
	}
}

// end ends the document, and says what went wrong since the start.
func (o *stream) end() error {
	o.newline()
	o.flush()
	return o.err
}

// newline ends a value of its own.
func (o *stream) newline() {
	o.b = append(o.b, '\n')
	o.more = false
}

func (o *stream) flush() {
	if o.err == nil {
		if _, err := o.w.Write(o.b); err != nil {
			o.fail(err)
		}
	}
	o.b = o.b[:0]
}

func (o *stream) fail(err error) {
	if o.err == nil {
		o.err = fmt.Errorf("writing JSON: %w", err)
	}
}

// next begins the next name of an object, or the next value of a list.
func (o *stream) next() {
	gap := o.gap
	if !o.more {
		gap = gap[1:]
	}
	o.b = append(o.b, gap...)
	o.more = true
}

const indents = ",\n                                "

// name begins a value in an object. n is as JSON has it, with quotes, colon and blank:
// there are twenty of them in a claim.
func (o *stream) name(n string) {
	o.next()
	if !o.indent {
		n = n[:len(n)-1]
	}
	o.b = append(o.b, n...)
}

// open begins an object or a list, as the bracket says, and shut ends it.
func (o *stream) open(bracket byte) {
	o.b = append(o.b, bracket)
	o.at(o.depth + 1)
	o.more = false
}

func (o *stream) shut(bracket byte) {
	o.at(o.depth - 1)
	if o.more {
		o.b = append(o.b, o.gap[1:]...)
	}
	o.b = append(o.b, bracket)
	o.more = true
	if len(o.b) >= o.full {
		o.flush()
	}
}

func (o *stream) null()        { o.b = append(o.b, "null"...) }
func (o *stream) int(n int64)  { o.b = strconv.AppendInt(o.b, n, 10) }
func (o *stream) truth(v bool) { o.b = strconv.AppendBool(o.b, v) }

func (o *stream) text(s string) {
	if !o.plain(s) {
		o.value(s)
	}
}

// plain writes text that is printable ASCII without anything to escape, and says whether
// it is.
func (o *stream) plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, s...)
	o.b = append(o.b, '"')
	return true
}

// bytes writes two names: the text in a readable form, and in base64 what is no UTF-8.
func (o *stream) bytes(name, nameBase64, s string) {
	o.name(name)
	if o.plain(s) {
		return
	}
	readable, b64 := Text(s)
	o.text(readable)
	if b64 != "" {
		o.name(nameBase64)
		o.text(b64)
	}
}

func (o *stream) secondsIf(known bool, d time.Duration) {
	if !known {
		o.null()
		return
	}
	f := d.Seconds()
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		o.value(f)
		return
	}
	o.b = strconv.AppendFloat(o.b, f, 'f', -1, 64)
}

func (o *stream) time(t time.Time) {
	if o.whenText == nil || t != o.when {
		b, err := t.AppendText(o.whenText[:0])
		if err != nil {
			o.fail(err)
			return
		}
		o.when, o.whenText = t, b
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, o.whenText...)
	o.b = append(o.b, '"')
}

// value writes whatever encoding/json can, for what there is little of.
func (o *stream) value(v any) {
	var js bytes.Buffer
	enc := json.NewEncoder(&js)
	enc.SetEscapeHTML(false)
	if o.indent {
		enc.SetIndent(indents[2:2+2*o.depth], "  ")
	}
	if err := enc.Encode(v); err != nil {
		o.fail(err)
		return
	}
	o.b = append(o.b, Printable(bytes.TrimSuffix(js.Bytes(), []byte("\n")))...)
}

// Printable escapes what JSON may leave as it is and a terminal would obey or
// reorder. A parser reads the same from it.
func Printable(js []byte) []byte {
	out := make([]byte, 0, len(js))
	for len(js) > 0 {
		r, n := utf8.DecodeRune(js)
		switch {
		case r == '\n' || model.Shown(r):
			out = append(out, js[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		js = js[n:]
	}
	return out
}

// Text returns bytes as they are where they are UTF-8; else in a readable form,
// with the bytes in base64 beside it.
func Text(s string) (readable, b64 string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return model.Printable(s), base64.StdEncoding.EncodeToString([]byte(s))
}

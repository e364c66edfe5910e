package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// stream writes JSON piece by piece, byte for byte as [writeJSON] would write the
// whole. A document of 100,000 claims has 70 MB: made by encoding/json it was held in
// memory three times over, and read twice more to indent it and to make it printable.
type stream struct {
	w      io.Writer
	b      []byte // what is yet to be written
	indent bool   // two blanks for each level, else all on one line
	depth  int
	more   bool // something stands before, in the same object or list
	err    error

	at     time.Time // written last: claims of one list have the same
	atText []byte
}

// flushAt is from how many bytes on they are handed to the writer.
const flushAt = 64 << 10

func newStream(w io.Writer, indent bool) *stream {
	return &stream{w: w, indent: indent, b: make([]byte, 0, flushAt+flushAt/4)}
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
	switch {
	case o.indent && o.more:
		o.b = append(o.b, indents[:2+2*o.depth]...)
	case o.indent:
		o.line()
	case o.more:
		o.b = append(o.b, ',')
	}
	o.more = true
}

const indents = ",\n                                "

func (o *stream) line() {
	if o.indent {
		o.b = append(o.b, indents[1:2+2*o.depth]...)
	}
}

// name begins a value in an object. n is as JSON has it, with quotes and colon: there
// are twenty of them in a claim.
func (o *stream) name(n string) {
	o.next()
	o.b = append(o.b, n...)
	if o.indent {
		o.b = append(o.b, ' ')
	}
}

// open begins an object or a list, as the bracket says, and shut ends it.
func (o *stream) open(bracket byte) {
	o.b = append(o.b, bracket)
	o.depth++
	o.more = false
}

func (o *stream) shut(bracket byte) {
	o.depth--
	if o.more {
		o.line()
	}
	o.b = append(o.b, bracket)
	o.more = true
	if len(o.b) >= flushAt {
		o.flush()
	}
}

func (o *stream) null()        { o.b = append(o.b, "null"...) }
func (o *stream) int(n int64)  { o.b = strconv.AppendInt(o.b, n, 10) }
func (o *stream) truth(v bool) { o.b = strconv.AppendBool(o.b, v) }

func (o *stream) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			o.value(s)
			return
		}
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, s...)
	o.b = append(o.b, '"')
}

// bytes writes two names: the text in a readable form, and in base64 what is no UTF-8.
func (o *stream) bytes(name, nameBase64, s string) {
	readable, b64 := text(s)
	o.name(name)
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
	if o.atText == nil || t != o.at {
		b, err := t.AppendText(o.atText[:0])
		if err != nil {
			o.fail(err)
			return
		}
		o.at, o.atText = t, b
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, o.atText...)
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
	o.b = append(o.b, printable(bytes.TrimSuffix(js.Bytes(), []byte("\n")))...)
}

package recording

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"locktop/model"
)

// shape is how a type is read. It is made once of each type: a million lines are read, and to
// ask the type of every field each time would take most of the time.
type shape struct {
	t      reflect.Type
	kind   shapeKind
	fields []field // of a struct, in the order in which they are written
	elem   *shape  // of a slice
}

type field struct {
	name  string
	index int
	shape *shape
}

type shapeKind int

const (
	aNumber shapeKind = iota
	aText
	aTime
	aLease
	aStruct
	aList
	aMessage
	anyOther // a bool, an unsigned number
)

// shapes are those of the events, by their names.
var shapes = func() map[string]*shape {
	all, known := map[string]*shape{}, map[reflect.Type]*shape{}
	for name, t := range eventTypes {
		all[name] = shapeOf(t, known)
	}
	return all
}()

func shapeOf(t reflect.Type, known map[reflect.Type]*shape) *shape {
	if s := known[t]; s != nil {
		return s
	}
	s := &shape{t: t, kind: anyOther}
	known[t] = s
	switch {
	case t == reflect.TypeFor[time.Time]():
		s.kind = aTime
	case t == reflect.TypeFor[model.LeaseID]():
		s.kind = aLease
	case t == reflect.TypeFor[model.Message]():
		s.kind = aMessage
	case t.Kind() == reflect.Struct:
		s.kind = aStruct
		for i := range t.NumField() {
			s.fields = append(s.fields, field{wireName(t.Field(i).Name), i, shapeOf(t.Field(i).Type, known)})
		}
	case t.Kind() == reflect.Slice:
		s.kind, s.elem = aList, shapeOf(t.Elem(), known)
	case t.Kind() == reflect.String:
		s.kind = aText
	case reflect.Zero(t).CanInt():
		s.kind = aNumber
	}
	return s
}

// errSyntax is in the error of a line that is no JSON.
var errSyntax = errors.New("it is no JSON of a recording")

// cursor reads a line from its beginning to its end.
type cursor struct {
	line  []byte
	at    int
	taken int // bytes of memory of the elements of lists so far
}

// errLists is in the error of a line whose lists are longer than any that was written: an
// element of no text still takes memory.
var errLists = fmt.Errorf("its lists take more than %d bytes of memory", listsMax)

// readEvent reads a line: the batch and the event come first, then the fields in any order.
func readEvent(line []byte) (batch int64, e model.Event, err error) {
	c := cursor{line: line}
	s, batch, err := c.head()
	if err != nil {
		return 0, nil, err
	}
	v := reflect.New(s.t).Elem()
	if err := c.fields(v, s, 2); err != nil {
		return 0, nil, fmt.Errorf("event %q: %w", eventNames[s.t], err)
	}
	if c.space(); c.at != len(line) {
		return 0, nil, errSyntax
	}
	return batch, v.Interface().(model.Event), nil
}

// head reads what each line begins with.
func (c *cursor) head() (s *shape, batch int64, err error) {
	for n, want := range []string{"batch", "event"} {
		name, _, err := c.member(n)
		if err != nil {
			return nil, 0, err
		}
		if string(name) != want {
			return nil, 0, fmt.Errorf("field %d is %q, want %q", n+1, name, want)
		}
		if n == 0 {
			if batch, err = c.number(); err != nil {
				return nil, 0, err
			}
		}
	}
	word, err := c.text()
	if s = shapes[word]; err == nil && s == nil {
		err = fmt.Errorf("event %q is not known", word)
	}
	return s, batch, err
}

// fields reads the fields of an object, of which so many were read.
func (c *cursor) fields(v reflect.Value, s *shape, before int) error {
	for n := before; ; n++ {
		name, more, err := c.member(n)
		if err != nil || !more {
			return err
		}
		if err := c.field(v, s, name, n-before); err != nil {
			return err
		}
	}
}

// field reads the value of a field into its place in v: mostly it is none before the nth. A
// field that is not known would be lost without a word.
func (c *cursor) field(v reflect.Value, s *shape, name []byte, n int) error {
	for i := range s.fields {
		if f := &s.fields[(n+i)%len(s.fields)]; f.name == string(name) {
			if err := c.value(v.Field(f.index), f.shape); err != nil {
				return fmt.Errorf("field %q: %w", name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("field %q is not known", name)
}

func (c *cursor) value(v reflect.Value, s *shape) error {
	switch s.kind {
	case aNumber:
		n, err := c.number()
		if v.OverflowInt(n) {
			return strconv.ErrRange
		}
		v.SetInt(n)
		return err
	case aText:
		t, err := c.bytes()
		v.SetString(t)
		return err
	case aTime:
		return c.time(v.Addr().Interface().(*time.Time))
	case aLease:
		t, err := c.text()
		if err != nil {
			return err
		}
		id, err := strconv.ParseUint(t, 16, 64)
		v.SetInt(int64(id))
		return err
	case aMessage:
		m, err := c.message(messageDepth)
		*v.Addr().Interface().(*model.Message) = m
		return err
	case aStruct:
		return c.fields(v, s, 0)
	case aList:
		return c.list(v, s.elem)
	}
	return json.Unmarshal(c.word(), v.Addr().Interface())
}

// member reads the name of the nth field of an object, which it begins if that is the first,
// or the end of the object.
func (c *cursor) member(n int) (name []byte, more bool, err error) {
	if n == 0 && !c.next('{') {
		return nil, false, errSyntax
	}
	if c.next('}') {
		return nil, false, nil
	}
	if n > 0 && !c.next(',') {
		return nil, false, errSyntax
	}
	name, _, err = c.quoted() // never told by escapes
	if err == nil && !c.next(':') {
		err = errSyntax
	}
	return name, true, err
}

func (c *cursor) list(v reflect.Value, elem *shape) error {
	if !c.next('[') {
		return errSyntax
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 1))
	for n := 0; !c.next(']'); n++ {
		if n > 0 && !c.next(',') {
			return errSyntax
		}
		if c.taken += int(elem.t.Size()); c.taken > listsMax {
			return errLists
		}
		v.Grow(1)
		v.SetLen(n + 1)
		if err := c.value(v.Index(n), elem); err != nil {
			return err
		}
	}
	return nil
}

// space goes on to what is none.
func (c *cursor) space() {
	for c.at < len(c.line) && (c.line[c.at] == ' ' || c.line[c.at] == '\t' || c.line[c.at] == '\n' || c.line[c.at] == '\r') {
		c.at++
	}
}

// next goes over a byte if it comes next.
func (c *cursor) next(b byte) bool {
	c.space()
	if c.at == len(c.line) || c.line[c.at] != b {
		return false
	}
	c.at++
	return true
}

func (c *cursor) number() (int64, error) { return strconv.ParseInt(string(c.word()), 10, 64) }

// quoted goes over a string; plain says that it stands for itself.
func (c *cursor) quoted() (inside []byte, plain bool, err error) {
	if !c.next('"') {
		return nil, false, errSyntax
	}
	from := c.at
	for plain = true; c.at < len(c.line); c.at++ {
		switch b := c.line[c.at]; {
		case b == '"':
			c.at++
			return c.line[from : c.at-1], plain, nil
		case b == '\\':
			c.at++
			plain = false
		case b < ' ' || b >= utf8.RuneSelf:
			plain = false
		}
	}
	return nil, false, errSyntax
}

// text reads a string.
func (c *cursor) text() (s string, err error) {
	t, plain, err := c.quoted()
	if err != nil || plain {
		return string(t), err
	}
	err = json.Unmarshal(c.line[c.at-len(t)-2:c.at], &s)
	return s, err
}

// messageDepth is how deep messages may speak of messages.
const messageDepth = 8

// message reads a message: the words of others are a string, as the words of all were until messages
// were recorded.
func (c *cursor) message(depth int) (m model.Message, err error) {
	arg, err := c.argument(depth)
	switch arg := arg.(type) {
	case string:
		return model.Say("quote", arg), err
	case model.Message:
		return arg, err
	}
	return m, cmp.Or(err, errSyntax)
}

// argument reads what a message speaks of: a string, a number or a message.
func (c *cursor) argument(depth int) (arg any, err error) {
	if depth == 0 {
		return nil, fmt.Errorf("messages are more than %d deep", messageDepth)
	}
	switch c.space(); {
	case c.at == len(c.line):
		return nil, errSyntax
	case c.line[c.at] == '"', bytes.HasPrefix(c.line[c.at:], []byte(`{"base64":`)):
		return c.bytes()
	case c.line[c.at] != '{':
		return c.number()
	}
	m := model.Message{}
	for n := 0; ; n++ {
		name, more, err := c.member(n)
		switch {
		case err != nil || !more:
			return m, err
		case string(name) == "say":
			id, err := c.bytes()
			if m.ID = model.MessageID(id); err != nil {
				return m, err
			}
		case string(name) == "args":
			if m.Args, err = c.arguments(depth - 1); err != nil {
				return m, err
			}
		default:
			return m, fmt.Errorf("field %q of a message is not known", name)
		}
	}
}

func (c *cursor) arguments(depth int) (args []any, err error) {
	if !c.next('[') {
		return nil, errSyntax
	}
	args = []any{}
	for n := 0; !c.next(']'); n++ {
		if n > 0 && !c.next(',') {
			return nil, errSyntax
		}
		if c.taken += int(reflect.TypeFor[model.Message]().Size()); c.taken > listsMax {
			return nil, errLists
		}
		arg, err := c.argument(depth)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	return args, nil
}

// bytes reads a string of any bytes.
func (c *cursor) bytes() (s string, err error) {
	if c.space(); c.at == len(c.line) || c.line[c.at] != '{' {
		return c.text()
	}
	for n := 0; ; n++ {
		name, more, err := c.member(n)
		if err != nil || !more {
			return s, err
		}
		if string(name) != "base64" {
			return s, errSyntax
		}
		t, err := c.text()
		if err != nil {
			return s, err
		}
		b, err := base64.StdEncoding.DecodeString(t)
		if err != nil {
			return s, err
		}
		s = string(b)
	}
}

// time reads a time, in the zone in which the watcher would have told it.
func (c *cursor) time(at *time.Time) error {
	t, _, err := c.quoted()
	if err == nil {
		*at, err = time.Parse(time.RFC3339, string(t))
	}
	*at = at.Local()
	return err
}

// word goes over a number, true or false, and returns it.
func (c *cursor) word() []byte {
	c.space()
	from := c.at
	for ; c.at < len(c.line); c.at++ {
		switch c.line[c.at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return c.line[from:c.at]
		}
	}
	return c.line[from:]
}

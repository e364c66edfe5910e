package recording

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"locktop/model"
)

// codec is how the values of a type are written and read. It is made once of each type: a million
// lines are read, and to ask the type of every field each time would take most of the time.
type codec struct {
	write func(*encoder, reflect.Value)
	read  func(*decoder, reflect.Value) error
}

func codecOf(t reflect.Type) codec {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return codec{(*encoder).time, (*decoder).time}
	case t == reflect.TypeFor[model.LeaseID]():
		return codec{(*encoder).lease, (*decoder).lease}
	case t == reflect.TypeFor[model.Message]() || t == reflect.TypeFor[any]():
		return codec{(*encoder).spoken, (*decoder).spoken}
	case t.Kind() == reflect.Struct:
		fs := fieldsOf(t)
		return codec{fs.write, fs.read}
	case t.Kind() == reflect.Slice && t != reflect.TypeFor[[]byte]():
		return listOf(t)
	case t.Kind() == reflect.String:
		return codec{func(x *encoder, v reflect.Value) { x.text(v.String()) }, (*decoder).spoken}
	case reflect.Zero(t).CanInt(): // the package json has no durations
		return codec{func(x *encoder, v reflect.Value) { x.put(jsontext.Int(v.Int())) }, (*decoder).number}
	}
	return codec{(*encoder).other, (*decoder).other}
}

// fields are those of a struct, in their order.
type fields []struct {
	name, quoted string
	codec
}

func fieldsOf(t reflect.Type) fields {
	all := make(fields, t.NumField())
	for i := range all {
		f := &all[i]
		f.name, f.codec = wireName(t.Field(i).Name), codecOf(t.Field(i).Type)
		f.quoted = strconv.Quote(f.name)
	}
	return all
}

func (fs fields) write(x *encoder, v reflect.Value) {
	x.put(jsontext.BeginObject)
	fs.writeRest(x, v)
}

// writeRest writes the fields that are not zero, and ends the object.
func (fs fields) writeRest(x *encoder, v reflect.Value) {
	for i := range fs {
		if f := v.Field(i); !f.IsZero() {
			x.put(jsontext.String(fs[i].name))
			fs[i].write(x, f)
		}
	}
	x.put(jsontext.EndObject)
}

func (fs fields) read(d *decoder, v reflect.Value) error {
	if _, err := d.token('{'); err != nil {
		return err
	}
	return fs.readRest(d, v)
}

// readRest reads fields up to the end of the object, mostly in their order. One that is not known
// would be lost without a word.
func (fs fields) readRest(d *decoder, v reflect.Value) error {
	for i := 0; d.PeekKind() != '}'; {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		for n := 0; fs[i].quoted != string(name); n++ {
			if i = (i + 1) % len(fs); n == len(fs) {
				return fmt.Errorf("field %q is not known", name[1:len(name)-1])
			}
		}
		if err := fs[i].read(d, v.Field(i)); err != nil {
			return fmt.Errorf("field %q: %w", fs[i].name, err)
		}
	}
	_, err := d.ReadToken()
	return err
}

func listOf(t reflect.Type) codec {
	elem, size := codecOf(t.Elem()), int(t.Elem().Size())
	if t.Elem().Kind() == reflect.Interface {
		size += int(reflect.TypeFor[model.Message]().Size()) // that it may hold
	}
	return codec{func(x *encoder, v reflect.Value) {
		x.put(jsontext.BeginArray)
		for i := range v.Len() {
			elem.write(x, v.Index(i))
		}
		x.put(jsontext.EndArray)
	}, func(d *decoder, v reflect.Value) error {
		if _, err := d.token('['); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(t, 0, 1))
		for n := 0; d.PeekKind() != ']'; n++ {
			if d.taken += size; d.taken > listsMax {
				return errLists
			}
			if n == v.Cap() {
				v.Grow(n)
			}
			v.SetLen(n + 1)
			if err := elem.read(d, v.Index(n)); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}}
}

// spoken is a message as it is written, or text that is no UTF-8.
type spoken struct {
	Base64 []byte
	Say    model.MessageID
	Args   []any
}

var (
	ofSpoken   fields
	ofEvents   = map[string]fields{}
	eventNames = map[reflect.Type]string{}
)

func init() {
	ofSpoken = fieldsOf(reflect.TypeFor[spoken]())
	for name, t := range eventTypes {
		ofEvents[name], eventNames[t] = fieldsOf(t), name
	}
}

// encoder writes events. Times are those of its clock, nil: as they are.
type encoder struct {
	clock func(time.Time) time.Time
	out   []byte // that it appends to
	*jsontext.Encoder
	err error
}

// Write takes what the package json has encoded. A buffer in between would be one more copy.
func (x *encoder) Write(b []byte) (int, error) {
	x.out = append(x.out, b...)
	return len(b), nil
}

func newEncoder(clock func(time.Time) time.Time) *encoder {
	x := &encoder{clock: clock}
	// As this version always has: two signs that end a line in JavaScript are escaped.
	x.Encoder = jsontext.NewEncoder(x, jsontext.EscapeForJS(true), jsontext.AllowDuplicateNames(true))
	return x
}

// when is the time of an event that is written.
func (x *encoder) when(at time.Time) time.Time {
	if x.clock == nil || at.IsZero() {
		return at
	}
	return x.clock(at)
}

// appendEvent appends the line of an event. After an error there are no further lines.
func (x *encoder) appendEvent(out []byte, batch int64, e model.Event) ([]byte, error) {
	v := reflect.ValueOf(e)
	if !v.IsValid() || eventNames[v.Type()] == "" {
		return out, fmt.Errorf("record an event: no name for type %T", e)
	}
	name := eventNames[v.Type()]
	x.out = out
	for _, tok := range []jsontext.Token{jsontext.BeginObject, jsontext.String("batch"), jsontext.Int(batch), jsontext.String("event"), jsontext.String(name)} {
		x.put(tok)
	}
	ofEvents[name].writeRest(x, v)
	return x.out, x.err
}

func (x *encoder) put(tok jsontext.Token) {
	if x.err == nil {
		x.err = x.WriteToken(tok)
	}
}

func (x *encoder) time(v reflect.Value) {
	x.put(jsontext.String(x.when(v.Interface().(time.Time)).UTC().Format(time.RFC3339Nano)))
}

func (x *encoder) lease(v reflect.Value) { x.put(jsontext.String(model.LeaseID(v.Int()).String())) }

func (x *encoder) text(s string) {
	if !utf8.ValidString(s) {
		ofSpoken.write(x, reflect.ValueOf(spoken{Base64: []byte(s)}))
		return
	}
	x.put(jsontext.String(s))
}

// spoken writes a message, or what one speaks of. What somebody else said is a string.
func (x *encoder) spoken(v reflect.Value) {
	switch arg := v.Interface().(type) {
	case model.Message:
		if words, is := arg.Quoted(); is {
			x.text(words)
			return
		}
		ofSpoken.write(x, reflect.ValueOf(spoken{Say: arg.ID, Args: arg.Args}))
	case int64:
		x.put(jsontext.Int(arg))
	default: // a string: events hold no other
		x.text(fmt.Sprint(arg))
	}
}

func (x *encoder) other(v reflect.Value) {
	if x.err == nil {
		x.err = json.MarshalEncode(x.Encoder, v.Interface())
	}
}

// decoder reads events.
type decoder struct {
	*jsontext.Decoder
	taken int // bytes of memory of the elements of an event's lists so far
}

// errLists is in the error of a line whose lists are longer than any that was written: an
// element of no text still takes memory.
var errLists = fmt.Errorf("its lists take more than %d bytes of memory", listsMax)

// depthMax is how deep a line may be: messages speak of messages.
const depthMax = 18

// event reads a line, [io.EOF] after the last: the batch and the event come first, then the fields
// in any order.
func (d *decoder) event() (batch int64, e model.Event, err error) {
	d.taken = 0
	if _, err := d.token('{'); err != nil {
		return 0, nil, err
	}
	tok, err := d.member(1, "batch", '0')
	if err == nil {
		batch, err = tok.Int()
	}
	if err == nil {
		tok, err = d.member(2, "event", '"')
	}
	if err != nil {
		return 0, nil, err
	}
	name := tok.String()
	t := eventTypes[name]
	if t == nil {
		return 0, nil, fmt.Errorf("event %q is not known", name)
	}
	v := reflect.New(t).Elem()
	if err := ofEvents[name].readRest(d, v); err != nil {
		return 0, nil, fmt.Errorf("event %q: %w", name, err)
	}
	return batch, v.Interface().(model.Event), nil
}

// member reads a field that has its place.
func (d *decoder) member(n int, want string, kind jsontext.Kind) (jsontext.Token, error) {
	tok, err := d.ReadToken()
	if err == nil && tok.String() != want {
		err = fmt.Errorf("field %d is %q, want %q", n, tok.String(), want)
	}
	if err != nil {
		return tok, err
	}
	return d.token(kind)
}

func (d *decoder) token(kind jsontext.Kind) (jsontext.Token, error) {
	tok, err := d.ReadToken()
	if err == nil && tok.Kind() != kind {
		err = fmt.Errorf("it is %s, want %s", tok.Kind(), kind)
	}
	return tok, err
}

// time reads a time, in the zone in which the watcher would have told it.
func (d *decoder) time(v reflect.Value) error {
	tok, err := d.token('"')
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, tok.String())
	*v.Addr().Interface().(*time.Time) = at.Local()
	return err
}

func (d *decoder) lease(v reflect.Value) error {
	tok, err := d.token('"')
	if err != nil {
		return err
	}
	id, err := strconv.ParseUint(tok.String(), 16, 64)
	v.SetInt(int64(id))
	return err
}

func (d *decoder) number(v reflect.Value) error {
	tok, err := d.token('0')
	if err != nil {
		return err
	}
	n, err := tok.Int()
	if v.OverflowInt(n) {
		return strconv.ErrRange
	}
	v.SetInt(n)
	return err
}

func (d *decoder) other(v reflect.Value) error {
	return json.UnmarshalDecode(d.Decoder, v.Addr().Interface())
}

// spoken reads text, a message, or what one speaks of. The words of others are a string in the place of
// a message, as the words of all were until messages were recorded.
func (d *decoder) spoken(v reflect.Value) error {
	arg, err := d.argument()
	words, is := arg.(string)
	switch {
	case err != nil:
		return err
	case is && v.Kind() == reflect.String:
		v.SetString(words)
	case is && v.Kind() == reflect.Struct:
		v.Set(reflect.ValueOf(model.Say("quote", words)))
	case !reflect.TypeOf(arg).AssignableTo(v.Type()):
		return fmt.Errorf("it is %T, want %s", arg, v.Type())
	default:
		v.Set(reflect.ValueOf(arg))
	}
	return nil
}

// argument reads a string, a number or a message.
func (d *decoder) argument() (any, error) {
	tok, err := d.ReadToken()
	switch {
	case err != nil:
		return nil, err
	case tok.Kind() == '"':
		return tok.String(), nil
	case tok.Kind() == '0':
		return tok.Int()
	case tok.Kind() != '{':
		return nil, fmt.Errorf("it is %s, want text, a number or a message", tok.Kind())
	case d.StackDepth() > depthMax:
		return nil, fmt.Errorf("it is more than %d deep", depthMax)
	}
	var s spoken
	if err := ofSpoken.readRest(d, reflect.ValueOf(&s).Elem()); err != nil {
		return nil, err
	}
	if s.Base64 != nil {
		return string(s.Base64), nil
	}
	return model.Message{ID: s.Say, Args: s.Args}, nil
}

// wireName is the name of a field in a recording: CreateRev is createRev, KVs is kvs.
func wireName(field string) string {
	if len(field) > 1 && field[1] >= 'A' && field[1] <= 'Z' {
		return strings.ToLower(field)
	}
	return strings.ToLower(field[:1]) + field[1:]
}

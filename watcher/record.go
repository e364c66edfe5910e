package watcher

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/model"
)

// A recording is text, one JSON object a line. The first line names the format:
//
//	{"locktop":"recording","version":1}
//
// Every other line is one event, in the order in which they were delivered:
//
//	{"batch":2,"event":"committed","at":"2026-03-01T10:00:00.5Z","rev":7,"changes":[{"kv":{"key":"jobs/1f","createRev":7,"modRev":7,"version":1,"lease":"1f"}}]}
//
// "batch" tells which events came in one envelope: it rises, and means nothing
// else. "event" is the type, one of eventTypes. The other fields are those of the
// type in package model, their first letter in lower case; one that is zero is left
// out. A time is RFC 3339 in UTC; a duration counts nanoseconds; a lease id is a
// string in hex, as the keys of the recipes hold it. A string is a JSON string if
// it is UTF-8, else {"base64":"…"}: keys and values are raw bytes.
//
// A recording holds the values of the keys as they are, so it is as secret as they
// are. What a batch cost is not recorded.
const (
	recordFormat  = "recording"
	recordVersion = 1
)

type recordHeader struct {
	Locktop string `json:"locktop"`
	Version int    `json:"version"`
}

// eventTypes are the names of the events in a recording.
var eventTypes = map[string]reflect.Type{
	"committed":      reflect.TypeFor[model.Committed](),
	"requested":      reflect.TypeFor[model.Requested](),
	"load-started":   reflect.TypeFor[model.LoadStarted](),
	"listed":         reflect.TypeFor[model.Listed](),
	"loaded":         reflect.TypeFor[model.Loaded](),
	"watching":       reflect.TypeFor[model.Watching](),
	"lost":           reflect.TypeFor[model.Lost](),
	"back":           reflect.TypeFor[model.Back](),
	"lease-read":     reflect.TypeFor[model.LeaseRead](),
	"lease-unread":   reflect.TypeFor[model.LeaseUnread](),
	"cluster-status": reflect.TypeFor[model.ClusterStatus](),
	"tick":           reflect.TypeFor[model.Tick](),
	"contender":      reflect.TypeFor[model.Contender](),
	"belief":         reflect.TypeFor[model.Belief](),
	"lease-owner":    reflect.TypeFor[model.LeaseOwner](),
	"access":         reflect.TypeFor[model.Access](),
	"wrote":          reflect.TypeFor[model.Wrote](),
	"watches":        reflect.TypeFor[model.Watches](),
	"refused":        reflect.TypeFor[model.Refused](),
	"turned-away":    reflect.TypeFor[model.TurnedAway](),
	"connected":      reflect.TypeFor[model.Connected](),
	"fault-on":       reflect.TypeFor[model.FaultOn](),
	"fault-off":      reflect.TypeFor[model.FaultOff](),
	"acted":          reflect.TypeFor[model.Acted](),
}

var eventNames = func() map[reflect.Type]string {
	names := map[reflect.Type]string{}
	for name, t := range eventTypes {
		names[t] = name
	}
	return names
}()

// ErrNoRecording is what Replay returns for something that is no recording, or one
// of another version.
var ErrNoRecording = errors.New("not a recording of locktop")

// Recorder writes what a source delivers. It is not safe for concurrent use.
type Recorder struct {
	w       io.Writer
	batches int64
	err     error
}

// Record returns a recorder that writes to w. It does not buffer: after each Write
// the recording is complete up to there.
func Record(w io.Writer) *Recorder { return &Recorder{w: w} }

// Write appends a batch. After an error the recording is spoilt, and every later
// call returns the same error.
func (r *Recorder) Write(b model.Batch) error {
	if r.err != nil {
		return r.err
	}
	var out []byte
	if r.batches == 0 {
		out = fmt.Appendf(out, "{\"locktop\":%q,\"version\":%d}\n", recordFormat, recordVersion)
	}
	r.batches++
	for _, e := range b.Events {
		out, r.err = appendEvent(out, r.batches, e)
		if r.err != nil {
			return r.err
		}
	}
	if _, err := r.w.Write(out); err != nil {
		r.err = fmt.Errorf("write the recording: %w", err)
	}
	return r.err
}

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

// Player is a [model.Source] over a recording.
type Player struct {
	r    *bufio.Reader
	line int
	next model.Event // read ahead: the first event of the next batch
	at   int64       // the number of that batch
	err  error       // what ends the replay
}

var _ model.Source = (*Player)(nil)

// Replay reads a recording. It reads as far as it is asked to.
func Replay(r io.Reader) (*Player, error) {
	p := &Player{r: bufio.NewReader(r)}
	line, err := p.readLine()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Locktop != recordFormat {
		return nil, fmt.Errorf("%w: its first line is not {\"locktop\":%q,\"version\":%d}", ErrNoRecording, recordFormat, recordVersion)
	}
	if h.Version != recordVersion {
		return nil, fmt.Errorf("%w of version %d, but of version %d", ErrNoRecording, recordVersion, h.Version)
	}
	p.advance()
	return p, nil
}

// Next returns the next batch as it was recorded, at once; what is wanted makes no
// difference. After the last one it returns [io.EOF]. A line that cannot be read,
// as a recorder that was killed may leave at the end, ends the replay with an error
// once everything before it has been returned.
func (p *Player) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	if err := ctx.Err(); err != nil {
		return model.Batch{}, err
	}
	if p.next == nil {
		return model.Batch{}, p.err
	}
	var b model.Batch
	for batch := p.at; p.next != nil && p.at == batch; p.advance() {
		b.Events = append(b.Events, p.next)
	}
	return b, nil
}

// advance reads one event ahead.
func (p *Player) advance() {
	p.next = nil
	line, err := p.readLine()
	if err != nil {
		p.err = err
		return
	}
	if p.at, p.next, err = readEvent(line); err != nil {
		p.next, p.err = nil, fmt.Errorf("line %d of the recording: %w", p.line, err)
	}
}

// readLine returns the next line, [io.EOF] after the last.
func (p *Player) readLine() ([]byte, error) {
	p.line++
	line, err := p.r.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		return nil, fmt.Errorf("line %d of the recording: %w", p.line, io.ErrUnexpectedEOF)
	}
	return line, err
}

func readEvent(line []byte) (batch int64, e model.Event, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return 0, nil, err
	}
	var name string
	if err := errors.Join(json.Unmarshal(fields["batch"], &batch), json.Unmarshal(fields["event"], &name)); err != nil {
		return 0, nil, fmt.Errorf("no batch or no event: %w", err)
	}
	t, ok := eventTypes[name]
	if !ok {
		return 0, nil, fmt.Errorf("event %q is not known", name)
	}
	delete(fields, "batch")
	delete(fields, "event")
	v := reflect.New(t).Elem()
	if err := setFields(v, fields); err != nil {
		return 0, nil, fmt.Errorf("event %q: %w", name, err)
	}
	return batch, v.Interface().(model.Event), nil
}

// setFields is strict: a field that is not known would be lost without a word.
func setFields(v reflect.Value, fields map[string]json.RawMessage) error {
	for name, raw := range fields {
		f := v.FieldByNameFunc(func(field string) bool { return wireName(field) == name })
		if !f.IsValid() {
			return fmt.Errorf("field %q is not known", name)
		}
		if err := setValue(f, raw); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	return nil
}

func setValue(v reflect.Value, raw json.RawMessage) error {
	switch v.Interface().(type) {
	case time.Time:
		return json.Unmarshal(raw, v.Addr().Interface())
	case model.LeaseID:
		return setLease(v, raw)
	}
	switch v.Kind() {
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return err
		}
		return setFields(v, fields)
	case reflect.Slice:
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i := range list {
			if err := setValue(v.Index(i), list[i]); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		return setText(v, raw)
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}

func setLease(v reflect.Value, raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	id, err := strconv.ParseUint(s, 16, 64)
	v.SetInt(int64(id))
	return err
}

func setText(v reflect.Value, raw json.RawMessage) error {
	if raw[0] == '{' {
		var b struct {
			Base64 []byte `json:"base64"`
		}
		err := json.Unmarshal(raw, &b)
		v.SetString(string(b.Base64))
		return err
	}
	var s string
	err := json.Unmarshal(raw, &s)
	v.SetString(s)
	return err
}

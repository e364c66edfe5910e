package recording

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"locktop/model"
)

// replayed returns every batch of a recording.
func replayed(r io.Reader) ([]model.Batch, error) {
	p, err := Open(r, Pace{})
	if err != nil {
		return nil, err
	}
	var batches []model.Batch
	for {
		b, err := p.Next(context.Background(), model.Want{})
		if err == io.EOF {
			return batches, nil
		}
		if err != nil {
			return batches, err
		}
		batches = append(batches, b)
	}
}

func recorded(t testing.TB, batches ...model.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	r := NewRecorder(&out, Options{})
	for _, b := range batches {
		if err := r.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// draw fills v with anything.
func draw(t *rapid.T, v reflect.Value) {
	if _, ok := v.Interface().(time.Time); ok {
		if rapid.Bool().Draw(t, "timed") {
			at := time.Unix(rapid.Int64Range(-1e9, 1e10).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
			v.Set(reflect.ValueOf(at))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // no recording has it
				draw(t, v.Field(i))
			}
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, "length"); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				draw(t, v.Index(i))
			}
		}
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).Draw(t, "text"))
	case reflect.Interface: // what a message speaks of
		of := rapid.SampledFrom([]any{"", int64(0), model.Message{}}).Draw(t, "of")
		own := reflect.New(reflect.TypeOf(of)).Elem()
		if _, is := of.(model.Message); is {
			own.Set(reflect.ValueOf(model.Say("no-connection", rapid.String().Draw(t, "cause"), model.Say("may-not"))))
		} else {
			draw(t, own)
		}
		v.Set(own)
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint"))
	default:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	}
}

func TestRecordedEventsComeBackAsTheyWere(t *testing.T) {
	for name, typ := range eventTypes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				batches := make([]model.Batch, rapid.IntRange(1, 3).Draw(t, "batches"))
				for i := range batches {
					for range rapid.IntRange(1, 3).Draw(t, "events") {
						e := reflect.New(typ).Elem()
						draw(t, e)
						batches[i].Events = append(batches[i].Events, e.Interface().(model.Event))
					}
				}
				var out bytes.Buffer
				r := NewRecorder(&out, Options{})
				for _, b := range batches {
					if err := r.Write(b); err != nil {
						t.Fatal(err)
					}
				}
				got, err := replayed(&out)
				if d := cmp.Diff(batches, got); d != "" || err != nil {
					t.Fatalf("%v (-recorded +replayed)\n%s", err, d)
				}
			})
		})
	}
}

// The set of events is closed, so the model's source names them all.
func TestEveryEventHasANameInARecording(t *testing.T) {
	files, err := filepath.Glob("../../model/*.go")
	if err != nil {
		t.Fatal(err)
	}
	method := regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) event\(\)`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range method.FindAllStringSubmatch(string(text), -1) {
			found++
			named := false
			for _, typ := range eventTypes {
				named = named || typ.Name() == m[1]
			}
			if !named {
				t.Errorf("%s of %s has no name in eventTypes", m[1], file)
			}
		}
	}
	if found != len(eventTypes) {
		t.Errorf("%d events in the model, %d names", found, len(eventTypes))
	}
}

// text is what zcat prints of a recording.
func text(t testing.TB, recording []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// What version 4 looks like: a change of this text needs another version.
func TestFormatOfARecording(t *testing.T) {
	at := time.Date(2026, 3, 1, 11, 0, 0, 500_000_000, time.FixedZone("", 3600))
	got := recorded(t,
		model.Batch{Events: []model.Event{
			model.LoadStarted{At: at, Prefix: "jobs/", Rev: 6},
			model.Listed{At: at, Prefix: "jobs/", Rev: 6, KVs: []model.KV{{Key: "jobs/\xff", Value: "<é\n>"}}, Done: 1, Total: 1}}},
		model.Batch{Cost: model.Cost{Budget: 20}},
		model.Batch{Events: []model.Event{
			model.Committed{At: at, Rev: 7, Changes: []model.Change{
				{KV: model.KV{Key: "jobs/1f", CreateRev: 7, ModRev: 7, Version: 1, Lease: 0x1f}},
				{Deleted: true, KV: model.KV{Key: "jobs/2", ModRev: 7}}}},
			model.LeaseRead{At: at, ID: 0x1f, Granted: 60, Remaining: -1, Term: 2},
			model.Lost{At: at, Reason: model.LostSilent, Detail: model.Say("quote", "m1")},
			model.Tick{}}})
	want := `{"locktop":"recording","version":4}
{"batch":1,"event":"load-started","at":"2026-03-01T10:00:00.5Z","prefix":"jobs/","rev":6}
{"batch":1,"event":"listed","at":"2026-03-01T10:00:00.5Z","prefix":"jobs/","rev":6,"kvs":[{"key":{"base64":"am9icy//"},"value":"<é\n>"}],"done":1,"total":1}
{"batch":3,"event":"committed","at":"2026-03-01T10:00:00.5Z","rev":7,"changes":[{"kv":{"key":"jobs/1f","createRev":7,"modRev":7,"version":1,"lease":"1f"}},{"deleted":true,"kv":{"key":"jobs/2","modRev":7}}]}
{"batch":3,"event":"lease-read","at":"2026-03-01T10:00:00.5Z","id":"1f","granted":60,"remaining":-1,"term":2}
{"batch":3,"event":"lost","at":"2026-03-01T10:00:00.5Z","reason":2,"detail":"m1"}
{"batch":3,"event":"tick"}
`
	if d := cmp.Diff(want, text(t, got)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	head := []byte("\x1f\x8b\x08\x04\x00\x00\x00\x00\x04\xff\x20\x00LT\x1c\x00")
	f, err := readHead(got)
	if !bytes.HasPrefix(got, head) || err != nil || f.events != 2 || f.raw != strings.Index(want, `{"batch":3`) || !f.latest.Equal(at) {
		t.Errorf("%x: %+v, %v", got[:headSize], f, err)
	}
}

// framed is a recording of these texts, a frame each.
func framed(t testing.TB, texts ...string) (all []byte) {
	var check uint32
	for _, text := range texts {
		f := frame{events: strings.Count(text, `"batch":`)}
		b, err := new(packer).pack([]byte(text), &f, check)
		if err != nil {
			t.Fatal(err)
		}
		all, check = append(all, b...), f.check
	}
	return all
}

const firstLine = `{"locktop":"recording","version":4}` + "\n"

func TestWhatCannotBeReplayed(t *testing.T) {
	const tick = `{"batch":1,"event":"tick"}` + "\n"
	whole := func(texts ...string) []byte { return framed(t, texts...) }
	cut := whole(firstLine+tick, tick)
	deep := func(n int) string { // a message of a message of …
		return `{"batch":1,"event":"lost","detail":` + strings.Repeat(`{"say":"a","args":[`, n) + strings.Repeat("]}", n) + "}\n"
	}
	for _, row := range []struct {
		reason  string
		file    []byte
		none    bool // no recording at all
		batches int
		says    string
	}{
		{reason: "an empty file", none: true, says: "the file is empty"},
		{reason: "something else", file: []byte("hello\n"), none: true, says: "packed by gzip"},
		{reason: "the text of a recording", file: []byte(firstLine + tick), none: true, says: "packed by gzip"},
		{reason: "another kind of file of ours", file: whole(`{"locktop":"journal","version":4}` + "\n"), none: true, says: "first line"},
		{reason: "a version to come", file: whole(`{"locktop":"recording","version":5}` + "\n"), none: true, says: "a recording of version 5, and this locktop reads version 4"},
		{reason: "a version that went", file: whole(`{"locktop":"recording","version":1}` + "\n" + tick), none: true, says: "a recording of version 1, and"},
		{reason: "nothing recorded yet", file: whole(firstLine)},
		{reason: "cut short: what came before is replayed", file: cut[:len(cut)-2], batches: 1, says: "the end is missing"},
		{reason: "an event to come", file: whole(firstLine+tick, `{"batch":2,"event":"quake"}`+"\n"), batches: 1, says: `"quake"`},
		{reason: "a field to come is not dropped in silence", file: whole(firstLine + `{"batch":1,"event":"tick","depth":3}` + "\n"), says: `"depth"`},
		{reason: "no JSON", file: whole(firstLine + "tick\n"), says: "no JSON"},
		{reason: "no event", file: whole(firstLine + `{"batch":1}` + "\n"), says: "field 2"},
		{reason: "a value of the wrong kind", file: whole(firstLine + `{"batch":1,"event":"tick","at":7}` + "\n"), says: `"at"`},
		{reason: "a message of eight", file: whole(firstLine + deep(8)), batches: 1},
		{reason: "a message without end", file: whole(firstLine + deep(10_000)), says: "deep"},
		{reason: "a message of another kind", file: whole(firstLine + `{"batch":1,"event":"lost","detail":7}` + "\n"), says: `"detail"`},
		{reason: "a name that is a message", file: whole(firstLine + `{"batch":1,"event":"lost","prefix":{"say":"a"}}` + "\n"), says: `"prefix"`},
		{reason: "a lease that is no number", file: whole(firstLine + `{"batch":1,"event":"lease-read","id":"xyz"}` + "\n"), says: `"id"`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			batches, err := replayed(bytes.NewReader(row.file))
			if len(batches) != row.batches || errors.Is(err, errNoRecording) != row.none {
				t.Errorf("%d batches, %v", len(batches), err)
			}
			if row.none == errors.Is(err, ErrDamaged) && err != nil {
				t.Errorf("damaged, or no recording that this program reads? %v", err)
			}
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want %q in it", err, row.says)
			}
		})
	}
}

// TestDamageIsNamed: whatever happens to the bytes of a recording, what is played is the
// beginning of what was recorded, and an error says where the rest is damaged.
func TestDamageIsNamed(t *testing.T) {
	var batches []model.Batch
	for i := range int64(4) {
		batches = append(batches, model.Batch{Events: []model.Event{
			model.Committed{At: time.Unix(i, 0), Rev: 7 + i, Changes: []model.Change{{KV: model.KV{Key: "jobs/1f", Value: "x", CreateRev: 7, ModRev: 7 + i, Version: 1 + i}}}},
			model.LeaseRead{At: time.Unix(i, 0), ID: 0x1f, Granted: 60, Remaining: 50 - i}}})
	}
	damageIsNamed(t, packedFrames(t, recorded(t, batches...)), batches)
}

// packedFrames cuts a recording into its frames.
func packedFrames(t *testing.T, whole []byte) (all [][]byte) {
	for r, check := bytes.NewReader(whole), uint32(0); ; {
		f, packed, err := readFrame(r, check, nil)
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all, check = append(all, packed), f.check
	}
}

func damageIsNamed(t *testing.T, parts [][]byte, batches []model.Batch) {
	text, ends, n := bytes.Join(parts, nil), map[int]bool{}, 0
	for _, part := range parts {
		n += len(part)
		ends[n] = true // what a recorder had written that was killed there
	}
	play := func(reason string, damaged []byte, whole bool) {
		t.Helper()
		got, err := replayed(bytes.NewReader(damaged))
		if len(got) > len(batches) || len(got) > 0 && cmp.Diff(batches[:len(got)], got) != "" {
			t.Fatalf("%s: it plays what was not recorded: %v", reason, got)
		}
		switch {
		case whole && err != nil:
			t.Errorf("%s: %v", reason, err)
		case !whole && !errors.Is(err, errNoRecording) && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "bytes ")):
			t.Errorf("%s: %d batches, %v", reason, len(got), err)
		}
		r, err2 := OpenSegments(t.Context(), bytes.NewReader(damaged), int64(len(damaged)))
		if (err2 != nil) != errors.Is(err, errNoRecording) {
			t.Fatalf("%s: played %v, opened %v", reason, err, err2)
		}
		if err2 == nil && (r.Len() != 2*len(got) || (r.Cut != nil) != (err != nil)) {
			t.Errorf("%s: played %d batches, %v; opened %d events, %v", reason, len(got), err, r.Len(), r.Cut)
		}
	}
	play("nothing happened to it", text, true)
	for i := range text {
		for _, bit := range []byte{1, 0x20, 0x80} {
			b := bytes.Clone(text)
			b[i] ^= bit
			play("a bit is turned over", b, false)
		}
		play("it is cut short", text[:i], ends[i])
		if i+40 <= len(text) {
			b := bytes.Clone(text)
			copy(b[i:], bytes.Repeat([]byte("x"), 40))
			play("40 bytes are overwritten", b, false)
			play("40 bytes are missing", slices.Delete(bytes.Clone(text), i, i+40), i+40 == len(text) && ends[i])
		}
	}
	play("two parts have changed places", slices.Concat(parts[0], parts[2], parts[1], parts[3]), false)
	play("a part is missing", slices.Concat(parts[0], parts[2], parts[3]), false)
	play("a part is there twice", slices.Concat(parts[0], parts[1], parts[1], parts[2], parts[3]), false)
}

// TestASizeThatIsNoneTakesNoMemory: what a header says of sizes is believed as far as bytes
// are there, and what is in a frame as far as its header says.
func TestASizeThatIsNoneTakesNoMemory(t *testing.T) {
	good := recorded(t, model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}}})
	// sized is the frame of a hostile program, which knows how to make a check.
	sized := func(text []byte, change func(info []byte)) []byte {
		var p packer
		f := frame{events: 1}
		b, err := p.pack(text, &f, 0)
		if err != nil {
			t.Fatal(err)
		}
		change(b[extraAt+4:])
		copy(b[checkAt:headSize], make([]byte, 4))
		binary.LittleEndian.PutUint32(b[checkAt:], crc32.Update(0, castagnoli, b))
		return b
	}
	header := []byte(firstLine)
	put := func(at int, n uint32) func([]byte) {
		return func(info []byte) { binary.LittleEndian.PutUint32(info[at:], n) }
	}
	for _, row := range []struct {
		reason string
		file   []byte
		says   string
	}{
		{"a healthy one", good, ""},
		{"more packed bytes than there are", sized(header, put(0, 100<<20)), "the end is missing"},
		{"more packed bytes than anybody writes", sized(header, put(0, 1<<32-1)), "not a recording"},
		{"more text than anybody writes", sized(header, put(4, 1<<32-1)), "not a recording"},
		{"more events than the text has room for", sized(header, put(8, 1<<32-1)), "not a recording"},
		{"a gigabyte of nothing in a kilobyte", sized(append(header, make([]byte, 1<<20)...), put(4, 1000)), "does not hold the 1000 bytes"},
		{"fewer events than its header says", sized(header, put(8, 1)), "holds 0 events"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := replayed(bytes.NewReader(row.file))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s: it took %d MiB", row.reason, took>>20)
		}
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q in it", row.reason, err, row.says)
		}
	}
}

// TestWhatIsSmallInAFileTakesNoMemory: of 130 kB that were packed well, or of 40 MB of text,
// no state of gigabytes is made.
func TestWhatIsSmallInAFileTakesNoMemory(t *testing.T) {
	list := func(n int) string {
		return `{"batch":1,"event":"committed","at":"2026-03-01T10:00:00Z","rev":7,"changes":[{}` + strings.Repeat(",{}", n-1) + "]}\n"
	}
	ticks := func(n int) string { return strings.Repeat("{\"batch\":1,\"event\":\"tick\"}\n", n) }
	frame := func(text string, events int) []byte {
		b, err := new(packer).pack([]byte(firstLine+text), &frame{events: events}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	many := listsMax / int(reflect.TypeFor[model.Change]().Size())
	for _, r := range []struct {
		what, want string
		file       []byte
	}{
		{"many changes", "", frame(list(many/50), 1)},
		{"too many", "its lists take more than", frame(list(many+1), 1)},
		{"many events", "", frame(ticks(eventsMax/10), eventsMax/10)},
		{"too many of them", "not a recording", frame(ticks(eventsMax+1), eventsMax+1)},
	} {
		if _, err := replayed(bytes.NewReader(r.file)); (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s (%d bytes): %v, want %q", r.what, len(r.file), err, r.want)
		}
	}
	if err := NewRecorder(io.Discard, Options{}).Write(model.Batch{Events: slices.Repeat([]model.Event{model.Tick{}}, eventsMax+1)}); err == nil {
		t.Error("what is not read again was recorded")
	}
}

// TestRecordingsOfTodayAreReadable: a file that was written by this version stays readable.
func TestRecordingsOfTodayAreReadable(t *testing.T) {
	file, err := os.ReadFile("testdata/version4.rec")
	if err != nil {
		t.Fatal(err)
	}
	batches, err := replayed(bytes.NewReader(file))
	if err != nil || len(batches) != 6 {
		t.Errorf("%d batches, %v", len(batches), err)
	}
}

// TestWhatWaitsIsWritten: events that come together share a frame; what waits is written after
// the lag, without another event, and by Close.
func TestWhatWaitsIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		r := NewRecorder(&file, Options{Lag: Lag})
		tick := model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}}}
		write := func(reason string, want int) {
			t.Helper()
			if err := r.Write(tick); err != nil {
				t.Fatal(err)
			}
			if n, _ := r.Written(); n != want {
				t.Errorf("%s: %d events are written, want %d", reason, n, want)
			}
		}
		write("the first waits for others", 0)
		write("the second, too", 0)
		time.Sleep(Lag)
		synctest.Wait()
		write("both are there, and the third waits", 2)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if n, size := r.Written(); n != 3 || size != int64(file.Len()) {
			t.Errorf("%d events in %d of %d bytes", n, size, file.Len())
		}
		if frames := packedFrames(t, file.Bytes()); len(frames) != 2 {
			t.Errorf("%d frames, want 2", len(frames))
		}
		if got, err := replayed(&file); err != nil || len(got) != 3 {
			t.Errorf("%d batches, %v", len(got), err)
		}
		if err := r.Write(tick); !errors.Is(err, ErrClosed) || r.Close() != nil {
			t.Errorf("after its end: %v", err)
		}
	})
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestRecorderSaysThatItCannotWrite(t *testing.T) {
	r := NewRecorder(full{}, Options{})
	first := r.Write(model.Batch{Events: []model.Event{model.Tick{}}})
	if second := r.Write(model.Batch{}); first == nil || !errors.Is(second, first) {
		t.Errorf("first %v, then %v", first, second)
	}
	if err := NewRecorder(io.Discard, Options{}).Write(model.Batch{Events: []model.Event{nil}}); err == nil {
		t.Error("an event of no type was recorded")
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	p, err := Open(bytes.NewReader(recorded(t, model.Batch{Events: []model.Event{model.Tick{}}})), Pace{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Next(ctx, model.Want{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if b, err := p.Next(context.Background(), model.Want{}); err != nil || len(b.Events) != 1 {
		t.Errorf("the call that ended has consumed something: %v, %v", b, err)
	}
}

func FuzzReplay(f *testing.F) {
	for _, line := range []string{
		`{"batch":1,"event":"committed","rev":7,"changes":[{"kv":{"key":{"base64":"/w=="},"lease":"1f"}},null]}`,
		`{"batch":1,"event":"listed","kvs":null,"prefix":null}`, `{"batch":1,"event":"acted","outcome":{"action":{"":1}}}`, "null", "{}",
	} {
		f.Add(string(framed(f, firstLine+line+"\n")))
	}
	f.Add(string(recorded(f, model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}, model.Lost{Detail: model.Say("quote", "m1")}}}, model.Batch{Events: []model.Event{model.Tick{}}})))
	f.Fuzz(func(t *testing.T, text string) {
		batches, _ := replayed(strings.NewReader(text))
		again, err := replayed(bytes.NewReader(recorded(t, append(batches, model.Batch{})...)))
		if err != nil || len(again) != len(batches) {
			t.Fatalf("%d batches, recorded and replayed %d: %v", len(batches), len(again), err)
		}
	})
}

// BenchmarkReadEvent is what it costs to read a line again, of many.
func BenchmarkReadEvent(b *testing.B) {
	const lines = 500
	line, err := newEncoder(nil).appendEvent(nil, 7, model.Committed{At: time.Unix(1_790_000_000, 123_456_789), Rev: 72_001, Changes: []model.Change{{KV: model.KV{
		Key: "/bench/lock-000123/694d9c2f1d2a4e01", CreateRev: 72_001, ModRev: 72_001, Version: 1, Lease: 0x694d9c2f1d2a4e01}}}})
	if err != nil {
		b.Fatal(err)
	}
	text := bytes.Repeat(line, lines)
	b.ReportAllocs()
	for b.Loop() {
		if _, n, err := readBatches(text, lines); err != nil || n != lines {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/event")
}

func BenchmarkRecordAndReplay(b *testing.B) {
	const keys = 2_000
	list := model.Listed{At: time.Unix(1, 0), Prefix: "jobs/"}
	for i := range int64(keys) {
		id := model.LeaseID(0x694d9c2f1d2a4e01 + i)
		list.KVs = append(list.KVs, model.KV{Key: "jobs/" + id.String(), CreateRev: i, ModRev: i, Version: 1, Lease: id})
	}
	for b.Loop() {
		text := recorded(b, model.Batch{Events: []model.Event{list}})
		if batches, err := replayed(bytes.NewReader(text)); err != nil || len(batches) != 1 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/keys, "µs/key")
}

func TestARecordingIsBounded(t *testing.T) {
	batch := model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}}}
	var file bytes.Buffer
	r := NewRecorder(&file, Options{MaxBytes: 500})
	var err error
	for err == nil {
		err = r.Write(batch)
	}
	n, size := r.Written()
	if !errors.Is(err, ErrFull) || n == 0 || file.Len() > 500 || int64(file.Len()) != size {
		t.Errorf("%d events in %d bytes (%d counted), %v", n, file.Len(), size, err)
	}
	if batches, err := replayed(&file); err != nil || len(batches) != n {
		t.Errorf("%d of %d batches, %v: what was written is not whole", len(batches), n, err)
	}
}

func TestValuesAreLeftOutOfACopy(t *testing.T) {
	batch := model.Batch{Events: []model.Event{
		model.Listed{KVs: []model.KV{{Key: "a", Value: "secret"}}},
		model.Committed{Rev: 1, Changes: []model.Change{{KV: model.KV{Key: "a", Value: "secret"}}}},
	}}
	var file bytes.Buffer
	if err := NewRecorder(&file, Options{Mask: Mask{Drop: true}}).Write(batch); err != nil || strings.Contains(text(t, file.Bytes()), "secret") {
		t.Errorf("values are left: %v", err)
	}
	if batch.Events[0].(model.Listed).KVs[0].Value != "secret" || batch.Events[1].(model.Committed).Changes[0].KV.Value != "secret" {
		t.Errorf("others who have the batch have lost its values: %+v", batch)
	}
}

// threeTicks plays a recording of three ticks, a second apart, long ago.
func threeTicks(t *testing.T, pace Pace) (*Player, time.Time) {
	t.Helper()
	first := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var batches []model.Batch
	for i := range 3 {
		batches = append(batches, model.Batch{Events: []model.Event{model.Tick{At: first.Add(time.Duration(i) * time.Second)}}})
	}
	p, err := Open(bytes.NewReader(recorded(t, batches...)), pace)
	if err != nil {
		t.Fatal(err)
	}
	return p, first
}

func TestAPlayerTakesItsTime(t *testing.T) {
	p, first := threeTicks(t, Pace{Speed: 20})
	begins, err := p.Begins()
	if err != nil || !begins.Equal(first) {
		t.Errorf("it begins at %v, %v: want %v", begins, err, first)
	}
	var at []time.Time
	begun := time.Now()
	for {
		b, err := p.Next(t.Context(), model.Want{})
		if err != nil {
			if err != io.EOF {
				t.Errorf("it ended with %v", err)
			}
			break
		}
		at = append(at, b.Events[0].When())
	}
	if took := time.Since(begun); took < 100*time.Millisecond {
		t.Errorf("two seconds at twenty times the speed took %s, want 100 ms at least", took)
	}
	if len(at) != 3 || !at[0].Equal(first) || at[2].Sub(at[0]) != 2*time.Second {
		t.Errorf("%v: want the times of the recording", at)
	}
}

func TestAPlayerThatIsInterruptedLosesNothing(t *testing.T) {
	p, first := threeTicks(t, Pace{Speed: 1})
	if _, err := p.Next(t.Context(), model.Want{}); err != nil {
		t.Fatal(err)
	}
	brief, end := context.WithTimeout(t.Context(), time.Millisecond) // the second tick is due in a second
	defer end()
	if _, err := p.Next(brief, model.Want{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want that the time was over", err)
	}
	if b, err := p.Next(t.Context(), model.Want{}); err != nil || !b.Events[0].When().Equal(first.Add(time.Second)) {
		t.Errorf("the second batch is lost: %v, %v", b, err)
	}
}

func TestARecordingOfNothingHasNoBeginning(t *testing.T) {
	p, err := Open(bytes.NewReader(recorded(t, model.Batch{})), Pace{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Begins(); err != io.EOF {
		t.Errorf("%v, want its end", err)
	}
}

// Text of this version is as the package encoding/json writes it.
func TestTextIsJSON(t *testing.T) {
	for r := rune(0); r < 0x2100; r++ {
		s := "a" + string(r) + "b"
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		x := newEncoder(nil)
		if x.text(s); string(x.out) != want.String() || x.err != nil {
			t.Errorf("%q is written as %s, want %s: %v", s, &x.out, &want, x.err)
		}
	}
}

package recording

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
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
			draw(t, v.Field(i))
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
				text := out.String()
				got, err := replayed(&out)
				if d := cmp.Diff(batches, got); d != "" || err != nil {
					t.Fatalf("%v (-recorded +replayed)\n%s\n%s", err, d, text)
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

// What version 2 looks like: a change of this text needs another version.
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
			model.Lost{At: at, Reason: model.LostSilent, Detail: "m1"},
			model.Tick{}}})
	want := `{"locktop":"recording","version":2}
{"batch":1,"event":"load-started","at":"2026-03-01T10:00:00.5Z","prefix":"jobs/","rev":6}
{"batch":1,"event":"listed","at":"2026-03-01T10:00:00.5Z","prefix":"jobs/","rev":6,"kvs":[{"key":{"base64":"am9icy//"},"value":"<é\n>"}],"done":1,"total":1}
{"check":"c2656a78"}
{"batch":3,"event":"committed","at":"2026-03-01T10:00:00.5Z","rev":7,"changes":[{"kv":{"key":"jobs/1f","createRev":7,"modRev":7,"version":1,"lease":"1f"}},{"deleted":true,"kv":{"key":"jobs/2","modRev":7}}]}
{"batch":3,"event":"lease-read","at":"2026-03-01T10:00:00.5Z","id":"1f","granted":60,"remaining":-1,"term":2}
{"batch":3,"event":"lost","at":"2026-03-01T10:00:00.5Z","reason":2,"detail":"m1"}
{"batch":3,"event":"tick"}
{"check":"31e8d06b"}
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestWhatCannotBeReplayed(t *testing.T) {
	const head = `{"locktop":"recording","version":1}` + "\n"
	const tick = `{"batch":1,"event":"tick"}` + "\n"
	for _, row := range []struct {
		reason, text string
		none         bool // no recording at all
		batches      int
		says         string
	}{
		{reason: "an empty file", none: true, says: "EOF"},
		{reason: "something else", text: "hello\n", none: true, says: "first line"},
		{reason: "another kind of file of ours", text: `{"locktop":"journal","version":1}` + "\n", none: true, says: "first line"},
		{reason: "a version to come", text: `{"locktop":"recording","version":3}` + "\n", none: true, says: "version 3"},
		{reason: "nothing recorded yet", text: head},
		{reason: "cut short: what came before is replayed", text: head + tick + `{"batch":2,"ev`, batches: 1, says: "line 3"},
		{reason: "an event to come", text: head + tick + `{"batch":2,"event":"quake"}` + "\n", batches: 1, says: `"quake"`},
		{reason: "a field to come is not dropped in silence", text: head + `{"batch":1,"event":"tick","depth":3}` + "\n", says: `"depth"`},
		{reason: "no JSON", text: head + "tick\n", says: "line 2"},
		{reason: "no event", text: head + `{"batch":1}` + "\n", says: "line 2"},
		{reason: "a first line without an end", text: strings.Repeat("\x00", 1<<20), none: true, says: "more than 4096 bytes"},
		{reason: "a value of the wrong kind", text: head + `{"batch":1,"event":"tick","at":7}` + "\n", says: `"at"`},
		{reason: "a lease that is no number", text: head + `{"batch":1,"event":"lease-read","id":"xyz"}` + "\n", says: `"id"`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			batches, err := replayed(strings.NewReader(row.text))
			if len(batches) != row.batches || errors.Is(err, ErrNoRecording) != row.none {
				t.Errorf("%d batches, %v", len(batches), err)
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
	text := recorded(t, batches...)
	lines, ends, n := bytes.SplitAfter(text, []byte("\n")), map[int]bool{}, 0
	for i, line := range lines {
		n += len(line)
		ends[n] = i == 0 || bytes.HasPrefix(line, []byte(checkPrefix)) // what a recorder had written that was killed there
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
		case !whole && !errors.Is(err, ErrNoRecording) && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "bytes ")):
			t.Errorf("%s: %d batches, %v", reason, len(got), err)
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
	swapped := slices.Concat(lines[0], bytes.Join(lines[4:7], nil), bytes.Join(lines[1:4], nil), bytes.Join(lines[7:], nil))
	play("two blocks have changed places", swapped, false)
	play("a block is missing", slices.Concat(bytes.Join(lines[:4], nil), bytes.Join(lines[7:], nil)), false)
}

// TestRecordingsOfVersion1AreReadable: they have no checks.
func TestRecordingsOfVersion1AreReadable(t *testing.T) {
	got, err := replayed(strings.NewReader(`{"locktop":"recording","version":1}
{"batch":1,"event":"load-started","at":"2026-03-01T10:00:00.5Z","prefix":"jobs/","rev":6}
{"batch":3,"event":"lease-read","at":"2026-03-01T10:00:00.5Z","id":"1f","granted":60,"remaining":-1,"term":2}
{"batch":3,"event":"tick"}
`))
	at := time.Date(2026, 3, 1, 10, 0, 0, 500_000_000, time.UTC)
	want := []model.Batch{{Events: []model.Event{model.LoadStarted{At: at, Prefix: "jobs/", Rev: 6}}},
		{Events: []model.Event{model.LeaseRead{At: at, ID: 0x1f, Granted: 60, Remaining: -1, Term: 2}, model.Tick{}}}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
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
	const head = `{"locktop":"recording","version":1}` + "\n"
	for _, line := range []string{
		`{"batch":1,"event":"committed","rev":7,"changes":[{"kv":{"key":{"base64":"/w=="},"lease":"1f"}},null]}`,
		`{"batch":1,"event":"listed","kvs":null,"prefix":null}`, `{"batch":1,"event":"acted","outcome":{"action":{"":1}}}`, "null", "{}",
	} {
		f.Add(head + line + "\n")
	}
	f.Add(string(recorded(f, model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}, model.Lost{Detail: "m1"}}}, model.Batch{Events: []model.Event{model.Tick{}}})))
	f.Fuzz(func(t *testing.T, text string) {
		batches, _ := replayed(strings.NewReader(text))
		again, err := replayed(bytes.NewReader(recorded(t, append(batches, model.Batch{})...)))
		if err != nil || len(again) != len(batches) {
			t.Fatalf("%d batches, recorded and replayed %d: %v", len(batches), len(again), err)
		}
	})
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
	if err := NewRecorder(&file, Options{Mask: Mask{Drop: true}}).Write(batch); err != nil || strings.Contains(file.String(), "secret") {
		t.Errorf("values are left: %s, %v", &file, err)
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

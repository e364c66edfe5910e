package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// manyClaims is a state of claims, ten of each lock.
func manyClaims(claims int) *store.Store {
	var kvs []model.KV
	for i := range claims {
		lease := model.LeaseID(0x694d81e5fc650000 + i)
		kvs = append(kvs, model.KV{Key: fmt.Sprintf("/bench/lock-%06d/%s", i/10, lease), CreateRev: int64(i + 1), ModRev: int64(i + 1), Version: 1, Lease: lease})
	}
	s := store.New()
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: noon, Rev: 1}, model.Listed{At: noon, Rev: 1, KVs: kvs}, model.Loaded{At: noon, Rev: 1}}})
	return s
}

// The document is written piece by piece, but it is the one that encoding/json would
// write: the same blanks, and of every text the same escapes.
func FuzzStream(f *testing.F) {
	for _, s := range modeltest.Seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := store.New()
		s.Apply(model.Batch{Events: modeltest.Events(data)})
		o := Observation{At: s.Now().Add(1500 * time.Millisecond), Prefixes: []string{"a\u202e\"<\\"}}
		var doc, lines bytes.Buffer
		must(t, Locks(&doc, s.View, s.Locks(), o, "json"))
		sameAsEncoded(t, doc.Bytes(), "  ")
		must(t, Locks(&lines, s.View, s.Locks(), o, "jsonl"))
		for _, l := range s.Locks() {
			must(t, OneLock(&lines, s.View, l, o, "jsonl"))
		}
		for line := range strings.Lines(lines.String()) {
			sameAsEncoded(t, []byte(line), "")
		}
	})
}

// sameAsEncoded wants js as encoding/json writes the values that are in it, in the same
// order: its tokens are read, and each is encoded anew.
func sameAsEncoded(t *testing.T, js []byte, indent string) {
	t.Helper()
	var compact, want bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(js))
	dec.UseNumber()
	reencode(t, dec, &compact)
	must(t, json.Indent(&want, compact.Bytes(), "", indent))
	if indent == "" {
		want = compact
	}
	if got := strings.TrimSuffix(string(js), "\n"); got != string(Printable(want.Bytes())) {
		t.Errorf("not as encoding/json has it (-json +written)\n%s", cmp.Diff(string(Printable(want.Bytes())), got))
	}
}

// reencode copies the next value without any blank.
func reencode(t *testing.T, dec *json.Decoder, to *bytes.Buffer) {
	t.Helper()
	tok, err := dec.Token()
	must(t, err)
	d, ok := tok.(json.Delim)
	if !ok {
		encode(t, to, tok)
		return
	}
	to.WriteString(d.String())
	for n := 0; dec.More(); n++ {
		if n > 0 {
			to.WriteByte(',')
		}
		if d == '{' {
			name, err := dec.Token()
			must(t, err)
			encode(t, to, name)
			to.WriteByte(':')
		}
		reencode(t, dec, to)
	}
	end, err := dec.Token()
	must(t, err)
	to.WriteString(end.(json.Delim).String())
}

func encode(t *testing.T, to *bytes.Buffer, v any) {
	t.Helper()
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	must(t, enc.Encode(v))
	to.Truncate(to.Len() - 1) // the newline
}

// Writing takes the memory of one lock at a time, however many there are.
func TestJSONCosts(t *testing.T) {
	const claims = 10_000
	s := manyClaims(claims)
	o := Observation{At: s.Now()}
	allocs := testing.AllocsPerRun(5, func() { must(t, JSON(io.Discard, s.View, s.Locks(), o)) })
	if per := allocs / claims; per > claimAllocs {
		t.Errorf("%.3f allocations for a claim, want %g at most", per, claimAllocs)
	}
}

// BenchmarkJSON writes 100,000 claims of 10,000 locks.
func BenchmarkJSON(b *testing.B) {
	s := manyClaims(100_000)
	o := Observation{At: s.Now()}
	b.ReportAllocs()
	for b.Loop() {
		if err := JSON(io.Discard, s.View, s.Locks(), o); err != nil {
			b.Fatal(err)
		}
	}
}

// claimAllocs is the budget that the comment of the package names: 38 for the whole
// document of 10,000 claims were measured.
const claimAllocs = 0.005

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

// Whatever keys and values hold, what is written is JSON and harmless.
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
		fitForTerminals(t, doc.Bytes())
		must(t, Locks(&lines, s.View, s.Locks(), o, "jsonl"))
		for _, l := range s.Locks() {
			must(t, OneLock(&lines, s.View, l, o, "jsonl"))
		}
		for line := range strings.Lines(lines.String()) {
			fitForTerminals(t, []byte(line))
		}
	})
}

// fitForTerminals wants one value of JSON in which a terminal has nothing to obey.
func fitForTerminals(t *testing.T, js []byte) {
	t.Helper()
	if !json.Valid(js) {
		t.Errorf("no JSON: %q", js)
	}
	if want := model.EscapeUnshown(js); !bytes.Equal(js, want) {
		t.Errorf("not printable (-want +got)\n%s", cmp.Diff(string(want), string(js)))
	}
}

// Writing takes the memory of one value at a time, however many there are.
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

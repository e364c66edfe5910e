package report

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/store"
)

// Streams that write a list together write what one writes alone: many short queues, and
// one that is larger than what a stream keeps.
func TestSeveralWriteWhatOneWrites(t *testing.T) {
	for _, r := range []struct {
		reason string
		s      *store.Store
	}{
		{"600 locks of ten claims: a dozen parts", manyClaims(6_000)},
		{"a long queue between short ones", longAmongShort()},
		{"fewer locks than streams", manyClaims(20)},
		{"none", manyClaims(0)},
	} {
		o := Observation{At: noon}
		var alone, together bytes.Buffer
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		must(t, JSON(&alone, r.s.View, r.s.Locks(), o))
		runtime.GOMAXPROCS(streamsMax)
		must(t, JSON(&together, r.s.View, r.s.Locks(), o))
		if !bytes.Equal(alone.Bytes(), together.Bytes()) {
			t.Errorf("%s: %d bytes together, %d alone, or others", r.reason, together.Len(), alone.Len())
		}
		sameAsEncoded(t, together.Bytes(), "  ")
	}
}

// longAmongShort is a queue of a document larger than partBytes, and locks around it.
func longAmongShort() *store.Store {
	s := manyClaims(3_000)
	var kvs []model.KV
	for i := range 2_000 {
		lease := model.LeaseID(0x694d81e5fd000000 + i)
		kvs = append(kvs, model.KV{Key: "/bench/lock-000100x/" + lease.String(), CreateRev: int64(10_000 + i), ModRev: int64(10_000 + i),
			Version: 1, Lease: lease})
	}
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: noon, Prefix: "/x", Rev: 1}, model.Listed{At: noon, Prefix: "/x", Rev: 1, KVs: kvs},
		model.Loaded{At: noon, Prefix: "/x", Rev: 1}}})
	return s
}

// shortOf takes so many bytes and then fails.
type shortOf struct {
	left   int
	failed int
}

var errFull = errors.New("no space left")

func (w *shortOf) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		w.failed++
		return 0, errFull
	}
	return len(b), nil
}

// A list that cannot be written ends at once, and says why, however many write it.
func TestWhoCannotWriteEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(streamsMax))
	s := manyClaims(20_000)
	w := &shortOf{left: 1 << 20}
	err := JSON(w, s.View, s.Locks(), Observation{At: noon})
	if !errors.Is(err, errFull) || strings.Count(err.Error(), "writing JSON") != 1 {
		t.Errorf("it says %v", err)
	}
	if w.failed != 1 {
		t.Errorf("after the first failure %d more writes", w.failed-1)
	}
}

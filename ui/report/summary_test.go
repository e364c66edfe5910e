package report

import (
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestAGroupIsCountedAsNoLock: a list of members, or a cache, is judged by nobody.
func TestAGroupIsCountedAsNoLock(t *testing.T) {
	for _, r := range []struct {
		reason string
		keys   []string
		want   string
	}{
		{"a lock", []string{modeltest.ClaimKey("/locks/a", 7)}, "No problems on 1 lock (1 claim)"},
		{"a lock and a list of members", []string{modeltest.ClaimKey("/locks/a", 7), "/nodes/10.0.0.1:80", "/nodes/10.0.0.2:80"},
			"No problems on 1 lock (1 claim), and 1 group of leased keys"},
		{"members alone", []string{"/nodes/10.0.0.1:80", "/cache/k1"}, "Nothing was judged: there is no lock, and 2 groups of leased keys"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for _, key := range r.keys {
			h.Put(1, key, "", 7)
		}
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		if got := Summary(s.View, s.Locks(), Observation{}, false); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

package reports

import (
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestAnOldWriteIsTold where the resource takes it: without a fence nothing else would say so.
func TestAnOldWriteIsTold(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	first := h.Rev
	h.Put(2, modeltest.ClaimKey("/lock", 0xb1), "", 0xb1)
	second := h.Rev
	access := func(sec float64, who string, token, highest int64, write, accepted bool) {
		h.Add(model.Access{At: modeltest.At(sec), Contender: who, Lock: "/lock", Write: write, Token: token, Highest: highest, Accepted: accepted})
	}
	access(3, "a", first, 0, false, true)
	access(4, "a", first, 0, true, true)
	h.Del(5, modeltest.ClaimKey("/lock", 0xa1))
	access(5.1, "a", first, 0, true, true) // its last one before the unlock, which came later than that
	access(6, "a", first, 0, true, true)   // b holds, and nobody asked for a token
	access(7, "b", second, 0, true, true)
	access(8, "a", first, second, true, false) // a fence
	access(9, "a", first, second, false, true) // a read does no harm
	access(10, "b", second, second, true, true)
	k, s := told(h.Events)
	var stale []bool
	for _, a := range s.Accesses("/lock") {
		stale = append(stale, a.Stale())
	}
	if want := []bool{false, false, false, true, false, false, false, false}; !slices.Equal(stale, want) {
		t.Errorf("old writes that were accepted: %v, want %v", stale, want)
	}
	n := 0
	for _, e := range k.Keys.Lock("/lock").Journal() {
		if strings.Contains(text.English(e.Text), "wrote with the old token") {
			n++
		}
	}
	if n != 1 || len(s.Accesses("/other")) != 0 {
		t.Errorf("told %d times", n)
	}
}

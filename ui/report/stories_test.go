package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestManyLocksOfOneCauseAreToldOnce: for people one paragraph, for programs all of them.
func TestManyLocksOfOneCauseAreToldOnce(t *testing.T) {
	for _, r := range []struct {
		locks, told int
		text        string
	}{
		{200, 1, "200 locks of 10.0.0.7:1, by one lease: /lock000, /lock001, /lock002 and 197 more; of the first:\n  warning holder silent (strong): 10.0.0.7:1 stopped renewing"},
		{3, 1, "3 locks of 10.0.0.7:1, by one lease: /lock000, /lock001, /lock002; of the first:\n"},
		{1, 0, ""},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range r.locks {
			h.Put(1, modeltest.ClaimKey(fmt.Sprintf("/lock%03d", i), 0xa1), "10.0.0.7:1", 0xa1)
		}
		h.Read(2, 0xa1, 12, 11)
		h.Read(7, 0xa1, 12, 11)
		h.Read(17, 0xa1, 12, 1)
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		var b bytes.Buffer
		must(t, Stories(&b, s.View, s.StoriesOf(nil)))
		if n := strings.Count(b.String(), "holder silent ("); n != r.told || !strings.Contains(b.String(), r.text) {
			t.Errorf("%d locks: told %d times, want %d and %q:\n%s", r.locks, n, r.told, r.text, &b)
		}
		b.Reset()
		must(t, JSON(&b, s.View, s.Locks(), Observation{At: s.Now()}))
		if n := strings.Count(b.String(), `"code": "dead-holder"`); n != r.locks {
			t.Errorf("JSON has %d of %d findings", n, r.locks)
		}
		in := 0
		for _, found := range strings.Split(b.String(), `"code": `) {
			if strings.HasPrefix(found, `"dead-holder"`) && strings.Contains(found, fmt.Sprintf("\"story\": 1,\n          \"count\": %d", r.locks)) {
				in++
			}
		}
		if in != r.locks*r.told {
			t.Errorf("%d findings say that they are of a story of %d", in, r.locks)
		}
	}
}

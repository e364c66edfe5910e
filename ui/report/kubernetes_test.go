package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/store"
)

// TestALeaseOfKubernetesInJSON: what is written in it has names of its own, which are null
// where it says nothing, and all of it where it cannot be read. Then nothing is well either.
func TestALeaseOfKubernetesInJSON(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const coordinated = `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":"a","leaseDurationSeconds":15,
"acquireTime":"2026-03-01T11:00:00.000000Z","renewTime":"2026-03-01T11:59:58.500000Z","leaseTransitions":3,"strategy":"OldestEmulationVersion","preferredHolder":"b"}}`
	for _, r := range []struct {
		reason, key, value string
		lease              model.LeaseID
		want, sums         string
		well               bool
	}{
		{"all that can be written", "/registry/leases/ns/full", coordinated, 0,
			`{"holder":"a","duration":15,"acquired":"2026-03-01T11:00:00Z","renewed":"2026-03-01T11:59:58.5Z","transitions":3,"strategy":"OldestEmulationVersion","preferred_holder":"b","skew":1.5}`,
			"No problems on 1 lock (1 claim)", true},
		{"next to nothing", "/registry/leases/ns/empty", `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{}}`, 0,
			`{"holder":null,"duration":null,"acquired":null,"renewed":null,"transitions":0,"strategy":null,"preferred_holder":null,"skew":null}`,
			"No problems on 1 lock (1 claim)", true},
		{"encrypted", "/registry/leases/ns/secret", "k8s:enc:aescbc:v1:key1:\x01\x02", 0, "null",
			"No problems on 1 lock (1 claim); 1 Lease of Kubernetes not judged: encrypted", false},
		{"another lock", "/locks/a", "worker", 7, "null", "No problems on 1 lock (1 claim)", false}, // its lease was not read
	} {
		s := store.New()
		s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at, Rev: 1}, model.Loaded{At: at, Rev: 1},
			model.Committed{At: at, Rev: 2, Changes: []model.Change{{KV: model.KV{Key: r.key, Value: r.value, CreateRev: 2, ModRev: 2, Version: 1, Lease: r.lease}}}}}})
		var b bytes.Buffer
		must(t, Locks(&b, s.View, s.Locks(), Observation{At: at}, "jsonl"))
		var lock struct{ Kubernetes json.RawMessage }
		must(t, json.Unmarshal(b.Bytes(), &lock))
		if d := cmp.Diff(r.want, string(lock.Kubernetes)); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
		if got := Summary(s.View, s.Locks(), Observation{}, false); got != r.sums {
			t.Errorf("%s: %q, want %q", r.reason, got, r.sums)
		}
		var said strings.Builder
		describe(&said, s.View, s.Locks()[0], at, false)
		if r.well != strings.Contains(said.String(), "No problem found") {
			t.Errorf("%s: what is said of its health:\n%s", r.reason, &said)
		}
	}
}

package fold

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
	"locktop/model/history"
	"locktop/model/keyspace"
	"locktop/model/outlook"
)

const kubeKey = "/registry/leases/kube-system/scheduler"

func field(num protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
}

func number(num protowire.Number, n int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), uint64(n))
}

func join(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// kubeProto is a Lease as the API server stores it.
func kubeProto(holder string, seconds int64, renewed time.Time, transitions int64) string {
	at := join(number(1, renewed.Unix()), number(2, int64(renewed.Nanosecond())))
	spec := join(field(1, []byte(holder)), number(2, seconds), field(3, at), field(4, at), number(5, transitions))
	switch holder {
	case "preferred":
		spec = join(spec, field(7, []byte("b")))
	case "coordinated":
		spec = join(spec, field(6, []byte("OldestEmulationVersion")), field(7, []byte("b")))
	}
	meta := join(field(1, []byte("coordination.k8s.io/v1")), field(2, []byte("Lease")))
	return "k8s\x00" + string(join(field(1, meta), field(2, join(field(1, field(1, []byte("scheduler"))), field(2, spec))), field(3, nil), field(4, nil)))
}

func kubeJSON(holder string) string {
	return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":%q,"leaseDurationSeconds":15,"renewTime":"2026-03-01T12:00:00.000000Z"}}`, holder)
}

// TestALeaseOfKubernetes: held, renewed, taken over, let go, taken again.
func TestALeaseOfKubernetes(t *testing.T) {
	skewed := func(sec float64) time.Time { return history.At(sec).Add(-3 * time.Second) } // the holder's clock is 3 s behind
	h := history.New()
	h.Put(0, kubeKey, kubeProto("a", 15, skewed(0), 3), 0)
	at := func(sec float64) (*State, *keyspace.Lock) {
		h.Add(model.Tick{At: history.At(sec)})
		s := state(h)
		return s, s.Lock(kubeKey)
	}
	wants := func(reason string, l *keyspace.Lock, now float64, words ...string) {
		t.Helper()
		got := outlook.Of(l).Word + "; " + outlook.MovesWhen(l, history.At(now)) + "; " + strings.Join(outlook.KubeWords(l, history.At(now)), "; ")
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing in %q", reason, w, got)
			}
		}
		if len(l.Findings()) > 0 {
			t.Errorf("%s: it has no lease of etcd that could be judged: %v", reason, l.Findings())
		}
	}
	h.Loaded(1)
	h.Put(2, kubeKey, kubeProto("a", 15, skewed(2), 3), 0)
	s, l := at(6)
	wants("renewed 4 s ago", l, 6, "held; others may take it in 11s unless renewed;", "held by a", "3 transitions", "seen 3s after that time")
	if id := s.Identity(l.Holder().Ref()); id.Text != "a" {
		t.Errorf("held by %q", id.Text)
	}
	wants("the same, 30 s later", l, 36, "overdue by 19s: others may take it;")
	h.Put(40, kubeKey, kubeProto("b", 15, history.At(40), 4), 0)
	h.Put(50, kubeKey, kubeProto("", 1, history.At(50), 4), 0)
	_, l = at(51)
	wants("let go", l, 51, "free; ; nobody holds it")
	h.Put(52, kubeKey, kubeProto("coordinated", 15, history.At(52), 5), 0)
	s, l = at(53)
	wants("taken again", l, 53, "held; others may take it in 14s", "strategy OldestEmulationVersion, preferred holder b")
	var told []string
	for _, f := range l.Journal() {
		told = append(told, f.Sentence(s.Who))
	}
	for _, w := range []string{"b got " + kubeKey + " from a", "b no longer holds " + kubeKey, "coordinated got " + kubeKey + " from b"} {
		if !strings.Contains(strings.Join(told, "\n"), w) {
			t.Errorf("%q is missing in\n%s", w, strings.Join(told, "\n"))
		}
	}
}

// TestALeaseOfKubernetesSaysWhatIsThere: a preferred holder without a strategy is named alone.
func TestALeaseOfKubernetesSaysWhatIsThere(t *testing.T) {
	h := history.New()
	h.Put(0, kubeKey, kubeProto("preferred", 15, history.At(0), 1), 0)
	h.Loaded(1)
	words := strings.Join(outlook.KubeWords(state(h).Lock(kubeKey), history.At(2)), "; ")
	if !strings.Contains(words, "coordinated election, preferred holder b") || strings.Contains(words, "strategy") {
		t.Error(words)
	}
}

// TestALeaseOfKubernetesBeforeItsFirstRenewal: the clocks are not compared yet.
func TestALeaseOfKubernetesBeforeItsFirstRenewal(t *testing.T) {
	s := NewState()
	at := history.Start
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at}, model.Listed{At: at, KVs: []model.KV{{Key: kubeKey, Value: kubeProto("a", 15, at.Add(-time.Minute), 0), CreateRev: 1, ModRev: 9, Version: 9}}}, model.Loaded{At: at, Rev: 9}}})
	if got := outlook.MovesWhen(s.Lock(kubeKey), at); got != "overdue by 45s: others may take it, if the holder's clock is right" {
		t.Error(got)
	}
}

// TestALeaseOfKubernetesIsOverdue: as candidates do, locktop counts from the last put that it
// knows of. Where only the holder's clock says so it is a hint, and where nothing can be read
// nothing is said.
func TestALeaseOfKubernetesIsOverdue(t *testing.T) {
	early := history.At(-60)
	for _, r := range []struct {
		reason string
		value  string
		tell   func(h *history.History)
		want   model.Confidence // "" for no finding
		says   string
	}{
		{"renewed a moment ago, by a clock that is a minute behind", kubeProto("a", 15, early, 3), func(h *history.History) {
			h.Put(40, kubeKey, kubeProto("a", 15, history.At(-20), 3), 0)
			h.Add(model.Tick{At: history.At(50)})
		}, "", "others may take it in 5.0s unless renewed"},
		{"nobody put it for longer than it holds, whatever the clock of its holder says", kubeProto("a", 15, history.At(3600), 3), func(h *history.History) {
			h.Add(model.Tick{At: history.At(20)})
		}, model.Strong, "overdue by 5s+: others may take it"},
		{"not watched for as long: the holder's clock says so alone", kubeProto("a", 15, early, 3), func(h *history.History) {
			h.Add(model.Tick{At: history.At(5)})
		}, model.Hint, "overdue by 50s: others may take it, if the holder's clock is right"},
		{"the cluster may have slept with locktop", kubeProto("a", 15, early, 3), func(h *history.History) {
			h.Put(40, kubeKey, kubeProto("a", 15, history.At(40), 3), 0)
			h.Add(model.Slept{At: history.At(400), Since: history.At(41)})
			h.Add(model.Watching{At: history.At(401), Asked: history.At(401), Rev: h.Rev})
		}, model.Hint, "if the holder's clock is right"},
		{"let go", kubeProto("", 1, early, 3), func(h *history.History) { h.Add(model.Tick{At: history.At(20)}) }, "", ""},
		{"without a duration it has no end", kubeProto("a", 0, early, 3), func(h *history.History) { h.Add(model.Tick{At: history.At(20)}) }, "", ""},
		{"encrypted: nothing is known", "k8s:enc:aescbc:v1:key1:\x01\x02", func(h *history.History) { h.Add(model.Tick{At: history.At(3600)}) }, "", ""},
		{"the heartbeat of a node is no lock", "", func(h *history.History) {
			h.Put(2, "/registry/leases/kube-node-lease/n1", kubeProto("n1", 15, early, 0), 0)
			h.Add(model.Tick{At: history.At(3600)})
		}, "", ""},
		{"the watch was lost for a while, and nothing was put meanwhile", kubeProto("a", 15, early, 3), func(h *history.History) {
			h.Put(2, kubeKey, kubeProto("a", 15, history.At(2), 3), 0)
			h.Add(model.Lost{At: history.At(3), Reason: model.LostDisconnect}, model.Tick{At: history.At(40)},
				model.Back{At: history.At(41), Rev: h.Rev}, model.Tick{At: history.At(43)})
		}, model.Strong, "overdue by 26s: others may take it"},
	} {
		h := history.New()
		var listed []model.KV
		if r.value != "" {
			listed = []model.KV{{Key: kubeKey, Value: r.value, CreateRev: 1, ModRev: 9, Version: 9}}
			h.Keys[kubeKey] = listed[0]
		}
		h.Add(model.LoadStarted{At: history.At(0), Rev: h.Rev}, model.Listed{At: history.At(0), KVs: listed}, model.Loaded{At: history.At(1), Rev: h.Rev})
		r.tell(h)
		s := state(h)
		var got model.Confidence
		for _, f := range s.Findings() {
			if got = f.Confidence; f.Code != model.CodeKubeLeaseOverdue || f.Severity != model.SevWarning {
				t.Errorf("%s: found %s (%s)", r.reason, f.Code, f.Severity)
			}
			if !strings.Contains(strings.Join(f.Evidence, "; "), "clock") {
				t.Errorf("%s: nothing is said of the clocks: %q", r.reason, f.Evidence)
			}
			if why := history.Unlawful(&f); why != "" {
				t.Errorf("%s: %s", r.reason, why)
			}
		}
		if got != r.want {
			t.Errorf("%s: found with confidence %q, want %q", r.reason, got, r.want)
		}
		if l := s.Lock(kubeKey); l != nil && !strings.Contains(outlook.MovesWhen(l, s.Now()), r.says) {
			t.Errorf("%s: %q, want %q", r.reason, outlook.MovesWhen(l, s.Now()), r.says)
		}
	}
}

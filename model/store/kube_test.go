package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/status"
	"locktop/model/text"
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
	skewed := func(sec float64) time.Time { return modeltest.At(sec).Add(-3 * time.Second) } // the holder's clock is 3 s behind
	h := modeltest.New()
	h.Put(0, kubeKey, kubeProto("a", 15, skewed(0), 3), 0)
	at := func(sec float64) (*Store, *locks.Lock) {
		h.Add(model.Tick{At: modeltest.At(sec)})
		s := state(h)
		return s, s.Lock(kubeKey)
	}
	wants := func(reason string, s *Store, l *locks.Lock, now float64, words ...string) {
		t.Helper()
		got := status.ConditionOf(s, l).Word + "; " + text.English(status.NextMove(s, l, modeltest.At(now)).When) + "; " + strings.Join(text.EnglishAll(status.KubeWords(l, modeltest.At(now))), "; ")
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing in %q", reason, w, got)
			}
		}
		if len(s.FindingsOf(l)) > 0 {
			t.Errorf("%s: it has no lease of etcd that could be judged: %v", reason, s.FindingsOf(l))
		}
	}
	h.Loaded(1)
	h.Put(2, kubeKey, kubeProto("a", 15, skewed(2), 3), 0)
	s, l := at(6)
	wants("renewed 4 s ago", s, l, 6, "held; others may take it in 11s unless renewed;", "held by a", "3 transitions", "seen 3s after that time")
	if id := s.Identity(l.Holder().Ref()); id.Text != "a" {
		t.Errorf("held by %q", id.Text)
	}
	wants("the same, 30 s later", s, l, 36, "overdue by 19s: others may take it;")
	h.Put(40, kubeKey, kubeProto("b", 15, modeltest.At(40), 4), 0)
	h.Put(50, kubeKey, kubeProto("", 1, modeltest.At(50), 4), 0)
	s, l = at(51)
	wants("let go", s, l, 51, "free; ; nobody holds it")
	h.Put(52, kubeKey, kubeProto("coordinated", 15, modeltest.At(52), 5), 0)
	s, l = at(53)
	wants("taken again", s, l, 53, "held; others may take it in 14s", "strategy OldestEmulationVersion, preferred holder b")
	var told []string
	for _, f := range l.Journal() {
		told = append(told, f.Sentence(s.Who))
	}
	for _, w := range []string{"b took over " + kubeKey + " from a", "b no longer holds " + kubeKey, "coordinated took over " + kubeKey + " from b"} {
		if !strings.Contains(strings.Join(told, "\n"), w) {
			t.Errorf("%q is missing in\n%s", w, strings.Join(told, "\n"))
		}
	}
}

// TestALeaseOfKubernetesSaysWhatIsThere: a preferred holder without a strategy is named alone.
func TestALeaseOfKubernetesSaysWhatIsThere(t *testing.T) {
	h := modeltest.New()
	h.Put(0, kubeKey, kubeProto("preferred", 15, modeltest.At(0), 1), 0)
	h.Loaded(1)
	words := strings.Join(text.EnglishAll(status.KubeWords(state(h).Lock(kubeKey), modeltest.At(2))), "; ")
	if !strings.Contains(words, "coordinated election, preferred holder b") || strings.Contains(words, "strategy") {
		t.Error(words)
	}
}

// TestALeaseOfKubernetesBeforeItsFirstRenewal: the clocks are not compared yet.
func TestALeaseOfKubernetesBeforeItsFirstRenewal(t *testing.T) {
	s := New()
	at := modeltest.Start
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at}, model.Listed{At: at, KVs: []model.KV{{Key: kubeKey, Value: kubeProto("a", 15, at.Add(-time.Minute), 0), CreateRev: 1, ModRev: 9, Version: 9}}}, model.Loaded{At: at, Rev: 9}}})
	if got := text.English(status.NextMove(s, s.Lock(kubeKey), at).When); got != "overdue by 45s: others may take it, if the holder's clock is right" {
		t.Error(got)
	}
}

// TestALeaseOfKubernetesIsOverdue: as candidates do, locktop counts from the last put that it
// knows of. Where only the holder's clock says so it is a hint, and where nothing can be read
// nothing is said.
func TestALeaseOfKubernetesIsOverdue(t *testing.T) {
	early := modeltest.At(-60)
	for _, r := range []struct {
		reason string
		value  string
		tell   func(h *modeltest.History)
		want   model.Confidence // "" for no finding
		says   string
	}{
		{"renewed a moment ago, by a clock that is a minute behind", kubeProto("a", 15, early, 3), func(h *modeltest.History) {
			h.Put(40, kubeKey, kubeProto("a", 15, modeltest.At(-20), 3), 0)
			h.Add(model.Tick{At: modeltest.At(50)})
		}, "", "others may take it in 5.0s unless renewed"},
		{"nobody put it for longer than it holds, whatever the clock of its holder says", kubeProto("a", 15, modeltest.At(3600), 3), func(h *modeltest.History) {
			h.Add(model.Tick{At: modeltest.At(20)})
		}, model.Strong, "overdue by 5s+: others may take it"},
		{"not watched for as long: the holder's clock says so alone", kubeProto("a", 15, early, 3), func(h *modeltest.History) {
			h.Add(model.Tick{At: modeltest.At(5)})
		}, model.Hint, "overdue by 50s: others may take it, if the holder's clock is right"},
		{"the cluster may have slept with locktop", kubeProto("a", 15, early, 3), func(h *modeltest.History) {
			h.Put(40, kubeKey, kubeProto("a", 15, modeltest.At(40), 3), 0)
			h.Add(model.Slept{At: modeltest.At(400), Since: modeltest.At(41)})
			h.Add(model.Watching{At: modeltest.At(401), Asked: modeltest.At(401), Rev: h.Rev})
		}, model.Hint, "if the holder's clock is right"},
		{"let go", kubeProto("", 1, early, 3), func(h *modeltest.History) { h.Add(model.Tick{At: modeltest.At(20)}) }, "", ""},
		{"without a duration it has no end", kubeProto("a", 0, early, 3), func(h *modeltest.History) { h.Add(model.Tick{At: modeltest.At(20)}) }, "", ""},
		{"encrypted: nothing is known", "k8s:enc:aescbc:v1:key1:\x01\x02", func(h *modeltest.History) { h.Add(model.Tick{At: modeltest.At(3600)}) }, "", ""},
		{"the heartbeat of a node is no lock", "", func(h *modeltest.History) {
			h.Put(2, "/registry/leases/kube-node-lease/n1", kubeProto("n1", 15, early, 0), 0)
			h.Add(model.Tick{At: modeltest.At(3600)})
		}, "", ""},
		{"the watch was lost for a while, and nothing was put meanwhile", kubeProto("a", 15, early, 3), func(h *modeltest.History) {
			h.Put(2, kubeKey, kubeProto("a", 15, modeltest.At(2), 3), 0)
			h.Add(model.Lost{At: modeltest.At(3), Reason: model.LostDisconnect}, model.Tick{At: modeltest.At(40)},
				model.Back{At: modeltest.At(41), Rev: h.Rev}, model.Tick{At: modeltest.At(43)})
		}, model.Strong, "overdue by 26s: others may take it"},
	} {
		h := modeltest.New()
		var listed []model.KV
		if r.value != "" {
			listed = []model.KV{{Key: kubeKey, Value: r.value, CreateRev: 1, ModRev: 9, Version: 9}}
			h.Keys[kubeKey] = listed[0]
		}
		h.Add(model.LoadStarted{At: modeltest.At(0), Rev: h.Rev}, model.Listed{At: modeltest.At(0), KVs: listed}, model.Loaded{At: modeltest.At(1), Rev: h.Rev})
		r.tell(h)
		s := state(h)
		var got model.Confidence
		for _, f := range s.Findings() {
			if got = f.Confidence; f.Code != model.CodeKubeLeaseOverdue || f.Severity != model.SevWarning {
				t.Errorf("%s: found %s (%s)", r.reason, f.Code, f.Severity)
			}
			if !strings.Contains(strings.Join(text.EnglishAll(f.Evidence), "; "), "clock") {
				t.Errorf("%s: nothing is said of the clocks: %q", r.reason, f.Evidence)
			}
			if why := modeltest.Unlawful(&f); why != "" {
				t.Errorf("%s: %s", r.reason, why)
			}
		}
		if got != r.want {
			t.Errorf("%s: found with confidence %q, want %q", r.reason, got, r.want)
		}
		if l := s.Lock(kubeKey); l != nil && !strings.Contains(text.English(status.NextMove(s, l, s.Now()).When), r.says) {
			t.Errorf("%s: %q, want %q", r.reason, text.English(status.NextMove(s, l, s.Now()).When), r.says)
		}
	}
}

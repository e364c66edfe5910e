package fold

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
	"locktop/model/history"
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
	at := func(sec float64) (*State, *model.Lock) {
		h.Add(model.Tick{At: history.At(sec)})
		s := state(h)
		return s, s.Lock(kubeKey)
	}
	wants := func(reason string, l *model.Lock, now float64, words ...string) {
		t.Helper()
		got := l.Condition().Word + "; " + l.MovesWhen(history.At(now)) + "; " + strings.Join(l.KubeWords(history.At(now)), "; ")
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
	words := strings.Join(state(h).Lock(kubeKey).KubeWords(history.At(2)), "; ")
	if !strings.Contains(words, "coordinated election, preferred holder b") || strings.Contains(words, "strategy") {
		t.Error(words)
	}
}

// TestALeaseOfKubernetesBeforeItsFirstRenewal: the clocks are not compared yet.
func TestALeaseOfKubernetesBeforeItsFirstRenewal(t *testing.T) {
	s := NewState()
	at := history.Start
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at}, model.Listed{At: at, KVs: []model.KV{{Key: kubeKey, Value: kubeProto("a", 15, at.Add(-time.Minute), 0), CreateRev: 1, ModRev: 9, Version: 9}}}, model.Loaded{At: at, Rev: 9}}})
	if got := s.Lock(kubeKey).MovesWhen(at); got != "overdue by 45s: others may take it, if the holder's clock is right" {
		t.Error(got)
	}
}

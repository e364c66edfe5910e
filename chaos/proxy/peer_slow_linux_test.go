//go:build slow

package proxy

import (
	"strings"
	"testing"

	"locktop/chaos/chaostest"
	"locktop/model"
)

func TestAnotherUserOfTheMachineIsRefused(t *testing.T) {
	t.Parallel()
	w := &witness{}
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}, Foreign: true, Report: w.report})
	own := behind(t, p, "a")
	for _, at := range append(p.Shared(), own.Endpoints()...) {
		if out, err := asNobody(t, "TestWriteAsAnotherUser", throughAs+"="+at); err != nil {
			t.Errorf("another user at %s: %v\n%s", at, err, out)
		}
	}
	r, err := own.Get(chaostest.Within(t), "/k")
	chaostest.Must(t, err)
	if r.Count != 0 {
		t.Errorf("the cluster has %v", r.Kvs)
	}
	if told := reported[model.TurnedAway](w); len(told) != 1 || !strings.Contains(told[0].Text, "uid 65534") {
		t.Errorf("told %v, want the user, once", told)
	}
}

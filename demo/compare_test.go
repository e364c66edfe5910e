package demo

import (
	"fmt"
	"testing"

	"locktop/demo/cluster"
	"locktop/demo/labtest"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher"
)

// Every member is asked for its own count at one and the same revision: on a healthy
// cluster they agree, and nothing is found.
func TestMembersAreComparedAtOneRevision(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Members: 3, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	for i := range 7 {
		if _, err := cli.Put(t.Context(), fmt.Sprintf("/watched/%d", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cli.Put(t.Context(), "/elsewhere", ""); err != nil {
		t.Fatal(err)
	}
	w := watcher.New(cli, watcher.Options{Prefixes: []string{"/watched/"}, OneLook: true})
	t.Cleanup(func() { w.Close() })
	s := store.New()
	labtest.Eventually(t, "three members are counted", func() bool {
		b, err := w.Next(t.Context(), s.Want(nil))
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(b)
		return len(s.Cluster().Members) == 3
	})
	// The revision is one that all have applied. A starved member may not have the last
	// ones yet; the first key came with revision 2.
	first := s.Cluster().Members[0]
	want := min(7, first.KeysRev-1)
	for _, m := range s.Cluster().Members {
		if m.Keys != want || m.KeysRev < 2 || m.KeysRev != first.KeysRev {
			t.Errorf("%s: %d keys at revision %d, want %d at %d", m.Name, m.Keys, m.KeysRev, want, first.KeysRev)
		}
	}
	for _, f := range s.Findings() {
		t.Errorf("found %s: %s", f.Code, text.English(f.Summary))
	}
}

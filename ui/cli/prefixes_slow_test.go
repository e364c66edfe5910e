//go:build slow

package cli

import (
	"fmt"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestALookWaitsForEveryPrefix: a lock is blocked for ever below a prefix that is named
// last, and the one that is named first has no keys, so its list is there at once. One
// look in two would answer before the other list had begun.
func TestALookWaitsForEveryPrefix(t *testing.T) {
	t.Parallel()
	locktop(t)
	endpoint := member(t)
	c := unbound(t, endpoint)
	l, err := c.Grant(within(t), 600)
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range []struct {
		key   string
		lease clientv3.LeaseID
	}{{"/z/lock/setting", 0}, {fmt.Sprintf("/z/lock/%x", l.ID), l.ID}} {
		if _, err := c.Put(within(t), kv.key, "", clientv3.WithLease(kv.lease)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"ls", "--prefix", "/a/", "--prefix", "/z/"}, exitOK, "/z/lock", "the first is empty"},
		{[]string{"ls", "--prefix", "/z/", "--prefix", "/a/", "--prefix", "/z/", "--prefix", "/z/lock"}, exitOK, "/z/lock", "said twice, and one within another"},
		{[]string{"doctor", "--prefix", "/a/", "--prefix", "/b/", "--prefix", "/z/"}, exitFailed, "foreign-key", "what is wrong is below the last"},
		{[]string{"doctor", "--for", "50ms", "--prefix", "/a/", "--prefix", "/z/"}, exitFailed, "foreign-key", "who observes for a while begins with all"},
		{[]string{"describe", "/z/lock", "--prefix", "/a/", "--prefix", "/z/"}, exitOK, "foreign-key", "it is there"},
		{[]string{"break", "/z/lock", "--dry-run", "--claim", "/z/lock/setting", "--prefix", "/a/", "--prefix", "/z/"}, exitOK, "goes: /z/lock/setting", "it is there"},
	} {
		for range 10 {
			code, out, errs := program(t, t.TempDir(), patient(row.args, endpoint)...)
			if code != row.code || !strings.Contains(out, row.want) {
				t.Errorf("%s: %v: exit %d\n%s%s", row.reason, row.args, code, out, errs)
				break
			}
		}
	}
}

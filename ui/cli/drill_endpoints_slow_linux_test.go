//go:build slow

package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestADrillOnATestCluster: it wants to be named and allowed, does nothing that needs members
// of ours, competes for no lock that is used, and leaves nothing there.
func TestADrillOnATestCluster(t *testing.T) {
	b := newCLIOn(t, installedServer(t))
	b.put("/used/app", "x", "")
	obeys := worker(t, "obeys") + " {lock} {ttl}"
	home(t, "p:\n  endpoints: ['"+b.endpoint+"']\n  read-only: true\n")
	t.Setenv("ETCDCTL_ENDPOINTS", "127.0.0.1:1") // no environment sends a drill anywhere
	for _, r := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"keepalives-held", "--endpoints", b.endpoint, "--as", obeys}, 2, "drill run writes to " + b.endpoint + ": add --armed to confirm", "nobody allowed it"},
		{[]string{"keepalives-held", "--endpoints", b.endpoint, "--armed"}, 2, "--endpoints is for programs of your own", "contenders of the lab stay there"},
		{[]string{"keepalives-held", "--armed", "--as", obeys}, 2, "--armed has no meaning", "a lab of its own needs no leave"},
		{[]string{"keepalives-held", "--user", "x", "--as", obeys}, 2, "--user has no meaning", "and knows no users"},
		{[]string{"keepalives-held", "--endpoints", b.endpoint, "--armed", "--profile", "p", "--as", obeys}, 2, `profile "p" is read-only`, "a profile rules it out"},
		{[]string{"keepalives-held", "--endpoints", b.endpoint, "--armed", "--lock", "/used", "--as", obeys}, 2, "1 keys of " + b.endpoint + " begin with /used: --lock names a lock that nobody uses", "somebody uses the lock"},
		{[]string{"leader-moves", "--endpoints", b.endpoint, "--armed", "--as", obeys}, 2, "step 8 (move-leader) needs a cluster of the lab", "the members are not ours"},
		{[]string{"keepalives-held", "--endpoints", "127.0.0.1:1", "--armed", "--as", obeys}, 2, "127.0.0.1:1", "nobody is there"},
		{[]string{"keepalives-held", "--dry-run", "--as", obeys}, 0, "lab: 3 members", "without the flag it is a lab of its own"},
		{[]string{"keepalives-held", "--endpoints", b.endpoint, "--armed", "--lock", "/app/report", "--as", obeys, "--belief", workerSays}, 0, "held      stops: ", "all is as it has to be"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			tmp := t.TempDir()
			code, out, errs := program(t, tmp, append([]string{"drill", "run"}, r.args...)...)
			if code != r.code || !strings.Contains(out+errs, r.want) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, r.code, r.want, out, errs)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
	if keys := b.keys("/"); !slices.Equal(keys, []string{"/used/app"}) {
		// What a killed program held goes with its lease.
		settles(t, "the leases of the programs have ended", func() bool {
			return slices.Equal(b.keys("/"), []string{"/used/app"})
		})
	}
}

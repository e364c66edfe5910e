//go:build slow

package cli

import (
	"os"
	"os/exec"
	"testing"

	"locktop/demo/etcdtest"
)

// TestOnTheInstalledServer: commands do the same on the etcd of the machine, which is often an older one
// than that of the module.
func TestOnTheInstalledServer(t *testing.T) {
	embedded := testServer
	t.Cleanup(func() { testServer = embedded }) // once the parallel ones have ended
	testServer = installedServer
	for name, test := range map[string]func(*testing.T){
		"break":                  TestBreak,
		"break, its consequence": TestBreakSaysWhatComesOfIt,
		"break, its guard":       TestTheDryRunPrintsTheGuard,
		"break, a waiter":        TestOnlyAHolderIsBrokenWithoutItsKey,
		"contend":                TestContendByEveryRecipe,
		"console":                TestFewKeysAreWatchedWhole,
		"console, history":       TestTheConsoleBeginsWithHistory,
		"describe":               TestDescribeSaysWhyAndWhatToDo,
		"discover":               TestDiscoverPrintsPrefixes,
		"doctor":                 TestDoctor,
		"events":                 TestEventsAsLines,
		"ls of a pinned recipe":  TestARecipeCanBePinned,
		"proxy":                  TestTheProxyServesOthersUntilItIsEnded,
		"record and replay":      TestRecordAndReplay,
		"serve":                  TestServeAsksForItsToken,
	} {
		t.Run(name, test)
	}
}

// installedServer starts the etcd of the machine in a process of its own. It returns its endpoint.
func installedServer(t *testing.T) string {
	t.Helper()
	_, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	until(t, "etcd answers", func() bool {
		return exec.Command(locktop(t), "ls", "--endpoints", endpoint).Run() == nil
	})
	return endpoint
}

// require returns the path of a program. A test that needs one fails where it is missing.
func require(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s is missing", program)
	}
	return path
}

// ctl is what etcdctl says.
func (b *cliBench) ctl(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(require(b.t, "etcdctl"), args...)
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+b.endpoint)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("etcdctl %v: %v\n%s", args, err, out)
	}
	return string(out)
}

//go:build slow

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/contender"
	"locktop/model"
)

// briefly are the flags of a contender that takes one short turn.
func briefly(endpoint, recipe, lock string, more ...string) []string {
	args := patient([]string{"contend", "--armed", "--recipe", recipe, "--name", "me", "--rounds", "1", "--ttl", "5",
		"--hold", "10ms", "--think", "10ms"}, endpoint)
	return append(append(args, more...), lock)
}

// tookAndLetGo says whether a contender's lines tell of a whole turn.
func tookAndLetGo(t *testing.T, out string) bool {
	t.Helper()
	var states []model.BeliefState
	for line := range strings.Lines(out) {
		b, _, err := contender.DecodeBelief([]byte(line))
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		states = append(states, b.State)
	}
	held := slices.Index(states, model.BeliefHolding)
	return held >= 0 && states[len(states)-1] == model.BeliefIdle
}

// TestAContenderLogsIn: with the rights on its own prefix and no more it takes a lock
// by every recipe, lets it go, and leaves no key behind.
func TestAContenderLogsIn(t *testing.T) {
	endpoint := guarded(t)
	enlist(t, endpoint, "worker", "/mine/", "/mine0", mayBoth)
	t.Setenv("ETCDCTL_PASSWORD", secret)
	for _, recipe := range contender.Recipes {
		t.Run(recipe, func(t *testing.T) {
			code, out, errs := program(t, t.TempDir(), briefly(endpoint, recipe, "/mine/"+recipe, "--user", "worker")...)
			if code != exitOK || !tookAndLetGo(t, out) || errs != "" {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
			if strings.Contains(out+errs, secret) {
				t.Errorf("the secret is in %s%s", out, errs)
			}
		})
	}
	c, err := open(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 20 * time.Second, Username: "worker", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if left, err := c.Get(within(t), "/mine/", clientv3.WithPrefix()); err != nil || len(left.Kvs) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestAContenderLogsInByEveryWay, and in a namespace.
func TestAContenderLogsInByEveryWay(t *testing.T) {
	file := passwordFile(t, secret+"\n", 0o600)
	home(t, "p: {user: worker, password-file: "+file+"}\n")
	endpoint := guarded(t)
	enlist(t, endpoint, "worker", "/mine/", "/mine0", mayBoth)
	ways := []struct {
		name  string
		flags []string
		env   map[string]string
	}{
		{"flags", []string{"--user", "worker", "--password", secret}, nil},
		{"one variable", nil, map[string]string{"ETCDCTL_USER": "worker:" + secret}},
		{"file", []string{"--user", "worker", "--password-file", file}, nil},
		{"profile", []string{"--profile", "p"}, nil},
		{"namespace", []string{"--profile", "p", "--namespace", "/mine/"}, nil},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			for name, value := range way.env {
				t.Setenv(name, value)
			}
			lock := "/mine/lock"
			if way.name == "namespace" {
				lock = "lock"
			}
			code, out, errs := program(t, t.TempDir(), briefly(endpoint, "mutex", lock, way.flags...)...)
			if code != exitOK || !tookAndLetGo(t, out) || !strings.Contains(out, `"/mine/lock"`) {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		})
	}
}

// TestAContenderSaysWhichRightItLacks, in one line with the role that would give it.
func TestAContenderSaysWhichRightItLacks(t *testing.T) {
	endpoint := guarded(t)
	enlist(t, endpoint, "reads", "/mine/", "/mine0", mayRead)
	enlist(t, endpoint, "writes", "/mine/", "/mine0", mayWrite)
	enlist(t, endpoint, "elsewhere", "/theirs/", "/theirs0", mayBoth)
	enlist(t, endpoint, "onekey", "/mine/lock", "", mayBoth)
	t.Setenv("ETCDCTL_PASSWORD", secret)
	prefix := "; a role that may: etcdctl role grant-permission ROLE --prefix=true readwrite '/mine/lock/'\n"
	rows := []struct{ user, recipe, want, reason string }{
		{"reads", "mutex", `user "reads" may not write below "/mine/lock/" at ` + endpoint + prefix, "sees the queue and cannot join it"},
		{"writes", "mutex", `user "writes" may not read below "/mine/lock/" at ` + endpoint + prefix, "cannot see who is ahead"},
		{"elsewhere", "election", `user "elsewhere" may neither read nor write below "/mine/lock/" at ` + endpoint + prefix, "another prefix"},
		{"onekey", "mutex", `user "onekey" may neither read nor write below "/mine/lock/"`, "a queue is keys below the name"},
		{"reads", "lock-rpc", `user "reads" may not write below "/mine/lock/" at ` + endpoint + prefix, "the server is denied for its client"},
		{"reads", "uuid-queue", `user "reads" may not write below "/mine/lock/" at ` + endpoint + prefix, "a recipe made by hand"},
		{"reads", "single", `user "reads" may not write "/mine/lock" at ` + endpoint +
			"; a role that may: etcdctl role grant-permission ROLE readwrite '/mine/lock'\n", "one key wants a role for one key"},
		{"reads", "owner", `user "reads" may not write "/mine/lock"`, "the same"},
	}
	for _, r := range rows {
		t.Run(r.user+" "+r.recipe, func(t *testing.T) {
			code, out, errs := program(t, t.TempDir(), briefly(endpoint, r.recipe, "/mine/lock", "--user", r.user)...)
			if code != exitBad || !strings.Contains(errs, r.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s: exit %d: %s\nwant %s", r.reason, code, errs, r.want)
			}
			if strings.Contains(out+errs, secret) {
				t.Errorf("the secret is in %s%s", out, errs)
			}
		})
	}
	root, err := open(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 20 * time.Second, Username: "root", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if kvs, err := root.Get(within(t), "/mine/", clientv3.WithPrefix()); err != nil || len(kvs.Kvs) > 0 {
		t.Errorf("asking for rights wrote: %v, %v", kvs, err)
	}
	code, out, errs := program(t, t.TempDir(), briefly(endpoint, "mutex", "/mine/lock")...)
	if code != exitBad || out != "" || !strings.Contains(errs, endpoint+" wants a user: name one with --user") || strings.Count(errs, "\n") != 1 {
		t.Errorf("no user at all: exit %d: %s%s", code, out, errs)
	}
	code, out, errs = program(t, t.TempDir(), briefly(endpoint, "mutex", "/mine/lock", "--user", "reads", "--password", "wrong"+secret)...)
	if code != exitBad || out != "" || !strings.Contains(errs, `user "reads" cannot log in`) || strings.Contains(errs, secret) {
		t.Errorf("a wrong password: exit %d: %s%s", code, out, errs)
	}
}

// TestARightThatIsTakenAwayEndsAContender, which let its lock go while it still could.
func TestARightThatIsTakenAwayEndsAContender(t *testing.T) {
	endpoint := guarded(t)
	enlist(t, endpoint, "worker", "/mine/", "/mine0", mayBoth)
	t.Setenv("ETCDCTL_PASSWORD", secret)
	cmd := exec.Command(locktop(t), patient([]string{"contend", "--armed", "--user", "worker", "--hold", "20ms", "--think", "20ms", "/mine/lock"}, endpoint)...)
	cmd.Env = os.Environ()
	out, errs := lines(t, cmd)
	untilLine(t, out, `"holding"`)
	root, err := open(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 20 * time.Second, Username: "root", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := root.UserRevokeRole(within(t), "worker", "worker"); err != nil {
		t.Fatal(err)
	}
	for range out { // to the end of its lines
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitBad || !strings.Contains(errs.String(), `user "worker" may neither read nor write`) {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestAManualContenderSaysWhatItIsDenied and goes on.
func TestAManualContenderSaysWhatItIsDenied(t *testing.T) {
	endpoint := guarded(t)
	t.Setenv("ETCDCTL_PASSWORD", secret)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, locktop(t), patient([]string{"contend", "--armed", "--manual", "--user", reader, "/locks/orders"}, endpoint)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := lines(t, cmd)
	for range 2 { // it goes on: the second time it says so again
		fmt.Fprintln(in, "lock")
		untilLine(t, out, `may not write below \"/locks/orders/\"`)
	}
	in.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestAContenderShowsItsCertificate: over TLS it takes a lock, first where nobody needs
// a user, then as the user that its certificate names.
func TestAContenderShowsItsCertificate(t *testing.T) {
	t.Parallel()
	etcdctl := require(t, "etcdctl")
	a := newAuthority(t)
	endpoint, secure := a.tlsProcess()
	contend := func(lock string, more ...string) (int, string, string) {
		return program(t, t.TempDir(), briefly(endpoint, "mutex", lock, append(slices.Clone(secure), more...)...)...)
	}
	if code, out, errs := contend("/a/lock"); code != exitOK || !tookAndLetGo(t, out) {
		t.Fatalf("without users: exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := program(t, t.TempDir(), briefly(endpoint, "mutex", "/a/lock", secure[:2]...)...); code != exitBad || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("no certificate of one's own: exit %d: %s%s", code, out, errs)
	}
	for _, args := range []string{"role add root", "role add r", "role grant-permission r --prefix=true readwrite /mine/", "user add root:" + secret,
		"user add client:" + secret, "user grant-role root root", "user grant-role client r", "auth enable"} {
		cmd := exec.Command(etcdctl, append([]string{"--endpoints", endpoint}, append(slices.Clone(secure), strings.Fields(args)...)...)...)
		cmd.Env = append(os.Environ(), "ETCDCTL_API=3")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, text)
		}
	}
	if code, out, errs := contend("/mine/lock"); code != exitOK || !tookAndLetGo(t, out) {
		t.Errorf("as the user of the certificate: exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := contend("/mine/lock", "--user", "client:"+secret); code != exitOK || !tookAndLetGo(t, out) {
		t.Errorf("with a password beside: exit %d: %s%s", code, out, errs)
	}
	code, out, errs := contend("/theirs/lock")
	if code != exitBad || !strings.Contains(errs, `whoever shows this certificate may neither read nor write below "/theirs/lock/"`) || strings.Count(errs, "\n") != 1 {
		t.Errorf("another prefix: exit %d: %s%s", code, out, errs)
	}
}

// TestASecretIsInNobodysArguments: what a contender runs as can be read by
// everybody on the machine.
func TestASecretIsInNobodysArguments(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Fatal("needs /proc to see processes")
	}
	endpoint := guarded(t)
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), append(patient([]string{"proxy", "--user", reader, "--password", secret}, endpoint), "--", "sleep", "60")...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var errs strings.Builder
	cmd.Stderr = &errs
	start(t, cmd)
	var child string
	until(t, "the command runs", func() bool {
		for _, pid := range family(t, cmd.Process.Pid) {
			text, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
			if strings.HasPrefix(string(text), "sleep\x00") {
				child = pid
			}
		}
		return child != ""
	})
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(filepath.Join("/proc", child, name))
		if err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%s of the command: %v: %q", name, err, text)
		}
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if strings.Contains(errs.String(), secret) {
		t.Error(errs.String())
	}
}

// family are the ids of the processes that one has started.
func family(t *testing.T, pid int) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil || len(all) == 0 {
		t.Skip("needs /proc to see processes")
	}
	var pids []string
	for _, name := range all {
		text, _ := os.ReadFile(name)
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids
}

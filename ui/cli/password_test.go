package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	secret = "hunter2sEcReT"
	reader = "eve" // may read below /locks/
)

// guarded runs a member with locks on it that wants a user: root or the reader, whose
// passwords are the secret.
func guarded(t *testing.T) string {
	t.Helper()
	locktop(t) // built before the time runs
	endpoint := member(t)
	c := unbound(t, endpoint)
	settle(t, c)
	ctx := within(t)
	for _, step := range []func() error{
		func() error { _, err := c.RoleAdd(ctx, "root"); return err },
		func() error { _, err := c.RoleAdd(ctx, "r"); return err },
		func() error {
			_, err := c.RoleGrantPermission(ctx, "r", "/locks/", "/locks0", clientv3.PermissionType(clientv3.PermRead))
			return err
		},
		func() error { _, err := c.UserAdd(ctx, "root", secret); return err },
		func() error { _, err := c.UserAdd(ctx, reader, secret); return err },
		func() error { _, err := c.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := c.UserGrantRole(ctx, reader, "r"); return err },
		func() error { _, err := c.AuthEnable(ctx); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return endpoint
}

// passwordFile writes one with the secret.
func passwordFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	return name
}

// patient are the flags for a machine that is busy.
func patient(args []string, endpoint string) []string {
	return append(args, "--endpoints", endpoint, "--dial-timeout", "20s", "--command-timeout", "20s")
}

// TestEveryCommandLogsIn: a user who may read one prefix looks at it with every command,
// by every way of giving the password, and the password is nowhere to be seen.
func TestEveryCommandLogsIn(t *testing.T) {
	home(t, "")
	endpoint := guarded(t)
	file := passwordFile(t, secret+"\n", 0o600)
	ways := []struct {
		name  string
		flags []string
		env   map[string]string
	}{
		{"flags", []string{"--user", reader, "--password", secret}, nil},
		{"one flag", []string{"--user", reader + ":" + secret}, nil},
		{"environment", nil, map[string]string{"ETCDCTL_USER": reader, "ETCDCTL_PASSWORD": secret}},
		{"one variable", nil, map[string]string{"ETCDCTL_USER": reader + ":" + secret}},
		{"file", []string{"--user", reader, "--password-file", file}, nil},
		{"file in the environment", []string{"--user", reader}, map[string]string{"LOCKTOP_PASSWORD_FILE": file}},
	}
	commands := [][]string{{"ls"}, {"describe", "/locks/orders"}, {"doctor"}, {"events", "--for", "1s"}, {"discover"},
		{"break", "/locks/orders", "--dry-run"}, {"record", "RECORDING", "--for", "1s"}, {"config"}, {"proxy", "--", "true"}, {}}
	for i, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			for name, value := range way.env {
				t.Setenv(name, value)
			}
			some := commands
			if i > 0 {
				some = commands[:1] // they all connect in the same way
			}
			for _, command := range some {
				state := t.TempDir()
				recording := filepath.Join(state, "recording")
				args := append(patient(append([]string{"--prefix", "/locks/"}, way.flags...), endpoint), command...)
				for i := range args {
					args[i] = strings.Replace(args[i], "RECORDING", recording, 1)
				}
				out, errs := ran(t, state, "", args...)
				journal, _ := os.ReadFile(filepath.Join(state, "locktop", "actions.jsonl"))
				var recorded []byte
				_, err := os.Stat(recording)
				if err == nil {
					recorded = recordedText(t, recording)
				}
				if strings.Contains(out+errs+string(journal)+string(recorded), secret) {
					t.Errorf("%q: the secret is in %s%s%s%s", command, out, errs, journal, recorded)
				}
				if len(command) > 0 && command[0] == "record" && !strings.Contains(string(recorded), "/locks/orders") {
					t.Errorf("recorded %q, %v: %s", recorded, err, errs)
				}
				if strings.Contains(errs, "locktop: ") || len(command) > 0 && command[0] != "events" && command[0] != "doctor" && !strings.Contains(out+errs, "/locks") && command[0] != "proxy" {
					t.Errorf("%q: %s%s", command, out, errs)
				}
			}
		})
	}
}

func TestALoginThatFailsIsOneLine(t *testing.T) {
	home(t, "p: {endpoints: '127.0.0.1:1', user: ops, password: "+secret+"}\n")
	endpoint := guarded(t)
	rows := []struct {
		args         []string
		env          map[string]string
		want, reason string
	}{
		{[]string{"--user", reader, "--password", secret + "x"}, nil, `user "eve" cannot log in at ` + endpoint + ": authentication failed", "a wrong password"},
		{[]string{"--user", "nobody", "--password", secret}, nil, `user "nobody" cannot log in at ` + endpoint, "no such user"},
		{[]string{"--user", reader}, map[string]string{"ETCDCTL_PASSWORD": secret + "x"}, `"eve" cannot log in`, "wrong in the environment"},
		{nil, map[string]string{"ETCDCTL_USER": reader + ":" + secret, "ETCDCTL_PASSWORD": secret}, `user "eve:xxxxx" cannot log in`, "as etcdctl, which then takes the whole user"},
		{[]string{"--user", reader}, nil, `no password for user "eve": set ETCDCTL_PASSWORD`, "none, and nobody to ask"},
		{[]string{"--user", reader, "--profile", "p"}, nil, `no password for user "eve"`, "that of a profile is for its own user"},
		{[]string{"--password", secret}, nil, "without --user: whose is it?", "whose?"},
		{[]string{"--user", reader, "--password-file", "/no/such"}, nil, "--password-file: open /no/such: no such file", "no file"},
		{[]string{"--user", reader, "--password-file", passwordFile(t, secret+"\nmore\n", 0o600)}, nil, "does not hold a password on one line", "another file"},
		{nil, nil, endpoint + " wants a user: name one with --user", "no user at all"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			for name, value := range r.env {
				t.Setenv(name, value)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, locktop(t), patient(append([]string{"ls"}, r.args...), endpoint)...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != exitBad || !strings.Contains(string(out), r.want) || strings.Count(string(out), "\n") != 1 {
				t.Errorf("exit %d: %s, want %q", code, out, r.want)
			}
			if strings.Contains(string(out), secret) {
				t.Errorf("the secret is in %s", out)
			}
		})
	}
}

func TestAPasswordFileThatAllCanReadIsWarnedOf(t *testing.T) {
	clearEnv(t)
	var errs strings.Builder
	e := &access{streams: streams{err: &errs}, config: config{flags: connFlags{user: "u", passwordFile: passwordFile(t, secret, 0o644)}}}
	if err := e.login(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(secret, e.creds.password); d != "" || !strings.Contains(errs.String(), "everybody on this machine can read") || strings.Contains(errs.String(), secret) {
		t.Errorf("said %q", errs.String())
	}
}

// TestBreakLogsInToWrite: the writer's connection is opened later, as the same user.
func TestBreakLogsInToWrite(t *testing.T) {
	home(t, "")
	endpoint := guarded(t)
	t.Setenv("ETCDCTL_PASSWORD", secret)
	state := t.TempDir()
	out, errs := ran(t, state, "", patient([]string{"break", "/locks/orders", "--armed", "--yes", "--user", "root"}, endpoint)...)
	journal, err := os.ReadFile(filepath.Join(state, "locktop", "actions.jsonl"))
	if err != nil || !strings.Contains(out, "seen: ") {
		t.Errorf("%v: %s%s", err, out, errs)
	}
	if strings.Contains(out+errs+string(journal), secret) {
		t.Errorf("the secret is in %s%s%s", out, errs, journal)
	}
}

// TestLoginOnAnOldServer: those before 3.7 tell their status to everybody.
func TestLoginOnAnOldServer(t *testing.T) {
	home(t, "")
	locktop(t)
	b := newCLI(t)
	b.claim("/locks/orders", b.lease("600"))
	for _, args := range []string{"role add root", "role add r", "role grant-permission r --prefix=true read /locks/", "user add root:" + secret,
		"user add eve:" + secret, "user grant-role root root", "user grant-role eve r", "auth enable"} {
		b.ctl(strings.Fields(args)...)
	}
	t.Setenv("ETCDCTL_PASSWORD", secret)
	out, errs := ran(t, t.TempDir(), "", patient([]string{"ls", "--prefix", "/locks/", "--user", "eve"}, b.endpoint)...)
	if !strings.Contains(out, "/locks/orders") {
		t.Errorf("as a user who may read: %s%s", out, errs)
	}
	for _, args := range [][]string{{"ls", "--prefix", "/jobs/", "--user", "eve"}, {"ls"}, {"ls", "--user", "eve", "--password", "x"}} {
		out, errs := ran(t, t.TempDir(), "", patient(args, b.endpoint)...)
		if out != "" || strings.Count(errs, "\n") != 1 || strings.Contains(errs, secret) {
			t.Errorf("%q: %s%s", args, out, errs)
		}
		t.Log(errs)
	}
}

// TestALabIsNotDisturbed: what is said of a cluster is not for a lab.
func TestALabIsNotDisturbed(t *testing.T) {
	locktop(t)
	home(t, "")
	for name, value := range map[string]string{"ETCDCTL_USER": "nobody", "ETCDCTL_PASSWORD": secret, "ETCDCTL_ENDPOINTS": "nonsense", "ETCDCTL_DIAL_TIMEOUT": "soon",
		"ETCDCTL_CACERT": "/none", "ETCDCTL_DISCOVERY_SRV": "nowhere", "LOCKTOP_PROFILE": "none", "LOCKTOP_NAMESPACE": "/x/", "LOCKTOP_RECIPE": "bad"} {
		t.Setenv(name, value)
	}
	cmd := demoProgram(t, t.TempDir())
	out, errs := lines(t, cmd)
	untilLine(t, out, "joined the queue")
	cmdlines := ""
	for _, pid := range family(t, cmd.Process.Pid) {
		text, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", pid, "environ"))
		cmdlines += string(text)
		if strings.Contains(string(environ), secret) {
			t.Errorf("%s is handed the secret", text)
		}
	}
	if !strings.Contains(cmdlines, "contend") || strings.Contains(cmdlines, secret) {
		t.Errorf("contenders are started as %q", cmdlines)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if strings.Contains(errs.String(), secret) {
		t.Error(errs)
	}
	drill, said := ran(t, t.TempDir(), "", "drill", "list")
	if !strings.Contains(drill, "holder-crash") {
		t.Errorf("drill list: %s%s", drill, said)
	}
	code, drill, said := program(t, t.TempDir(), "drill", "run", "testdata/turns.yaml")
	if code != exitOK || strings.Contains(drill+said, secret) {
		t.Errorf("drill run: exit %d: %s%s", code, drill, said)
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

package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
	authOn(t, c)
	return endpoint
}

// authOn has a server want a user from now on: root or the reader.
func authOn(t *testing.T, c *clientv3.Client) {
	t.Helper()
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

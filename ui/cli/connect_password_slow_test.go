//go:build slow

package cli

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEveryCommandLogsIn: a user who may read one prefix looks at it with every command,
// by every way of giving the password, and the password is nowhere to be seen.
func TestEveryCommandLogsIn(t *testing.T) {
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

// TestLoginOnAnOldServer: those before 3.7 tell their status to everybody.
func TestLoginOnAnOldServer(t *testing.T) {
	locktop(t)
	b := newCLIOn(t, installedServer(t))
	b.claim("/locks/orders", b.lease(600))
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

// enlist adds a user to a guarded member, whose password is the secret and who has the
// right on the keys from first to before end; an empty end is one key.
func enlist(t *testing.T, endpoint, name, first, end string, right clientv3.PermissionType) {
	t.Helper()
	root, err := open(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 20 * time.Second, Username: "root", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx := within(t)
	for _, step := range []func() error{
		func() error { _, err := root.RoleAdd(ctx, name); return err },
		func() error { _, err := root.RoleGrantPermission(ctx, name, first, end, right); return err },
		func() error { _, err := root.UserAdd(ctx, name, secret); return err },
		func() error { _, err := root.UserGrantRole(ctx, name, name); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	mayRead  = clientv3.PermissionType(clientv3.PermRead)
	mayWrite = clientv3.PermissionType(clientv3.PermWrite)
	mayBoth  = clientv3.PermissionType(clientv3.PermReadWrite)
)

//go:build slow

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestTLSFilesThatAreReadOnce: what a shell passes on as <(…) or on standard input is there
// for the first reader alone, and a command opens more than one connection.
func TestTLSFilesThatAreReadOnce(t *testing.T) {
	t.Parallel()
	etcdctl, bash := require(t, "etcdctl"), require(t, "bash")
	a := newAuthority(t)
	endpoint, _ := a.tlsProcess()
	pair, err := os.ReadFile(a.path("client"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(a.path("client-key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.path("both"), append(pair, key...), 0o600); err != nil {
		t.Fatal(err)
	}
	const files = "--cacert ca.pem --cert client.pem --key client-key.pem"
	for _, r := range []struct {
		script string
		code   int
		says   string
		reason string
	}{
		{`"$L" ls ` + files, exitOK, "", "plain files, for comparison"},
		{`"$L" ls --cacert <(cat ca.pem) --cert client.pem --key client-key.pem`, exitOK, "", "the authority from a program"},
		{`"$L" ls --cacert ca.pem --cert client.pem --key <(cat client-key.pem)`, exitOK, "", "the key from a program: it need never be a file"},
		{`"$L" ls --cacert <(sleep 0.7; cat ca.pem) --cert <(cat client.pem) --key <(cat client-key.pem)`, exitOK, "", "all three, one of them late"},
		{`cat both.pem | "$L" ls --cacert ca.pem --cert /dev/stdin --key /dev/stdin`, exitOK, "", "a pipe that has both"},
		{`"$L" ls --cacert /dev/stdin --cert client.pem --key client-key.pem <ca.pem`, exitOK, "", "a file as standard input"},
		{`"$L" events --for 5s --cacert <(cat ca.pem) --cert client.pem --key client-key.pem`, exitOK, "", "a command that stays"},
		{`"$L" proxy --cacert <(cat ca.pem) --cert client.pem --key <(cat client-key.pem) -- "$ETCDCTL" put /a b`, exitOK, "OK", "the proxy's own connections"},
		{`"$L" ls --cacert <(exec sleep 100 2>/dev/null) --cert client.pem --key client-key.pem --command-timeout 1s`, exitBad, "has not come to its end within 1s (--command-timeout)", "a program that says nothing"},
		{`"$L" ls --cacert <(yes) --cert client.pem --key client-key.pem`, exitBad, "more than 1048576 bytes", "a program without an end"},
		{`"$L" ls --cacert <(true) --cert client.pem --key client-key.pem`, exitBad, "it is empty", "a program that failed"},
		{`"$L" ls --cacert <(cat client-key.pem) --cert client.pem --key client-key.pem`, exitBad, "has no certificate in PEM form", "the wrong one"},
		{`"$L" ls --cacert ca.pem --cert client.pem --key <(cat ca-key.pem)`, exitBad, "private key does not match", "a key of another"},
		{`"$L" ls --cacert ca.pem --cert client.pem --key .`, exitBad, "is a directory", "no file at all"},
		{`"$L" ls --cacert ca.pem --cert client.pem`, exitBad, "go together", "half a pair"},
		{`mkfifo p && ETCDCTL_CACERT=p "$L" version`, exitOK, "", "a command without a cluster reads none of them"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bash, "-c", r.script)
			cmd.Dir = a.dir
			cmd.Env = append(cleanEnv(t.TempDir()), "HOME="+t.TempDir(), "L="+locktop(t), "ETCDCTL="+etcdctl, "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+endpoint)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			began := time.Now()
			_ = cmd.Run() // its code is looked at
			if code := cmd.ProcessState.ExitCode(); code != r.code || !strings.Contains(out.String()+errs.String(), r.says) || r.code == exitBad && strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, r.code, r.says, &out, &errs)
			}
			if took := time.Since(began); took > 30*time.Second && r.code == exitBad {
				t.Errorf("it took %s", took)
			}
		})
	}
}

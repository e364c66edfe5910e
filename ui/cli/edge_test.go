package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoPasswordOfAnEndpointIsShown: endpoints take no user, and the sentence that says so
// shows nothing of the password, whatever characters it has and wherever it stands.
func TestNoPasswordOfAnEndpointIsShown(t *testing.T) {
	for _, endpoint := range []string{
		"http://root:s3cret@host:1", "root:s3cret@host:1", "http://root:a@s3cret@host:1", "a@s3cret@host:1",
		"http://root:s3cret,b@host:1", "http://root:a,s3cret@host:1", "root:s3cret,http://x@host:1", `http://root:s3cret"@host:1`,
		`http://root:s3cret",a@host:1`, "http://root:s3cret/a@host:1", "http://root:%zz@s3cret@host:1", "ftp://root:s3cret@host:1",
		"10.0.0.1:2379,https://root:s3cret@host:1", "http://root:s3cret@host:1,10.0.0.1:2379",
	} {
		for _, said := range []string{"flag", "variable", "profile"} {
			home(t, "p:\n  endpoints: ['"+endpoint+"']\n")
			for _, command := range [][]string{{"config"}, {"config", "-o", "json"}, {"ls"}, {"proxy"}, {"contend", "--armed", "/lock"}, {"record", "/dev/null"}, {}} {
				args := command
				switch said {
				case "flag":
					args = append(args, "--endpoints", endpoint)
				case "variable":
					t.Setenv("ETCDCTL_ENDPOINTS", endpoint)
				case "profile":
					args = append(args, "--profile", "p")
				}
				code, out, errs := run(t, args...)
				if code != exitBad || strings.Contains(out+errs, "s3cret") {
					t.Errorf("%s in a %s, %q: exit %d: %s%s", endpoint, said, command, code, out, errs)
				}
			}
		}
	}
}

func TestAnAuthorityThatIsNone(t *testing.T) {
	a := newAuthority(t)
	file := filepath.Join(t.TempDir(), "none.pem")
	if err := os.WriteFile(file, []byte("-----BEGIN RUBBISH-----\n-----END RUBBISH-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const none = " has no certificate in PEM form"
	for _, r := range []struct{ path, says, reason string }{{file, none, "no PEM that is known"}, {a.path("ca-key"), none, "a key"}, {os.DevNull, ": it is empty", "nothing"}} {
		path, reason := r.path, r.reason
		code, _, errs := run(t, "ls", "--endpoints", "https://127.0.0.1:1", "--cacert", path)
		if want := path + r.says; code != exitBad || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s; want %q", reason, code, errs, want)
		}
	}
	if code, _, errs := run(t, "ls", "--endpoints", "https://127.0.0.1:1", "--cacert", a.path("ca")); code != exitBad || strings.Contains(errs, "PEM") {
		t.Errorf("a good one: exit %d: %s", code, errs)
	}
}

// TestADryRunNeedsNoPlaceToWrite: it writes nothing, the audit log included.
func TestADryRunNeedsNoPlaceToWrite(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/lock", b.lease(600))
	for _, r := range []struct {
		env    []string
		reason string
	}{
		{[]string{"XDG_STATE_HOME=", "HOME=" + os.DevNull}, "a home that is no folder"},
		{[]string{"XDG_STATE_HOME=", "HOME="}, "no home at all"},
		{[]string{"XDG_STATE_HOME=" + os.DevNull}, "a place that cannot be written"},
	} {
		for _, armed := range []bool{false, true} {
			args := []string{"break", "/lock", "--dry-run", "--endpoints", b.endpoint}
			if armed {
				args = append(args, "--armed")
			}
			cmd := exec.Command(locktop(t), args...)
			cmd.Env = append(os.Environ(), r.env...)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "dry run: nothing was done") {
				t.Errorf("%s, armed %v: %v\n%s", r.reason, armed, err, out)
			}
		}
	}
	state := t.TempDir()
	cmd := exec.Command(locktop(t), "break", "/lock", "--dry-run", "--endpoints", b.endpoint)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "*")); len(left) > 0 {
		t.Errorf("it wrote %v", left)
	}
}

//go:build slow

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBreakDoesNothingElseThanWasShown: what changes between the plan and the name that
// is typed is not broken. It is said, with exit 2, and in the journal.
func TestBreakDoesNothingElseThanWasShown(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	one, two := b.lease(600), b.lease(600)
	for _, r := range []struct {
		name   string
		first  string // the lease of a claim before it
		args   []string
		change func()
		says   string
		reason string
	}{
		{"value", "", []string{"--claim", "/value/" + one}, func() { b.put("/value/"+one, "new owner", one) },
			"its value is another since revision", "another owner"},
		{"lease", "", []string{"--claim", "/lease/" + one}, func() { b.put("/lease/"+one, "", two) },
			"it is on lease " + two + " now, not on lease " + one, "another session"},
		{"turn", two, []string{"--claim", "/turn/" + one}, func() { b.del("/turn/" + two) },
			`"/turn/` + one + `" holds the lock now, and it waited when it was shown`, "the lock would be taken from its holder"},
		{"lock-keys", "", nil, func() { b.put("/another/"+one, "", one) },
			"has a key that was not shown", "the revoke would break another lock"},
	} {
		t.Run(r.name, func(t *testing.T) {
			lock := "/" + r.name
			if r.first != "" {
				b.claim(lock, r.first)
			}
			key := b.claim(lock, one)
			cmd := exec.Command(locktop(t), append([]string{"break", lock, "--armed", "--endpoints", b.endpoint}, r.args...)...)
			state := t.TempDir()
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
			keyboard, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			out := &asked{happens: func() {
				r.change()
				if _, err := io.WriteString(keyboard, lock+"\n"); err != nil {
					t.Error(err)
				}
			}}
			cmd.Stdout, cmd.Stderr = out, &errs
			_ = cmd.Run() // the exit code says it
			if code := cmd.ProcessState.ExitCode(); code != exitBad || !strings.Contains(errs.String(), r.says) {
				t.Errorf("%s: exit %d, no %q in\n%s%s", r.reason, code, r.says, out, &errs)
			}
			if !b.there(key) {
				t.Errorf("%s: %s is gone\n%s", r.reason, key, out)
			}
			if code, out, errs := b.run(lock+"\n", append([]string{"break", lock, "--armed"}, r.args...)...); code != 0 {
				t.Errorf("looked at again: exit %d\n%s%s", code, out, errs)
			}
		})
	}
}

// asked is the screen of somebody who types after something else has happened: the plan
// has been shown by then.
type asked struct {
	text    strings.Builder
	happens func()
}

func (s *asked) String() string { return s.text.String() }

func (s *asked) Write(p []byte) (int, error) {
	n, err := s.text.Write(p)
	if s.happens != nil && strings.Contains(s.String(), "type the lock's name") {
		s.happens()
		s.happens = nil
	}
	return n, err
}

// TestTheDryRunPrintsTheGuard: the line that is printed deletes the claim as it is shown,
// and nothing else.
func TestTheDryRunPrintsTheGuard(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	lease := b.lease(600)
	key := b.claim("/lock", lease)
	line := func() string {
		code, out, errs := b.run("", "break", "/lock", "--dry-run", "--claim", key)
		_, rest, found := strings.Cut(out, "  by hand: ")
		ctl, _, _ := strings.Cut(rest, "dry run:")
		if code != 0 || !found {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		return ctl
	}
	run := func(ctl string) {
		cmd := exec.Command("sh", "-c", ctl)
		cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+b.endpoint)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", ctl, err, out)
		}
	}
	there := func() bool { return b.there(key) }
	shown := line()
	b.put(key, "new owner", lease)
	if run(shown); !there() {
		t.Errorf("%s deleted the claim of a new owner", shown)
	}
	if run(line()); there() {
		t.Errorf("the claim is there still: %s", line())
	}
}

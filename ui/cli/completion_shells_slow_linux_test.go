//go:build slow

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// evilNames are locks whose names a shell would take for more than a word. Each does
// it a second time with another end, so that there is a part that they have in common.
var evilNames = []string{"$(touch PWNED)", "`touch PWNED`", ";touch PWNED;", "'a", "\"a", "a\ntouch PWNED\n", "\x1b]0;title\a",
	"a b", "!touch", "~root", "*", "?", "[a]", "{a,b}", "a&touch PWNED&", "a|touch PWNED", "a>PWNED", "<(touch PWNED)", "#a", "\\a", "a\\",
	"\xff\xfe", "\u202eabc", "a\tdescription $(touch PWNED)", "é`touch PWNED`", "${IFS}", "$HOME", "=ls(touch PWNED)", "^a^b", "a\rb"}

// evilLocks makes locks of all these, plain ones, and some that begin unlike a name.
func evilLocks(t *testing.T) (endpoint string) {
	t.Helper()
	endpoint = member(t)
	c := unbound(t, endpoint)
	locks := []string{"/ok/jobs-1", "/ok/jobs-2", "/one/a=b:c,d@e%f+g", "--armed", "=ls", "%self", "_activeHelp_ $(touch PWNED)", ":4"}
	for i, name := range evilNames {
		locks = append(locks, fmt.Sprintf("/x%d/%s/1", i, name), fmt.Sprintf("/x%d/%s/2", i, name), "/all/"+name, name)
	}
	for _, lock := range locks {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(within(t), lock+"/"+fmt.Sprintf("%x", l.ID), "", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	return endpoint
}

// What is offered is the name of a lock as it is, in characters that no shell minds.
func TestOnlyPlainNamesAreOffered(t *testing.T) {
	t.Parallel()
	endpoint := evilLocks(t)
	for _, typed := range []string{"", "/", "/x", "/all/", "/all/$", "-", "=", "_", ":", "/one/", "/ok/"} {
		out, errs := ran(t, t.TempDir(), "", "__complete", "describe", "--endpoints", endpoint, "--", typed)
		for _, name := range offered(out) {
			if !slices.Contains([]string{"/ok/jobs-1", "/ok/jobs-2", "/one/a=b:c,d@e%f+g"}, name) {
				t.Errorf("after %q it offers %q: %s", typed, name, errs)
			}
		}
	}
}

// aShell drives the completion of a shell on a terminal.
type aShell struct {
	name, pkg string
	args      []string
	// setup is typed first; SCRIPT stands for the file of the script. It makes ctrl-g
	// print LINE<what is typed>.
	setup string
}

var shells = []aShell{
	{"bash", "bash-completion", []string{"--norc", "--noprofile", "-i"},
		`bind 'set enable-bracketed-paste off'; . /usr/share/bash-completion/bash_completion; . SCRIPT; show() { printf 'LINE<%s>\n' "$READLINE_LINE"; }; bind -x '"\C-g": show'`},
	{"zsh", "zsh", []string{"-f", "-i"},
		`unset zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; . SCRIPT; show() { print -r -- "LINE<$BUFFER>" }; zle -N show; bindkey '^G' show; bindkey '^I' complete-word`}, // by itself zsh expands, and so runs, what is typed before it asks anybody
	{"fish", "fish", []string{"--no-config", "--private", "-i"},
		`. SCRIPT; function show; echo "LINE<"(commandline)">"; end; bind \cg show`},
}

// TestCompletionInsertsWholeNamesAndRunsNothing presses the tab key in real shells.
func TestCompletionInsertsWholeNamesAndRunsNothing(t *testing.T) {
	t.Parallel()
	endpoint := evilLocks(t)
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			term, dir := sh.start(t, endpoint)
			rows := []struct{ typed, want, reason string }{
				{"/ok/", "/ok/jobs-", "what both have in common"},
				{"/ok/jobs-2", "/ok/jobs-2", "the whole name"},
				{"/one/", "/one/a=b:c,d@e%f+g", "the only name there"},
			}
			for i := range evilNames {
				rows = append(rows, struct{ typed, want, reason string }{fmt.Sprintf("/x%d/", i), fmt.Sprintf("/x%d/", i), fmt.Sprintf("nothing of %q", evilNames[i])})
			}
			for _, typed := range []string{"/x/$(touch PWNED)", "/x/`touch PWNED`", "$(touch PWNED)/x", "<(touch PWNED)"} {
				if sh.name == "fish" && strings.ContainsAny(typed, "`<") {
					continue // means nothing else there
				}
				rows = append(rows, struct{ typed, want, reason string }{typed, typed, "what was pasted does not run"})
			}
			for _, r := range rows {
				// A backslash before a character is that character.
				if got := term.complete(t, "locktop describe "+r.typed); strings.ReplaceAll(got, `\`, "") != "locktop describe "+r.want {
					t.Errorf("%s: %q became %q, want %q", r.reason, r.typed, got, r.want)
				}
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "PWNED*")); len(found) > 0 {
				t.Error("something ran")
			}
		})
	}
}

// start starts the shell in a folder of its own, with the program in its path.
func (sh aShell) start(t *testing.T, endpoint string) (*ptyTerminal, string) {
	t.Helper()
	path := require(t, sh.name)
	if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil && sh.name == "bash" {
		t.Fatalf("%s is missing", sh.pkg)
	}
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	text, err := exec.Command(locktop(t), "completion", sh.name).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, sh.args...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(t.TempDir()), "HOME="+dir, "PS1=> ", "TERM=dumb", "ETCDCTL_ENDPOINTS="+endpoint, "ETCDCTL_DIAL_TIMEOUT=20s",
		"PATH="+filepath.Dir(locktop(t))+":"+os.Getenv("PATH"))
	term := onTerminal(t, cmd)
	term.master.WriteString(strings.ReplaceAll(sh.setup, "SCRIPT", script) + "; echo rea''dy\n")
	until(t, "the shell is ready", func() bool { return strings.Contains(term.text(), "ready") })
	return term, dir
}

// complete types a line, presses tab, and returns what the line is then.
func (p *ptyTerminal) complete(t *testing.T, line string) string {
	t.Helper()
	at := len(p.text())
	p.master.WriteString(line + "\t\x07")
	var got string
	until(t, "the shell says what the line is after "+line, func() bool {
		_, rest, ok := strings.Cut(p.text()[at:], "LINE<")
		if !ok {
			return false
		}
		got, _, ok = strings.Cut(rest, ">\r\n")
		return ok
	})
	p.master.WriteString("\x15") // ctrl-u: an empty line
	return strings.TrimRight(got, " ")
}

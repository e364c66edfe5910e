package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/ui"
	"locktop/ui/draw"
)

// consoleOn opens the console on a terminal, with a home of its own.
func consoleOn(t *testing.T, endpoint, home string, args ...string) (*exec.Cmd, *ptyTerminal) {
	cmd := exec.Command(locktop(t), append([]string{"--endpoints", endpoint}, args...)...)
	cmd.Env = append(cleanEnv(t.TempDir()), "XDG_CONFIG_HOME="+home)
	return cmd, onTerminal(t, cmd)
}

func (p *ptyTerminal) says(t *testing.T, want string) {
	t.Helper()
	until(t, "the screen says "+want, func() bool { return strings.Contains(ansi.Strip(p.text()), want) })
}

// TestFewKeysAreWatchedWhole, and what was set is there again the next time.
func TestFewKeysAreWatchedWhole(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	home := t.TempDir()
	cmd, term := consoleOn(t, b.endpoint, home)
	term.says(t, "/jobs/billing")
	if strings.Contains(term.text(), "looking at the keys") {
		t.Error("asked about one key")
	}
	term.master.WriteString(":")
	term.says(t, "the queue of a lock")
	term.master.WriteString("theme mono\r")
	term.master.WriteString("q")
	cmd.Wait()
	s, err := readSettings(filepath.Join(home, "locktop", "settings.json"))
	if err != nil || s.Theme != draw.ThemeMono {
		t.Errorf("%+v, %v", s, err)
	}
	cmd, term = consoleOn(t, b.endpoint, home)
	term.says(t, "/jobs/billing")
	if strings.Contains(term.text(), "\x1b[32m") {
		t.Error("green in the theme without colours")
	}
	term.master.WriteString("q")
	cmd.Wait()
}

// TestSignalsLeaveTheTerminalAsItWas: Bubble Tea by itself does not know SIGHUP.
func TestSignalsLeaveTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		cmd, term := consoleOn(t, b.endpoint, t.TempDir())
		term.says(t, "/jobs/billing")
		cmd.Process.Signal(sig)
		cmd.Wait()
		for seq, what := range map[string]string{"\x1b[?1049l": "leaves the alternate screen", "\x1b[?25h": "shows the cursor", "\x1b[?1002l": "gives the mouse back"} {
			until(t, sig.String()+" "+what, func() bool { return strings.Contains(term.text(), seq) })
		}
	}
}

// TestSuspendAndResume: ctrl-z gives the shell its terminal back, fg the console its.
func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	cmd := exec.Command("sh", "-i")
	cmd.Env = append(cleanEnv(t.TempDir()), "XDG_CONFIG_HOME="+t.TempDir(), "PS1=shell>", "ENV=")
	term := onTerminal(t, cmd)
	term.says(t, "shell>")
	fmt.Fprintf(term.master, "%s --endpoints %s; echo ended=$?\n", locktop(t), b.endpoint)
	term.says(t, "/jobs/billing")
	term.master.WriteString("\x1a")
	until(t, "the shell has the terminal", func() bool {
		_, after, left := strings.Cut(term.text(), "\x1b[?1049l")
		return left && strings.Contains(after, "shell>")
	})
	term.master.WriteString("fg\n")
	until(t, "the console is back, with the mouse", func() bool {
		_, after, _ := strings.Cut(term.text(), "\x1b[?1049l")
		_, after, again := strings.Cut(after, "\x1b[?1049h")
		return again && strings.Contains(after, "\x1b[?1002h") && strings.Contains(ansi.Strip(after), "/jobs/billing")
	})
	term.master.WriteString("q")
	until(t, "the shell has the terminal again", func() bool { return strings.Count(term.text(), "\x1b[?1049l") == 2 })
	term.master.WriteString("exit\n")
	cmd.Wait()
}

// TestADumbTerminalGetsPlainText, and so does one that asks for no colours.
func TestADumbTerminalGetsPlainText(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	run := func(env string, args ...string) string {
		cmd := exec.Command(locktop(t), append([]string{"--endpoints", b.endpoint}, args...)...)
		cmd.Env = append(cleanEnv(t.TempDir()), "XDG_CONFIG_HOME="+t.TempDir(), env)
		term := onTerminal(t, cmd)
		term.says(t, "/jobs/billing")
		if env != "TERM=dumb" {
			term.says(t, "? help")
			term.master.WriteString("q")
		}
		cmd.Wait()
		return term.text()
	}
	if out := run("TERM=dumb"); strings.Contains(out, "\x1b") {
		t.Errorf("escape sequences on a dumb terminal: %q", out)
	}
	colour := regexp.MustCompile(`\x1b\[(\d+;)*([349]\d|10\d)(;\d+)*m`) // of the text or of its ground
	coloured := colour.MatchString
	for _, r := range []struct {
		env  string
		args []string
		want bool
	}{
		{"X=1", nil, true}, {"NO_COLOR=1", nil, false}, {"X=1", []string{"--color", "never"}, false}, {"NO_COLOR=1", []string{"--color", "always"}, true},
		{"COLORTERM=truecolor", nil, true}, {"TERM=xterm", nil, true},
	} {
		if out := run(r.env, r.args...); coloured(out) != r.want {
			t.Errorf("%s %v: coloured %v, want %v", r.env, r.args, !r.want, r.want)
		}
	}
	if out := ansi.Strip(run("X=1", "--ascii")); strings.ContainsFunc(out, func(r rune) bool { return r >= 0x80 }) {
		t.Errorf("--ascii: %q", out)
	}
}

func TestGroundOf(t *testing.T) {
	for colours, want := range map[string]string{"": "", "0;15": draw.ThemeLight, "0;default;7": draw.ThemeLight, "15;0": draw.ThemeDark, "7": draw.ThemeLight} {
		if got := groundOf(colours); got != want {
			t.Errorf("%q: %q, want %q", colours, got, want)
		}
	}
}

// TestTheGroundIsAskedFor: a terminal that says in time that it is light gets the light
// theme, and no answer reaches the keys, whenever it comes. What a person or the environment
// says is not asked for, and neither is a terminal that shows others.
func TestTheGroundIsAskedFor(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	const asked, light, dark, white = "\x1b]11;?", "38;5;22m", "38;5;114m", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	for _, r := range []struct {
		name   string
		env    []string
		args   []string
		asked  bool
		want   string
		reason string
	}{
		{"auto", nil, nil, true, light, "the terminal says so"},
		{"dark", nil, []string{"--theme", "dark"}, false, dark, "a person says so"},
		{"tmux", []string{"TMUX=/tmp/x,1,0"}, nil, false, dark, "another program stands between"},
		{"COLORFGBG", []string{"COLORFGBG=0;15"}, nil, false, light, "the environment says so"},
	} {
		cmd := exec.Command(locktop(t), append([]string{"--endpoints", b.endpoint}, r.args...)...)
		cmd.Env = append(cleanEnv(t.TempDir()), append([]string{"XDG_CONFIG_HOME=" + t.TempDir(), "COLORFGBG=", "TMUX=", "STY="}, r.env...)...)
		term := onTerminal(t, cmd)
		if r.asked {
			until(t, "the terminal is asked", func() bool { return strings.Contains(term.text(), asked) })
			term.master.WriteString(white)
		}
		term.says(t, "/jobs/billing")
		until(t, r.name+": the theme is there: "+r.reason, func() bool { return strings.Contains(term.text(), r.want) })
		term.master.WriteString(white + "?") // late, or not asked for at all: no digit of it goes to a page
		if r.asked {
			term.says(t, "help for Locks")
		} else if strings.Contains(term.text(), asked) {
			t.Errorf("%s: asked all the same", r.name)
		}
		term.master.WriteString("\x03")
		cmd.Wait()
	}
}

// TestTheScreenToAFile: only its owner reads it, and no file is overwritten.
func TestTheScreenToAFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	path, err := saveNew("~/screen.txt", "locks\n")
	if want := filepath.Join(home, "screen.txt"); err != nil || path != want {
		t.Fatalf("%q, %v, want %q", path, err, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, r := range []struct{ file, want, reason string }{
		{path, "is there already", "what is there stays"},
		{filepath.Join(home, "no", "dir"), "no such file or directory", "no directory is made"},
		{home, "is there already", "a directory"},
	} {
		if _, err := saveNew(r.file, "other\n"); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %q: %s", r.file, err, r.want, r.reason)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "locks\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestBrokenSettings: they are said and left alone, and the console opens.
func TestBrokenSettings(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	home := t.TempDir()
	file := filepath.Join(home, "locktop", "settings.json")
	if err := writeSettings(file, ui.Settings{Sort: "held"}); err != nil {
		t.Fatal(err)
	}
	if s, err := readSettings(file); err != nil || s.Sort != "held" {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, term := consoleOn(t, b.endpoint, home)
	term.says(t, "the settings of the console cannot be read")
	term.says(t, "/jobs/billing")
	term.master.WriteString("s")
	term.says(t, "LOCK▼")
	term.master.WriteString("q")
	cmd.Wait()
	if text, err := os.ReadFile(file); err != nil || string(text) != "{" {
		t.Errorf("written over: %q, %v", text, err)
	}
}

// TestABrokenPipeIsNoPanic: the reader of the output has gone.
func TestABrokenPipeIsNoPanic(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	for _, args := range [][]string{{"ls"}, {"ls", "-o", "json"}, {"doctor"}, {"explain"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var errs strings.Builder
		cmd := exec.Command(locktop(t), append(args, "--endpoints", b.endpoint)...)
		cmd.Stdout, cmd.Stderr = w, &errs
		start(t, cmd)
		w.Close()
		cmd.Wait()
		if strings.Contains(errs.String(), "panic") {
			t.Errorf("%v: %s", args, errs.String())
		}
	}
}

package terminal

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestAnswersStayAwayFromTheKeys: whatever the terminal answers and however it is cut into
// reads, only what a person typed gets through.
func TestAnswersStayAwayFromTheKeys(t *testing.T) {
	for _, r := range []struct{ typed, want, says, reason string }{
		{"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "", "light", "white, as xterm says it"},
		{"\x1b]11;rgb:1e1e/1e1e/2e2e\a", "", "dark", "ended by a bell"},
		{"\x1b]11;rgba:fb/fb/f8/ff\a", "", "light", "two digits, and how opaque it is"},
		{"\x1b]11;rgb:f/f/f\a", "", "light", "one digit"},
		{"q\x1b]11;rgb:0/0/0\x1b\\j", "qj", "dark", "keys before and after it"},
		{"\x1b]11;rgb:0/0/0\x1b\\\x1b]11;rgb:f/f/f\x1b\\k", "k", "dark", "the first one counts, and the second is no key either"},
		{"\x1b[A\x1bx", "\x1b[A\x1bx", "", "an arrow and alt with a letter are keys"},
		{"\x1b]11;rgb:none\x1b\\j", "\x1b]11;rgb:none\x1b\\j", "", "what is no answer is not swallowed"},
		{"\x1b]11;" + strings.Repeat("f", 80), "\x1b]11;" + strings.Repeat("f", 80), "", "nor what never ends"},
		{"\x1b]10;rgb:0/0/0\a", "\x1b]10;rgb:0/0/0\a", "", "another question is not ours"},
		{"\x1b]11;rgb:zz\a", "\x1b]11;rgb:zz\a", "", "no colour"},
		{"\x1b]11;\aj", "j", "", "an answer that says nothing"},
	} {
		for cut := range len(r.typed) {
			x := NewInput(nil)
			got := string(x.sift([]byte(r.typed[:cut])))
			got += string(x.sift([]byte(r.typed[cut:])))
			want := r.want
			if strings.HasSuffix(r.typed[:cut], "\x1b") { // it may have gone on as the key that it looked like
				got, want = strings.ReplaceAll(got, "\x1b", ""), strings.ReplaceAll(want, "\x1b", "")
			}
			says := ""
			select {
			case light := <-x.answer:
				says = map[bool]string{true: "light", false: "dark"}[light]
			default:
			}
			if got != want || says != r.says {
				t.Errorf("%q cut at %d (%s): keys %q, want %q; says %q, want %q", r.typed, cut, r.reason, got, want, says, r.says)
			}
		}
	}
}

// TestAskingHasADeadline: a terminal that does not answer costs a tenth of a second, and what
// it says later is not used, and no key.
func TestAskingHasADeadline(t *testing.T) {
	typed, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer typed.Close()
	defer keyboard.Close()
	x := NewInput(typed)
	var asked strings.Builder
	began := time.Now()
	if _, ok := x.Ask(t.Context(), &asked); ok || time.Since(began) > 20*backgroundTime {
		t.Errorf("answered %v after %s", ok, time.Since(began))
	}
	if asked.String() != query {
		t.Errorf("asked %q", asked.String())
	}
	buf := make([]byte, 256)
	for _, part := range []string{"\x1b]11;rgb:ff", "ff/ffff/ffff\x1b\\j"} {
		if _, err := io.WriteString(keyboard, part); err != nil {
			t.Fatal(err)
		}
		n, err := x.Read(buf)
		if want := strings.TrimPrefix(part[len(part)-1:], "f"); err != nil || string(buf[:n]) != want {
			t.Errorf("read %q, %v, want %q", buf[:n], err, want)
		}
	}
	if light, ok := x.Ask(t.Context(), io.Discard); !ok || !light {
		t.Errorf("light %v, %v: the answer that is there", light, ok)
	}
}

// TestWhoIsAsked: not a terminal that shows others, nor one that may print what it is asked.
func TestWhoIsAsked(t *testing.T) {
	for _, r := range []struct {
		env    map[string]string
		want   bool
		reason string
	}{
		{map[string]string{"TERM": "xterm-256color"}, true, "most of them"},
		{map[string]string{"TERM": "alacritty"}, true, "and others"},
		{map[string]string{"TERM": "xterm-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, false, "within tmux, whatever it calls itself"},
		{map[string]string{"TERM": "xterm", "STY": "1.pts"}, false, "within screen"},
		{map[string]string{"TERM": "screen.xterm-256color"}, false, "screen on another machine"},
		{map[string]string{"TERM": "tmux-256color"}, false, "tmux on another machine"},
		{map[string]string{"TERM": "linux"}, false, "the console of the kernel"},
		{map[string]string{"TERM": "dumb"}, false, "it knows no sequences"},
		{nil, false, "nothing is known of it"},
	} {
		if got := TellsBackground(func(name string) string { return r.env[name] }); got != r.want {
			t.Errorf("%v: %v, want %v: %s", r.env, got, r.want, r.reason)
		}
	}
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui/cli/session"
	"locktop/watcher/hostile"
)

// TestASignalEndsEveryCommand at whatever it waits for: within two seconds, with the
// documented code, and without a word of what it did not find out.
func TestASignalEndsEveryCommand(t *testing.T) {
	t.Parallel()
	hangs := func(method string) func(t *testing.T) (string, func() bool) {
		return func(t *testing.T) (string, func() bool) {
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5), hostile.Key("/l/a", 0xa2, 6))
			var asked, read atomic.Bool
			s.Alter(func(m string, a any) any {
				if m == "LeaseTimeToLive" {
					read.Store(true)
				}
				if m != method {
					return a
				}
				asked.Store(true)
				return nil
			})
			return s.Addr, func() bool {
				// Whoever reads a lease has the list: it is where the lease is named.
				return asked.Load() || method == "Watch" && s.Watches() > 0 && read.Load()
			}
		}
	}
	silent := func(t *testing.T) (string, func() bool) {
		came := make(chan struct{}, 100)
		addr := hostile.Raw(t, func(c net.Conn) { came <- struct{}{}; _, _ = io.Copy(io.Discard, c) })
		return addr, func() bool { return len(came) > 1 } // the first only tries the port
	}
	var longest atomic.Int64
	t.Cleanup(func() { figure(t, "the longest end", inTime(time.Duration(longest.Load()))) })
	one := []string{"ls", "ls --for 50s", "describe /l/a", "discover", "break /l/a --dry-run", "top --for 50s", ""}
	two := []string{"doctor", "doctor --for 50s", "report --for 50s"}
	stay := []string{"events", "record DIR/rec", "proxy", "contend --armed /l/z"}
	for _, r := range []struct {
		moment string
		start  func(t *testing.T) (addr string, there func() bool)
		flags  string
		codes  map[int][]string
	}{
		{"it waits for the first answer", silent, "", map[int][]string{1: append(stay, one...), 2: two}},
		{"it logs in", hangs("Authenticate"), " --user root:a --dial-timeout 50s", map[int][]string{1: append(stay, one...), 2: two}},
		{"it lists", hangs("Range"), "", map[int][]string{0: {"proxy"}, 1: one, 2: append([]string{"events", "record DIR/rec"}, two...)}},
		{"it watches", hangs("Watch"), "", map[int][]string{0: {"events", "record DIR/rec", "proxy"}, 1: {"ls --for 50s", "top --for 50s"}, 2: {"doctor --for 50s", "report --for 50s"}}},
	} {
		for code, commands := range r.codes {
			for _, command := range commands {
				for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
					t.Run(r.moment+", "+command+", "+sig.String(), func(t *testing.T) {
						t.Parallel()
						addr, there := r.start(t)
						dir := t.TempDir()
						args := strings.Fields(strings.Replace(command, "DIR", dir, 1) + " --endpoints " + addr + " --command-timeout 50s" + r.flags)
						cmd := exec.Command(locktop(t), args...)
						cmd.Env = append(cleanEnv(dir), "HOME="+dir)
						var errs bytes.Buffer
						cmd.Stderr = &errs
						start(t, cmd)
						until(t, r.moment, there)
						told := time.Now()
						if err := cmd.Process.Signal(sig); err != nil {
							t.Fatal(err)
						}
						_ = cmd.Wait() // its code is looked at
						took := time.Since(told)
						for was := longest.Load(); int64(took) > was && !longest.CompareAndSwap(was, int64(took)); was = longest.Load() {
						}
						if took > 2*time.Second || cmd.ProcessState.ExitCode() != code {
							t.Errorf("%v after %s, want exit %d: %s", cmd.ProcessState, took, code, &errs)
						}
						for _, guess := range []string{"no endpoint", "no answer", "did not", "password", "cancel"} {
							if strings.Contains(errs.String(), guess) {
								t.Errorf("it says %s", &errs)
							}
						}
					})
				}
			}
		}
	}
}

// silence is a source that tells nothing.
type silence struct{}

func (silence) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	<-ctx.Done()
	return model.Batch{}, ctx.Err()
}

// TestASignalBeforeTheFirstList began leaves nothing of what was asked for seen, and says so.
func TestASignalBeforeTheFirstList(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		prefixes []string
		want     string
		reason   string
	}{
		{nil, "all keys", "none was named"},
		{[]string{"/a/", "/b/"}, "the keys under \"/b/\"", "each is named"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var v viewer
		v.flags.prefixes, v.flags.commandTimeout = r.prefixes, time.Second
		err := v.followed(ctx, session.New(silence{}), false)
		var bad badInput // exit 2
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: got %v, want %q", r.reason, err, r.want)
		}
	}
}

// endsAt is a context that ends when it is looked at for the nth time: a signal between two
// steps of a command, wherever they are.
type endsAt struct {
	context.Context
	cancel func()
	left   *atomic.Int64
}

func newEndsAt(ctx context.Context, n int64) endsAt {
	ctx, cancel := context.WithCancel(ctx)
	c := endsAt{ctx, cancel, new(atomic.Int64)}
	c.left.Store(n)
	return c
}

func (c endsAt) look() {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

// Err implements context.Context.
func (c endsAt) Err() error { c.look(); return c.Context.Err() }

// Done implements context.Context.
func (c endsAt) Done() <-chan struct{} { c.look(); return c.Context.Done() }

// TestASignalAtEveryStep of a command ends it with the code for it, also before it asked
// anything; and what needs no cluster is done, or is not begun.
func TestASignalAtEveryStep(t *testing.T) {
	home(t, "")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(strings.Repeat("t", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(t.TempDir(), "suite.yaml")
	if err := os.WriteFile(suite, []byte("title: t\nruns: [{drill: holder-crash}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	silent := " --command-timeout 30s --endpoints " + hostile.Raw(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	for _, r := range []struct {
		command, reason string
		code            int
		done            bool // it may have done all before the signal
		words           string
	}{
		{command: "ls" + silent, code: exitFailed, reason: "a question of which 1 answers nothing"},
		{command: "describe /l" + silent, code: exitFailed, reason: "the same"},
		{command: "discover" + silent, code: exitFailed, reason: "the same"},
		{command: "top" + silent, code: exitFailed, reason: "the same"},
		{command: "events" + silent, code: exitFailed, reason: "nothing was told yet"},
		{command: "serve --listen 127.0.0.1:0 --listen-token " + file + silent, code: exitFailed, reason: "its token may be a pipe"},
		{command: "record " + file + ".rec" + silent, code: exitFailed, reason: "nothing was seen yet"},
		{command: "break /l --dry-run" + silent, code: exitFailed, reason: "nothing was shown"},
		{command: "contend --armed /l" + silent, code: exitFailed, reason: "nothing was begun"},
		{command: "doctor" + silent, code: exitBad, words: "locktop: interrupted\n", reason: "1 would be findings"},
		{command: "report" + silent, code: exitBad, words: "locktop: interrupted\n", reason: "as doctor"},
		{command: "drill run holder-crash", code: exitBad, words: "locktop: interrupted\n", reason: "1 would be an expectation that was violated"},
		{command: "drill run all", code: exitBad, words: "locktop: interrupted\n", reason: "the same"},
		{command: "drill suite " + suite, code: exitBad, words: "locktop: interrupted\n", reason: "the same"},
		{command: "drill show holder-crash", code: exitFailed, done: true, reason: "it reads what is in the program"},
		{command: "version", code: exitFailed, done: true, reason: "it asks nobody"},
	} {
		for step := int64(1); step <= 8; step++ {
			ctx := newEndsAt(t.Context(), step)
			last := time.AfterFunc(50*time.Millisecond, ctx.cancel) // it is looked at less often, then at whatever it waits for
			code, out, errs := inProcessUntil(ctx, nil, strings.Fields(r.command)...)
			last.Stop()
			ctx.cancel()
			errs = strings.TrimPrefix(errs, "run 1 of 1: holder-crash\n")
			if whole := r.done && code == exitOK && out != "" && errs == ""; !whole && (code != r.code || errs != r.words) {
				t.Errorf("%s, look %d: exit %d, it says %q; want %d and %q: %s", r.command, step, code, errs, r.code, r.words, r.reason)
			}
		}
	}
}

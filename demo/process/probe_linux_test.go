package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAskFile: a file that a program writes is heard whenever it says something else, whatever
// becomes of it in between, and nothing that somebody puts in its place stops that.
func TestAskFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) { t.Helper(); must(os.WriteFile(path, []byte(text), 0o600)) }
	write("holding")
	heard, failed := make(chan string, 1000), make(chan string, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ask, done := AskFile(path), make(chan struct{})
	go func() {
		defer close(done)
		ask.Run(ctx, func(answer []byte) { heard <- string(answer) }, func(err error) { failed <- err.Error() })
	}()
	next := func(from chan string, want string) {
		t.Helper()
		select {
		case got := <-from:
			if !strings.Contains(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("never: %q", want)
		}
	}
	must(os.Remove(path)) // what it said was somebody else's, and was not heard
	next(failed, "no such file")
	write("idle")
	next(heard, "idle")
	must(os.WriteFile(path+".new", []byte("waiting"), 0o600))
	must(os.Rename(path+".new", path))
	next(heard, "waiting")
	for _, r := range []struct {
		put    func() error
		want   string
		reason string
	}{
		{func() error { return syscall.Mkfifo(path, 0o600) }, errNoFile.Error(), "a pipe, of which nobody writes the other end"},
		{func() error { return os.Symlink("/dev/zero", path) }, errNoFile.Error(), "a device without end"},
		{func() error { return os.Mkdir(path, 0o700) }, errNoFile.Error(), "a folder"},
		{func() error { return os.Symlink(path, path) }, "too many levels of symbolic links", "a link to itself"},
		{func() error { return os.WriteFile(path, make([]byte, probeMost+1), 0o600) }, "more than 65536 bytes", "too much to read"},
	} {
		must(os.Remove(path))
		must(r.put())
		for got := ""; !strings.Contains(got, r.want); { // that it was removed may be seen before
			select {
			case got = <-failed:
			case <-time.After(time.Minute):
				t.Fatalf("%s: never told", r.reason)
			}
		}
		must(os.Remove(path))
		write("after " + r.reason)
		next(heard, "after "+r.reason)
	}
	must(os.WriteFile(path+".there", []byte("holding"), 0o600))
	must(os.Symlink(path+".there", path+".link"))
	must(os.Rename(path+".link", path))
	next(heard, "holding")
	cancel()
	<-done
	if len(heard) > 0 {
		t.Errorf("heard again: %q", <-heard)
	}
}

// TestOldFile: what a file said before the program began is not its answer; the same words
// written anew are.
func TestOldFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(path, []byte("holding"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := AskFile(path)
	if answer, err := ask.once(t.Context()); answer != nil || err != nil {
		t.Errorf("old: %q, %v", answer, err)
	}
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if answer, err := ask.once(t.Context()); string(answer) != "holding" || err != nil {
		t.Errorf("written anew: %q, %v", answer, err)
	}
}

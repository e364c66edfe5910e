//go:build linux || darwin

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardTerminal starts a guard over the terminal, if in is one, and returns what ends it
// once the console has put the terminal back. A guard that cannot be started is no reason
// to show nothing.
func guardTerminal(in io.Reader, out io.Writer) (end func()) {
	tty, ok := in.(*os.File)
	screen, shown := out.(*os.File)
	if !ok || !shown {
		return func() {}
	}
	state, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		return func() {} // no terminal
	}
	text, err := json.Marshal(state)
	if err != nil {
		return func() {}
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return func() {}
	}
	defer theirs.Close()
	self, err := os.Executable()
	if err != nil {
		ours.Close()
		return func() {}
	}
	guard := exec.Command(self, guardCommand, string(text))
	guard.Stdin, guard.Stdout, guard.Stderr, guard.ExtraFiles = tty, screen, os.Stderr, []*os.File{theirs}
	if guard.Start() != nil {
		ours.Close()
		return func() {}
	}
	_ = debug.SetCrashOutput(ours, debug.CrashOptions{}) // without it the guard still sees the end
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = ours.Write([]byte{goodbye}) // fails only where the guard has ended
		ours.Close()
		_ = guard.Wait() // how it ends is of no interest
	}
}

// socketPair returns two ends of a socket that holds as little as can be.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("a socket for the guard of the terminal: %w", err)
	}
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1) // the kernel makes it its least
	return os.NewFile(uintptr(fds[0]), "guard"), os.NewFile(uintptr(fds[1]), "console"), nil
}

// standGuard is what a guard does: it waits for the end of the console, and puts the
// terminal back unless the console has done that.
func standGuard(text string) int {
	// A signal that ends the console must not end the guard before it, and a guard in the background
	// may set the terminal.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTTOU, syscall.SIGPIPE)
	var state unix.Termios
	if json.Unmarshal([]byte(text), &state) != nil {
		return exitBad // nobody but the console calls it
	}
	const console = 3 // the first of ExtraFiles
	buf := make([]byte, 1<<12)
	n, _, err := unix.Recvfrom(console, buf, unix.MSG_PEEK)
	for err == unix.EINTR {
		n, _, err = unix.Recvfrom(console, buf, unix.MSG_PEEK)
	}
	if n > 0 && buf[0] == goodbye {
		return exitOK
	}
	_ = unix.IoctlSetTermios(int(os.Stdin.Fd()), setTermios, &state) // it may be gone
	_, _ = io.WriteString(os.Stdout, asItWas)
	if isTerminal(os.Stderr) && n > 0 {
		// So far the trace went to the screen that was just left.
		n, _, _ = unix.Recvfrom(console, buf, unix.MSG_PEEK)
		fmt.Fprintf(os.Stderr, "locktop: crashed, which is a fault of locktop's:\n%s", buf[:max(0, n)])
	}
	_, _ = io.Copy(io.Discard, os.NewFile(console, "console")) // makes room for the rest
	return exitOK
}

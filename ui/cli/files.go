package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"locktop/ui/terminal"
)

// fileMax is how large a file of a person's own may be: a drill, or profiles.
const fileMax = 1 << 20

// inState is a file or folder in which the program remembers something of a person: below $XDG_STATE_HOME
// or ~/.local/state.
func inState(name string) (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no place for %s (set XDG_STATE_HOME): %w", name, err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "locktop", name), nil
}

// await waits for f, which knows of no end, until ctx ends; what f comes to after that is lost.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// openInput opens a file that a person named. It may be a pipe that nobody writes to: waiting
// for it, and for what it has, ends with ctx.
func openInput(ctx context.Context, name string) (*os.File, error) {
	file, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err == nil {
		context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) }) // a regular file has none, and needs none
	}
	return file, err
}

// openOutput opens a file that a person named, for writing. A pipe that nobody reads is
// refused and not waited for.
func openOutput(name string, flags int, perm os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(name, flags|os.O_WRONLY|syscall.O_NONBLOCK, perm)
	if errors.Is(err, syscall.ENXIO) {
		err = fmt.Errorf("%s: it is a pipe, and %w", name, terminal.ErrUnread)
	}
	return file, err
}

// newFile makes a file that only its owner may read. What is there already stays.
func newFile(name, what string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, bad("%s exists, and nothing is overwritten: name another file", name)
	} else if err != nil {
		return nil, bad("cannot make %s: %v", what, err)
	}
	return file, nil
}

// writeFile writes a file whole or says why not. Where it is a pipe, its reader has
// glass.ReaderTime once ctx has ended.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	file, err := openOutput(name, os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = file.SetWriteDeadline(time.Now().Add(terminal.ReaderTime)) })() // a regular file has none, and needs none
	if err = write(file); errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("writing the report: %s: %w", name, terminal.ErrUnread)
	}
	return errors.Join(err, file.Close())
}

// readInput reads a file that a person named, of so many bytes at most.
func readInput(ctx context.Context, name string, most int64) ([]byte, error) {
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && int64(len(data)) > most:
		return nil, fmt.Errorf("reading %s: it has more than %d bytes", name, most)
	}
	return data, err
}

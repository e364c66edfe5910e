package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// fileMax is how large a file of a person's own may be: a drill, or profiles.
const fileMax = 1 << 20

// openInput opens a file that a person named. It may be a pipe that nobody writes to: waiting
// for it, and for what it has, ends with ctx.
func openInput(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		if o.err == nil {
			context.AfterFunc(ctx, func() { _ = o.file.SetReadDeadline(time.Unix(1, 0)) }) // a regular file has none, and needs none
		}
		return o.file, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

// regular refuses what is no regular file, where one is read more than once.
func regular(flag, name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return bad("%s %s: it is no regular file", flag, name)
	}
	return nil
}

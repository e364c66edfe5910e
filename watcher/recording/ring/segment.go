package ring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"locktop/watcher/recording"
)

// segment is a part of a ring: two files at most.
type segment struct {
	dir   string
	seq   int
	bytes int64
	since time.Time // what its first event says
	ended time.Time // by the clock that is never set

	// Of the one that is written.
	began time.Time
	file  *whole
}

var names = regexp.MustCompile(`^(\d{8,18})\.(base|log)$`)

func (p segment) base() string { return p.path("base") }
func (p segment) log() string  { return p.path("log") }

func (p segment) path(kind string) string {
	return filepath.Join(p.dir, fmt.Sprintf("%08d.%s", p.seq, kind))
}

// gone says whether somebody took it away.
func (p segment) gone() bool {
	_, err := os.Stat(p.log())
	return errors.Is(err, os.ErrNotExist)
}

// remove removes its files.
func (p segment) remove() error {
	for _, name := range []string{p.log(), p.base()} { // a log without its base would be taken for a beginning
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// list returns what is in a folder, oldest first. Files that are no ring's are left alone.
func list(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir) // by name
	if err != nil {
		return nil, fmt.Errorf("listing the folder: %w", err)
	}
	var all []segment
	for _, e := range entries {
		m := names.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		seq, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		info, err := e.Info()
		switch {
		case errors.Is(err, os.ErrNotExist): // it was the oldest just now
			continue
		case err != nil:
			return nil, fmt.Errorf("listing the folder: %w", err)
		}
		if n := len(all); n == 0 || all[n-1].seq != seq {
			all = append(all, segment{dir: dir, seq: seq, since: begins(filepath.Join(dir, e.Name()))})
		}
		p := &all[len(all)-1]
		p.bytes += info.Size()
		p.ended = time.Now().Add(-max(0, time.Since(info.ModTime())))
	}
	return all, nil
}

// begins returns the time of the first event in a file, zero if there is none to be read.
func begins(name string) time.Time {
	f, _, err := open(name)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	p, err := recording.Open(f, recording.Pace{})
	if err != nil {
		return time.Time{}
	}
	at, err := p.Begins()
	if err != nil {
		return time.Time{}
	}
	return at
}

// open opens a file of a ring. What is none, as a pipe that nobody writes to, is neither
// waited for nor read.
func open(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// openSegments opens a file of a piece. One that is not there, or has nothing in it yet, is empty.
func openSegments(ctx context.Context, name string) (*recording.Segments, *os.File, error) {
	f, size, err := open(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &recording.Segments{}, nil, nil
	case err != nil:
		return nil, nil, err
	case size == 0:
		return &recording.Segments{}, f, nil
	}
	segments, err := recording.OpenSegments(ctx, f, size)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return segments, f, nil
}

// cutTorn takes away the part of a frame at the end of a file, and returns how long it was.
func cutTorn(name string) (cut int64, err error) {
	segments, f, err := openSegments(context.Background(), name)
	if err != nil || f == nil {
		return 0, nil // whoever reads it is told
	}
	defer f.Close()
	whole, torn := segments.Torn()
	info, err := f.Stat()
	if err != nil || !torn {
		return 0, err
	}
	if err := os.Truncate(name, whole); err != nil {
		return 0, fmt.Errorf("cutting off a torn end: %w", err)
	}
	return info.Size() - whole, nil
}

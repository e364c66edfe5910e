package recording

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
)

// piece is one file of a rotation.
type piece struct {
	dir   string
	seq   int
	bytes int64     // of what was so at its beginning; once it has ended, of all
	since time.Time // what its first event says
	ended time.Time // by the clock that is never set

	// Of the one that is written.
	began  time.Time
	begins int // events that tell what was so
	file   *whole
}

var names = regexp.MustCompile(`^(\d{8,18})\.rec$`)

func (p piece) path() string { return filepath.Join(p.dir, fmt.Sprintf("%08d.rec", p.seq)) }

// gone says whether somebody took it away.
func (p piece) gone() bool {
	_, err := os.Stat(p.path())
	return errors.Is(err, os.ErrNotExist)
}

func (p piece) remove() error {
	if err := os.Remove(p.path()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// listPieces returns what is in a folder, oldest first. Files of others are left alone.
func listPieces(dir string) ([]piece, error) {
	entries, err := os.ReadDir(dir) // by name
	if err != nil {
		return nil, fmt.Errorf("listing the folder: %w", err)
	}
	var all []piece
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
		all = append(all, piece{dir: dir, seq: seq, bytes: info.Size(), since: begins(filepath.Join(dir, e.Name())),
			ended: time.Now().Add(-max(0, time.Since(info.ModTime())))})
	}
	return all, nil
}

// begins returns the time of the first event in a file, zero if there is none to be read.
func begins(name string) time.Time {
	f, _, err := openFile(name)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	p, err := Open(f, Pace{})
	if err != nil {
		return time.Time{}
	}
	at, err := p.Begins()
	if err != nil {
		return time.Time{}
	}
	return at
}

// openFile opens a file of a rotation. What is none, as a pipe that nobody writes to, is neither
// waited for nor read.
func openFile(name string) (*os.File, int64, error) {
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

// openPiece opens the file of a piece. One that is not there, or has nothing in it yet, is empty.
func openPiece(ctx context.Context, name string) (*Segments, *os.File, error) {
	f, size, err := openFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &Segments{}, nil, nil
	case err != nil:
		return nil, nil, err
	case size == 0:
		return &Segments{}, f, nil
	}
	segments, err := OpenSegments(ctx, f, size)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return segments, f, nil
}

// cutTorn takes away the part of a frame at the end of a file, and returns how long it was.
func cutTorn(name string) (cut int64, err error) {
	segments, f, err := openPiece(context.Background(), name)
	if err != nil || f == nil {
		return 0, nil // whoever reads it is told
	}
	defer f.Close()
	whole, torn := segments.torn()
	info, err := f.Stat()
	if err != nil || !torn {
		return 0, err
	}
	if err := os.Truncate(name, whole); err != nil {
		return 0, fmt.Errorf("cutting off a torn end: %w", err)
	}
	return info.Size() - whole, nil
}

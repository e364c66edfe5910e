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

// piece is a part of a ring: two files at most.
type piece struct {
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

func (p piece) base() string { return p.path("base") }
func (p piece) log() string  { return p.path("log") }

func (p piece) path(kind string) string {
	return filepath.Join(p.dir, fmt.Sprintf("%08d.%s", p.seq, kind))
}

// gone says whether somebody took it away.
func (p piece) gone() bool {
	_, err := os.Stat(p.log())
	return errors.Is(err, os.ErrNotExist)
}

// remove removes its files.
func (p piece) remove() error {
	for _, name := range []string{p.log(), p.base()} { // a log without its base would be taken for a beginning
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// list returns what is in a folder, oldest first. Files that are no ring's are left alone.
func list(dir string) ([]piece, error) {
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
		if n := len(all); n == 0 || all[n-1].seq != seq {
			all = append(all, piece{dir: dir, seq: seq, since: begins(filepath.Join(dir, e.Name()))})
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

// openReel opens a file of a piece. One that is not there, or has nothing in it yet, is empty.
func openReel(ctx context.Context, name string) (*recording.Reel, *os.File, error) {
	f, size, err := open(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &recording.Reel{}, nil, nil
	case err != nil:
		return nil, nil, err
	case size == 0:
		return &recording.Reel{}, f, nil
	}
	reel, err := recording.OpenReel(ctx, f, size)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return reel, f, nil
}

// cutTorn takes away the part of a frame at the end of a file, and returns how long it was.
func cutTorn(name string) (cut int64, err error) {
	reel, f, err := openReel(context.Background(), name)
	if err != nil || f == nil {
		return 0, nil // whoever reads it is told
	}
	defer f.Close()
	whole, torn := reel.Torn()
	info, err := f.Stat()
	if err != nil || !torn {
		return 0, err
	}
	if err := os.Truncate(name, whole); err != nil {
		return 0, fmt.Errorf("cutting off a torn end: %w", err)
	}
	return info.Size() - whole, nil
}

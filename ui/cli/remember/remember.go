// Package remember reads and writes the small files in which locktop remembers something for
// one person: the settings of the console, and which lessons were taken.
package remember

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrForeign matches a file that locktop cannot have written: no regular file, or too large.
var ErrForeign = errors.New("locktop did not write it")

// Read returns what is in a file of at most so many bytes. It waits for nobody, whatever the
// path names. A file that is not there is [io/fs.ErrNotExist].
func Read(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer opens at once
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: %w", path, ErrForeign)
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", path, most, ErrForeign)
	}
	return text, err
}

// Write writes a file whole, or leaves what was there. Only its owner may read it. Its folder
// is made if needed.
func Write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

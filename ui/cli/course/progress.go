package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/process"
	"locktop/ui/cli/remember"
)

// Done is a lesson that was taken to its end.
type Done struct {
	At time.Time `json:"at"`
	// Predicted of Asked predictions came true. Task says that the task was done.
	Predicted int  `json:"predicted"`
	Asked     int  `json:"asked"`
	Task      bool `json:"task"`
	// Exam says that the fault of the exam was healed.
	Exam bool `json:"exam,omitempty"`
	// Wrong are the steps of the questions whose predictions did not come true, and of those that only a
	// review asks, less those that were answered right in a review.
	Wrong []int `json:"wrong,omitempty"`
}

// Passed says whether a lesson is passed: each prediction came true, in it or in a review, its task is
// done, and the fault of its exam is healed.
func (d Done) Passed(of *drill.Lesson) bool {
	return len(d.Wrong) == 0 && (of.Task == nil || d.Task) && (of.Exam == nil || d.Exam)
}

// Progress is which lessons were taken, by name.
type Progress struct {
	Schema  int             `json:"schema"`
	Lessons map[string]Done `json:"lessons"`
	// Begun is the lesson that was begun last, until it is told to its end; "" for none.
	Begun string `json:"begun,omitempty"`
}

// progressMax bounds the file of the progress.
const progressMax = 64 << 10

// Load reads the progress. A file that is not there is no error. One that is damaged is set
// aside, and the error says where; the progress is empty then.
func Load(path string) (Progress, error) {
	p := Progress{Schema: 1, Lessons: map[string]Done{}}
	text, err := remember.Read(path, progressMax)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil && !errors.Is(err, remember.ErrForeign) {
		return p, fmt.Errorf("reading which lessons were taken: %w", err)
	}
	if err == nil {
		read := Progress{}
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&read)
		switch {
		case err == nil && (read.Schema != 1 || read.Lessons == nil):
			err = errors.New("it is of another kind")
		case err == nil:
			return read, nil
		}
	}
	aside := path + ".damaged"
	if moved := os.Rename(path, aside); moved != nil {
		return p, fmt.Errorf("%s cannot be read (%w), nor set aside: %w", path, err, moved)
	}
	return p, fmt.Errorf("%s could not be read (%w): it is now %s, and the path begins anew", path, err, aside)
}

// lockWithin bounds the wait for another window that writes the progress, which takes no time.
const lockWithin = 2 * time.Second

// Remember adds a lesson that was taken to the file. What another window has added to it meanwhile
// stays, and p has it afterwards; of a lesson that both took the later one counts.
func (p *Progress) Remember(path, name string, done Done) error {
	return p.change(path, func(all *Progress) {
		if all.Lessons[name] = done; all.Begun == name {
			all.Begun = ""
		}
	})
}

// Begin writes down that a lesson is begun, however it will be left.
func (p *Progress) Begin(path, name string) error {
	return p.change(path, func(all *Progress) { all.Begun = name })
}

// change does something to what was written meanwhile, too.
func (p *Progress) change(path string, do func(*Progress)) (err error) {
	unlock, err := lock(path + ".lock")
	if err != nil {
		return fmt.Errorf("remembering the lesson: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	there, damaged := Load(path)
	for name, d := range p.Lessons {
		if d.At.After(there.Lessons[name].At) {
			there.Lessons[name] = d
		}
	}
	do(&there)
	*p = there
	return errors.Join(damaged, p.Save(path))
}

// lock waits for the lock of a file, and makes it if needed.
func lock(path string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWithin); ; time.Sleep(5 * time.Millisecond) {
		mine, err := process.LockFile(f)
		switch {
		case mine:
			return f.Close, nil // which unlocks
		case err == nil && time.Now().After(end):
			err = fmt.Errorf("%s is locked by another locktop", path)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
}

// Save writes the progress whole, or leaves what was there. Only its owner may read it.
func (p Progress) Save(path string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = remember.Write(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remembering the lesson: %w", err)
	}
	return nil
}

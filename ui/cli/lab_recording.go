package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"locktop/model"
	"locktop/ui/cli/session"
	"locktop/ui/report/metrics"
	"locktop/watcher/recording"
)

// Bounds of what is kept of labs without being asked: of one, and of all.
const (
	keptBytes = 64 << 20
	keptFiles = 20
)

// labRecording is the recording that is made of a lab while it runs. What cannot be written ends
// the recording and nothing else.
type labRecording struct {
	path string

	began time.Time

	mu   sync.Mutex
	file *os.File
	r    *recording.Recorder
	why  error // it ended early
}

// keep begins a recording in the folder of recordings, and leaves so many of that name, 0 for all.
func keep(name string, most int, now time.Time) (*labRecording, error) {
	dir, err := inState("recordings")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of recordings: %w", err)
	}
	if most > 0 {
		if err := dropOldest(dir, name, most-1); err != nil {
			return nil, err
		}
	}
	file, err := os.CreateTemp(dir, name+"-"+now.Format("20060102-150405")+"-*.rec") // only its owner may read it
	if err != nil {
		return nil, fmt.Errorf("making a recording: %w", err)
	}
	return &labRecording{path: file.Name(), began: now, file: file, r: recording.NewRecorder(file, recording.Options{MaxBytes: keptBytes, Lag: recording.Lag})}, nil
}

// dropOldest leaves so many recordings of a name in a folder, the newest.
func dropOldest(dir, name string, most int) error {
	files, err := filepath.Glob(filepath.Join(dir, name+"-*.rec"))
	if err != nil {
		return fmt.Errorf("listing the recordings: %w", err)
	}
	age := map[string]time.Time{}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil { // else another locktop was quicker
			age[f] = info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(age[b].Compare(age[a]), strings.Compare(b, a)) })
	for _, f := range files[min(most, len(files)):] {
		if err := os.Remove(f); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("making room for a recording: %w", err)
		}
	}
	return nil
}

// room returns the source, of which every batch is written down.
func (r *labRecording) room(src model.Source) model.Source {
	return session.Tap(src, func(b model.Batch, err error) {
		if err == nil {
			_ = r.Write(b) // close says it
		}
	})
}

// Write implements ui.RecordFile.
func (r *labRecording) Write(b model.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil && len(b.Events) > 0 {
		r.why = r.r.Write(b)
	}
	return r.why
}

// status is what is told of it to a Prometheus: an alert names where to look.
func (r *labRecording) status() metrics.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, bytes := r.r.Written()
	return metrics.Recording{Dir: model.Printable(r.path), Writes: r.why == nil, Bytes: bytes, Since: r.began}
}

// Path implements ui.RecordFile.
func (r *labRecording) Path() string { return r.path }

// End implements ui.RecordFile: it ends the recording and says where it is.
func (r *labRecording) End() (said string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ended := r.r.Close(); r.why == nil {
		r.why = ended
	}
	whole := r.why == nil
	if whole {
		r.why = recording.ErrClosed
	}
	err = r.file.Close()
	if events, _ := r.r.Written(); events == 0 {
		return "", errors.Join(err, os.Remove(r.path))
	}
	said = "recorded: locktop replay " + model.ShellQuote(r.path)
	if !whole {
		said += fmt.Sprintf(" (up to the moment at which %v)", r.why)
	}
	return said, err
}

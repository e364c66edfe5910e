package recording

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"locktop/model"
)

// ErrFull is what [Recorder.Write] returns when a batch would make the recording larger
// than it may get.
var ErrFull = errors.New("the recording is as large as it may get")

// ErrClosed is what [Recorder.Write] returns after [Recorder.Close].
var ErrClosed = errors.New("the recording is closed")

// Lag is how long events may wait for others in the same frame: whoever is killed loses no
// more than that.
const Lag = 500 * time.Millisecond

// frameText is from how much text on a frame is written, however young it is, so that to look
// for a moment little has to be read.
const frameText = 128 << 10

// Options say what goes into a recording.
type Options struct {
	// Mask is what must not be told.
	Mask Mask
	// MaxBytes is how large the recording may get, 0 for no limit.
	MaxBytes int64
	// Lag is how long events may wait for others, 0: each batch is written at once.
	Lag time.Duration
	// Clock says which time is written for one that was read here, nil: that one.
	Clock func(time.Time) time.Time
}

// Recorder writes what a source delivers. It may be used by several at once.
type Recorder struct {
	w io.Writer
	o Options

	mu      sync.Mutex
	lines   *encoder
	pack    packer
	text    []byte // not written yet
	next    frame  // that it will be
	wait    *time.Timer
	batches int64
	events  int
	bytes   int64
	check   uint32
	err     error
}

// NewRecorder returns a recorder that writes to w. [Recorder.Close] ends it; what it has
// written before is whole at any time.
func NewRecorder(w io.Writer, o Options) *Recorder {
	return &Recorder{w: w, o: o, lines: newEncoder(o.Clock)}
}

// Write appends a batch, or nothing of it. After an error every later call returns the
// same error.
func (r *Recorder) Write(b model.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	return r.write(b, r.o.Lag)
}

// WriteBase writes what is so, before anything is written that follows from it. A reader that comes
// from the recording before leaves it out.
func (r *Recorder) WriteBase(events []model.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil || len(events) == 0 {
		return r.err
	}
	r.next.base = true
	for i := range events { // each by itself: together they may be more than a frame holds
		if err := r.write(model.Batch{Events: events[i : i+1]}, time.Hour); err != nil {
			return err
		}
	}
	if r.err = r.flush(); r.err == nil {
		r.next.base = false
	}
	return r.err
}

// write appends a batch that may wait so long for others.
func (r *Recorder) write(b model.Batch, lag time.Duration) error {
	text, next := r.text, r.next
	if r.batches == 0 {
		text = fmt.Appendf(text, "{\"locktop\":%q,\"version\":%d}\n", recordFormat, recordVersion)
	}
	r.batches++
	for _, e := range b.Events {
		if text, r.err = r.lines.appendEvent(text, r.batches, r.o.Mask.Event(e)); r.err != nil {
			return r.err
		}
		if at := r.lines.when(e.When()); next.events == 0 && r.events == 0 || at.After(next.latest) {
			next.latest = at
		}
		next.events++
	}
	if (len(text) > frameMax || next.events > eventsMax) && len(r.text) > 0 { // what waits makes room
		before := len(r.text)
		if r.err = r.flush(); r.err != nil {
			return r.err
		}
		text, next.events = text[before:], len(b.Events)
	}
	if next.events > eventsMax {
		r.err = fmt.Errorf("record a batch: it has %d events, and %d are as many as are read again", len(b.Events), eventsMax)
		return r.err
	}
	if len(text) > frameMax {
		r.err = fmt.Errorf("record a batch: it takes %d bytes, and %d are as many as are read again", len(text), frameMax)
		return r.err
	}
	r.text, r.next = text, next
	switch {
	case len(text) == 0:
	case lag == 0 || len(text) >= frameText:
		r.err = r.flush()
	case r.wait == nil:
		r.wait = time.AfterFunc(lag, func() { _ = r.Flush() }) // the next call is told
	}
	return r.err
}

// flush writes a frame of what waits.
func (r *Recorder) flush() error {
	if r.wait != nil {
		r.wait.Stop()
		r.wait = nil
	}
	if len(r.text) == 0 {
		return nil
	}
	f := r.next
	out, err := r.pack.pack(r.text, &f, r.check)
	if err != nil {
		return fmt.Errorf("packing the recording: %w", err)
	}
	if r.o.MaxBytes > 0 && r.bytes+int64(len(out)) > r.o.MaxBytes {
		return ErrFull
	}
	n, err := r.w.Write(out)
	r.bytes += int64(n)
	if err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	r.events += f.events
	r.check, r.text, r.next.events = f.check, r.text[:0], 0
	return nil
}

// Flush writes what waits. After an error every later call returns the same error.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.flush()
	}
	return r.err
}

// Close writes what waits. It returns why the recording ended before, if it did.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.flush()
	}
	if err := r.err; err != nil && !errors.Is(err, ErrClosed) {
		return err
	}
	r.err = ErrClosed
	return nil
}

// limit sets how large the recording may get.
func (r *Recorder) limit(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.MaxBytes = bytes
}

// Written returns how many events are in the recording, and how many bytes they take.
func (r *Recorder) Written() (events int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events, r.bytes
}

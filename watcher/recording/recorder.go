package recording

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"locktop/model"
)

// ErrFull is what [Recorder.Write] returns when a batch would make the recording larger
// than it may get.
var ErrFull = errors.New("the recording is as large as it may get")

// Options say what goes into a recording.
type Options struct {
	// Mask is what must not be told.
	Mask Mask
	// MaxBytes is how large the recording may get, 0 for no limit.
	MaxBytes int64
}

// Recorder writes what a source delivers. It is not safe for concurrent use.
type Recorder struct {
	w       io.Writer
	o       Options
	batches int64
	events  int
	bytes   int64
	sum     uint32 // of all bytes so far
	err     error
}

// NewRecorder returns a recorder that writes to w. It does not buffer: after each Write
// the recording is complete up to there.
func NewRecorder(w io.Writer, o Options) *Recorder { return &Recorder{w: w, o: o} }

// Write appends a batch, or nothing of it. After an error every later call returns the
// same error.
func (r *Recorder) Write(b model.Batch) error {
	if r.err != nil {
		return r.err
	}
	var out []byte
	if r.batches == 0 {
		out = fmt.Appendf(out, "{\"locktop\":%q,\"version\":%d}\n", recordFormat, recordVersion)
	}
	r.batches++
	for _, e := range b.Events {
		if out, r.err = appendEvent(out, r.batches, r.o.Mask.Event(e)); r.err != nil {
			return r.err
		}
	}
	if len(out) > 0 {
		out = appendCheck(out, crc32.Update(r.sum, castagnoli, out))
	}
	if len(out) > blockMax {
		r.err = fmt.Errorf("record a batch: it takes %d bytes, and %d are as many as are read again", len(out), blockMax)
		return r.err
	}
	if r.o.MaxBytes > 0 && r.bytes+int64(len(out)) > r.o.MaxBytes {
		r.err = ErrFull
		return r.err
	}
	n, err := r.w.Write(out)
	r.bytes += int64(n)
	if err != nil {
		r.err = fmt.Errorf("writing the recording: %w", err)
		return r.err
	}
	r.sum = crc32.Update(r.sum, castagnoli, out)
	r.events += len(b.Events)
	return nil
}

// Written returns how many events are in the recording, and how many bytes they take.
func (r *Recorder) Written() (events int, bytes int64) { return r.events, r.bytes }

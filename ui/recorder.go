package ui

import (
	"cmp"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
)

// RecordFile is a recording that is being written.
type RecordFile interface {
	Write(b model.Batch) error
	// Path is where it is.
	Path() string
	// End ends it, and says where it is and how it can be looked at.
	End() (said string, err error)
}

// Recorder writes down what is seen, from when a person begins it until it is ended. One that is
// nil cannot be begun.
type Recorder struct {
	open func() (RecordFile, error)
	file RecordFile
}

// NewRecorder returns one that writes into what open makes.
func NewRecorder(open func() (RecordFile, error)) *Recorder { return &Recorder{open: open} }

// On says whether it is written.
func (r *Recorder) On() bool { return r != nil && r.file != nil }

// Begin begins a recording with what is so now, and says where.
func (r *Recorder) Begin(s *store.View) (path string, err error) {
	begin, ok := s.Checkpoint()
	if !ok {
		return "", text.Refusal{Why: model.Say("wait-the-keys-are-still-being")}
	}
	file, err := r.open()
	if err != nil {
		return "", err
	}
	if err := file.Write(model.Batch{Events: begin}); err != nil {
		_, end := file.End()
		return "", cmp.Or(err, end)
	}
	r.file = file
	return file.Path(), nil
}

// Note writes a batch down that the console took in. What cannot be written ends the
// recording, and why is said.
func (r *Recorder) Note(b model.Batch) (why string) {
	if !r.On() || len(b.Events) == 0 {
		return ""
	}
	if err := r.file.Write(b); err != nil {
		return err.Error()
	}
	return ""
}

// End ends the recording, if there is one, and says where it is.
func (r *Recorder) End() (said string, err error) {
	if !r.On() {
		return "", nil
	}
	file := r.file
	r.file = nil
	return file.End()
}

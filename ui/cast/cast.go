// Package cast writes a recorded terminal in the format of asciinema, version 2: a line of JSON for
// the header, and one for each output or marker. It is played by asciinema, in a browser by its
// player, and by locktop's own pictures.
//
//	replay --cast ─┐
//	pictures ──────┼─▶ Writer ──▶ FILE.cast
//	a lesson ──────┘
package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// Header says what was recorded. A zero Began and an empty Title are left out.
type Header struct {
	Width, Height int
	Title         string
	Began         time.Time
}

// Writer writes one recorded terminal. It may be used by several goroutines.
type Writer struct {
	mu      sync.Mutex
	to      io.Writer
	due     []byte // the beginning of a letter whose rest has not come
	at      time.Duration
	bytes   int64
	markers int
	err     error
}

// New writes the header and returns the writer of what follows.
func New(to io.Writer, h Header) (*Writer, error) {
	first := struct {
		Version int    `json:"version"`
		Width   int    `json:"width"`
		Height  int    `json:"height"`
		Began   int64  `json:"timestamp,omitempty"`
		Title   string `json:"title,omitempty"`
	}{Version: 2, Width: h.Width, Height: h.Height, Title: h.Title}
	if !h.Began.IsZero() {
		first.Began = h.Began.Unix()
	}
	w := &Writer{to: to}
	w.line(first)
	return w, w.err
}

// Output writes what the terminal was told so long after the beginning. A letter may come in two
// parts. Time never goes back: what comes with an earlier one is of the moment before.
func (w *Writer) Output(at time.Duration, p []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = append(w.due, p...)
	cut := len(w.due)
	for cut > 0 && len(w.due)-cut < utf8.UTFMax && !utf8.Valid(w.due[:cut]) {
		cut--
	}
	w.event(at, "o", string(w.due[:cut]))
	w.due = bytes.Clone(w.due[cut:])
	return w.err
}

// Marker names a moment, to which a player can go: a question of a lesson, or what happened.
func (w *Writer) Marker(at time.Duration, label string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.markers++
	w.event(at, "m", label)
	return w.err
}

// Written returns for how long was recorded, in how many bytes, with how many markers.
func (w *Writer) Written() (length time.Duration, bytes int64, markers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at, w.bytes, w.markers
}

func (w *Writer) event(at time.Duration, kind, text string) {
	w.at = max(w.at, at.Truncate(time.Microsecond))
	w.line([]any{w.at.Seconds(), kind, text})
}

// line writes a value. After an error nothing more is written.
func (w *Writer) line(v any) {
	if w.err != nil {
		return
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		w.err = fmt.Errorf("write the recorded terminal: %w", err)
		return
	}
	n, err := w.to.Write(b.Bytes())
	w.bytes += int64(n)
	if err != nil {
		w.err = fmt.Errorf("write the recorded terminal: %w", err)
	}
}

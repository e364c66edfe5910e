package recording

import (
	"bytes"
	"fmt"
	"sync"
)

// Memory is a recording that is in memory, in the place of a file: a [Recorder] writes it, and
// what was written can be read at once.
type Memory struct {
	mu    sync.Mutex
	parts []part
	bytes int64
}

// Write takes one frame, as a [Recorder] writes them.
func (m *Memory) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var before uint32
	if n := len(m.parts); n > 0 {
		before = m.parts[n-1].check
	}
	f, packed, err := readFrame(bytes.NewReader(p), before, nil)
	if err != nil || f.packed != len(p) {
		return 0, fmt.Errorf("keeping a recording in memory: %d bytes are not one frame: %w", len(p), err)
	}
	m.parts = append(m.parts, part{frame: f, file: bytes.NewReader(bytes.Clone(packed)), begins: len(m.parts) == 0})
	m.bytes += int64(len(p))
	return len(p), nil
}

// Bytes returns how much it takes.
func (m *Memory) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// Segments returns what was written so far.
func (m *Memory) Segments() *Segments {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &Segments{}
	for _, p := range m.parts {
		r.add(p)
	}
	return r
}

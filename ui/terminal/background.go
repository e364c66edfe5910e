package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// backgroundTime is for how long an answer is waited for.
const backgroundTime = 100 * time.Millisecond

const (
	query  = "\x1b]11;?\x1b\\"
	opens  = "\x1b]11;"
	answer = 48 // bytes that an answer has at most
)

// TellsBackground says whether a terminal may be asked, by its environment. One within another
// answers for itself, late, or prints what it is asked.
func TellsBackground(env func(string) string) bool {
	term := env("TERM")
	if term == "" || env("TMUX") != "" || env("STY") != "" {
		return false
	}
	mute := []string{"dumb", "screen", "tmux", "linux", "cons", "vt"}
	return !slices.ContainsFunc(mute, func(begin string) bool { return strings.HasPrefix(term, begin) })
}

// Input is what is typed on a terminal, without the answers to what it was asked.
type Input struct {
	*os.File
	answer chan bool // light or not, of the first answer
	part   []byte    // of an answer that has begun
	esc    bool      // what was read last ended with an escape of its own
}

// NewInput returns a reader of what is typed on f.
func NewInput(f *os.File) *Input { return &Input{File: f, answer: make(chan bool, 1)} }

// Read reads what is typed.
func (i *Input) Read(p []byte) (int, error) {
	room := len(p)
	if room > 2*answer {
		room -= answer // for the beginning of an answer that turns out to be none
	}
	n, err := i.File.Read(p[:room])
	return copy(p, i.sift(p[:n])), err
}

// sift takes answers out of what was read.
func (i *Input) sift(read []byte) []byte {
	data := append(i.part, read...)
	if i.esc && bytes.HasPrefix(data, []byte(opens[1:])) {
		data = append([]byte(opens[:1]), data...)
	}
	i.part, i.esc = nil, false
	var keys []byte
	for {
		at := bytes.Index(data, []byte(opens))
		if at < 0 {
			break
		}
		keys = append(keys, data[:at]...)
		length, whole := measure(data[at:])
		switch {
		case whole:
			i.take(data[at : at+length])
		case length == 0: // it only looks like one
			length = len(opens)
			keys = append(keys, data[at:at+length]...)
		default:
			i.part = data[at:]
			return keys
		}
		data = data[at+length:]
	}
	for n := len(opens) - 1; n > 1; n-- {
		if bytes.HasSuffix(data, []byte(opens[:n])) {
			i.part = data[len(data)-n:]
			return append(keys, data[:len(data)-n]...)
		}
	}
	i.esc = bytes.HasSuffix(data, []byte{'\x1b'})
	return append(keys, data...)
}

// measure is how long the answer is with which data begins, and whether it is whole; 0 for
// none.
func measure(data []byte) (length int, whole bool) {
	for i := len(opens); i < len(data); i++ {
		switch c := data[i]; {
		case c == '\a':
			return i + 1, true
		case c == '\x1b' && i+1 == len(data):
		case c == '\x1b' && data[i+1] == '\\':
			return i + 2, true
		case i >= answer || !strings.ContainsRune("rgba:/0123456789ABCDEFcdef", rune(c)):
			return 0, false
		}
	}
	return len(data), false
}

// take keeps what the first answer says.
func (i *Input) take(text []byte) {
	if light, ok := isLight(string(text)); ok {
		select {
		case i.answer <- light:
		default:
		}
	}
}

// isLight says whether the colour in an answer is a light one: rgb:RRRR/GGGG/BBBB, with one
// to four digits for each, and perhaps how opaque it is.
func isLight(text string) (light, ok bool) {
	_, colour, _ := strings.Cut(strings.TrimRight(strings.TrimPrefix(text, opens), "\a\x1b\\"), ":")
	parts := strings.Split(colour, "/")
	if len(parts) < 3 {
		return false, false
	}
	sum := 0.0
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		v, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		sum += weight * float64(v) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return sum > 0.5, true
}

// Ask asks the terminal that shows out, and says whether its ground is light; ok is false
// if it did not answer within the [backgroundTime].
func (i *Input) Ask(ctx context.Context, out io.Writer) (light, ok bool) {
	if _, err := io.WriteString(out, query); err != nil {
		return false, false // the console ends by it, too
	}
	late := time.NewTimer(backgroundTime)
	defer late.Stop()
	select {
	case light = <-i.answer:
		return light, true
	case <-late.C:
	case <-ctx.Done():
	}
	return false, false
}

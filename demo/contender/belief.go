package contender

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/text"
)

// BeliefLine is one line of what a contender prints: JSON, one object per line.
// It says what the contender believes, which need not be true.
type BeliefLine struct {
	At        time.Time         `json:"at"`
	Contender string            `json:"contender"`
	PID       int               `json:"pid"`
	State     model.BeliefState `json:"state"`
	Lock      string            `json:"lock"`
	// LockBytes are those of a name that is not UTF-8; Lock is a readable form of it then.
	LockBytes []byte `json:"lock_base64,omitempty"`
	// Key and Lease (hex) are of the claim that the line speaks of, if there is one.
	Key      string `json:"key,omitempty"`
	KeyBytes []byte `json:"key_base64,omitempty"`
	Lease    string `json:"lease,omitempty"`
	// Token is the create revision of Key, once it has the lock.
	Token int64 `json:"token,omitempty"`
	// Text is what it says besides, in words, as on an error. Where these are a sentence of ours, Say names it,
	// and Args are what it speaks of.
	Text string          `json:"text,omitempty"`
	Say  model.MessageID `json:"say,omitempty"`
	Args []string        `json:"args,omitempty"`
}

// DecodeBelief reads a line that a contender printed, and the process id that it
// gave. It fails on anything that is not such a line.
func DecodeBelief(line []byte) (model.Belief, int, error) {
	b, l, err := decode(line)
	if err == nil && (l.Contender == "" || l.PID <= 0) {
		err = fmt.Errorf("read a contender's line: no contender in %.80q", line)
	}
	if err != nil {
		return model.Belief{}, 0, err
	}
	return b, l.PID, nil
}

// DecodeWord reads a line of a program that says what it believes as contenders do, but need
// not say who it is.
func DecodeWord(line []byte) (model.Belief, error) {
	b, _, err := decode(line)
	return b, err
}

func decode(line []byte) (b model.Belief, l BeliefLine, err error) {
	if err := json.Unmarshal(line, &l); err != nil {
		return b, l, fmt.Errorf("read a contender's line: %w", err)
	}
	switch l.State {
	case model.BeliefIdle, model.BeliefWaiting, model.BeliefHolding, model.BeliefLeaving, model.BeliefLost:
	default:
		return b, l, fmt.Errorf("read a contender's line: unknown state %q", l.State)
	}
	b = model.Belief{At: l.At, Contender: l.Contender, Lock: whole(l.Lock, l.LockBytes), State: l.State, Key: whole(l.Key, l.KeyBytes), Token: l.Token, Text: l.Text, Said: l.said()}
	if l.Lease != "" {
		if b.Lease, err = model.ParseLeaseID(l.Lease); err != nil {
			return b, l, fmt.Errorf("read a contender's line: %w", err)
		}
	}
	return b, l, nil
}

// put puts in what is said besides.
func (l *BeliefLine) put(said model.Message) {
	if words, is := said.Quoted(); is {
		l.Text = words
		return
	}
	l.Text, l.Say = text.English(said), said.ID
	for _, arg := range said.Args {
		l.Args = append(l.Args, fmt.Sprint(arg))
	}
}

// said is the sentence of ours, zero where the line names none that its text is.
func (l *BeliefLine) said() model.Message {
	said := model.Message{ID: l.Say}
	for _, arg := range l.Args {
		said.Args = append(said.Args, arg)
	}
	if said.IsZero() || text.English(said) != l.Text {
		return model.Message{}
	}
	return said
}

// whole is a name as etcd has it, of its readable form and its bytes, if it is not UTF-8.
func whole(readable string, bytes []byte) string {
	if len(bytes) > 0 {
		return string(bytes)
	}
	return readable
}

// readable is the opposite of [whole].
func readable(name string) (string, []byte) {
	if utf8.ValidString(name) {
		return name, nil
	}
	return model.Printable(name), []byte(name)
}

// teller prints belief lines, each in one write. Several may share it.
type teller struct {
	mu  sync.Mutex
	out io.Writer
}

func (t *teller) say(l BeliefLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.At = time.Now()
	l.Lock, l.LockBytes = readable(l.Lock)
	l.Key, l.KeyBytes = readable(l.Key)
	line, err := json.Marshal(l)
	if err != nil {
		return // cannot happen: every field is text or a number
	}
	// A reader that is gone is noticed by the process's other life line.
	_, _ = t.out.Write(append(line, '\n'))
}

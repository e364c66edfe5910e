package recording

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"locktop/model"
)

// errNoRecording is what [Open] returns for something that is no recording, or one of
// another version.
var errNoRecording = errors.New("not a recording of locktop")

// otherVersion is [errNoRecording] of a recording of another version.
type otherVersion int

func (v otherVersion) Error() string {
	return fmt.Sprintf("a recording of version %d, and this locktop reads version %d", int(v), recordVersion)
}

func (otherVersion) Is(target error) bool { return target == errNoRecording }

// Pace says how fast a recording is played. The zero value plays everything at once.
type Pace struct {
	// Speed is how many times as fast as it happened; 0: at once.
	Speed float64
}

// ErrDamaged is in the error of a recording of which a part cannot be read. All before that
// part has been returned.
var ErrDamaged = errors.New("the recording is damaged")

// Player is a [model.Source] over a recording.
type Player struct {
	next func() ([]model.Batch, error) // reads the next frame or part, io.EOF after the last
	pace Pace

	due     []model.Batch // read, and not returned yet
	err     error         // why nothing follows them
	first   time.Time     // when the recording begins
	started time.Time     // when it began to be played
}

var _ model.Source = (*Player)(nil)

// Open reads the beginning of a recording. The rest is read as far as it is asked for.
func Open(r io.Reader, pace Pace) (*Player, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if err := checkBegin(in); err != nil {
		return nil, err
	}
	return &Player{next: (&frames{r: in}).next, pace: pace}, nil
}

// checkBegin says why what begins so is no recording, nil if it may be one.
func checkBegin(r *bufio.Reader) error {
	head, err := r.Peek(headSize)
	switch {
	case len(head) == 0 && err == io.EOF:
		return fmt.Errorf("%w: the file is empty", errNoRecording)
	case len(head) == 0:
		return fmt.Errorf("%w: %w", errNoRecording, err)
	case len(head) > 1 && (head[0] != 0x1f || head[1] != 0x8b):
		return fmt.Errorf("%w of version %d, which is packed by gzip", errNoRecording, recordVersion)
	case err != nil:
		return nil // it was cut off: whoever reads on is told
	}
	if _, err := readHead(head); err != nil {
		return fmt.Errorf("%w: it is a file of gzip, whatever is in it", errNoRecording)
	}
	return nil
}

// readHeader reads the first line of a text.
func readHeader(line []byte) error {
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Locktop != recordFormat {
		return fmt.Errorf("%w: its first line is not {\"locktop\":%q,\"version\":…}", errNoRecording, recordFormat)
	}
	if h.Version != recordVersion {
		return otherVersion(h.Version)
	}
	return nil
}

// frames reads a recording that comes byte by byte.
type frames struct {
	r      io.Reader
	buf    []byte
	u      unpacker
	n      int // frames read
	offset int64
	check  uint32
}

// next reads a frame.
func (f *frames) next() ([]model.Batch, error) {
	head, packed, err := readFrame(f.r, f.check, f.buf)
	if err == io.EOF {
		return nil, err
	}
	var all []model.Batch
	if err == nil {
		all, err = f.u.batches(head, packed, f.n == 0)
	}
	if err != nil {
		return nil, damagedFrame(f.offset, head.packed, err)
	}
	f.buf, f.check, f.offset = packed, head.check, f.offset+int64(head.packed)
	f.n++
	return all, nil
}

// damagedFrame is the error of a frame that cannot be read. Where that is no recording for us, nothing of it is
// damaged.
func damagedFrame(offset int64, size int, why error) error {
	if errors.Is(why, errNoRecording) {
		return why
	}
	return fmt.Errorf("%w: bytes %d to %d: %w", ErrDamaged, offset, offset+int64(size), why)
}

// Begins returns the time of the first event, or why there is none: [io.EOF] if nothing
// was recorded.
func (p *Player) Begins() (time.Time, error) {
	if err := p.read(); err != nil {
		return time.Time{}, err
	}
	return p.first, nil
}

// Next returns the next batch as it was recorded, once it is due; the want makes no
// difference. After the last batch it returns [io.EOF]. A part that cannot be read ends
// the replay with [ErrDamaged] and its position, once everything before it has been
// returned. A recorder that was killed may leave such a part at the end.
func (p *Player) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	if err := ctx.Err(); err != nil {
		return model.Batch{}, err
	}
	if err := p.read(); err != nil {
		return model.Batch{}, err
	}
	if p.started.IsZero() {
		p.started = time.Now()
	}
	if err := p.wait(ctx); err != nil {
		return model.Batch{}, err
	}
	b := p.due[0]
	p.due = p.due[1:]
	return b, nil
}

// read reads on, unless a batch is due already.
func (p *Player) read() error {
	for p.err == nil && len(p.due) == 0 {
		p.due, p.err = p.next()
	}
	if len(p.due) == 0 {
		return p.err
	}
	if p.first.IsZero() {
		p.first = p.due[0].Events[0].When()
	}
	return nil
}

// wait waits until the last event of the batch is due.
func (p *Player) wait(ctx context.Context) error {
	if p.pace.Speed == 0 {
		return nil
	}
	events := p.due[0].Events
	at := events[len(events)-1].When().Sub(p.first)
	timer := time.NewTimer(time.Until(p.started.Add(time.Duration(float64(at) / p.pace.Speed))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

package recording

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"locktop/model"
)

// ErrNoRecording is what [Open] returns for something that is no recording, or one of
// another version.
var ErrNoRecording = errors.New("not a recording of locktop")

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
	r       *bufio.Reader
	pace    Pace
	version int
	line    int         // lines read
	offset  int64       // bytes read
	sum     uint32      // of them
	next    model.Event // read ahead, in version 1: the first event of the next batch
	at      int64       // the number of that batch
	err     error       // ends the replay

	due     []model.Event // read, and not returned yet
	first   time.Time     // when the recording begins
	started time.Time     // when it began to be played
}

var _ model.Source = (*Player)(nil)

// Open reads the beginning of a recording. The rest is read as far as it is asked for.
func Open(r io.Reader, pace Pace) (*Player, error) {
	p := &Player{r: bufio.NewReader(r), pace: pace}
	line, err := p.readLine(headerMax)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Locktop != recordFormat {
		return nil, fmt.Errorf("%w: its first line is not {\"locktop\":%q,\"version\":%d}", ErrNoRecording, recordFormat, recordVersion)
	}
	switch p.version = h.Version; p.version {
	case recordVersion:
	case uncheckedVersion:
		p.advance()
	default:
		return nil, fmt.Errorf("%w of version %d or %d, but of version %d", ErrNoRecording, uncheckedVersion, recordVersion, h.Version)
	}
	return p, nil
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
	b := model.Batch{Events: p.due}
	p.due = nil
	return b, nil
}

// read reads the next batch, unless one is due already.
func (p *Player) read() error {
	switch {
	case len(p.due) > 0:
		return nil
	case p.err != nil && p.next == nil:
		return p.err
	case p.version == recordVersion:
		if p.due, p.err = p.block(); p.err != nil {
			p.due = nil
			return p.err
		}
	default:
		for batch := p.at; p.next != nil && p.at == batch; p.advance() {
			p.due = append(p.due, p.next)
		}
	}
	if p.first.IsZero() {
		p.first = p.due[0].When()
	}
	return nil
}

// block reads the next block, [io.EOF] after the last. Nothing of it is believed before its
// check was read.
func (p *Player) block() ([]model.Event, error) {
	from, offset, left := p.line+1, p.offset, blockMax
	var lines [][]byte
	for {
		sum := p.sum
		line, err := p.readLine(left)
		switch {
		case err == io.EOF && len(lines) == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, p.damaged(from, offset, "the end is missing")
		case err != nil:
			return nil, p.damaged(from, offset, err.Error())
		}
		if rest, ok := bytes.CutPrefix(line, []byte(checkPrefix)); ok {
			want := string(appendCheck(nil, sum)[len(checkPrefix):])
			if string(rest) != want {
				return nil, p.damaged(from, offset, "the checksum is wrong")
			}
			if len(lines) == 0 { // a batch without events
				from, offset = p.line+1, p.offset
				continue
			}
			break
		}
		lines, left = append(lines, line), left-len(line)
	}
	events := make([]model.Event, len(lines))
	for i, line := range lines {
		var err error
		if _, events[i], err = readEvent(line); err != nil {
			return nil, p.damaged(from+i, offset, err.Error())
		}
		offset += int64(len(line))
	}
	return events, nil
}

// damaged is the error of the part from a line and an offset on up to where was read.
func (p *Player) damaged(line int, offset int64, why string) error {
	lines := fmt.Sprintf("line %d", line)
	if p.line > line {
		lines = fmt.Sprintf("lines %d to %d", line, p.line)
	}
	return fmt.Errorf("%w: %s, bytes %d to %d: %s", ErrDamaged, lines, offset, p.offset, why)
}

// wait waits until the last event of the batch is due.
func (p *Player) wait(ctx context.Context) error {
	if p.pace.Speed == 0 {
		return nil
	}
	at := p.due[len(p.due)-1].When().Sub(p.first)
	timer := time.NewTimer(time.Until(p.started.Add(time.Duration(float64(at) / p.pace.Speed))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// advance reads one event ahead.
func (p *Player) advance() {
	p.next = nil
	offset := p.offset
	line, err := p.readLine(blockMax)
	switch {
	case err == io.EOF:
		p.err = err
	case err != nil:
		p.err = p.damaged(p.line, offset, err.Error())
	default:
		if p.at, p.next, err = readEvent(line); err != nil {
			p.next, p.err = nil, p.damaged(p.line, offset, err.Error())
		}
	}
}

// readLine returns the next line, [io.EOF] after the last.
func (p *Player) readLine(most int) ([]byte, error) {
	var line []byte
	p.line++
	for {
		part, err := p.r.ReadSlice('\n')
		line = append(line, part...)
		p.offset += int64(len(part))
		switch {
		case len(line) > most:
			return nil, fmt.Errorf("a line of more than %d bytes", most)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err == nil:
			p.sum = crc32.Update(p.sum, castagnoli, line)
		}
		return line, err
	}
}

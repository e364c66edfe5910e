package recording

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	// AsIfNow moves every time in the recording, so that the recording begins when it is
	// first asked for a batch.
	AsIfNow bool
}

// Player is a [model.Source] over a recording.
type Player struct {
	r    *bufio.Reader
	pace Pace
	line int
	next model.Event // read ahead: the first event of the next batch
	at   int64       // the number of that batch
	err  error       // ends the replay

	due     []model.Event // read, and not returned yet
	first   time.Time     // when the recording begins
	started time.Time     // when it began to be played
}

var _ model.Source = (*Player)(nil)

// Open reads the beginning of a recording. The rest is read as far as it is asked for.
func Open(r io.Reader, pace Pace) (*Player, error) {
	p := &Player{r: bufio.NewReader(r), pace: pace}
	line, err := p.readLine()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	var h recordHeader
	if err := json.Unmarshal(line, &h); err != nil || h.Locktop != recordFormat {
		return nil, fmt.Errorf("%w: its first line is not {\"locktop\":%q,\"version\":%d}", ErrNoRecording, recordFormat, recordVersion)
	}
	if h.Version != recordVersion {
		return nil, fmt.Errorf("%w of version %d, but of version %d", ErrNoRecording, recordVersion, h.Version)
	}
	p.advance()
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
// difference. After the last batch it returns [io.EOF]. A line that cannot be read ends
// the replay with an error, once everything before it has been returned. A recorder that
// was killed may leave such a line at the end.
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
	if p.pace.AsIfNow {
		for i := range b.Events {
			b.Events[i] = moved(b.Events[i], p.started.Sub(p.first))
		}
	}
	return b, nil
}

// read reads the next batch, unless one is due already.
func (p *Player) read() error {
	if len(p.due) > 0 {
		return nil
	}
	if p.next == nil {
		return p.err
	}
	for batch := p.at; p.next != nil && p.at == batch; p.advance() {
		p.due = append(p.due, p.next)
	}
	if p.first.IsZero() {
		p.first = p.due[0].When()
	}
	return nil
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
	line, err := p.readLine()
	if err != nil {
		p.err = err
		return
	}
	if p.at, p.next, err = readEvent(line); err != nil {
		p.next, p.err = nil, fmt.Errorf("line %d of the recording: %w", p.line, err)
	}
}

// readLine returns the next line, [io.EOF] after the last.
func (p *Player) readLine() ([]byte, error) {
	p.line++
	line, err := p.r.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		return nil, fmt.Errorf("line %d of the recording: %w", p.line, io.ErrUnexpectedEOF)
	}
	return line, err
}

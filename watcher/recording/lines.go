package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"

	"locktop/model"
)

// lines reads the text of versions 1 and 2.
type lines struct {
	r       *bufio.Reader
	version int
	line    int         // lines read
	offset  int64       // bytes read
	sum     uint32      // of them
	next    model.Event // read ahead, in version 1: the first event of the next batch
	at      int64       // the number of that batch
	err     error       // ends the replay
}

// checkPrefix begins the last line of a block, which is an envelope of version 2.
const checkPrefix = `{"check":"`

var errEvents = fmt.Errorf("more than %d events in one envelope", eventsMax)

func appendCheck(out []byte, sum uint32) []byte {
	return fmt.Appendf(out, checkPrefix+"%08x\"}\n", sum)
}

func (p *lines) read() (events []model.Event, err error) {
	switch {
	case p.err != nil && p.next == nil:
		return nil, p.err
	case p.version == checkedVersion:
		events, p.err = p.block()
		return events, p.err
	}
	offset := p.offset
	for batch := p.at; p.next != nil && p.at == batch; p.advance() {
		if len(events) == eventsMax {
			p.next, p.err = nil, p.damaged(p.line, offset, errEvents.Error())
			return nil, p.err
		}
		events = append(events, p.next)
	}
	return events, nil
}

// block reads the next block, [io.EOF] after the last. Nothing of it is believed before its
// check was read.
func (p *lines) block() ([]model.Event, error) {
	from, offset, left := p.line+1, p.offset, blockMax
	var text [][]byte
	for {
		sum := p.sum
		line, err := p.readLine(left)
		switch {
		case err == io.EOF && len(text) == 0:
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
			if len(text) == 0 { // a batch without events
				from, offset = p.line+1, p.offset
				continue
			}
			break
		}
		if len(text) == eventsMax {
			return nil, p.damaged(from, offset, errEvents.Error())
		}
		text, left = append(text, line), left-len(line)
	}
	events := make([]model.Event, len(text))
	for i, line := range text {
		var err error
		if _, events[i], err = readEvent(line); err != nil {
			return nil, p.damaged(from+i, offset, err.Error())
		}
		offset += int64(len(line))
	}
	return events, nil
}

// damaged is the error of the part from a line and an offset on up to where was read.
func (p *lines) damaged(line int, offset int64, why string) error {
	lines := fmt.Sprintf("line %d", line)
	if p.line > line {
		lines = fmt.Sprintf("lines %d to %d", line, p.line)
	}
	return fmt.Errorf("%w: %s, bytes %d to %d: %s", ErrDamaged, lines, offset, p.offset, why)
}

// advance reads one event ahead.
func (p *lines) advance() {
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
func (p *lines) readLine(most int) ([]byte, error) {
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

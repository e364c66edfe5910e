package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"locktop/model"
)

// frame is what the header of a frame says of it.
type frame struct {
	packed int // bytes in the file, with the header
	raw    int // bytes of text
	events int
	latest time.Time // the latest time of any event so far; zero if there was none
	base   bool      // it tells what was so when the file began
	check  uint32
}

// The header of a frame: that of gzip (RFC 1952), with an extra field of one part.
const (
	extraAt    = 12 // behind the header and the length of the extra field
	extraSize  = 4 + infoSize
	infoSize   = 4 + 4 + 4 + 8 + 4 + 4
	headSize   = extraAt + extraSize
	checkAt    = headSize - 4
	emptyEvent = len(`{"batch":1,"event":"tick"}`) // none is shorter
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packer makes frames.
type packer struct{ out bytes.Buffer }

// Each recorder and each reader would make its own of these, for few frames: a writer takes a megabyte.
var (
	zipWriters = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one of gzip's
		return z
	}}
	zipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
)

// pack returns a frame, until the next one is packed. f says what is in it, and then also how
// it was packed; before is the check of the frame before.
func (p *packer) pack(text []byte, f *frame, before uint32) ([]byte, error) {
	p.out.Reset()
	z := zipWriters.Get().(*gzip.Writer)
	defer zipWriters.Put(z)
	z.Reset(&p.out)
	z.Extra = make([]byte, extraSize)
	_, err := z.Write(text)
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	b := p.out.Bytes()
	f.packed, f.raw = len(b), len(text)
	info := append(b[:extraAt], frameName(f.base)...)
	info = binary.LittleEndian.AppendUint16(info, infoSize)
	for _, n := range []int{f.packed, f.raw, f.events} {
		info = binary.LittleEndian.AppendUint32(info, uint32(n))
	}
	info = binary.LittleEndian.AppendUint64(info, uint64(f.latest.Unix()))
	info = binary.LittleEndian.AppendUint32(info, uint32(f.latest.Nanosecond()))
	f.check = crc32.Update(before, castagnoli, b) // the place of the check is still zero
	binary.LittleEndian.AppendUint32(info, f.check)
	return b, nil
}

// frameName is the name of the part of the extra field.
func frameName(base bool) string {
	if base {
		return "LB"
	}
	return "LT"
}

var (
	errNoFrame  = errors.New("it is not a frame of a recording")
	errMissing  = errors.New("the end is missing")
	errChecksum = errors.New("the checksum is wrong")
)

// readHead reads what a header says. Nothing of that is sure before the check.
func readHead(b []byte) (f frame, err error) {
	le := binary.LittleEndian
	if !bytes.Equal(b[:4], []byte{0x1f, 0x8b, 8, 4}) || le.Uint16(b[extraAt-2:]) != extraSize ||
		b[extraAt] != 'L' || b[extraAt+1] != 'T' && b[extraAt+1] != 'B' || le.Uint16(b[extraAt+2:]) != infoSize {
		return f, errNoFrame
	}
	info := b[extraAt+4:]
	f.packed, f.raw, f.events = int(le.Uint32(info)), int(le.Uint32(info[4:])), int(le.Uint32(info[8:]))
	f.latest = time.Unix(int64(le.Uint64(info[12:])), int64(le.Uint32(info[20:])))
	f.check = le.Uint32(info[24:])
	f.base = b[extraAt+1] == 'B'
	if f.packed <= headSize || f.packed > frameMax+frameMax/8 || f.raw > frameMax || f.events > min(f.raw/emptyEvent, eventsMax) {
		return f, errNoFrame // nobody wrote such a thing: its sizes would take all memory
	}
	return f, nil
}

// readFrame reads the next frame as it is packed, [io.EOF] after the last. buf is memory for it.
func readFrame(r io.Reader, before uint32, buf []byte) (f frame, packed []byte, err error) {
	packed = append(buf[:0], make([]byte, headSize)...)
	n, err := io.ReadFull(r, packed)
	if err == io.EOF {
		return f, nil, err
	}
	if err == nil {
		f, err = readHead(packed)
	}
	if err == nil {
		// It grows with what is there: the header alone may ask for much that never comes.
		rest := bytes.NewBuffer(packed)
		var more int64
		more, err = io.CopyN(rest, r, int64(f.packed-headSize))
		packed, n = rest.Bytes(), n+int(more)
	}
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		err = errMissing
	case err == nil:
		binary.LittleEndian.PutUint32(packed[checkAt:], 0)
		if crc32.Update(before, castagnoli, packed) != f.check {
			err = errChecksum
		}
		binary.LittleEndian.PutUint32(packed[checkAt:], f.check)
	}
	if err != nil {
		f.packed = n
	}
	return f, packed, err
}

// unpacker opens frames.
type unpacker struct{ text bytes.Buffer }

// open returns the text of a frame, until the next one is opened.
func (u *unpacker) open(f frame, packed []byte) (text []byte, err error) {
	in := bytes.NewReader(packed)
	z := zipReaders.Get().(*gzip.Reader)
	defer zipReaders.Put(z)
	if err := z.Reset(in); err != nil {
		return nil, err
	}
	z.Multistream(false)
	u.text.Reset()
	n, err := u.text.ReadFrom(io.LimitReader(z, int64(f.raw)+1)) // and the check of gzip, at the end
	if err == nil && (n != int64(f.raw) || in.Len() > 0) {
		err = fmt.Errorf("it does not hold the %d bytes that its header says", f.raw)
	}
	return u.text.Bytes(), err
}

// batches returns what is in a frame, the first of a recording or a later one.
func (u *unpacker) batches(f frame, packed []byte, first bool) ([]model.Batch, error) {
	text, err := u.open(f, packed)
	if err != nil {
		return nil, err
	}
	if first {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if err := readHeader(line); err != nil {
			return nil, err
		}
		text = rest
	}
	all, n, err := readBatches(text, f.events)
	if err == nil && n != f.events {
		err = fmt.Errorf("it holds %d events, and its header says %d", n, f.events)
	}
	return all, err
}

// readBatches reads lines of events, most of them at most, and says how many there were.
func readBatches(text []byte, most int) (all []model.Batch, n int, err error) {
	events := make([]model.Event, 0, most)
	var last int64
	// A name that is there twice is not looked for: that would take time, and nobody writes it.
	for d := (&decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}); ; {
		batch, e, err := d.event()
		switch {
		case err == io.EOF:
			return all, len(events), nil
		case errors.As(err, new(*jsontext.SyntacticError)):
			return nil, 0, fmt.Errorf("it is no JSON of a recording: %w", err)
		case err != nil:
			return nil, 0, err
		case len(events) == most:
			return nil, 0, fmt.Errorf("it holds something else than %d events", most)
		}
		events = append(events, e)
		if n := len(all); n == 0 || batch != last {
			all, last = append(all, model.Batch{Events: events[len(events)-1 : len(events) : len(events)]}), batch
		} else {
			b := &all[n-1]
			b.Events = events[len(events)-1-len(b.Events) : len(events) : len(events)]
		}
	}
}

// ReadText reads what zcat prints of a recording: a history that a person can read, and write.
func ReadText(text []byte) ([]model.Batch, error) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if err := readHeader(line); err != nil {
		return nil, err
	}
	all, _, err := readBatches(rest, bytes.Count(rest, []byte("\n")))
	return all, err
}

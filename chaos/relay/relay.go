package relay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	frameHead = 9        // bytes of a frame before its payload
	relayRoom = 32 << 10 // bytes that are read at once
	BlockRoom = 16 << 10 // bytes of a header block that every peer takes in one frame
	// maxBlock bounds a header block with its continuations. gRPC takes 16 MiB of
	// fields by default, etcd's clients send less than 1 KiB.
	maxBlock = 16 << 20
)

// Clients talk about windows after every message. Such a frame need not wake anybody: it
// may wait for the next frame of that direction.
const (
	// MaxOwed is how much room on a connection may be granted late. It is a quarter
	// of the least window, so that nobody ever waits for it.
	MaxOwed = 16 << 10
	// Measuring is the ping by which grpc-go finds out how large windows should be, at
	// each first message after the last answer. It has nothing to measure where there
	// are fewer bytes than littleData.
	Measuring  = "\x02\x04\x10\x10\x09\x0e\x07\x07"
	LittleData = 4 << 10
)

// ErrMalformed ends a connection on which something else than HTTP/2 is spoken.
var ErrMalformed = errors.New("a frame that HTTP/2 does not allow")

// Frame is a frame, or a header block with its continuations. It is good until the
// next one is read.
type Frame struct {
	Kind   http2.FrameType
	flags  http2.Flags
	Stream uint32
	Data   []byte              // the payload without padding; not of a header block
	Pad    int                 // bytes of padding, which flow control counts too
	Fields []hpack.HeaderField // of a header block
}

// Ends says whether the sender has no more to say in that stream.
func (u *Frame) Ends() bool { return u.flags.Has(http2.FlagDataEndStream) }

// Direction is one direction of a connection: it carries frames as they are, as many at once as
// have come. One goroutine relays; others may write frames of their own in between.
type Direction struct {
	from    io.Reader
	decoder *hpack.Decoder
	unit    Frame
	buf     []byte
	sent    int // bytes of buf that are written, or kept back
	seen    int // bytes of buf whose frames may pass
	// Rewrites says that header blocks are no longer passed as they are. They depend on
	// those before them: once one was late or did not pass, none can.
	Rewrites bool
	Bytes    atomic.Int64  // of messages since the last measuring
	Greeted  chan struct{} // closed when the first frame was relayed
	greets   bool          // it is

	mu      sync.Mutex // a whole number of frames at a time
	owed    uint32     // room on the connection that is not granted yet
	pong    bool       // a measuring is not answered yet
	to      io.Writer
	out     bytes.Buffer
	Framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder // makes blocks that do not depend on others
}

// New returns a direction that carries frames from one to the other.
func New(from io.Reader, to io.Writer) *Direction {
	w := &Direction{from: from, to: to, buf: make([]byte, relayRoom), Greeted: make(chan struct{})}
	w.decoder = hpack.NewDecoder(4096, func(f hpack.HeaderField) { w.unit.Fields = append(w.unit.Fields, f) })
	w.decoder.SetAllowedMaxDynamicTableSize(math.MaxUint32) // theirs to agree on
	w.Framer = http2.NewFramer(&w.out, nil)
	w.encoder = hpack.NewEncoder(&w.block)
	w.encoder.SetMaxDynamicTableSize(0)
	return w
}

// Inspect says whether a frame passes. If not, Inspect has dealt with the frame itself.
// An error ends the connection.
type Inspect func(*Frame) (pass bool, err error)

// Relay carries frames until an end is lost, which is the error.
func (w *Direction) Relay(see Inspect) error {
	for end := 0; ; {
		n, err := w.from.Read(w.buf[end:])
		end += n
		if n > 0 {
			if err := w.pass(w.buf[:end], see); err != nil {
				return err
			}
			end = copy(w.buf, w.buf[w.seen:end])
			if end == len(w.buf) { // a frame that is larger
				w.buf = append(w.buf, make([]byte, len(w.buf))...)
			}
		}
		if err != nil {
			return err
		}
	}
}

// Feed relays bytes that have come already, as [Direction.Relay] does with those that
// it reads. It returns when the frames that are complete were carried.
func (w *Direction) Feed(b []byte, see Inspect) error {
	if len(b) > len(w.buf) {
		w.buf = make([]byte, len(b))
	}
	return w.pass(w.buf[:copy(w.buf, b)], see)
}

// pass carries the frames that are complete.
func (w *Direction) pass(b []byte, see Inspect) error {
	w.sent, w.seen = 0, 0
	for {
		n, err := w.next(b[w.seen:])
		if err != nil || n == 0 {
			return errors.Join(err, w.Flush())
		}
		passes, err := see(&w.unit)
		if !passes || err != nil {
			if err = errors.Join(err, w.Flush()); err != nil {
				return err
			}
			w.sent += n
		}
		w.seen += n
	}
}

// Flush writes the frames that may pass. Call it before you write anything that comes
// after them.
func (w *Direction) Flush() error {
	if w.sent == w.seen {
		return nil
	}
	err := w.writeSeen()
	if err == nil && !w.greets {
		w.greets = true
		close(w.Greeted)
	}
	return err
}

// writeSeen writes the frames that may pass and are not written.
func (w *Direction) writeSeen() error {
	b := w.buf[w.sent:w.seen]
	w.sent = w.seen
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.owed == 0 && !w.pong {
		_, err := w.to.Write(b)
		return err
	}
	return w.writeLocked(func() error {
		_, err := w.out.Write(b)
		return err
	})
}

// write writes the frames that make makes.
func (w *Direction) Insert(make func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writeLocked(make)
}

// writeLocked writes what had to wait, and the frames that make makes. w.mu is held.
func (w *Direction) writeLocked(make func() error) error {
	w.out.Reset()
	if err := make(); err != nil {
		return err
	}
	if w.owed > 0 {
		_ = w.Framer.WriteWindowUpdate(0, w.owed) // into memory
	}
	if w.pong {
		_ = w.Framer.WritePing(true, [8]byte([]byte(Measuring)))
	}
	w.owed, w.pong = 0, false
	_, err := w.to.Write(w.out.Bytes())
	return err
}

// Window sees room be granted, and says whether that passes now.
func (w *Direction) Window(u *Frame) bool {
	if u.Stream != 0 || len(u.Data) != 4 {
		return true
	}
	n := binary.BigEndian.Uint32(u.Data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if n == 0 || n >= MaxOwed || w.owed+n >= MaxOwed {
		return true
	}
	w.owed += n
	return false
}

// Ping sees a ping of the receiver's, and says whether that passes.
func (w *Direction) Ping(u *Frame) bool {
	if u.flags.Has(http2.FlagPingAck) || string(u.Data) != Measuring || w.Bytes.Swap(0) >= LittleData {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pong = true
	return false
}

// next reads a unit and returns its size, 0 if it is not complete.
func (w *Direction) next(b []byte) (size int, err error) {
	n := frameSize(b)
	if n == 0 {
		return 0, nil
	}
	u := &w.unit
	*u = Frame{Kind: http2.FrameType(b[3]), flags: http2.Flags(b[4]),
		Stream: streamOf(b), Data: b[frameHead:n], Fields: u.Fields[:0]}
	switch u.Kind {
	case http2.FrameData:
		return n, u.unpad()
	case http2.FrameHeaders:
		return w.decode(b, n)
	case http2.FramePushPromise, http2.FrameContinuation:
		return 0, ErrMalformed // gRPC knows no pushes, and a continuation follows its header
	}
	return n, nil
}

// streamOf is the stream of the first frame.
func streamOf(b []byte) uint32 { return binary.BigEndian.Uint32(b[5:]) &^ (1 << 31) }

// frameSize is that of the first frame, 0 if it is not complete.
func frameSize(b []byte) int {
	if len(b) < frameHead {
		return 0
	}
	n := frameHead + int(b[0])<<16 + int(b[1])<<8 + int(b[2])
	if n > len(b) {
		return 0
	}
	return n
}

// decode reads a header block, the first frame of which has n bytes.
func (w *Direction) decode(b []byte, n int) (size int, err error) {
	u := &w.unit
	size = n
	for last := u.flags; !last.Has(http2.FlagHeadersEndHeaders); {
		more := frameSize(b[size:])
		if size > maxBlock || more > 0 && (http2.FrameType(b[size+3]) != http2.FrameContinuation || streamOf(b[size:]) != u.Stream) {
			return 0, ErrMalformed
		}
		if more == 0 {
			return 0, nil
		}
		last = http2.Flags(b[size+4])
		size += more
	}
	if err := u.unpad(); err != nil {
		return 0, err
	}
	block := u.Data
	u.Data = nil
	if u.flags.Has(http2.FlagHeadersPriority) {
		if len(block) < 5 {
			return 0, ErrMalformed
		}
		block = block[5:]
	}
	_, err = w.decoder.Write(block)
	for at := n; at < size && err == nil; {
		more := frameSize(b[at:])
		_, err = w.decoder.Write(b[at+frameHead : at+more])
		at += more
	}
	return size, errors.Join(err, w.decoder.Close())
}

// unpad takes the padding off.
func (u *Frame) unpad() error {
	if !u.flags.Has(http2.FlagDataPadded) {
		return nil
	}
	if len(u.Data) == 0 || len(u.Data) <= int(u.Data[0]) {
		return ErrMalformed
	}
	u.Pad = 1 + int(u.Data[0])
	u.Data = u.Data[1 : len(u.Data)-int(u.Data[0])]
	return nil
}

// Headers makes a header block. Only in Insert.
func (w *Direction) Headers(stream uint32, fields []hpack.HeaderField, end bool) error {
	w.block.Reset()
	for _, f := range fields {
		if err := w.encoder.WriteField(f); err != nil {
			return err
		}
	}
	first := w.block.Next(BlockRoom)
	err := w.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndStream: end, EndHeaders: w.block.Len() == 0})
	for err == nil && w.block.Len() > 0 {
		more := w.block.Next(BlockRoom)
		err = w.Framer.WriteContinuation(stream, w.block.Len() == 0, more)
	}
	return err
}

// Header passes a header block, or writes it anew.
func (w *Direction) Header(u *Frame) (pass bool, err error) {
	if !w.Rewrites {
		return true, nil
	}
	if err := w.Flush(); err != nil {
		return false, err
	}
	return false, w.Insert(func() error { return w.Headers(u.Stream, u.Fields, u.Ends()) })
}

// Aside prepares to take a frame off its way.
func (w *Direction) Aside(u *Frame) error {
	if u.Kind == http2.FrameHeaders {
		w.Rewrites = true
	}
	return w.Flush()
}

// Credit tells the receiver's peer that bytes of a stream were taken, which the
// receiver itself never does for those that it does not get: w is the direction back. The
// stream is 0 if it is over.
func (w *Direction) Credit(stream uint32, n int) {
	if n == 0 {
		return
	}
	_ = w.Insert(func() error { // it fails with the connection
		if stream != 0 {
			if err := w.Framer.WriteWindowUpdate(stream, uint32(n)); err != nil {
				return err
			}
		}
		return w.Framer.WriteWindowUpdate(0, uint32(n))
	})
}

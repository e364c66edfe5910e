package proxy

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
	blockRoom = 16 << 10 // bytes of a header block that every peer takes in one frame
	// maxBlock bounds a header block with its continuations. gRPC takes 16 MiB of
	// fields by default, etcd's clients send less than 1 KiB.
	maxBlock = 16 << 20
)

// Clients talk about windows after every message. Such a frame need not wake anybody: it
// may wait for the next frame of that direction.
const (
	// maxOwed is how much room on a connection may be granted late. It is a quarter
	// of the least window, so that nobody ever waits for it.
	maxOwed = 16 << 10
	// measuring is the ping by which grpc-go finds out how large windows should be, at
	// each first message after the last answer. It has nothing to measure where there
	// are fewer bytes than littleData.
	measuring  = "\x02\x04\x10\x10\x09\x0e\x07\x07"
	littleData = 4 << 10
)

// errMalformed ends a connection on which something else than HTTP/2 is spoken.
var errMalformed = errors.New("a frame that HTTP/2 does not allow")

// frame is a frame, or a header block with its continuations. It is good until the
// next one is read.
type frame struct {
	kind   http2.FrameType
	flags  http2.Flags
	stream uint32
	data   []byte              // the payload without padding; not of a header block
	pad    int                 // bytes of padding, which flow control counts too
	fields []hpack.HeaderField // of a header block
}

// ends says whether the sender has no more to say in that stream.
func (f *frame) ends() bool { return f.flags.Has(http2.FlagDataEndStream) }

// frames are those of one direction of a connection. They pass as they came, as many at
// once as have come: the two ends agree on streams, windows and settings with each other,
// and the proxy takes part in none of it. Two things have to be made good when a frame is
// taken off its way. Header blocks depend on those before them: after one that was late
// or did not pass, the rest are written anew (header). And what never arrives takes up
// room in the sender's window: credit gives that back.
//
// The subset is what gRPC needs (RFC 9113): no pushes, no trailers from clients, header
// blocks of at most 16 MiB. Anything else ends the connection. FuzzFrames holds it to its
// promise: what passes is what came. One goroutine carries; others may write frames of
// their own in between.
type frames struct {
	from    io.Reader
	decoder *hpack.Decoder
	unit    frame
	buf     []byte
	sent    int // bytes of buf that are written, or kept back
	seen    int // bytes of buf whose frames may pass
	// rewrites says that header blocks are no longer passed as they are. They depend on
	// those before them: once one was late or did not pass, none can.
	rewrites bool
	bytes    atomic.Int64  // of messages since the last measuring
	greeted  chan struct{} // closed when the first frame was passed
	greets   bool          // it is

	mu      sync.Mutex // a whole number of frames at a time
	owed    uint32     // room on the connection that is not granted yet
	pong    bool       // a measuring is not answered yet
	to      io.Writer
	out     bytes.Buffer
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder // makes blocks that do not depend on others
}

// newFrames returns a direction that carries from one to the other.
func newFrames(from io.Reader, to io.Writer) *frames {
	w := &frames{from: from, to: to, buf: make([]byte, relayRoom), greeted: make(chan struct{})}
	w.decoder = hpack.NewDecoder(4096, func(f hpack.HeaderField) { w.unit.fields = append(w.unit.fields, f) })
	w.decoder.SetAllowedMaxDynamicTableSize(math.MaxUint32) // theirs to agree on
	w.framer = http2.NewFramer(&w.out, nil)
	w.encoder = hpack.NewEncoder(&w.block)
	w.encoder.SetMaxDynamicTableSize(0)
	return w
}

// inspect says whether a frame passes. If not, inspect has dealt with the frame itself.
// An error ends the connection.
type inspect func(*frame) (pass bool, err error)

// carry passes frames on until an end is lost, which is the error.
func (fs *frames) carry(see inspect) error {
	for end := 0; ; {
		n, err := fs.from.Read(fs.buf[end:])
		end += n
		if n > 0 {
			if err := fs.pass(fs.buf[:end], see); err != nil {
				return err
			}
			end = copy(fs.buf, fs.buf[fs.seen:end])
			if end == len(fs.buf) { // a frame that is larger
				fs.buf = append(fs.buf, make([]byte, len(fs.buf))...)
			}
		}
		if err != nil {
			return err
		}
	}
}

// pass passes the frames that are complete.
func (fs *frames) pass(b []byte, see inspect) error {
	fs.sent, fs.seen = 0, 0
	for {
		n, err := fs.next(b[fs.seen:])
		if err != nil || n == 0 {
			return errors.Join(err, fs.flush())
		}
		passes, err := see(&fs.unit)
		if !passes || err != nil {
			if err = errors.Join(err, fs.flush()); err != nil {
				return err
			}
			fs.sent += n
		}
		fs.seen += n
	}
}

// flush writes the frames that may pass. Call it before you write anything that comes
// after them.
func (fs *frames) flush() error {
	if fs.sent == fs.seen {
		return nil
	}
	err := fs.writeSeen()
	if err == nil && !fs.greets {
		fs.greets = true
		close(fs.greeted)
	}
	return err
}

// writeSeen writes the frames that may pass and are not written.
func (fs *frames) writeSeen() error {
	b := fs.buf[fs.sent:fs.seen]
	fs.sent = fs.seen
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.owed == 0 && !fs.pong {
		_, err := fs.to.Write(b)
		return err
	}
	return fs.writeLocked(func() error {
		_, err := fs.out.Write(b)
		return err
	})
}

// insert writes the frames that make makes.
func (fs *frames) insert(make func() error) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.writeLocked(make)
}

// writeLocked writes what had to wait, and the frames that make makes. fs.mu is held.
func (fs *frames) writeLocked(make func() error) error {
	fs.out.Reset()
	if err := make(); err != nil {
		return err
	}
	if fs.owed > 0 {
		_ = fs.framer.WriteWindowUpdate(0, fs.owed) // into memory
	}
	if fs.pong {
		_ = fs.framer.WritePing(true, [8]byte([]byte(measuring)))
	}
	fs.owed, fs.pong = 0, false
	_, err := fs.to.Write(fs.out.Bytes())
	return err
}

// window sees room be granted, and says whether that passes now.
func (fs *frames) window(u *frame) bool {
	if u.stream != 0 || len(u.data) != 4 {
		return true
	}
	n := binary.BigEndian.Uint32(u.data)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if n == 0 || n >= maxOwed || fs.owed+n >= maxOwed {
		return true
	}
	fs.owed += n
	return false
}

// ping sees a ping of the receiver's, and says whether that passes.
func (fs *frames) ping(u *frame) bool {
	if u.flags.Has(http2.FlagPingAck) || string(u.data) != measuring || fs.bytes.Swap(0) >= littleData {
		return true
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.pong = true
	return false
}

// next reads a unit and returns its size, 0 if it is not complete.
func (fs *frames) next(b []byte) (size int, err error) {
	n := frameSize(b)
	if n == 0 {
		return 0, nil
	}
	u := &fs.unit
	*u = frame{kind: http2.FrameType(b[3]), flags: http2.Flags(b[4]),
		stream: streamOf(b), data: b[frameHead:n], fields: u.fields[:0]}
	switch u.kind {
	case http2.FrameData:
		return n, u.unpad()
	case http2.FrameHeaders:
		return fs.decode(b, n)
	case http2.FramePushPromise, http2.FrameContinuation:
		return 0, errMalformed // gRPC knows no pushes, and a continuation follows its header
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
func (fs *frames) decode(b []byte, n int) (size int, err error) {
	u := &fs.unit
	size = n
	for last := u.flags; !last.Has(http2.FlagHeadersEndHeaders); {
		more := frameSize(b[size:])
		if size > maxBlock || more > 0 && (http2.FrameType(b[size+3]) != http2.FrameContinuation || streamOf(b[size:]) != u.stream) {
			return 0, errMalformed
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
	block := u.data
	u.data = nil
	if u.flags.Has(http2.FlagHeadersPriority) {
		if len(block) < 5 {
			return 0, errMalformed
		}
		block = block[5:]
	}
	_, err = fs.decoder.Write(block)
	for at := n; at < size && err == nil; {
		more := frameSize(b[at:])
		_, err = fs.decoder.Write(b[at+frameHead : at+more])
		at += more
	}
	return size, errors.Join(err, fs.decoder.Close())
}

// unpad takes the padding off.
func (f *frame) unpad() error {
	if !f.flags.Has(http2.FlagDataPadded) {
		return nil
	}
	if len(f.data) == 0 || len(f.data) <= int(f.data[0]) {
		return errMalformed
	}
	f.pad = 1 + int(f.data[0])
	f.data = f.data[1 : len(f.data)-int(f.data[0])]
	return nil
}

// headers makes a header block. Only in insert.
func (fs *frames) headers(stream uint32, fields []hpack.HeaderField, end bool) error {
	fs.block.Reset()
	for _, f := range fields {
		if err := fs.encoder.WriteField(f); err != nil {
			return err
		}
	}
	first := fs.block.Next(blockRoom)
	err := fs.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndStream: end, EndHeaders: fs.block.Len() == 0})
	for err == nil && fs.block.Len() > 0 {
		more := fs.block.Next(blockRoom)
		err = fs.framer.WriteContinuation(stream, fs.block.Len() == 0, more)
	}
	return err
}

// header passes a header block, or writes it anew.
func (fs *frames) header(u *frame) (pass bool, err error) {
	if !fs.rewrites {
		return true, nil
	}
	if err := fs.flush(); err != nil {
		return false, err
	}
	return false, fs.insert(func() error { return fs.headers(u.stream, u.fields, u.ends()) })
}

// setAside prepares to take a frame off its way.
func (fs *frames) setAside(u *frame) error {
	if u.kind == http2.FrameHeaders {
		fs.rewrites = true
	}
	return fs.flush()
}

// credit tells the receiver's peer that bytes of a stream were taken, which the
// receiver itself never does for those that it does not get: fs is the direction back. The
// stream is 0 if it is over.
func (fs *frames) credit(stream uint32, n int) {
	if n == 0 {
		return
	}
	_ = fs.insert(func() error { // it fails with the connection
		if stream != 0 {
			if err := fs.framer.WriteWindowUpdate(stream, uint32(n)); err != nil {
				return err
			}
		}
		return fs.framer.WriteWindowUpdate(0, uint32(n))
	})
}

package proxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"locktop/chaos/chaostest"
)

// everyShape is a request in frames as gRPC's own clients do not send them.
func everyShape(t testing.TB) []byte {
	s := chaostest.NewSpeaker()
	block := s.Header(t, ":path", "/etcdserverpb.KV/Put", "long", strings.Repeat("x", 300))
	chaostest.Must(t, s.Framer.WriteSettings())
	chaostest.Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10], PadLength: 7,
		Priority: http2.PriorityParam{Weight: 9}}))
	chaostest.Must(t, s.Framer.WriteContinuation(1, false, block[10:200]))
	chaostest.Must(t, s.Framer.WriteContinuation(1, true, block[200:]))
	chaostest.Must(t, s.Framer.WriteDataPadded(1, false, []byte("\x00\x00"), make([]byte, 5)))
	chaostest.Must(t, s.Framer.WriteData(1, true, []byte("\x00\x00\x03abc")))
	chaostest.Must(t, s.Framer.WriteRawFrame(0xbe, 3, 1, []byte("unknown to us")))
	return s.Bytes()
}

func TestFramesPassAsTheyAreHoweverTheyCome(t *testing.T) {
	t.Parallel()
	in := everyShape(t)
	for size := 1; size <= len(in); size++ {
		var out bytes.Buffer
		var fields []hpack.HeaderField
		var data []byte
		w := newFrames(&chunks{in, size}, &out)
		err := w.carry(func(u *frame) (bool, error) {
			fields = append(fields, u.fields...)
			if u.kind == http2.FrameData {
				data = append(data, u.data...)
			}
			return true, nil
		})
		if !errors.Is(err, io.EOF) || !bytes.Equal(out.Bytes(), in) {
			t.Fatalf("%d bytes at once: %v, %d bytes of %d passed", size, err, out.Len(), len(in))
		}
		if len(fields) != 2 || fields[0].Value != "/etcdserverpb.KV/Put" || len(fields[1].Value) != 300 {
			t.Fatalf("%d bytes at once: the header is read as %v", size, fields)
		}
		if string(data) != "\x00\x00\x00\x00\x03abc" {
			t.Fatalf("%d bytes at once: the message is read as %q", size, data)
		}
	}
}

// chunks reads so many bytes at once.
type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.rest[:min(c.size, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

// FuzzFrames: whatever comes, what passes is what came, and nothing else.
func FuzzFrames(f *testing.F) {
	f.Add(everyShape(f))
	f.Add([]byte("\x00\x00\x01\x00\x08\x00\x00\x00\x01\x09"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		_ = newFrames(bytes.NewReader(in), &out).carry(func(*frame) (bool, error) { return true, nil })
		if !bytes.HasPrefix(in, out.Bytes()) {
			t.Fatalf("%x came out of %x", &out, in)
		}
	})
}

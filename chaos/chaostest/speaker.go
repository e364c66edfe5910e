package chaostest

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Speaker is what one end says, made by a library.
type Speaker struct {
	bytes.Buffer
	Framer *http2.Framer
	block  bytes.Buffer
	fields *hpack.Encoder
}

// NewSpeaker returns one that has said nothing.
func NewSpeaker() *Speaker {
	s := &Speaker{}
	s.Framer = http2.NewFramer(&s.Buffer, nil)
	s.fields = hpack.NewEncoder(&s.block)
	return s
}

// Header returns a block of these names and values.
func (s *Speaker) Header(t testing.TB, pairs ...string) []byte {
	t.Helper()
	s.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		Must(t, s.fields.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}))
	}
	return bytes.Clone(s.block.Bytes())
}

// Call says a header and a message.
func (s *Speaker) Call(t testing.TB, stream uint32, end bool, message []byte, pairs ...string) {
	t.Helper()
	Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndHeaders: true, BlockFragment: s.Header(t, pairs...)}))
	head := []byte{0, 0, 0, 0, byte(len(message))}
	Must(t, s.Framer.WriteData(stream, end, append(head, message...)))
}

// Taken returns what was said up to now.
func (s *Speaker) Taken() Speaker {
	defer s.Reset()
	return Speaker{Buffer: *bytes.NewBuffer(bytes.Clone(s.Bytes()))}
}

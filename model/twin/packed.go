package twin

import (
	"slices"
	"unsafe"

	"github.com/klauspost/compress/s2"
)

// packed are bytes, of which there are several times as many: things that are side by side are
// much the same.
type packed struct {
	bytes []byte
	size  int
}

// pack packs bytes, with the help of room that it may need more of.
func pack(of []byte, room *[]byte) packed {
	if len(of) == 0 {
		return packed{}
	}
	if most := s2.MaxEncodedLen(len(of)); cap(*room) < most {
		*room = make([]byte, most)
	}
	return packed{slices.Clone(s2.Encode((*room)[:cap(*room)], of)), len(of)}
}

// unpack puts the bytes into as many.
func (x packed) unpack(into []byte) {
	if x.size == 0 {
		return
	}
	if _, err := s2.Decode(into[:x.size:x.size], x.bytes); err != nil {
		panic("twin: " + err.Error()) // nobody else has had them
	}
}

// bytesOf are the bytes of numbers.
func bytesOf(refs []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(refs))), 4*len(refs))
}

package proxy

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// messages finds the messages in the bytes of a call, one way: each has a byte that
// says whether it is compressed and four of its length before it.
type messages struct {
	head    [5]byte
	have    int    // bytes of head
	missing int    // bytes that are missing behind it
	text    []byte // what came of a message that is wanted, unless it came at once
}

// part is what some bytes begin with: a message, or as much of one as there is.
type part struct {
	size        int
	first, last bool   // of its message
	text        []byte // the message, with its last part, if it is wanted and not compressed
}

// next takes a part off some bytes. Its text is good as long as they are.
func (m *messages) next(b []byte, wanted bool) part {
	p := part{first: m.have == 0}
	if m.have < len(m.head) {
		p.size = copy(m.head[m.have:], b)
		m.have += p.size
		if m.have < len(m.head) {
			return p
		}
		m.missing = int(binary.BigEndian.Uint32(m.head[1:]))
	}
	text := b[p.size:min(len(b), p.size+m.missing)]
	p.size += len(text)
	m.missing -= len(text)
	p.last = m.missing == 0
	if wanted && m.head[0] == 0 {
		if m.text != nil || !p.last {
			m.text = append(m.text, text...)
			text = m.text
		}
		p.text = text
	}
	if p.last {
		m.have, m.text = 0, nil
	}
	return p
}

// piece is a part of one direction of a call that does not pass by itself.
type piece struct {
	message     *message // which it belongs to, nil if a fault has no say in it
	first, last bool     // of its message
	data, text  []byte
	fields      []hpack.HeaderField // of the status, which is a message too if it is an answer
	reset       bool                // the call is broken off
	code        http2.ErrCode       // why
	end         bool                // nothing comes after it
}

// pieces takes a frame apart. Messages that are wanted whole come as one piece.
func (f *flow) pieces(u *frame, wanted, whole bool, pass func(*piece) error) error {
	for b := u.data; len(b) > 0; {
		part := f.messages.next(b, wanted)
		data := bytes.Clone(b[:part.size])
		b = b[part.size:]
		if part.first {
			f.message = &message{}
		}
		p := &piece{message: f.message, first: part.first, last: part.last, data: data, text: bytes.Clone(part.text)}
		if whole && f.message != nil {
			f.partial = append(f.partial, data...)
			if !part.last {
				continue
			}
			p.first, p.data, f.partial = true, f.partial, nil
		}
		if part.last {
			f.message = nil
		}
		if err := pass(p); err != nil {
			return err
		}
	}
	if u.ends() {
		return pass(&piece{end: true})
	}
	return nil
}

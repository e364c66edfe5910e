package intervals

import (
	"encoding/binary"
	"strconv"
	"strings"

	"locktop/model"
	"locktop/model/twin"
)

// A chunk is stays of one lock that are over, one behind the other as bytes, each told by
// how it differs from the one before. It has no pointers but one, so a million stays cost
// the collector nothing.
type chunk struct {
	line *line
	data twin.Appended
	n    int
	// held counts those that got the lock; came is the first that came, over the first and
	// gone the last end of any.
	held             int
	came, over, gone int64
	got              int64 // the first that got the lock
	waited           int64 // by all of them
	last             packed
	before           int  // how many stays of the line got the lock before its first
	waiting          int  // how many waited when its last one ended
	spared           bool // it was the oldest once and still open
}

const (
	chunkStays = 64
	chunkBytes = 2 << 10 // from which a chunk is full, however few stays it has
	// ownSize is what a chunk takes beside its bytes, and lineSize a lock beside its chunks
	// and its name.
	ownSize  = 192
	lineSize = 240
	textMax  = 64 // of a value: only who it was is told by it
)

// packed is a stay in numbers: times are µs since 1970.
type packed struct {
	flags           byte
	came, got, gone int64
	rev             int64
	lease           model.LeaseID
	key, value      []byte // as far as the flags say
}

// Flags of a packed stay.
const (
	hasGot byte = 1 << iota
	cameAtLeast
	gotAtLeast
	unseenEnd
	staysThere
	hasValue
	keyForm // two bits
)

// Forms of keys: most are told by their lock and their lease.
const (
	keyByHex   = 0
	keyIsLock  = keyForm
	keyBelow   = 2 * keyForm
	keyWhole   = 3 * keyForm
	keyFormBit = 3 * keyForm
)

// formOf says how a key is told, and what of it has to be stored.
func formOf(lock, key string, lease model.LeaseID) (form byte, rest string) {
	below, ok := strings.CutPrefix(key, lock+"/")
	switch {
	case key == lock:
		return keyIsLock, ""
	case ok && lease != 0 && below == lease.String():
		return keyByHex, ""
	case ok:
		return keyBelow, below
	}
	return keyWhole, key
}

// keyOf is the opposite.
func (p *packed) keyOf(lock string) string {
	switch p.flags & keyFormBit {
	case keyIsLock:
		return lock
	case keyByHex:
		return lock + "/" + strconv.FormatUint(uint64(p.lease), 16)
	case keyBelow:
		return lock + "/" + string(p.key)
	}
	return string(p.key)
}

// end is when the wait was over.
func (p *packed) end() int64 {
	if p.flags&hasGot != 0 {
		return p.got
	}
	return p.gone
}

// add appends a stay, which ended no earlier than those before.
func (c *chunk) add(p packed) {
	b := append(c.data, p.flags)
	b = binary.AppendVarint(b, p.came-c.last.came)
	from := p.came
	if p.flags&hasGot != 0 {
		p.got = max(p.got, p.came)
		b = binary.AppendUvarint(b, uint64(p.got-p.came))
		from = p.got
	}
	p.gone = max(p.gone, from)
	b = binary.AppendUvarint(b, uint64(p.gone-from))
	b = binary.AppendVarint(b, p.rev-c.last.rev)
	b = binary.AppendVarint(b, int64(p.lease-c.last.lease))
	if p.flags&keyFormBit >= keyBelow {
		b = append(binary.AppendUvarint(b, uint64(len(p.key))), p.key...)
	}
	if p.flags&hasValue != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(p.value))), p.value...)
	}
	if c.n == 0 || p.came < c.came {
		c.came = p.came
	}
	if c.n == 0 {
		c.over = p.gone
	}
	if p.flags&hasGot != 0 {
		if c.held == 0 || p.got < c.got {
			c.got = p.got
		}
		c.held++
	}
	c.waited += p.end() - p.came
	c.gone = max(c.gone, p.gone)
	c.data, c.last, c.n = b, packed{came: p.came, rev: p.rev, lease: p.lease}, c.n+1
}

// full says whether the chunk takes no more.
func (c *chunk) full() bool { return c.n >= chunkStays || len(c.data) >= chunkBytes }

// each yields the stays of the chunk in the order of their ends.
func (c *chunk) each(yield func(*packed) bool) bool {
	var p packed
	b := []byte(c.data)
	for range c.n {
		p.flags, b = b[0], b[1:]
		p.came += varint(&b)
		p.gone, p.got = p.came, 0
		if p.flags&hasGot != 0 {
			p.got = p.came + int64(uvarint(&b))
			p.gone = p.got
		}
		p.gone += int64(uvarint(&b))
		p.rev += varint(&b)
		p.lease += model.LeaseID(varint(&b))
		p.key, p.value = nil, nil
		if p.flags&keyFormBit >= keyBelow {
			p.key = text(&b)
		}
		if p.flags&hasValue != 0 {
			p.value = text(&b)
		}
		if !yield(&p) {
			return false
		}
	}
	return true
}

func uvarint(b *[]byte) uint64 {
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return v
}

func varint(b *[]byte) int64 {
	v, n := binary.Varint(*b)
	*b = (*b)[n:]
	return v
}

func text(b *[]byte) []byte {
	n := uvarint(b)
	t := (*b)[:n:n]
	*b = (*b)[n:]
	return t
}

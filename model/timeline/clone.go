package timeline

import (
	"maps"
	"slices"

	"locktop/model/copies"
	"locktop/model/locks"
)

// Clone returns a timeline about another state, of which c has the records, that goes its own way.
// Both have the same spans that are over.
func (tl *Timeline) Clone(k *locks.State, c *locks.Copies) *Timeline {
	var lines copies.Set[line]
	var chunks copies.Set[chunk]
	chunkOf := func(x *chunk) *chunk {
		if x.full() {
			return x
		}
		return chunks.Get(x)
	}
	own := *tl
	own.k, own.moments = k, tl.moments.clone()
	own.lines = copies.Values(tl.lines, lines.Get)
	own.oldest = copies.List(tl.oldest, func(o oldest) oldest { return oldest{chunkOf(o.chunk), lines.Get(o.line), o.spared} })
	own.loads = slices.Clone(tl.loads)
	own.again = copies.Keys(tl.again, c.Claim)
	lines.Complete(func(ln *line) { ln.chunks = copies.List(ln.chunks, chunkOf) })
	chunks.Complete(func(x *chunk) { x.spans = slices.Clip(x.spans) }) // so each appends to memory of its own
	return &own
}

func (m *moments) clone() moments {
	own := *m
	own.marks, own.gaps = slices.Clone(m.marks), slices.Clone(m.gaps) // no mark is of an entry that may still change
	own.late, own.missed = maps.Clone(m.late), copies.Values(m.missed, slices.Clone[[]Mark])
	return own
}

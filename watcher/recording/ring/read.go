package ring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"locktop/model"
	"locktop/watcher/recording"
)

// Span is what was written without a gap.
type Span struct {
	Segments     *recording.Segments
	Begins, Ends time.Time
}

// Contents is what is in the folder of a ring.
type Contents struct {
	Spans []Span // in the order in which they were written
	files []*os.File
}

// ErrNone is what [Read] returns for a folder in which no ring has written.
var ErrNone = errors.New("nothing of a recording of \"locktop serve --record\" is in this folder")

// tornFor is how long the end of the newest file may be that of a frame that is just written.
const tornFor = 2 * time.Second

// Read finds what is in a folder, which may be written meanwhile. [Contents.Close] closes it.
func Read(ctx context.Context, dir string) (_ *Contents, err error) {
	pieces, err := list(dir)
	if err != nil {
		return nil, err
	}
	p := &Contents{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	var parts []*recording.Segments // of the span that goes on
	for i, now := range pieces {
		if i > 0 && now.seq != pieces[i-1].seq+1 {
			p.add(parts)
			parts = nil
		}
		base, err := p.open(ctx, now.base())
		if err != nil {
			return nil, err
		}
		log, err := p.open(ctx, now.log())
		for end := time.Now().Add(tornFor); err == nil && i == len(pieces)-1 && torn(log) && time.Now().Before(end) && wait(ctx); {
			log, err = p.open(ctx, now.log())
		}
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			if base.Cut != nil || base.Parts() == 0 && i > 0 && pieces[i-1].seq+1 == now.seq {
				continue // what was so is not known, so what followed says nothing
			}
			parts = append(parts, base)
		}
		if parts = append(parts, log); log.Cut != nil {
			p.add(parts)
			parts = nil
		}
	}
	p.add(parts)
	if len(p.Spans) == 0 {
		return nil, ErrNone
	}
	return p, nil
}

func torn(r *recording.Segments) bool {
	_, torn := r.Torn()
	return torn
}

// wait lets the writer go on for a moment, unless ctx ends.
func wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

// open opens a file, and keeps it open.
func (p *Contents) open(ctx context.Context, name string) (*recording.Segments, error) {
	r, f, err := openSegments(ctx, name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // it is none, or cannot be read: a gap, and said
		return &recording.Segments{Cut: err}, nil
	case f != nil:
		p.files = append(p.files, f)
	}
	return r, nil
}

// add adds a span, if there is anything in it.
func (p *Contents) add(parts []*recording.Segments) {
	all := recording.Join(parts...)
	begins, err := all.Begins()
	if err != nil {
		return
	}
	_, ends := all.Until(all.Parts() - 1)
	p.Spans = append(p.Spans, Span{all, begins, ends.In(begins.Location())})
}

// At returns the last span that had begun by a moment, else the first one.
func (p *Contents) At(at time.Time) Span {
	for i := len(p.Spans) - 1; i > 0; i-- {
		if !p.Spans[i].Begins.After(at) {
			return p.Spans[i]
		}
	}
	return p.Spans[0]
}

// AtRevision returns the last span that had begun by a revision, else the first one.
func (p *Contents) AtRevision(rev int64) Span {
	for i := len(p.Spans) - 1; i > 0; i-- {
		if first := p.Spans[i].revision(); first > 0 && first <= rev {
			return p.Spans[i]
		}
	}
	return p.Spans[0]
}

// revision is that of its first list, 0 if there is none.
func (s Span) revision() int64 {
	for i := range s.Segments.Parts() {
		events, err := s.Segments.Read(i)
		if err != nil {
			return 0 // whoever plays it is told
		}
		for _, e := range events {
			if e, ok := e.(model.LoadStarted); ok {
				return e.Rev
			}
		}
	}
	return 0
}

// Close closes the files.
func (p *Contents) Close() (err error) {
	for _, f := range p.files {
		if e := f.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("closing a recording: %w", e))
		}
	}
	return err
}

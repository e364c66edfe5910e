package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"locktop/model"
)

// Span is what was written without a gap.
type Span struct {
	Segments     *Segments
	Begins, Ends time.Time
}

// Folder is what is in the folder of a rotation.
type Folder struct {
	Spans []Span // in the order in which they were written
	files []*os.File
}

// errNoRotation is what [ReadFolder] returns for a folder in which no rotation has written.
var errNoRotation = errors.New("nothing of a recording of \"locktop serve --record\" is in this folder")

// tornFor is how long the end of the newest file may be that of a frame that is just written.
const tornFor = 2 * time.Second

// ReadFolder finds what is in a folder, which may be written meanwhile. [Folder.Close] closes it.
func ReadFolder(ctx context.Context, dir string) (_ *Folder, err error) {
	pieces, err := listPieces(dir)
	if err != nil {
		return nil, err
	}
	p := &Folder{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	var parts []*Segments // of the span that goes on
	for i, now := range pieces {
		if i > 0 && now.seq != pieces[i-1].seq+1 {
			p.add(parts)
			parts = nil
		}
		all, err := p.open(ctx, now.path())
		for end := time.Now().Add(tornFor); err == nil && i == len(pieces)-1 && errors.Is(all.Cut, errMissing) && time.Now().Before(end) && pause(ctx); {
			all, err = p.open(ctx, now.path())
		}
		if err != nil {
			return nil, err
		}
		rest, based := all.AfterBase()
		switch {
		case len(parts) > 0:
			all = rest
		case based:
		case rest.Parts() == all.Parts() && (i == 0 || pieces[i-1].seq+1 != now.seq): // it began with nothing
		default:
			continue // what was so is not known, so what followed says nothing
		}
		if parts = append(parts, all); all.Cut != nil {
			p.add(parts)
			parts = nil
		}
	}
	p.add(parts)
	if len(p.Spans) == 0 {
		return nil, errNoRotation
	}
	return p, nil
}

// pause lets the writer go on for a moment, unless ctx ends.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

// open opens a file, and keeps it open.
func (p *Folder) open(ctx context.Context, name string) (*Segments, error) {
	r, f, err := openPiece(ctx, name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // it is none, or cannot be read: a gap, and said
		return &Segments{Cut: err}, nil
	case f != nil:
		p.files = append(p.files, f)
	}
	return r, nil
}

// add adds a span, if there is anything in it.
func (p *Folder) add(parts []*Segments) {
	all := Join(parts...)
	begins, err := all.Begins()
	if err != nil {
		return
	}
	_, ends := all.Until(all.Parts() - 1)
	p.Spans = append(p.Spans, Span{all, begins, ends.In(begins.Location())})
}

// At returns the last span that had begun by a moment, else the first one.
func (p *Folder) At(at time.Time) Span {
	for i := len(p.Spans) - 1; i > 0; i-- {
		if !p.Spans[i].Begins.After(at) {
			return p.Spans[i]
		}
	}
	return p.Spans[0]
}

// AtRevision returns the last span that had begun by a revision, else the first one.
func (p *Folder) AtRevision(rev int64) Span {
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
func (p *Folder) Close() (err error) {
	for _, f := range p.files {
		if e := f.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("closing a recording: %w", e))
		}
	}
	return err
}

package recording

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"locktop/model"
)

// Segments is a recording that can be read at any place: part by part. Several may read it at once.
type Segments struct {
	// Cut is why the end cannot be read, nil if all can.
	Cut error

	parts []part

	mu sync.Mutex
	u  unpacker
}

// part is a piece of a recording.
type part struct {
	frame
	until  int // events by its end
	offset int64
	file   io.ReaderAt // in which it is a frame; nil: the part has its events
	begins bool        // the file
	events []model.Event
}

// partEvents is how many events are in a part that is no frame.
const partEvents = 1000

// OpenSegments finds what is where in a recording of that size, without reading it.
func OpenSegments(ctx context.Context, file io.ReaderAt, size int64) (*Segments, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10)
	if err := checkBegin(in); err != nil {
		return nil, err
	}
	r := &Segments{}
	var (
		f   frame
		buf []byte
		err error
	)
	for offset := int64(0); ctx.Err() == nil; offset += int64(f.packed) {
		before := f.check
		if f, buf, err = readFrame(in, before, buf); err == io.EOF {
			return r, nil
		} else if err != nil {
			r.Cut = damagedFrame(offset, f.packed, err)
			return r, nil
		}
		r.add(part{frame: f, offset: offset, file: file, begins: offset == 0})
	}
	return nil, ctx.Err()
}

// Gather takes all that a source delivers.
func Gather(ctx context.Context, src model.Source) (*Segments, error) {
	r := &Segments{}
	var p part
	for {
		b, err := src.Next(ctx, model.Want{})
		for _, e := range b.Events {
			if at := e.When(); r.Len()+len(p.events) == 0 || at.After(p.latest) {
				p.latest = at
			}
			p.events = append(p.events, e)
		}
		if len(p.events) >= partEvents || err != nil && len(p.events) > 0 {
			p.frame.events = len(p.events)
			r.add(p)
			p.events = nil
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && err != io.EOF:
			r.Cut = err
			return r, nil
		case err != nil:
			return r, nil
		}
	}
}

// add appends a part. Time does not go back, whatever a file says.
func (r *Segments) add(p part) {
	if n := len(r.parts); n > 0 && p.latest.Before(r.parts[n-1].latest) {
		p.latest = r.parts[n-1].latest
	}
	p.until = r.Len() + p.frame.events
	r.parts = append(r.parts, p)
}

// Len returns how many events there are.
func (r *Segments) Len() int {
	if len(r.parts) == 0 {
		return 0
	}
	return r.parts[len(r.parts)-1].until
}

// Parts returns how many parts there are.
func (r *Segments) Parts() int { return len(r.parts) }

// Until returns how many events there are by the end of a part, and the latest time of any
// of them.
func (r *Segments) Until(i int) (events int, latest time.Time) {
	return r.parts[i].until, r.parts[i].latest
}

// Join makes one recording of several that follow each other. What ends one of them early ends all
// that follow, too.
func Join(parts ...*Segments) *Segments {
	all := &Segments{}
	for _, r := range parts {
		for _, p := range r.parts {
			all.add(p)
		}
		if all.Cut = r.Cut; r.Cut != nil {
			break
		}
	}
	return all
}

// AfterBase returns what follows what was so when a file of a rotation began. Based says that such a
// beginning is there, and whole: something follows it.
func (r *Segments) AfterBase() (rest *Segments, based bool) {
	n := 0
	for n < len(r.parts) && r.parts[n].base {
		n++
	}
	rest = &Segments{Cut: r.Cut}
	for _, p := range r.parts[n:] {
		rest.add(p)
	}
	return rest, n > 0 && n < len(r.parts)
}

// torn says whether the end of a frame is missing at the end, and how many bytes are whole.
func (r *Segments) torn() (whole int64, torn bool) {
	if n := len(r.parts); n > 0 {
		whole = r.parts[n-1].offset + int64(r.parts[n-1].packed)
	}
	return whole, errors.Is(r.Cut, errMissing)
}

// Play plays a recording. It is not to be read elsewhere meanwhile.
func (r *Segments) Play(pace Pace) *Player {
	i := -1
	return &Player{pace: pace, next: func() ([]model.Batch, error) {
		if i++; i == len(r.parts) {
			return nil, cmp.Or(r.Cut, io.EOF)
		}
		return r.batches(i)
	}}
}

// Read returns the events of a part. Nobody may change them.
func (r *Segments) Read(i int) ([]model.Event, error) {
	all, err := r.batches(i)
	if len(all) == 1 {
		return all[0].Events, err
	}
	var events []model.Event
	for _, b := range all {
		events = append(events, b.Events...)
	}
	return events, err
}

// batches returns what is in a part.
func (r *Segments) batches(i int) ([]model.Batch, error) {
	p := &r.parts[i]
	switch {
	case p.frame.events == 0:
		return nil, nil
	case p.file == nil:
		return []model.Batch{{Events: p.events}}, nil
	}
	packed := make([]byte, p.packed)
	if _, err := p.file.ReadAt(packed, p.offset); err != nil {
		return nil, fmt.Errorf("reading the recording: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.u.batches(p.frame, packed, p.begins)
	if err != nil {
		return nil, damagedFrame(p.offset, p.packed, err)
	}
	return all, nil
}

// errEmpty is what [Segments.Begins] returns where nothing was recorded.
var errEmpty = errors.New("nothing was recorded in it")

// Begins returns the time of the first event, or why there is none.
func (r *Segments) Begins() (time.Time, error) {
	for i := range r.parts {
		events, err := r.Read(i)
		if err != nil || len(events) > 0 {
			if err != nil {
				return time.Time{}, err
			}
			return events[0].When(), nil
		}
	}
	if r.Cut != nil {
		return time.Time{}, r.Cut
	}
	return time.Time{}, errEmpty
}

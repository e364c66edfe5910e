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

// Stretch is what was written without a gap.
type Stretch struct {
	Reel         *recording.Reel
	Begins, Ends time.Time
}

// Past is what is in the folder of a ring.
type Past struct {
	Stretches []Stretch // in the order in which they were written
	files     []*os.File
}

// ErrNone is what [Read] returns for a folder in which no ring has written.
var ErrNone = errors.New("nothing of a recording of \"locktop serve --record\" is in this folder")

// tornFor is how long the end of the newest file may be that of a frame that is just written.
const tornFor = 2 * time.Second

// Read finds what is in a folder, which may be written meanwhile. [Past.Close] closes it.
func Read(ctx context.Context, dir string) (_ *Past, err error) {
	pieces, err := list(dir)
	if err != nil {
		return nil, err
	}
	p := &Past{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	var reels []*recording.Reel // of the stretch that goes on
	for i, now := range pieces {
		if i > 0 && now.seq != pieces[i-1].seq+1 {
			p.add(reels)
			reels = nil
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
		if len(reels) == 0 {
			if base.Cut != nil || base.Parts() == 0 && i > 0 && pieces[i-1].seq+1 == now.seq {
				continue // what was so is not known, so what followed says nothing
			}
			reels = append(reels, base)
		}
		if reels = append(reels, log); log.Cut != nil {
			p.add(reels)
			reels = nil
		}
	}
	p.add(reels)
	if len(p.Stretches) == 0 {
		return nil, ErrNone
	}
	return p, nil
}

func torn(r *recording.Reel) bool {
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
func (p *Past) open(ctx context.Context, name string) (*recording.Reel, error) {
	r, f, err := openReel(ctx, name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // it is none, or cannot be read: a gap, and said
		return &recording.Reel{Cut: err}, nil
	case f != nil:
		p.files = append(p.files, f)
	}
	return r, nil
}

// add adds a stretch, if there is anything in it.
func (p *Past) add(reels []*recording.Reel) {
	all := recording.Join(reels...)
	begins, err := all.Begins()
	if err != nil {
		return
	}
	_, ends := all.Until(all.Parts() - 1)
	p.Stretches = append(p.Stretches, Stretch{all, begins, ends.In(begins.Location())})
}

// At returns the last stretch that had begun by a moment, else the first one.
func (p *Past) At(at time.Time) Stretch {
	for i := len(p.Stretches) - 1; i > 0; i-- {
		if !p.Stretches[i].Begins.After(at) {
			return p.Stretches[i]
		}
	}
	return p.Stretches[0]
}

// AtRevision returns the last stretch that had begun by a revision, else the first one.
func (p *Past) AtRevision(rev int64) Stretch {
	for i := len(p.Stretches) - 1; i > 0; i-- {
		if first := p.Stretches[i].revision(); first > 0 && first <= rev {
			return p.Stretches[i]
		}
	}
	return p.Stretches[0]
}

// revision is that of its first list, 0 if there is none.
func (s Stretch) revision() int64 {
	for i := range s.Reel.Parts() {
		events, err := s.Reel.Read(i)
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
func (p *Past) Close() (err error) {
	for _, f := range p.files {
		if e := f.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("closing a recording: %w", e))
		}
	}
	return err
}

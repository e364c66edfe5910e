package playback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/host"
	"locktop/watcher/recording"
)

// Bounds of what is kept of what a running console saw.
type bounds struct {
	keep   time.Duration
	bytes  int64
	events int
}

// pastBounds: as long as the axis of time goes back, and as many events as are looked through
// within some seconds, since a person waits for that.
var pastBounds = bounds{keep: time.Hour, bytes: 64 << 20, events: 200_000}

// visitKeys is how many keys the states on the way may weigh, which are kept while somebody is there.
const visitKeys = keepKeys / 2

// pieces is into how many pieces that is cut at least: the oldest one goes.
const pieces = 4

// piece is a part of it. All but the first begin with what was so then, for when those before
// are gone.
type piece struct {
	seq    int
	began  time.Time
	log    *recording.Memory
	rec    *recording.Recorder // that writes log
	base   int64               // bytes of what was so
	events int
}

// Past keeps what a running console sees, for a while and in memory, and is the playback of that:
//
//	console ──Note──▶ Past ──Go──▶ the state at a moment, while the console goes on
//
// It is packed beside the screen, as recordings are. Nothing of it is folded before somebody goes
// back.
type Past struct {
	ctx    context.Context
	pins   []model.Pin
	bounds bounds
	notes  chan note

	mu      sync.Mutex
	kept    []*piece
	seq     int
	latest  time.Time // of any event
	due     bool      // a beginning is wanted with the next batch
	lost    string    // why nothing is kept
	current *visit    // nil: nobody has gone back

	visiting sync.Mutex // one looks for a visit at a time
}

// visit is a stay in the past.
type visit struct {
	*Playback
	ctx   context.Context
	end   context.CancelFunc
	front int // the first piece of its recording
}

// note is a batch, and what is so after it if that was asked for; or somebody who waits until
// all before it is written; or that nothing before it counts any more.
type note struct {
	batch  model.Batch
	begin  []model.Event
	done   chan struct{}
	forget bool
}

var (
	_ host.Past    = (*Past)(nil)
	_ model.Source = (*Past)(nil)
)

// notesMost is how many batches may wait to be packed.
const notesMost = 64

// packAfter is how long events may wait for others, since they pack better together.
const packAfter = 10 * time.Second

// NewPast returns one that keeps what it is told until ctx ends.
func NewPast(ctx context.Context, pins []model.Pin) *Past { return newPast(ctx, pins, pastBounds) }

func newPast(ctx context.Context, pins []model.Pin, within bounds) *Past {
	p := &Past{ctx: ctx, pins: pins, bounds: within, notes: make(chan note, notesMost)}
	p.kept = []*piece{p.newPiece()}
	go p.write()
	return p
}

// newPiece returns a piece that begins with nothing.
func (p *Past) newPiece() *piece {
	log := &recording.Memory{}
	p.seq++
	return &piece{seq: p.seq, log: log, rec: recording.NewRecorder(log, recording.Options{Lag: packAfter})}
}

// Due implements host.Past.
func (p *Past) Due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.due
}

// Note implements host.Past.
func (p *Past) Note(b model.Batch, begin []model.Event) {
	if begin != nil {
		p.mu.Lock()
		p.due = false
		p.mu.Unlock()
	}
	if len(b.Events) > 0 || begin != nil {
		p.send(p.ctx, note{batch: b, begin: begin})
	}
}

// Forget implements host.Past.
func (p *Past) Forget() { p.send(p.ctx, note{forget: true}) }

func (p *Past) send(ctx context.Context, n note) {
	select {
	case p.notes <- n:
	case <-ctx.Done():
	case <-p.ctx.Done():
	}
}

// write packs what is noted.
func (p *Past) write() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case n := <-p.notes:
			p.take(n)
		}
	}
}

// take takes a note. It packs without the lock, for which the screen would wait. What cannot be
// written takes all with it: what comes next would say nothing.
func (p *Past) take(n note) {
	p.mu.Lock()
	var on *piece // nobody else writes it, or puts another in its place
	if len(p.kept) > 0 {
		on = p.kept[len(p.kept)-1]
	}
	p.mu.Unlock()
	var next *piece
	var err error
	if on != nil && len(n.batch.Events) > 0 {
		err = on.rec.Write(n.batch)
	}
	if on != nil && err == nil && (n.done != nil || n.begin != nil) {
		err = on.rec.Flush()
	}
	if n.begin != nil && err == nil {
		next = p.newPiece()
		next.began = n.begin[0].When()
		err = next.rec.WriteBase(n.begin)
		next.base = next.log.Bytes()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case n.forget:
		p.latest, p.lost = time.Time{}, ""
		p.kept = []*piece{p.newPiece()}
	case err != nil:
		p.kept, p.lost = nil, err.Error()
	case on != nil && len(n.batch.Events) > 0:
		if on.began.IsZero() {
			on.began = n.batch.Events[0].When()
		}
		on.events += len(n.batch.Events)
		for _, e := range n.batch.Events {
			if at := e.When(); at.After(p.latest) {
				p.latest = at
			}
		}
	}
	if next != nil && err == nil {
		p.kept, p.lost = append(p.kept, next), ""
		if next.began.After(p.latest) {
			p.latest = next.began
		}
	}
	p.drop()
	if n.done != nil {
		close(n.done)
	}
}

// drop lets the oldest go, and says whether a new piece is due. For as long as somebody is in the
// past nothing goes because of its age.
func (p *Past) drop() {
	var bytes int64
	events := 0
	for _, x := range p.kept {
		bytes, events = bytes+x.log.Bytes(), events+x.events
	}
	over := func() bool { return bytes > p.bounds.bytes || events > p.bounds.events }
	for len(p.kept) > 1 && (over() || p.current == nil && p.latest.Sub(p.kept[1].began) >= p.bounds.keep) {
		bytes, events = bytes-p.kept[0].log.Bytes(), events-p.kept[0].events
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	if over() && (bytes > 2*p.bounds.bytes || events > 2*p.bounds.events) { // no beginning came
		p.kept, p.lost = nil, "too much came at once"
	}
	if len(p.kept) == 0 {
		p.due = true
		return
	}
	x := p.kept[len(p.kept)-1]
	p.due = x.log.Bytes()-x.base >= p.bounds.bytes/pieces || x.events >= p.bounds.events/pieces || !x.began.IsZero() && p.latest.Sub(x.began) >= p.bounds.keep/pieces
}

// Since implements host.Past.
func (p *Past) Since() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) == 0 {
		return time.Time{}
	}
	return p.kept[0].began
}

// segments returns what is kept, and from which piece on.
func (p *Past) segments(ctx context.Context) (*recording.Segments, int, error) {
	done := make(chan struct{})
	p.send(ctx, note{done: done})
	select {
	case <-done:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	case <-p.ctx.Done():
		return nil, 0, p.ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.kept) == 0:
		return nil, 0, fmt.Errorf("nothing is kept of what was seen: %s", p.lost)
	case p.latest.IsZero():
		return nil, 0, errors.New("nothing was seen yet")
	}
	var parts []*recording.Segments
	for i, x := range p.kept {
		all := x.log.Segments()
		if i > 0 {
			all, _ = all.AfterBase()
		}
		parts = append(parts, all)
	}
	return recording.Join(parts...), p.kept[0].seq, nil
}

// visit returns the stay in the past, which knows all that is kept by now. What is kept may begin
// later than it did: then all is looked through anew.
func (p *Past) visit(ctx context.Context) (*visit, error) {
	p.visiting.Lock()
	defer p.visiting.Unlock()
	segments, front, err := p.segments(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	on := p.current
	p.mu.Unlock()
	if on != nil && on.front == front {
		on.Grow(on.ctx, segments)
		return on, nil
	}
	next := &visit{Playback: New(1, p.pins), front: front}
	next.running, next.marks.most = true, visitKeys
	next.ctx, next.end = context.WithCancel(p.ctx)
	at := ends(segments)
	if on != nil {
		at = on.Now()
	}
	if err := next.Load(next.ctx, segments, at); err != nil {
		next.end()
		return nil, err
	}
	next.told, next.taken = next.opens, next.opens
	p.mu.Lock()
	defer p.mu.Unlock()
	if on != nil {
		on.end()
	}
	p.current = next
	return next, nil
}

// Go implements host.Playback.
func (p *Past) Go(ctx context.Context, g host.Goal) (*store.Store, error) {
	v, err := p.visit(ctx)
	if err != nil {
		return nil, err
	}
	s, err := v.Go(ctx, g)
	if err != nil && v.ctx.Err() != nil {
		err = v.ctx.Err()
	}
	return s, err
}

// Next implements model.Source: what was told after the moment that is shown, up to now.
func (p *Past) Next(ctx context.Context, w model.Want) (model.Batch, error) {
	v := p.at()
	if v == nil {
		return model.Batch{}, io.EOF
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.ctx, cancel)()
	b, err := v.Next(ctx, w)
	if err != io.EOF {
		return b, err
	}
	if again, grown := p.visit(ctx); grown != nil || again != v {
		return b, err
	}
	return v.Next(ctx, w)
}

// Leave implements host.Past.
func (p *Past) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.current.end()
		p.current = nil
	}
}

func (p *Past) at() *visit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// Now implements host.Playback.
func (p *Past) Now() time.Time {
	if v := p.at(); v != nil {
		return v.Now()
	}
	return time.Time{}
}

// Label implements host.Playback.
func (p *Past) Label() string {
	if v := p.at(); v != nil {
		return v.Label()
	}
	return ""
}

// Pause implements host.Playback.
func (p *Past) Pause() {
	if v := p.at(); v != nil {
		v.Pause()
	}
}

// Faster implements host.Playback.
func (p *Past) Faster(by int) {
	if v := p.at(); v != nil {
		v.Faster(by)
	}
}

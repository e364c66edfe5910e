package watcher

import (
	"context"
	"time"

	"locktop/watcher/failures"
	"locktop/watcher/pace"
)

// prober asks the cluster for its revision and tells the followers.
type prober struct {
	remote    remote
	followers []*follower
	consumer  *consumer
	timing    Timing
	now       func() time.Time // stamps the events
	probeNow  chan struct{}    // capacity 1
}

// run probes until ctx ends, while anybody pulls.
func (p *prober) run(ctx context.Context) {
	for p.consumer.wait(ctx) == nil {
		pause := p.timing.Probe
		if !p.round(ctx) {
			pause = p.timing.ProbeRetry
			p.remote.resetBackoff()
		}
		// A short rest first, so that kicks cannot make it spin.
		pace.Sleep(ctx, p.timing.Nap, nil)
		pace.Sleep(ctx, pace.Uneven(pause), p.probeNow)
	}
}

// round makes one read for all followers and says whether it went well.
func (p *prober) round(ctx context.Context) bool {
	asker := p.asker()
	if asker == nil {
		return true
	}
	floors := make([]int64, len(p.followers))
	for i, f := range p.followers {
		floors[i] = f.watched.Load()
	}
	h := health{began: time.Now(), asked: p.now()}
	h.rev, h.err = p.remote.probe(ctx, asker.prefix)
	h.ended = time.Now()
	if ctx.Err() != nil {
		return false
	}
	if p.consumer.sleptSince(h.began) { // a failure would be our own
		pace.Notify(p.probeNow)
		return true
	}
	h.hard = h.err != nil && p.remote.down()
	if h.err != nil && failures.Classify(h.err) == failures.Denied {
		// Permission on one prefix says nothing about the others.
		asker.denied.Store(true)
		asker.tell(h)
		pace.Notify(p.probeNow)
		return true
	}
	for i, f := range p.followers {
		h.floor = floors[i]
		f.tell(h)
	}
	return h.err == nil
}

// asker returns a follower whose prefix may be read, nil if there is none that
// has a list.
func (p *prober) asker() *follower {
	for _, f := range p.followers {
		if !f.denied.Load() && f.watched.Load() > 0 {
			return f
		}
	}
	return nil
}

// tell leaves the newest result for the follower.
func (f *follower) tell(h health) {
	for {
		select {
		case f.health <- h:
			return
		default:
		}
		select {
		case <-f.health:
		default:
		}
	}
}

// known is a revision that is committed for certain, 0 at the start.
func (p *prober) known() int64 {
	rev := int64(0)
	for _, f := range p.followers {
		rev = max(rev, f.watched.Load())
	}
	return rev
}

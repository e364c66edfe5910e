package proxy

import (
	"context"
	"errors"
	"sync"
	"time"

	"locktop/chaos/relay"
	"locktop/model"
)

// message is one message on its way, or the status that a call ends with, which is
// an answer as well.
type message struct {
	came  time.Time
	late  []*injected // the delays that it has to wait for
	acted []*injected // the faults that count it
}

// counts says whether the fault acts on the message, which uses up its count once.
func (m *message) counts(x *injected) bool {
	for _, y := range m.acted {
		if x == y {
			return true
		}
	}
	if !x.take() {
		return false
	}
	m.acted = append(m.acted, x)
	return true
}

// messageQueue carries the pieces of one direction of a call, in order, where a fault may act
// on them. While none does it is a function call. From the first message that is kept
// back they go through a queue, so that each is late by itself and not by those before
// it. How long the queue can be the receiver says: it grants the sender no more room.
type messageQueue struct {
	call      *call
	direction model.Direction
	deliver   func(*piece) error
	back      *frames // to the sender
	queues    bool    // for good; only the goroutine that passes messages uses it

	mu    sync.Mutex
	queue []*piece
	ended bool          // nobody serves the queue
	more  chan struct{} // has one when the queue has
}

// pass delivers a piece, or queues it. The error says that the connection is lost.
func (l *messageQueue) pass(p *piece) error {
	if !l.queues && !l.keeps(p) {
		err := l.deliver(p)
		if errors.Is(err, errOver) {
			l.forget(p)
			return nil
		}
		return err
	}
	if !l.queues {
		l.queues, l.more = true, make(chan struct{}, 1)
		ctx := l.call.context()
		l.call.conn.Go(func() { l.serve(ctx) })
	}
	l.mu.Lock()
	over := l.ended
	if !over {
		l.queue = append(l.queue, p)
	}
	l.mu.Unlock()
	if over {
		l.forget(p)
		return nil
	}
	l.wake()
	return nil
}

func (l *messageQueue) wake() {
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// keeps says whether a fault keeps the message back that begins with this piece.
func (l *messageQueue) keeps(p *piece) bool {
	m := p.message
	if m == nil || !p.first {
		return false
	}
	m.came = time.Now()
	now := l.call.proxy.faults.now()
	for _, x := range now.list {
		if x.Kind == model.FaultDelay && l.acts(x) && m.counts(x) {
			m.late = append(m.late, x)
		}
	}
	return len(m.late) > 0 || l.isHeld(now, m)
}

// serve delivers what is queued until the call is over.
func (l *messageQueue) serve(ctx context.Context) {
	defer l.close()
	for {
		p := l.next()
		if p == nil {
			select {
			case <-l.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		if l.release(ctx, p) != nil {
			l.forget(p)
			return
		}
	}
}

// next takes a piece off the queue, nil if there is none.
func (l *messageQueue) next() *piece {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil
	}
	p := l.queue[0]
	l.queue = l.queue[1:]
	return p
}

// close forgets what is queued, and what comes later.
func (l *messageQueue) close() {
	l.mu.Lock()
	queue := l.queue
	l.queue, l.ended = nil, true
	l.mu.Unlock()
	for _, p := range queue {
		l.forget(p)
	}
}

// forget gives the sender the room back that a piece took on the connection, and in
// its call if that goes on: the receiver, which does so otherwise, never gets it.
func (l *messageQueue) forget(p *piece) {
	stream := l.call.stream
	if l.call.ended.Load() {
		stream = 0
	}
	l.back.credit(stream, len(p.data))
}

// release delivers a piece once no fault keeps its message back.
func (l *messageQueue) release(ctx context.Context, p *piece) error {
	m := p.message
	if m == nil {
		return l.deliver(p)
	}
	for _, x := range m.late {
		if err := relay.Wait(ctx, x.healed, m.came.Add(x.Delay)); err != nil {
			return err
		}
	}
	for {
		now := l.call.proxy.faults.now()
		if !l.isHeld(now, m) {
			return l.deliver(p)
		}
		if err := relay.Wait(ctx, now.changed, time.Time{}); err != nil {
			return err
		}
	}
}

// isHeld says whether a fault keeps the message back now.
func (l *messageQueue) isHeld(now *inForce, m *message) bool {
	if now.strikes(model.FaultFreeze, l.call.conn.route) {
		return true
	}
	for _, x := range now.list {
		if x.Kind == model.FaultHold && l.acts(x) && m.counts(x) {
			return true
		}
	}
	return false
}

// acts says whether a fault of messages acts on those of this queue.
func (l *messageQueue) acts(x *injected) bool {
	way := x.Direction
	if way == "" {
		way = model.Requests
	}
	return way == l.direction && l.call.meets(x)
}

// meets says whether a fault of messages acts on this call.
func (c *call) meets(x *injected) bool {
	return (x.Method == "" || x.Method == c.method) && x.appliesTo(c.conn.route)
}

// drops returns the fault that keeps the answers of this call from its client, nil
// if there is none. It is asked when an answer has come.
func (c *call) drops() *injected {
	for _, x := range c.proxy.faults.now().list {
		if x.Kind == model.FaultDropReply && c.meets(x) && x.take() {
			return x
		}
	}
	return nil
}

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
func (q *messageQueue) pass(p *piece) error {
	if !q.queues && !q.keeps(p) {
		err := q.deliver(p)
		if errors.Is(err, errOver) {
			q.forget(p)
			return nil
		}
		return err
	}
	if !q.queues {
		q.queues, q.more = true, make(chan struct{}, 1)
		ctx := q.call.context()
		q.call.conn.Go(func() { q.serve(ctx) })
	}
	q.mu.Lock()
	over := q.ended
	if !over {
		q.queue = append(q.queue, p)
	}
	q.mu.Unlock()
	if over {
		q.forget(p)
		return nil
	}
	q.wake()
	return nil
}

func (q *messageQueue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// keeps says whether a fault keeps the message back that begins with this piece.
func (q *messageQueue) keeps(p *piece) bool {
	m := p.message
	if m == nil || !p.first {
		return false
	}
	m.came = time.Now()
	now := q.call.proxy.faults.now()
	for _, x := range now.list {
		if x.Kind == model.FaultDelay && q.acts(x) && m.counts(x) {
			m.late = append(m.late, x)
		}
	}
	return len(m.late) > 0 || q.isHeld(now, m)
}

// serve delivers what is queued until the call is over.
func (q *messageQueue) serve(ctx context.Context) {
	defer q.close()
	for {
		p := q.next()
		if p == nil {
			select {
			case <-q.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		if q.release(ctx, p) != nil {
			q.forget(p)
			return
		}
	}
}

// next takes a piece off the queue, nil if there is none.
func (q *messageQueue) next() *piece {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return nil
	}
	p := q.queue[0]
	q.queue = q.queue[1:]
	return p
}

// close forgets what is queued, and what comes later.
func (q *messageQueue) close() {
	q.mu.Lock()
	queue := q.queue
	q.queue, q.ended = nil, true
	q.mu.Unlock()
	for _, p := range queue {
		q.forget(p)
	}
}

// forget gives the sender the room back that a piece took on the connection, and in
// its call if that goes on: the receiver, which does so otherwise, never gets it.
func (q *messageQueue) forget(p *piece) {
	stream := q.call.stream
	if q.call.ended.Load() {
		stream = 0
	}
	q.back.credit(stream, len(p.data))
}

// release delivers a piece once no fault keeps its message back.
func (q *messageQueue) release(ctx context.Context, p *piece) error {
	m := p.message
	if m == nil {
		return q.deliver(p)
	}
	for _, x := range m.late {
		if err := relay.Wait(ctx, x.healed, m.came.Add(x.Delay)); err != nil {
			return err
		}
	}
	for {
		now := q.call.proxy.faults.now()
		if !q.isHeld(now, m) {
			return q.deliver(p)
		}
		if err := relay.Wait(ctx, now.changed, time.Time{}); err != nil {
			return err
		}
	}
}

// isHeld says whether a fault keeps the message back now.
func (q *messageQueue) isHeld(now *inForce, m *message) bool {
	if now.strikes(model.FaultFreeze, q.call.conn.route) {
		return true
	}
	for _, x := range now.list {
		if x.Kind == model.FaultHold && q.acts(x) && m.counts(x) {
			return true
		}
	}
	return false
}

// acts says whether a fault of messages acts on those of this queue.
func (q *messageQueue) acts(x *injected) bool {
	way := x.Direction
	if way == "" {
		way = model.Requests
	}
	return way == q.direction && q.call.meets(x)
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

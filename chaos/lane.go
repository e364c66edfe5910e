package chaos

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
)

// laneLength is how many messages of one call may be late at once, each way. Then
// the sender has to wait, as it would before a slow receiver.
const laneLength = 256

// message is one message on its way, or the status that a call ends with, which is
// an answer as well.
type message struct {
	frame *frame // nil: the status
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

// lane carries the messages of one call in one direction, in order. While no fault
// acts on them it is a function call. From the first message that is delayed they
// go through a queue, so that each is late by itself and not by those before it.
type lane struct {
	call    *call
	way     model.Direction
	deliver func(*message) error
	queue   chan *message
	done    chan struct{} // closed when the queue is no longer served
	err     error         // why, good after done
}

// pass delivers a message, or queues it. The error says that the call is over.
func (l *lane) pass(m *message) error {
	now := l.call.proxy.faults.now()
	if len(now.list) == 0 && l.queue == nil {
		return l.deliver(m)
	}
	m.came = time.Now()
	for _, x := range now.list {
		if x.Kind == model.FaultDelay && l.acts(x) && m.counts(x) {
			m.late = append(m.late, x)
		}
	}
	if l.queue == nil && len(m.late) == 0 {
		return l.release(m)
	}
	if l.queue == nil {
		l.queue, l.done = make(chan *message, laneLength), make(chan struct{})
		l.call.proxy.wg.Go(l.serve)
	}
	select {
	case l.queue <- m:
		return nil
	case <-l.done:
		return l.err
	case <-l.call.ctx.Done():
		return l.call.ctx.Err()
	}
}

// drain waits until all is delivered. Nothing may be passed afterwards.
func (l *lane) drain() error {
	if l.queue == nil {
		return nil
	}
	close(l.queue)
	<-l.done
	return l.err
}

// serve delivers what is queued.
func (l *lane) serve() {
	defer close(l.done)
	for l.err == nil {
		select {
		case m, more := <-l.queue:
			if !more {
				return
			}
			l.err = l.release(m)
		case <-l.call.ctx.Done():
			l.err = l.call.ctx.Err()
		}
	}
}

// release delivers a message once no fault keeps it back.
func (l *lane) release(m *message) error {
	for _, x := range m.late {
		if err := l.call.late(x, m.came.Add(x.Delay)); err != nil {
			return err
		}
	}
	for {
		now := l.call.proxy.faults.now()
		if !l.held(now, m) {
			return l.deliver(m)
		}
		if err := now.wait(l.call.ctx, time.Time{}); err != nil {
			return err
		}
	}
}

// held says whether a fault keeps the message back now.
func (l *lane) held(now *inForce, m *message) bool {
	if now.strikes(model.FaultFreeze, l.call.link) {
		return true
	}
	for _, x := range now.list {
		if x.Kind == model.FaultHold && l.acts(x) && m.counts(x) {
			return true
		}
	}
	return false
}

// acts says whether a fault of messages acts on those of this lane.
func (l *lane) acts(x *injected) bool {
	way := x.Direction
	if way == "" {
		way = model.Requests
	}
	return way == l.way && l.call.meets(x)
}

// meets says whether a fault of messages acts on this call.
func (c *call) meets(x *injected) bool {
	return (x.Method == "" || x.Method == c.method) && x.on(c.link)
}

// late waits until then, or until the fault is healed.
func (c *call) late(x *injected, then time.Time) error {
	timer := time.NewTimer(time.Until(then))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-x.healed:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
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

// dropped keeps the call open with no answer until its client gives up or the fault
// is healed, while the member may go on.
func (c *call) dropped(x *injected) error {
	c.proxy.wg.Go(func() {
		for c.to.RecvMsg(&frame{}) == nil {
		}
	})
	select {
	case <-x.healed:
		return status.Error(codes.Unavailable, "the answer was lost on the way")
	case <-c.ctx.Done():
		return status.FromContextError(c.ctx.Err()).Err()
	}
}

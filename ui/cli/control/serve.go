package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/chaos/drill/runner"
	"locktop/model"
	"locktop/ui/cli/session"
)

// Room is what a socket or an address is a door to.
type Room struct {
	Source model.Source
	Pins   []model.Pin
	// Do does an action and returns when it is done or refused.
	Do func(context.Context, model.Action) model.Outcome
	// Listen opens listeners for a client of a name of its own, whose faults hit it alone.
	Listen func(name string) ([]string, error)
	// Report makes the source deliver an event, so that somebody who asks is heard at once.
	Report func(model.Event)
}

// Bounds of what others can make us keep.
const (
	requestMax = 64 << 10
	clientsMax = 16
)

// door is a room with somebody at its socket.
type door struct {
	Room
	s      *session.Session
	view   drill.View
	judge  *check.Checker
	checks map[*pendingWait]struct{} // waits under way, of the owner of the state

	mu       sync.Mutex
	requests map[int64]func() // done where the state is owned, at the tick of that nanosecond
}

// pendingWait is a wait under way.
type pendingWait struct {
	wait *drill.Wait
	met  chan struct{}
}

// Door is where requests come in: a [Listener], or a [Web].
type Door interface {
	// take takes requests until it is closed.
	take(ctx context.Context, d *door, all *sync.WaitGroup)
	Close() error
}

// Serve answers at all doors until ctx ends, and then ends every connection and the doors.
func Serve(given context.Context, doors []Door, r Room) error {
	ctx, cancel := context.WithCancel(given)
	defer cancel()
	d := &door{Room: r, s: session.New(r.Source, r.Pins...), judge: check.New(&drill.Drill{}, time.Now()),
		requests: map[int64]func(){}, checks: map[*pendingWait]struct{}{}}
	d.view = runner.NewView(d.s.State.View, d.judge)
	d.s.OnBatch = d.turn
	var all sync.WaitGroup
	for _, l := range doors {
		all.Go(func() { l.take(ctx, d, &all) })
	}
	err := d.s.Pull(ctx, session.Pull{})
	ended := given.Err() != nil // not ctx: the source may end with its parent a moment before it does
	cancel()
	var closing []error
	for _, l := range doors {
		closing = append(closing, l.Close())
	}
	all.Wait()
	if err != nil && !ended {
		return fmt.Errorf("the control of scripts: %w", err)
	}
	return errors.Join(closing...)
}

// turn is what is done between two batches.
func (d *door) turn(b model.Batch) error {
	for _, e := range b.Events {
		d.judge.Apply(e)
	}
	for c := range d.checks {
		d.look(c)
	}
	for _, e := range b.Events {
		if tick, ok := e.(model.Tick); ok {
			d.mu.Lock()
			f := d.requests[tick.At.UnixNano()]
			delete(d.requests, tick.At.UnixNano())
			d.mu.Unlock()
			if f != nil {
				f()
			}
		}
	}
	return nil
}

// look ends a wait that is met.
func (d *door) look(c *pendingWait) {
	if c.wait.Unmet(d.view) == "" {
		delete(d.checks, c)
		close(c.met)
	}
}

// inside does something where the state is owned, and returns when it is done, or false when
// ctx ended. It is done at a tick of its own, which the source delivers after all that was
// reported before: who injects a fault and then asks for the list finds it there.
func (d *door) inside(ctx context.Context, f func()) bool {
	done := make(chan struct{})
	d.mu.Lock()
	at := time.Now()
	for d.requests[at.UnixNano()] != nil {
		at = at.Add(1)
	}
	d.requests[at.UnixNano()] = func() { f(); close(done) }
	d.mu.Unlock()
	d.Report(model.Tick{At: at})
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *Listener) take(ctx context.Context, d *door, all *sync.WaitGroup) {
	free := make(chan struct{}, clientsMax)
	for {
		c, err := l.Accept()
		if err != nil {
			return // it was closed
		}
		select {
		case free <- struct{}{}:
		default:
			_ = json.NewEncoder(c).Encode(answer{Error: fmt.Sprintf("%d are connected already", clientsMax)}) // it is refused either way
			c.Close()
			continue
		}
		all.Go(func() {
			defer func() { <-free }()
			d.talk(ctx, c)
		})
	}
}

// talk answers one client, a request after another.
func (d *door) talk(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	lines := bufio.NewScanner(c)
	lines.Buffer(nil, requestMax)
	out := json.NewEncoder(c)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if out.Encode(d.answer(ctx, lines.Bytes())) != nil {
			return // nobody reads it
		}
	}
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		_ = out.Encode(answer{Error: fmt.Sprintf("a request has at most %d bytes", requestMax)}) // the last word
	}
}

package contender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

// worker is one who competes: most contenders are one.
type worker struct {
	*contender
	name   string
	rng    *rand.Rand
	order  order     // of a queue made by hand
	turned int       // turns that are over
	began  time.Time // its first turn
}

// hold is a lock that is had.
type hold struct {
	lock string
	claim
}

// silence is what is said of a belief that needs no words.
var silence model.Message

// quote is what is said in words that nobody translates.
func quote(text string) model.Message { return model.Say("quote", text) }

// wordsOf says an error.
func wordsOf(err error) model.Message {
	if ours := (*saidError)(nil); errors.As(err, &ours) {
		return ours.said
	}
	return quote(err.Error())
}

// saidError is an error as a message.
type saidError struct{ said model.Message }

func (e *saidError) Error() string { return text.English(e.said) }

// say prints what the worker believes of a lock, and what else it says.
func (w *worker) say(lock string, state model.BeliefState, c claim, said model.Message) {
	l := BeliefLine{Contender: w.name, PID: os.Getpid(), State: state, Lock: lock,
		Key: c.key, Token: c.token}
	l.put(said)
	if c.lease != 0 {
		l.Lease = c.lease.String()
	}
	w.tell.say(l)
}

// attempt is a new one at a lock.
func (w *worker) attempt(s *session, lock string) *attempt {
	a := &attempt{play: playOf(w.o.Recipe), lock: lock, value: cmp.Or(w.o.Owner, w.o.Name), client: w.client, session: s.Session,
		ttl: w.o.TTL, think: w.o.Think, rng: w.rng, lose: s.lose, order: w.order, times: &s.times, failed: func(said model.Message) { w.failed(s, lock, said) }}
	if a.play.waiter != nil {
		a.claim = a.play.waiter(a)
	}
	return a
}

// failed says that one try ended, and that the next begins with the same session.
func (w *worker) failed(s *session, lock string, said model.Message) {
	w.say(lock, model.BeliefIdle, claim{}, said)
	w.say(lock, model.BeliefWaiting, claim{lease: model.LeaseID(s.Lease())}, silence)
}

// turns takes turns with one session. It returns nil when the rounds are over.
func (w *worker) turns(ctx context.Context, s *session) error {
	for w.o.Rounds == 0 || w.turned < w.o.Rounds {
		if s.ended() {
			return w.loseIdle(s)
		}
		if err := w.turn(ctx, s); err != nil {
			return err
		}
		if w.turned++; w.turned == w.o.Rounds {
			break
		}
		if !process.Sleep(ctx, s.lost, jitter(w.rng, w.o.Think, 0.6)) {
			if isDone(s.lost) {
				return w.loseIdle(s)
			}
			return ctx.Err()
		}
	}
	return nil
}

// loseIdle takes note of a session that ended between two turns, and says so if
// anybody is to hear of it.
func (w *worker) loseIdle(s *session) error {
	if s.lost != nil {
		w.say(w.o.Locks[0], model.BeliefLost, claim{lease: s.lease()}, s.lostReason)
	}
	return errLost
}

// turn is: wait for the locks, hold them, let them go.
func (w *worker) turn(ctx context.Context, s *session) error {
	if w.began.IsZero() {
		w.began = time.Now()
	}
	var held []hold
	for i, lock := range w.o.Locks {
		if i > 0 && !process.Sleep(ctx, s.lost, w.o.Between) {
			return w.giveUp(ctx, s, held, w.ended(ctx, s))
		}
		h, err := w.take(ctx, s, lock)
		if err != nil {
			return w.giveUp(ctx, s, held, err)
		}
		held = append(held, h)
	}
	if err := w.work(ctx, s, held); err != nil {
		return w.giveUp(ctx, s, held, err)
	}
	for len(held) > 0 {
		last := held[len(held)-1]
		held = held[:len(held)-1]
		if err := w.letGo(last); err != nil {
			return w.giveUp(ctx, s, held, err)
		}
	}
	return nil
}

// take waits for one lock.
func (w *worker) take(ctx context.Context, s *session, lock string) (hold, error) {
	a := w.attempt(s, lock)
	w.say(lock, model.BeliefWaiting, a.claim, silence)
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.lost != nil {
		// Without this a waiter whose lease ended waits on, as the client library does
		// not look at its own key while it waits.
		go func() {
			select {
			case <-s.lost:
				cancel()
			case <-waiting.Done():
			}
		}()
	}
	c, err := a.acquire(waiting)
	if why := s.loss(err); !why.IsZero() {
		w.say(lock, model.BeliefLost, a.claim, why)
		return hold{}, errLost
	}
	if ctx.Err() != nil && err != nil {
		return hold{}, ctx.Err()
	}
	if err != nil {
		return hold{}, fmt.Errorf("wait for the lock: %w", err)
	}
	w.say(lock, model.BeliefHolding, c, silence)
	return hold{lock, c}, nil
}

// work is what the locks are for: time that passes, between a reading of the guarded
// resource and a writing, if there is one. Of the resource's errors the lines tell;
// the turn goes on.
func (w *worker) work(ctx context.Context, s *session, held []hold) error {
	var read []reading
	for _, h := range held {
		if r, ok := w.read(ctx, h); ok {
			read = append(read, r)
		}
	}
	if !process.Sleep(ctx, s.lost, w.holdFor()) {
		return w.ended(ctx, s)
	}
	for _, r := range read {
		w.write(ctx, r)
	}
	return nil
}

// ended is why a sleep was cut short.
func (w *worker) ended(ctx context.Context, s *session) error {
	if isDone(s.lost) {
		return errLost
	}
	return ctx.Err()
}

// read reads the register of a lock. It returns false where there is none to read.
func (w *worker) read(ctx context.Context, h hold) (reading, bool) {
	if w.guard == nil {
		return reading{}, false
	}
	r, err := w.guard.read(ctx, w.name, h)
	if err != nil {
		w.say(h.lock, model.BeliefHolding, h.claim, wordsOf(err))
	}
	return r, err == nil
}

// write writes back what was read, with one element more.
func (w *worker) write(ctx context.Context, r reading) {
	if err := w.guard.write(ctx, w.name, r); err != nil {
		w.say(r.lock, model.BeliefHolding, r.claim, wordsOf(err))
	}
}

// quickShare is by how much a hold is shorter at the start.
const quickShare = 4

// holdFor is how long this turn lasts.
func (w *worker) holdFor() time.Duration {
	if w.o.Full {
		return jitter(w.rng, w.o.Hold, 1)
	}
	hold := w.o.Hold
	if time.Since(w.began) < w.o.QuickStart {
		hold /= quickShare
	}
	return jitter(w.rng, hold, 1.0/3)
}

// letGo gives a lock back, whatever became of the context.
func (w *worker) letGo(h hold) error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	w.say(h.lock, model.BeliefLeaving, h.claim, silence)
	err := h.release(ctx)
	if isAnswer(err) {
		w.say(h.lock, model.BeliefIdle, claim{}, wordsOf(err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("let the lock go: %w", err)
	}
	w.say(h.lock, model.BeliefIdle, claim{}, silence)
	return nil
}

// giveUp ends a turn that failed with err: what is held is said to be lost, or let
// go, the last first.
func (w *worker) giveUp(ctx context.Context, s *session, held []hold, err error) error {
	within, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	for _, h := range slices.Backward(held) {
		if isDone(s.lost) {
			w.say(h.lock, model.BeliefLost, h.claim, s.lostReason)
			continue
		}
		w.say(h.lock, model.BeliefLeaving, h.claim, silence)
		_ = h.release(within) // the session's end comes next, and takes it along
		if ctx.Err() == nil {
			w.say(h.lock, model.BeliefIdle, claim{}, silence)
		}
	}
	return err
}

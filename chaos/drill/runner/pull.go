package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/text"
)

// awaitFirstList waits for the first list of what there is.
func (r *runner) awaitFirstList(ctx context.Context) error {
	ok, err := r.until(ctx, r.lab.Now().Add(lookWithin), r.s.Coverage().Loaded)
	if err == nil && !ok {
		err = fmt.Errorf("%w: no list of the keys within %s", errSource, lookWithin)
	}
	return err
}

// until pulls until it is so, or it is that late.
func (r *runner) until(ctx context.Context, late time.Time, is func() bool) (bool, error) {
	for !is() {
		if err := r.otherTTL(); err != nil {
			return false, err
		}
		if !r.lab.Now().Before(late) {
			return false, nil
		}
		want := r.s.Want(nil)
		if want.WakeAt.IsZero() || late.Before(want.WakeAt) {
			want.WakeAt = late
		}
		if err := r.pull(ctx, want, nil); err != nil {
			return false, err
		}
	}
	return true, nil
}

// otherTTL says that a program has a lease of another length than the drill was made for: then
// its times mean nothing.
func (r *runner) otherTTL() (err error) {
	if r.askedTTLs == nil {
		return nil
	}
	for _, name := range r.d.Lab.Locks() {
		l := r.s.Lock(name)
		if l == nil {
			continue
		}
		l.Claims(func(c *locks.Claim) bool {
			who, lease := r.j.OwnerOf(c.KV.Lease, ""), c.LeaseInfo()
			want := r.askedTTLs[who]
			if want > 0 && lease != nil && lease.Granted() > 0 && time.Duration(lease.Granted())*time.Second != want {
				err = fmt.Errorf("%w: that of %s has a TTL of %d s, and --ttl is %s: give the program {ttl}, or say --ttl %ds",
					errTTL, who, lease.Granted(), want, lease.Granted())
			}
			return err == nil
		})
	}
	return err
}

// interruption is the end of a context, in words for a person.
type interruption struct{ error }

func (i interruption) Error() string {
	if errors.Is(i.error, context.DeadlineExceeded) {
		return "the time was up"
	}
	return "interrupted"
}

func (i interruption) Unwrap() error { return i.error }

// pull takes one batch in. It returns when done closes at the latest.
func (r *runner) pull(ctx context.Context, want model.Want, done <-chan struct{}) error {
	next, cancel := context.WithCancel(ctx)
	defer cancel()
	if !want.WakeAt.IsZero() { // a source of several may still be busy with an older want
		late := time.AfterFunc(want.WakeAt.Sub(r.lab.Now())+wakeSlack, cancel)
		defer late.Stop()
	}
	go func() { // ends with next
		select {
		case <-done:
			cancel()
		case <-next.Done():
		}
	}()
	b, err := r.lab.Source.Next(next, want)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return interruption{ctx.Err()}
	case next.Err() != nil:
		r.apply(model.Tick{At: r.lab.Now()})
	default:
		return fmt.Errorf("%w: %w", errSource, err)
	}
	for _, e := range b.Events {
		r.apply(e)
	}
	r.j.At(r.lab.Now())
	return nil
}

// quotesMax bounds the lines of the timeline that contenders bring about.
const quotesMax = 2000

// quote adds what a contender says to the timeline.
func (r *runner) quote(text string) {
	if r.quotes++; r.quotes <= quotesMax {
		r.tell(0, text)
	}
}

// apply folds one event into both accounts.
func (r *runner) apply(e model.Event) {
	var was model.BeliefState // before e
	if b, ok := e.(model.Belief); ok {
		was = r.j.LastWord(b.Contender, b.Lock).State
	}
	r.s.Apply(model.Batch{Events: []model.Event{e}})
	r.j.Apply(e)
	switch e := e.(type) {
	case model.Belief:
		if e.Text != "" {
			r.quote(e.Contender + " says: " + model.Printable(e.Text))
		} else if c, _ := r.d.Lab.Contender(e.Contender); c.Program != nil && e.State != was {
			r.quote(e.Contender + " says that it is " + string(e.State) + c.Program.By(e.Contender))
		}
	case model.FaultOn:
		r.faultOn(e)
	case model.FaultOff:
		for _, t := range r.result.Targets {
			if t.ID == e.ID && t.ID != 0 && t.Healed.IsZero() {
				t.Healed = e.At
			}
		}
	}
	for _, f := range r.s.JournalAfter(r.facts) {
		r.facts = f.Seq
		if f.Kind != journal.Drill { // our own words are no evidence
			r.j.Entry(f)
		}
	}
	r.j.Found(r.s.Findings(), r.s.Now())
}

// faultOn learns the lab's number of a fault that we did.
func (r *runner) faultOn(e model.FaultOn) {
	for _, t := range r.result.Targets {
		if t.ID == 0 && t.Healed.IsZero() && t.Fault.Kind == e.Fault.Kind && t.Fault.Target == e.Fault.Target {
			t.ID = e.ID
			return
		}
	}
}

// doInBackground does something that takes its time, while the lab goes on, and returns when
// that is done. If nothing can be seen any more it calls blind, and still waits. Where
// blind is nil it is an action: short, so that nothing need fall due meanwhile.
func (r *runner) doInBackground(ctx context.Context, blind, what func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		what()
	}()
	for {
		select {
		case <-done:
			return nil
		default:
		}
		want := r.s.Want(nil)
		if blind == nil {
			want.WakeAt = time.Time{}
		}
		if err := r.pull(ctx, want, done); err != nil {
			if blind != nil {
				blind()
			}
			<-done
			return err
		}
	}
}

// act does an action of the lab. One that is under way is not cut off unless it takes
// too long or ctx ends.
func (r *runner) act(ctx context.Context, a model.Action) (model.Outcome, error) {
	acting, cancel := context.WithTimeout(ctx, actWithin)
	defer cancel()
	var o model.Outcome
	err := r.doInBackground(ctx, nil, func() { o = r.lab.Do(acting, a) })
	o.Action = a
	if o.At.IsZero() {
		o.At = r.lab.Now()
	}
	if err == nil && !o.Done {
		err = errors.New(text.English(o.Message()))
	}
	return o, err
}

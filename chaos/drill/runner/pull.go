package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
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

// until follows the lab until it is so, or it is that late.
func (r *runner) until(ctx context.Context, late time.Time, is func() bool) (met bool, err error) {
	var wrong error
	err = r.follow(ctx, lookout{r: r, late: func() time.Time { return late }}, func() bool {
		if met = is(); met {
			return true
		}
		wrong = r.otherTTL()
		return wrong != nil || !r.lab.Now().Before(late)
	})
	return met, cmp.Or(err, wrong)
}

// lost says whether a hasty run is over: an expectation is violated, and has been for longer than what
// would change that can be on its way.
func (r *runner) lost() bool {
	now := r.lab.Now()
	if r.o.Hasty && now.Sub(r.judged) >= judgeEvery {
		r.judged = now
		switch bad := slices.ContainsFunc(r.j.Results(), func(e drill.Result) bool { return e.Verdict == drill.Violated }); {
		case !bad:
			r.violated = time.Time{}
		case r.violated.IsZero():
			r.violated = now
		}
	}
	return !r.violated.IsZero() && now.Sub(r.violated) >= settleLeast
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

// lookout is the source of the lab for a drill that waits for something else, too.
type lookout struct {
	r     *runner
	ctx   context.Context  // of the drill
	late  func() time.Time // when the drill wants to be asked again, zero for never; may be nil
	done  <-chan struct{}  // closes when somebody has done what the drill waits for; may be nil
	hasty bool             // nothing need fall due meanwhile
}

// Next implements model.Source. It returns when done closes at the latest.
func (l lookout) Next(_ context.Context, want model.Want) (model.Batch, error) {
	if l.hasty {
		want.WakeAt = time.Time{}
	}
	if l.late != nil {
		if at := l.late(); !at.IsZero() && (want.WakeAt.IsZero() || at.Before(want.WakeAt)) {
			want.WakeAt = at
		}
	}
	next, cancel := context.WithCancel(l.ctx)
	defer cancel()
	if !want.WakeAt.IsZero() { // a source of several may still be busy with an older want
		late := time.AfterFunc(want.WakeAt.Sub(l.r.lab.Now())+wakeSlack, cancel)
		defer late.Stop()
	}
	go func() { // ends with next
		select {
		case <-l.done:
			cancel()
		case <-next.Done():
		}
	}()
	b, err := l.r.lab.Source.Next(next, want)
	switch {
	case err == nil:
		return b, nil
	case l.ctx.Err() != nil:
		return b, interruption{l.ctx.Err()}
	case next.Err() != nil:
		return model.Batch{Events: []model.Event{model.Tick{At: l.r.lab.Now()}}}, nil
	}
	return b, fmt.Errorf("%w: %w", errSource, err)
}

// follow takes in what happens in the lab until it is over. A batch is taken in as a whole, also
// where ctx ends meanwhile: the healing looks at the same store.
func (r *runner) follow(ctx context.Context, l lookout, over func() bool) error {
	l.ctx = ctx
	return r.s.Run(context.WithoutCancel(ctx), l, store.Loop{Until: over, Event: r.judge, Batch: func(model.Batch) error {
		r.j.At(r.lab.Now())
		return nil
	}})
}

// closed says whether somebody closed a channel.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// quotesMax bounds the lines of the timeline that contenders bring about.
const quotesMax = 2000

// quote adds what a contender says to the timeline.
func (r *runner) quote(text string) {
	if r.quotes++; r.quotes <= quotesMax {
		r.tell(0, text)
	}
}

// judge tells the checker of an event that the store has.
func (r *runner) judge(e model.Event) {
	var was model.BeliefState // before e
	if b, ok := e.(model.Belief); ok {
		was = r.j.LastWord(b.Contender, b.Lock).State
	}
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
	err := r.follow(ctx, lookout{r: r, done: done, hasty: blind == nil}, func() bool { return closed(done) })
	if err != nil && blind != nil {
		blind()
	}
	<-done
	return err
}

// heardWithin bounds the wait for the lab's word that a program runs, which is on its way when the
// action is done.
const heardWithin = 5 * time.Second

// act does an action of the lab. One that is under way is not cut off unless it takes
// too long or ctx ends. After a start the program is known to run, so that who ends all that
// run ends it too.
func (r *runner) act(ctx context.Context, a model.Action) (model.Outcome, error) {
	acting, cancel := context.WithTimeout(ctx, actWithin)
	defer cancel()
	before := r.j.Process(a.Contender)
	var o model.Outcome
	err := r.doInBackground(ctx, nil, func() { o = r.lab.Do(acting, a) })
	o.Action = a
	if o.At.IsZero() {
		o.At = r.lab.Now()
	}
	if err == nil && !o.Done {
		err = errors.New(text.English(o.Message()))
	}
	if err == nil && a.Kind == model.SpawnProc {
		_, err = r.until(ctx, r.lab.Now().Add(heardWithin), func() bool { return r.j.Process(a.Contender) != before })
	}
	return o, err
}

package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// Steady is a question of the user's own: whether what their service is for is as it should be. It
// is asked before the first fault, until the end, and once more when every fault is healed.
type Steady struct {
	Name string
	// Recovers: it may fail while a fault is in force, and has to be well again afterwards.
	Recovers bool
	// Ask says what is wrong, nil if nothing is.
	Ask func(context.Context) error
}

// Bounds of such a question: what one has to be answered, how often it is asked, and how long it
// may take to be well before the first fault, and after the last.
const (
	steadyWithin  = 5 * time.Second
	steadyEvery   = 500 * time.Millisecond
	steadySettles = 10 * time.Second
)

// steadyStates are all questions and what came of them. Its goroutines ask while the drill runs.
type steadyStates struct {
	all []*steadyState
	end context.CancelFunc
	wg  sync.WaitGroup
}

type steadyState struct {
	Steady
	mu sync.Mutex
	// asked counts the answers while it was watched, failed those that say what is wrong, of which
	// first and last are.
	asked, failed int
	first, last   string
	before, after error // of the last answer; nil where all was well
	began, over   bool  // it was asked before the faults, and after them
}

func newSteadyStates(all []Steady) *steadyStates {
	s := &steadyStates{}
	for _, one := range all {
		s.all = append(s.all, &steadyState{Steady: one})
	}
	return s
}

// ask asks once, with its bound.
func (s *steadyState) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, steadyWithin)
	defer cancel()
	return s.Ask(ctx)
}

// settles asks all until each is well, or it takes too long.
func (s *steadyStates) settles(ctx context.Context, note func(*steadyState, error)) {
	ctx, cancel := context.WithTimeout(ctx, steadySettles)
	defer cancel()
	var all sync.WaitGroup
	for _, one := range s.all {
		all.Go(func() {
			for {
				err := one.ask(ctx)
				note(one, err)
				if err == nil || !sleep(ctx, steadyEvery) {
					return
				}
			}
		})
	}
	all.Wait()
}

// sleep waits, and says whether ctx did not end first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// steadyBegin asks before the first fault, and from then on.
func (r *runner) steadyBegin(ctx context.Context) error {
	s := r.steady
	if len(s.all) == 0 || s.end != nil {
		return nil
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := r.doInBackground(asking, cancel, func() {
		s.settles(asking, func(one *steadyState, err error) { one.before, one.began = err, true })
	}); err != nil {
		return err
	}
	for _, one := range s.all {
		if one.before != nil {
			return fmt.Errorf("%s was not well before the first fault: %w", one.Name, one.before)
		}
	}
	var watching context.Context
	watching, s.end = context.WithCancel(context.WithoutCancel(ctx))
	for _, one := range s.all {
		s.wg.Go(func() {
			for sleep(watching, steadyEvery) {
				err := one.ask(watching)
				if watching.Err() != nil {
					return // nobody waited for the answer
				}
				one.mu.Lock()
				if one.asked++; err != nil {
					one.failed++
					if one.last = model.Clock(r.lab.Now()) + " " + err.Error(); one.first == "" {
						one.first = one.last
					}
				}
				one.mu.Unlock()
			}
		})
	}
	return nil
}

// steadyEnd asks no more while the drill runs, and once more what was asked before: until it is well
// again.
func (r *runner) steadyEnd(ctx context.Context) error {
	s := r.steady
	if s.end == nil {
		return nil
	}
	s.end()
	s.wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	return r.doInBackground(asking, cancel, func() {
		s.settles(asking, func(one *steadyState, err error) { one.after, one.over = err, true })
	})
}

// results are what came of each question.
func (s *steadyStates) results() (all []drill.Result) {
	for _, one := range s.all {
		r := drill.Result{Expectation: drill.Expectation{Name: drill.Steady, Text: one.Name}, Verdict: drill.Held, Samples: one.asked}
		if one.Recovers {
			r.Name = "recovers"
		}
		switch {
		case !one.began:
			r.Verdict = drill.Unknown
			r.Evidence = []string{"it was not asked: there was no fault; " + drill.ToKnow + "get past the steps before the first fault"}
		case one.before != nil:
			r.Verdict = drill.Unknown
			r.Evidence = []string{"before the first fault: " + one.before.Error() + "; " + drill.ToKnow + "let it be well before the drill begins"}
		case one.failed > 0 && !one.Recovers:
			r.Verdict = drill.Violated
			r.Evidence = []string{fmt.Sprintf("%d of %d answers while the drill ran: the first %s", one.failed, one.asked, one.first)}
			if one.last != one.first {
				r.Evidence = append(r.Evidence, "the last "+one.last)
			}
		}
		switch {
		case !one.began || one.before != nil:
		case !one.over && s.end == nil:
			r.Verdict = drill.Unknown
			r.Evidence = append(r.Evidence, "it was asked no more: something else was not well; "+drill.ToKnow+"let that be well before the drill begins")
		case !one.over:
			r.Verdict = drill.Worse(r.Verdict, drill.Unknown)
			r.Evidence = append(r.Evidence, "the run ended before it was asked once more; "+drill.ToKnow+"let the run go on")
		case one.after != nil:
			r.Verdict = drill.Violated
			r.Evidence = append(r.Evidence, fmt.Sprintf("%s after every fault was healed: %s", steadySettles, one.after))
		case one.failed > 0 && one.Recovers:
			r.Evidence = append(r.Evidence, fmt.Sprintf("%d of %d answers while the drill ran, and it was well afterwards: the last %s", one.failed, one.asked, one.last))
		}
		all = append(all, r)
	}
	return all
}

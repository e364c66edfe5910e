package soak

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"locktop/demo/bench/load"
	"locktop/model"
	"locktop/model/journal"
)

// seen is what became of all that one observer said.
type seen struct {
	Observer string   `json:"observer"`
	Prefixes []string `json:"prefixes"`
	// Causes counts what the model inferred, Verdicts what became of that by how the claim
	// was really given up. A hint may be wrong: Sure counts what is surer, SureWrong what of
	// that was wrong.
	Causes    map[journal.Cause]int      `json:"causes"`
	Verdicts  map[ending]map[verdict]int `json:"verdicts"`
	Sure      int                        `json:"causes_above_hint"`
	SureWrong int                        `json:"wrong_above_hint"`
	Wrong     []string                   `json:"wrong_causes"` // the first ones
	Handovers int                        `json:"handovers"`
	Findings  map[string]map[string]int  `json:"findings"` // by severity and code
	False     []string                   `json:"false"`
	Gaps      int                        `json:"watch_lost"`
	totals
}

// wrongShare is how many of a hundred causes above a hint may be wrong.
const wrongShare = 1

// healthy says whether what was said was true.
func (s *seen) healthy() bool {
	return len(s.False) == 0 && s.SureWrong*100 <= s.Sure*wrongShare
}

// listener reads what an observer says and judges it a while later, when the contenders
// know what became of them.
type listener struct {
	child  *load.Child
	ledger *ledger
	say    *log.Logger
	settle time.Duration
	out    seen

	mu      sync.Mutex
	waiting []told
}

// silence bounds how long an observer may say nothing: it is stopped, or starved, at times.
const silence = 10 * time.Minute

// listen reads until the observer ends.
func (l *listener) listen() error {
	for {
		var t told
		if err := l.child.Next(silence, &t); err != nil {
			return fmt.Errorf("%s: %w", l.out.Observer, err)
		}
		if t.Done != nil {
			l.out.totals = *t.Done
			return nil
		}
		l.mu.Lock()
		l.waiting = append(l.waiting, t)
		l.mu.Unlock()
	}
}

// judges judges what was said long enough ago, until ctx ends.
func (l *listener) judges(ctx context.Context) {
	for load.Pause(ctx, time.Second) {
		l.judge(time.Now().Add(-l.settle))
	}
}

// judge judges what was said before.
func (l *listener) judge(before time.Time) {
	l.mu.Lock()
	n := 0
	for n < len(l.waiting) && l.waiting[n].At.Before(before) {
		n++
	}
	due := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	l.mu.Unlock()
	for _, t := range due {
		switch {
		case t.Finding != nil:
			l.finding(*t.Finding, t.Words, t.At, t.Read)
		case t.Cause != nil:
			l.cause(t.Cause, t.At)
		default:
			l.out.Gaps++
			l.say.Printf("%s %s: the watch was lost: %s", clock(t.At), l.out.Observer, t.Lost)
		}
	}
}

func (l *listener) cause(c *cause, at time.Time) {
	if c.Kind == journal.Handover {
		l.out.Handovers++
	}
	l.out.Causes[c.Cause]++
	v, how := l.ledger.judge(c.Cause, c.Gone, c.At)
	if l.out.Verdicts[how] == nil {
		l.out.Verdicts[how] = map[verdict]int{}
	}
	l.out.Verdicts[how][v]++
	sure := c.Cause != journal.CauseUnknown && c.Confidence != model.Hint
	if sure {
		l.out.Sure++
	}
	if v != wrong {
		return
	}
	text := fmt.Sprintf("%s %s: %s, said %s (%s): %s", clock(at), model.Printable(c.Gone.Key), how, c.Cause, c.Confidence, c.Evidence)
	l.say.Printf("%s: wrong cause: %s", l.out.Observer, text)
	if sure {
		l.out.SureWrong++
	}
	if len(l.out.Wrong) < kept {
		l.out.Wrong = append(l.out.Wrong, text)
	}
}

func (l *listener) finding(f model.Finding, words string, at, read time.Time) {
	severity := string(f.Severity)
	if l.out.Findings[severity] == nil {
		l.out.Findings[severity] = map[string]int{}
	}
	l.out.Findings[severity][string(f.Code)]++
	if f.Severity == model.SevInfo && f.Code != model.CodeLeaseLeak { // nobody leaves a lease behind here
		return
	}
	ok, why := l.ledger.confirms(f, at, read)
	text := fmt.Sprintf("%s %s %s (%s) %s: %s [true: %v, %s]", clock(at), f.Severity, f.Code, f.Confidence,
		model.Printable(f.Lock), words, ok, why)
	l.say.Print(l.out.Observer, ": ", text)
	if !ok {
		l.out.False = append(l.out.False, text)
	}
}

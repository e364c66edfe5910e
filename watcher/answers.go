package watcher

import (
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"locktop/model"
	"locktop/watcher/failures"
)

// answerTimes are how long small requests took lately. None is made for it.
type answerTimes struct {
	mu  sync.Mutex
	all []answerTime // the oldest first
}

// answerTime is how long one request took.
type answerTime struct {
	began  time.Time
	took   time.Duration
	from   string // the endpoint of the member that was asked of itself, or agreed
	failed bool
}

// agreed stands for whatever member is asked something to which the leader has to agree.
const agreed = ""

// answersMax bounds how many are remembered: more come only in one look, which asks at once.
const answersMax = 2_000

// note remembers how a request ended. One that we gave up ourselves tells nothing.
func (t *answerTimes) note(from string, began time.Time, err *error) {
	if failures.CodeOf(*err) == codes.Canceled {
		return
	}
	one := answerTime{began: began, took: time.Since(began), from: from}
	switch failures.Classify(*err) {
	case failures.Unreachable, failures.Timeout, failures.NoLeader:
		one.failed = *err != nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= answersMax {
		t.all = slices.Delete(t.all, 0, len(t.all)-answersMax/2)
	}
	t.all = append(t.all, one)
}

// forget drops what was seen: we did not run meanwhile.
func (t *answerTimes) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = nil
}

// tell writes into a round of status how requests were answered up to now.
func (t *answerTimes) tell(st *model.ClusterStatus, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(a answerTime) bool { return now.Sub(a.began) > model.AnswersSpan })
	fastest := time.Duration(-1)
	for _, a := range t.all {
		if !a.failed && (fastest < 0 || a.took < fastest) {
			fastest = a.took
		}
	}
	st.Agreed = t.of(agreed, fastest)
	for i := range st.Members {
		if m := &st.Members[i]; m.Endpoint != "" {
			m.Answers = t.of(m.Endpoint, fastest)
		}
	}
}

func (t *answerTimes) of(from string, fastest time.Duration) (out model.Answers) {
	var took []time.Duration
	var first, last, newest time.Time // first and last of the slow ones
	for _, a := range t.all {
		switch {
		case a.from != from:
			continue
		case a.failed:
			out.Failed++
		default:
			if took = append(took, a.took); !a.began.Before(newest) {
				newest, out.Last = a.began, a.took
			}
		}
		out.Asked++
		if !a.failed && a.took-fastest >= model.SlowBy {
			out.Slow++
			if first.IsZero() || a.began.Before(first) {
				first = a.began
			}
			if a.began.After(last) {
				last = a.began
			}
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		out.Usual, out.Longest, out.SlowFor = took[(len(took)-1)/2], took[len(took)-1], last.Sub(first)
	}
	return out
}

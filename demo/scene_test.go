package demo

import (
	"strconv"
	"testing"
	"time"
)

// TestTheLabThatNobodyToldOtherwise: what a newcomer sees is a queue, a leader with
// standbys, a second lock with one who waits now and then, and a job that runs now and then.
func TestTheLabThatNobodyToldOtherwise(t *testing.T) {
	for _, r := range []struct {
		lock, recipe string
		from, to     int // of the names c1, c2, …
		waits, idle  bool
		reason       string
	}{
		{"/demo/billing", "mutex", 1, 6, true, false, "a queue of several, whose order is seen"},
		{"/demo/leader", "election", 7, 9, true, false, "one leads and two stand by"},
		{"/demo/report", "mutex", 10, 11, true, false, "a second lock that is fought for"},
		{"/demo/nightly", "mutex", 12, 12, false, true, "a job that is free most of the time"},
	} {
		for n := r.from; n <= r.to; n++ {
			pr := theDefault(t, Options{})[n-1]
			o := pr.o
			if o.Name != "c"+strconv.Itoa(n) || pr.lock() != r.lock || o.Recipe != r.recipe {
				t.Errorf("%s: contender %d is %s on %s by %s", r.reason, n, o.Name, pr.lock(), o.Recipe)
			}
			others := time.Duration(r.to-r.from) * o.Hold
			if o.Hold < 3*time.Second || (others > o.Think) != r.waits || (o.Think >= 20*time.Second) != r.idle {
				t.Errorf("%s: %s holds %v and thinks %v beside %d others", r.reason, o.Name, o.Hold, o.Think, r.to-r.from)
			}
		}
	}
	if all := theDefault(t, Options{}); len(all) != DefaultContenders {
		t.Errorf("%d contenders, want %d", len(all), DefaultContenders)
	}
	more := theDefault(t, Options{Contenders: DefaultContenders + 1})[DefaultContenders]
	if more.lock() != "/demo/billing" || more.o.Hold != rhythms[lockBilling].hold {
		t.Errorf("one more is on %s and holds %v: want it in the queue like the others", more.lock(), more.o.Hold)
	}
	told := theDefault(t, Options{Hold: time.Hour, Think: time.Minute, Contenders: 1})[0].o
	if told.Hold != time.Hour || told.Think != time.Minute {
		t.Errorf("holds %v and thinks %v: want what was said", told.Hold, told.Think)
	}
	other := theDefault(t, Options{Locks: []string{"/mine"}, Contenders: 1})[0].o
	if other.Hold != defaultHold || other.Think != defaultThink {
		t.Errorf("on a lock of one's own it holds %v and thinks %v", other.Hold, other.Think)
	}
}

func theDefault(t *testing.T, o Options) []*program {
	t.Helper()
	o.Self = []string{"never run"}
	_, known, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	return known
}

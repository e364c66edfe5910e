package cli

import (
	"errors"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"locktop/model"
	"locktop/model/fold"
)

// percent is what the runtime is told of when to collect.
func percent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func TestGarbageIsCollectedAsUsualSoonEnough(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	broken := errors.New("broken")
	for _, r := range []struct {
		events []model.Event
		err    error
		want   int
		reason string
	}{
		{[]model.Event{model.LoadStarted{}, model.Listed{}}, nil, quietPercent, "the list is under way"},
		{[]model.Event{model.Listed{}, model.Loaded{}}, nil, 100, "the list has ended"},
		{[]model.Event{model.Listed{}, model.Lost{}}, nil, 100, "the list has failed"},
		{nil, broken, 100, "there will be none"},
	} {
		end := lateGC()
		untilLoaded(end)(model.Batch{Events: r.events}, r.err)
		if p := percent(); r.err == nil && p != quietPercent {
			t.Errorf("%s: GOGC is %d at once: the page comes first", r.reason, p)
		}
		if r.want != quietPercent {
			until(t, r.reason, func() bool { return percent() == r.want })
		} else if p := percent(); p != r.want {
			t.Errorf("%s: GOGC is %d, want %d", r.reason, p, r.want)
		}
		end()
	}
}

func TestTheFirstOfTwoListsEndsNothing(t *testing.T) {
	lists := fold.NewState()
	for _, r := range []struct {
		e    model.Event
		want bool
	}{
		{model.Requested{Prefixes: []string{"/a/", "/b/"}}, false},
		{model.Loaded{Prefix: "/a/"}, false},
		{model.Listed{Prefix: "/b/"}, false},
		{model.Loaded{Prefix: "/b/"}, true},
	} {
		if got := endsLists(lists, r.e); got != r.want {
			t.Errorf("%#v ends the lists: %v", r.e, got)
		}
	}
}

func TestWhoSetsGOGCKnowsBetter(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(name, "50")
			end := lateGC()
			if p := percent(); p != 50 {
				t.Errorf("while keys are listed GOGC is %d", p)
			}
			end()
			if p := percent(); p != 50 {
				t.Errorf("afterwards GOGC is %d", p)
			}
		})
	}
}

package garbage

import (
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

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
		end := Late()
		UntilLoaded(end)(model.Batch{Events: r.events}, r.err)
		if p := percent(); r.err == nil && p != quietPercent {
			t.Errorf("%s: GOGC is %d at once: the page comes first", r.reason, p)
		}
		if r.want != quietPercent {
			for deadline := time.Now().Add(30 * time.Second); percent() != r.want; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s: GOGC is %d", r.reason, percent())
				}
			}
		} else if p := percent(); p != r.want {
			t.Errorf("%s: GOGC is %d, want %d", r.reason, p, r.want)
		}
		end()
	}
}

// Garbage gets the room that a list took, within bounds.
func TestGarbageTakesNoMoreThanTheListDid(t *testing.T) {
	const mib = 1 << 20
	for _, r := range []struct {
		live, taken uint64
		want        int
		reason      string
	}{
		{40 * mib, 80 * mib, 75, "30 MiB are free of those that were taken"},
		{40 * mib, 72 * mib, 57, "23 MiB are"},
		{40 * mib, 41 * mib, leastPercent, "next to nothing is free: to collect all the time would cost more"},
		{40 * mib, 20 * mib, leastPercent, "most was given back to the system"},
		{40 * mib, 400 * mib, usualPercent, "as ever"},
		{2 * mib, 3 * mib, usualPercent, "a small heap is not worth it"},
		{0, 0, usualPercent, "nothing is known"},
	} {
		if got := percentAfter(r.live, r.taken); got != r.want {
			t.Errorf("%d of %d MiB live: GOGC %d, want %d: %s", r.live/mib, r.taken/mib, got, r.want, r.reason)
		}
	}
}

// The first garbage after a large list has more room than all that follows.
func TestAfterAListTheFirstGarbageHasMostRoom(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	list := make([]byte, 4*smallHeap)
	end := Late()
	end()
	first := percent()
	if first <= leastPercent || first > usualPercent+slackPercent {
		t.Fatalf("at first GOGC is %d", first)
	}
	runtime.GC()
	for deadline := time.Now().Add(30 * time.Second); percent() != first-slackPercent; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a collection GOGC is %d, at first it was %d", percent(), first)
		}
	}
	runtime.KeepAlive(list)
}

// While much happens a small heap is not collected all the time, and a large one as usual.
func TestWhileMuchHappensGarbageHasRoom(t *testing.T) {
	const mib = 1 << 20
	for _, r := range []struct {
		live   uint64
		want   int
		reason string
	}{
		{0, mostPercent, "nothing was collected yet"},
		{4 * mib, mostPercent, "16 MiB are room enough for 4"},
		{32 * mib, 200, "64 MiB of garbage"},
		{64 * mib, usualPercent, "as much again is 64 MiB"},
		{1000 * mib, usualPercent, "as ever"},
	} {
		if got := percentWhile(r.live); got != r.want {
			t.Errorf("%d MiB live: GOGC %d, want %d: %s", r.live/mib, got, r.want, r.reason)
		}
	}
}

// A console to which much happens collects for that, and one to which little happens as it did.
func TestWhereMuchHappensGarbageIsCollectedForThat(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	ended := make(chan struct{})
	look := UntilLoaded(sync.OnceFunc(func() { // as after a large list
		debug.SetGCPercent(leastPercent)
		close(ended)
	}))
	much := model.Batch{Events: make([]model.Event, muchEvents)}
	look(much, nil) // the list is under way
	look(model.Batch{Events: []model.Event{model.Lost{}}}, nil)
	<-ended
	for range 10 {
		look(model.Batch{Events: make([]model.Event, muchEvents-1)}, nil)
	}
	if p := percent(); p != leastPercent {
		t.Errorf("little happened: GOGC is %d", p)
	}
	for deadline := time.Now().Add(30 * time.Second); percent() < usualPercent; time.Sleep(time.Millisecond) { // it has just ended
		if look(much, nil); time.Now().After(deadline) {
			t.Fatalf("much happened: GOGC is %d", percent())
		}
	}
	debug.SetGCPercent(leastPercent)
	if look(much, nil); percent() != leastPercent {
		t.Error("what lives is looked at with each batch")
	}
	for range muchBatches {
		look(much, nil)
	}
	if p := percent(); p < usualPercent {
		t.Errorf("much goes on: GOGC is %d, as what lives was never looked at again", p)
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
			end := Late()
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

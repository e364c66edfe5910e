package cli

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"locktop/model"
)

// collection is what the runtime is told of when to collect.
func collection() (percent int, limit int64) {
	percent = debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

// wantUsual waits until collections are as usual again.
func wantUsual(t *testing.T, when string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		percent, limit := collection()
		if percent == 100 && limit == math.MaxInt64 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: percent %d, limit %d", when, percent, limit)
		}
	}
}

func TestGarbageIsCollectedAsUsualSoonEnough(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Run("after the first collection", func(t *testing.T) {
		lateGC()
		runtime.GC()
		wantUsual(t, "after a collection")
	})
	broken := errors.New("broken")
	for _, r := range []struct {
		b      model.Batch
		err    error
		reason string
	}{
		{b: model.Batch{Events: []model.Event{model.Listed{}, model.Loaded{}}}, reason: "the list has ended"},
		{err: broken, reason: "there will be none"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			src := untilLoaded{oneBatch{r.b, r.err}, lateGC()}
			if _, err := src.Next(t.Context(), model.Want{}); !errors.Is(err, r.err) {
				t.Fatal(err)
			}
			wantUsual(t, r.reason)
		})
	}
	t.Run("who sets GOGC knows better", func(t *testing.T) {
		t.Setenv("GOGC", "50")
		end := lateGC()
		wantUsual(t, "at once")
		end()
	})
}

type oneBatch struct {
	b   model.Batch
	err error
}

func (o oneBatch) Next(context.Context, model.Want) (model.Batch, error) { return o.b, o.err }

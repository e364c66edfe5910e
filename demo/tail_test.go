package demo

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"locktop/model"
	"locktop/watcher/queue"
)

// TestATailTellsAFewTimesASecond, however much a program prints, and leaves out what came before.
func TestATailTellsAFewTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := queue.New(reportsLimit, time.Now)
		tail := newTail("w", b.Add, time.Now)
		begun := time.Now()
		for i := range 10_000 {
			tail.Add("stdout", fmt.Sprintf("line %d \x1b[2J", i))
		}
		got, err := b.Next(t.Context(), model.Want{})
		if err != nil || len(got.Events) != 1 {
			t.Fatalf("%d events, %v", len(got.Events), err)
		}
		p := got.Events[0].(model.Printed)
		if last := p.Lines[len(p.Lines)-1]; len(p.Lines) != tellAtMost || p.Left != 10_000-tellAtMost || last.Text != `line 9999 \x1b[2J` || time.Since(begun) < tellEvery {
			t.Errorf("%d lines and %d left out after %v, the last is %q", len(p.Lines), p.Left, time.Since(begun), last.Text)
		}
		if kept, left := tail.Lines(); len(kept) != tailLines || left != 10_000-tailLines {
			t.Errorf("%d are kept, %d are not", len(kept), left)
		}
		tail.Add("stderr", "the last one")
		tail.Tell()
		b.Close()
		if got, err = b.Next(t.Context(), model.Want{}); err != nil || len(got.Events) != 1 || got.Events[0].(model.Printed).Left != 0 {
			t.Errorf("%v: %+v, want the last one alone, at once", err, got.Events)
		}
	})
}

//go:build unix

package timeline

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// BenchmarkFrame paints all lanes of a screen of 200 by 50 of 1,000 locks that have a million
// stays, an hour of them. What the processor did for one is said too: others may use the machine.
func BenchmarkFrame(b *testing.B) {
	s := store.New()
	rev, at := int64(0), modeltest.Start
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at}, model.Loaded{At: at}}})
	name := func(i int) string { return fmt.Sprintf("/bench/lock-%03d", i%1000) }
	last := make([]string, 1000)
	for i := range 1_000_000 {
		lock, lease := name(i), model.LeaseID(0x694d81e5fc650000+3*i)
		at = at.Add(3600 * time.Microsecond)
		key := modeltest.ClaimKey(lock, lease)
		rev++
		c := model.Committed{At: at, Rev: rev, Changes: []model.Change{{KV: model.KV{Key: key, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}}}}
		if old := last[i%1000]; old != "" {
			c.Changes = append(c.Changes, model.Change{Deleted: true, KV: model.KV{Key: old, ModRev: rev}})
		}
		last[i%1000] = key
		s.Apply(model.Batch{Events: []model.Event{c}})
	}
	for _, span := range []time.Duration{time.Minute, 10 * time.Minute, time.Hour} {
		b.Run(span.String(), func(b *testing.B) {
			var brush Painter
			w := Window{span: span}
			b.ReportAllocs()
			before := processor(b)
			for b.Loop() {
				at = at.Add(time.Second / 4)
				sc := w.Scale(s.Timeline().Start(), at, 160)
				for i := range 46 {
					brush.Row(s.View, name(i), sc, true, true)
				}
			}
			b.ReportMetric(float64((processor(b)-before).Microseconds())/float64(b.N), "processor-µs/op")
		})
	}
}

// processor is what this process has used of it.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

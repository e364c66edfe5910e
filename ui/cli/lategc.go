package cli

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"locktop/model"
)

// quietHeap is up to how much memory nothing is collected while keys are listed. What a
// list leaves behind is little beside the keys, which stay, and they were scanned again
// and again on the way: of the 90 MB that 100,000 claims take in all, 50 live on.
const quietHeap = 64 << 20

// lateGC puts the first garbage collection off until there is that much memory, or
// until end is called. From then on all is as usual: the limit, kept, would make a
// larger program do little else than collect. Who sets GOGC or GOMEMLIMIT knows better.
func lateGC() (end func()) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(quietHeap)
	end = sync.OnceFunc(func() { // what the runtime begins with: another list may have put it off, too
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(100)
	})
	// Nothing refers to it, so the first collection cleans it up.
	runtime.AddCleanup(new([64]byte), func(end func()) { end() }, end)
	return end
}

// untilLoaded is a source whose first list nothing is collected during: a console goes
// on for long afterwards.
type untilLoaded struct {
	model.Source
	end func()
}

// Next is that of the source.
func (u untilLoaded) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := u.Source.Next(ctx, want)
	if err != nil || slices.ContainsFunc(b.Events, func(e model.Event) bool { _, ok := e.(model.Loaded); return ok }) {
		u.end()
	}
	return b, err
}

package cli

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/fold"
)

// quietPercent is GOGC while keys are listed: nothing is collected below 80 MB, nor below
// twenty times what lived after a collection. It is no licence to fill the memory: of all
// that a list allocates two thirds stay (the keys and what is known of them), so without
// any collection it takes half as much again, where the usual 100 may take twice as much.
const quietPercent = 2000

// lateGC puts garbage collections off until end is called, which makes one: with a million
// claims that is a second of work. What a list leaves behind is
// little beside what stays, which was scanned again and again on the way: a third of the
// processor time of a million claims. Who sets GOGC or GOMEMLIMIT knows better.
func lateGC() (end func()) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	debug.SetGCPercent(quietPercent)
	return sync.OnceFunc(func() {
		// First with room to spare, or whatever allocates would have to do its share: five
		// readings took 70 ms beside a million claims.
		runtime.GC()
		debug.SetGCPercent(100) // what the runtime begins with
	})
}

// pageFirst is how long after a list the page that it makes has the processors: to mark
// what a million claims take is a second of work.
const pageFirst = time.Second

// untilLoaded is a source during whose first lists garbage is collected late: a console
// goes on for long afterwards. A list that fails ends it as well: it may be begun again
// and again, and each time leaves behind what it had read.
type untilLoaded struct {
	model.Source
	end   func()
	lists *fold.State // knows nothing but which prefixes were listed
}

func newUntilLoaded(src model.Source, end func()) untilLoaded {
	return untilLoaded{src, end, fold.NewState()}
}

// Next is that of the source.
func (u untilLoaded) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := u.Source.Next(ctx, want)
	switch {
	case err != nil:
		u.end()
	case slices.ContainsFunc(b.Events, u.endsLists):
		time.AfterFunc(pageFirst, u.end)
	}
	return b, err
}

func (u untilLoaded) endsLists(e model.Event) bool {
	switch e.(type) {
	case model.Requested, model.Loaded:
		u.lists.Apply(model.Batch{Events: []model.Event{e}})
		return u.lists.Loaded()
	case model.Lost:
		return true
	}
	return false
}

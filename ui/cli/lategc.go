package cli

import (
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

// untilLoaded returns what calls end, for a console that goes on for long, once the first
// lists are loaded. A list that fails ends it as well: it may be begun again and again, and
// each time leaves behind what it had read.
func untilLoaded(end func()) func(model.Batch, error) {
	lists := fold.NewState() // knows nothing but which prefixes were listed
	return func(b model.Batch, err error) {
		switch {
		case err != nil:
			end()
		case slices.ContainsFunc(b.Events, func(e model.Event) bool { return endsLists(lists, e) }):
			time.AfterFunc(pageFirst, end)
		}
	}
}

func endsLists(lists *fold.State, e model.Event) bool {
	switch e.(type) {
	case model.Requested, model.Loaded:
		lists.Apply(model.Batch{Events: []model.Event{e}})
		return lists.Loaded()
	case model.Lost:
		return true
	}
	return false
}

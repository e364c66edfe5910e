// Package garbage delays garbage collections while a list loads, and then holds a quiet console
// to the memory that its list took.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"locktop/model"
	"locktop/model/fold"
)

// quietPercent is GOGC while keys are listed: nothing is collected below 80 MB, nor below
// twenty times what lived after a collection. It is no licence to fill the memory: of all
// that a list allocates two thirds stay (the keys and what is known of them), so without
// any collection it takes half as much again, where the usual 100 may take twice as much.
const quietPercent = 2000

// Late puts garbage collections off until end is called, which makes one: with a million
// claims that is a second of work. What a list leaves behind is
// little beside what stays, which was scanned again and again on the way: a third of the
// processor time of a million claims. Who sets GOGC or GOMEMLIMIT knows better.
func Late() (end func()) {
	if chosen() {
		return func() {}
	}
	debug.SetGCPercent(quietPercent)
	return sync.OnceFunc(func() {
		// First with room to spare, or whatever allocates would have to do its share: five
		// readings took 70 ms beside a million claims.
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		percent := percentAfter(m.HeapAlloc, m.HeapSys-m.HeapReleased)
		if percent == usualPercent {
			debug.SetGCPercent(percent)
			return
		}
		debug.SetGCPercent(percent + slackPercent)
		atNextCollection(func() { debug.SetGCPercent(percent) })
	})
}

// slackPercent is how much more of what lives the first garbage after a list may take than all
// that follows. The runtime keeps a tenth more than it needs, where that was in use once: the
// garbage of an idle console, which is a little more or less each time, seldom takes new memory then.
const slackPercent = 20

// atNextCollection calls f once, after the next collection of garbage.
func atNextCollection(f func()) {
	runtime.AddCleanup(new([64]byte), func(f func()) { f() }, f)
}

// chosen says whether a person has said when garbage is to be collected.
func chosen() bool { return os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" }

// Of GOGC after a list.
const (
	usualPercent = 100 // what the runtime begins with
	leastPercent = 50
	smallHeap    = 16 << 20
)

// percentAfter is GOGC once a list is loaded of which so many bytes live, and for which so many
// were taken of the system: garbage gets what is taken already, at most as much as lives. A
// console to which nothing happens then takes no more memory than its list did.
func percentAfter(live, taken uint64) int {
	if live < smallHeap {
		return usualPercent
	}
	room := taken - taken/8 // the rest is between what lives
	return int(min(max(leastPercent*live, 100*(max(room, live)-live)), usualPercent*live) / live)
}

// pageFirst is how long after a list the page that it makes has the processors: to mark
// what a million claims take is a second of work.
const pageFirst = time.Second

// muchEvents in one batch are much.
const muchEvents = 100

// While much happens, garbage gets muchRoom at least: a small console whose heap is collected
// several times a second waits for the processor each time. It gets mostPercent of what lives
// at most, and what lives is looked at anew after so many batches.
const (
	muchRoom    = 64 << 20
	mostPercent = 400
	muchBatches = 64
)

// percentWhile is GOGC while much happens, of which so many bytes live.
func percentWhile(live uint64) int {
	return int(min(max(100*muchRoom/max(live, 1), usualPercent), mostPercent))
}

// living returns how many bytes the last collection left.
func living() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// UntilLoaded returns what calls end, for a console that goes on for long, once the first
// lists are loaded. A list that fails ends it as well: it may be begun again and again, and
// each time leaves behind what it had read. When much happens afterwards, garbage is collected as
// usual: to spare memory would take a seventh more of the processor.
func UntilLoaded(end func()) func(model.Batch, error) {
	lists := fold.NewState() // knows nothing but which prefixes were listed
	var ended atomic.Bool
	var batches int // of much, since the end
	return func(b model.Batch, err error) {
		switch {
		case err != nil:
			end()
		case len(b.Events) >= muchEvents && ended.Load():
			if batches++; batches%muchBatches == 1 && !chosen() {
				debug.SetGCPercent(percentWhile(living()))
			}
		case slices.ContainsFunc(b.Events, func(e model.Event) bool { return endsLists(lists, e) }):
			time.AfterFunc(pageFirst, func() {
				end()
				ended.Store(true)
			})
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

package demo

import (
	"maps"
	"time"

	"locktop/demo/process"
	"locktop/model"
)

// How often it is looked who had no processor: a beat is a goroutine of ours that falls due.
const (
	starvedBeat  = 50 * time.Millisecond
	starvedBeats = 5
	starvedLeast = 10 * time.Millisecond // of a look that is told of
)

// watchStarved tells, until the lab ends, who was ready to run and had no processor: who is late then may be
// so for a reason that is not its own.
func (sv *supervisor) watchStarved() {
	waits := map[string]map[int]time.Duration{} // by contender and thread
	since := sv.o.Now()
	for {
		ours := time.Duration(0)
		for range starvedBeats {
			due := time.Now().Add(starvedBeat)
			if !process.Sleep(sv.ctx, nil, starvedBeat) {
				return
			}
			ours += time.Since(due)
		}
		now, threads := sv.o.Now(), map[string]map[int]time.Duration{}
		for name, pids := range sv.running() {
			threads[name] = map[int]time.Duration{}
			for _, pid := range pids {
				maps.Copy(threads[name], process.Waits(pid))
			}
			lack := model.Starved{At: now, Since: since, Name: name, For: longestWait(waits[name], threads[name])}
			if name == "" {
				lack.For = max(lack.For, ours)
			}
			if lack.For = min(lack.For, now.Sub(since)); lack.For >= starvedLeast {
				sv.reports.Add(lack)
			}
		}
		waits, since = threads, now
	}
}

// running are the processes of each contender that lives, and by "" those of members.
func (sv *supervisor) running() map[string][]int {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	pids := map[string][]int{"": nil}
	for _, m := range sv.members {
		if m.alive() {
			pids[""] = append(pids[""], m.pid)
		}
	}
	for name, p := range sv.procs {
		pids[name] = []int{p.PID()}
	}
	return pids
}

// longestWait is the longest that one thread waited for a processor between two looks.
func longestWait(was, is map[int]time.Duration) (longest time.Duration) {
	for thread, d := range is {
		longest = max(longest, d-was[thread])
	}
	return longest
}

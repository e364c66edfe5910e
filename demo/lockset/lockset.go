// Package lockset has a published experiment as drills: an in-memory set that a lock guards,
// in the analysis of etcd 3.4.3 at jepsen.io. [Cell.Drill] makes the drill of a cell, [Count]
// counts in its events what was lost, and [Cell.Reference] is what was published.
package lockset

import (
	"fmt"
	"math/rand/v2"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/contender"
	"locktop/model"
)

// Name is the name of the published experiment among the drills.
const Name = "jepsen-lock-set"

// Fault is what is done in a cell of the experiment.
type Fault string

// Faults of the experiment.
const (
	None   Fault = "none"
	Paused Fault = "servers paused"  // the leader, or all, for 5 s of 10
	Held   Fault = "keepalives held" // of one who just got the lock, for 3 s, again and again
)

// Cell is one cell of the experiment: five workers take a lock by the
// server's own lock service with a TTL of 2 s, read a set, sleep up to 2 s, and
// write it back with an element more. It is the lock-set workload of the analysis
// of etcd 3.4.3 at jepsen.io, with the fence as a second dimension.
type Cell struct {
	Fault Fault
	Fence drill.Fence
}

// Cells are all cells, in the order of the table.
func Cells() []Cell {
	var all []Cell
	for _, fault := range []Fault{None, Paused, Held} {
		for _, fence := range []drill.Fence{drill.FenceNone, drill.FenceWrites, drill.FenceAll} {
			all = append(all, Cell{fault, fence})
		}
	}
	return all
}

// String names the cell.
func (c Cell) String() string { return fmt.Sprintf("%s, fence %s", c.Fault, c.Fence) }

// lock is the lock that guards the set, workers how many compete for it.
const (
	lock    = "/set"
	workers = 5
)

// Drill makes a drill of the cell that lasts about that long, with five members as
// processes. The seed decides when the faults hit.
func (c Cell) Drill(length time.Duration, seed uint64) *drill.Drill {
	d := &drill.Drill{Name: Name, Title: "An in-memory set under a lock: " + c.String(), Seed: seed,
		Lab: drill.Lab{Members: 5, Processes: true, Fence: c.Fence, Contenders: []drill.Contender{{
			Name: "w", Count: workers, Locks: []string{lock}, Recipe: contender.RecipeLockRPC, TTL: 2 * time.Second,
			Hold: time.Second, Full: true, Guarded: true, IgnoreDone: true}}},
		Expect: []drill.Expectation{{Name: "overlap", AtLeast: time.Nanosecond}},
		Steps:  []drill.Step{{Wait: &drill.Wait{Within: 30 * time.Second, Queue: -1, Acquisitions: 1}}}}
	rng := rand.New(rand.NewPCG(seed, 0))
	for begun := time.Duration(0); begun < length; {
		steps, takes := c.turn(rng, len(d.Steps))
		begun += takes
		d.Steps = append(d.Steps, steps...)
	}
	return d
}

// turn is one turn of the cell's fault, and how long it takes. done is how many steps
// there are before it.
func (c Cell) turn(rng *rand.Rand, done int) ([]drill.Step, time.Duration) {
	pause := func(d time.Duration) drill.Step { return drill.Step{Pause: d} }
	switch c.Fault {
	case Paused:
		steps := []drill.Step{pause(5 * time.Second)}
		victims := []string{"leader"}
		if rng.IntN(2) == 1 {
			victims = []string{"m1", "m2", "m3", "m4", "m5"}
		}
		for _, m := range victims {
			steps = append(steps, drill.Step{Fault: &model.Fault{Kind: model.FaultPauseMember, Target: m}})
		}
		return append(steps, pause(5*time.Second), drill.Step{Heal: &model.Fault{}}), 10 * time.Second
	case Held:
		return holdOf(fmt.Sprintf("w%d", 1+done/lockSetHeldSteps%workers)), lockSetHeldTakes
	}
	return []drill.Step{pause(4 * time.Second)}, 4 * time.Second
}

// A turn of held keepalives: its steps, and how long it takes on average, as whoever is
// to be hit has to get the lock first.
const (
	lockSetHeldSteps = 4
	lockSetHeldTakes = 2500 * time.Millisecond
)

// holdOf holds the keepalives of a worker from when it gets the lock. Each worker has
// its turn, and the fault is over before it has it again. Like this there is always
// somebody to hit: a "holder" there may be none at the moment.
func holdOf(worker string) []drill.Step {
	says := map[string]model.BeliefState{worker: model.BeliefWaiting}
	return []drill.Step{
		{Wait: &drill.Wait{Within: time.Minute, Lock: lock, Queue: -1, Beliefs: says}},
		{Wait: &drill.Wait{Within: time.Minute, Lock: lock, Queue: -1, Holders: []string{worker}}},
		{Fault: &model.Fault{Kind: model.FaultHoldKeepalives, Target: worker, For: 3 * time.Second}},
		{Pause: 650 * time.Millisecond}}
}

// Row is what was measured in one run of a cell.
type Row struct {
	Fault   Fault       `json:"fault"`
	Fence   drill.Fence `json:"fence"`
	Seconds float64     `json:"seconds"`
	Seed    uint64      `json:"seed"`
	// Acked counts acknowledged updates, Lost those of them that a later write did
	// away with, Refused the accesses that the fence refused, Overlaps the pairs of
	// intervals in which two workers believed that they hold.
	Acked    int `json:"acked"`
	Lost     int `json:"lost"`
	Refused  int `json:"refused"`
	Overlaps int `json:"overlaps"`
}

// Reference is what a run of the same experiment by others, or by another
// program, has measured: in words where there were several runs.
type Reference struct {
	// What names the runs, Seconds is how long one was.
	What    string
	Seconds float64

	Acked, Lost, Overlaps, Refused string
}

// Reference returns what is known of the cell from elsewhere: a rerun on etcd 3.7
// with five server processes (three members for held keepalives), 120 s a run, or
// 90 s where keepalives were held. The analysis of etcd 3.4.3 at jepsen.io lost
// about 18 % of acknowledged updates with servers paused and no fence.
func (c Cell) Reference() Reference {
	switch c {
	case Cell{None, drill.FenceNone}:
		return Reference{"120 s", 120, "125", "0", "0", "-"}
	case Cell{Paused, drill.FenceNone}:
		return Reference{"4 runs of 120 s", 120, "73 / 81 / 77 / 79", "4 / 1 / 1 / 2", "4 / 2 / 1 / 2", "-"}
	case Cell{Paused, drill.FenceWrites}:
		return Reference{"120 s", 120, "74", "1", "1", "0"}
	case Cell{Paused, drill.FenceAll}:
		return Reference{"120 s", 120, "81", "0", "4", "3"}
	case Cell{Held, drill.FenceNone}:
		return Reference{"90 s", 90, "102", "10", "18", "-"}
	case Cell{Held, drill.FenceWrites}:
		return Reference{"90 s", 90, "103", "15", "27", "5"}
	case Cell{Held, drill.FenceAll}:
		return Reference{"90 s", 90, "82", "0", "20", "16"}
	}
	return Reference{"not run", 0, "-", "-", "-", "-"}
}

package model

import "time"

// The reports of the lab and its proxy. They never change what is true about
// the queues: they fill belief, and may raise the confidence of a cause.

// BeliefState is what a contender thinks about its lock.
type BeliefState string

// Beliefs.
const (
	BeliefIdle    BeliefState = "idle"    // does not want the lock now
	BeliefWaiting BeliefState = "waiting" // asked for it
	BeliefHolding BeliefState = "holding" // its client library said yes
	BeliefLost    BeliefState = "lost"    // its session told it that the lease is gone
)

// ProcState is the state of a contender's process.
type ProcState string

// Process states.
const (
	ProcRunning ProcState = "running"
	ProcPaused  ProcState = "paused" // stopped by SIGSTOP
	ProcEnded   ProcState = "ended"
)

// Contender says that a client process exists, or how it is now. It replaces
// what was known of the contender of that name, its belief excepted.
type Contender struct {
	At     time.Time
	Name   string
	PID    int
	Lock   string
	Recipe string
	// TTL is what it asks for, in seconds.
	TTL  int
	Proc ProcState
	// Ended says how it ended ("killed", "exit 1"), empty while it lives.
	Ended string
}

// Belief is what a contender reported about itself.
type Belief struct {
	At        time.Time
	Contender string
	Lock      string
	State     BeliefState
	// Key and Lease are of the claim it speaks of, empty and 0 if it has none.
	Key   string
	Lease LeaseID
	// Text is its own words on an error, else empty.
	Text string
}

// LeaseOwner says which client grants or renews a lease, as the proxy saw it.
type LeaseOwner struct {
	At    time.Time
	Lease LeaseID
	// Client is a contender's name, or an address for a client that is not ours.
	Client string
	// Certain is true where the listener is the client's own.
	Certain bool
}

// FaultOn says that a fault is in force.
type FaultOn struct {
	At time.Time
	// ID is unique in the life of the lab.
	ID int
	// Name is the kind ("hold keepalives"), Target what it is done to.
	Name, Target string
}

// FaultOff says that a fault ended.
type FaultOff struct {
	At time.Time
	ID int
	// Why it ended: "healed", "target ended".
	Why string
}

// Acted says that the console did something. What came of it has to be seen
// through the watch; the difference between done and seen is itself shown.
type Acted struct {
	At      time.Time
	Outcome Outcome
}

func (e Contender) When() time.Time  { return e.At }
func (e Belief) When() time.Time     { return e.At }
func (e LeaseOwner) When() time.Time { return e.At }
func (e FaultOn) When() time.Time    { return e.At }
func (e FaultOff) When() time.Time   { return e.At }
func (e Acted) When() time.Time      { return e.At }

func (Contender) event()  {}
func (Belief) event()     {}
func (LeaseOwner) event() {}
func (FaultOn) event()    {}
func (FaultOff) event()   {}
func (Acted) event()      {}

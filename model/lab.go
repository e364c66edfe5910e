package model

import (
	"reflect"
	"strings"
	"time"
)

// The reports of the lab and its proxy. They never change what is true about
// the queues: they fill belief, and may raise the confidence of a cause.

// BeliefState is what a contender thinks about its lock.
type BeliefState string

// Beliefs.
const (
	BeliefIdle    BeliefState = "idle"    // does not want the lock now
	BeliefWaiting BeliefState = "waiting" // asked for it
	BeliefHolding BeliefState = "holding" // its client library said yes
	BeliefLeaving BeliefState = "leaving" // its work is over, it asked to let the lock go
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

// HowEnded says how the contender ended, zero while it lives.
func (c Contender) HowEnded() Message {
	switch c.Ended {
	case "":
		return Message{}
	case "killed":
		return Say("program-killed")
	case "stopped":
		return Say("program-stopped")
	}
	if code, is := strings.CutPrefix(c.Ended, "exit "); is {
		return Say("program-exit", Verbatim(code))
	}
	return Say("quote", c.Ended)
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
	// Token is what it shows to the guarded resource: the create revision of its
	// key; 0 if it has none.
	Token int64
	// Text is what it says besides, as on an error, in its own words, else empty. Said is the same as a
	// message, where it is a sentence of ours.
	Text string
	Said Message
}

// Same says whether both are one report.
func (b Belief) Same(o Belief) bool { return reflect.DeepEqual(b, o) }

// Says is what the contender says besides, as a message.
func (b Belief) Says() Message {
	if b.Said.IsZero() && b.Text != "" {
		return Say("quote", b.Text)
	}
	return b.Said
}

// SpeaksOf says whether the belief is about that claim, as far as it tells. A key may go and
// come again: under another lease it is somebody else's, and no token is older than its claim.
func (b Belief) SpeaksOf(c ClaimRef) bool {
	if b.Key == "" {
		return b.Lease != 0 && b.Lease == c.Lease
	}
	return b.Key == c.Key && (b.Lease == 0 || c.Lease == 0 || b.Lease == c.Lease) && (b.Token == 0 || b.Token >= c.CreateRev)
}

// SpeaksOfOther says whether two beliefs are about different claims, as far as they tell.
func (b Belief) SpeaksOfOther(o Belief) bool {
	return b.Key != o.Key || b.Lease != 0 && o.Lease != 0 && b.Lease != o.Lease || b.Token != 0 && o.Token != 0 && b.Token != o.Token
}

// Access is one access of a contender to the guarded resource of the lab, as the
// resource decided.
type Access struct {
	At        time.Time
	Contender string
	Lock      string
	Write     bool
	// Token is the fencing token that came with it, Highest the highest that the
	// resource had seen before.
	Token, Highest int64
	// Accepted is false if the resource refused it because of its token.
	Accepted bool
	// Acked and Lost count the updates of the lock's register so far: those that
	// were acknowledged, and those of them that a later write did away with.
	Acked, Lost int
}

// Client is who made a request, as the proxy knows it.
type Client struct {
	// Name is a contender's name, or an address for a client that is not ours.
	Name string
	// Certain is true where the listener is the client's own. Of one that shares a
	// listener only the connection is known, and it may have several.
	Certain bool
}

// LeaseOwner says which client grants or renews a lease, as the proxy saw it. It
// is reported once for each pair of lease and client, and again when the member
// changes or the client that granted it renews first.
type LeaseOwner struct {
	At    time.Time
	Lease LeaseID
	Client
	// Renews: it sent a request to renew. Otherwise it was granted the lease.
	Renews bool
	// Member is the address of the member through which it did.
	Member string
}

// Wrote is a request of a client to put or delete one key, or to delete a range, as the proxy saw
// it end.
type Wrote struct {
	At time.Time
	// Asked is when the request came to the proxy, which may have kept it back; zero where that
	// is not known.
	Asked time.Time `json:",omitzero"`
	Client
	Key string
	// End is the end of a range that begins with Key, as etcd has it; "" for that one key.
	End    string `json:",omitzero"`
	Delete bool
	// Lease is that of a put, 0 for none and for a delete.
	Lease LeaseID
	// Rev is the revision of the member's answer, 0 if the member did not answer
	// or refused: then whether it was done is not known, unless Unsent.
	Rev int64
	// Took and Missed are what the answer to a delete says: the key went by it, or it
	// found nothing, and Rev is that of whatever came last. The lock service says neither.
	Took, Missed bool `json:",omitzero"`
	// Unsent: the request did not reach the member.
	Unsent bool
	// Told: the client was given the answer of the member.
	Told bool
}

// Revoked is a request of a client to end a lease, as the proxy saw it end.
type Revoked struct {
	At time.Time
	Client
	Lease LeaseID
	// Rev is the revision of the member's answer, 0 if the member did not answer or refused. The
	// keys of the lease went at that one, since the answer is made before anything else is applied
	// (etcd server/etcdserver, applierV3backend.LeaseRevoke); if it had none any more it is that of
	// whatever came last.
	Rev int64
}

// Watches says that a client began or ended to watch one single key. Watches of
// ranges are not reported.
type Watches struct {
	At time.Time
	Client
	Key string
	On  bool
}

// Asked counts what a client has asked of the members so far, as the proxy saw it.
type Asked struct {
	At time.Time
	Client
	// Txns are transactions, Vain those of them whose condition did not hold, or that put a key
	// behind an older one which the client then took away again at once. Gets read keys,
	// Writes put or delete them without a condition.
	Txns, Vain, Gets, Writes int
	// Watches were begun; Woken of their answers told of a change. Idle is how often the
	// client watched again without having written anything since: it was woken for nothing.
	Watches, Woken, Idle int
	// Renewals are of leases, Others all other requests.
	Renewals, Others int
}

// Refused says that a member refused a client's request for lack of rights.
type Refused struct {
	At time.Time
	Client
	// Method is without its package, like "Lease/LeaseKeepAlive".
	Method string
	// Lease is what the request was for, 0 if that is not known.
	Lease LeaseID
	// Text is the member's own words.
	Text string
}

// TurnedAway says that the proxy did not take connections of somebody, in a sentence.
// It is reported once for each user of the machine.
type TurnedAway struct {
	At   time.Time
	Text string
}

// Printed are lines that a program of the user's own printed, oldest first.
type Printed struct {
	At        time.Time
	Contender string
	// Left are the lines before these that are not passed on: too many came at once.
	Left  int
	Lines []Line
}

// Line is a line that a program printed, or that it answered when it was asked what it believes.
type Line struct {
	At   time.Time
	From string // "stdout", "stderr", "answer"
	Text string // as [Printable] has it
}

// Connected says that a client has a connection to a member, or has it no more.
type Connected struct {
	At time.Time
	Client
	// Peer is the client's end of it, Agent what it calls itself, Member the
	// address of the member.
	Peer, Agent, Member string
	On                  bool
}

// FaultOn says that a fault is in force.
type FaultOn struct {
	At time.Time
	// ID is unique in the life of the lab.
	ID    int
	Fault Fault
}

// FaultOff says that a fault ended.
type FaultOff struct {
	At  time.Time
	ID  int
	Why FaultEnd
}

// FaultEnd is why a fault ended.
type FaultEnd string

// Ends of a fault.
const (
	FaultHealed      FaultEnd = "healed"
	FaultTargetEnded FaultEnd = "target ended"
	FaultTimeUp      FaultEnd = "its time was up"
)

// Acted says that the console did something. What came of it has to be seen
// through the watch; the difference between done and seen is itself shown.
type Acted struct {
	At      time.Time
	Outcome Outcome
}

func (c Contender) When() time.Time { return c.At }

func (b Belief) When() time.Time { return b.At }

func (e Access) When() time.Time { return e.At }

func (e Wrote) When() time.Time { return e.At }

func (e Revoked) When() time.Time { return e.At }

func (e Watches) When() time.Time { return e.At }

func (e Asked) When() time.Time { return e.At }

func (e Refused) When() time.Time { return e.At }

func (e TurnedAway) When() time.Time { return e.At }

func (e Printed) When() time.Time { return e.At }

func (e Connected) When() time.Time { return e.At }

func (e LeaseOwner) When() time.Time { return e.At }

func (e FaultOn) When() time.Time { return e.At }

func (e FaultOff) When() time.Time { return e.At }

func (e Acted) When() time.Time { return e.At }

func (Contender) event() {}

func (Belief) event() {}

func (Access) event() {}

func (Wrote) event() {}

func (Revoked) event() {}

func (Watches) event() {}

func (Asked) event() {}

func (Refused) event() {}

func (TurnedAway) event() {}

func (Printed) event() {}

func (Connected) event() {}

func (LeaseOwner) event() {}

func (FaultOn) event() {}

func (FaultOff) event() {}

func (Acted) event() {}

package model

import (
	"fmt"
	"strings"
	"time"
)

// ActionKind is one of the things that the console can do.
type ActionKind string

// Kinds of actions. The first two write to etcd, the rest act on the lab.
const (
	RevokeLease   ActionKind = "revoke lease"
	DeleteClaim   ActionKind = "delete claim"
	HoldKeepalive ActionKind = "hold keepalives"
	FreeKeepalive ActionKind = "resume keepalives"
	PauseProc     ActionKind = "pause"
	ResumeProc    ActionKind = "resume"
	KillProc      ActionKind = "kill"
	StopProc      ActionKind = "stop"
	SpawnProc     ActionKind = "spawn"
	HealAll       ActionKind = "heal all"
)

// ActionKinds lists every kind, for tests that walk them.
var ActionKinds = []ActionKind{RevokeLease, DeleteClaim, HoldKeepalive, FreeKeepalive,
	PauseProc, ResumeProc, KillProc, StopProc, SpawnProc, HealAll}

// WritesEtcd says whether the action is a request to etcd (and not to the lab).
func (k ActionKind) WritesEtcd() bool { return k == RevokeLease || k == DeleteClaim }

// Action is a request: what to do to what.
type Action struct {
	Kind ActionKind
	// Lock is the lock that the person was looking at.
	Lock string
	// Key and CreateRev name the claim; a guarded delete happens only while the
	// key still has that create revision.
	Key       string
	CreateRev int64
	// Lease is what a revoke ends.
	Lease LeaseID
	// Contender is the target of the actions on the lab. For SpawnProc it is empty.
	Contender string
	// Recipe is what SpawnProc spawns: "mutex" or "election".
	Recipe string
}

// Describe says in words what the action does, escaped for a terminal.
func (a Action) Describe() string {
	switch a.Kind {
	case RevokeLease:
		return "revoke lease " + a.Lease.String()
	case DeleteClaim:
		return fmt.Sprintf("delete claim %s if its create revision is still %d", Printable(a.Key), a.CreateRev)
	case SpawnProc:
		return "spawn a contender on " + Printable(a.Lock)
	case HealAll:
		return "heal every fault"
	}
	return string(a.Kind) + " " + Printable(a.Contender)
}

// Etcdctl returns the command line that does the same by hand, or "" where there
// is none.
func (a Action) Etcdctl() string {
	switch a.Kind {
	case RevokeLease:
		return "etcdctl lease revoke " + a.Lease.String()
	case DeleteClaim:
		key := ctlQuote(a.Key)
		// The transaction of etcdctl: comparisons, success requests, failure
		// requests, each ended by an empty line.
		txn := fmt.Sprintf("create(%s) = \"%d\"\n\ndel -- %s\n\n\n", key, a.CreateRev, key)
		return "printf '%s' " + shellQuote(txn) + " | etcdctl txn"
	}
	return ""
}

// Plan is what an action will touch, read from etcd before anything is done.
type Plan struct {
	Action Action
	// At is when it was read, Endpoint where.
	At       time.Time
	Endpoint string
	// Goes are the keys that go with it, in key order. One with CreateRev 0 is known
	// by name only.
	Goes []KV
	// Unknown is set when Goes is not complete, and says why: "no permission on …".
	Unknown string
	// Lease is the reading of the lease, zero if there is none.
	Lease LeaseRead
	// Refused is why the action must not be done as planned: the claim went, or
	// it is not the one that was meant. Empty if it may.
	Refused string
	// DryRun makes Do say what it would have done.
	DryRun bool
}

// Outcome is what came of an action, as the one who did it knows it.
type Outcome struct {
	Action Action
	At     time.Time
	// Done is false if nothing was done; Err then says why and what to do next.
	Done bool
	Err  string
	// Detail adds what the request answered ("3 keys", "pid 4711").
	Detail string
	// Rev is the revision of the write, 0 if there is none.
	Rev int64
}

// Describe says in one sentence what was done or why not.
func (o Outcome) Describe() string {
	var b strings.Builder
	if o.Done {
		b.WriteString("done: ")
	} else {
		b.WriteString("not done: ")
	}
	b.WriteString(o.Action.Describe())
	if o.Detail != "" {
		b.WriteString(" (" + o.Detail + ")")
	}
	if o.Err != "" {
		b.WriteString(": " + o.Err)
	}
	return b.String()
}

// shellQuote quotes s for a POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ctlQuote quotes a key for the line format of etcdctl txn, which reads Go string
// syntax.
func ctlQuote(s string) string { return fmt.Sprintf("%q", s) }

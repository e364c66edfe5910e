package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// FaultKind is something that can be done to the lab or to what is behind its
// proxy.
type FaultKind string

// Faults of a contender's process.
const (
	FaultPause FaultKind = "pause" // SIGSTOP, healed by SIGCONT
	FaultKill  FaultKind = "kill"  // SIGKILL
	FaultStop  FaultKind = "stop"  // SIGTERM
)

// Faults of a client's connections, done by the proxy.
const (
	FaultHoldKeepalives FaultKind = "hold-keepalives" // its renewals wait
	FaultHold           FaultKind = "hold"            // messages of one method, one way, wait
	FaultDelay          FaultKind = "delay"           // they come late
	FaultDropReply      FaultKind = "drop-reply"      // the member acts, the client never hears of it
	FaultFreeze         FaultKind = "freeze"          // nothing passes, connections stay open
	FaultCut            FaultKind = "cut"             // connections break and are refused
	FaultSlow           FaultKind = "slow"            // everything passes late and thin
)

// Faults of a member and of the cluster.
const (
	FaultStopMember  FaultKind = "stop-member"  // healed by starting it again
	FaultPauseMember FaultKind = "pause-member" // SIGSTOP; only where members are processes
	FaultIsolate     FaultKind = "isolate"      // cut off from the other members, its clients are not
	FaultSlowMember  FaultKind = "slow-member"  // what the others send it comes late
	FaultMoveLeader  FaultKind = "move-leader"  // to another member
	FaultLoseQuorum  FaultKind = "lose-quorum"  // a majority is stopped
	FaultDeadlock    FaultKind = "deadlock"     // two programs that take two locks in opposite order
	FaultCompact     FaultKind = "compact"      // history up to now is gone
	FaultFill        FaultKind = "fill"         // the NOSPACE alarm; healed by compacting and disarming
)

// Faults of the data: writes that no contender would do.
const (
	FaultPut    FaultKind = "put"    // a key without a lease; healed by a guarded delete
	FaultDetach FaultKind = "detach" // the claim of a contender is put again without its lease
	FaultRevoke FaultKind = "revoke" // the lease of a contender
	FaultDelete FaultKind = "delete" // the claim of a contender, guarded by its create revision
)

// FaultTarget says what a kind of fault is done to.
type FaultTarget string

// Targets of faults.
const (
	// TargetProcess is a contender's name.
	TargetProcess FaultTarget = "contender"
	// TargetClient is a contender's name, the address of a client that is not of the
	// lab, or "all". FaultHoldKeepalives also takes a lease, "lease:" and hex.
	TargetClient FaultTarget = "client"
	// TargetMember is a member's name.
	TargetMember FaultTarget = "member"
	// TargetCluster needs no target.
	TargetCluster FaultTarget = "cluster"
	// TargetKey is a key.
	TargetKey FaultTarget = "key"
	// TargetClaim is a contender, by the claim that it has.
	TargetClaim FaultTarget = "claim"
)

// Direction is the way that a message goes.
type Direction string

// Directions.
const (
	Requests Direction = "requests" // from the client to the member
	Replies  Direction = "replies"  // from the member to the client
)

// FaultInfo is what is known of a kind of fault.
type FaultInfo struct {
	Kind   FaultKind
	Target FaultTarget
	// Instant: it is done and over, there is nothing to heal.
	Instant bool
	// Takes names the fields of Fault that mean something: "method", "direction", "delay",
	// "rate", "count", "value", "member". A drill writes so, too, but the delay of delay as "by".
	Takes []string
	// Wants are those fields of which at least one has to be given.
	Wants []string
	// Needs is what the lab's members have to be.
	Needs MembersNeed
	// Name is what it is called. Past says that it was done, and State how its target is then, in
	// one word for a list; a fault of a process or of the whole cluster has none. What says what
	// it does, Heal what healing does; the zero Message if Instant. Of puts an "of" before the
	// target.
	Name, Past, State, What, Heal Message
	Of                            bool
	// Story is the sentence of drills and lessons for what happens to the target, Over that for its end;
	// where that is empty, the first is no longer so.
	Story, Over MessageID
}

// MembersNeed is what a fault needs the members of a lab to be.
type MembersNeed string

// What faults need.
const (
	NeedsProcesses MembersNeed = "members that are processes"
	NeedsSeveral   MembersNeed = "more than one member"
)

// takes says whether a field means something.
func (i FaultInfo) takes(field string) bool { return slices.Contains(i.Takes, field) }

// FaultKinds lists every kind of fault. The list is not to be changed. All that is known of
// a kind stands in its row, its words in package text; faults of clients are done by chaos/proxy,
// all others in demo by its table of doers.
func FaultKinds() []FaultInfo { return faultKinds }

var faultKinds = []FaultInfo{
	{Kind: FaultPause, Target: TargetProcess,
		Name: Say("fault-pause"), Story: "story-pause", Over: "story-over-pause", Past: Say("fault-pause-past"), What: Say("fault-pause-what"), Heal: Say("fault-pause-heal")},
	{Kind: FaultKill, Target: TargetProcess, Instant: true,
		Name: Say("fault-kill"), Story: "story-kill", Past: Say("fault-kill-past"), What: Say("fault-kill-what")},
	{Kind: FaultStop, Target: TargetProcess, Instant: true,
		Name: Say("fault-stop"), Story: "story-stop", Past: Say("fault-stop-past"), What: Say("fault-stop-what")},
	{Kind: FaultHoldKeepalives, Target: TargetClient, Of: true,
		Name: Say("fault-hold-keepalives"), Story: "story-hold-keepalives", Over: "story-over-hold-keepalives", Past: Say("fault-hold-keepalives-past"), State: Say("fault-hold-keepalives-state"), What: Say("fault-hold-keepalives-what"), Heal: Say("fault-hold-keepalives-heal")},
	{Kind: FaultHold, Target: TargetClient, Takes: []string{"method", "direction", "count", "member"},
		Name: Say("fault-hold"), Story: "story-hold", Past: Say("fault-hold-past"), State: Say("fault-hold-state"), What: Say("fault-hold-what"), Heal: Say("fault-hold-heal")},
	{Kind: FaultDelay, Target: TargetClient, Takes: []string{"method", "direction", "count", "member", "delay"}, Wants: []string{"delay"},
		Name: Say("fault-delay"), Story: "story-delay", Past: Say("fault-delay-past"), State: Say("fault-delay-state"), What: Say("fault-delay-what"), Heal: Say("fault-delay-heal")},
	{Kind: FaultDropReply, Target: TargetClient, Takes: []string{"method", "count", "member"},
		Name: Say("fault-drop-reply"), Story: "story-drop-reply", Past: Say("fault-drop-reply-past"), State: Say("fault-drop-reply-state"), What: Say("fault-drop-reply-what"), Heal: Say("fault-drop-reply-heal")},
	{Kind: FaultFreeze, Target: TargetClient, Takes: []string{"member"},
		Name: Say("fault-freeze"), Story: "story-freeze", Past: Say("fault-freeze-past"), State: Say("fault-freeze-state"), What: Say("fault-freeze-what"), Heal: Say("fault-freeze-heal")},
	{Kind: FaultCut, Target: TargetClient, Takes: []string{"member"},
		Name: Say("fault-cut"), Story: "story-cut", Past: Say("fault-cut-past"), State: Say("fault-cut-state"), What: Say("fault-cut-what"), Heal: Say("fault-cut-heal")},
	{Kind: FaultSlow, Target: TargetClient, Takes: []string{"delay", "rate", "member"}, Wants: []string{"delay", "rate"},
		Name: Say("fault-slow"), Story: "story-slow", Past: Say("fault-slow-past"), State: Say("fault-slow-state"), What: Say("fault-slow-what"), Heal: Say("fault-slow-heal")},
	{Kind: FaultStopMember, Target: TargetMember,
		Name: Say("fault-stop-member"), Story: "story-stop-member", Past: Say("fault-stop-member-past"), State: Say("fault-stop-member-state"), What: Say("fault-stop-member-what"), Heal: Say("fault-stop-member-heal")},
	{Kind: FaultPauseMember, Target: TargetMember, Needs: NeedsProcesses,
		Name: Say("fault-pause-member"), Story: "story-pause-member", Past: Say("fault-pause-member-past"), State: Say("fault-pause-member-state"), What: Say("fault-pause-member-what"), Heal: Say("fault-pause-member-heal")},
	{Kind: FaultIsolate, Target: TargetMember, Needs: NeedsSeveral,
		Name: Say("fault-isolate"), Story: "story-isolate", Past: Say("fault-isolate-past"), State: Say("fault-isolate-state"), What: Say("fault-isolate-what"), Heal: Say("fault-isolate-heal")},
	{Kind: FaultSlowMember, Target: TargetMember, Takes: []string{"delay"}, Wants: []string{"delay"}, Needs: NeedsSeveral,
		Name: Say("fault-slow-member"), Story: "story-slow-member", Past: Say("fault-slow-member-past"), State: Say("fault-slow-member-state"), What: Say("fault-slow-member-what"), Heal: Say("fault-slow-member-heal")},
	{Kind: FaultMoveLeader, Target: TargetCluster, Instant: true, Needs: NeedsSeveral,
		Name: Say("fault-move-leader"), Story: "story-move-leader", Past: Say("fault-move-leader-past"), What: Say("fault-move-leader-what")},
	{Kind: FaultLoseQuorum, Target: TargetCluster,
		Name: Say("fault-lose-quorum"), Story: "story-lose-quorum", Past: Say("fault-lose-quorum-past"), What: Say("fault-lose-quorum-what"), Heal: Say("fault-lose-quorum-heal")},
	{Kind: FaultDeadlock, Target: TargetCluster,
		Name: Say("fault-deadlock"), Story: "story-deadlock", Past: Say("fault-deadlock-past"), What: Say("fault-deadlock-what"), Heal: Say("fault-deadlock-heal")},
	{Kind: FaultCompact, Target: TargetCluster, Instant: true,
		Name: Say("fault-compact"), Story: "story-compact", Past: Say("fault-compact-past"), What: Say("fault-compact-what")},
	{Kind: FaultFill, Target: TargetCluster,
		Name: Say("fault-fill"), Story: "story-fill", Past: Say("fault-fill-past"), What: Say("fault-fill-what"), Heal: Say("fault-fill-heal")},
	{Kind: FaultPut, Target: TargetKey, Takes: []string{"value"},
		Name: Say("fault-put"), Story: "story-put", Past: Say("fault-put-past"), What: Say("fault-put-what"), Heal: Say("fault-put-heal")},
	{Kind: FaultDetach, Target: TargetClaim,
		Name: Say("fault-detach"), Story: "story-detach", Past: Say("fault-detach-past"), State: Say("fault-detach-state"), What: Say("fault-detach-what"), Heal: Say("fault-detach-heal")},
	{Kind: FaultRevoke, Target: TargetClaim, Instant: true,
		Name: Say("fault-revoke"), Story: "story-revoke", Past: Say("fault-revoke-past"), State: Say("fault-revoke-state"), What: Say("fault-revoke-what")},
	{Kind: FaultDelete, Target: TargetClaim, Instant: true,
		Name: Say("fault-delete"), Story: "story-delete", Past: Say("fault-delete-past"), State: Say("fault-delete-state"), What: Say("fault-delete-what")},
}

// Info returns what is known of the kind, false if there is no such kind.
func (k FaultKind) Info() (FaultInfo, bool) {
	for _, i := range faultKinds {
		if i.Kind == k {
			return i, true
		}
	}
	return FaultInfo{}, false
}

// Fault is what is done to what. Which of the fields mean something for a kind
// stands in its FaultInfo. It is comparable.
type Fault struct {
	Kind   FaultKind
	Target string
	// Member limits what is done to a client to its connections to one member.
	// Empty: all.
	Member string
	// Method is a method of etcd's API without its package, like "KV/Txn" or
	// "Lease/LeaseKeepAlive". Empty: every method.
	Method string
	// Direction is Requests where empty, except for FaultDropReply.
	Direction Direction
	// Delay is added to every message, or to each way of a link.
	Delay time.Duration
	// Rate bounds a link, in bytes per second each way; 0: it does not.
	Rate int
	// Count is how many messages it acts on; 0: every one. It stays in force
	// afterwards, for what it keeps back.
	Count int
	// Value is what FaultPut puts.
	Value string
	// For is when it ends by itself; 0: it does not.
	For time.Duration
}

// Message says what the fault is: "hold replies of KV/Txn of c1 for 5s".
func (f Fault) Message() Message {
	info, known := f.Kind.Info()
	if !known {
		info.Name = Say("fault-unknown", strings.ReplaceAll(string(f.Kind), "-", " "))
	}
	return f.named(info, info.Name)
}

// Done says that it was done: "Killed c1".
func (f Fault) Done() Message {
	info, known := f.Kind.Info()
	if !known {
		info.Past = Say("did", strings.ReplaceAll(string(f.Kind), "-", " "))
	}
	return f.named(info, info.Past)
}

// named is a name of the fault, and what it is done to and how.
func (f Fault) named(info FaultInfo, name Message) Message {
	var way, method, target, member, delay, rate, count, lasts Message
	if info.takes("direction") {
		way = Say("fault-way", cmp.Or(f.Direction, Requests))
	}
	switch {
	case info.takes("method") && f.Method == "":
		method = Say("fault-of-every-method")
	case info.takes("method"):
		method = Say("fault-of-method", f.Method)
	}
	switch {
	case f.Target == "":
	case info.Of || info.takes("method"):
		target = Say("fault-of", f.Target)
	default:
		target = Say("fault-to", f.Target)
	}
	if f.Member != "" {
		member = Say("fault-at", f.Member)
	}
	if f.Delay > 0 {
		delay = Say("fault-by", f.Delay)
	}
	if f.Rate > 0 {
		rate = Say("fault-rate", f.Rate)
	}
	if f.Count > 0 {
		count = Say("fault-count", f.Count)
	}
	if f.For > 0 && !info.Instant {
		lasts = Say("fault-for", f.For)
	}
	return Say("fault-in-words", name, way, method, target, member, delay, rate, count, lasts)
}

// Check says what is wrong with a fault by itself, nil if nothing is. Whether its
// target exists is the lab's to say.
func (f Fault) Check() error {
	info, ok := f.Kind.Info()
	if !ok {
		return fmt.Errorf("there is no fault %q", f.Kind)
	}
	if f.Target == "" && info.Target != TargetCluster {
		return fmt.Errorf("%s needs a %s to be done to", f.Kind, info.Target)
	}
	set := map[string]bool{"method": f.Method != "", "direction": f.Direction != "", "delay": f.Delay != 0,
		"rate": f.Rate != 0, "count": f.Count != 0, "value": f.Value != "", "member": f.Member != ""}
	for _, name := range []string{"method", "direction", "delay", "rate", "count", "value", "member"} {
		if set[name] && !info.takes(name) {
			return fmt.Errorf("%s takes no %s", f.Kind, name)
		}
	}
	switch {
	case f.Direction != "" && f.Direction != Requests && f.Direction != Replies:
		return fmt.Errorf("direction %q: want %s or %s", f.Direction, Requests, Replies)
	case f.Delay < 0 || f.Rate < 0 || f.Count < 0 || f.For < 0:
		return fmt.Errorf("%s: a negative number", f.Kind)
	case len(info.Wants) > 0 && !slices.ContainsFunc(info.Wants, func(name string) bool { return set[name] }):
		return fmt.Errorf("%s needs a %s", f.Kind, strings.Join(info.Wants, " or a "))
	case f.For > 0 && info.Instant:
		return fmt.Errorf("%s is over at once: it cannot last", f.Kind)
	}
	return nil
}

// Heals says whether healing by g ends f: same kind and target, and the same
// method, direction and member as far as g names them.
func (g Fault) Heals(f Fault) bool {
	return g.Kind == f.Kind && (g.Target == f.Target || g.Target == "") &&
		(g.Method == "" || g.Method == f.Method) && (g.Direction == "" || g.Direction == f.Direction) &&
		(g.Member == "" || g.Member == f.Member)
}

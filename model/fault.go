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
	// Takes names the fields of Fault that mean something, as drills write them:
	// "method", "direction", "delay", "rate", "count", "value", "member".
	Takes []string
	// Wants are those fields of which at least one has to be given.
	Wants []string
	// Needs is what the lab's members have to be.
	Needs MembersNeed
	// Words are what it is called, "" for its kind, and State how its target is then, in
	// one word for a list, "" for its kind too. Past says that it was done, for one whose
	// target follows. Of puts an "of" before the target.
	Words, State, Past string
	Of                 bool
	// What it does, for a person, and Heal what healing does, "" if Instant.
	What, Heal string
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
// a kind stands in its row, and nowhere else; faults of clients are done by chaos/proxy, all
// others in demo by its table of doers.
func FaultKinds() []FaultInfo { return faultKinds }

var faultKinds = []FaultInfo{
	{Kind: FaultPause, Target: TargetProcess, Past: "Paused", What: "stop the process in its tracks (SIGSTOP)", Heal: "let it run on (SIGCONT)"},
	{Kind: FaultKill, Target: TargetProcess, Past: "Killed", Instant: true, What: "end the process without a word (SIGKILL)"},
	{Kind: FaultStop, Target: TargetProcess, Past: "Sent SIGTERM to", Instant: true, What: "ask the process to end (SIGTERM)"},
	{Kind: FaultHoldKeepalives, Target: TargetClient, Past: "Holding keepalives", Of: true, State: "held", What: "hold back its requests to renew", Heal: "let the latest of each lease go"},
	{Kind: FaultHold, Target: TargetClient, Past: "Holding", Takes: []string{"method", "direction", "count", "member"}, What: "hold back its messages of one method, one way", Heal: "let them go, in order"},
	{Kind: FaultDelay, Target: TargetClient, Past: "Delaying", Takes: []string{"method", "direction", "count", "member", "delay"}, Wants: []string{"delay"}, What: "delay its messages of one method, one way", Heal: "no longer delay"},
	{Kind: FaultDropReply, Target: TargetClient, Past: "Dropping replies", Takes: []string{"method", "count", "member"}, Words: "drop replies", What: "let the member act and never tell the client", Heal: "no longer drop; calls that hang break"},
	{Kind: FaultFreeze, Target: TargetClient, Past: "Froze", Takes: []string{"member"}, What: "let nothing pass, with its connections open", Heal: "let all of it go, in order"},
	{Kind: FaultCut, Target: TargetClient, Past: "Cut off", Takes: []string{"member"}, What: "break its connections and refuse new ones", Heal: "accept again"},
	{Kind: FaultSlow, Target: TargetClient, Past: "Slowed", Takes: []string{"delay", "rate", "member"}, Wants: []string{"delay", "rate"}, What: "make its link slow and thin", Heal: "make it fast again"},
	{Kind: FaultStopMember, Target: TargetMember, Past: "Stopped member", State: "stopped", What: "stop the member", Heal: "start it again"},
	{Kind: FaultPauseMember, Target: TargetMember, Past: "Paused member", Needs: NeedsProcesses, State: "paused", What: "stop the member's process in its tracks (SIGSTOP)", Heal: "let it run on (SIGCONT)"},
	{Kind: FaultIsolate, Target: TargetMember, Past: "Isolated", Needs: NeedsSeveral, State: "isolated", What: "cut the member off from the others, not from its clients", Heal: "join it again"},
	{Kind: FaultSlowMember, Target: TargetMember, Past: "Slowed member", Takes: []string{"delay"}, Wants: []string{"delay"}, Needs: NeedsSeveral, State: "slow", What: "delay what the others send to the member", Heal: "no longer delay"},
	{Kind: FaultMoveLeader, Target: TargetCluster, Past: "Moved the leader", Instant: true, Needs: NeedsSeveral, What: "make another member the leader"},
	{Kind: FaultLoseQuorum, Target: TargetCluster, Past: "Stopped a majority of the members", What: "stop a majority of the members", Heal: "start them again"},
	{Kind: FaultDeadlock, Target: TargetCluster, Past: "Started a deadlock", What: "start two programs that take two locks in opposite order", Heal: "end both programs"},
	{Kind: FaultCompact, Target: TargetCluster, Past: "Compacted the history", Instant: true, What: "compact the history up to now"},
	{Kind: FaultFill, Target: TargetCluster, Past: "Filled the database", What: "fill the database until the NOSPACE alarm", Heal: "remove the filling, compact, defragment, disarm"},
	{Kind: FaultPut, Target: TargetKey, Past: "Put key", Takes: []string{"value"}, What: "put a key without a lease", Heal: "delete it, if it is still that one"},
	{Kind: FaultDetach, Target: TargetClaim, Past: "Took the lease off the claim of", What: "put its claim again without the lease", Heal: "delete the claim, if it is still that one"},
	{Kind: FaultRevoke, Target: TargetClaim, Past: "Revoked the lease of", Instant: true, What: "revoke its lease"},
	{Kind: FaultDelete, Target: TargetClaim, Past: "Deleted the claim of", Instant: true, What: "delete its claim"},
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

// Describe says in words what the fault is, escaped for a terminal: "hold replies
// of KV/Txn of c1 for 5s".
func (f Fault) Describe() string {
	info, _ := f.Kind.Info()
	return f.words(info, cmp.Or(info.Words, Printable(strings.ReplaceAll(string(f.Kind), "-", " "))))
}

// Past says that it was done: "Killed c1".
func (f Fault) Past() string {
	info, _ := f.Kind.Info()
	return f.words(info, cmp.Or(info.Past, "Did: "+Printable(strings.ReplaceAll(string(f.Kind), "-", " "))))
}

// words are what follows the name of the fault.
func (f Fault) words(info FaultInfo, name string) string {
	var b strings.Builder
	b.WriteString(name)
	if info.takes("direction") {
		b.WriteString(" " + Printable(string(f.way())))
	}
	if info.takes("method") {
		b.WriteString(" of " + f.method())
	}
	if f.Target != "" {
		if info.Of || info.takes("method") {
			b.WriteString(" of")
		}
		b.WriteString(" " + Printable(f.Target))
	}
	if f.Member != "" {
		b.WriteString(" at " + Printable(f.Member))
	}
	if f.Delay > 0 {
		b.WriteString(" by " + f.Delay.String())
	}
	if f.Rate > 0 {
		fmt.Fprintf(&b, " to %d B/s", f.Rate)
	}
	if f.Count > 0 {
		fmt.Fprintf(&b, ", %d of them", f.Count)
	}
	if f.For > 0 && !info.Instant {
		b.WriteString(" for " + f.For.String())
	}
	return b.String()
}

func (f Fault) way() Direction {
	if f.Direction == "" {
		return Requests
	}
	return f.Direction
}

func (f Fault) method() string {
	if f.Method == "" {
		return "every method"
	}
	return Printable(f.Method)
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

package model

// Breaking says what comes of breaking the claim that a finding is about: of a delete,
// or of a revoke of its lease.
type Breaking struct {
	Effect BreakEffect
	// Why is said before anybody breaks it. Where the finding is about no claim, it says
	// what to do instead.
	Why string
}

// BreakEffect is what breaking a claim does about a finding.
type BreakEffect string

// Effects of breaking.
const (
	BreakNone     BreakEffect = ""         // the finding is never about a claim
	BreakCures    BreakEffect = "cure"     // under the condition that Why names
	BreakHarmless BreakEffect = "harmless" // it takes nothing from anybody, and is not needed
	BreakWrong    BreakEffect = "wrong"    // it does not help, or it harms
)

// Words say what comes of breaking the claim, in one sentence.
func (b Breaking) Words() string {
	switch b.Effect {
	case BreakCures:
		return "breaking this claim is a cure: " + b.Why
	case BreakHarmless:
		return "breaking this claim harms nobody: " + b.Why
	case BreakWrong:
		return "breaking this claim is the wrong cure: " + b.Why
	}
	return "there is no claim to break: " + b.Why
}

// What several findings have in common.
const (
	holderDead   = "it frees the lock before the lease ends; make sure first that the holder is dead"
	writerGone   = "the key never expires, so only a delete frees the lock; make sure first that its writer is gone"
	nothingWrong = "nothing is wrong with this claim"
	ghostAtWork  = "no claim in the queue is to blame: restart the program that works without one"
	goneStopIt   = "the claim is gone already: make sure that its old owner has stopped; the one who holds now is innocent"
)

// breakings says it of every code.
var breakings = map[Code]Breaking{
	CodeNoQuorum:         {BreakNone, "nothing can be deleted or revoked without a leader: bring members back first"},
	CodeNoSpace:          {BreakNone, "no claim is to blame: a lock that is freed now cannot be taken by anybody new"},
	CodeMemberDivergence: {BreakNone, "no claim is to blame: what a delete would hit depends on the member that one asks"},
	CodeLeaseGhostList:   {BreakNone, "the leases that are listed have no keys: there is nothing to break"},
	CodePinnedBadMember:  {BreakNone, "no single claim is to blame: look at the member, and restart the clients that hang"},
	CodeMassRevocation:   {BreakNone, "the leases are gone already"},
	CodeOverloadReject:   {BreakWrong, "the holders are alive and their renewals come late: take load off the cluster first"},
	CodeTTLReset:         {BreakCures, holderDead},

	CodeOrphanKey:        {BreakCures, writerGone},
	CodeLeaseDetached:    {BreakCures, writerGone},
	CodeForeignKey:       {BreakWrong, "some program may need this key: find out whose it is, and move the data or rename the lock"},
	CodeNestedPrefix:     {BreakWrong, "this is a rightful claim of the lock below: wait until it is let go, and break it only if its holder is dead"},
	CodeDeadHolder:       {BreakCures, holderDead},
	CodeKeepaliveStalled: {BreakWrong, "the holder may come back, and would go on to work without the lock: look at it first"},
	CodeUnattendedLease:  {BreakWrong, "its owner may be at work though nobody renews: the key goes by itself when its lease ends"},
	CodeLeaseOverdue:     {BreakHarmless, "the lease has ended, so its holder has lost the lock already"},
	CodeExpiryBacklog:    {BreakHarmless, "the lease has ended, and the backlog shrinks by itself: a revoke only saves the wait"},
	CodeRevokeFailing:    {BreakCures, "the lease has ended and the server fails to remove it: revoke it as root"},
	CodeRevokeForgotten:  {BreakCures, "the lease has ended and the server does not try again: only a revoke frees the lock"},
	CodeProxyKeepalive:   {BreakCures, holderDead},
	CodeTTLRollover:      {BreakWrong, nothingWrong + ": one reading was false"},
	CodeTTLFloor:         {BreakWrong, nothingWrong + ": its TTL is longer than its client asked for"},

	CodeLockCycle:        {BreakCures, "one break opens the whole circle: choose the side whose work is easier to repeat, and stop it first"},
	CodeSharedLease:      {BreakWrong, nothingWrong + ", and a revoke breaks every lock of its session"},
	CodeLongHeld:         {BreakCures, "it frees the lock, but a holder that works would lose it: look at its process first"},
	CodeZombieHolder:     {BreakCures, "its program says that it does not hold, so no work is lost"},
	CodeUnlockLost:       {BreakCures, "its client has let go already, so no work is lost"},
	CodeForeignKeepalive: {BreakWrong, "somebody renews this lease, maybe on purpose: find out who needs it first"},
	CodeGhostWaiter:      {BreakCures, "its client was never told of this claim, so no work is lost"},
	CodeMissedDelete:     {BreakCures, "its client does not know that it holds, so no work is lost; restart the client all the same"},
	CodeSameSession:      {BreakWrong, "it stops none of the workers that believe, and lets one more in: stop them first"},

	CodeDeadWaiter:           {BreakCures, "it takes a dead waiter out of the queue before its turn comes"},
	CodeZombieCandidate:      {BreakNone, "the claim that is missed is gone already: restart its client"},
	CodeDeadSessionLoop:      {BreakNone, "there is no claim: restart the client"},
	CodeLockOverrunsDeadline: {BreakHarmless, "the call has failed on its client's side: the claim goes with its lease, or now"},
	CodeCompactedWait:        {BreakNone, "the claim is gone already: let its client queue anew"},
	CodeLongQueue:            {BreakNone, "no single claim is to blame for a long queue: see first whether its head works"},

	CodeKeepaliveCancelled: {BreakWrong, "the worker may go on without the lock: stop it first"},
	CodeKeepaliveHalted:    {BreakWrong, "the holder may be at work: restart it first, and the claim goes by itself"},
	CodeKeepaliveUnread:    {BreakWrong, nothingWrong + ": only its program does not read the answers"},
	CodeKeepaliveDenied:    {BreakWrong, "its client is alive: give its role the permission first"},
	CodeHalfOpenTCP:        {BreakWrong, "its client may be at work: restart it first"},
	CodeRenewRace:          {BreakNone, goneStopIt},
	CodeStaleUnlock:        {BreakNone, goneStopIt},
	CodeExternalRevoke:     {BreakNone, goneStopIt},
	CodeExternalDelete:     {BreakNone, goneStopIt},

	CodeStaleHolder:       {BreakWrong, "stop the old holder first, as it goes on whatever etcd says: to break the new holder's claim lets one more in"},
	CodeLateDone:          {BreakNone, "it is over: the old holder knows of its loss"},
	CodeExpiredWaiterWins: {BreakNone, ghostAtWork},
	CodeGhostLeader:       {BreakNone, ghostAtWork},
	CodeRWExpiredWriter:   {BreakNone, ghostAtWork},
}

package diagnose

import "locktop/model"

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
var breakings = map[model.Code]Breaking{
	model.CodeNoQuorum:         {BreakNone, "nothing can be deleted or revoked without a leader: bring members back first"},
	model.CodeNoSpace:          {BreakNone, "no claim is to blame: a lock that is freed now cannot be taken by anybody new"},
	model.CodeMemberDivergence: {BreakNone, "no claim is to blame: what a delete would hit depends on the member that one asks"},
	model.CodeLeaseGhostList:   {BreakNone, "the leases that are listed have no keys: there is nothing to break"},
	model.CodePinnedBadMember:  {BreakNone, "no single claim is to blame: look at the member, and restart the clients that hang"},
	model.CodeMassRevocation:   {BreakNone, "the leases are gone already"},
	model.CodeOverloadReject:   {BreakWrong, "the holders are alive and their renewals come late: take load off the cluster first"},
	model.CodeTTLReset:         {BreakCures, holderDead},

	model.CodeOrphanKey:        {BreakCures, writerGone},
	model.CodeLeaseDetached:    {BreakCures, writerGone},
	model.CodeForeignKey:       {BreakWrong, "some program may need this key: find out whose it is, and move the data or rename the lock"},
	model.CodeNestedPrefix:     {BreakWrong, "this is a rightful claim of the lock below: wait until it is let go, and break it only if its holder is dead"},
	model.CodeDeadHolder:       {BreakCures, holderDead},
	model.CodeKeepaliveStalled: {BreakWrong, "the holder may come back, and would go on to work without the lock: look at it first"},
	model.CodeUnattendedLease:  {BreakWrong, "its owner may be at work though nobody renews: the key goes by itself when its lease ends"},
	model.CodeLeaseOverdue:     {BreakHarmless, "the lease has ended, so its holder has lost the lock already"},
	model.CodeExpiryBacklog:    {BreakHarmless, "the lease has ended, and the backlog shrinks by itself: a revoke only saves the wait"},
	model.CodeRevokeFailing:    {BreakCures, "the lease has ended and the server fails to remove it: revoke it as root"},
	model.CodeRevokeForgotten:  {BreakCures, "the lease has ended and the server does not try again: only a revoke frees the lock"},
	model.CodeProxyKeepalive:   {BreakCures, holderDead},
	model.CodeTTLRollover:      {BreakWrong, nothingWrong + ": one reading was false"},
	model.CodeTTLFloor:         {BreakWrong, nothingWrong + ": its TTL is longer than its client asked for"},

	model.CodeLockCycle:        {BreakCures, "one break opens the whole circle: choose the side whose work is easier to repeat, and stop it first"},
	model.CodeSharedLease:      {BreakWrong, nothingWrong + ", and a revoke breaks every lock of its session"},
	model.CodeLongHeld:         {BreakCures, "it frees the lock, but a holder that works would lose it: look at its process first"},
	model.CodeZombieHolder:     {BreakCures, "its program says that it does not hold, so no work is lost"},
	model.CodeUnlockLost:       {BreakCures, "its client has let go already, so no work is lost"},
	model.CodeForeignKeepalive: {BreakWrong, "somebody renews this lease, maybe on purpose: find out who needs it first"},
	model.CodeGhostWaiter:      {BreakCures, "its client was never told of this claim, so no work is lost"},
	model.CodeMissedDelete:     {BreakCures, "its client does not know that it holds, so no work is lost; restart the client all the same"},
	model.CodeSameSession:      {BreakWrong, "it stops none of the workers that believe, and lets one more in: stop them first"},

	model.CodeDeadWaiter:           {BreakCures, "it takes a dead waiter out of the queue before its turn comes"},
	model.CodeZombieCandidate:      {BreakNone, "the claim that is missed is gone already: restart its client"},
	model.CodeDeadSessionLoop:      {BreakNone, "there is no claim: restart the client"},
	model.CodeLockOverrunsDeadline: {BreakHarmless, "the call has failed on its client's side: the claim goes with its lease, or now"},
	model.CodeCompactedWait:        {BreakNone, "the claim is gone already: let its client queue anew"},
	model.CodeLongQueue:            {BreakNone, "no single claim is to blame for a long queue: see first whether its head works"},

	model.CodeKeepaliveCancelled: {BreakWrong, "the worker may go on without the lock: stop it first"},
	model.CodeKeepaliveHalted:    {BreakWrong, "the holder may be at work: restart it first, and the claim goes by itself"},
	model.CodeKeepaliveUnread:    {BreakWrong, nothingWrong + ": only its program does not read the answers"},
	model.CodeKeepaliveDenied:    {BreakWrong, "its client is alive: give its role the permission first"},
	model.CodeHalfOpenTCP:        {BreakWrong, "its client may be at work: restart it first"},
	model.CodeRenewRace:          {BreakNone, goneStopIt},
	model.CodeStaleUnlock:        {BreakNone, goneStopIt},
	model.CodeExternalRevoke:     {BreakNone, goneStopIt},
	model.CodeExternalDelete:     {BreakNone, goneStopIt},

	model.CodeStaleHolder:       {BreakWrong, "stop the old holder first, as it goes on whatever etcd says: to break the new holder's claim lets one more in"},
	model.CodeLateDone:          {BreakNone, "it is over: the old holder knows of its loss"},
	model.CodeExpiredWaiterWins: {BreakNone, ghostAtWork},
	model.CodeGhostLeader:       {BreakNone, ghostAtWork},
	model.CodeRWExpiredWriter:   {BreakNone, ghostAtWork},
}

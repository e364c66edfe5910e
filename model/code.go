package model

// Code names a kind of finding, as the screen, the JSON output and the command
// line write it.
type Code string

// Codes of the cluster.
const (
	CodeNoQuorum         Code = "no-quorum"
	CodeNoSpace          Code = "nospace"
	CodeCorrupt          Code = "corrupt"
	CodeLowSpace         Code = "low-space"
	CodeSlowCluster      Code = "slow-cluster"
	CodeLeaderChanges    Code = "leader-changes"
	CodeMemberDivergence Code = "member-divergence"
	CodeLeaseGhostList   Code = "lease-ghost-list"
	CodePinnedBadMember  Code = "pinned-bad-member"
	CodeMassRevocation   Code = "mass-revocation"
	CodeOverloadReject   Code = "overload-reject"
	CodeTTLReset         Code = "ttl-reset"
)

// Codes of a head that does not leave.
const (
	CodeOrphanKey        Code = "orphan-key"
	CodeLeaseDetached    Code = "lease-detached"
	CodeForeignKey       Code = "foreign-key"
	CodeNestedPrefix     Code = "nested-prefix"
	CodeDeadHolder       Code = "dead-holder"
	CodeKeepaliveStalled Code = "keepalive-stalled"
	CodeUnattendedLease  Code = "unattended-lease"
	CodeLeaseOverdue     Code = "lease-overdue"
	CodeExpiryBacklog    Code = "expiry-backlog"
	CodeRevokeFailing    Code = "revoke-failing"
	CodeRevokeForgotten  Code = "revoke-forgotten"
	CodeProxyKeepalive   Code = "proxy-keepalive"
	CodeTTLRollover      Code = "ttl-rollover"
	CodeTTLFloor         Code = "ttl-floor"
	CodePredecessorClaim Code = "predecessor-claim"
	CodeKubeLeaseOverdue Code = "kube-lease-overdue"
)

// Codes of a head that is renewed and does not leave.
const (
	CodeLockCycle        Code = "lock-cycle"
	CodeSharedLease      Code = "shared-lease"
	CodeLeaseLeak        Code = "lease-leak"
	CodeLongHeld         Code = "long-held"
	CodeZombieHolder     Code = "zombie-holder"
	CodeUnlockLost       Code = "unlock-lost"
	CodeForeignKeepalive Code = "foreign-keepalive"
	CodeGhostWaiter      Code = "ghost-waiter"
	CodeMissedDelete     Code = "missed-delete"
	CodeSameSession      Code = "same-session"
	CodeLeaderOffLeader  Code = "leader-off-leader"
)

// Codes of waiters.
const (
	CodeDeadWaiter           Code = "dead-waiter"
	CodeZombieCandidate      Code = "zombie-candidate"
	CodeDeadSessionLoop      Code = "dead-session-loop"
	CodeLockOverrunsDeadline Code = "lock-overruns-deadline"
	CodeCompactedWait        Code = "compacted-wait"
	CodeLongQueue            Code = "long-queue"
	CodeStarvingWaiter       Code = "starving-waiter"
	CodeNobodyHolds          Code = "nobody-holds"
	CodeGrowingQueue         Code = "growing-queue"
)

// Codes of locks that are lost while their owner works.
const (
	CodeKeepaliveCancelled Code = "keepalive-cancelled"
	CodeKeepaliveHalted    Code = "keepalive-halted"
	CodeKeepaliveUnread    Code = "keepalive-unread"
	CodeKeepaliveDenied    Code = "keepalive-denied"
	CodeHalfOpenTCP        Code = "half-open-tcp"
	CodeRenewRace          Code = "renew-race"
	CodeStaleUnlock        Code = "stale-unlock"
	CodeExternalRevoke     Code = "external-revoke"
	CodeExternalDelete     Code = "external-delete"
)

// Codes of two who believe.
const (
	CodeStaleHolder       Code = "stale-holder"
	CodeLateDone          Code = "late-done"
	CodeExpiredWaiterWins Code = "expired-waiter-wins"
	CodeGhostLeader       Code = "ghost-leader"
	CodeRWExpiredWriter   Code = "rw-expired-writer"
)

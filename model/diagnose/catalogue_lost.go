package diagnose

import "locktop/model"

// lostEntries are about locks that are lost while their owner works.
var lostEntries = []Entry{
	{
		Code:  model.CodeKeepaliveCancelled,
		Title: "Renewals stop because they were tied to a context that ended",
		Mechanism: "The program started the keepalive with the context of the acquire call. When that one ends, by its timeout or by " +
			"a return, renewals stop without a word while the work goes on.",
		Looks: "The lease is renewed for a while, then no more. The age at which it stops is round and the same for every " +
			"instance, and the process is healthy.",
		Do: "Treat the lock as lost at the end of the TTL: stop that worker before. Then give the keepalive a context that " +
			"lives as long as the lock.",
		Threads:    []string{"vitess#11794", "vitess#11811", "vitess#20340", "cilium#12619"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeKeepaliveHalted,
		Title: "An old client stopped renewing after one server error",
		Mechanism: "Some older client versions left their keepalive loop at the first error from a server. The program runs on and " +
			"does not notice that nobody renews.",
		Looks: "At a leader change or a restart of a member some leases recover and this one falls to 0, though its process is " +
			"alive.",
		Do: "Restart that client, then upgrade its library. In its code: watch the keepalive channel, and treat its close as " +
			"the loss of the lock.",
		Threads:    []string{"etcd-io/etcd#6922", "etcd-io/etcd#8618", "etcd-io/etcd#7472", "etcd-io/jetcd#1049", "trillian#2654"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeKeepaliveUnread,
		Title: "The program does not read its keepalive replies",
		Mechanism: "The Go client puts replies into a channel of 16. If nobody reads it, the client only complains in its log; up to " +
			"3.3.8 it also sent a request every 500 ms.",
		Looks: "With old clients renewals come far more often than every third of the TTL. With newer ones there is nothing to " +
			"see outside the client's log.",
		Do:         "Read the channel in a loop until it closes, and upgrade the client. Nothing has to be done to the lock.",
		Threads:    []string{"etcd-io/etcd#9911", "etcd-io/etcd#9952"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy, NeedsVersion},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeKeepaliveDenied,
		Title: "The server refuses renewals for lack of permission",
		Mechanism: "A role was changed, or a token became too old, and renewals are no longer allowed. Until March 2026 servers did " +
			"not check the permission of a renewal; since the fix of CVE-2026-33413 they want write permission on the keys of " +
			"the lease. An upgrade can bring this out.",
		Looks: "Leases are lost right after a change of users or roles, after an upgrade, or at the age of a token. The proxy " +
			"sees PermissionDenied or Unauthenticated on the keepalive.",
		Do: "Give the role write permission on the lock's keys, or renew the token, and restart the client. Do not turn " +
			"authentication off.",
		Threads:    []string{"patroni#2332", "etcd-io/etcd#13300", "etcd-io/etcd#8287"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeHalfOpenTCP,
		Title: "The client talks into a connection whose other end is gone",
		Mechanism: "A machine vanished without closing its connections. The operating system notices only after minutes or hours, " +
			"and renewals are sent to nobody meanwhile.",
		Looks: "Some leases fall while their clients are up and see no error. From etcd it looks like any other stall.",
		Do: "Restart the client, or wait until it dials anew. Set DialKeepAliveTime and DialKeepAliveTimeout to less than a " +
			"third of the TTL together.",
		Threads:    []string{"cortex#2278", "etcd-cpp-apiv3#105"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeRenewRace,
		Title: "A renewal was answered OK while the lease was being revoked",
		Mechanism: "The reply to a renewal can cross the revoke. The client reads a positive TTL for a lease that has ended, and " +
			"goes on until the next reply. Replies that the client had buffered before a revoke have the same effect. Fixed " +
			"in 3.5.23 and 3.6.5.",
		Looks: "etcd shows a normal end of the lease. The proxy sees a reply with a TTL above 0 whose revision is not newer than " +
			"the deletion.",
		Do: "Upgrade. In the client: read the keepalive channel to its close, and do not take one good reply as proof that " +
			"the lock is held.",
		Threads:    []string{"etcd-io/etcd#14758", "etcd-io/etcd#21389", "etcd-io/etcd#20590", "etcd-io/etcd#21638"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeStaleUnlock,
		Title: "A late unlock removed a newer lock of the same session",
		Mechanism: "Unlock deletes its key by name, without looking at the revision. When an unlock is retried after its reply was " +
			"lost, and the session has taken the lock again in between, the new claim goes. Open in etcd.",
		Looks: "It looks like a normal unlock: the key goes and its lease lives. The owner works on. The proxy sees two deletes " +
			"of one key.",
		Do: "Stop the owner's work: it no longer holds. In the client: a new session for each acquisition, or a delete " +
			"guarded by the create revision.",
		Threads:    []string{"etcd-io/etcd#22082", "etcd-io/etcd#22115"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeExternalRevoke,
		Title: "The lease was revoked from outside while its owner worked",
		Mechanism: "An operator or a cleaning job revoked the lease: all its keys go at once. From outside an owner that closes its " +
			"session does the same.",
		Looks: "All keys of the lease go at one revision, though clearly more than 1 s was left. Who did it is certain only from " +
			"locktop's own journal or from the proxy.",
		Do: "Ask who did it before you accuse anyone, and check that the old owner has stopped. Keep a record of every break; " +
			"locktop writes its own.",
		Threads:    []string{"cilium#9982"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeExternalDelete,
		Title: "The claim was deleted from outside while its owner worked",
		Mechanism: "An operator or a cleaning job deleted the key; the lease lives on and the owner is not told. The next in line " +
			"gets the lock while the old holder may still work.",
		Looks: "One key goes and its lease is still renewed: an unlock looks exactly the same. It is certain only from locktop's " +
			"own journal or from the proxy.",
		Do: "Ask the old owner whether it let go, and stop it if not. To break a lock whose owner must notice, revoke the " +
			"lease.",
		Threads:    []string{"cilium#9982"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
	},
}

package diagnose

import "locktop/model"

// headEntries are about a head that does not leave the queue: first by the form of its key, then by its lease.
var headEntries = []Entry{
	{
		Code:  model.CodeOrphanKey,
		Title: "The head of the queue has no lease and never expires",
		Mechanism: "Someone wrote a key under the lock's name without a lease: a home-made lock, a forgotten option, a restored " +
			"backup. etcd removes only keys that hang on a lease, so this one stays until it is deleted.",
		Looks: "The head shows lease 0 while those behind it have leases, and the queue does not move.",
		Do: "Make sure that its writer is gone. Then delete that claim guarded by its create revision, not by its bare name: " +
			"the name may belong to a new claim by then.",
		Threads:    []string{"hashicorp/vault#2526"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeLeaseDetached,
		Title: "A later write took the lease off the claim",
		Mechanism: "A key keeps only the lease of its last put. A client that writes into its own claim without passing the lease " +
			"(or IgnoreLease) turns it into a key that never expires. When that client ends, the lock stays taken.",
		Looks: "The key's name still ends in a lease ID, but its lease is 0 and its version is above 1. The lease in the name " +
			"may be gone already.",
		Do: "Check that the writer is gone, then delete that claim guarded by its create revision. Fix the client, or it " +
			"happens again with the next holder.",
		Threads:    []string{"pingcap/tidb#43850", "pingcap/tidb#43894", "etcd-io/etcd#14758"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeForeignKey,
		Title: "A key that is no claim stands first and blocks the lock",
		Mechanism: "The Go client's rule counts every key under the lock's name, whatever it is. Data that was stored there before " +
			"the first claim is the oldest, so all claims wait for it, for ever.",
		Looks: "The head's last segment is not its lease ID. Often it has a value and no lease. All real claims wait behind it.",
		Do: "Find out whose data it is and move it elsewhere, or rename the lock. Do not simply delete it: some program needs " +
			"it.",
		Threads:    []string{"website#710", "etcd-io/etcd#6278", "etcd-io/etcd#6284", "vitess#15118"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeNestedPrefix,
		Title: "The lock waits for another lock whose name lies below its own",
		Mechanism: "The claims of lock a/b also lie under a/, so whoever wants a waits for each older claim of a/b. The other way " +
			"round there is no waiting: a/b does not look at a.",
		Looks: "The head's key has more path segments than the other claims have, and it is a claim of the deeper lock at the " +
			"same time.",
		Do: "Wait until the deeper lock is let go, or break that one if its holder is dead. Then rename, so that no lock's " +
			"name is a path above another's.",
		Threads:    []string{"website#710"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeDeadHolder,
		Title: "The holder no longer renews; the lock is free when its lease ends",
		Mechanism: "The holder died or lost its connection without letting go, so its key stays until the TTL is over. A long " +
			"default TTL makes this look like a stuck lock. That its process is dead remains a guess: cut off from etcd it " +
			"looks the same.",
		Looks: "The remaining TTL only falls: at least two renewals were missed. The lock becomes free about half a second after " +
			"it reaches 0.",
		Do: "Wait for the end shown, or revoke the lease now if the holder is certainly dead. If it may still run, stop it " +
			"first: it may believe that it holds. Later: a shorter TTL, and a revoke when the program exits.",
		Threads:    []string{"cilium#8195", "ovsdb-etcd#357", "pingcap/tidb#4624", "pingcap/tidb#3454"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeKeepaliveStalled,
		Title: "The holder has missed a renewal",
		Mechanism: "Renewals stopped a moment ago: a garbage collection, no CPU, a suspended process or machine, a network fault. It " +
			"may recover. If it does not, the lock passes to the next while the old holder may still work.",
		Looks: "The remaining TTL is clearly below two thirds of the granted one, or behind the rhythm this lease had before, " +
			"and does not rise.",
		Do: "Use the time that is left: look at the holder's host and network, and warn its owner. Expect a takeover when the " +
			"TTL ends. Do not revoke a holder that may come back.",
		Threads:    []string{"etcd-io/etcd#11886", "etcd-io/etcd#13156", "etcd-io/etcd#9899", "pingcap/tiflow#4248"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeUnattendedLease,
		Title: "The lock service granted a lease that nobody renews",
		Mechanism: "A Lock or Campaign request without a lease makes the server grant one of 60 s, and no one keeps it alive. The " +
			"claim goes after 60 s, whether its owner still works or still waits.",
		Looks: "Granted is 60 s, and the remaining TTL has only fallen since the key appeared. It takes 20 to 25 s of watching " +
			"to tell. A client that asked for 60 s itself and died before its first renewal looks the same.",
		Do: "Fix the caller: grant a lease, keep it alive, pass it. Until then no piece of work under this lock may take " +
			"longer than 60 s, waiting included.",
		Threads:    []string{"shubhamranjan/dotnet-etcd#321", "etcd-cpp-apiv3#30"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeLeaseOverdue,
		Title: "The lease has ended, but etcd has not removed it",
		Mechanism: "The lease is past its end, but the revoke that the leader should send has not been applied. The key stays and " +
			"blocks meanwhile. The causes have codes of their own: expiry-backlog, revoke-failing, revoke-forgotten.",
		Looks: "The remaining TTL is 0 or negative while the key is still there, and a renewal hangs.",
		Do: "See whether it is one lease or many, and whether the number shrinks. Look at the leader's log and load. If it " +
			"lasts more than 10 s, revoke the lease by hand.",
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeExpiryBacklog,
		Title: "Too many leases end at once; etcd is working them off",
		Mechanism: "A leader revokes at most 1000 leases a second. When very many end together, typically one TTL after a leader " +
			"change, the last ones wait their turn. 6000 leases were 5.5 s late, 900,000 were reported 600 s late.",
		Looks: "Many leases are overdue at the same time, and their number falls by up to 1000 a second.",
		Do: "Wait, it shrinks by itself. A revoke by hand frees the one lock that cannot wait. Later: fewer leases, or TTLs " +
			"that differ a little. 3.7 lets revokes go first under overload.",
		Threads:    []string{"etcd-io/etcd#8097", "etcd-io/etcd#9360", "etcd-io/etcd#12105", "etcd-io/etcd#11886", "etcd-io/etcd#20492"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeRevokeFailing,
		Title: "The leader's own revokes are refused",
		Mechanism: "With authentication on, the leader can hold a stale token after a membership change or a restored snapshot. Its " +
			"revokes are then refused, so leases that have ended pile up. Fixed in 3.5.5.",
		Looks: "Leases are overdue by minutes to days and become more. The leader logs: failed to revoke, with invalid auth " +
			"token. Without that log the cause remains a guess; what is seen is that they do not shrink.",
		Do:         "Revoke the blocking lease by hand as root. Then move the leader or restart it, and upgrade.",
		Threads:    []string{"etcd-io/etcd#13975", "etcd-io/etcd#11123", "etcd-io/etcd#13205", "etcd-cloud-operator#63"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeRevokeForgotten,
		Title: "An old server forgot to try its revoke again",
		Mechanism: "Up to 3.3 a leader tried the revoke of an ended lease once. If that failed, it never tried again, and the key " +
			"stayed. Fixed in 3.4.0.",
		Looks:      "A single lease is overdue by minutes, hours or days on a server older than 3.4, while others expire in time.",
		Do:         "Revoke that lease by hand. Then upgrade.",
		Threads:    []string{"etcd-io/etcd#9935", "etcd-io/etcd#10686", "etcd-io/etcd#10693", "neco#417"},
		Needs:      []Needs{NeedsVersion},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeProxyKeepalive,
		Title: "An etcd grpc-proxy may have renewed a dead client's lease",
		Mechanism: "etcd grpc-proxy renews leases upstream on its own. While the client's stream is open it drops a lease only after " +
			"a whole TTL without a request. A dead client then keeps its lock up to one TTL longer.",
		Looks: "A lease outlives its client by up to one extra TTL, then falls and ends like any other. Without knowing the path " +
			"of the client this is a guess.",
		Do: "Nothing is broken: count two TTLs for a takeover behind a grpc-proxy. Revoke if that is too long and the holder " +
			"is certainly dead.",
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeTTLRollover,
		Title: "A reading of the TTL made no sense and was discarded",
		Mechanism: "A leader that was deposed a moment ago could answer a TTL question with some 9.2 billion seconds. Newer servers " +
			"return an error in its place, it seems from 3.5.14 on.",
		Looks:      "One reading has far more left than was granted. The next one is normal.",
		Do:         "Nothing: the lease is read again. The leader did change a moment ago, so look for ttl-reset.",
		Threads:    []string{"etcd-io/etcd#12381", "etcd-io/etcd#17704"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeTTLFloor,
		Title: "The server granted a longer TTL than was asked for",
		Mechanism: "The shortest TTL is one and a half election timeouts, rounded up to seconds. With default timing 1 s becomes 2 " +
			"s, with an election timeout of 10 s it becomes 15 s.",
		Looks: "The granted TTL is above what the client asked for. etcd shows only what was granted; what was asked is known to " +
			"the client and the proxy.",
		Do: "Count with the granted TTL. If takeovers must be faster, look at the election timeout; shorten it only if the " +
			"network allows.",
		Needs:      []Needs{NeedsClient, NeedsProxy},
		Confidence: model.Certain,
	},
}

package diagnose

import "locktop/model"

// clusterEntries are about the members: they are looked at before any lock.
var clusterEntries = []Entry{
	{
		Code:  model.CodeNoQuorum,
		Title: "The cluster has no leader: nothing is taken, let go or expired",
		Mechanism: "Without a majority nothing can be written, so no lock is taken, no unlock arrives and no lease ends. Clients " +
			"count down on their own and give their sessions up, while their keys stay in etcd. The next leader starts every " +
			"lease at its full TTL.",
		Looks: "The members that answer know no leader. TTLs cannot be read, every queue stands still. When the leader is back, " +
			"each remaining TTL equals the granted one.",
		Do: "Bring back members until more than half are there. Then expect one more full TTL before the locks of dead " +
			"holders move. Do not delete keys or restart clients meanwhile: neither can work without a leader.",
		Threads:    []string{"etcd-io/etcd#2660", "etcd-io/etcd#9395", "cilium#9855"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeNoSpace,
		Title: "The database is full: locks can be let go, but not taken",
		Mechanism: "When the size quota is reached, etcd raises the NOSPACE alarm and refuses puts and new leases. Keepalive, unlock " +
			"and revoke still work. So holders stay and queues only shrink.",
		Looks: "A member reports the alarm. The queues look healthy and get shorter, no new claim appears, and clients report: " +
			"database space exceeded.",
		Do: "Compact, defragment each member, then disarm the alarm (etcdctl alarm disarm). Find out what filled the " +
			"database, or it comes back. Restarting clients does not help: they cannot grant a new lease.",
		Threads:    []string{"etcd-io/etcd#11309", "etcd-io/etcd#11947", "etcd-io/etcd#17318"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeMemberDivergence,
		Title: "Members disagree about what is stored",
		Mechanism: "Bugs of some releases let members drift apart: an upgrade from 3.2 to 3.3 with authentication on, and a bug of " +
			"3.5.0 to 3.5.2. Who holds a lock then depends on which member is asked.",
		Looks: "A serializable read of one lock differs between members at the same revision, or their HashKV differs. Clients " +
			"on different members see different holders.",
		Do: "Compare etcdctl endpoint hashkv --cluster at one revision, then remove the odd member and add it again with an " +
			"empty data directory. Upgrade. Trust no lock until the members agree.",
		Threads:    []string{"etcd-io/etcd#12651", "etcd-io/etcd#11689", "etcd-io/etcd#13766", "coreos/bugs#852"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeLeaseGhostList,
		Title: "A member lists leases that no longer exist",
		Mechanism: "The lease list is answered by each member from its own memory. A member can keep leases there that the leader " +
			"has long dropped.",
		Looks: "etcdctl lease list shows an ID on one member. Its time to live is answered with -1, and a revoke with: requested " +
			"lease not found.",
		Do:         "Restart or replace that member. The ghosts block no lock: the keys are gone.",
		Threads:    []string{"etcd-io/etcd#14019"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodePinnedBadMember,
		Title: "Clients stick to a member that is cut off or frozen",
		Mechanism: "A paused or partitioned member may still accept TCP, so its clients see no reason to change. Their renewals go " +
			"nowhere and their leases run out together.",
		Looks: "Several leases stall at the same time and were granted through the same member, while leases of other members " +
			"are renewed. That member lags behind, knows no leader, or does not answer; if it looks well, or nobody asks it, " +
			"fewer than six could be clients that died by chance. A lease ID tells which member granted " +
			"it, not where its client is connected now: the proxy knows that, so one such lease is enough for it to be certain.",
		Do: "Look at that member: paused, out of CPU, stuck on disk, cut off? Restart the clients that hang. Set " +
			"DialKeepAliveTime, DialKeepAliveTimeout and WithRequireLeader in them.",
		Threads: []string{"patroni#3335", "etcd-io/etcd#8660", "etcd-io/etcd#10816", "etcd-io/etcd#14641", "etcd-io/etcd#8382",
			"pingcap/tiflow#7470"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeMassRevocation,
		Title: "Many healthy leases were revoked just after a leader change",
		Mechanism: "A leader that was stuck in a disk sync or without CPU wakes up, still believes that it leads, and revokes every " +
			"lease that it thinks has run out. The leases had been renewed with the new leader meanwhile. Fixed in 3.5.13.",
		Looks: "A burst of leases ends within seconds after a leader change, though their last readings were healthy. On a " +
			"server older than 3.5.13 this pattern is as good as certain.",
		Do: "Upgrade. Until then find out why the old leader hung: slow disk, starved CPU, a suspended machine. The lost " +
			"locks are lost: make sure that their old holders have stopped.",
		Threads:    []string{"etcd-io/etcd#15247", "etcd-io/etcd#12528", "etcd-io/etcd#17425"},
		Needs:      []Needs{NeedsEtcd, NeedsVersion},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeOverloadReject,
		Title: "etcd is overloaded and renewals come late",
		Mechanism: "When entries are applied too slowly, etcd refuses requests (too many requests), and a renewal waits until the " +
			"member has caught up. Leases of healthy clients can run out that way. From 3.7 on renewals no longer have to " +
			"wait (FastLeaseKeepAlive).",
		Looks: "Many leases renew late at once. The server's metrics show pending proposals and slow applies, its log complains " +
			"of slow requests.",
		Do: "Cut the load first: large range reads, and watches that start at very old revisions. Then look at the disks. " +
			"Longer TTLs give time, 3.7 gives relief.",
		Threads:    []string{"etcd-io/etcd#16287", "etcd-io/etcd#13156"},
		Needs:      []Needs{NeedsMetrics},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeTTLReset,
		Title: "A new leader gave every lease its full TTL again",
		Mechanism: "A leader that takes over does not know how old the leases are, so it starts all of them at their full TTL. A " +
			"dead holder gets a fresh term. If leaders change more often than the TTL is long, nothing ever expires.",
		Looks: "The remaining TTL of a lease that nobody renews jumps back to the granted value at the moment the raft term " +
			"changes.",
		Do: "Wait out the new term, or break the lock if the holder is certainly dead. Then find out why the leader changes. " +
			"Lease checkpoints rarely help: off by default, only for more than 5 minutes of remaining TTL, and kept over a " +
			"restart only from 3.5.2 (by a flag) and 3.6.",
		Threads: []string{"etcd-io/etcd#9395", "etcd-io/etcd#13294", "etcd-io/etcd#20273", "etcd-io/etcd#2660", "etcd-io/etcd#9888",
			"etcd-io/etcd#17132", "gardener/etcd-druid#733"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
}

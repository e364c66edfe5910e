package diagnose

import "locktop/model"

// waiterEntries are about those who stand in the queue, or should.
var waiterEntries = []Entry{
	{
		Code:  model.CodeDeadWaiter,
		Title: "A waiter no longer renews; the lock will idle at its turn",
		Mechanism: "A client died in the queue, or it timed out without taking its claim back. Its key keeps the place until its TTL " +
			"ends. If its turn comes before that, the lock belongs to nobody who works.",
		Looks: "A claim behind the head whose remaining TTL only falls. It can idle the lock for that long at most.",
		Do: "Revoke its lease now if it hangs on nothing else: a dead client is not harmed. Or leave it, if it ends before " +
			"its turn.",
		Threads:    []string{"etcd-io/jetcd#291"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeZombieCandidate,
		Title: "A contender lost its place in the queue and does not know it",
		Mechanism: "While a client waits, its session may end and its key go. Lock and Campaign do not notice before the key ahead " +
			"is deleted, and the client does not queue again. A standby that everybody counts on is not there. Open in etcd.",
		Looks: "One claim fewer than there are replicas. etcd does not know how many there should be, so the expected number has " +
			"to be declared, or the contender itself says that it waits by a key that went.",
		Do: "Restart the client that is missing from the queue, before the holder has to be replaced. In the client: wait for " +
			"Lock or Campaign and for session.Done() at the same time.",
		Threads: []string{"etcd-io/etcd#19597", "etcd-io/etcd#22387", "cagriekin/charts#326", "mailgun/holster#36", "pingcap/tiflow#5753",
			"pingcap/tiflow#5745", "python-etcd#181"},
		Needs:      []Needs{NeedsDeclaration, NeedsClient},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeDeadSessionLoop,
		Title: "A client retries for ever with a lease that has ended",
		Mechanism: "The client's lease is gone, but it keeps using the same session. Every attempt fails, and it never grants a new " +
			"lease. One case lasted 16 hours.",
		Looks: "The client's key is absent from the queue. The proxy and the client's log show over and over: requested lease " +
			"not found.",
		Do: "Restart that client. In its code: make a new session when session.Done() is closed, before the next try.",
		Threads: []string{"cilium#42596", "cilium#42709", "titan#220", "Scalingo/link#78", "pingcap/tidb#3869",
			"milvus#26846"},
		Needs:      []Needs{NeedsDeclaration, NeedsProxy},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeLockOverrunsDeadline,
		Title: "A Lock call outlasts its deadline",
		Mechanism: "When Lock fails, the Go client cleans up its key with the client's own context, which has no deadline. On a " +
			"frozen connection a Lock with a deadline of 2 s was still blocked after 12 s.",
		Looks: "A waiter's key stays, and its renewals have stopped. A dead waiter looks the same.",
		Do: "Restart the client if it hangs; its key goes with its TTL. In the client: set DialKeepAliveTime and " +
			"DialKeepAliveTimeout, and run Lock in a goroutine with a timeout of its own.",
		Threads:    []string{"vitess#20149", "vitess#15756"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeCompactedWait,
		Title: "A waiter failed because its revision was compacted away",
		Mechanism: "A waiter that lost its watch resumes it at an old revision. If a compaction has passed that one, Lock fails: " +
			"required revision has been compacted. Clients before 3.3.10 also left their key behind.",
		Looks: "A waiter leaves at once although its lease lives on, and a compaction came shortly before.",
		Do: "Let the client try again; it queues at the end. Keep more history (auto-compaction retention) if this comes " +
			"often.",
		Threads:    []string{"etcd-io/etcd#9715", "etcd-io/etcd#9386"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeLongQueue,
		Title: "The queue is so long that the last one waits very long",
		Mechanism: "The queue is served in order, so the wait is the usual hold time multiplied by the place. Locks of one key have " +
			"no queue: each release wakes every waiter, and all but one of their transactions fail.",
		Looks: "Hundreds of claims behind one holder. For a lock of one key: a burst of failed transactions after each deletion; " +
			"the waiters themselves cannot be seen.",
		Do: "Check first that the head works and its holds are as long as usual. Then split the lock, or let contenders give " +
			"up early (TryLock, a deadline). Revoking waiters moves nothing.",
		Threads:    []string{"consul#7523", "etcd-cpp-apiv3#269"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
}

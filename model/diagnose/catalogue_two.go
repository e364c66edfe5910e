package diagnose

import "locktop/model"

// twoEntries are about two who believe that they hold the lock, which etcd itself never shows.
var twoEntries = []Entry{
	{
		Code:  model.CodeStaleHolder,
		Title: "An old holder still acts after etcd gave the lock to the next",
		Mechanism: "The holder was paused or cut off for longer than its TTL. Its lease ended, the next one got the lock, and the " +
			"old one wakes up and goes on with its work. A lease alone cannot prevent that.",
		Looks: "etcd shows one holder at any time. What can be seen is the handover by a lost lease, not by an unlock, while the " +
			"old holder's process or connection is alive, or its own word that it holds. Only the guarded resource can prove " +
			"that both acted.",
		Do: "Stop the old holder first, then check what it wrote since the handover. Pass the claim's create revision to the " +
			"resource and let it refuse older ones, on reads as well as on writes.",
		Threads: []string{"etcd-io/etcd#10811", "etcd-io/etcd#11457", "ftl#2044", "pingcap/tiflow#1540", "pingcap/tiflow#1533",
			"posthog#74478"},
		Needs:      []Needs{NeedsClient, NeedsProxy},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeLateDone,
		Title: "The holder learns of its loss later than the next learns of its win",
		Mechanism: "The client counts the TTL from the last reply it read and looks once a second. If only its renewals are cut, it " +
			"closes session.Done() after etcd has already passed the lock on. Overlaps of 0.8 s (TTL 2 s) and 0.3 s (TTL 5 s) " +
			"were measured.",
		Looks: "A handover by expiry, and writes of the old holder for up to about 1 s after it. etcd shows only the handover; " +
			"the proxy's times or the client's word show the overlap.",
		Do: "Expect it of every lock by lease, even with correct clients. Let the holder stop after two thirds of the TTL " +
			"without a renewal, and let the resource refuse old revisions.",
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeExpiredWaiterWins,
		Title: "A waiter whose lease has died is told that it got the lock",
		Mechanism: "Before 3.5 Lock does not check its own key at the end of the wait, neither in the Go client nor in the lock " +
			"service of the server. A waiter whose lease died in the queue is told that it got the lock. The fix did not go " +
			"back to 3.4.",
		Looks: "The server's version proves the risk, not that it happened. A case is proven when a contender says that it holds " +
			"by a key that had gone before.",
		Do: "Upgrade the server and the client library. Until then read the key after Lock, in the same transaction as the " +
			"first write. Stop a client that works without a key.",
		Threads:    []string{"etcd-io/etcd#11456", "etcd-io/etcd#9921", "etcd-io/etcd#11408"},
		Needs:      []Needs{NeedsVersion, NeedsClient},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeGhostLeader,
		Title: "A candidate believes that it leads, but has no key",
		Mechanism: "Campaign does not check its own key, up to and including 3.7.3. If a candidate's lease ends while it waits, and " +
			"the leader ahead then goes, Campaign returns success with no key and no lease behind it. Seen in production.",
		Looks: "The election is empty, or led by someone else, while a process acts as leader. etcd alone shows only the " +
			"emptiness, often right after a waiter's lease ended. It is certain when a contender says that it leads by a key that had gone before.",
		Do: "Find the process that acts as leader and restart it. In the client: wait for Campaign and session.Done() at the " +
			"same time, and check after it in a transaction that the own key exists.",
		Threads:    []string{"cagriekin/charts#326", "cagriekin/charts#327", "mailgun/holster#38", "etcd-io/etcd#22387"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeRWExpiredWriter,
		Title: "A reader or writer holds an RWMutex without its key",
		Mechanism: "The RWMutex of etcd's experimental recipes does not check after the wait that its own key still exists. One " +
			"whose lease ended in the queue goes on as if it held.",
		Looks: "The same as ghost-leader: the lock is free or someone else's in etcd while a process works under it. From outside " +
			"that can only be guessed.",
		Do:         "Restart the process that works without a key. Do not use this recipe where two writers would do harm.",
		Threads:    []string{"etcd-io/etcd#16221"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
	},
}

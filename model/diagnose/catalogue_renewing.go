package diagnose

import "locktop/model"

// renewingEntries are about a head that is renewed and still does not leave: etcd cannot tell hung from busy.
var renewingEntries = []Entry{
	{
		Code:  model.CodeLockCycle,
		Title: "Sessions wait for each other in a circle",
		Mechanism: "One session holds lock 1 and waits for lock 2, another holds 2 and waits for 1. Both renew, so it never ends by " +
			"itself. Circles of more than two are the same.",
		Looks: "The same leases stand first in one queue and wait in another, and the arrows close. A circle between programs " +
			"that use a session for each lock cannot be seen in etcd, only guessed from values or from the proxy.",
		Do: "Break one side, the one whose work is easier to repeat. Then make every program take these locks in the same " +
			"order.",
		Threads:    []string{"redlock#305"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeSharedLease,
		Title: "Several locks hang on one lease",
		Mechanism: "A program put several locks, or locks and other keys, on one session. When that lease ends all of them go at " +
			"once, and any living part of the program keeps all of them taken. This is a risk, not a fault.",
		Looks: "Reading the lease with its keys lists more than one lock. Locks of one holder come and go at the same revision.",
		Do: "Before a revoke read the list of keys that will go. To free only one lock delete its claim, guarded by its " +
			"create revision; its owner is not told. Use a session per lock where one loss must not drop the rest.",
		Threads:    []string{"cilium#8195", "cilium#28834"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeLongHeld,
		Title: "The lock is held far longer than usual by a holder that renews",
		Mechanism: "The lease proves that something renews it, not that work is done. Behind the same picture stand a slow holder, " +
			"zombie-holder, unlock-lost, ghost-waiter, missed-delete and foreign-keepalive.",
		Looks: "The holder renews on schedule and holds several times longer than the longest hold known of this lock. It needs " +
			"a history: without one nothing is said.",
		Do: "Look at the holder's process: does it work, and does it know that it holds? If it only works slowly, leave it. " +
			"If it does not, break the lock. Do not revoke by the age alone.",
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
	},
	{
		Code:  model.CodeZombieHolder,
		Title: "The holder hangs, but its session goes on renewing",
		Mechanism: "In the client library a goroutine of its own keeps the lease alive. The work under the lock may hang, be " +
			"finished or have died, and renewals still go out. The lease shows that the process lives, no more.",
		Looks: "Exactly like a busy holder: it renews on schedule, and holds far longer than usual. An election value that no " +
			"longer changes, or no guarded writes, make it likelier.",
		Do: "Look at the process first (stack dump, log, CPU). If it hangs, stop it or revoke its lease, which frees all its " +
			"keys. If it turns out to be busy, a revoke would make two of them work.",
		Threads:    []string{"etcd-io/etcd#17470", "etcd-io/etcd#6127", "rabbitmq#17404", "projecteru2/core#399", "vitess#4189"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
	},
	{
		Code:  model.CodeUnlockLost,
		Title: "The holder let go, but its unlock never arrived",
		Mechanism: "The unlock failed by timeout or in a partition, the program went on, and its session recovered and renews the " +
			"key. The program believes that it holds nothing.",
		Looks: "A head that renews while its owner is idle. It is more than a hint only when the hold goes back to just before a " +
			"spell without leader, and many locks of that lease are concerned.",
		Do: "Ask the owner whether it holds. If not, delete that claim guarded by its create revision, or revoke the lease if " +
			"nothing else hangs on it. In the client: close the session when an unlock fails.",
		Threads:    []string{"cilium#9855", "cilium#9046", "cilium#9982"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeForeignKeepalive,
		Title: "Somebody else renews the holder's lease",
		Mechanism: "A lease can be renewed by anyone who knows its ID: another goroutine, a program that shares the lease, an " +
			"etcdctl lock left running in a container whose exec session was cut. The holder itself may be gone.",
		Looks: "A renewing head, like a busy one. Renewals that come more often than every third of the TTL are a sign. The " +
			"proxy sees which connection renews, and is certain.",
		Do: "Find the other renewer first. Revoke once it is clear that nobody needs the lease; the renewer then fails, which " +
			"may be the first that anyone hears of it.",
		Threads:    []string{"etcd-io/etcd#10117", "etcd-io/etcd#9218"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeGhostWaiter,
		Title: "A claim that its client has given up, but still renews",
		Mechanism: "A Lock fails because the reply to its transaction is lost or late, yet the claim was written. The client " +
			"believes that it has no lock, its unlock is refused, and its session renews the claim. When its turn comes, it " +
			"holds for as long as the process lives. The fix in etcd covers only the phase of waiting.",
		Looks: "First an ordinary waiter, then a holder that never lets go. From etcd alone it cannot be told from those. The " +
			"proxy sees the lost reply, and that no watch waits for the key ahead.",
		Do: "Ask its owner; if it does not want the lock, revoke that lease. In the client: after any error of Lock close the " +
			"session, do not only retry.",
		Threads:    []string{"etcd-io/etcd#9715", "etcd-io/etcd#10153", "etcd-io/etcd#10111", "etcd-io/jetcd#291"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeMissedDelete,
		Title: "The head does not know that its turn has come",
		Mechanism: "A waiter watches the key ahead of it. If that deletion never reaches it (a cut-off member, a dead connection, a " +
			"watch bug of the server), it waits on although it is first, and renews all the while. Watch bugs were fixed in " +
			"3.5.13, 3.4.34 and 3.5.18, among others.",
		Looks: "The key ahead was deleted long ago, the head renews, nothing else moves. The same picture as a busy holder; with " +
			"the proxy it is seen that no watch event was passed on.",
		Do: "Restart that client; its claim goes and the next in line moves up. Use WithRequireLeader and DialKeepAliveTime " +
			"in clients, and upgrade the server.",
		Threads: []string{"etcd-io/etcd#7247", "etcd-io/etcd#8980", "etcd-io/etcd#12534", "etcd-io/etcd#14641", "etcd-io/etcd#17611",
			"k8s#89488", "cilium#23590", "etcd-io/etcd#17612", "etcd-io/etcd#17529", "etcd-io/etcd#18089",
			"etcd-io/etcd#18475", "etcd-io/etcd#19179", "etcd-io/etcd#19249"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
	},
	{
		Code:  model.CodeSameSession,
		Title: "Several owners inside one process share one claim",
		Mechanism: "A session has one key per lock name. A second Lock on the same session succeeds at once, and the first Unlock " +
			"frees the lock for all of them.",
		Looks: "One key, nothing more: etcd cannot show how many believe they hold it. A counter that goes wrong under an intact " +
			"lock is the usual sign.",
		Do: "Give each actor its own session, or put a mutex of the programming language around the lock. Nothing has to be " +
			"broken in etcd.",
		Threads:    []string{"etcd-io/etcd#7444", "etcd-io/etcd#10756", "cilium#6667"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
	},
}

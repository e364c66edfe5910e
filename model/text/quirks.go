package text

import (
	"strings"

	"locktop/model"
)

// quirks are what surprises in a recipe, by its name.
var quirks = map[model.MessageID]Sentence{
	"quirks-mutex": {"The keys say nothing of who holds: their values are empty. Any key under the name counts, also one that is not a claim, and a lock a waits for the holders of a/b. Two locks by one session share one key. etcd-cpp-apiv3 renews only 1 s before the end.",
		"键里看不出谁持有：值是空的。名字下的每个键都算，不是排队键的也算；锁 a 要等 a/b 的持有者。一个会话的两次上锁共用一个键。etcd-cpp-apiv3 到结束前 1 s 才续租。"},
	"quirks-election": {"Proclaim rewrites the leader's own key: version and mod revision rise, the order stays. Campaign does not check its own key at the end, so a candidate whose lease died can believe that it leads (ghost-leader).",
		"Proclaim 会改写 Leader 自己的键：版本和修改修订版本上升，顺序不变。Campaign 结束时不检查自己的键，所以租约已死的候选者可能认为自己是 Leader（ghost-leader）。"},
	"quirks-tagged-mutex": {"The holder writes its value by a second put, so a new holder is nameless for a moment and its key is at version 2 after. If its claim is deleted, that put can create it again at the end of the queue.",
		"持有者用第二次 put 写值，所以新的持有者有一会儿没有名字，之后它的键是第 2 版。如果排队键被删除，这次 put 可能在队尾重新创建它。"},
	"quirks-mutex-or-election": {"A Mutex has no value, a candidate of an election has one. Without the values both look the same: the order and the holder are certain, but not whether the holder works or leads, nor by what name.",
		"Mutex 没有值，选举的候选者有。没有值时两者看起来一样：顺序和持有者可以确定，但它是在工作还是在当 Leader、叫什么名字，不能确定。"},
	"quirks-mixed": {"Claims with and without a value under one name: go-micro keeps the lock and the election of one id in one queue, for example. The order is certain, what the claims want is not.",
		"一个名字下既有带值的也有不带值的排队键：例如 go-micro 把同一个 id 的锁和选举放在一个队列里。顺序可以确定，排队键要什么不能确定。"},
	"quirks-npm-election": {"The keys end in the lease id in decimal. Resigning revokes the lease. Before 1.1.2 a waiter watched only one key ahead, so two leaders were possible.",
		"键以十进制的租约号结尾。退出会撤销租约。1.1.2 以前等待者只监听前面的一个键，所以可能有两个 Leader。"},
	"quirks-vitess-lock": {"The keys end in the lease id in decimal, the value says who locked and why. Unlocking revokes the lease. The keepalive is tied to the caller's context: when that ends, the lock runs out 30 s later. Named locks have a TTL of 24 h.",
		"键以十进制的租约号结尾，值里写着谁上的锁和为什么。释放会撤销租约。续租绑在调用方的 context 上：它结束后 30 s 锁就到期。命名锁的 TTL 是 24 h。"},
	"quirks-vitess-election": {"The keys end in the lease id in decimal, the value is the id of a process. Giving up revokes the lease.",
		"键以十进制的租约号结尾，值是进程的 id。放弃会撤销租约。"},
	"quirks-rwmutex": {"The keys end in the nanoseconds of the client's clock at its request, which is not a lease id. It does not check its own key after the wait (rw-expired-writer).",
		"键以客户端请求时的纳秒时钟结尾，不是租约号。等待之后它不检查自己的键（rw-expired-writer）。"},
	"quirks-key-queue": {"Recognised by several leased keys side by side that come and go in order, so another use may look the same. The lease is the business TTL, kept alive while waiting too.",
		"凭几个并排、有租约、按顺序来去的键认出，所以别的用途可能看起来一样。租约就是业务的 TTL，等待时也续租。"},
	"quirks-semaphore": {"How many may hold, no key says: --recipe PREFIX=semaphore:N does. Keys without a lease count only if a lease is in their name. A deadlock through a semaphore is not looked for: who waits gets on when any of the holders releases.",
		"键里看不出最多几个持有：用 --recipe PREFIX=semaphore:N 说明。没有租约的键只有名字里有租约号时才算。不查找经过信号量的死锁：任何一个持有者释放，等待者就能前进。"},
	"quirks-scalingo-read": {"All readers hold together. Writers queue elsewhere, below the name that the path has in base64, and wait for every reader; what they announce below writer-intents is not a claim.",
		"所有读者一起持有。写者在别处排队，在路径的 base64 名字下面，要等每个读者；它们在 writer-intents 下面声明的不是排队键。"},
	"quirks-suffix-election": {"A candidate's key is the name of the election and the candidate's own name, with or without a separator. The oldest key leads.",
		"候选者的键是选举的名字加候选者自己的名字，有或没有分隔符。最老的键当 Leader。"},
	"quirks-double-barrier": {"Contenders meet here, nobody excludes anybody. The key ready has no lease; left behind, it blocks the next round.",
		"竞争者在这里会合，谁也不排斥谁。键 ready 没有租约；留下来就会挡住下一轮。"},
	"quirks-single": {"Pinned by you: any one key can be taken for a lock. Who waits and how it is renewed is up to the program.",
		"由你指定：任何一个键都可以当作锁。谁在等、怎样续租由程序决定。"},
	"quirks-order-only": {"Keys in decimal form may be an election or a service registry; etcd cannot tell. If it is a lock, say so with --recipe, and it is judged.",
		"十进制形式的键可能是选举，也可能是服务注册；etcd 分不出来。如果是锁，就用 --recipe 说明，然后才会判断它。"},
	"quirks-python-etcd3": {"The value is a UUID that often holds the time and the host's hardware address. Each attempt grants a lease and does not revoke it, so leases without keys pile up.",
		"值是 UUID，往往含有时间和主机的硬件地址。每次尝试都授予一个租约而不撤销，所以没有键的租约越积越多。"},
	"quirks-etcd3gw": {"The value is a UUID as text. An attempt that fails does not wait.",
		"值是文本形式的 UUID。失败的尝试不等待。"},
	"quirks-tooz": {"The lock's name follows /tooz/locks without a separator. Each attempt grants a lease and does not revoke it. Its program renews when it calls heartbeat().",
		"锁的名字紧跟在 /tooz/locks 后面，没有分隔符。每次尝试都授予一个租约而不撤销。程序调用 heartbeat() 时才续租。"},
	"quirks-shedlock": {"A job that has finished can still hold: with lockAtLeastFor the key is put again with a shorter lease. The value names time and host.",
		"已做完的任务还可能持有：用 lockAtLeastFor 时，键会带着更短的租约重写。值里写着时间和主机。"},
	"quirks-layotto": {"A TryLock that fails leaves its lease behind, without a key.",
		"失败的 TryLock 留下它的租约，没有键。"},
	"quirks-etcd3-py": {"Its transaction can overwrite a foreign holder's value: the create revision stays, value and lease are new, and two believe. It deletes locks that have no lease.",
		"它的事务可能覆盖别的持有者的值：创建修订版本不变，值和租约是新的，于是两个都自认持有。它会删除没有租约的锁。"},
	"quirks-calico": {"The key is rewritten every 30 s on purpose, to wake those who follow it. The value is host and pid; a stale key is removed by its own host.",
		"键每 30 s 有意重写一次，以唤醒跟随它的程序。值是主机和 pid；过时的键由它自己的主机移除。"},
	"quirks-patroni": {"The lease is renewed on each turn of its loop, 10 s by default. The lease also holds the member's key, which names it. Version 3.0 puts the leader key without a check after a change of lease.",
		"每轮循环续租一次，默认 10 s。租约上还有成员的键，里面有成员的名字。3.0 版换租约后不检查就写入 Leader 键。"},
	"quirks-pd": {"The TTL is only 5 s, 3 s in older versions, so readings have to be frequent. The value is binary with readable names.",
		"TTL 只有 5 s，旧版 3 s，所以读数要频繁。值是二进制，里面的名字可读。"},
	"quirks-dolphinscheduler": {"Whoever finds its own address in the key takes itself for the coordinator, also a program that was restarted and whose last run wrote it: it loses the key when the lease of that run ends (apache/dolphinscheduler#18644). The lock beside it is held only while the key is written.",
		"谁在键里看到自己的地址，就当自己是协调者；重启的程序看到上次运行写的也一样：上次运行的租约结束时键就没了（apache/dolphinscheduler#18644）。旁边的锁只在写键时持有。"},
	"quirks-pulsar": {"One lease per broker holds all its ephemeral keys: leadership, bundles, registration. A revoke drops all of them at once.",
		"每个 broker 用一个租约挂着所有临时键：领导权、bundle、注册。撤销会让它们一起消失。"},
	"quirks-cron-lock": {"The TTL is 5 s as a rule, and an attempt that fails gives up at once. The pattern was copied into many programs, so details differ.",
		"TTL 通常是 5 s，失败的尝试立刻放弃。这个模式被抄进许多程序，所以细节不同。"},
	"quirks-kubernetes-lease": {"There is no lease of etcd: the value says who holds, since when and for how long, by the holder's clock. It is read only, nothing is ever written there. Heartbeats of nodes (kube-node-lease) are not locks.",
		"没有 etcd 的租约：值里写着谁持有、从何时起、持续多久，以持有者的时钟为准。这里只读，从不写入。节点的心跳（kube-node-lease）不是锁。"},
	"quirks-single-key": {"Recognised by its path, or by other leases that create it again. Leases renewed by hand fall without being dead, so little is judged.",
		"凭路径认出，或凭别的租约再次创建它。手动续租的租约会下降而并没有死，所以很少下判断。"},
}

// Quirks are what surprises in the recipe of that name.
func Quirks(recipe string) model.Message {
	name, _, _ := strings.Cut(recipe, ":") // a semaphore has its permits there
	return model.Message{ID: model.MessageID("quirks-" + name)}
}

package guide

// text is what the guide says of a step. A word in braces is a fact of the lab, a word in
// backticks a key. A small screen shows Ask, Wait or Seen alone, in one line.
type text struct {
	title  string
	why    string // above what is asked and waited for
	ask    string // what to do, and by which key
	wait   string // after that, until it is seen
	result string // what happened
	more   string // what it means, under it
}

var texts = [...]text{
	{
		title:  "a handover",
		why:    "{count} programs queue for {lock}. The oldest key holds the lock. Each waiter watches the key before its own.",
		ask:    "{next} is next. Watch it take over when {holder} lets go, or press `T`: {holder} ends.",
		result: "{to} got {lock} from {from}. The oldest key wins: first come, first served.",
		more:   "Each waiter watches the key before its own, so nobody overtakes. `enter` opens the queue, `esc` leaves it.",
	},
	{
		title:  "pause the holder",
		why:    "A program keeps its claim by renewing a lease. A paused program renews nothing, as in a long garbage collection.",
		ask:    "`P` pauses {holder}. Then its lease runs out.",
		wait:   "{paused} is paused. etcd waits until the lease of {paused} ends{left}.",
		result: "Two programs act: etcd gave {holder} the lock, and {paused} believes it holds.",
		more:   "etcd is right: it names one holder. {paused} does not know. A lease ends by etcd's clock alone.",
	},
	{
		title:  "let it wake",
		why:    "{paused} is in the middle of its work. When it wakes up, it goes on with it.",
		ask:    "`P` lets {paused} run on.",
		result: "{paused} noticed that its lease was gone. It was wrong for {wrong}.",
		more:   "No lock can stop a program that sleeps. Only the resource can: it rejects old revisions (fencing).",
	},
	{
		title:  "a deadlock",
		why:    "Two programs need the same two locks, and take them in opposite order.",
		ask:    "`F`, then deadlock, starts two such programs.",
		wait:   "Two programs start. Each takes its first lock, then asks for the other one.",
		result: "Deadlock: {one} and {other} wait for each other. Both renew, so no lease ends.",
		more:   "Select {stuck}: `x` breaks it. `A` ends both programs. The cure: take locks in the same order everywhere.",
	},
	{
		title:  "move the leader",
		why:    "The leader of etcd counts the time of all leases. A new leader starts each of them anew.",
		ask:    "`F`, then move-leader, moves it from {leader} to another member.",
		result: "{leader} leads now. No lock moved, and every lease has its full time again.",
		more:   "So a dead program can keep its lock for longer than its TTL.",
	},
}

// end is what the guide says after the last step.
var end = text{
	title:  "that is all",
	result: "You saw order, lease, handover, false belief, and what no lock can promise.",
	more:   "`F` breaks the selected item, `A` heals everything, `N` adds a contender. `?` shows all keys.",
}

// loading stands in the place of what is asked for until the queue has been read.
const loading = "The keys of {lock} are being read."

// alone is asked for in the place of a step that needs a queue.
const alone = "Nobody waits for {lock}. `N` adds a contender to the selected lock."

// Words of the hints at the right.
const (
	playsIt  = "do it for me"
	offersIt = "plays it"
	goesOn   = "next"
	closesIt = "close"
	hidesIt  = "hide"
	showsIt  = "show"
)

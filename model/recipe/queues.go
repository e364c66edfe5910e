package recipe

// Keys of etcd's experimental recipes, named by the client's clock, and of queues that
// are made by hand.
var (
	reader = &Form{Shape: Queue, Under: "read", Fits: byNanos}
	writer = &Form{Shape: Queue, Under: "write", Fits: byNanos}
	waiter = &Form{Shape: Queue, Under: "waiters", Fits: byNanos}
	member = &Form{Shape: Queue, Fits: func(k *Key) bool { return k.Lease != 0 && isUUID(k.Last()) && speaksOfLocks(k.Dir()) }}
)

var queues = []*Recipe{
	// A reader does not wait for readers, nor for what is no claim (experimental/recipes/rwmutex.go).
	{Name: "rwmutex", Who: "the RWMutex of etcd's experimental recipes", Shape: Queue, Order: ByMod, HasHolder: true, Confidence: Strong,
		Readers: reader, Writers: writer,
		Signs: []Sign{{Of: []*Form{reader, writer}, Why: []string{"every claim is named by a clock, below read or write"}}},
		Plays: []string{"rw-read", "rw-write"},
		Ghost: "rw-expired-writer",
		Quirks: "The keys end in the nanoseconds of the client's clock at its request, which is no lease id. " +
			"It does not check its own key after the wait (rw-expired-writer)."},
	{Name: "key-queue", Who: "queues made by hand: any name, the oldest key holds", Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Hint,
		AnyName: true,
		Signs:   []Sign{{Of: []*Form{member}, Why: []string{"every claim has a lease and is named by a UUID", "the path speaks of locks"}}},
		Plays:   []string{"uuid-queue"},
		Quirks: "Recognised by several leased keys side by side that come and go in order, so another use may look the same. " +
			"The lease is the business TTL, kept alive while waiting too."},
	{Name: "double-barrier", Who: "the DoubleBarrier of etcd's experimental recipes: a rendezvous, no lock", Shape: Queue, Order: ByCreate, Confidence: Strong,
		Signs:  []Sign{{Of: []*Form{waiter}, Why: []string{"every claim is named by a clock, below waiters"}}},
		Quirks: "Contenders meet here, nobody excludes anybody. The key ready has no lease; left behind, it blocks the next round."},
}

package recipe

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// Keys of etcd's experimental recipes, named by the client's clock, and of queues that
// are made by hand.
var (
	reader = &Form{Shape: Queue, Segment: "read", Fits: byClock}
	writer = &Form{Shape: Queue, Segment: "write", Fits: byClock}
	waiter = &Form{Shape: Queue, Segment: "waiters", Fits: byClock}
	member = &Form{Shape: Queue, Fits: func(k *Key) bool {
		return k.Lease != 0 && isUUID(k.Last()) && speaksOfLocks(k.Dir()) && !speaksOfServices(k.Dir()) && !registers(k)
	}}
	scalingo = &Form{Shape: Queue, ByLease: true, Fits: func(k *Key) bool { return k.Value == "" && byHex(k) && ofScalingo(k.Dir()) }}
	suffixed = &Form{Shape: Queue, Named: beforeValue}
)

// byClock says whether a key is as etcd's experimental recipes make them: named by a
// clock, with a lease and without a value. What has a value, or no lease, is an item of
// a queue.
func byClock(k *Key) bool { return k.Lease != 0 && k.Value == "" && byNanos(k) }

// ofScalingo says whether claims below that path are readers: it names the lock that they
// read in base64.
func ofScalingo(path string) bool {
	name, ok := strings.CutPrefix(path, scalingoTree+"readers/")
	raw, err := base64.RawURLEncoding.DecodeString(name)
	return ok && err == nil && len(raw) > 0
}

const scalingoTree = "/go-etcd-lock-rw/"

const pathOfScalingo = "the path is that of Scalingo's readers, and names the lock in base64"

// beforeValue returns what stands in a key's name before its value, where that speaks of an
// election: IBM's etcd-java names a candidate so, with or without a separator.
func beforeValue(k *Key) string {
	id, _, _ := strings.Cut(k.Value, "\n")
	name, ok := strings.CutSuffix(k.Name, id)
	if !ok || k.Lease == 0 || id == "" || strings.Contains(id, "/") || len(name) <= k.slash || registers(k) {
		return ""
	}
	name = strings.TrimSuffix(name, "/")
	last := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	if name == "" || !strings.Contains(last, "election") && !strings.Contains(last, "leader") {
		return ""
	}
	return name
}

// semaphore is a counting one. How many permits it has, no key says, and a list of members looks the
// same: it has to be named, see [Named].
var semaphore = &Recipe{Name: "semaphore", Users: "counting semaphores: the N oldest keys hold, the rest wait",
	Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Certain, AnyName: true}

// Nameless says whether only a name that says more than the recipe's own can be set by hand: a semaphore
// has a number of permits.
func (r *Recipe) Nameless() bool { return r == semaphore }

// withPermits returns the semaphore that a name like semaphore:2 says, nil for none.
func withPermits(name string) *Recipe {
	number, ok := strings.CutPrefix(name, semaphore.Name+":")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != number {
		return nil
	}
	r := *semaphore
	r.Name, r.Permits = name, n
	return &r
}

var queues = []*Recipe{
	// A reader does not wait for readers, nor for what is not a claim (experimental/recipes/rwmutex.go).
	{Name: "rwmutex", Users: "the RWMutex of etcd's experimental recipes", Shape: Queue, Order: ByMod, HasHolder: true, Confidence: Strong,
		Readers: reader, Writers: writer,
		Signs: []Sign{
			{Forms: []*Form{reader, writer}, When: ValuesRead, Lock: func(l Look) bool { return l.Tally.Forms[reader.id] > 0 && l.Tally.Forms[writer.id] > 0 },
				Why: []string{"every claim is named by a clock, below read or write", "claims have a lease and no value"}},
			{Forms: []*Form{reader, writer}, When: ValuesRead, Confidence: Hint,
				Why: []string{"every claim is named by a clock, below read or write", "claims have a lease and no value", "either readers or writers are there, not both"}},
			{Forms: []*Form{reader, writer}, When: ValuesUnread, Confidence: Hint,
				Why: []string{"every claim is named by a clock, below read or write", "claims have a lease", notSeen}},
		},
		Plays: []string{"rw-read", "rw-write"},
		Ghost: "rw-expired-writer"},
	{Name: "key-queue", Users: "queues made by hand: any name, the oldest key holds", Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Hint,
		AnyName: true,
		Signs:   []Sign{{Forms: []*Form{member}, Why: []string{"every claim has a lease and is named by a UUID", "the path speaks of locks"}}},
		Plays:   []string{"uuid-queue", "uuid-queue-bare"}},
	semaphore,
	{Name: "scalingo-read", Users: "the readers of Scalingo's go-etcd-lock", Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Strong,
		Readers: scalingo, Writers: writer,
		Signs: []Sign{
			{Forms: []*Form{scalingo}, When: ValuesRead, Why: []string{namedInHex, "no claim has a value", pathOfScalingo}},
			{Forms: []*Form{scalingo}, When: ValuesUnread, Confidence: Hint, Why: []string{namedInHex, pathOfScalingo, notSeen}},
		}},
	{Name: "suffix-election", Users: "IBM's etcd-java", Shape: Queue, Order: ByCreate, HasHolder: true, Leads: true, Confidence: Hint,
		Signs: []Sign{{Forms: []*Form{suffixed}, Why: []string{"every key ends in its own value", "the name before that speaks of an election"}}}},
	{Name: "double-barrier", Users: "the DoubleBarrier of etcd's experimental recipes: a rendezvous, no lock", Shape: Queue, Order: ByCreate, Confidence: Strong,
		Signs: []Sign{
			{Forms: []*Form{waiter}, When: ValuesRead, Why: []string{"every claim is named by a clock, below waiters"}},
			{Forms: []*Form{waiter}, When: ValuesUnread, Confidence: Hint, Why: []string{"every claim is named by a clock, below waiters", notSeen}},
		}},
}

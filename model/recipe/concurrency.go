package recipe

import "strings"

// Keys named by their lease may as well be a list of members, or a semaphore. So how they look is a hint,
// unless their path speaks of locks, and what is seen of them makes it more (model/locks, evidence.go).
//
// Keys of the Go client's package concurrency, <lock>/<lease id in hex>: the lowest
// create revision of any key under <lock>/ holds, and each waits for the one just ahead
// (etcd client/v3 concurrency/mutex.go, election.go, key.go). A name that reads as the
// lease in decimal too counts as hex: the rule is the same.
var hexForm = &Form{Shape: Queue, ByLease: true, ServerLease: 60, Fits: func(k *Key) bool {
	return byHex(k) && !strings.HasPrefix(k.Name, scalingoTree) && !(speaksOfServices(k.Dir()) && registers(k))
}}

var concurrency = []*Recipe{Mutex, election, tagged, mutexOrElection, Mixed}

// Mutex is that of the Go client.
var Mutex = &Recipe{Name: "mutex", Users: "Go Mutex, the lock service, etcdctl lock",
	Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Certain,
	Signs: []Sign{
		{Forms: []*Form{hexForm}, When: ValuesRead, Confidence: Strong, Lock: func(l Look) bool { return l.valued() == 0 && purposeOf(l.Name) != unsaid },
			Why: []string{namedInHex, "no claim has a value", pathSpeaks}},
		{Forms: []*Form{hexForm}, When: ValuesRead, Confidence: Hint, Lock: func(l Look) bool { return l.valued() == 0 && SpeaksOfMembers(l.Name) },
			Why: []string{namedInHex, "no claim has a value", "the path speaks of members or permits"}},
		{Forms: []*Form{hexForm}, When: ValuesRead, Confidence: Hint, Lock: func(l Look) bool { return l.valued() == 0 },
			Why: []string{namedInHex, "no claim has a value"}},
	},
	Beside: ".lockinfo", // Terraform
	Plays:  []string{"mutex", "try-lock", "lock-rpc", "counted"},
	Ghost:  "expired-waiter-wins", // the Go client checks its key since 3.5, the lock service of a 3.4 server does not
}

var election = &Recipe{Name: "election", Users: "Go Election, the election service, etcdctl elect",
	Shape: Queue, Order: ByCreate, HasHolder: true, Leads: true, Confidence: Strong,
	Signs: []Sign{
		{Forms: []*Form{hexForm}, When: ValuesRead, Lock: func(l Look) bool {
			return l.valued() == l.ownCount() && !ofVault(l.Name) && purposeOf(l.Name) != unsaid
		}, Why: []string{namedInHex, "every claim has a value", pathSpeaks}},
		{Forms: []*Form{hexForm}, When: ValuesRead, Confidence: Hint, Lock: func(l Look) bool { return l.valued() == l.ownCount() && !ofVault(l.Name) },
			Why: []string{namedInHex, "every claim has a value"}},
	},
	Plays: []string{"election", "election-rpc"}}

// tagged is a mutex whose holder writes its name into its key by a second put.
var tagged = &Recipe{Name: "tagged-mutex", Users: "Vault",
	Shape: Queue, Order: ByCreate, HasHolder: true, Leads: true, Confidence: Strong,
	Signs: []Sign{
		{Forms: []*Form{hexForm}, When: ValuesRead, Lock: func(l Look) bool { return l.valued() == l.ownCount() && ofVault(l.Name) },
			Why: []string{namedInHex, "every claim has a value", "the path is Vault's"}},
		{Forms: []*Form{hexForm}, When: ValuesRead, Lock: func(l Look) bool {
			return l.valued() == 1 && l.ownCount() > 1 && l.First != nil && l.First.Value != "" && l.First.Version >= 2
		}, Why: []string{namedInHex, "only the first has a value, written by a second put"}},
	}}

// mutexOrElection is any of the others where the values were not seen: the order and the holder
// are as certain as ever, what the claims want is not.
var mutexOrElection = &Recipe{Name: "mutex-or-election", Users: "Go Mutex or Election, and what is built on them, where the values were not seen",
	Shape: Queue, Order: ByCreate, HasHolder: true, Leads: true, Confidence: Strong,
	Signs: []Sign{
		unseen(locking, "the path speaks of locks", Mutex),
		unseen(electing, "the path speaks of elections", election),
		unseen(tagging, "the path is Vault's", tagged),
		{Forms: []*Form{hexForm}, When: ValuesUnread, Confidence: Hint, Lock: func(l Look) bool { return SpeaksOfMembers(l.Name) },
			Why: []string{namedInHex, notSeen, "the path speaks of members or permits"}, Or: []*Recipe{Mutex, election}, IfRewritten: []*Recipe{election, tagged, Mixed}},
		{Forms: []*Form{hexForm}, When: ValuesUnread, Confidence: Hint, Why: []string{namedInHex, notSeen},
			Or: []*Recipe{Mutex, election}, IfRewritten: []*Recipe{election, tagged, Mixed}}, // a Mutex never writes its key again
	}}

// unseen is a sign of what the path speaks of.
func unseen(use purpose, why string, likely *Recipe) Sign {
	return Sign{Forms: []*Form{hexForm}, When: ValuesUnread, Lock: func(l Look) bool { return purposeOf(l.Name) == use },
		Why: []string{namedInHex, why, notSeen}, Or: []*Recipe{likely}}
}

// Mixed is what a queue is of which no other recipe is told. The order is as certain
// as ever.
var Mixed = &Recipe{Name: "mixed", Users: "a lock and an election under one name, or an election with empty proposals",
	Shape: Queue, Order: ByCreate, HasHolder: true, Confidence: Hint,
	Signs: []Sign{{Why: []string{"some claims have a value and some have none"}}}}

package model

import "strings"

// Confidence says how sure a statement is.
type Confidence string

// Confidences, in falling order.
const (
	Certain Confidence = "certain" // follows from what etcd says
	Strong  Confidence = "strong"  // state with timing or history
	Hint    Confidence = "hint"    // another cause would look the same
)

// Recipe is the rule by which the keys under one name compete.
type Recipe struct {
	Name string
	// Order names the revision that orders the queue, as in the JSON output.
	Order string
	// WaitersVisible is false where waiting leaves no key in etcd.
	WaitersVisible bool
	// Exclusive is true where at most one claim may hold.
	Exclusive  bool
	Confidence Confidence
}

// The recipes of etcd's own Go library, which the lock and election services of
// the server and etcdctl share: key <name>/<lease id in hex>, and the lowest
// create revision of any key under <name>/ holds
// (etcd client/v3 concurrency/mutex.go, election.go, key.go).
var (
	Mutex    = &Recipe{Name: "mutex", Order: "create_revision", WaitersVisible: true, Exclusive: true, Confidence: Certain}
	Election = &Recipe{Name: "election", Order: "create_revision", WaitersVisible: true, Exclusive: true, Confidence: Certain}
	// Mixed is a queue of the same form in which some claims carry a value and
	// some do not: a lock whose holder tags itself, or two recipes under one name.
	// The order is as certain as ever, the name is not.
	Mixed = &Recipe{Name: "mixed", Order: "create_revision", WaitersVisible: true, Exclusive: true, Confidence: Hint}
)

// recipeOf names the rule of a queue of lease-named claims, of which valued carry
// a value.
func recipeOf(own, valued int) *Recipe {
	switch valued {
	case 0:
		return Mutex
	case own:
		return Election
	}
	return Mixed
}

// split cuts a key into the directory and the last segment. ok is false for a
// key without a slash, which no queue can contain.
func split(key string) (dir, last string, ok bool) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}

// namedByLease says whether the last segment of a key is its own lease in hex
// without padding, compared as numbers.
func namedByLease(last string, lease LeaseID) bool {
	if lease == 0 || last == "" || len(last) > 16 || last[0] == '0' {
		return false
	}
	var n uint64
	for i := 0; i < len(last); i++ {
		switch c := last[i]; {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return false
		}
	}
	return n == uint64(lease)
}

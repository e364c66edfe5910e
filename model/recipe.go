package model

import (
	"strings"
	"unicode/utf8"
)

// Confidence says how sure a statement is.
type Confidence string

// Confidences, in falling order.
const (
	Certain Confidence = "certain" // follows from what etcd says
	Strong  Confidence = "strong"  // state with timing or history
	Hint    Confidence = "hint"    // another cause would look the same
)

// Order is what orders a queue, as the JSON output names it.
type Order string

// Orders.
const (
	ByCreate Order = "create_revision"
	ByMod    Order = "mod_revision"
	NoOrder  Order = "none" // a single key
)

// Rhythm is how clients of a recipe renew their leases.
type Rhythm int

// Rhythms.
const (
	RenewsAtThird Rhythm = iota // at a third of the TTL, as the Go client, npm etcd3 and jetcd do
	RenewsByHand                // when the program says so: a falling TTL proves nothing
	RenewsNever                 // by design: the TTL is the time to work
)

// Recipe is the rule by which the keys under one name compete.
type Recipe struct {
	// Name is how it is written on the screen, in JSON and in --recipe.
	Name string
	// Who uses it, in a few words.
	Who   string
	Order Order
	// WaitersVisible is false where waiting leaves no key in etcd.
	WaitersVisible bool
	// Exclusive is true where at most one claim may hold.
	Exclusive bool
	// Judged is false where the keys only look alike: they are listed in order, and
	// nothing is said of a holder.
	Judged     bool
	Rhythm     Rhythm
	Confidence Confidence
}

// Recipes that are told by the form of the keys. Key <name>/<lease id in hex>: the
// lowest create revision of any key under <name>/ holds, and each waits for the one
// just ahead (etcd client/v3 concurrency/mutex.go, election.go, key.go).
var (
	Mutex = &Recipe{Name: "mutex", Who: "Go Mutex, the lock service, etcdctl lock",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Certain}
	Election = &Recipe{Name: "election", Who: "Go Election, the election service, etcdctl elect",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Strong}
	// Tagged is a mutex whose holder writes its name into its key, as Vault does.
	Tagged = &Recipe{Name: "tagged-mutex", Who: "Vault",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Strong}
	// Mixed has claims with and without a value: two recipes under one name, or an
	// election with empty proposals. The order is as certain as ever.
	Mixed = &Recipe{Name: "mixed", Who: "two recipes under one name, or an election with empty proposals",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Hint}
	NpmElection = &Recipe{Name: "npm-election", Who: "etcd3 for Node",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Strong}
	VitessLock = &Recipe{Name: "vitess-lock", Who: "Vitess etcd2topo",
		Order: ByMod, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Strong}
	VitessElection = &Recipe{Name: "vitess-election", Who: "Vitess etcd2topo",
		Order: ByMod, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Strong}
	RWMutex = &Recipe{Name: "rwmutex", Who: "the RWMutex of etcd's experimental recipes",
		Order: ByMod, WaitersVisible: true, Exclusive: false, Judged: true, Confidence: Strong}
	KeyQueue = &Recipe{Name: "key-queue", Who: "queues made by hand: any name, the oldest key holds",
		Order: ByCreate, WaitersVisible: true, Exclusive: true, Judged: true, Confidence: Hint}
	DoubleBarrier = &Recipe{Name: "double-barrier", Who: "the DoubleBarrier of etcd's experimental recipes: a rendezvous, no lock",
		Order: ByCreate, WaitersVisible: true, Confidence: Strong}
	// OrderOnly is what remains: leased keys side by side. They may be a registry, a
	// cache or a lock of an unknown kind.
	OrderOnly = &Recipe{Name: "order-only", Who: "leased keys of no known recipe: a registry, a cache, or a lock of an unknown kind",
		Order: ByCreate, WaitersVisible: true, Confidence: Hint}
)

// Single is one key that the first transaction wins. Who else waits for it leaves
// no trace in etcd.
var Single = &Recipe{Name: "single", Who: "one key, pinned by hand", Order: NoOrder, Exclusive: true, Judged: true, Rhythm: RenewsByHand, Confidence: Certain}

func single(name, who string, rhythm Rhythm, c Confidence) *Recipe {
	return &Recipe{Name: name, Who: who, Order: NoOrder, Exclusive: true, Judged: true, Rhythm: rhythm, Confidence: c}
}

// singleRule tells one kind of single key by its name or its value.
type singleRule struct {
	recipe *Recipe
	fits   func(kv *KV) bool
}

// singles are tried in order of certainty: shapes of values first, then names.
var singles = []singleRule{
	{single("python-etcd3", "python-etcd3, aetcd: value is a raw UUID", RenewsByHand, Strong),
		func(kv *KV) bool { return isRawUUID(kv.Value) }},
	{single("etcd3gw", "etcd3gw: value is a UUID made from time and host", RenewsByHand, Strong),
		func(kv *KV) bool { return isUUID(kv.Value) && kv.Value[14] == '1' }},
	{single("shedlock", "ShedLock", RenewsNever, Strong), func(kv *KV) bool {
		return strings.HasPrefix(kv.Key, "shedlock:") || strings.HasPrefix(kv.Value, "ADDED:") && strings.Contains(kv.Value, "@")
	}},
	{single("layotto", "Layotto", RenewsNever, Strong), func(kv *KV) bool { return strings.Contains(kv.Key, "lock|||") }},
	{single("etcd3-py", "etcd3-py", RenewsAtThird, Strong), func(kv *KV) bool {
		return strings.Contains(kv.Key, "_locks/") && !strings.HasSuffix(kv.Key, "/holders") && strings.Contains(kv.Value, ":")
	}},
	{single("calico", "Calico's Neutron elector", RenewsByHand, Strong), func(kv *KV) bool { return strings.Contains(kv.Key, "neutron_election") }},
	{single("patroni", "Patroni", RenewsByHand, Strong), func(kv *KV) bool {
		return strings.HasPrefix(kv.Key, "/service/") && strings.HasSuffix(kv.Key, "/leader")
	}},
	{single("pd", "PD of TiKV", RenewsAtThird, Strong), func(kv *KV) bool {
		return strings.HasPrefix(kv.Key, "/pd/") && strings.HasSuffix(kv.Key, "/leader") ||
			strings.HasPrefix(kv.Key, "/ms/") && strings.HasSuffix(kv.Key, "/primary")
	}},
	{single("pulsar", "Pulsar on etcd", RenewsAtThird, Hint), func(kv *KV) bool { return strings.HasSuffix(kv.Key, "/loadbalance/leader") }},
	{single("cron-lock", "the lock of crontab tutorials", RenewsAtThird, Hint), func(kv *KV) bool { return strings.HasPrefix(kv.Key, "/cron/lock/") }},
	{single("single-key", "one key under /locks/", RenewsByHand, Hint), func(kv *KV) bool { return strings.HasPrefix(kv.Key, "/locks/") }},
}

// singleRecipe returns the rule of a leased key that is a lock by itself, nil if
// nothing says that it is one.
func singleRecipe(kv *KV) *Recipe {
	for _, r := range singles {
		if r.fits(kv) {
			return r.recipe
		}
	}
	return nil
}

// isRawUUID says whether v is 16 bytes that are a UUID of version 1 or 4.
func isRawUUID(v string) bool {
	return len(v) == 16 && v[8]&0xc0 == 0x80 && (v[6]>>4 == 1 || v[6]>>4 == 4) && !utf8.ValidString(v)
}

// Recipes returns every recipe, for --recipe and for explain.
func Recipes() []*Recipe {
	all := []*Recipe{Mutex, Election, Tagged, Mixed, NpmElection, VitessLock, VitessElection, RWMutex, KeyQueue, DoubleBarrier, Single, OrderOnly}
	for _, r := range singles {
		all = append(all, r.recipe)
	}
	return all
}

// RecipeNamed returns the recipe of that name, nil if there is none.
func RecipeNamed(name string) *Recipe {
	for _, r := range Recipes() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// recipeOf names the rule of a lock from what its claims look like. It is a
// function of the keys as they stand.
func (l *Lock) recipeOf(pins []Pin) *Recipe {
	if p := pinOf(l.Name+"/", pins); p != nil && l.mode != modeSingle {
		return p.Recipe
	}
	n := &l.forms
	switch {
	case l.mode == modeSingle:
		return l.singleRecipe(pins)
	case l.mode != modeQueue:
		return OrderOnly
	case n[formRead]+n[formWrite] > 0 && l.own == n[formRead]+n[formWrite]:
		return RWMutex
	case n[formWaiter] > 0 && l.own == n[formWaiter]:
		return DoubleBarrier
	case n[formVitess] > 0 && l.own == n[formVitess]:
		if strings.Contains(l.Name, "/elections/") {
			return VitessElection
		}
		return VitessLock
	case n[formDec] > 0 && l.own == n[formDec]: // by itself such a name says nothing about exclusion
		if contains(strings.Split(l.Name, "/"), "election") {
			return NpmElection
		}
		return OrderOnly
	case n[formMember] > 0 && l.own == n[formMember]:
		return KeyQueue
	case l.own != n[formHex]:
		return Mixed
	case l.valued == 0:
		return Mutex
	case l.valued == l.own && !strings.HasSuffix(l.Name, "vault/core/lock"):
		return Election
	case l.valued == l.own:
		return Tagged
	}
	// Vault: only the holder has a value, written by a second put.
	if h := l.queue.first(); l.valued == 1 && h != nil && h.home == l.dir && h.Value != "" && h.Version >= 2 {
		return Tagged
	}
	return Mixed
}

func (l *Lock) singleRecipe(pins []Pin) *Recipe {
	c := l.queue.first()
	if p := pinOf(l.Name, pins); p != nil {
		return p.Recipe
	}
	if c != nil {
		if r := singleRecipe(&c.KV); r != nil {
			return r
		}
	}
	return Single
}

func vitessValue(v string) bool {
	return strings.Contains(v, `"Action"`) && strings.Contains(v, `"HostName"`)
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
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

package model

import (
	"strconv"
	"strings"
)

// form is how one key is made: what its last segments and its lease say, without a
// look at any other key. That way the queues are a function of the keys as they
// stand, whatever happened before.
type form uint8

const (
	formOther  form = iota // counts for queues above it, is nothing by itself
	formHex                // named by its lease in hex: Go's Mutex and Election, the lock RPC
	formDec                // named by its lease in decimal: npm etcd3
	formVitess             // the same, where Vitess puts it: ordered by mod revision
	formRead               // <name>/read/<unix ns>: RWMutex
	formWrite              // <name>/write/<unix ns>: RWMutex
	formWaiter             // <name>/waiters/<unix ns>: DoubleBarrier
	formMember             // any name, in a queue by the look of its path, or by a pin
	formSingle             // the key itself is the lock
	formLeased             // has a lease and fits nothing: order only
	forms
)

// claims says whether a key of the form competes for something.
func (f form) claims() bool { return f != formOther && f != formLeased }

// place is where a key competes: the name of the lock and the form.
type place struct {
	lock string
	form form
}

// Pin says by hand what etcd cannot tell of the keys under a prefix.
type Pin struct {
	Prefix string
	// Recipe is the rule by which they compete, nil for what their form says.
	Recipe *Recipe
	// Expect is how many contenders each lock should have, 0 for not declared.
	Expect int
}

// placeOf classifies a key. Keys of Kubernetes are never locks of ours: their
// Lease objects keep their expiry in the value (KeyValue.Lease is 0).
func placeOf(kv *KV, pins []Pin) place {
	dir, last, ok := split(kv.Key)
	if p := pinOf(kv.Key, pins); p != nil {
		return p.place(kv, dir, ok)
	}
	if kubernetes(kv) || strings.Contains(kv.Key, "_locks/") && strings.HasSuffix(kv.Key, "/holders") { // the counter of etcd3-py
		return place{}
	}
	if ok {
		if p := queuePlace(kv, dir, last); p.form != formOther {
			return p
		}
	}
	if kv.Lease == 0 {
		return place{}
	}
	if singleRecipe(kv) != nil {
		return place{kv.Key, formSingle}
	}
	if !ok {
		return place{}
	}
	return place{dir, formLeased}
}

// queuePlace finds the forms in which a claim is a key below the lock's name.
func queuePlace(kv *KV, dir, last string) place {
	switch {
	case namedByLease(last, kv.Lease):
		return place{dir, formHex}
	case decimalLease(last, kv.Lease):
		if strings.HasSuffix(dir, "/locks") && (strings.Contains(dir, "/elections/") || vitessValue(kv.Value)) {
			return place{dir, formVitess}
		}
		return place{dir, formDec}
	case isNanos(last):
		name, kind, ok := split(dir)
		switch {
		case !ok:
		case kind == "read":
			return place{name, formRead}
		case kind == "write":
			return place{name, formWrite}
		case kind == "waiters":
			return place{name, formWaiter}
		}
	case kv.Lease != 0 && isUUID(last) && lockish(dir):
		return place{dir, formMember}
	}
	return place{}
}

func pinOf(key string, pins []Pin) *Pin {
	var best *Pin
	for i := range pins {
		if p := &pins[i]; p.Recipe != nil && strings.HasPrefix(key, p.Prefix) && (best == nil || len(p.Prefix) > len(best.Prefix)) {
			best = p
		}
	}
	return best
}

// place classifies a key by the pin that covers it.
func (p *Pin) place(kv *KV, dir string, ok bool) place {
	switch {
	case p.Recipe == OrderOnly:
		if ok && kv.Lease != 0 {
			return place{dir, formLeased}
		}
		return place{}
	case !p.Recipe.WaitersVisible:
		return place{kv.Key, formSingle}
	case !ok:
		return place{}
	}
	_, last, _ := split(kv.Key)
	if p := queuePlace(kv, dir, last); p.form != formOther {
		return p
	}
	return place{dir, formMember}
}

func kubernetes(kv *KV) bool {
	return strings.HasPrefix(kv.Key, "/registry/") || strings.HasPrefix(kv.Value, "k8s\x00") || strings.HasPrefix(kv.Value, "k8s:enc:")
}

// decimalLease says whether the last segment is the key's own lease in decimal.
// A name that reads as the lease both ways counts as hex: the rule is the same.
func decimalLease(last string, lease LeaseID) bool {
	if lease == 0 || last == "" || last[0] == '0' {
		return false
	}
	n, err := strconv.ParseInt(last, 10, 64)
	return err == nil && LeaseID(n) == lease
}

// isNanos says whether s is a time in Unix nanoseconds between 2014 and 2049, as
// the experimental recipes of the Go client name their keys (recipes/key.go).
func isNanos(s string) bool {
	if len(s) != 19 {
		return false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n > 1_400_000_000_000_000_000 && n < 2_500_000_000_000_000_000
}

// isUUID says whether s is a UUID in its usual text form.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// lockish says whether a path speaks of locks. A queue of keys with free names is
// told from a service registry by nothing else.
func lockish(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		seg = strings.ToLower(strings.TrimLeft(seg, "_"))
		for _, word := range [...]string{"lock", "locks", "mutex", "mutexes"} {
			if seg == word {
				return true
			}
		}
	}
	return false
}

// detachedForm says whether a key without a lease is named as if it had one: 13 to
// 16 digits in hex, as the server makes ids (etcd pkg/idutil). Such a key in a queue
// of claims lost its lease by a put without one.
func detachedForm(kv *KV) bool {
	_, last, ok := split(kv.Key)
	if !ok || kv.Lease != 0 || len(last) < 13 || len(last) > 16 {
		return false
	}
	id, err := ParseLeaseID(last)
	return err == nil && id.String() == last
}

package recipe

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hexID reads a lease's id as the Go client writes it: in hex, lower case, no padding. One that a client
// chose may be negative, and has a sign then.
func hexID(s string) (id uint64, ok bool) {
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		if id, ok = hexID(rest); !ok || id > 1<<63 || rest[0] == '-' {
			return 0, false
		}
		return -id, true
	}
	if s == "" || len(s) > 16 || s[0] == '0' {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			id = id<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			id = id<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return id, true
}

// Detached says whether a key without a lease is named as if it had one: 13 to 16
// digits in hex, as the server makes ids (etcd pkg/idutil). Such a key in a queue of
// claims lost its lease by a put without one.
func Detached(k *Key) bool {
	return k.Lease == 0 && NamesLease(k)
}

// NamesLease says whether a key is named as by a lease of the server, be it its own or not.
func NamesLease(k *Key) bool {
	last := k.Last()
	if !k.Below() || len(last) < 13 {
		return false
	}
	id, ok := hexID(last)
	return ok && int64(id) > 0
}

// byHex says whether the last segment is the key's own lease in hex.
func byHex(k *Key) bool {
	id, ok := hexID(k.Last())
	return ok && k.Lease != 0 && id == uint64(k.Lease)
}

// byDecimal says whether the last segment is the key's own lease in decimal.
func byDecimal(k *Key) bool {
	last := k.Last()
	if k.Lease == 0 || last == "" || last[0] != '-' && (last[0] < '1' || last[0] > '9') || strings.Trim(last[1:], "0123456789") != "" {
		return false // without the error that ParseInt would make
	}
	n, err := strconv.ParseInt(last, 10, 64)
	return err == nil && n == k.Lease
}

// byNanos says whether the last segment is a time in Unix nanoseconds between 2014 and
// 2049, as the experimental recipes of the Go client name their keys (recipes/key.go).
func byNanos(k *Key) bool {
	last := k.Last()
	if len(last) != 19 {
		return false
	}
	n, err := strconv.ParseInt(last, 10, 64)
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

// isTimeUUID says whether s is a UUID made of time and host, as text.
func isTimeUUID(s string) bool { return isUUID(s) && madeOfTime(string(textUUID(s))) }

// isRawTimeUUID says whether v is such a UUID as raw bytes.
func isRawTimeUUID(v string) bool { return len(v) == 16 && !utf8.ValidString(v) && madeOfTime(v) }

// isRawRandomUUID says whether v is 16 bytes of a UUID of version 4.
func isRawRandomUUID(v string) bool { return len(v) == 16 && v[6]>>4 == 4 && v[8]&0xc0 == 0x80 }

// madeOfTime says whether 16 bytes are a UUID of version 1 whose time is between 1998 and
// 2049. Of any other 16 bytes, as a hash has, one in 4,000 looks like that.
func madeOfTime(v string) bool {
	hi := int(v[6])<<8 | int(v[7])
	return v[8]&0xc0 == 0x80 && hi >= 0x11b2 && hi <= 0x120b
}

// speaksOfLocks says whether a path does. A queue of keys with free names is told from
// a service registry by nothing else.
func speaksOfLocks(path string) bool {
	return anyWord(path, func(word string) bool {
		return word == "lock" || word == "locks" || word == "mutex" || word == "mutexes"
	})
}

// speaksOfServices says whether a path does: what stands below is registered there.
func speaksOfServices(path string) bool {
	return anySegment(path, func(seg string) bool {
		switch strings.TrimLeft(seg, "_") {
		case "service", "services", "microservice", "microservices", "registry", "registrations", "discovery", "instances", "endpoints", "providers":
			return true
		}
		return false
	})
}

// speaksOfElections says whether a path does, as those of TiDB, DM, M3 and Stolon. What is called leaders
// at its end is a list of them.
func speaksOfElections(path string) bool {
	return strings.HasPrefix(path, "_ld/") || lastWord(path) != "leaders" && anyWord(path, func(word string) bool {
		switch word {
		case "election", "elections", "leader", "leaders", "owner":
			return true
		}
		return false
	})
}

// SpeaksOfMembers says whether the last segment of a path speaks of members, of a semaphore, or of what
// is told of a lock: of keys that are there together. What a lock is for may stand before it.
func SpeaksOfMembers(path string) bool {
	return anyWord(lastSegment(path), func(word string) bool { return together[word] })
}

// together are the words by which SpeaksOfMembers goes.
var together = setOfWords(`member members membership presence peers nodes workers sessions heartbeats clients online alive agents hosts
	servers replicas semaphore semaphores sem permits slots voters electorate eligible candidates followers learners observers
	standbys viewers watchers subscribers listeners participants players spectators attendees metrics stats statistics
	exporters monitors`)

func setOfWords(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func lastSegment(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// lastWord is the last word of a path, in lower case.
func lastWord(path string) (last string) {
	anyWord(path, func(word string) bool { last = word; return false })
	return last
}

// anyWord says whether some word of a path, in lower case and without a number at its end, is as is says.
func anyWord(path string, is func(word string) bool) bool {
	for word := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("/-_.:|", r) }) {
		if is(strings.TrimRight(strings.ToLower(word), "0123456789")) {
			return true
		}
	}
	return false
}

// anySegment says whether some segment of a path, in lower case, is as is says.
func anySegment(path string, is func(seg string) bool) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if is(strings.ToLower(seg)) {
			return true
		}
	}
	return false
}

// purpose is what the path of a lock speaks of.
type purpose int

const (
	unsaid purpose = iota
	tagging
	electing
	locking
)

func purposeOf(path string) purpose {
	switch {
	case ofVault(path):
		return tagging
	case SpeaksOfMembers(path):
		return unsaid
	case speaksOfElections(path):
		return electing
	case speaksOfLocks(path):
		return locking
	}
	return unsaid
}

func ofVault(path string) bool { return strings.HasSuffix(path, "vault/core/lock") }

const pathSpeaks = "the path speaks of locks or leaders"

const namedInHex = "every claim is named by its lease in hex"

const namedInDecimal = "every claim is named by its lease in decimal"

// textUUID returns the bytes of a UUID that is text.
func textUUID(v string) []byte {
	b, _ := hex.DecodeString(strings.ReplaceAll(v, "-", "")) // isUUID has seen that it is hex
	return b
}

// ofVitess says whether a key stands where Vitess puts them: an election by its path,
// a lock by its value.
func ofVitess(k *Key) bool {
	return strings.HasSuffix(k.Dir(), vitessDir) && (ofVitessElection(k.Dir()) ||
		strings.Contains(k.Value, `"Action"`) && strings.Contains(k.Value, `"HostName"`))
}

func ofVitessElection(path string) bool { return strings.Contains(path, "/elections/") }

const vitessDir = "/locks"

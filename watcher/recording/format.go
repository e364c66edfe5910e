package recording

import (
	"fmt"
	"hash/crc32"
	"reflect"

	"locktop/model"
)

// A recording is text, one JSON object a line. The first line names the format:
//
//	{"locktop":"recording","version":2}
//
// Then come blocks, one for each batch. Most lines are one event, in the order in which they
// were delivered:
//
//	{"batch":2,"event":"committed","at":"2026-03-01T10:00:00.5Z","rev":7,"changes":[{"kv":{"key":"jobs/1f","createRev":7,"modRev":7,"version":1,"lease":"1f"}}]}
//
// The last line of a block is the CRC-32C of all bytes of the file before it:
//
//	{"check":"0a1b2c3d"}
//
// A block counts only with a check that is right, so damage is noticed wherever it is, and
// blocks that are missing or moved, too. Version 1 had no checks; it can be read as it is.
//
// "batch" tells which events came in one envelope: it rises, and means nothing
// else. "event" is the type, one of eventTypes. The other fields are those of the
// type in package model, their first letter in lower case; one that is zero is left
// out. A time is RFC 3339 in UTC; a duration counts nanoseconds; a lease id is a
// string in hex, as the keys of the recipes hold it. A string is a JSON string if
// it is UTF-8, else {"base64":"…"}: keys and values are raw bytes.
//
// A recording holds the values of the keys as they are, so it is as secret as they
// are. What a batch cost is not recorded.
const (
	recordFormat     = "recording"
	recordVersion    = 2
	uncheckedVersion = 1

	// headerMax is how long the first line may be, and blockMax a block: something that is no
	// recording and has no end would take all memory.
	headerMax = 4 << 10
	blockMax  = 512 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkPrefix begins the last line of a block.
const checkPrefix = `{"check":"`

func appendCheck(out []byte, sum uint32) []byte {
	return fmt.Appendf(out, checkPrefix+"%08x\"}\n", sum)
}

type recordHeader struct {
	Locktop string `json:"locktop"`
	Version int    `json:"version"`
}

// eventTypes are the names of the events in a recording.
var eventTypes = map[string]reflect.Type{
	"committed":      reflect.TypeFor[model.Committed](),
	"requested":      reflect.TypeFor[model.Requested](),
	"load-started":   reflect.TypeFor[model.LoadStarted](),
	"listed":         reflect.TypeFor[model.Listed](),
	"loaded":         reflect.TypeFor[model.Loaded](),
	"watching":       reflect.TypeFor[model.Watching](),
	"lost":           reflect.TypeFor[model.Lost](),
	"back":           reflect.TypeFor[model.Back](),
	"lease-read":     reflect.TypeFor[model.LeaseRead](),
	"lease-unread":   reflect.TypeFor[model.LeaseUnread](),
	"lease-keys":     reflect.TypeFor[model.LeaseKeys](),
	"cluster-status": reflect.TypeFor[model.ClusterStatus](),
	"tick":           reflect.TypeFor[model.Tick](),
	"slept":          reflect.TypeFor[model.Slept](),
	"contender":      reflect.TypeFor[model.Contender](),
	"belief":         reflect.TypeFor[model.Belief](),
	"lease-owner":    reflect.TypeFor[model.LeaseOwner](),
	"access":         reflect.TypeFor[model.Access](),
	"wrote":          reflect.TypeFor[model.Wrote](),
	"watches":        reflect.TypeFor[model.Watches](),
	"refused":        reflect.TypeFor[model.Refused](),
	"turned-away":    reflect.TypeFor[model.TurnedAway](),
	"connected":      reflect.TypeFor[model.Connected](),
	"fault-on":       reflect.TypeFor[model.FaultOn](),
	"fault-off":      reflect.TypeFor[model.FaultOff](),
	"acted":          reflect.TypeFor[model.Acted](),
}

var eventNames = func() map[reflect.Type]string {
	names := map[reflect.Type]string{}
	for name, t := range eventTypes {
		names[t] = name
	}
	return names
}()

package recording

import (
	"reflect"

	"locktop/model"
)

// A recording is frames, one behind the other. Each is a member of a gzip file that opens by
// itself, so "zcat FILE" prints all of them: text, one JSON object a line. The first line
// names the format:
//
//	{"locktop":"recording","version":4}
//
// Every other line is one event, in the order in which they were delivered:
//
//	{"batch":2,"event":"committed","at":"2026-03-01T10:00:00.5Z","rev":7,"changes":[{"kv":{"key":"jobs/1f","createRev":7,"modRev":7,"version":1,"lease":"1f"}}]}
//
// "batch" comes first and tells which events came in one envelope: it rises, and means nothing
// else. "event" comes next and is the type, one of eventTypes. The other fields are those of the
// type in package model, their first letter in lower case; one that is zero is left
// out. A time is RFC 3339 in UTC; a duration counts nanoseconds; a lease id is a
// string in hex, as the keys of the recipes hold it. A string is a JSON string if
// it is UTF-8, else {"base64":"…"}: keys and values are raw bytes. A message is
// {"say":ID,"args":[…]}, of strings, numbers and messages; what somebody else said is a string. An envelope is never in two
// frames.
//
// The extra field of a frame's header says what the frame holds (see frame), so that a search
// for a moment opens one frame only. There, too, is the CRC-32C of all bytes of
// the file up to the frame's end: a frame counts only if that is right, so damage is noticed
// wherever it is, and frames that are missing or moved, too.
//
// A file of a rotation begins with frames that tell what was so when the file before ended. They
// have another name in the extra field: a reader that comes from the file before leaves them out.
//
// Recordings of versions 1 to 3, made before this version 4, cannot be read any more.
//
// A recording holds the values of the keys as they are, so it is as secret as they
// are. What a batch cost is not recorded.
const (
	recordFormat  = "recording"
	recordVersion = 4

	// frameMax is how much text is in a frame: something that is no recording and has no
	// end would take all memory. So would what is small as text: eventsMax are in a frame, and
	// listsMax is how much memory the lists of an event take.
	frameMax  = 128 << 20
	eventsMax = 1_000_000
	listsMax  = 256 << 20
)

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
	"starved":        reflect.TypeFor[model.Starved](),
	"contender":      reflect.TypeFor[model.Contender](),
	"belief":         reflect.TypeFor[model.Belief](),
	"lease-owner":    reflect.TypeFor[model.LeaseOwner](),
	"access":         reflect.TypeFor[model.Access](),
	"wrote":          reflect.TypeFor[model.Wrote](),
	"revoked":        reflect.TypeFor[model.Revoked](),
	"watches":        reflect.TypeFor[model.Watches](),
	"asked":          reflect.TypeFor[model.Asked](),
	"refused":        reflect.TypeFor[model.Refused](),
	"turned-away":    reflect.TypeFor[model.TurnedAway](),
	"printed":        reflect.TypeFor[model.Printed](),
	"connected":      reflect.TypeFor[model.Connected](),
	"fault-on":       reflect.TypeFor[model.FaultOn](),
	"fault-off":      reflect.TypeFor[model.FaultOff](),
	"drill-began":    reflect.TypeFor[model.DrillBegan](),
	"drill-step":     reflect.TypeFor[model.DrillStep](),
	"drill-judged":   reflect.TypeFor[model.DrillJudged](),
	"drill-over":     reflect.TypeFor[model.DrillOver](),
	"acted":          reflect.TypeFor[model.Acted](),
}

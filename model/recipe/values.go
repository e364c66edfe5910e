package recipe

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// registers says whether a key tells where something is to be reached, by its value or
// its own name. Such keys stand side by side, as in a registry: none waits for another.
func registers(k *Key) bool {
	return isAddress(k.Last()) || isAddress(k.Value) || len(addressesInJSON(k.Value)) > 0
}

// Registration says whether a key tells where something is to be reached: see registers.
func Registration(k *Key) bool { return registers(k) }

// Speaks says whether a path speaks of locks or of leaders, and not of services.
func Speaks(path string) bool { return purposeOf(path) != unsaid && !speaksOfServices(path) }

// isAddress says whether s is host and port, an IP address, or a URL with a host.
func isAddress(s string) bool { return hostOf(s) != "" }

// hostOf returns the host, with the port if there is one, of an address or a URL, "" for
// anything else. A name by itself is none.
func hostOf(s string) string {
	if len(s) < 4 || len(s) > maxOwner || !utf8.ValidString(s) || strings.ContainsAny(s, " \t\n{}\"'") {
		return ""
	}
	if strings.Contains(s, "://") {
		if u, err := url.Parse(s); err == nil {
			return u.Host
		}
		return ""
	}
	if isIP(s) {
		return s
	}
	i := strings.LastIndexByte(s, ':')
	if i <= 0 || strings.ContainsAny(s, "/@|#?=,;") {
		return ""
	}
	host, port := s[:i], s[i+1:]
	if port == "" || len(port) > 5 || port[0] == '0' || strings.Trim(port, "0123456789") != "" {
		return ""
	}
	if in, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(in, "]")
	}
	if strings.Contains(host, ":") && !isIP(host) {
		return "" // host:proc:pid
	}
	return s
}

// isIP says whether s is an IP address, without the error that a parser makes of other text.
func isIP(s string) bool {
	if strings.Count(s, ".") != 3 && strings.Count(s, ":") < 2 || strings.Trim(s, "0123456789abcdefABCDEF.:") != "" {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err == nil
}

// addressFields are the fields in which JSON says where its writer is to be reached.
var addressFields = []string{"addr", "address", "Addr", "Address", "endpoint", "Endpoint", "conn_url", "serviceUrl", "url",
	"endpoints", "Endpoints", "addrs", "nodes"}

// addressesInJSON returns the addresses that a JSON object names, nil if it is none.
func addressesInJSON(v string) (all []string) {
	fields := jsonFields(v)
	for _, name := range addressFields {
		switch f := fields[name].(type) {
		case string:
			if host := hostOf(f); host != "" {
				all = append(all, host)
			}
		case []any:
			for _, x := range f {
				if s, ok := x.(string); ok && isAddress(s) {
					all = append(all, hostOf(s))
				} else if in, ok := x.(map[string]any); ok { // go-micro has nodes with an address each
					if s, ok := in["address"].(string); ok && isAddress(s) {
						all = append(all, s)
					}
				}
			}
		}
	}
	if host, ok := textIn(fields, "ip", "host", "IP", "Host"); ok {
		if port, ok := numberIn(fields, "listening_port", "port", "Port"); ok {
			all = append(all, host+":"+port)
		}
	}
	return all
}

func jsonFields(v string) map[string]any {
	if len(v) > 1<<16 || !strings.HasPrefix(strings.TrimSpace(v), "{") {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal([]byte(v), &fields) != nil {
		return nil
	}
	return fields
}

func textIn(fields map[string]any, names ...string) (text string, ok bool) {
	for _, n := range names {
		if t, ok := fields[n].(string); ok && t != "" {
			return clip(t), true
		}
	}
	return "", false
}

func numberIn(fields map[string]any, names ...string) (text string, ok bool) {
	for _, n := range names {
		switch x := fields[n].(type) {
		case float64:
			return strconv.FormatInt(int64(x), 10), true
		case string:
			return clip(x), x != ""
		}
	}
	return "", false
}

// protoField is one field of a message of Protocol Buffers.
type protoField struct {
	num    protowire.Number
	number uint64 // of a varint
	bytes  string // of what has a length
}

// protoFields returns the fields of a message; ok is false if v is none from its first to
// its last byte.
func protoFields(v string) (all []protoField, ok bool) {
	for b := []byte(v); len(b) > 0; {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, false
		}
		f := protoField{num: num}
		b = b[n:]
		switch typ {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			var s []byte
			s, n = protowire.ConsumeBytes(b)
			f.bytes = string(s)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return nil, false
		}
		all, b = append(all, f), b[n:]
	}
	return all, len(all) > 0
}

// pdMember reads what PD writes of a leader or of the primary of a service: the name is
// the first field, its URLs are the third and the fourth.
func pdMember(v string) (name, host string) {
	if !strings.Contains(v, "://") {
		return "", ""
	}
	fields, _ := protoFields(v)
	for _, f := range fields {
		switch {
		case f.num == 1 && isName(f.bytes):
			name = f.bytes
		case (f.num == 3 || f.num == 4) && strings.Contains(f.bytes, "://"):
			if h := hostOf(f.bytes); h != "" {
				host = h // that for clients comes last
			}
		}
	}
	return name, host
}

// PDLeader reads which member leads PD, by its name and its number in PD's own etcd; ok is
// false for any other key, also for that of the primary of a service, which is no member.
func PDLeader(key, value string) (name string, member uint64, ok bool) {
	k := NewKey(key, value, 1, 0)
	name, host := pdMember(value)
	if !ofPD(&k) || !strings.HasPrefix(key, "/pd/") || host == "" {
		return "", 0, false
	}
	fields, _ := protoFields(value)
	for _, f := range fields {
		if f.num == 2 {
			member = f.number
		}
	}
	return name, member, true
}

// isName says whether s is printable ASCII.
func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}

// ownerOfPD is who leads PD.
func ownerOfPD(v string) (who, source string) {
	switch name, host := pdMember(v); {
	case host == "":
		return "", ""
	case name == "" || hostOf(name) == host:
		return host, "value"
	default:
		return name + "@" + host, "value"
	}
}

// ofPD says whether a key is that of PD's leader or of the primary of one of its services,
// below the number of its cluster (tikv/pd pkg/utils/keypath).
func ofPD(k *Key) bool {
	rest, pd := strings.CutPrefix(k.Name, "/pd/")
	if !pd {
		rest, _ = strings.CutPrefix(k.Name, "/ms/")
	}
	id, tail, ok := strings.Cut(rest, "/")
	return ok && len(rest) < len(k.Name) && id != "" && strings.Trim(id, "0123456789") == "" &&
		(pd && tail == "leader" || !pd && strings.HasSuffix(tail, "/primary"))
}

// maxOwner bounds how much of a value is taken for an owner, in bytes.
const maxOwner = 120

func clip(s string) string {
	if len(s) <= maxOwner {
		return s
	}
	return s[:maxOwner] + "…"
}

// longestRun returns the longest run of printable ASCII in s.
func longestRun(s string) string {
	best, start := "", 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] >= 0x20 && s[i] < 0x7f {
			continue
		}
		if i-start > len(best) {
			best = s[start:i]
		}
		start = i + 1
	}
	return clip(best)
}

// ownerOfUUID is the owner of values that are a UUID, as is says; raw gives its bytes.
func ownerOfUUID(is func(string) bool, raw func(string) []byte) func(string) (who, source string) {
	return func(v string) (who, source string) {
		if !is(v) {
			return "", ""
		}
		return uuidWords(raw(v)), "uuid"
	}
}

// uuidWords says what a UUID tells: version 1 holds the time of its making and a
// node, which is the host's MAC address unless the multicast bit says that it is
// random (RFC 9562, 5.1 and 6.10).
func uuidWords(b []byte) string {
	text := fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
	if b[6]>>4 != 1 {
		return text
	}
	const gregorian = 122192928000000000 // 100 ns steps from 1582-10-15 to 1970
	ticks := int64(b[6]&0x0f)<<56 | int64(b[7])<<48 | int64(b[4])<<40 | int64(b[5])<<32 |
		int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])
	created := time.Unix(0, (ticks-gregorian)*100).UTC()
	node := "host " + macWords(b[10:16])
	if b[10]&1 == 1 {
		node = "random node " + hex.EncodeToString(b[10:16])
	}
	return fmt.Sprintf("%s, made %s", node, created.Format("2006-01-02 15:04:05"))
}

func macWords(b []byte) string { return strings.ReplaceAll(fmt.Sprintf("% x", b), " ", ":") }

package recipe

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
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

package recipe

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Owner reads who wrote a value: as the recipes that know their values say, else by
// what such values look like. The source is "uuid" or "value", the text raw.
func Owner(value string) (who, source string) {
	if value == "" {
		return "", ""
	}
	for _, owner := range owners {
		if who, source = owner(value); who != "" {
			return who, source
		}
	}
	if OfKubernetes(value) {
		return "", "" // encrypted, or nobody's
	}
	if who = OwnerInJSON(value); who != "" {
		return who, "value"
	}
	if strings.Contains(value, "://") && isAddress(value) {
		return hostOf(value), "value"
	}
	if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 }) {
		if run := strings.TrimRight(longestRun(value), "_"); len(run) >= 3 { // PD: protobuf with the name inside; TiDB: a uuid and one raw byte
			return run, "value"
		}
	}
	return clip(value), "value"
}

// OwnerInJSON reads who wrote a JSON value, "" if it is none or does not tell.
func OwnerInJSON(v string) string {
	fields := jsonFields(v)
	if fields == nil {
		return ""
	}
	who, _ := textIn(fields, "Who", "UserName", "ServerName", "owner", "Owner", "holder", "Holder", "holderIdentity",
		"id", "name", "Name", "ID", "instance", "node", "worker", "member")
	host, _ := textIn(fields, "HostName", "host", "hostname", "hostName", "ip")
	if all := addressesInJSON(v); len(all) > 0 {
		host = all[0]
	}
	what, _ := textIn(fields, "Action", "Operation")
	switch {
	case who != "" && host != "":
		who = at(who, host)
	case who == "":
		who = host
	}
	if who != "" && what != "" {
		who += ": " + what
	}
	return who
}

// at names somebody by name and address, by the address alone where the name says no more
// to people.
func at(name, host string) string {
	if name == "" || isUUID(name) || strings.Contains(name, host) {
		return host
	}
	return name + "@" + host
}

// Registry names the key in which the owner of a claim registered where it is to be
// reached, "" where no program is known that does so.
func Registry(k *Key) string {
	dir := k.Dir()
	switch {
	case k.Value == "":
		return ""
	case ofPatroni(k):
		return dir + "/members/" + k.Value
	case strings.HasSuffix(dir, "/__cdc_meta__/owner"): // TiCDC
		return strings.TrimSuffix(dir, "owner") + "capture/" + k.Value
	case strings.HasSuffix(dir, "/owner"): // TiDB: a uuid, and after a _ what the owner is told
		root, _, ok := strings.Cut(dir+"/", "/tidb/")
		id, _, _ := strings.Cut(k.Value, "_")
		if ok && isUUID(id) {
			return root + "/tidb/server/info/" + id
		}
	}
	return ""
}

// Registers names the lock whose claim the key may confirm, "" for none: see Sign.
func Registers(k *Key) string {
	if dir, ok := strings.CutSuffix(k.Dir(), "/members"); ok {
		return dir + "/leader"
	}
	return ""
}

// OwnerAt names the owner of a value by what it registered elsewhere: "" if that does not
// tell where it is.
func OwnerAt(value, registered string) string {
	all := addressesInJSON(registered)
	if len(all) == 0 {
		return ""
	}
	name, _ := Owner(value)
	return at(name, all[0])
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

// textUUID returns the bytes of a UUID that is text.
func textUUID(v string) []byte {
	b, _ := hex.DecodeString(strings.ReplaceAll(v, "-", "")) // isUUID has seen that it is hex
	return b
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
	made := time.Unix(0, (ticks-gregorian)*100).UTC()
	node := "host " + macWords(b[10:16])
	if b[10]&1 == 1 {
		node = "random node " + hex.EncodeToString(b[10:16])
	}
	return fmt.Sprintf("%s, made %s", node, made.Format("2006-01-02 15:04:05"))
}

func macWords(b []byte) string { return strings.ReplaceAll(fmt.Sprintf("% x", b), " ", ":") }

// NamesOne says whether a name is likely that of one program: it has digits and other
// characters, as addresses and the names of hosts and pods do, and is no sentence.
func NamesOne(who string) bool {
	digit := strings.ContainsAny(who, "0123456789")
	return digit && strings.Trim(who, "0123456789") != "" && !strings.ContainsAny(who, " \t{[")
}

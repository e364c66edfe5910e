package recipe

import (
	"strings"
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

// NamesOne says whether a name is likely that of one program: it has digits and other
// characters, as addresses and the names of hosts and pods do, and is no sentence.
func NamesOne(who string) bool {
	digit := strings.ContainsAny(who, "0123456789")
	return digit && strings.Trim(who, "0123456789") != "" && !strings.ContainsAny(who, " \t{[")
}

package model

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Identity is who a claim belongs to, as far as anything tells.
type Identity struct {
	// Text is escaped, empty if nothing tells.
	Text string
	// Source is "proxy", "value", "sibling", "uuid" or "none".
	Source string
}

// identify says who a claim belongs to: by the proxy that its client went through,
// else by its value, else by what else hangs on its lease or stands beside it.
func (s *State) identify(r ClaimRef, lease *Lease, home *dir) Identity {
	if o, ok := s.lab.owners[r.Lease]; ok && r.Lease != 0 {
		return Identity{Printable(o.Name), "proxy"}
	}
	if id := valueIdentity(r.Value); id.Text != "" {
		return id
	}
	if who := s.lockInfo(r, home); who != "" {
		return Identity{who, "sibling"}
	}
	if lease != nil {
		if who := siblingIdentity(r.Key, lease); who != "" {
			return Identity{who, "sibling"}
		}
	}
	return Identity{Source: "none"}
}

// Identity says who the claim of a reference belongs to. For a claim that is gone
// only the proxy and its value can tell.
func (s *State) Identity(r ClaimRef) Identity {
	var home *dir
	if c := s.claims[r.Key]; c != nil {
		home = c.home
	}
	return s.identify(r, s.leases[r.Lease], home)
}

// IdentityOf says who a claim belongs to that the state has, without a search for it.
func (s *State) IdentityOf(c *Claim) Identity { return s.identify(refOf(c), c.lease, c.home) }

// lockInfo reads the key that Terraform writes beside a lock, <lock>.lockinfo. It has
// no lease, outlives its writer, and speaks of the holder that wrote it alone.
func (s *State) lockInfo(r ClaimRef, home *dir) string {
	if s.infos == 0 || home == nil || home.lock == nil || !home.lock.listed {
		return ""
	}
	if h := home.lock.Holder(); h == nil || h.Key != r.Key {
		return ""
	}
	info := s.claims[home.path+infoSuffix]
	if info == nil || info.ModRev < r.CreateRev {
		return ""
	}
	return jsonIdentity(info.Value)
}

const infoSuffix = ".lockinfo"

func (s *State) countInfo(c *Claim, n int) {
	if strings.HasSuffix(c.Key, infoSuffix) {
		s.infos += n
	}
}

// siblingIdentity looks at the other keys of a lease: one that is no claim often
// names the owner (Patroni's members/<name>, a registration of a session).
func siblingIdentity(key string, l *Lease) string {
	if len(l.claims) == l.competing {
		return "" // all are claims: no need to look at each
	}
	var best *Claim
	for _, c := range l.claims {
		if c.Key == key || c.form != formLeased && c.form != formOther {
			continue
		}
		if best == nil || c.Key < best.Key {
			best = c
		}
	}
	if best == nil {
		return ""
	}
	_, last, _ := split(best.Key)
	if who := jsonIdentity(best.Value); who != "" && who != last {
		return Printable(last) + " (" + who + ")"
	}
	return Printable(last)
}

// maxIdentity bounds how much of a value is shown as an identity, in bytes.
const maxIdentity = 120

// valueIdentity reads the values of the recipes that we know.
func valueIdentity(v string) Identity {
	if v == "" {
		return Identity{}
	}
	if isRawUUID(v) {
		return Identity{uuidWords([]byte(v)), "uuid"}
	}
	if isUUID(v) && v[14] == '1' {
		if b, err := hex.DecodeString(strings.ReplaceAll(v, "-", "")); err == nil {
			return Identity{uuidWords(b), "uuid"}
		}
	}
	if who := jsonIdentity(v); who != "" {
		return Identity{who, "value"}
	}
	if rest, ok := strings.CutPrefix(v, "ADDED:"); ok { // ShedLock: ADDED:<time>@<host>
		if _, host, ok := strings.Cut(rest, "@"); ok {
			return Identity{Printable(host), "value"}
		}
	}
	if !utf8.ValidString(v) || strings.ContainsFunc(v, func(r rune) bool { return r < 0x20 }) {
		if run := strings.TrimRight(longestRun(v), "_"); len(run) >= 3 { // PD: protobuf with the name inside; TiDB: a uuid and one raw byte
			return Identity{Printable(run), "value"}
		}
		return Identity{Printable(clip(v)), "value"}
	}
	return Identity{Printable(clip(v)), "value"}
}

// jsonIdentity reads who wrote a JSON value, "" if it is none or does not tell.
func jsonIdentity(v string) string {
	if !strings.HasPrefix(strings.TrimSpace(v), "{") || len(v) > 1<<16 {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal([]byte(v), &fields) != nil {
		return ""
	}
	text := func(names ...string) string {
		for _, n := range names {
			if t, ok := fields[n].(string); ok && t != "" {
				return clip(t)
			}
		}
		return ""
	}
	who := text("Who", "UserName", "id", "name", "Name", "ID")
	host := text("HostName", "addr", "address", "host", "hostname", "conn_url")
	what := text("Action", "Operation")
	switch {
	case who != "" && host != "":
		who += "@" + host
	case who == "":
		who = host
	}
	if who != "" && what != "" {
		who += ": " + what
	}
	return Printable(who)
}

func clip(s string) string {
	if len(s) <= maxIdentity {
		return s
	}
	return s[:maxIdentity] + "…"
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

func macWords(b []byte) string {
	parts := make([]string, len(b))
	for i, x := range b {
		parts[i] = hex.EncodeToString([]byte{x})
	}
	return strings.Join(parts, ":")
}

// Who names a claim for a sentence or a narrow column: its identity, else its
// lease, else its key.
func (s *State) Who(r ClaimRef) string {
	if id := s.Identity(r); id.Text != "" {
		return id.Text
	}
	if r.Lease != 0 {
		return r.Lease.Short()
	}
	return Printable(r.Key)
}

// GrantedBy returns the name of the member that granted a lease, "" if the id does
// not tell: the server puts the low 16 bits of its member id, sign bit cleared, on
// top of the time of its start (etcd pkg/idutil/id.go). Clients may choose ids that
// tell nothing.
func (s *State) GrantedBy(id LeaseID) string {
	found := ""
	for _, m := range s.cluster.Members {
		if m.ID == 0 || uint64(id)>>48 != m.ID&0x7fff {
			continue
		}
		if found != "" {
			return "" // two members share these bits
		}
		found = m.label()
	}
	return found
}

// Ref names the claim in a form that outlives it.
func (c *Claim) Ref() ClaimRef { return refOf(c) }

package recipe

import "strings"

// singles are single keys that the first transaction wins: shapes of values first, then
// names. Who else waits for one leaves no trace in etcd.
var singles = []*Recipe{
	single("python-etcd3", "python-etcd3, aetcd: value is a raw UUID", RenewsByHand, Strong, Recipe{
		Signs: by("the value is a raw UUID", func(k *Key) bool { return isRawUUID(k.Value) }),
		Owner: ownerOfUUID(isRawUUID, func(v string) []byte { return []byte(v) }),
		Quirks: "The value is a UUID that often holds the time and the host's hardware address. " +
			"Each attempt grants a lease and does not revoke it, so leases without keys pile up."}),
	single("etcd3gw", "etcd3gw: value is a UUID made from time and host", RenewsByHand, Strong, Recipe{
		Signs:  by("the value is a UUID made from time and host, as text", func(k *Key) bool { return isTimeUUID(k.Value) }),
		Owner:  ownerOfUUID(isTimeUUID, textUUID),
		Quirks: "The value is a UUID as text. An attempt that fails does not wait."}),
	single("shedlock", "ShedLock", RenewsNever, Strong, Recipe{
		Signs: append(by("the name begins with shedlock:", func(k *Key) bool { return strings.HasPrefix(k.Name, "shedlock:") }),
			by("the value is ADDED:<time>@<host>", func(k *Key) bool { return strings.HasPrefix(k.Value, shedlockAdded) && strings.Contains(k.Value, "@") })...),
		Owner: func(value string) (who, source string) {
			rest, ok := strings.CutPrefix(value, shedlockAdded)
			if _, host, at := strings.Cut(rest, "@"); ok && at {
				return host, "value"
			}
			return "", ""
		},
		Quirks: "A job that has finished can still hold: with lockAtLeastFor the key is put again with a shorter lease. " +
			"The value names time and host."}),
	single("layotto", "Layotto", RenewsNever, Strong, Recipe{
		Signs:  by("the name has lock|||", func(k *Key) bool { return strings.Contains(k.Name, "lock|||") }),
		Plays:  []string{"owner"},
		Quirks: "A TryLock that fails leaves its lease behind, without a key."}),
	single("etcd3-py", "etcd3-py", RenewsAtThird, Strong, Recipe{
		Signs: append(by("the name has _locks/ and the value a colon",
			func(k *Key) bool { return underLocksOfPy(k) && strings.Contains(k.Value, ":") }),
			Sign{When: ValuesUnread, Confidence: Hint, Key: func(k *Key) bool { return k.Below() && underLocksOfPy(k) },
				Why: []string{"the name has _locks/"}}),
		Ignore: func(k *Key) bool { return strings.HasSuffix(k.Name, pyCounter) && strings.Contains(k.Name, pyLocks) },
		Quirks: "Its transaction can overwrite a foreign holder's value: the create revision stays, value and lease are new, and two believe. " +
			"It deletes locks that have no lease."}),
	single("calico", "Calico's Neutron elector", RenewsByHand, Strong, Recipe{
		Signs: by("the name has neutron_election", func(k *Key) bool { return strings.Contains(k.Name, "neutron_election") }),
		Quirks: "The key is rewritten every 30 s on purpose, to wake those who follow it. " +
			"The value is host and pid; a stale key is removed by its own host."}),
	single("patroni", "Patroni", RenewsByHand, Strong, Recipe{
		Signs: by("the name is /service/.../leader", between("/service/", "/leader")),
		Quirks: "The lease is renewed on each turn of its loop, 10 s by default. The lease also holds the member's key, which names it. " +
			"Version 3.0 puts the leader key without a check after a change of lease."}),
	single("pd", "PD of TiKV", RenewsAtThird, Strong, Recipe{
		Signs:  append(by("the name is /pd/.../leader", between("/pd/", "/leader")), by("the name is /ms/.../primary", between("/ms/", "/primary"))...),
		Quirks: "The TTL is only 5 s, 3 s in older versions, so readings have to be frequent. The value is binary with readable names."}),
	single("pulsar", "Pulsar on etcd", RenewsAtThird, Hint, Recipe{
		Signs:  by("the name ends in /loadbalance/leader", between("", "/loadbalance/leader")),
		Quirks: "One lease per broker holds all its ephemeral keys: leadership, bundles, registration. A revoke drops all of them at once."}),
	single("cron-lock", "the lock of crontab tutorials", RenewsAtThird, Hint, Recipe{
		Signs: by("the name begins with /cron/lock/", between("/cron/lock/", "")),
		Quirks: "The TTL is 5 s as a rule, and an attempt that fails gives up at once. " +
			"The pattern was copied into many programs, so details differ."}),
	single("single-key", "one key under /locks/", RenewsByHand, Hint, Recipe{
		Signs:  by("the name begins with /locks/", between("/locks/", "")),
		Plays:  []string{"single", "spin"},
		Quirks: "Recognised by its path only. Leases renewed by hand fall without being dead, so little is judged."}),
}

// single fills in what single keys have in common.
func single(name, who string, rhythm Rhythm, c Confidence, r Recipe) *Recipe {
	r.Name, r.Who, r.Rhythm, r.Confidence = name, who, rhythm, c
	r.Shape, r.Order, r.HasHolder = Single, NoOrder, true
	return &r
}

func by(why string, key func(k *Key) bool) []Sign { return []Sign{{Key: key, Why: []string{why}}} }

// between finds names that begin and end like this.
func between(begin, end string) func(k *Key) bool {
	return func(k *Key) bool { return strings.HasPrefix(k.Name, begin) && strings.HasSuffix(k.Name, end) }
}

const (
	shedlockAdded = "ADDED:"
	pyLocks       = "_locks/"
	pyCounter     = "/holders"
)

func underLocksOfPy(k *Key) bool { return strings.Contains(k.Name, pyLocks) }

package recipe

import (
	"strings"
	"time"
)

// singles are single keys that the first transaction wins: shapes of values first, then
// names. Who else waits for one leaves no trace in etcd.
var singles = []*Recipe{
	single("python-etcd3", "python-etcd3, aetcd: value is a raw UUID", RenewsByHand, Strong, Recipe{
		Signs: []Sign{
			{Key: func(k *Key) bool { return underLocks(k) && isRawTimeUUID(k.Value) },
				Why: []string{"the name begins with /locks/", "the value is a raw UUID made from time and host"}},
			{Key: func(k *Key) bool { return isRawTimeUUID(k.Value) }, Confidence: Hint, Why: []string{"the value is a raw UUID made from time and host"}},
		},
		Owner: ownerOfUUID(isRawTimeUUID, func(v string) []byte { return []byte(v) })}),
	single("etcd3gw", "etcd3gw: value is a UUID made from time and host", RenewsByHand, Strong, Recipe{
		Signs: []Sign{{Key: func(k *Key) bool { return underLocks(k) && isTimeUUID(k.Value) },
			Why: []string{"the name begins with /locks/", "the value is a UUID made from time and host, as text"}}},
		Owner: ownerOfUUID(isTimeUUID, textUUID)}),
	single("tooz", "tooz by the HTTP gateway", RenewsByHand, Strong, Recipe{
		Signs: []Sign{{Key: func(k *Key) bool { return strings.HasPrefix(k.Name, "/tooz/locks") && isRawRandomUUID(k.Value) },
			Why: []string{"the name begins with /tooz/locks", "the value is a raw random UUID"}}},
		Owner: ownerOfUUID(isRawRandomUUID, func(v string) []byte { return []byte(v) })}),
	single("shedlock", "ShedLock", RenewsNever, Strong, Recipe{
		Signs: append(signOf("the value is ADDED:<time>@<host>", func(k *Key) bool { return hostOfShedLock(k.Value) != "" }),
			hint("the name begins with shedlock:", func(k *Key) bool { return strings.HasPrefix(k.Name, "shedlock:") })),
		Owner: func(value string) (who, source string) {
			if host := hostOfShedLock(value); host != "" {
				return host, "value"
			}
			return "", ""
		}}),
	single("layotto", "Layotto", RenewsNever, Hint, Recipe{
		Signs: signOf("the name has lock|||", func(k *Key) bool { return strings.Contains(k.Name, "lock|||") }),
		Plays: []string{"owner", "owner-steps"}}),
	single("etcd3-py", "etcd3-py", RenewsAtThird, Strong, Recipe{
		Signs: append(signOf("the name has _locks/, the value a host and what of it",
			func(k *Key) bool { return underLocksOfPy(k) && isOwnerOfPy(k.Value) }),
			Sign{When: ValuesUnread, Confidence: Hint, Key: func(k *Key) bool { return k.Below() && underLocksOfPy(k) },
				Why: []string{"the name has _locks/"}}),
		Ignore: func(k *Key) bool { return strings.HasSuffix(k.Name, pyCounter) && strings.Contains(k.Name, pyLocks) }}),
	single("calico", "Calico's Neutron elector", RenewsByHand, Strong, Recipe{Leads: true,
		Signs: append(signOf("the name has neutron_election, the value a host and a number", func(k *Key) bool { return ofCalico(k) && isAddress(k.Value) }),
			hint("the name has neutron_election", ofCalico))}),
	single("patroni", "Patroni", RenewsByHand, Strong, Recipe{Leads: true,
		Signs: append([]Sign{{Registered: true, Key: func(k *Key) bool { return ofPatroni(k) && k.Value != "" },
			Why: []string{"the name is /service/<cluster>/leader", "members/<value> beside it is on the same lease"}}},
			hint("the name is /service/<cluster>/leader", ofPatroni))}),
	single("pd", "PD of TiKV", RenewsAtThird, Strong, Recipe{Leads: true,
		Signs: append(signOf("the name is that of PD's leader or of a service's primary, the value names a member and its address",
			func(k *Key) bool { _, host := pdMember(k.Value); return ofPD(k) && host != "" }),
			hint("the name is that of PD's leader or of a service's primary", ofPD)),
		Owner: ownerOfPD}),
	single("dolphinscheduler", "DolphinScheduler", RenewsAtThird, Strong, Recipe{Leads: true,
		Signs: append(signOf("the name is that of a coordinator of DolphinScheduler, the value a host and a port",
			func(k *Key) bool { return ofDolphin(k) && dolphinAddress(k.Value) != "" }),
			hint("the name is that of a coordinator of DolphinScheduler", ofDolphin)),
		Owner: func(value string) (who, source string) {
			if strings.Contains(value, "#") { // an address alone is read as any other
				return dolphinAddress(value), "value"
			}
			return "", ""
		}}),
	single("pulsar", "Pulsar on etcd", RenewsAtThird, Hint, Recipe{Leads: true,
		Signs: signOf("the name ends in /loadbalance/leader", between("", "/loadbalance/leader"))}),
	single("cron-lock", "the lock of crontab tutorials", RenewsAtThird, Hint, Recipe{
		Signs: signOf("the name begins with /cron/lock/", between("/cron/lock/", "")),
		Plays: []string{"cron-lock"}}),
	kubernetesLease,
	SingleKey,
}

// SingleKey is one key of no known program, told by its path or by what it was seen to do.
var SingleKey = single("single-key", "one key that one client at a time creates", RenewsByHand, Hint, Recipe{
	Signs: append(signOf("the name begins with /locks/", func(k *Key) bool { return underLocks(k) && !registers(k) }),
		signOf("the name has no slash, and speaks of locks or leaders", func(k *Key) bool { return !k.Below() && Speaks(k.Name) && !registers(k) })...),
	Plays: []string{"single", "spin", "timer", "unread-replies", "require-leader", "expiry-later", "look-then-put"}})

func signOf(why string, key func(k *Key) bool) []Sign { return []Sign{{Key: key, Why: []string{why}}} }

// hint is a sign that a name alone gives.
func hint(why string, key func(k *Key) bool) Sign {
	return Sign{Key: key, Confidence: Hint, Why: []string{why}}
}

// between finds names that begin and end like this.
func between(begin, end string) func(k *Key) bool {
	return func(k *Key) bool { return strings.HasPrefix(k.Name, begin) && strings.HasSuffix(k.Name, end) }
}

const (
	pyLocks   = "_locks/"
	pyCounter = "/holders"
)

func underLocks(k *Key) bool     { return strings.HasPrefix(k.Name, "/locks/") }
func underLocksOfPy(k *Key) bool { return strings.Contains(k.Name, pyLocks) }
func ofCalico(k *Key) bool {
	return strings.HasSuffix(k.Name, "/neutron_election") || strings.Contains(k.Name, "/neutron_election_")
}

// isOwnerOfPy says whether a value is as etcd3-py writes it: a host, and the process, the
// thread, the address or 8 random digits of it (stateful/lock.py).
func isOwnerOfPy(v string) bool {
	host, pid, _ := strings.Cut(v, ":")
	if host == "" || strings.ContainsAny(v, " /{") {
		return false
	}
	for _, kind := range []string{"proc:", "thrd:", "host:"} {
		if rest, ok := strings.CutPrefix(pid, kind); ok && rest != "" {
			return true
		}
	}
	return len(pid) == 8 && strings.Trim(pid, "0123456789abcdef") == ""
}

// ofPatroni says whether a key is that of a cluster's leader, with Citus below a group.
func ofPatroni(k *Key) bool {
	rest, ok := strings.CutPrefix(k.Dir(), "/service/")
	if !ok || k.Last() != "leader" || registers(k) {
		return false
	}
	scope, group, citus := strings.Cut(rest, "/")
	return scope != "" && (!citus || group != "" && strings.Trim(group, "0123456789") == "")
}

// ofDolphin says whether a key names the master that coordinates, or the alert server that is
// active (dolphinscheduler-registry-api, RegistryNodeType).
func ofDolphin(k *Key) bool {
	return strings.HasSuffix(k.Name, "/nodes/master-coordinator") || strings.HasSuffix(k.Name, "/nodes/alert-server-ha-leader")
}

// dolphinAddress is the address that such a key holds, also before a UUID of the run.
func dolphinAddress(value string) string {
	address, run, ok := strings.Cut(value, "#")
	if ok && !isUUID(run) || !isAddress(address) {
		return ""
	}
	return address
}

// hostOfShedLock reads the host of a value ADDED:<time>@<host>, "" for any other.
func hostOfShedLock(v string) string {
	rest, added := strings.CutPrefix(v, "ADDED:")
	at, host, ok := strings.Cut(rest, "@")
	if !added || !ok {
		return ""
	}
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		return ""
	}
	return host
}

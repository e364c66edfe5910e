package model

import (
	"fmt"
	"strings"
	"time"
)

// ActionKind is one of the things that the console can do.
type ActionKind string

// Kinds of actions. The first two write to etcd, the rest act on the lab.
const (
	RevokeLease ActionKind = "revoke lease"
	DeleteClaim ActionKind = "delete claim"
	InjectFault ActionKind = "inject"
	HealFault   ActionKind = "heal"
	HealAll     ActionKind = "heal all"
	SpawnProc   ActionKind = "spawn"
	TellProc    ActionKind = "tell"
)

// ActionKinds lists every kind, for tests that walk them.
var ActionKinds = []ActionKind{RevokeLease, DeleteClaim, InjectFault, HealFault, HealAll, SpawnProc, TellProc}

// WritesEtcd says whether the action is a request to etcd (and not to the lab).
func (k ActionKind) WritesEtcd() bool { return k == RevokeLease || k == DeleteClaim }

// Action is a request: what to do to what.
type Action struct {
	Kind ActionKind
	// Lock is the lock that the person was looking at.
	Lock string
	// Key and CreateRev name the claim. ModRev is that of its last put: a guarded delete
	// happens only while the key has both. Every put changes it, so that a claim with
	// another lease or another value is not deleted. The gate fills it in.
	Key               string
	CreateRev, ModRev int64
	// Lease is what a revoke ends.
	Lease LeaseID
	// Fault is what InjectFault does, and what HealFault ends: see Fault.Heals.
	Fault Fault
	// Contender is whom TellProc tells something. For SpawnProc it names one that
	// the lab knows and that does not run; empty for a new one.
	Contender string
	// Recipe is what SpawnProc spawns, empty for that of the lock's contenders.
	Recipe string
	// Word is what TellProc tells: "lock", "unlock", ...
	Word string
}

// Message says what the action does.
func (a Action) Message() Message {
	switch a.Kind {
	case RevokeLease:
		return Say("revoke-lease", a.Lease)
	case DeleteClaim:
		if a.ModRev == 0 {
			return Say("delete-claim", a.Key, a.CreateRev)
		}
		return Say("delete-claim-as-put", a.Key, a.CreateRev, a.ModRev)
	case SpawnProc:
		if a.Contender != "" {
			return Say("start", a.Contender)
		}
		return Say("add-contender", a.Lock)
	case InjectFault:
		return Say("do-fault", a.Fault)
	case HealFault:
		return Say("heal", a.Fault)
	case HealAll:
		return Say("heal-all")
	case TellProc:
		return Say("tell", a.Contender, a.Word)
	}
	return Say("do", string(a.Kind))
}

// Etcdctl returns the command line that does the same by hand, or "" where there
// is none.
func (a Action) Etcdctl() string {
	switch a.Kind {
	case RevokeLease:
		return "etcdctl lease revoke " + a.Lease.String()
	case DeleteClaim:
		key := ctlQuote(a.Key)
		guard := fmt.Sprintf("create(%s) = \"%d\"\n", key, a.CreateRev)
		if a.ModRev != 0 {
			guard += fmt.Sprintf("mod(%s) = \"%d\"\n", key, a.ModRev)
		}
		// The transaction of etcdctl: comparisons, success requests, failure
		// requests, each ended by an empty line.
		txn := guard + fmt.Sprintf("\ndel -- %s\n\n\n", key)
		// On one line: printf makes lines of \n, and one backslash of two.
		return "printf '%b' " + plainQuote(strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(txn)) + " | etcdctl txn"
	}
	return ""
}

// Plan is what an action will touch, read from etcd before anything is done.
type Plan struct {
	Action Action
	// Cluster is the id of the cluster that it was read from, 0 if that is not known. It
	// holds for no other.
	Cluster uint64
	// At is when it was read, Endpoint where.
	At       time.Time
	Endpoint string
	// Goes are the keys that go with it, in key order. One with CreateRev 0 is known
	// by name only.
	Goes []KV
	// Hits names whom a fault is done to: "worker, pid 4711".
	Hits Message
	// Unknown is set when Goes is not complete, and says why: "no permission on …".
	Unknown Message
	// Lease is the reading of the lease, zero if there is none.
	Lease LeaseRead
	// Refused is why the action must not be done as planned: the claim went, or
	// it is not the one that was meant. It says nothing if it may.
	Refused Message
	// DryRun makes Do say what it would have done.
	DryRun bool
}

// Changed says what of a key is not as it was shown, nothing if all is. A put
// of what was there already changes nothing. Values are not named: they may be secrets.
func (kv KV) Changed(now KV) Message {
	if now.CreateRev != kv.CreateRev {
		return Say("it-is-another-claim-now", now.Key, now.CreateRev, kv.CreateRev)
	}
	on, value := Say("it-is-on-now", OnLease(now.Lease), OnLease(kv.Lease)), Say("its-value-is-another", now.ModRev)
	switch lease := now.Lease != kv.Lease; {
	case lease && now.Value != kv.Value:
		return Say("has-changed", now.Key, Say("and-also", on, value))
	case lease:
		return Say("has-changed", now.Key, on)
	case now.Value != kv.Value:
		return Say("has-changed", now.Key, value)
	}
	return Message{}
}

// OnLease says what a key with that lease is on.
func OnLease(id LeaseID) Message {
	if id == 0 {
		return Say("no-lease")
	}
	return Say("lease", id)
}

// Changed says what an action would touch now and was not shown in the plan, nothing if
// there is nothing. Of a lease that has lost a key only less goes.
func (p Plan) Changed(now Plan) Message {
	shown := map[string]KV{}
	for _, kv := range p.Goes {
		shown[kv.Key] = kv
	}
	var fresh []string
	for _, kv := range now.Goes {
		was, known := shown[kv.Key]
		switch {
		case !known:
			fresh = append(fresh, kv.Key)
		case kv.CreateRev != 0 && was.CreateRev != 0: // else known by name only
			if changed := was.Changed(kv); !changed.IsZero() {
				return changed
			}
		}
	}
	switch {
	case len(fresh) == 1:
		return Say("lease-has-a-key-not-shown", p.Action.Lease, fresh[0])
	case len(fresh) > 1:
		return Say("lease-has-keys-not-shown", p.Action.Lease, len(fresh), fresh[0])
	case !now.Unknown.IsZero() && p.Unknown.IsZero():
		return Say("which-was-not-so", now.Unknown)
	}
	return Message{}
}

// Outcome is what came of an action, as the one who did it knows it.
type Outcome struct {
	Action Action
	At     time.Time
	// By is who did it, as the machine knows the person, "" if that was not said.
	By string
	// Done says that it was done. Unknown says that it was asked for and no answer came
	// that can be used, so that it may have been done: only a look tells. Without either,
	// nothing was done. Err says why and what to do next, in English. Why says the same where it
	// is a sentence of ours.
	Done, Unknown bool
	Err           string
	Why           Message `json:"-"`
	// Changed says what is not any more as the plan showed it, where that is why nothing
	// was done. Now is the claim as it was found instead, without a key if it is gone.
	Changed string
	Now     KV
	// Detail adds what the request answered ("3 keys", "pid 4711").
	Detail Message
	// ByLab says that a lab did it by itself: nobody asked for it.
	ByLab bool
	// Rev is the revision of the write, 0 if there is none.
	Rev int64
	// Went are the keys that a revoke took at Rev, in key order and without values; nil
	// where that could not be read.
	Went []KV
}

// Result is whether an action was done, as far as the one who did it knows.
type Result string

// Results of an action.
const (
	ResultDone    Result = "done"
	ResultNotDone Result = "not-done"
	ResultUnknown Result = "unknown"
)

// Result returns whether it was done.
func (o Outcome) Result() Result {
	switch {
	case o.Done:
		return ResultDone
	case o.Unknown:
		return ResultUnknown
	}
	return ResultNotDone
}

// NoFault is the detail of an outcome that healed all faults and found none.
func NoFault() Message { return Say("detail-no-fault") }

// Message says what was done or why not.
func (o Outcome) Message() Message {
	var detail, failure Message
	switch {
	case o.Done && o.Detail.ID == NoFault().ID:
		return Say("outcome-nothing", o.Detail)
	case o.ByLab:
		detail = Say("detail", Say("detail-lab"))
	case !o.Detail.IsZero():
		detail = Say("detail", o.Detail)
	}
	switch {
	case !o.Why.IsZero():
		failure = Say("failure", o.Why)
	case o.Err != "":
		failure = Say("failure", o.Err)
	}
	switch o.Result() {
	case ResultDone:
		return Say("outcome-done", o.Action.done(), detail, failure)
	case ResultUnknown:
		return Say("outcome-unknown", o.Action.Message(), detail, failure)
	}
	return Say("outcome-not-done", o.Action.Message(), detail, failure)
}

func (a Action) done() Message {
	switch a.Kind {
	case RevokeLease:
		return Say("revoked-lease", a.Lease)
	case DeleteClaim:
		return Say("deleted-claim", a.Key)
	case SpawnProc:
		if a.Contender != "" {
			return Say("started", a.Contender)
		}
		return Say("added-contender", a.Lock)
	case InjectFault:
		return Say("did-fault", a.Fault.Done())
	case HealFault:
		return Say("healed", a.Fault)
	case HealAll:
		return Say("healed-all")
	case TellProc:
		return Say("told", a.Contender, a.Word)
	}
	return Say("did", string(a.Kind))
}

// ShellQuote quotes s for a POSIX shell. Where s has what a terminal would obey, the
// quotes are $'…' with escapes, which bash, zsh and ksh read, so that the line can be
// shown.
func ShellQuote(s string) string {
	if inside := strings.Trim(s, " "); Printable(inside) != strings.ReplaceAll(inside, `\`, `\\`) { // quotes show blanks
		return "$'" + strings.ReplaceAll(ansiC(s), "'", `\'`) + "'"
	}
	return plainQuote(s)
}

// GrantRead is the command that lets a role read the keys under a prefix, all keys for "".
func GrantRead(prefix string) string {
	return "etcdctl role grant-permission ROLE --prefix=true read " + ShellQuote(prefix)
}

// plainQuote quotes s as it is.
func plainQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ctlQuote quotes a key for the line format of etcdctl txn, which reads Go string
// syntax.
func ctlQuote(s string) string { return fmt.Sprintf("%q", s) }

// ansiC escapes s byte by byte where it is not printable ASCII.
func ansiC(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c) // three digits: none of what follows can join
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

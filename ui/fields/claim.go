package fields

import (
	"iter"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
)

// Claim is a key in the queue of a lock, at a time.
type Claim struct {
	*locks.Claim
	S        *store.View
	L        *locks.Lock
	Now      time.Time
	Position int // from 1
	Role     model.Role
	Ahead    *locks.Claim // what it waits for, nil for nothing
}

// Queue yields the queue of a lock in order, the holders first.
func Queue(s *store.View, l *locks.Lock, now time.Time) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		n := 0
		l.Queue(func(c, ahead *locks.Claim) bool {
			n++
			return yield(At(s, l, now, c, n, ahead))
		})
	}
}

// At is the key c, which stands at a position of the queue, from 1, behind ahead.
func At(s *store.View, l *locks.Lock, now time.Time, c *locks.Claim, position int, ahead *locks.Claim) Claim {
	x := Claim{c, s, l, now, position, status.RoleAt(l, c, position-1), ahead}
	switch x.Role {
	case model.RoleHolds, model.RoleForeign, model.RoleBlocks:
		x.Ahead = nil // readers hold together, though one stands behind the other, and a key that is no claim waits for none
	}
	return x
}

// Claims are the fields of a claim in a queue.
var Claims = []Field[Claim]{
	{Name: "lock", In: In{CSV: 10}, Raw: func(x Claim) string { return x.L.Name }},
	{Name: "position", Title: "title-place", In: In{Table: 10, CSV: 20, JSON: 10, Console: 10}, Width: Width{Least: 3, Fair: 4, Most: 4, Rank: 1, Right: true},
		Own: position},
	{Name: "role", Title: "title-role", In: In{Table: 20, CSV: 30, JSON: 20, Console: 20}, Width: Width{Least: 8, Most: 10},
		JSON: Text, Cell: roleWord, Record: func(x Claim) string { return x.Role.Name() }},
	{Name: "key", Title: "title-key", In: In{Table: 30, CSV: 40, JSON: 30, Console: 40}, Width: Width{Least: 11, Fair: 16, Most: 40, Rank: 8},
		JSON: Bytes, Raw: func(x Claim) string { return x.Key }},
	{Name: "create_revision", Title: "title-created", In: In{Table: 40, CSV: 50, JSON: 40, Console: 50}, Width: Width{Least: 9, Fair: 9, Most: 14, Rank: 6, Right: true},
		Own: created},
	{Name: "mod_revision", Title: "title-modified", In: In{Wide: 40, CSV: 60, JSON: 50}, Own: modified},
	{Name: "version", Title: "title-version", In: In{Wide: 50, CSV: 70, JSON: 60}, Own: version},
	{Name: "lease", Title: "title-lease", In: In{Table: 50, CSV: 80, JSON: 70},
		Cell: func(x Claim) string { return leaseID(x.Claim) }, Record: func(x Claim) string { return leaseIf(x.KV.Lease) }},
	{Title: "title-ttl", In: In{Table: 60}, Cell: func(x Claim) string { return lease(x.Claim, x.Now) }},
	{Title: "title-lease", In: In{Console: 60}, Width: Width{Least: 13, Fair: 25, Most: 25, Rank: 3}},
	{Name: "value", Title: "title-value", In: In{Wide: 60, CSV: 180, JSON: 80},
		Cell: value, Raw: func(x Claim) string { return x.Value }}, // an empty one is empty
	{Name: "identity", Title: "title-who", In: In{Table: 90, CSV: 90, JSON: 90, Console: 30}, Width: Width{Least: 9, Fair: 16, Most: 34, Rank: 2},
		Cell: clientName, Record: func(x Claim) string { return Guarded(x.S.IdentityOf(x.Claim).Text) }},
	{Name: "identity_source", In: In{CSV: 100}, Record: func(x Claim) string { return x.S.IdentityOf(x.Claim).Source }},
	{Name: "granted", Title: "title-granted", In: In{Wide: 10, CSV: 110, JSON: 100},
		Cell:   claimReading(Reading.granted),
		Record: claimReading(func(r Reading) string { return intIf(r.Known, r.Granted) })},
	{Name: "remaining", Title: "title-left", In: In{Wide: 20, CSV: 120, JSON: 110},
		Cell:   claimReading(Reading.leftText),
		Record: claimReading(func(r Reading) string { return intIf(r.Known, r.Remaining) })},
	{Name: "renewed_ago", Title: "title-renewed", In: In{Wide: 30, CSV: 130, JSON: 120},
		Cell:   claimReading(Reading.renewed),
		Record: claimReading(func(r Reading) string { return secondsIf(r.RenewedKnown, r.Renewed) })},
	{Name: "lease_state", In: In{CSV: 140, JSON: 130}, JSON: Text, Record: func(x Claim) string { return string(x.LeaseInfo().State()) }},
	{Name: "since", Title: "title-since", In: In{Table: 70, CSV: 150, JSON: 140, Console: 70}, Width: Width{Least: 6, Fair: 7, Most: 7, Rank: 4, Right: true},
		Cell:   func(x Claim) string { return model.Duration(x.Waited(x.Now)) },
		Record: func(x Claim) string { return x.Since.Format(time.RFC3339Nano) }},
	{Name: "since_is_lower_bound", In: In{CSV: 160, JSON: 150}, JSON: Bare, Record: func(x Claim) string { return strconv.FormatBool(x.SinceAtLeast) }},
	{Name: "waits_for", Title: "title-waits-for", In: In{Table: 80, CSV: 170, JSON: 160, Console: 80}, Width: Width{Least: 11, Fair: 16, Most: 28, Rank: 7},
		Raw: func(x Claim) string { return x.aheadKey() }},
	{Title: "title-note", In: In{Console: 90}, Width: Width{Least: 20, Most: 64, Rank: 5}},
}

func value(x Claim) string {
	if x.Unread {
		return model.ValueUnread
	}
	return model.Printable(x.Value)
}

func position(x Claim) string { return strconv.Itoa(x.Position) }
func created(x Claim) string  { return rev(x.CreateRev) }
func modified(x Claim) string { return rev(x.ModRev) }
func version(x Claim) string  { return rev(x.Version) }

// claimReading is a value of the reading of its lease.
func claimReading(value func(Reading) string) func(Claim) string {
	return func(x Claim) string { return value(ReadingOf(x.LeaseInfo(), x.Now)) }
}

func (x Claim) aheadKey() string {
	if x.Ahead == nil {
		return ""
	}
	return x.Ahead.Key
}

func clientName(x Claim) string {
	id := x.S.Identity(x.Ref())
	if id.Text == "" {
		return "-"
	}
	return id.Text + " (" + id.Source + ")"
}

// roleWord is what the claim is, with a question mark where nobody knows that the keys compete.
func roleWord(x Claim) string {
	if x.L.Doubtful() && (x.Role == model.RoleHolds || x.Role == model.RoleWaits) {
		return string(x.Role) + "?"
	}
	return string(x.Role)
}

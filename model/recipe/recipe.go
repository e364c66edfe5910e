package recipe

import (
	"cmp"
	"slices"
)

// Confidence says how sure a statement is.
type Confidence string

// Confidences, in falling order.
const (
	Certain Confidence = "certain" // follows from what etcd says
	Strong  Confidence = "strong"  // state with timing or history
	Hint    Confidence = "hint"    // another cause would look the same
)

// Compare orders confidences, the surest first.
func (c Confidence) Compare(d Confidence) int { return c.rank() - d.rank() }

func (c Confidence) rank() int {
	switch c {
	case Certain:
		return 0
	case Strong:
		return 1
	}
	return 2
}

// Order is what orders a queue, as the JSON output names it.
type Order string

// Orders.
const (
	ByCreate Order = "create_revision"
	ByMod    Order = "mod_revision"
	NoOrder  Order = "none" // a single key
)

// Rhythm is how clients of a recipe renew their leases.
type Rhythm int

// Rhythms.
const (
	RenewsAtThird Rhythm = iota // at a third of the TTL, as the Go client, npm etcd3 and jetcd do
	RenewsByHand                // when the program says so: a falling TTL proves nothing
	RenewsNever                 // by design: the TTL is the time to work
)

// Recipe is the rule by which the keys under one name compete.
type Recipe struct {
	// Name is how it is written on the screen, in JSON and in --recipe.
	Name string
	// Users are who uses it, in a few words.
	Users string
	Shape Shape
	Order Order
	// HasHolder is false where the keys only look alike: they are listed in order, and
	// nothing is said of a holder.
	HasHolder bool
	// Readers, if set, are the form of claims that hold together while no other stands
	// between them, Writers the form that a reader waits for: the last one ahead. All
	// other claims wait for the key just ahead, and hold alone.
	Readers, Writers *Form
	// Permits is how many claims hold together at most, the first ones; 0 says nothing. Who waits
	// then waits for any of them, and only leased keys right below the lock's name count.
	Permits int
	Rhythm  Rhythm
	// Confidence is how sure one can be of it. Signs are by what it is told; without any
	// only a pin makes it.
	Confidence Confidence
	Signs      []Sign
	// AnyName: any key right below the lock's name competes, also one that has lost its
	// lease.
	AnyName bool
	// Ignore, if set, finds keys of the recipe that are no claims, whatever they look like.
	Ignore func(k *Key) bool
	// Held, if set, says by a value whether anybody holds: the key outlives its holders.
	Held func(value string) bool
	// Owner, if set, reads who wrote a value; source is "uuid" or "value", who is raw and
	// empty if the value is not of the recipe.
	Owner func(value string) (who, source string)
	// Leads: its holder is meant to hold for as long as it lives, and who waits stands by.
	Leads bool
	// Beside is what the name of a key ends with that stands beside the lock, has no lease
	// and says who holds: <lock><Beside>. Empty: there is no such key.
	Beside string
	// Plays are the words by which the lab's contenders take part.
	Plays []string
	// Ghost is the code of the finding for a client that is told that it won when its
	// key had gone; empty is that of elections.
	Ghost string
}

// WaitersVisible is false where waiting leaves no key in etcd.
func (r *Recipe) WaitersVisible() bool { return r.Shape != Single }

// Exclusive is true where at most one claim may hold.
func (r *Recipe) Exclusive() bool { return r.HasHolder && r.Readers == nil && r.Permits < 2 }

// ByName says whether the recipe's own name tells a contender how to take part.
func (r *Recipe) ByName() bool { return slices.Contains(r.Plays, r.Name) }

// Sign is one way to tell a recipe. What it does not ask for is not looked at.
type Sign struct {
	// Forms: every claim of the queue is of one of these forms.
	Forms []*Form
	// Lock asks for more of the queue; Key asks a key that may be a lock by itself.
	Lock func(l Look) bool
	Key  func(k *Key) bool
	// Registered: the key that Registry names is on the same lease.
	Registered bool
	// When says whether the values have to be known.
	When Values
	// Confidence is that of the recipe, if empty.
	Confidence Confidence
	// Why says in words what the sign is.
	Why []string
	// Or are those of which the recipe is one, the likeliest first. A claim that was put twice
	// says more: then it is one of IfRewritten.
	Or, IfRewritten []*Recipe
}

// Values says what is known of the values of keys.
type Values uint8

// What a sign needs.
const (
	ValuesAny    Values = iota // the sign does not ask for values
	ValuesRead                 // it does
	ValuesUnread               // it stands in for values that were not read
)

func (s *Sign) serves(unread bool) bool {
	return s.When == ValuesAny || (s.When == ValuesUnread) == unread
}

// notSeen is said where only the values would tell more.
const notSeen = "the values were not seen, and only they would tell more"

// Look is what is to be seen of one lock.
type Look struct {
	Name  string
	Tally *Tally
	// OnLease says whether a key of that name is on the lease of First, nil where nobody knows.
	OnLease func(key string) bool
	// First is the first key of the queue if that is a claim right here, else nil.
	First *Key
	// Unread: the values of the claims were not seen. Then what the path speaks of is a sign.
	Unread bool
}

// Recognition is a recipe and the sign by which it was told; both are nil if nothing was.
type Recognition struct {
	*Recipe
	Sign *Sign
	// Kind are the forms of the keys that compete; others are foreign.
	Kind FormSet
}

// Confidence says how sure it is.
func (t Recognition) Confidence() Confidence { return cmp.Or(t.Sign.Confidence, t.Recipe.Confidence) }

func (l Look) ownCount() int32 { return l.Tally.in(l.Tally.Kind(), &l.Tally.Forms) }

func (l Look) valued() int32 { return l.Tally.in(l.Tally.Kind(), &l.Tally.Valued) }

// Shares says whether a claim of that form may hold together with those before it.
func (r *Recipe) Shares(f FormID) bool {
	return r.Permits > 1 || r.Readers != nil && f == r.Readers.id
}

// Bars says whether a claim of that form is what readers wait for.
func (r *Recipe) Bars(f FormID) bool { return r.Writers != nil && f == r.Writers.id }

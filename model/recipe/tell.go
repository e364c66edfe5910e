package recipe

import "cmp"

// Sign is one way to tell a recipe. What it does not ask for is not looked at.
type Sign struct {
	// Of: every claim of the queue is of one of these forms.
	Of []*Form
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
	// Or are the recipes that would look the same. A claim that was put twice says more:
	// then it is one of IfRewritten.
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

func (s *Sign) serves(values Values) bool { return s.When == ValuesAny || s.When == values }

// Look is what is to be seen of one lock.
type Look struct {
	Name  string
	Tally *Tally
	// OnLease says whether a key of that name is on the lease of First, nil where nobody knows.
	OnLease func(key string) bool
	// First is the first key of the queue if that is a claim right here, else nil.
	First *Key
}

func (l Look) own() int32    { return l.Tally.in(l.Tally.Kind(), &l.Tally.Forms) }
func (l Look) valued() int32 { return l.Tally.in(l.Tally.Kind(), &l.Tally.Valued) }

// Told is a recipe and the sign by which it was told; both are nil if nothing was.
type Told struct {
	*Recipe
	Sign *Sign
	// Kind are the forms of the keys that compete; others are foreign.
	Kind FormSet
}

// AnyForm are all forms.
const AnyForm = ^FormSet(0)

// Confidence says how sure it is.
func (t Told) Confidence() Confidence { return cmp.Or(t.Sign.Confidence, t.Recipe.Confidence) }

// Pinned is the recipe as somebody said it.
func (r *Recipe) Pinned() Told { return Told{r, pinned, AnyForm} }

var pinned = &Sign{Confidence: Certain, Why: []string{"pinned with --recipe"}}

// Tell names the recipe of a lock from what its claims look like. It is a function
// of the keys as they stand.
func Tell(s Shape, l Look) Told { return tell(s, l, ValuesRead) }

// TellUnread is [Tell] where no value was read: what the path speaks of is taken as a sign.
func TellUnread(s Shape, l Look) Told { return tell(s, l, ValuesUnread) }

func tell(shape Shape, l Look, values Values) Told {
	switch shape {
	case Single:
		if l.First != nil {
			if t := tellKey(l.First, values, l.OnLease); t.Sign != nil {
				return t
			}
		}
		return ByPin.Pinned()
	case Queue:
		kind := l.Tally.Kind()
		for _, r := range All() {
			for i := range r.Signs {
				s := &r.Signs[i]
				if s.Of == nil || !s.serves(values) || setOf(s.Of...) != kind {
					continue
				}
				if s.Lock == nil || s.Lock(l) {
					return Told{r, s, kind}
				}
			}
		}
		return Told{Mixed, generic(Mixed), kind}
	}
	return Told{OrderOnly, generic(OrderOnly), AnyForm}
}

// generic is the sign of an answer that is left when no other fits, the recipe's last one.
func generic(r *Recipe) *Sign { return &r.Signs[len(r.Signs)-1] }

// TellKey names the recipe of a leased key that is a lock by itself; Sign is nil if
// nothing says that it is one.
func TellKey(k *Key) Told { return tellKey(k, ValuesRead, nil) }

func tellKey(k *Key, values Values, onLease func(key string) bool) Told {
	for _, r := range singles {
		for i := range r.Signs {
			s := &r.Signs[i]
			if s.serves(values) && s.Key(k) && (!s.Registered || onLease != nil && onLease(Registry(k))) {
				return Told{r, s, AnyForm}
			}
		}
	}
	return Told{}
}

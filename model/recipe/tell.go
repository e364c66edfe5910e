package recipe

import "cmp"

// Sign is one way to tell a recipe. What it does not ask for is not looked at.
type Sign struct {
	// Of: every claim of the queue is of one of these forms.
	Of []*Form
	// Lock asks for more of the queue; Key asks a key that may be a lock by itself.
	Lock func(l Look) bool
	Key  func(k *Key) bool
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
	// First is the first key of the queue if that is a claim right here, else nil.
	First *Key
}

// Told is a recipe and the sign by which it was told; both are nil if nothing was.
type Told struct {
	*Recipe
	Sign *Sign
}

// Confidence says how sure it is.
func (t Told) Confidence() Confidence { return cmp.Or(t.Sign.Confidence, t.Recipe.Confidence) }

// Pinned is the recipe as somebody said it.
func (r *Recipe) Pinned() Told { return Told{r, pinned} }

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
			if t := TellKey(l.First); t.Sign != nil {
				return t
			}
		}
		return ByPin.Pinned()
	case Queue:
		for _, r := range All() {
			for i := range r.Signs {
				s := &r.Signs[i]
				if s.Of == nil || !s.serves(values) || !l.Tally.all(s.Of) {
					continue
				}
				if s.Lock == nil || s.Lock(l) {
					return Told{r, s}
				}
			}
		}
		return Told{Mixed, generic(Mixed)}
	}
	return Told{OrderOnly, generic(OrderOnly)}
}

// generic is the sign of an answer that is left when no other fits, the recipe's last one.
func generic(r *Recipe) *Sign { return &r.Signs[len(r.Signs)-1] }

// TellKey names the recipe of a leased key that is a lock by itself; Sign is nil if
// nothing says that it is one.
func TellKey(k *Key) Told { return tellKey(k, ValuesRead) }

func tellKey(k *Key, values Values) Told {
	for _, r := range singles {
		for i := range r.Signs {
			if s := &r.Signs[i]; s.serves(values) && s.Key(k) {
				return Told{r, s}
			}
		}
	}
	return Told{}
}

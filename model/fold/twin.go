package fold

import (
	"reflect"
	"time"

	"locktop/model/journal"
	"locktop/model/keyspace"
	"locktop/model/recipe"
	"locktop/model/twin"
)

// Twins makes second states of states. It is not safe for concurrent use.
type Twins struct {
	maker *twin.Maker
	// Copies of entries of the journal, which are most of a state: those of the last twin and
	// of the one that is being made.
	last, next map[uint64]*journal.Entry
	now        time.Time // of the state that is copied
}

// NewTwins returns a maker of twins.
func NewTwins() *Twins {
	t := &Twins{maker: twin.NewMaker([]reflect.Type{reflect.TypeFor[recipe.Recipe](), reflect.TypeFor[recipe.Form](),
		reflect.TypeFor[recipe.Sign](), reflect.TypeFor[time.Location]()}, keyspace.Shared()...)}
	twin.Instead(t.maker, t.instead, func(e *journal.Entry) {
		if t.next != nil {
			t.next[e.Seq] = e
		}
	})
	return t
}

// instead shares entries that do not change any more, and in what is kept also those that are
// as they were in the twin before.
func (t *Twins) instead(e *journal.Entry) *journal.Entry {
	if e.Quiet(t.now) {
		return e
	}
	if o := t.last[e.Seq]; o != nil && o.Alone() && *o == *e {
		t.next[e.Seq] = o
		return o
	}
	return nil
}

// Of returns a state that is as s is, and that goes its own way from here on. Nobody may apply
// to s meanwhile.
func (t *Twins) Of(s *State) *State {
	t.now = s.Now()
	return twin.Of(t.maker, s)
}

// Keep returns a twin that nobody may apply to, and about how many bytes it takes: it shares
// with the one that was kept before what is the same.
func (t *Twins) Keep(s *State) (*State, int) {
	t.next = map[uint64]*journal.Entry{}
	defer func() { t.last, t.next = t.next, nil }()
	return t.Of(s), t.maker.Bytes
}

package store

import (
	"reflect"
	"time"

	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/recipe"
	"locktop/model/twin"
)

// Twins keeps states as they are. It is not safe for concurrent use.
type Twins struct {
	maker *twin.Maker
	now   time.Time // of the state that is taken
}

// shareEntries is how many entries of the journal may stay in memory for all states that are kept, some
// 200 MiB of them: what comes later is packed with each state, which takes less, and longer to make anew.
const shareEntries = 300_000

// Kept is a state as it was. States that are made of it go their own ways; several may be made
// at once.
type Kept = twin.Image[Store]

// NewTwins returns a maker of twins.
func NewTwins() *Twins {
	t := &Twins{maker: twin.NewMaker([]reflect.Type{reflect.TypeFor[recipe.Recipe](), reflect.TypeFor[recipe.Form](),
		reflect.TypeFor[recipe.Sign](), reflect.TypeFor[time.Location]()}, locks.Shared()...)}
	twin.Share(t.maker, func(e *journal.Entry) bool { return e.Seq <= shareEntries && e.Quiet(t.now) }) // most of a state
	return t
}

// Keep keeps a state as it is now. Nobody may apply to it meanwhile.
func (t *Twins) Keep(s *Store) *Kept {
	t.now = s.Now()
	return twin.Keep(t.maker, s)
}

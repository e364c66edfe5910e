package discover

import (
	"cmp"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/recipe"
)

// PrefixGuess is a prefix under which keys compete, as far as keys, versions and
// leases tell: it comes of a look that reads no value.
type PrefixGuess struct {
	// Prefix is what to watch, raw bytes. It ends with a slash unless the lock is a
	// key by itself, or many names at the root begin alike.
	Prefix string
	// Pattern is how the names of the locks look, with a * for what differs.
	Pattern string
	// Recipe is the name of the recipe, or of the first that fits: Alternatives are
	// those that only a value would tell from it.
	Recipe       string
	Alternatives []string
	// Confidence says how sure it is that Recipe or one of Alternatives is right.
	Confidence model.Confidence
	// Locks and Claims are what was found, Leased how many of the claims have a
	// lease. A claim without one never goes by itself.
	Locks, Claims, Leased int
	// Example is a claim's key, raw bytes: the first one in key order of one lock.
	Example string
}

// Guesser finds the prefixes that look like locks. It takes keys without their
// values, in any order, and classifies each as the state of the locks does; it remembers the locks,
// not the keys. The zero value is ready.
type Guesser struct {
	// Pins fix recipes by hand; the longest prefix that covers a key counts.
	Pins []model.Pin

	sites    map[string]*place
	key      recipe.Key     // the one that is looked at
	detached map[string]int // keys that lost their lease, by where they stand
}

// place is a name that at least one key competes for.
type place struct {
	name      string
	shape     recipe.Shape
	tally     recipe.Tally
	leased    int32
	rewritten bool               // a claim was put more than once, so it has a value
	single    recipe.Recognition // of the key that is a lock by itself
	example   string
}

// Add takes one key in. Its value is not looked at where it is empty.
func (g *Guesser) Add(kv *model.KV) {
	var (
		k      = &g.key
		lock   string
		form   recipe.FormID
		single recipe.Recognition
	)
	g.key = kv.RecipeKey()
	g.key.Unread = true
	if p := model.PinOf(kv.Key, g.Pins); p != nil {
		lock, form = p.Recipe.Place(k)
	} else {
		if lock, form = recipe.Place(k); form.Shape() == recipe.Single {
			single = recipe.TellKey(k)
		}
	}
	if form == 0 {
		if recipe.Detached(k) {
			if g.detached == nil {
				g.detached = map[string]int{}
			}
			g.detached[k.Dir()]++
		}
		return
	}
	s := g.site(lock)
	s.tally.Count(form, false, 1)
	s.shape = max(s.shape, form.Shape())
	s.rewritten = s.rewritten || kv.Version > 1
	if kv.Lease != 0 {
		s.leased++
	}
	if single.Sign != nil {
		s.single = single
	}
	if s.example == "" || kv.Key < s.example {
		s.example = kv.Key
	}
}

func (g *Guesser) site(name string) *place {
	s := g.sites[name]
	if s == nil {
		if g.sites == nil {
			g.sites = map[string]*place{}
		}
		s = &place{name: name}
		g.sites[name] = s
	}
	return s
}

// Guesses returns what was found, merged where siblings follow the same recipe: the
// surest first, among those the one with most claims.
func (g *Guesser) Guesses() []PrefixGuess {
	var rows []*shape
	for _, s := range g.sites {
		rows = append(rows, g.shapeOf(s))
	}
	slices.SortFunc(rows, func(a, b *shape) int { return strings.Compare(a.common, b.common) })
	rows = absorb(merge(rows))
	slices.SortStableFunc(rows, func(a, b *shape) int { return cmp.Or(a.rank()-b.rank(), b.claims-a.claims) })
	guesses := make([]PrefixGuess, 0, len(rows))
	for _, r := range rows {
		guesses = append(guesses, r.guess())
	}
	return guesses
}

// rank orders rows by how much they say.
func (sh *shape) rank() int {
	switch {
	case sh.recipe.Shape == recipe.Group:
		return 2
	case sh.confidence == model.Hint:
		return 1
	}
	return 0
}

// verdict is what can be said of a lock's recipe.
type verdict struct {
	recipe     *recipe.Recipe
	confidence model.Confidence
	open       *recipe.Sign // if only values would tell it from others
}

// verdict names the recipe of a lock whose values were not read.
func (s *place) verdict(pins []model.Pin) verdict {
	var found recipe.Recognition
	if p := model.PinOf(s.name+"/", pins); p != nil {
		found = p.Recipe.Pinned(&s.tally)
	} else if found = s.single; s.shape != recipe.Single {
		found = recipe.Tell(s.shape, recipe.Look{Name: s.name, Tally: &s.tally, Unread: true})
	}
	v := verdict{recipe: found.Recipe, confidence: found.Confidence()}
	if found.Sign.Or != nil {
		v.open = found.Sign
	}
	return v
}

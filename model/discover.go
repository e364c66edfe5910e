package model

import (
	"slices"
	"strings"
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
	Confidence Confidence
	// Locks and Claims are what was found, Leased how many of the claims have a
	// lease. A claim without one never goes by itself.
	Locks, Claims, Leased int
	// Example is a claim's key, raw bytes: the first one in key order of one lock.
	Example string
}

// Guesser finds the prefixes that look like locks. It takes keys without their
// values, in any order, and classifies each as a State does; it remembers the locks,
// not the keys. The zero value is ready.
type Guesser struct {
	// Pins fix recipes by hand; the longest prefix that covers a key counts.
	Pins []Pin

	sites    map[string]*site
	detached map[string]int // keys that lost their lease, by where they stand
}

// site is a name that at least one key competes for.
type site struct {
	name      string
	mode      mode
	forms     [forms]int32 // how many claims of each form
	own       int32        // how many of them make a queue
	leased    int32
	rewritten bool    // a claim was put more than once, so it has a value
	single    *Recipe // of the key that is a lock by itself
	example   string
}

// lock is what a recipe is told from.
func (s *site) lock() *Lock {
	l := &Lock{Name: s.name, mode: s.mode, own: int(s.own)}
	for f, n := range s.forms {
		l.forms[f] = int(n)
	}
	return l
}

// Add takes one key in. Its value is not looked at where it is empty.
func (g *Guesser) Add(kv *KV) {
	p, single := placeUnread(kv, g.Pins)
	if p.form == formOther {
		if dir, _, ok := split(kv.Key); ok && detachedForm(kv) {
			if g.detached == nil {
				g.detached = map[string]int{}
			}
			g.detached[dir]++
		}
		return
	}
	s := g.site(p.lock)
	s.forms[p.form]++
	if modeOf(p.form) == modeQueue {
		s.own++
	}
	s.mode = max(s.mode, modeOf(p.form))
	s.rewritten = s.rewritten || kv.Version > 1
	if kv.Lease != 0 {
		s.leased++
	}
	if single != nil {
		s.single = single
	}
	if s.example == "" || kv.Key < s.example {
		s.example = kv.Key
	}
}

func (g *Guesser) site(name string) *site {
	s := g.sites[name]
	if s == nil {
		if g.sites == nil {
			g.sites = map[string]*site{}
		}
		s = &site{name: name}
		g.sites[name] = s
	}
	return s
}

// placeUnread is placeOf for a key whose value was not read, with the recipe if the
// key is a lock by itself.
func placeUnread(kv *KV, pins []Pin) (place, *Recipe) {
	p := placeOf(kv, pins)
	switch {
	case p.form == formSingle && pinOf(kv.Key, pins) == nil:
		return p, singleRecipe(kv)
	case p.form == formLeased && pinOf(kv.Key, pins) == nil && strings.Contains(kv.Key, "_locks/"):
		return place{kv.Key, formSingle}, RecipeNamed("etcd3-py") // known by its value otherwise
	}
	return p, nil
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
	guesses := make([]PrefixGuess, 0, len(rows))
	for _, r := range rows {
		guesses = append(guesses, r.guess())
	}
	slices.SortStableFunc(guesses, func(a, b PrefixGuess) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return b.Claims - a.Claims
	})
	return guesses
}

// rank orders guesses by how much they say.
func rank(p PrefixGuess) int {
	switch {
	case p.Recipe == OrderOnly.Name:
		return 2
	case p.Confidence == Hint:
		return 1
	}
	return 0
}

// verdict is what can be said of a lock's recipe.
type verdict struct {
	recipe     *Recipe
	open       bool // a mutex or an election: only values tell
	confidence Confidence
}

// verdict names the recipe of a lock whose values were not read. Where the path
// speaks of what it is for, that is taken as a sign.
func (s *site) verdict(pins []Pin) verdict {
	if p := pinOf(s.name+"/", pins); p != nil {
		return verdict{recipe: p.Recipe, confidence: Certain}
	}
	if s.mode == modeSingle && s.single != nil {
		c := s.single.Confidence
		if s.single.Name == "etcd3-py" {
			c = Hint
		}
		return verdict{recipe: s.single, confidence: c}
	}
	r := s.lock().recipeOf(pins)
	switch {
	case r == OrderOnly && s.mode == modeQueue && strings.HasSuffix(s.name, "/locks"):
		return verdict{recipe: VitessLock, confidence: Hint} // its value would tell
	case r != Mutex:
		return verdict{recipe: r, confidence: r.Confidence}
	case strings.HasSuffix(s.name, "vault/core/lock"):
		return verdict{recipe: Tagged, confidence: Strong}
	case electionish(s.name):
		return verdict{recipe: Election, confidence: Strong}
	case lockish(s.name):
		return verdict{recipe: Mutex, confidence: Strong}
	}
	return verdict{recipe: Mutex, open: true, confidence: Strong}
}

// electionish says whether a path speaks of elections, as those of TiDB, DM, M3 and
// Stolon do.
func electionish(path string) bool {
	for seg := range strings.SplitSeq(strings.ToLower(path), "/") {
		switch seg {
		case "election", "elections", "leader", "leaders", "owner", "_ld", "sentinel-leader":
			return true
		}
	}
	return false
}

package model

import (
	"strings"

	"locktop/model/recipe"
)

// Confidence says how sure a statement is.
type Confidence = recipe.Confidence

// Confidences, in falling order.
const (
	Certain = recipe.Certain
	Strong  = recipe.Strong
	Hint    = recipe.Hint
)

// Pin says by hand what etcd cannot tell of the keys under a prefix.
type Pin struct {
	Prefix string
	// Recipe is the rule by which they compete, nil for what their form says.
	Recipe *recipe.Recipe
	// Expect is how many contenders each lock should have, 0 for not declared.
	Expect int
}

// PinOf returns the pin that fixes the recipe of a key, nil for none.
func PinOf(key string, pins []Pin) *Pin {
	var best *Pin
	for i := range pins {
		if p := &pins[i]; p.Recipe != nil && strings.HasPrefix(key, p.Prefix) && (best == nil || len(p.Prefix) > len(best.Prefix)) {
			best = p
		}
	}
	return best
}

// RecipeKey is the key as a recipe looks at it.
func (kv *KV) RecipeKey() recipe.Key {
	return recipe.NewKey(kv.Key, kv.Value, int64(kv.Lease), kv.Version)
}

// shown is the key as a recipe looks at it, until the next one is shown.
func (k *Keys) shown(kv *KV) *recipe.Key {
	k.shownKey = kv.RecipeKey()
	return &k.shownKey
}

// tell names the rule of a lock: by the pin that covers it, else from what its claims
// look like.
func (k *Keyspace) tell(l *Lock) recipe.Told {
	if len(k.pins) > 0 {
		name := l.Name
		if l.mode != recipe.Single {
			name += "/"
		}
		if p := PinOf(name, k.pins); p != nil {
			return p.Recipe.Pinned()
		}
	}
	look := recipe.Look{Name: l.Name, Tally: &l.tally}
	if h := l.queue.first(); h != nil && h.home == l.dir {
		look.First = k.shown(&h.KV)
	}
	return recipe.Tell(l.mode, look)
}

// Split cuts a key into the directory and the last segment. ok is false for a
// key without a slash, which no queue can contain.
func Split(key string) (dir, last string, ok bool) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}

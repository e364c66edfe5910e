package model

import (
	"strings"
	"time"

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
	// Exact: it says so of the key, or of the lock, of that name alone.
	Exact bool
	// Recipe is the rule by which they compete, nil for what their form says.
	Recipe *recipe.Recipe
	// Expect is how many contenders each lock should have, 0 for not declared.
	Expect int
	// Wait is from when on a wait is worth a word, 0 for not declared.
	Wait time.Duration
	// Long: each lock there is meant to be held for long, and who waits stands by.
	Long bool
}

// PinOf returns the pin that fixes the recipe of a key, nil for none.
func PinOf(key string, pins []Pin) *Pin {
	var best *Pin
	for i := range pins {
		p := &pins[i]
		if p.Recipe == nil || !p.covers(key) || best != nil && (best.Exact && !p.Exact || best.Exact == p.Exact && len(p.Prefix) <= len(best.Prefix)) {
			continue
		}
		best = p
	}
	return best
}

// covers says whether the pin is about a key. An exact one is about the key of its name,
// and about the keys right below: the claims of a lock of that name.
func (p *Pin) covers(key string) bool {
	rest, ok := strings.CutPrefix(key, p.Prefix)
	if !p.Exact || !ok {
		return ok
	}
	below, ok := strings.CutPrefix(rest, "/")
	return rest == "" || ok && p.Recipe.Shape != recipe.Single && !strings.Contains(below, "/")
}

// RecipeKey is the key as a recipe looks at it.
func (kv *KV) RecipeKey() recipe.Key {
	k := recipe.NewKey(kv.Key, kv.Value, int64(kv.Lease), kv.Version)
	k.Unread = kv.Unread
	return k
}

// HasValue says whether the key has a value, which may have been left out.
func (kv *KV) HasValue() bool { return kv.Value != "" || kv.Unread }

// Split cuts a key into the directory and the last segment. ok is false for a
// key without a slash, which no queue can contain.
func Split(key string) (dir, last string, ok bool) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}

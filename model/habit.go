package model

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"time"

	"locktop/model/recipe"
)

// habits are what the watch has seen of leased keys that go and come back. A key that one
// client after another creates is a lock wherever it stands: a snapshot does not tell that,
// so what follows from it is marked as observed.
type habits struct {
	of    map[string]*habit
	names []string // the oldest first
}

// habitsMax bounds how many keys are remembered.
const habitsMax = 4096

// habit is what was seen of one key.
type habit struct {
	takes       int // how often it was created again by another lease
	last        ClaimRef
	gone        time.Time
	owners      []uint64 // of the first different values, in order
	recurs      bool     // one of them came back after another
	constant    bool     // every life had one and the same value, and it is not empty
	plain       bool     // every value may be an owner's name
	let         bool     // a life ended otherwise than by running out
	rewritten   bool
	least, most time.Duration // of the lives that were seen whole
	again       bool          // it is worth keeping when memory is short
}

const ownersKept = 4

// ended notes that a leased key went that is no claim of a queue; timed if it was seen as it happened.
func (k *Keyspace) ended(c *Claim, timed bool) {
	if c.lease == nil || c.form.Shape() != recipe.Group && c.form.Shape() != recipe.Single {
		return
	}
	h := k.habits.of[c.Key]
	if h == nil {
		h = k.habits.remember(c.Key)
		h.value(c.Value)
	}
	h.last, h.gone, h.again = refOf(c), k.now, true
	h.rewritten = h.rewritten || c.Version > 1
	if len(h.last.Value) > 256 {
		h.last.Value = ""
	}
	if !timed || c.SinceAtLeast {
		return
	}
	life := k.now.Sub(c.Since)
	h.most = max(h.most, life)
	if h.least == 0 || life < h.least {
		h.least = life
	}
	ttl := time.Duration(c.lease.Granted()) * time.Second
	// No lease of etcd is shorter than two seconds, and one that is not renewed ends a second late at most.
	h.let = h.let || life < 1500*time.Millisecond || h.most-h.least > 3*time.Second || ttl > 0 && (life < ttl-time.Second || life > ttl+4*time.Second)
}

// remember makes room for a key. What never came back goes first.
func (hs *habits) remember(key string) *habit {
	for tries := 0; len(hs.names) >= habitsMax; tries++ {
		oldest := hs.names[0]
		hs.names = append(hs.names[:0], hs.names[1:]...)
		if h := hs.of[oldest]; h.takes > 0 && h.again && tries < habitsMax/2 {
			h.again = false
			hs.names = append(hs.names, oldest)
			continue
		}
		delete(hs.of, oldest)
	}
	if hs.of == nil {
		hs.of = map[string]*habit{}
	}
	h := &habit{constant: true, plain: true}
	hs.of[key] = h
	hs.names = append(hs.names, key)
	return h
}

// value notes the value of a life.
func (h *habit) value(v string) {
	h.plain = h.plain && len(v) <= 64 && (v == "" || v[0] != '{' && v[0] != '[')
	sum := fnv.New64a()
	sum.Write([]byte(v))
	is := sum.Sum64()
	for i, o := range h.owners {
		if o == is {
			h.recurs = h.recurs || i < len(h.owners)-1 && v != ""
			h.constant = h.constant && v != ""
			return
		}
	}
	h.constant = len(h.owners) == 0 && v != ""
	if len(h.owners) < ownersKept {
		h.owners = append(h.owners, is)
	}
}

// came notes that a leased key was created, and returns what is known of it if it was before.
func (k *Keyspace) came(c *Claim) *habit {
	h := k.habits.of[c.Key]
	if h == nil || c.KV.Lease == 0 || c.KV.Lease == h.last.Lease {
		return nil
	}
	h.takes++
	h.value(c.Value)
	return h
}

// lock says how sure it is that a key is a lock by what it was seen to do, and why: empty
// if that says nothing. A registration comes back with the value that it had, a cached value
// runs out, and both stand beside others that never come back under another lease.
func (k *Keyspace) lock(h *habit, key *recipe.Key, alone func() bool) (sure Confidence, why string) {
	if h == nil || h.takes == 0 || h.rewritten || recipe.Registration(key) {
		return "", ""
	}
	why = fmt.Sprintf("it was created %d times by other leases than before, each time anew", h.takes)
	if h.takes == 1 {
		why = "it was created again by another lease than before"
	}
	switch {
	case recipe.Speaks(key.Name) && h.takes > 1:
		return Strong, why + ", and its path speaks of locks or leaders"
	case h.recurs && h.let && h.takes > 1 && h.plain:
		return Strong, why + ", by owners that take turns"
	case recipe.Speaks(key.Name):
		return Hint, why + ", and its path speaks of locks or leaders"
	case !h.constant && h.plain && h.let && h.takes > 1 && alone():
		return Hint, why
	}
	return "", ""
}

// takesTurns says whether a leased key is a lock by itself by what was seen of it.
func (k *Keyspace) takesTurns(key *recipe.Key, d *dir) bool {
	h := k.habits.of[key.Name]
	if h == nil {
		return false
	}
	sure, _ := k.lock(h, key, func() bool { return k.comeBack(d, key.Name) })
	return sure != ""
}

// comeBack says whether all other leased keys of the directory came back, too.
func (k *Keyspace) comeBack(d *dir, but string) bool {
	if d == nil || len(d.others) > MaxScan {
		return false
	}
	for c := range d.others {
		if h := k.habits.of[c.Key]; c.Key != but && c.lease != nil && (h == nil || h.takes == 0) {
			return false
		}
	}
	return true
}

// observed raises what was told of a lock by its keys alone, and says whether it did.
func (k *Keyspace) observed(l *Lock, t recipe.Told, key *recipe.Key) (recipe.Told, bool) {
	switch l.mode {
	case recipe.Single:
		known := recipe.TellKey(key).Sign != nil
		sure, why := k.lock(k.habits.of[l.Name], key, func() bool { return true })
		if known && (sure != Strong || t.Confidence() != Hint) {
			return t, false
		}
		if !known {
			t = recipe.Told{Recipe: recipe.SingleKey, Sign: &recipe.Sign{}, Kind: recipe.AnyForm}
			why = cmp.Or(why, "it was created again by another lease than before")
		}
		sign := &recipe.Sign{Confidence: cmp.Or(sure, Hint), Why: append(append([]string{}, t.Sign.Why...), why)}
		return recipe.Told{Recipe: t.Recipe, Sign: sign, Kind: t.Kind}, true
	case recipe.Group:
		if l.same < 2 || l.other > 0 || l.queue.n < 2 {
			return t, false
		}
		sign := &recipe.Sign{Confidence: Strong, Why: append(append([]string{}, t.Sign.Why...),
			"keys came back with the value that they had before, while others stayed: each has a name of its own, and none competes")}
		return recipe.Told{Recipe: t.Recipe, Sign: sign, Kind: t.Kind}, true
	}
	return t, false
}

// continues takes a lock that a key became by coming back up where the key's last life ended.
func (k *Keyspace) continues(c *Claim, h *habit) {
	l := c.Lock()
	if l == nil || l.mode != recipe.Single || !l.lastHolder.IsZero() || h.last.Lease == 0 {
		if home := c.home; home != nil && home.lock != nil && home.lock.mode == recipe.Group {
			if h.constant {
				home.lock.same++
			} else {
				home.lock.other++
			}
		}
		return
	}
	l.lastHolder, l.freeSince, l.freePast = h.last, h.gone, k.past
}

// Remembered returns of how many keys that went it is known how they behaved.
func (k *Keyspace) Remembered() int { return len(k.habits.of) }

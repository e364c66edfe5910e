package locks

import (
	"fmt"
	"hash/fnv"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// Inferences remembers how keys that went behaved.
type Inferences struct {
	byName map[string]*Inference
	names  []string // the oldest first
}

// inferencesMax is how many keys are remembered.
const inferencesMax = 4096

// Inference is what was seen of one key.
type Inference struct {
	takes       int // how often it was created again by another lease
	last        model.ClaimRef
	removedAt   time.Time
	lasted      time.Duration // the last life, as far as it was seen
	whole       bool          // it was seen from its beginning to its end
	owners      []uint64      // of the first different values, in order; none where they were not seen
	recurs      bool          // one of them came back after another
	constant    bool          // every life had one and the same value, and it is not empty
	plain       bool          // every value may be an owner's name
	endedEarly  bool          // a life ended otherwise than by running out
	rewritten   bool
	least, most time.Duration // of the lives that were seen whole
	again       bool          // it is worth keeping when memory is short
}

const ownersKept = 4

// Life is one life of a key that ended.
type Life struct {
	Claim  model.ClaimRef
	KV     model.KV
	Unread bool          // its value was not seen
	At     time.Time     // when it ended
	Whole  bool          // it was seen from its beginning to its end
	Lasted time.Duration // as far as it was seen
	TTL    time.Duration // of its lease, 0 if that is not known
}

// ByKey returns what was seen of a key, nil for nothing.
func (is *Inferences) ByKey(key string) *Inference { return is.byName[key] }

// Len returns of how many keys that went it is known how they behaved.
func (is *Inferences) Len() int { return len(is.byName) }

// Ended notes that a leased key went.
func (is *Inferences) Ended(l Life) {
	h := is.byName[l.KV.Key]
	if h == nil {
		h = is.remember(l.KV.Key)
		h.value(l.KV.Value, l.Unread)
	}
	h.last, h.removedAt, h.lasted, h.whole, h.again = l.Claim, l.At, l.Lasted, l.Whole, true
	h.rewritten = h.rewritten || l.KV.Version > 1
	if len(h.last.Value) > 256 {
		h.last.Value = ""
	}
	if !l.Whole {
		return
	}
	h.most = max(h.most, l.Lasted)
	if h.least == 0 || l.Lasted < h.least {
		h.least = l.Lasted
	}
	// No lease of etcd is shorter than two seconds, and one that is not renewed ends a second late at most.
	h.endedEarly = h.endedEarly || l.Lasted < 1500*time.Millisecond || h.most-h.least > 3*time.Second || l.TTL > 0 && (l.Lasted < l.TTL-time.Second || l.Lasted > l.TTL+4*time.Second)
}

// remember makes room for a key. What never came back goes first.
func (is *Inferences) remember(key string) *Inference {
	for tries := 0; len(is.names) >= inferencesMax; tries++ {
		oldest := is.names[0]
		is.names[0] = ""
		is.names = is.names[1:]
		if h := is.byName[oldest]; h.takes > 0 && h.again && tries < inferencesMax/2 {
			h.again = false
			is.names = append(is.names, oldest)
			continue
		}
		delete(is.byName, oldest)
	}
	if is.byName == nil {
		is.byName = map[string]*Inference{}
	}
	h := &Inference{constant: true, plain: true}
	is.byName[key] = h
	is.names = append(is.names, key)
	return h
}

// value notes the value of a life.
func (in *Inference) value(v string, unread bool) {
	if unread {
		return
	}
	in.plain = in.plain && len(v) <= 64 && (v == "" || v[0] != '{' && v[0] != '[')
	sum := fnv.New64a()
	sum.Write([]byte(v))
	is := sum.Sum64()
	for i, o := range in.owners {
		if o == is {
			in.recurs = in.recurs || i < len(in.owners)-1 && v != ""
			in.constant = in.constant && v != ""
			return
		}
	}
	in.constant = len(in.owners) == 0 && v != ""
	if len(in.owners) < ownersKept {
		in.owners = append(in.owners, is)
	}
}

// Returned notes that a leased key was created, and returns what is known of it if it was before; unread
// says that its value was not seen.
func (is *Inferences) Returned(kv *model.KV, unread bool) *Inference {
	h := is.byName[kv.Key]
	if h == nil || kv.Lease == 0 || kv.Lease == h.last.Lease {
		return nil
	}
	h.takes++
	h.value(kv.Value, unread)
	return h
}

// Last returns the claim that its key was last, and when that went.
func (in *Inference) Last() (last model.ClaimRef, gone time.Time) { return in.last, in.removedAt }

// Lasted returns how long its key had been there when it last went; atLeast if not all of that
// was seen.
func (in *Inference) Lasted() (d time.Duration, atLeast bool) { return in.lasted, !in.whole }

// CameBack says whether its key was created again by another lease; nil for a key of which
// nothing is known.
func (in *Inference) CameBack() bool { return in != nil && in.takes > 0 }

// Constant says whether every life had one and the same value, as far as values were seen.
func (in *Inference) Constant() (same, known bool) {
	known = len(in.owners) > 0
	return known && in.constant, known
}

// Lock says how sure it is that a key is a lock by what it was seen to do, and why: empty
// if that says nothing. A registration comes back with the value that it had, a cached value
// runs out, and both stand beside others that never come back under another lease.
func (in *Inference) Lock(key *recipe.Key, alone func() bool) (sure model.Confidence, why string) {
	if !in.CameBack() || in.rewritten || recipe.Registration(key) {
		return "", ""
	}
	why = fmt.Sprintf("it was created %d times by other leases than before, each time anew", in.takes)
	if in.takes == 1 {
		why = "it was created again by another lease than before"
	}
	switch {
	case recipe.Speaks(key.Name) && in.takes > 1 && !key.Unread: // that may register something
		return model.Strong, why + ", and its path speaks of locks or leaders"
	case in.recurs && in.endedEarly && in.takes > 1 && in.plain:
		return model.Hint, why + ", by owners that take turns" // values of a cache come back, too
	case recipe.Speaks(key.Name):
		return model.Hint, why + ", and its path speaks of locks or leaders"
	case !in.constant && in.plain && in.endedEarly && in.takes > 1 && alone():
		return model.Hint, why
	}
	return "", ""
}

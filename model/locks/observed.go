package locks

import (
	"cmp"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// ended notes that a leased key went that is not a claim of a queue.
func (ks *Keys) ended(c *Claim, now time.Time) {
	if c.lease == nil || c.form.Shape() != recipe.Group && c.form.Shape() != recipe.Single && !c.standsAlone() {
		return
	}
	ks.inferences.Ended(Life{Claim: refOf(c), KV: c.KV, Unread: c.KV.Unread, At: now, Whole: ks.change.timed && !c.SinceAtLeast,
		Lasted: now.Sub(c.Since), TTL: time.Duration(c.lease.Granted()) * time.Second})
}

// takesTurns says whether a leased key is a lock by itself by what was seen of it.
func (ks *Keys) takesTurns(key *recipe.Key, d *dir) bool {
	sure, _ := ks.inferences.ByKey(key.Name).Lock(key, func() bool { return ks.comeBack(d, key.Name) })
	return sure != ""
}

// comeBack says whether all other leased keys of the directory came back, too.
func (ks *Keys) comeBack(d *dir, exceptKey string) bool {
	if d == nil || len(d.others) > MaxScan {
		return false
	}
	for c := range d.others {
		if c.Key != exceptKey && c.lease != nil && !ks.inferences.ByKey(c.Key).CameBack() {
			return false
		}
	}
	return true
}

// observed raises what was told of a lock by its keys alone, and says whether it did.
func (ks *Keys) observed(l *Lock, t recipe.Recognition, key *recipe.Key) (recipe.Recognition, bool) {
	switch l.mode {
	case recipe.Single:
		known := recipe.TellKey(key).Sign != nil
		sure, why := ks.inferences.ByKey(l.Name).Lock(key, func() bool { return true })
		if known && (sure != model.Strong || t.Confidence() != model.Hint) {
			return t, false
		}
		if !known {
			t = recipe.Recognition{Recipe: recipe.SingleKey, Sign: &recipe.Sign{}, Kind: recipe.AnyForm}
			why = cmp.Or(why, "it was created again by another lease than before")
		}
		sign := &recipe.Sign{Confidence: cmp.Or(sure, model.Hint), Why: append(append([]string{}, t.Sign.Why...), why)}
		return recipe.Recognition{Recipe: t.Recipe, Sign: sign, Kind: t.Kind}, true
	case recipe.Group:
		if l.same < 2 || l.other > 0 || l.queue.Len() < 2 {
			return t, false
		}
		sign := &recipe.Sign{Confidence: model.Strong, Why: append(append([]string{}, t.Sign.Why...),
			"keys came back with the value that they had before, while others stayed: each has a name of its own, and none competes")}
		return recipe.Recognition{Recipe: t.Recipe, Sign: sign, Kind: t.Kind}, true
	}
	return t, false
}

// continues takes a lock that a key became by coming back up where the key's last life ended.
func (ks *Keys) continues(c *Claim, h *Inference) {
	l := c.Lock()
	last, gone := h.Last()
	if l == nil || l.mode != recipe.Single || !l.lastHolder.IsZero() || last.Lease == 0 {
		if home := c.home; home != nil && home.lock != nil && home.lock.mode == recipe.Group {
			switch same, known := h.Constant(); {
			case same:
				home.lock.same++
			case known:
				home.lock.other++
			}
		}
		return
	}
	l.lastHolder, l.freeSince, l.freePast, l.freeLate = last, gone, ks.change.unobserved, ks.change.unobserved
	held, atLeast := h.Lasted()
	l.lastLoss = &journal.Entry{At: gone, Kind: journal.Left, Lock: l.Name, Claim: last, WasHolder: true,
		Why:   journal.Why{Cause: journal.CauseUnknown, Confidence: model.Hint, Evidence: model.Say("key-not-known-as-lock")},
		Spans: journal.Spans{Held: held, HeldAtLeast: atLeast}}
}

// Remembered returns of how many keys that went it is known how they behaved.
func (ks *Keys) Remembered() int { return ks.inferences.Len() }

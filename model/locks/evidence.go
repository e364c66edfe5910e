package locks

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// evidence is what was seen of a queue of keys that are named by their lease. Their names alone do
// not say what they are for: a list of members and a semaphore have such names, too.
type evidence struct {
	// inOrder counts claims that came behind others, became the first, and left before those behind
	// them. aside counts those that left from behind others.
	inOrder, aside int32
	gone, seen     int32  // how many turns there were, and how often they were no chance
	turns          []turn // the last ones
	turned         bool   // they were no chance, as often as it takes
	played         bool   // a program says that it takes part in the lock, or a person how many do
	watched        bool   // a client watched a key of the queue, as one does that waits for it
}

// Bounds of the evidence.
const (
	orderShare = 4                      // one that leaves from behind, as after a timeout, for so many in order
	visit      = 200 * time.Millisecond // TryLock comes and goes faster
	stand      = time.Minute            // who waits for longer may only stand by, however long the hold
	lead       = 10 * time.Minute       // who holds for longer may lead
	standPause = 10 * time.Minute       // the one that comes in another's place comes sooner
)

// noteLeft counts a claim that left its queue.
func (l *Lock) noteLeft(g *removedKey, at time.Time) {
	c, e := g.claim, &l.evidence
	if l.mode != recipe.Queue || c.SinceAtLeast {
		return
	}
	switch {
	case g.place == 0 && l.queue.Len() > 0 && c.got > c.Since.UnixMicro(): // it came behind others, and others behind it
		e.inOrder++
	case g.place > 0 && at.Sub(c.Since) >= visit:
		e.aside++
	}
	if e.turned || l.confidence != model.Hint || l.counts.ByLease(l.kind) == 0 && l.queue.Len() > 0 {
		return
	}
	e.noteTurn(turn{c.Since.UnixMicro(), at.UnixMicro(), l.queue.Len() + 1})
}

// noteTurn takes in one more turn, and asks now and then whether all of them are no chance.
func (e *evidence) noteTurn(t turn) {
	e.gone++
	e.turns = addTurn(e.turns, t)
	switch {
	case e.gone%turnsEvery != 0:
	case e.mostlyInOrder() && takeTurns(e.turns):
		e.seen, e.turns, e.gone = e.seen+1, nil, 0
		e.turned = e.seen == turnsTimes
	case len(e.turns) == turnsMax:
		e.seen = 0
	}
}

// mostlyInOrder says whether few left from behind others, as after a timeout.
func (e *evidence) mostlyInOrder() bool { return e.aside*orderShare <= e.inOrder }

// proof returns how sure what was seen makes it that the keys compete, and by what; empty for not
// at all.
func (l *Lock) proof() (model.Confidence, model.Message) {
	e, most := &l.evidence, l.recipe.Confidence
	switch {
	case l.recipe.Shape != recipe.Queue: // also of one that is free, which keeps its last recipe
	case e.played:
		return most, model.Say("programs-take-part")
	case e.watched:
		return most, model.Say("a-client-watches-the-key-ahead")
	case e.turned && e.mostlyInOrder() && most != model.Hint:
		return model.Strong, model.Say("claims-leave-in-their-order")
	}
	return "", model.Message{}
}

// orderlyFrom is from how many claims in the order of their arrival on, and none out of it, a lock
// may be said to move.
const orderlyFrom = 2

// Orderly says whether all claims that were seen to leave after others came left in the order in
// which they came.
func (l *Lock) Orderly() bool { return l.evidence.inOrder >= orderlyFrom && l.evidence.aside == 0 }

// raises says whether what was seen makes the recipe surer than the keys do.
func (l *Lock) raises() bool {
	sure, _ := l.proof()
	return sure != "" && l.confidence != "" && sure.Compare(l.confidence) < 0
}

// LastMove returns when a claim last came to wait for the lock, or gave up, after such a time, as far as
// that was seen; that time for never. Those who only stand by neither come nor go, but for one that comes
// in the place of one that went: its program was started again, or died.
func (l *Lock) LastMove(after time.Time) time.Time {
	last, went := after, 0
	for _, f := range slices.Backward(l.journal) {
		if f.At.Before(after.Add(-standPause)) {
			break
		}
		switch {
		case l.gaveUp(f):
			if f.At.After(last) {
				last = f.At
			}
		case f.Kind == journal.Left && !f.WasHolder, f.Kind == journal.Handover && f.Held >= lead:
			went++
		}
	}
	var newest time.Time
	for c := range l.ClaimsBack {
		switch {
		case !l.IsClaim(c):
			continue
		case c.SinceAtLeast || !c.Since.After(last):
			return last
		case newest.IsZero():
			newest = c.Since
		}
		if went--; went < 0 { // more came than went
			return newest
		}
	}
	return last
}

// gaveUp says whether a waiter that left had come to work: it waited neither for long nor for most of the
// hold, and its program did not die.
func (l *Lock) gaveUp(f *journal.Entry) bool {
	return f.Kind == journal.Left && !f.WasHolder && !f.Unseen && !f.Past && (f.Cause == journal.CauseReleased || f.Cause == journal.CauseRevoked) &&
		!f.WaitedAtLeast && f.Waited >= visit && f.Waited < stand && 2*f.Waited < f.At.Sub(l.headSince)
}

// Presumed says whether only the names of the keys say that they compete: neither the path speaks of
// a lock, nor was anything seen that only keys do which wait for each other.
func (l *Lock) Presumed() bool {
	return l.mode == recipe.Queue && l.confidence == model.Hint && l.counts.ByLease(l.kind) > 0 && !l.raises()
}

// ByPath says, where it is so, that nothing but the path tells the keys from a list of members.
func (l *Lock) ByPath() model.Message {
	if l.mode == recipe.Queue && l.confidence == model.Strong && l.counts.ByLease(l.kind) > 0 && !l.raises() && l.evidence.inOrder == 0 {
		return model.Say("its-path-alone-tells")
	}
	return model.Message{}
}

// Unsure says what else the keys may be, before somebody breaks what they are taken for; zero where more
// than names says that they compete.
func (l *Lock) Unsure() model.Message {
	switch {
	case l.Presumed():
		return model.Say("only-perhaps-a-lock", l.Name)
	case l.recipe.HasHolder && l.RecipeConfidence() == model.Hint:
		return model.Say("its-kind-is-a-guess", l.Name, l.recipe.Name)
	}
	return l.ByPath()
}

// Doubtful says whether it is presumed, and its keys were not yet seen to take turns.
func (l *Lock) Doubtful() bool { return l.Presumed() && !l.Orderly() }

// LikeMembers says whether only the names of the keys say that they compete, and something speaks against
// it: the path, what they have for values, or that they were seen to leave in any order.
func (l *Lock) LikeMembers() bool {
	return l.Doubtful() && (l.counts.AnyValued() || l.speaksAgainst())
}

// speaksAgainst says whether more than the values of the keys says that they may not compete: the path, or
// that more left from behind others than in order.
func (l *Lock) speaksAgainst() bool {
	return l.SpeaksOfMembers() || l.evidence.aside > l.evidence.inOrder
}

// mayBeMembers says whether who is first may not hold: a value alone has a leader, too.
func (l *Lock) mayBeMembers() bool { return l.LikeMembers() && l.speaksAgainst() }

// SpeaksOfMembers says whether the path speaks of keys that are there together: members, permits.
func (l *Lock) SpeaksOfMembers() bool { return recipe.SpeaksOfMembers(l.Name) }

// Seen says what was seen of the keys that speaks for the recipe or against it, and where only their names
// speak for it, what it would take to be surer. How many permits a semaphore has, nothing tells safely:
// a waiter that gives up looks like a holder that releases.
func (l *Lock) Seen() (all []model.Message) {
	switch _, seen := l.proof(); {
	case l.raises():
		all = append(all, seen)
	case l.Presumed():
		all = append(all, model.Say("members-or-permits-look-the-same"), model.Say("what-would-tell-more"))
	}
	if aside := l.SeenAside(); !aside.IsZero() {
		all = append(all, aside)
	}
	return all
}

// SeenAside says how many claims left from behind others that stayed, nothing if none was seen to.
func (l *Lock) SeenAside() model.Message {
	if n := l.evidence.aside; n > 0 && l.mode == recipe.Queue && l.recipe.Exclusive() {
		return model.Say("left-from-behind-others", n)
	}
	return model.Message{}
}

// plays notes that a program says that it takes part in a lock.
func (ks *Keys) plays(lock string) {
	if lock == "" || ks.played[lock] {
		return
	}
	if ks.played == nil {
		ks.played = map[string]bool{}
	}
	ks.played[lock] = true
	if l := ks.Lock(lock); l != nil {
		l.evidence.played = true
		ks.change.changed(l)
	}
}

// watchedBy notes that a client began to watch a key.
func (ks *Keys) watchedBy(e model.Watches) {
	c := ks.claims[e.Key]
	if !e.On || c == nil {
		return
	}
	if l := c.Lock(); l != nil && !l.evidence.watched {
		l.evidence.watched = true
		ks.change.changed(l)
	}
}

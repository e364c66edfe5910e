package check

import (
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// What contenders said of the locks, and which claim each word is about.

// hold is a time in which a contender believed to hold. to is zero while it does.
type hold struct {
	contender, key string
	lease          model.LeaseID
	token          int64
	asked          time.Time // when it began to wait
	from, to       time.Time
	ended          model.BeliefState // what it said then; "" if its process ended
	trouble        bool              // and it was about an error
	// inferred: it did not say so, but was told by etcd that it holds.
	inferred bool
	// mine says, of one that named neither key nor lease, which claims are of its process.
	mine func(*claim) bool
}

// attempt is a wait for the lock that did not lead to holding it.
type attempt struct {
	contender string
	from, to  time.Time
	text      string
}

// owns notes the first process that a lease is known to be of.
func (h *history) owns(id model.LeaseID, name string) {
	if _, known := h.owners[id]; !known && id != 0 {
		h.owners[id] = drill.Process(name)
	}
}

// owner is the process that a claim is of, "" if nobody said.
func (h *history) owner(c *claim) string {
	if c == nil {
		return ""
	}
	if who := h.OwnerOf(c.lease, c.value); who != "" {
		return who
	}
	return h.owners[c.madeWith]
}

// OwnerOf is the process that a claim is of, by its lease and its value; "" if nobody
// said.
func (h *history) OwnerOf(lease model.LeaseID, value string) string {
	if who := h.owners[lease]; who != "" {
		return who
	}
	if _, ok := h.procs[value]; ok {
		return value // the candidates of elections write their name
	}
	return ""
}

// name is the owner of a claim, or its key.
func (h *history) name(c *claim) string {
	switch who := h.owner(c); {
	case c == nil:
		return "nobody"
	case who == "":
		return model.Printable(c.key)
	default:
		return who
	}
}

// notesMax bounds what is remembered of what contenders said in words.
const notesMax = 10000

// contender notes a process. One that ended believes nothing any more; one that is
// paused still does.
func (h *history) contender(e model.Contender) {
	if h.procs[e.Name].Proc == model.ProcEnded && e.Proc != model.ProcEnded {
		h.anew[e.Name] = e.At
	}
	h.procs[e.Name] = e
	if p := h.programs[e.Name]; p != nil {
		switch n := len(p.words); {
		case e.Proc == model.ProcEnded:
			p.speaks(e.At, "")
			p.asked = false
		case n > 0 && p.words[n-1].state == "":
			p.speaks(e.At, fresh)
		}
	}
	if e.Proc != model.ProcEnded {
		return
	}
	for _, l := range h.locks {
		for who := range l.lastBeliefs {
			if drill.Process(who) == e.Name {
				l.close(who, e.At, "", false)
				delete(l.lastBeliefs, who)
			}
		}
	}
}

func (h *history) belief(e model.Belief) {
	h.owns(e.Lease, e.Contender)
	if e.Text != "" {
		h.notes = append(h.notes[max(0, len(h.notes)-notesMax+1):], e)
	}
	if p := h.programs[e.Contender]; p != nil {
		if p.speaks(e.At, e.State); !p.spoke {
			p.spoke = true
			h.uninfer(e.Contender)
		}
	}
	for name, l := range h.locks {
		if e.Lock == name || e.Lock == "" && e.State != model.BeliefHolding {
			l.belief(e)
			if e.State == model.BeliefHolding && e.Key == "" && e.Lease == 0 && h.programs[e.Contender] != nil {
				began := h.anew[e.Contender]
				l.lastHold(e.Contender).mine = func(c *claim) bool {
					return h.owner(c) == e.Contender && (c.goneAt.IsZero() || c.goneAt.After(began))
				}
			}
		}
	}
}

func (l *lockHistory) belief(e model.Belief) {
	was := l.lastBeliefs[e.Contender]
	l.lastBeliefs[e.Contender] = e
	if e.State == model.BeliefHolding {
		if was.State == model.BeliefHolding && was.Key == e.Key && was.Token == e.Token {
			return
		}
		l.close(e.Contender, e.At, e.State, false)
		asked := e.At
		if was.State == model.BeliefWaiting {
			asked = was.At
		}
		l.holds = append(l.holds, &hold{contender: e.Contender, key: e.Key, lease: e.Lease, token: e.Token, asked: asked, from: e.At})
		return
	}
	l.close(e.Contender, e.At, e.State, e.Text != "")
	if was.State == model.BeliefWaiting && e.State != model.BeliefWaiting {
		l.attempts = append(l.attempts, &attempt{contender: e.Contender, from: was.At, to: e.At, text: e.Text})
	}
}

// lastHold is the last time that a contender believed to hold, which there was.
func (l *lockHistory) lastHold(who string) *hold {
	for _, h := range slices.Backward(l.holds) {
		if h.contender == who {
			return h
		}
	}
	return nil
}

// close ends the belief of a contender to hold.
func (l *lockHistory) close(who string, at time.Time, said model.BeliefState, trouble bool) {
	for _, h := range slices.Backward(l.holds) {
		if h.contender == who {
			if h.to.IsZero() {
				h.to, h.ended, h.trouble = at, said, trouble
			}
			return
		}
	}
}

// nearly is how far the watch usually lies behind a contender's word.
const nearly = 250 * time.Millisecond

// claimOf is the claim that a contender spoke of, nil if there was none. A session
// that locks again has the same key again, so without a token the time must tell: the
// claim was made after the contender asked, unless one of its session was there.
func (l *lockHistory) claimOf(h *hold) *claim {
	if h.mine != nil { // it may wait with one claim while it holds by another, or speak late of one that it had
		first := func(c *claim) bool {
			return c.held && !c.soonestHeld.After(h.from.Add(lagMax)) && h.speaksOf(c) && !l.spokenOf(c, h)
		}
		if c := l.findClaim(h, first); c != nil {
			return c
		}
	}
	return l.findClaim(h, h.speaksOf)
}

// spokenOf says whether a word comes after the time of a claim of which its contender had said before that it holds: the
// claim had gone, or may have, while the watch was lost; or the contender had let go of it, and it went a moment after.
func (l *lockHistory) spokenOf(c *claim, word *hold) bool {
	gone, going := c.goneAt.Before(word.from), c.soonestGone.Before(word.from.Add(lagMax))
	return !c.goneAt.IsZero() && (gone || going) && slices.ContainsFunc(l.holds, func(old *hold) bool {
		if old == word || old.contender != word.contender || old.inferred || old.from.Add(nearly).Before(c.soonest) || !old.from.Before(word.from) {
			return false
		}
		letGo := old.ended != "" && old.ended != model.BeliefHolding && !old.to.After(word.from)
		return gone || letGo
	})
}

// speaksOf says whether a claim may be the one that a contender spoke of.
func (h *hold) speaksOf(c *claim) bool {
	switch {
	case h.token != 0 && c.create != h.token:
		return false
	case h.key != "":
		return c.key == h.key
	case h.lease != 0:
		return c.lease == h.lease
	}
	return h.mine != nil && h.mine(c)
}

// findClaim looks for the claim by the time. A program that names none means the last one that it had where
// it has none: it was paused, or its answer was on its way, and its word came after the claim had gone.
func (l *lockHistory) findClaim(h *hold, may func(*claim) bool) *claim {
	var there, gone, later *claim
	for _, c := range l.claims {
		switch {
		case !may(c):
		case h.token != 0:
			return c
		case c.since.Before(h.asked):
			if c.goneAt.IsZero() || c.goneAt.After(h.asked) {
				there = c
			} else if h.mine != nil {
				gone = c
			}
		case !c.since.After(h.from.Add(nearly)):
			return c
		case later == nil:
			later = c
		}
	}
	switch {
	case there != nil:
		return there
	case gone != nil && (later == nil || later.soonest.After(h.from.Add(lagMax))):
		return gone
	}
	return later
}

// Process is the process of a contender, the zero value if it was never heard of.
func (h *history) Process(contender string) model.Contender { return h.procs[drill.Process(contender)] }

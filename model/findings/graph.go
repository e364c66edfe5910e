package findings

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// Link is one session of a cycle: it holds a lock for which the one before it waits, and waits
// for the lock of the next.
type Link struct {
	Lease        *locks.Lease
	Holds, Waits *locks.Claim
}

// Cycle is a cycle of sessions, each waiting for the next.
type Cycle struct {
	Steps  []Link
	held   map[*locks.Lock]*locks.Claim // the claims that hold its locks
	report *CycleReport                 // what was told of it last
}

// Cycles are those that are known, by the locks in them.
type Cycles struct {
	ByLock  map[*locks.Lock]*Cycle
	locks   []*locks.Lock             // in the order in which they were found
	changed map[*locks.Lease]struct{} // sessions that changed since the last search
	stale   bool                      // a search is due
	next    time.Time                 // and none before
	woken   bool                      // it is made then though nothing else happens
	round   uint64                    // rises with every event
	work    *worklist
}

// newCycles returns those of an empty state, which have the locks in them judged.
func newCycles(w *worklist) *Cycles {
	return &Cycles{ByLock: map[*locks.Lock]*Cycle{}, changed: map[*locks.Lease]struct{}{}, work: w}
}

// A search that met many claims is followed by a pause: where one session waits in thousands of
// locks, and something happens a thousand times a second, not each is a search of its own.
const (
	searchFree  = 1_000 // claims that a search may meet without one
	searchPause = 50 * time.Microsecond
	searchMost  = time.Second
)

// note takes in which sessions changed.
func (cs *Cycles) note(changes []locks.Change) {
	cs.round++
	for i := range changes {
		if l := changes[i].Lease; l != nil {
			cs.stale = true
			if l.Multi() {
				cs.changed[l] = struct{}{}
			}
		}
	}
}

// Update drops the cycles that were broken and looks for new ones, from the sessions that
// changed. Of cycles that share sessions one is known at least. When that one breaks, the
// search is made from its sessions, too. The locks of a cycle of which something changed are
// judged anew.
func (cs *Cycles) Update(k *locks.State) {
	switch now := k.Now(); {
	case !cs.stale:
		return
	case now.Before(cs.next) && cs.wake():
		return
	}
	cs.stale, cs.woken = false, false
	met := cs.dropBroken()
	from := slices.SortedFunc(maps.Keys(cs.changed), func(a, b *locks.Lease) int { return a.ID.Compare(b.ID) })
	clear(cs.changed)
	note := func(c *Cycle) {
		for _, st := range c.Steps {
			l := st.Waits.Lock()
			if cs.ByLock[l] == nil {
				cs.ByLock[l] = c
				cs.locks = append(cs.locks, l)
			}
			cs.work.add(l)
		}
	}
	w := walker{note: note, places: map[*locks.Lease]int{}, done: map[*locks.Lease]bool{}}
	for _, l := range from {
		w.walk(l, nil)
	}
	if met += w.met; met > searchFree {
		cs.next = k.Now().Add(min(time.Duration(met)*searchPause, searchMost))
	}
}

// wake has the search made once the pause is over, and says whether anybody will be there then.
func (cs *Cycles) wake() bool {
	if cs.woken {
		return true
	}
	var who *locks.Lock
	if len(cs.locks) > 0 {
		who = cs.locks[0]
	}
	for l := range cs.changed {
		if claims := l.Competing(); len(claims) > 0 {
			if lock := claims[0].Lock(); lock != nil && (who == nil || lock.Name < who.Name) {
				who = lock
			}
		}
	}
	if who != nil {
		cs.work.addAt(who, cs.next)
	}
	cs.woken = who != nil
	return cs.woken
}

// dropBroken drops the cycles that do not stand any more, and returns how many claims it met.
// The sessions of these count as changed.
func (cs *Cycles) dropBroken() (met int) {
	type fate struct{ stands, changed bool }
	fates := map[*Cycle]fate{}
	known := cs.locks
	cs.locks = nil
	for _, l := range known {
		c := cs.ByLock[l]
		f, seen := fates[c]
		if !seen {
			met += len(c.Steps)
			f = fate{c.Stands(), slices.ContainsFunc(c.Steps, func(st Link) bool { _, is := cs.changed[st.Lease]; return is })}
			fates[c] = f
		}
		if f.changed || !f.stands {
			cs.work.add(l)
		}
		if f.stands {
			cs.locks = append(cs.locks, l)
		} else {
			delete(cs.ByLock, l)
		}
	}
	for c, f := range fates {
		for _, st := range c.Steps {
			if !f.stands {
				cs.changed[st.Lease] = struct{}{}
			}
		}
	}
	return met + len(known)
}

// Stands says whether every session of the cycle still holds what the one before
// waits for.
func (c *Cycle) Stands() bool {
	for i, st := range c.Steps {
		next := c.Steps[(i+1)%len(c.Steps)]
		held, waited := st.Holds.Lock(), st.Waits.Lock()
		switch {
		case st.Holds.LeaseInfo() != st.Lease || st.Waits.LeaseInfo() != st.Lease:
			return false
		case held == nil || !held.Holds(held.Place(st.Holds)):
			return false
		case waited == nil || waited != next.Holds.Lock() || waited.Holds(waited.Place(st.Waits)):
			return false
		}
	}
	return c.isKnot()
}

// isKnot says whether none of the sessions of the cycle can go on. Who waits for a permit of a semaphore
// waits for any of its holders: then all of these have to be stuck, too. Beyond locks.MaxScan sessions it
// is not searched for.
func (c *Cycle) isKnot() bool {
	if !slices.ContainsFunc(c.Steps, func(st Link) bool { return st.Waits.Lock().Recipe().Permits > 1 }) {
		return true
	}
	stuck := map[*locks.Lease]bool{}
	var all []*locks.Lease
	add := func(l *locks.Lease) {
		if l != nil && !stuck[l] {
			stuck[l] = true
			all = append(all, l)
		}
	}
	for _, st := range c.Steps {
		add(st.Lease)
	}
	for i := 0; i < len(all); i++ {
		if len(all) > locks.MaxScan {
			return false
		}
		for _, c := range waitingClaims(all[i]) {
			for holder := range c.Lock().First(c.Lock().Holders()) {
				add(holder.LeaseInfo())
			}
		}
	}
	for again := true; again; {
		again = false
		for l := range stuck {
			if !waitsForStuck(l, stuck) {
				delete(stuck, l)
				again = true
			}
		}
	}
	return !slices.ContainsFunc(c.Steps, func(st Link) bool { return !stuck[st.Lease] })
}

// waitsForStuck says whether a session waits for a lock that one of the stuck holds, or for a semaphore of
// which they hold all permits.
func waitsForStuck(l *locks.Lease, stuck map[*locks.Lease]bool) bool {
	return slices.ContainsFunc(waitingClaims(l), func(c *locks.Claim) bool {
		lk, n := c.Lock(), 0
		for holder := range lk.First(lk.Holders()) {
			if stuck[holder.LeaseInfo()] {
				n++
			}
		}
		return n >= max(1, lk.Recipe().Permits)
	})
}

// walker goes from sessions to those that they wait for, each of them once, and notes
// a cycle wherever it meets one on its way.
type walker struct {
	note   func(*Cycle)
	path   []Link
	places map[*locks.Lease]int // place in path
	done   map[*locks.Lease]bool
	met    int // claims
}

// walk goes on to l, of which has is what the one before waits for.
func (w *walker) walk(l *locks.Lease, held *locks.Claim) {
	if at, ok := w.places[l]; ok {
		steps := slices.Clone(w.path[at:])
		steps[0].Holds = held
		w.met += len(steps)
		if c := newCycle(steps); c.isKnot() {
			w.note(c)
		}
		return
	}
	if w.done[l] || !l.Multi() || !l.Waits() {
		return
	}
	w.done[l] = true
	here := len(w.path)
	w.places[l] = here
	w.path = append(w.path, Link{Lease: l, Holds: held})
	w.met += len(l.Competing())
	for _, c := range waitingClaims(l) {
		lk := c.Lock()
		w.path[here].Waits = c
		for holder := range lk.First(lk.Holders()) {
			if holder.LeaseInfo() != nil && holder.LeaseInfo() != l {
				w.walk(holder.LeaseInfo(), holder)
			}
		}
	}
	w.path = w.path[:here]
	delete(w.places, l)
}

// waitingClaims are those of a session that wait for a lock, by their keys.
func waitingClaims(l *locks.Lease) []*locks.Claim {
	var claims []*locks.Claim
	for _, c := range l.Competing() {
		if lk := c.Lock(); c.Waits() && lk != nil && lk.Recipe().HasHolder && !lk.Holds(lk.Place(c)) {
			claims = append(claims, c)
		}
	}
	slices.SortFunc(claims, func(a, b *locks.Claim) int { return strings.Compare(a.Key, b.Key) })
	return claims
}

func newCycle(steps []Link) *Cycle {
	c := &Cycle{Steps: steps, held: make(map[*locks.Lock]*locks.Claim, len(steps))}
	for _, st := range steps {
		c.held[st.Holds.Lock()] = st.Holds
	}
	return c
}

// HeldIn returns the claim of the cycle that holds a lock of it: to break that one
// frees this lock, and so opens the cycle.
func (c *Cycle) HeldIn(l *locks.Lock) *locks.Claim {
	if held := c.held[l]; held != nil && held.Lock() == l {
		return held
	}
	return c.Steps[0].Holds
}

// CycleReport is what there is to say of a cycle.
type CycleReport struct {
	Cycle *Cycle
	// Since is when it closed; Seen is false if that was before we looked.
	Since    time.Time
	Observed bool
	// Workers says how it is seen that this is no deadlock, and nothing if it is not.
	Workers model.Message

	round uint64
}

// LastTold returns what there is to say of the cycle of a lock now, nil for none. All locks of a
// cycle say the same, so it is found out once for an event.
func (cs *Cycles) LastTold(k *locks.State, l *locks.Lock) *CycleReport {
	c := cs.ByLock[l]
	if c == nil {
		return nil
	}
	if c.report == nil || c.report.round != cs.round {
		c.report = &CycleReport{round: cs.round}
		if c.Stands() { // it may have been broken in a pause of the search
			c.report.Cycle, c.report.Workers = c, c.workers()
			c.report.Since, c.report.Observed = c.closed(k.Prefixes.Woke())
		}
	}
	if c.report.Cycle == nil {
		return nil
	}
	return c.report
}

// closed returns when the cycle closed: the last claim of it appeared, or got what the
// session before waits for; seen is false if that was before we looked. One that appeared
// while we slept has to last from then on, as one that was seen to.
func (c *Cycle) closed(woke time.Time) (since time.Time, seen bool) {
	seen = true
	note := func(at time.Time, atLeast bool) {
		if at.After(since) {
			since, seen = at, !atLeast || !woke.IsZero() && !at.Before(woke)
		}
	}
	for _, st := range c.Steps {
		note(st.Holds.Since, st.Holds.SinceAtLeast)
		note(st.Waits.Since, st.Waits.SinceAtLeast)
		if got, atLeast, holds := st.Holds.HeldSince(); holds {
			note(got, atLeast)
		}
	}
	return since, seen
}

// workers says how it is seen that this is no deadlock, and nothing if it is not: who takes one lock
// after the other takes and lets go of none while it waits, and who leads does so for as long
// as he lives, whatever else his session stands by for.
func (c *Cycle) workers() model.Message {
	if !slices.ContainsFunc(c.Steps, func(st Link) bool { return !st.Holds.Lock().Recipe().Leads }) {
		return model.Say("each-has-a-leader")
	}
	for _, st := range c.Steps {
		if st.Lease.Workers {
			return model.Say("lease-let-go-while-it-waited", st.Lease.ID)
		}
		for _, other := range st.Lease.Claims()[:min(len(st.Lease.Claims()), locks.MaxScan)] {
			l := other.Lock()
			if other == st.Waits || l == nil || !l.Recipe().HasHolder {
				continue
			}
			got, atLeast, holds := other.HeldSince()
			switch {
			case !holds || !l.Holds(l.Place(other)):
				return model.Say("lease-waits-for-another", st.Lease.ID, l.Name)
			case l.Behind() == 0 && l.Handovers == 0: // nobody else wants it: it may be what the session is known by
			case other.CreateRev > st.Waits.CreateRev, !atLeast && got.After(st.Waits.Since):
				return model.Say("lease-took-while-it-waited", st.Lease.ID, l.Name)
			}
		}
	}
	return model.Message{}
}

// shown bounds how many sessions of a cycle are told of: one that reads more has lost the thread.
const shown = 16

// Message says the cycle in a sentence.
func (c *Cycle) Message(k *locks.State, sure model.Confidence) model.Message {
	var all model.Message
	for i, st := range c.shown() {
		next := c.Steps[(i+1)%len(c.Steps)]
		step := model.Say("holds-and-waits", model.Verbatim(k.Owners.Who(st.Holds.Ref())), st.Holds.Lock().Name, next.Holds.Lock().Name)
		if i > 0 {
			step = model.Say("and", all, step)
		}
		all = step
	}
	if more := len(c.Steps) - shown; more > 0 {
		all = model.Say("and-more-up-to-the-first", all, more)
	}
	switch {
	case sure == model.Hint:
		return model.Say("perhaps-a-deadlock", all)
	case len(c.Steps) == 2:
		return model.Say("deadlock-of-two", all)
	}
	return model.Say("deadlock", all)
}

// shown are the sessions that are told of.
func (c *Cycle) shown() []Link { return c.Steps[:min(len(c.Steps), shown)] }

// Evidence says of each session where it stands.
func (c *Cycle) Evidence() []model.Message {
	var lines []model.Message
	for _, st := range c.shown() {
		lines = append(lines, model.Say("session-of-cycle", st.Lease.ID, st.Holds.Key, st.Holds.Lock().Place(st.Holds)+1, st.Waits.Key, st.Waits.Lock().Place(st.Waits)+1))
		if l := st.Waits.Lock(); l.Recipe().Permits > 1 {
			lines = append(lines, model.Say("all-permits-are-stuck", l.Holders(), l.Name))
		}
	}
	return lines
}

// Etcdctl are the commands that show each lease with its keys.
func (c *Cycle) Etcdctl() []string {
	var lines []string
	for _, st := range c.shown() {
		lines = append(lines, st.Lease.ID.Etcdctl())
	}
	return lines
}

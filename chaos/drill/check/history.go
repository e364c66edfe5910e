package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// history is what the checker knows, folded by itself from the same events as the
// screen: etcd's own order, and the reports of the contenders. It is deliberately
// simpler than store.Store, and knows nothing of it.
type history struct {
	locks map[string]*lockHistory
	// single are the locks of one key, below which there are no claims.
	single map[string]bool
	// owners are the processes that leases were granted to, by their own word or
	// that of a listener of their own.
	owners map[model.LeaseID]string
	procs  map[string]model.Contender
	anew   map[string]time.Time // when a process was started that had ended before
	// slept is when we did not run: what came then has the time of its end. starved is when somebody had no
	// processor.
	slept   []model.Slept
	starved []model.Starved
	// lists is how many lists ended, outages are the times in which the watch was lost.
	lists   int
	outages []outage
	// heard is when a revision was last seen, and reached the highest of them. told is the highest that anybody
	// told of. ahead is since when that is higher, zero while it is not, and silent when one was last seen before.
	heard         time.Time
	reached, told int64
	ahead, silent time.Time
	// lastSeen is when the first list ended, and its revision: what came and went before
	// was not seen.
	lastSeen time.Time
	seenRev  int64
	// listed are the keys of the list under way, by prefix.
	listed map[string]map[string]bool
	// notes are what contenders said in words.
	notes []model.Belief
	// programs are the processes that are of the user's own, and what is known of each
	// without its word.
	programs map[string]*program
	// asked is what each client asked so far, as the proxy counted from time to time.
	asked map[string][]model.Asked
}

// outage is a time in which a prefix was not watched. It begins with the last revision that was seen before,
// as a watch may be silent before it is known to be lost. What is seen at its end may have happened at any
// time of it. to is zero while it lasts. gap says that a list ended it, and not a watch that goes on where it
// had stopped: what came and went meanwhile was not seen.
type outage struct {
	prefix   string
	from, to time.Time
	gap      bool
}

// lockHistory is one lock.
type lockHistory struct {
	name string
	// claims are all there were, in the order in which they were seen; queue those
	// that are there, in the order of their create revisions.
	claims, queue []*claim
	// tenures are the claims that came first, in order.
	tenures []headSpan
	// idleSpans are the times in which others waited and the first stayed the same.
	idleSpans []idleSpan
	revisions int // that changed it

	holds       []*hold
	attempts    []*attempt
	lastBeliefs map[string]model.Belief // the last word of each contender
	accesses    []model.Access
}

// claim is one key below the lock, or the lock itself.
type claim struct {
	key, value string
	create     int64
	lease      model.LeaseID
	madeWith   model.LeaseID // that it was made with: a put may take it off
	since      time.Time
	held       bool
	heldAt     time.Time
	// soonest, soonestHeld and soonestGone are the same, where the watch was lost or behind: so long ago it may have been.
	soonest, soonestHeld, soonestGone time.Time
	goneAt                            time.Time // zero while it is there
	goneRev                           int64     // 0 where that is not known
}

// headSpan is a claim that came first, after prev, which went at left. prev is nil for
// the first of all.
type headSpan struct {
	claim, prev *claim
	at, leftAt  time.Time
	rev         int64
}

// idleSpan is a time in which nothing moved. to is zero while it lasts.
type idleSpan struct {
	head     *claim
	from, to time.Time
}

func newHistory(locks, programs []string) *history {
	h := &history{locks: map[string]*lockHistory{}, single: map[string]bool{}, owners: map[model.LeaseID]string{}, procs: map[string]model.Contender{}, anew: map[string]time.Time{}, asked: map[string][]model.Asked{}, listed: map[string]map[string]bool{}, programs: map[string]*program{}}
	for _, name := range programs {
		h.programs[name] = &program{reported: map[string]int64{}}
	}
	for _, name := range locks {
		h.locks[name] = &lockHistory{name: name, lastBeliefs: map[string]model.Belief{}}
	}
	return h
}

// apply folds one event.
func (h *history) apply(e model.Event) {
	switch e := e.(type) {
	case model.Committed:
		h.commit(e)
	case model.LoadStarted:
		if h.listed[e.Prefix] != nil {
			h.loses(e.Prefix).gap = true
		}
		h.listed[e.Prefix] = map[string]bool{}
	case model.Listed:
		for _, kv := range e.KVs {
			h.listed[e.Prefix][kv.Key] = true
			h.each(kv.Key, func(l *lockHistory) { l.put(kv, e.At, h.unseen(e.At)) })
		}
	case model.Loaded:
		h.loaded(e)
	case model.LeaseRead:
		h.hears(e.Rev, e.At)
	case model.ClusterStatus:
		for _, m := range e.Members {
			h.hears(m.Rev, e.At)
		}
	case model.Lost:
		h.loses(e.Prefix)
	case model.Back:
		h.watchesAgain(e.Prefix, e.At)
	case model.Slept:
		h.slept = append(h.slept[max(0, len(h.slept)-sleepsMax+1):], e)
	case model.Starved:
		h.starved = append(h.starved[max(0, len(h.starved)-starvedMax+1):], e)
	case model.LeaseOwner:
		if e.Certain && !e.Renews {
			h.owns(e.Lease, e.Name)
			h.granted(e.Name, e.At)
		}
	case model.Contender:
		h.contender(e)
	case model.Belief:
		h.belief(e)
	case model.Wrote:
		h.hears(e.Rev, e.At)
		h.wrote(e)
	case model.Watches:
		h.watches(e)
	case model.Asked:
		h.asked[e.Name] = append(h.asked[e.Name], e)
	case model.Access:
		if l := h.locks[e.Lock]; l != nil {
			l.accesses = append(l.accesses, e)
		}
	}
}

// loses notes that a prefix is not watched any more.
func (h *history) loses(prefix string) *outage {
	for i := range h.outages {
		if u := &h.outages[i]; u.prefix == prefix && u.to.IsZero() {
			return u
		}
	}
	h.outages = append(h.outages, outage{prefix: prefix, from: h.heard})
	return &h.outages[len(h.outages)-1]
}

// watchesAgain notes that a prefix is watched.
func (h *history) watchesAgain(prefix string, at time.Time) {
	for i := range h.outages {
		if u := &h.outages[i]; u.prefix == prefix && u.to.IsZero() {
			u.to = at
		}
	}
}

// hears takes in that a revision is there. The watch of a member that is cut off shows it late, and is not known to
// be lost before some seconds are over.
func (h *history) hears(rev int64, at time.Time) {
	if h.told = max(h.told, rev); h.told > h.reached && h.ahead.IsZero() && h.listed[""] != nil {
		h.ahead, h.silent = at, h.heard
	}
}

// reaches takes in that the watch has shown a revision.
func (h *history) reaches(rev int64, at time.Time) {
	if h.reached = max(h.reached, rev); h.reached >= h.told && !h.ahead.IsZero() {
		if u, late := h.lags(at); late {
			u.to = at
			h.outages = append(h.outages, u)
		}
		h.ahead = time.Time{}
	}
	h.heard = at
}

// lags is the time in which the watch was behind what others told of, if that was longer than it usually is.
func (h *history) lags(now time.Time) (u outage, late bool) {
	return outage{from: h.silent}, !h.ahead.IsZero() && now.Sub(h.ahead) > nearly
}

// unseen is since when what is seen now may have been there: later than that it would have been seen before.
func (h *history) unseen(now time.Time) time.Time {
	from := now
	if u, late := h.lags(now); late {
		from = u.from
	}
	for _, u := range h.outages {
		if u.from.Before(from) && (u.to.IsZero() || now.Sub(u.to) <= nearly) {
			from = u.from
		}
	}
	return from
}

// delayed says whether the watch was lost in a time, or behind: what was seen then may have happened before.
func (ck *Checker) delayed(from, to time.Time) bool {
	u, late := ck.lags(ck.now)
	return late && u.meets(from, to) || slices.ContainsFunc(ck.outages, func(u outage) bool { return u.meets(from, to) })
}

// missed says whether something may have come and gone unseen in a time.
func (ck *Checker) missed(from, to time.Time) bool {
	u, late := ck.lags(ck.now)
	return late && u.meets(from, to) || slices.ContainsFunc(ck.outages, func(u outage) bool { return (u.gap || u.to.IsZero()) && u.meets(from, to) })
}

func (o outage) meets(from, to time.Time) bool {
	return !o.from.After(to) && (o.to.IsZero() || !o.to.Before(from))
}

// Bounds of what is remembered of the times in which somebody did not run.
const (
	sleepsMax  = 1000
	starvedMax = 20000
)

// idled is for how long of a time somebody was kept from running: some processes by their names, or "" for
// us and the members.
func (h *history) idled(from, to time.Time, who string) (d time.Duration) {
	within := func(since, at time.Time) time.Duration {
		if at.After(to) {
			at = to
		}
		return max(0, at.Sub(model.Later(from, since)))
	}
	for _, s := range h.starved {
		if span := s.At.Sub(s.Since); s.Name == who && span > 0 {
			d += time.Duration(float64(s.For) * float64(within(s.Since, s.At)) / float64(span))
		}
	}
	if who != "" {
		return d
	}
	asleep := time.Duration(0) // has been seen by both
	for _, s := range h.slept {
		asleep += within(s.Since, s.At)
	}
	return max(d, asleep)
}

// loaded ends a list: what it did not contain is gone.
func (h *history) loaded(e model.Loaded) {
	if h.lists++; h.lists == 1 {
		h.lastSeen, h.seenRev = e.At, e.Rev
	}
	unseen := h.unseen(e.At)
	h.watchesAgain(e.Prefix, e.At)
	h.reaches(e.Rev, e.At)
	for _, l := range h.locks {
		for _, c := range slices.Clone(l.queue) {
			if strings.HasPrefix(c.key, e.Prefix) && !h.listed[e.Prefix][c.key] {
				l.take(c.key, e.At, unseen, 0)
			}
		}
		l.settle(e.At, unseen, e.Rev)
	}
}

// commit applies one revision as a whole, and then looks who is first.
func (h *history) commit(e model.Committed) {
	unseen := h.unseen(e.At)
	h.reaches(e.Rev, e.At)
	var changed []*lockHistory
	for _, ch := range e.Changes {
		h.each(ch.KV.Key, func(l *lockHistory) {
			if ch.Deleted {
				l.take(ch.KV.Key, e.At, unseen, e.Rev)
			} else {
				l.put(ch.KV, e.At, unseen)
			}
			if !slices.Contains(changed, l) {
				changed = append(changed, l)
			}
		})
	}
	for _, l := range changed {
		l.settle(e.At, unseen, e.Rev)
		l.revisions++
		h.infer(l, e.At)
	}
}

// each calls f with every lock that counts the key: etcd's recipes count all keys
// below the name.
func (h *history) each(key string, f func(*lockHistory)) {
	for name, l := range h.locks {
		if key == name || strings.HasPrefix(key, name+"/") {
			f(l)
		}
	}
}

func (l *lockHistory) put(kv model.KV, at, unseen time.Time) {
	for i, c := range l.queue {
		if c.key != kv.Key {
			continue
		}
		if c.create == kv.CreateRev {
			c.value, c.lease = kv.Value, kv.Lease
			return
		}
		c.goneAt, c.soonestGone = at, unseen // deleted and created again
		l.queue = slices.Delete(l.queue, i, i+1)
		break
	}
	c := &claim{key: kv.Key, value: kv.Value, create: kv.CreateRev, lease: kv.Lease, madeWith: kv.Lease, since: at, soonest: unseen}
	l.claims = append(l.claims, c)
	place, _ := slices.BinarySearchFunc(l.queue, c, func(a, b *claim) int {
		return cmp.Or(cmp.Compare(a.create, b.create), strings.Compare(a.key, b.key))
	})
	l.queue = slices.Insert(l.queue, place, c)
}

func (l *lockHistory) take(key string, at, unseen time.Time, rev int64) {
	l.queue = slices.DeleteFunc(l.queue, func(c *claim) bool {
		if c.key == key {
			c.goneAt, c.soonestGone, c.goneRev = at, unseen, rev
		}
		return c.key == key
	})
}

// reads says whether a claim is a reader of the RWMutex of etcd's recipes.
func (l *lockHistory) reads(c *claim) bool { return strings.HasPrefix(c.key, l.name+"/read/") }

// holders are the first claim, and where that reads every reader up to a writer.
func (l *lockHistory) holders() []*claim {
	n := min(1, len(l.queue))
	for n > 0 && n < len(l.queue) && l.reads(l.queue[0]) && l.reads(l.queue[n]) {
		n++
	}
	return l.queue[:n]
}

// settle notes who holds after a revision, and whether that changed.
func (l *lockHistory) settle(at, unseen time.Time, rev int64) {
	holders := l.holders()
	for _, c := range holders {
		if !c.held {
			c.held, c.heldAt, c.soonestHeld = true, at, unseen
		}
	}
	if len(holders) > 0 {
		l.beginHeadSpan(holders[0], at, rev)
	}
	l.beginIdleSpan(at, len(l.queue) > len(holders))
}

func (l *lockHistory) beginHeadSpan(first *claim, at time.Time, rev int64) {
	t := headSpan{claim: first, at: at, rev: rev}
	if n := len(l.tenures); n > 0 {
		last := l.tenures[n-1].claim
		if last == first {
			return
		}
		t.prev, t.leftAt = last, last.goneAt
	}
	l.tenures = append(l.tenures, t)
}

// beginIdleSpan ends the time in which nothing moved if something did, and begins one if
// others wait.
func (l *lockHistory) beginIdleSpan(at time.Time, waited bool) {
	var head *claim
	if len(l.queue) > 0 {
		head = l.queue[0]
	}
	if n := len(l.idleSpans); n > 0 && l.idleSpans[n-1].to.IsZero() {
		if s := &l.idleSpans[n-1]; waited && s.head == head {
			return
		} else {
			s.to = at
		}
	}
	if waited {
		l.idleSpans = append(l.idleSpans, idleSpan{head: head, from: at})
	}
}

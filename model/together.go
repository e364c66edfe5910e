package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	storyMin   = 10               // fewer lines are read one by one
	storyGap   = time.Second      // how far apart leases of one event end
	storyLast  = 5 * time.Second  // and all of them
	storyWits  = 3                // leases that have to be known to have ended so before others are taken to have
	storyNear  = 500              // open entries around one among which storyMin have to be found
	storyAge   = 10 * time.Second // younger sessions are closed as the work goes on
	storyNames = 3                // locks that the sentence names
)

// story is what an entry tells that stands for many.
type story struct {
	entry  *JournalEntry
	parts  []*JournalEntry
	client string // whom all of them name, "" if they do not
	locks  map[string]int
	leases map[LeaseID]int
	last   time.Time
	denied int // parts that turned out to have gone otherwise
}

// Part says whether another entry tells of this one and of many others: see
// JournalEntry.Story. People read that one, programs get both.
func (f *JournalEntry) Part() bool { return f.Story != 0 && f.Kind != EntryTogether }

// StoryVersion rises when entries become parts of another one, or stop being that.
func (c *Chronicle) StoryVersion() uint64 { return c.storyVersion }

// wentTogether finds the claims that went in the revision at hand: those of one lease, or
// of one request. began is the last entry before it.
func (k *Keyspace) wentTogether(began uint64) {
	if len(k.gone) == 0 {
		return
	}
	parts := k.parts[:0]
	defer func() { clear(parts); k.parts = parts[:0] }()
	for _, f := range k.JournalAfter(began) {
		if f.ownGoing() {
			parts = append(parts, f)
		}
	}
	if len(parts) == 0 {
		return
	}
	if s := k.openStory(parts[0]); s != nil {
		s.add(k, parts...)
	} else if len(parts) >= storyMin {
		k.tellTogether(parts)
	}
}

// ownGoing says whether the entry tells of a claim that went in its revision.
func (f *JournalEntry) ownGoing() bool {
	return f.GoneRev != 0 && f.GoneRev == f.Rev && (f.Kind == EntryLeft || f.Kind == EntryHandover)
}

// lostLock says whether it was a holder that went.
func (f *JournalEntry) lostLock() bool { return f.Kind == EntryHandover || f.WasHolder }

// openStory returns what goes on and to which this going may belong.
func (k *Keyspace) openStory(f *JournalEntry) *story {
	for _, s := range k.stories {
		switch {
		case f.Past || !f.Pending || f.At.Sub(s.last) > storyGap || f.At.Sub(s.entry.At) > storyLast:
		case s.client == k.clientOf(f) && k.mayGoWith(f, s.parts[0]):
			return s
		}
	}
	return nil
}

// together finds the claims that went as this one did, at about the same time, and of which
// the cause is still open. Where nothing names their client only leases count that can have
// run out: others close theirs all day long.
func (k *Keyspace) together(f *JournalEntry) {
	if f.story != nil || !f.ownGoing() {
		return
	}
	client := k.clientOf(f)
	if f.Cause != CauseExpired && (f.Cause != CauseRevoked || client == "" || !f.lastedFor(storyAge)) {
		return
	}
	open := k.unexplained.all[k.unexplained.head:]
	i, _ := slices.BinarySearchFunc(open, f.At.Add(causeWait), func(d deadline, at time.Time) int { return d.at.Compare(at) })
	near := open[max(0, i-storyNear):min(len(open), i+storyNear)]
	if _, all := k.goingWith(f, client, near); len(all) < storyMin { // of many thousands not all are looked at in vain
		return
	}
	switch same, all := k.goingWith(f, client, open); {
	case len(same) >= storyMin:
		k.tellTogether(same)
	case len(all) >= storyMin && f.Cause == CauseExpired:
		k.tellTogether(all)
	}
}

// goingWith returns those of the open ones that may have gone with f: of the same client, and all.
func (k *Keyspace) goingWith(f *JournalEntry, client string, open []deadline) (same, all []*JournalEntry) {
	same, all = []*JournalEntry{f}, []*JournalEntry{f}
	for _, d := range open {
		g := d.fact
		if g == f || !g.Pending || g.story != nil || !g.ownGoing() || g.At.Sub(f.At).Abs() > storyLast || !k.mayGoWith(g, f) {
			continue
		}
		if k.clientOf(g) == client {
			same = append(same, g)
		}
		all = append(all, g)
	}
	return around(f, same), around(f, all)
}

// around returns those that went one after another up to f and from there on, in order.
func around(f *JournalEntry, all []*JournalEntry) []*JournalEntry {
	slices.SortFunc(all, func(a, b *JournalEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	from := slices.Index(all, f)
	to := from + 1
	for from > 0 && all[from].At.Sub(all[from-1].At) <= storyGap {
		from--
	}
	for to < len(all) && all[to].At.Sub(all[to-1].At) <= storyGap && all[to].At.Sub(all[from].At) <= storyLast {
		to++
	}
	return all[from:to]
}

// mayGoWith says whether nothing speaks against it that g went for the cause of f. Who closes
// sessions as its work goes on closes young ones; the end of a program takes old ones, too.
func (k *Keyspace) mayGoWith(g, f *JournalEntry) bool {
	if f.Cause == CauseRevoked {
		return g.lastedFor(storyAge)
	}
	return k.canHaveExpired(g, f)
}

func (f *JournalEntry) lastedFor(d time.Duration) bool {
	return f.came.IsZero() || f.At.Sub(f.came) >= d
}

// canHaveExpired says whether nothing speaks against it that g's lease ran out, as that of f
// did: neither its last reading nor its age. What the dead leave is at least as old as the
// time that a lease has left which is renewed at a third of it.
func (k *Keyspace) canHaveExpired(g, f *JournalEntry) bool {
	l := k.byID[g.Removed().Lease]
	var ttl int64
	if of := k.byID[f.Removed().Lease]; of != nil {
		ttl = of.Granted()
	}
	if l != nil && l.HasRead && l.Read.Granted > 0 {
		ttl = l.Read.Granted
		if l.Read.At.Add(time.Duration(l.Read.Remaining) * time.Second).After(g.At.Add(expirySlack)) {
			return false
		}
	}
	return g.lastedFor(time.Duration(ttl)*time.Second*2/3 - time.Second)
}

// clientOf names the client whose claim went, "" if nothing does.
func (k *Keyspace) clientOf(f *JournalEntry) string {
	if id := k.Identity(f.Removed()); id.Source != "uuid" {
		return id.Text
	}
	return ""
}

// tellTogether records the entry that stands for many.
func (k *Keyspace) tellTogether(parts []*JournalEntry) {
	s := &story{client: k.clientOf(parts[0]), parts: make([]*JournalEntry, 0, len(parts)),
		locks: make(map[string]int, len(parts)), leases: make(map[LeaseID]int, len(parts))}
	s.entry = k.Record(&JournalEntry{At: parts[0].At, Rev: parts[0].Rev, Kind: EntryTogether, Pending: true, story: s})
	s.entry.Story = s.entry.Seq
	k.stories = append(k.stories, s)
	s.add(k, parts...)
	k.later(deadline{at: k.now.Add(storyGap), fact: s.entry})
	k.retell()
}

func (s *story) add(k *Keyspace, parts ...*JournalEntry) {
	for _, f := range parts {
		f.Story, f.story = s.entry.Seq, s
		if s.client != "" && s.client != k.clientOf(f) {
			s.client = ""
		}
		if f.lostLock() {
			s.locks[f.Lock]++
		}
		if id := f.Removed().Lease; id != 0 {
			s.leases[id]++
		}
		if f.At.After(s.last) {
			s.last = f.At
		}
		s.parts = append(s.parts, f)
	}
	s.count()
	k.storyVersion++
}

func (s *story) count() {
	s.entry.Count, s.entry.Locks, s.entry.Leases = len(s.parts), len(s.locks), len(s.leases)
}

// notTogether tells an entry by itself again, since it went otherwise than the others. What
// one lease or one request took stays together, however it ended.
func (k *Keyspace) notTogether(f *JournalEntry) {
	s, id := f.story, f.Removed().Lease
	if s == nil || !s.entry.Pending || id == 0 || s.leases[id] >= storyMin || len(s.leases) == 1 {
		return
	}
	f.Story, f.story = 0, nil
	s.denied++
	s.parts = slices.DeleteFunc(s.parts, func(g *JournalEntry) bool { return g == f })
	if f.lostLock() {
		forget(s.locks, f.Lock)
	}
	forget(s.leases, id)
	s.count()
	k.storyVersion++
}

func forget[K comparable](in map[K]int, key K) {
	if in[key]--; in[key] <= 0 {
		delete(in, key)
	}
}

// foretold gives an entry a cause for which no reading came in time: by the last one before,
// else by what went with it, and that is a hint.
func (k *Keyspace) foretold(f *JournalEntry, l *Lease) {
	late := "no reading within " + seconds(k.now.Sub(f.At))
	if f.read {
		late = f.Evidence
	}
	if f.Cause != CauseUnknown {
		f.Evidence += "; " + late
		return
	}
	if !f.ownGoing() { // somebody got the lock later: the cause is that of the loss before
		if lk := k.Lock(f.Lock); lk != nil && lk.lastLoss != nil && lk.lastLoss.GoneRev == f.GoneRev && !lk.lastLoss.Pending {
			f.Cause, f.Confidence, f.Evidence = lk.lastLoss.Cause, lk.lastLoss.Confidence, lk.lastLoss.Evidence
			return
		}
	}
	if !f.read && l != nil && l.HasRead && l.Read.Granted > 0 {
		if cause, sure, why := k.howEnded(l, f, late); cause == CauseExpired {
			f.Cause, f.Confidence, f.Evidence = cause, sure, why
			k.together(f)
			return
		}
	}
	if cause, n := f.story.fate(); cause != "" && (cause != CauseExpired || k.canHaveExpired(f, f.story.parts[0])) {
		f.Cause, f.Confidence, f.fated = cause, Hint, true
		f.Evidence = fmt.Sprintf("%s; others went with it, and %d of their leases ended so: %s", late, n, cause.Words())
		return
	}
	if !f.read {
		f.Evidence += "; " + late
	}
	k.notTogether(f)
}

// fate returns how the leases ended of which that is known, and how many those are; "" if
// they are too few or do not agree.
func (s *story) fate() (Cause, int) {
	if s == nil {
		return "", 0
	}
	var cause Cause
	known := map[LeaseID]bool{}
	for _, f := range s.parts {
		if f.Pending || f.Cause == CauseUnknown || f.fated {
			continue
		}
		if cause != "" && f.Cause != cause {
			return "", 0
		}
		cause, known[f.Removed().Lease] = f.Cause, true
	}
	if len(known) < storyWits || len(known) < 9*s.denied || cause != CauseExpired && cause != CauseRevoked {
		return "", 0
	}
	return cause, len(known)
}

// retell ends what is told together where nothing is open any more.
func (k *Keyspace) retell() {
	k.stories = slices.DeleteFunc(k.stories, func(s *story) bool {
		if k.now.Sub(s.last) < storyGap && len(s.leases) > 1 || slices.ContainsFunc(s.parts, func(f *JournalEntry) bool { return f.Pending }) {
			return false
		}
		s.entry.Pending = false
		s.settle()
		k.journalVersion++
		return true
	})
}

// settle gives the entry of a story the cause that its parts have, with the least confidence
// among them.
func (s *story) settle() {
	e := s.entry
	e.Cause, e.Confidence, e.Evidence = "", "", "the cause of each is told with its claim"
	for i, f := range s.parts {
		if i == 0 {
			e.Cause, e.Confidence = f.Cause, f.Confidence
		}
		if f.Cause != e.Cause {
			e.Cause, e.Confidence = CauseUnknown, Hint
			e.Evidence = "they did not all go for the same cause: each is told with its claim"
			return
		}
		if f.Confidence.Compare(e.Confidence) > 0 {
			e.Confidence = f.Confidence
		}
	}
}

// sentence says what went together, and of whom.
func (s *story) sentence() string {
	var b strings.Builder
	e := s.entry
	waiters := e.Count - e.Locks
	switch {
	case e.Locks == 0:
		b.WriteString(several(e.Count, "waiter", "waiters") + " left")
	case waiters > 0:
		fmt.Fprintf(&b, "%s and %s left", several(e.Locks, "lock lost its holder", "locks lost their holder"), several(waiters, "other claim", "other claims"))
	default:
		b.WriteString(several(e.Locks, "lock lost its holder", "locks lost their holder"))
	}
	switch {
	case e.Leases == 1:
		b.WriteString(" with one lease")
	case e.Leases > 1:
		fmt.Fprintf(&b, " with %d leases", e.Leases)
	}
	if s.client != "" {
		b.WriteString(" of " + s.client)
	}
	first := s.parts[0].At
	if d := s.last.Sub(first); !e.Past && d > 0 {
		b.WriteString(", within " + seconds(d))
	}
	b.WriteString(": " + s.causes())
	if e.Locks > 0 {
		b.WriteString("; " + s.names())
	}
	return b.String()
}

// causes says why they went, and how many for each cause if there are several.
func (s *story) causes() string {
	var words []string
	n := map[string]int{}
	for _, f := range s.parts {
		w := f.causeWords()
		if n[w]++; n[w] == 1 {
			words = append(words, w)
		}
	}
	if len(words) == 1 {
		return words[0]
	}
	for i, w := range words {
		words[i] = fmt.Sprintf("%s for %d", w, n[w])
	}
	return strings.Join(words, ", ")
}

// names says which locks lost their holder, and how many have another one.
func (s *story) names() string {
	var names []string
	next, seen := 0, map[string]bool{}
	for _, f := range s.parts {
		if f.Kind == EntryHandover {
			next++
		}
		if f.lostLock() && !seen[f.Lock] && len(names) < storyNames {
			seen[f.Lock] = true
			names = append(names, Short(Printable(f.Lock), 60))
		}
	}
	text := strings.Join(names, ", ")
	if more := s.entry.Locks - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if next > 0 {
		text += fmt.Sprintf("; %d went to who waited", next)
	}
	return text
}

func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

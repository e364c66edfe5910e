package journal

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

const (
	// StoryMin is how many make a story: fewer lines are read one by one.
	StoryMin = 10
	// StoryGap is how far apart leases of one event end. etcd ends leases in rounds of half a
	// second (server/lease, revokeExpiredLeases), and a client renews in such rounds, too: some
	// are empty.
	StoryGap = 2 * time.Second

	storyLast  = 5 * time.Second  // and all of them
	storyWits  = 3                // leases that have to be known to have ended so before others are taken to have
	storyNear  = 500              // open entries around one among which StoryMin have to be found
	storyAge   = 10 * time.Second // younger sessions are closed as the work goes on
	storyNames = 3                // locks that the sentence names
)

// Keys is what a story is told from, beside the entries.
type Keys interface {
	// Now is the time of the last event.
	Now() time.Time
	// Record appends an entry to the journal.
	Record(f *Entry) *Entry
	// LookAgain has a look at an entry again later.
	LookAgain(f *Entry, at time.Time)
	// ClientOf names the client whose claim it was, "" if nothing does.
	ClientOf(r model.ClaimRef) string
	// CanHaveExpired says whether nothing speaks against it that the lease of g ran out, as
	// that of f did.
	CanHaveExpired(g, f *Entry) bool
	// Open yields the entries that wait for a reading: all, or the most before f in that
	// line, and behind.
	Open(f *Entry, most int) iter.Seq[*Entry]
}

// story is what an entry tells that stands for many.
type story struct {
	entry  *Entry
	parts  []*Entry
	client string // whom all of them name, "" if they do not
	locks  map[string]int
	leases map[model.LeaseID]int
	last   time.Time
	told   int // parts, from the first, of which the cause is not open
	denied int // parts that turned out to have gone otherwise
}

// WentTogether finds the claims that went in the revision at hand: those of one lease, or
// of one request. began is the last entry before it.
func (c *Chronicle) WentTogether(k Keys, began uint64) {
	parts := c.parts[:0]
	defer func() { clear(parts); c.parts = parts[:0] }()
	for _, f := range c.After(began) {
		if f.OwnGoing() {
			parts = append(parts, f)
		}
	}
	if len(parts) == 0 {
		return
	}
	if s := c.openStory(k, parts[0]); s != nil {
		c.add(k, s, parts...)
	} else if len(parts) >= StoryMin {
		c.tellTogether(k, parts)
	}
}

// openStory returns what goes on and to which this going may belong.
func (c *Chronicle) openStory(k Keys, f *Entry) *story {
	if f.Past || !f.Pending {
		return nil
	}
	for _, s := range c.stories {
		switch {
		case f.At.Sub(s.last) > StoryGap || f.At.Sub(s.entry.At) > storyLast:
		case s.client == k.ClientOf(f.Removed()) && mayGoWith(k, f, s.parts[0]):
			return s
		}
	}
	return nil
}

// Together finds the claims that went as this one did, at about the same time, and of which
// the cause is still open. Where nothing names their client only leases count that can have
// run out: others close theirs all day long.
func (c *Chronicle) Together(k Keys, f *Entry) {
	if f.story != nil || !f.OwnGoing() {
		return
	}
	client := k.ClientOf(f.Removed())
	if f.Cause != CauseExpired && (f.Cause != CauseRevoked || client == "" || !f.LastedFor(storyAge)) {
		return
	}
	if _, all := goingWith(k, f, client, storyNear); len(all) < StoryMin { // of many thousands not all are looked at in vain
		return
	}
	switch same, all := goingWith(k, f, client, 0); {
	case len(same) >= StoryMin:
		c.tellTogether(k, same)
	case len(all) >= StoryMin && f.Cause == CauseExpired:
		c.tellTogether(k, all)
	}
}

// goingWith returns those of the open ones that may have gone with f: of the same client, and all.
func goingWith(k Keys, f *Entry, client string, most int) (same, all []*Entry) {
	same, all = []*Entry{f}, []*Entry{f}
	for g := range k.Open(f, most) {
		if g == f || !g.Pending && g.Cause != f.Cause || g.story != nil || !g.OwnGoing() || g.At.Sub(f.At).Abs() > storyLast || !mayGoWith(k, g, f) {
			continue
		}
		if k.ClientOf(g.Removed()) == client {
			same = append(same, g)
		}
		all = append(all, g)
	}
	return around(f, same), around(f, all)
}

// around returns those that went one after another up to f and from there on, in order.
func around(f *Entry, all []*Entry) []*Entry {
	slices.SortFunc(all, func(a, b *Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	from := slices.Index(all, f)
	to := from + 1
	for from > 0 && all[from].At.Sub(all[from-1].At) <= StoryGap {
		from--
	}
	for to < len(all) && all[to].At.Sub(all[to-1].At) <= StoryGap && all[to].At.Sub(all[from].At) <= storyLast {
		to++
	}
	return all[from:to]
}

// mayGoWith says whether nothing speaks against it that g went for the cause of f. Who closes
// sessions as its work goes on closes young ones; the end of a program takes old ones, too.
func mayGoWith(k Keys, g, f *Entry) bool {
	if f.Cause == CauseRevoked {
		return g.LastedFor(storyAge)
	}
	return k.CanHaveExpired(g, f)
}

// tellTogether records the entry that stands for many.
func (c *Chronicle) tellTogether(k Keys, parts []*Entry) {
	s := &story{client: k.ClientOf(parts[0].Removed()), parts: make([]*Entry, 0, len(parts)),
		locks: make(map[string]int, len(parts)), leases: make(map[model.LeaseID]int, len(parts))}
	s.entry = k.Record(&Entry{At: parts[0].At, Rev: parts[0].Rev, Kind: Together, Why: Why{Pending: true}, Many: Many{story: s}})
	s.entry.Story = s.entry.Seq
	c.stories = append(c.stories, s)
	c.add(k, s, parts...)
	k.LookAgain(s.entry, k.Now().Add(StoryGap))
	c.RetellOf(s.entry, k.Now())
}

func (c *Chronicle) add(k Keys, s *story, parts ...*Entry) {
	for _, f := range parts {
		f.Story, f.story = s.entry.Seq, s
		if s.client != "" && s.client != k.ClientOf(f.Removed()) {
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
	c.storyVersion++
}

func (s *story) count() {
	s.entry.Count, s.entry.Locks, s.entry.Leases = len(s.parts), len(s.locks), len(s.leases)
}

// NotTogether tells an entry by itself again, since it went otherwise than the others. What
// one lease or one request took stays together, however it ended.
func (c *Chronicle) NotTogether(f *Entry) {
	s, id := f.story, f.Removed().Lease
	if s == nil || !s.entry.Pending || id == 0 || s.leases[id] >= StoryMin || len(s.leases) == 1 {
		return
	}
	f.Story, f.story = 0, nil
	s.denied++
	i := slices.Index(s.parts, f)
	s.parts = slices.Delete(s.parts, i, i+1)
	if i < s.told {
		s.told--
	}
	if f.lostLock() {
		forget(s.locks, f.Lock)
	}
	forget(s.leases, id)
	s.count()
	c.storyVersion++
}

func forget[K comparable](in map[K]int, key K) {
	if in[key]--; in[key] <= 0 {
		delete(in, key)
	}
}

// ShareFate gives an entry the cause of what went with it, and that is a hint. late says why
// there is no better one. It returns false where that is not known, or was another.
func (c *Chronicle) ShareFate(k Keys, f *Entry, late string) bool {
	cause, n := f.story.fate()
	if cause == "" || cause == CauseExpired && !k.CanHaveExpired(f, f.story.parts[0]) {
		return false
	}
	f.Cause, f.Confidence, f.fated = cause, model.Hint, true
	f.Evidence = fmt.Sprintf("%s; others went with it, and %d of their leases ended so: %s", late, n, cause.Words())
	return true
}

// fate returns how the leases ended of which that is known, and how many those are; "" if
// they are too few or do not agree.
func (s *story) fate() (Cause, int) {
	if s == nil {
		return "", 0
	}
	var cause Cause
	known := map[model.LeaseID]bool{}
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

// Retell ends what is told together where nothing is open any more.
func (c *Chronicle) Retell(now time.Time) {
	c.stories = slices.DeleteFunc(c.stories, func(s *story) bool { return c.end(s, now) })
}

// RetellOf does so for the story of one entry alone: where each revision is a story, thousands
// of them are open.
func (c *Chronicle) RetellOf(f *Entry, now time.Time) {
	if i := slices.Index(c.stories, f.story); f.story != nil && i >= 0 && c.end(f.story, now) {
		c.stories = slices.Delete(c.stories, i, i+1)
	}
}

// end settles a story if nothing of it is open any more.
func (c *Chronicle) end(s *story, now time.Time) bool {
	if now.Sub(s.last) < StoryGap && len(s.leases) > 1 || s.pending() {
		return false
	}
	s.entry.Pending = false
	s.settle()
	c.version++
	return true
}

// pending says whether the cause of any part is still open. One that is told stays so: each
// part is passed once, however often it is asked.
func (s *story) pending() bool {
	for s.told < len(s.parts) && !s.parts[s.told].Pending {
		s.told++
	}
	return s.told < len(s.parts)
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
			e.Cause, e.Confidence = CauseUnknown, model.Hint
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
		b.WriteString(", within " + model.Seconds(d))
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
		if f.Kind == Handover {
			next++
		}
		if f.lostLock() && !seen[f.Lock] && len(names) < storyNames {
			seen[f.Lock] = true
			names = append(names, model.Short(model.Printable(f.Lock), 60))
		}
	}
	text := strings.Join(names, ", ")
	if more := s.entry.Locks - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if next > 0 {
		text += fmt.Sprintf("; %d went to waiters", next)
	}
	return text
}

func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

package journal

import (
	"cmp"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/text"
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

// story is what an entry tells that stands for many.
type story struct {
	entry   *Entry
	parts   []*Entry
	client  string // whom all of them name, "" if they do not
	locks   map[string]int
	leases  map[model.LeaseID]int
	last    time.Time
	settled int // parts, from the first, of which the cause is not open
	denied  int // parts that turned out to have gone otherwise
}

// WentTogether finds the claims that went in the revision at hand: those of one lease, or
// of one request. began is the last entry before it. It returns the entry that tells of them, which
// is written down, nil if there is none that is new.
func (j *Journal) WentTogether(began uint64, now time.Time) *Entry {
	parts := j.parts[:0]
	defer func() { clear(parts); j.parts = parts[:0] }()
	for _, f := range j.After(began) {
		if f.OwnGoing() {
			parts = append(parts, f)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	if s := j.openStory(parts[0]); s != nil {
		j.add(s, parts...)
	} else if len(parts) >= StoryMin {
		return j.tellTogether(parts, now)
	}
	return nil
}

// openStory returns what goes on and to which this going may belong.
func (j *Journal) openStory(f *Entry) *story {
	if f.Past || !f.Pending {
		return nil
	}
	for _, s := range j.stories {
		switch {
		case f.At.Sub(s.last) > StoryGap || f.At.Sub(s.entry.At) > storyLast:
		case s.client == f.end.client && mayGoWith(f, s.parts[0]):
			return s
		}
	}
	return nil
}

// Together finds the claims that went as this one did, at about the same time, and of which
// the cause is still open. Where nothing names their client only leases count that can have
// run out: others close theirs all day long. It returns the entry that tells of them, which is
// written down, nil if there is none.
func (j *Journal) Together(f *Entry, now time.Time) *Entry {
	if f.story != nil || !f.OwnGoing() {
		return nil
	}
	client := f.end.client
	if f.Cause != CauseExpired && (f.Cause != CauseRevoked || client == "" || !f.LastedFor(storyAge)) {
		return nil
	}
	if same, all := j.goingWith(f, client, storyNear); len(all) < StoryMin || f.Cause != CauseExpired && len(same) < StoryMin {
		return nil // of many thousands not all are looked at in vain
	}
	switch same, all := j.goingWith(f, client, 0); {
	case len(same) >= StoryMin:
		return j.tellTogether(same, now)
	case len(all) >= StoryMin && f.Cause == CauseExpired:
		return j.tellTogether(all, now)
	}
	return nil
}

// goingWith returns those of the open ones that may have gone with f: of the same client, and all.
func (j *Journal) goingWith(f *Entry, client string, most int) (same, all []*Entry) {
	same, all = []*Entry{f}, []*Entry{f}
	for _, g := range j.open(f, most) {
		if g == f || g.wentOtherwise(f.Cause) || g.story != nil || !g.OwnGoing() || g.At.Sub(f.At).Abs() > storyLast || !mayGoWith(g, f) {
			continue
		}
		if g.end.client == client {
			same = append(same, g)
		}
		all = append(all, g)
	}
	return around(f, same), around(f, all)
}

// wentOtherwise says whether another cause is known. One that is settled as unknown may yet be told by
// what went with it.
func (e *Entry) wentOtherwise(cause Cause) bool {
	return !e.Pending && e.Cause != cause && e.Cause != CauseUnknown
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
func mayGoWith(g, f *Entry) bool {
	if f.Cause == CauseRevoked {
		return g.LastedFor(storyAge)
	}
	return g.canHaveExpired(f)
}

// tellTogether writes the entry that stands for many, which is looked at again in a while.
func (j *Journal) tellTogether(parts []*Entry, now time.Time) *Entry {
	first := parts[0]
	s := &story{client: first.end.client, parts: make([]*Entry, 0, len(parts)),
		locks: make(map[string]int, len(parts)), leases: make(map[model.LeaseID]int, len(parts))}
	s.entry = &Entry{At: first.At, Rev: first.Rev, Kind: Together, Past: first.Past, Within: first.Within, Why: Why{Pending: true}, StoryPart: StoryPart{story: s}}
	j.Append(s.entry)
	s.entry.Story = s.entry.Seq
	j.stories = append(j.stories, s)
	j.add(s, parts...)
	j.Wait(s.entry, now.Add(StoryGap))
	j.RetellOf(s.entry, now)
	return s.entry
}

func (j *Journal) add(s *story, parts ...*Entry) {
	for _, f := range parts {
		f.Story, f.story = s.entry.Seq, s
		if s.client != "" && s.client != f.end.client {
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
		if !f.Pending && f.Cause == CauseUnknown {
			f.ReadInVain() // it was settled before it showed how many go
		}
	}
	s.count()
	j.storyVersion++
}

func (s *story) count() {
	s.entry.Count, s.entry.Locks, s.entry.Leases = len(s.parts), len(s.locks), len(s.leases)
}

// NotTogether tells an entry by itself again, since it went otherwise than the others. What
// one lease or one request took stays together, however it ended.
func (j *Journal) NotTogether(f *Entry) {
	s, id := f.story, f.Removed().Lease
	if s == nil || !s.entry.Pending || id == 0 || s.leases[id] >= StoryMin || len(s.leases) == 1 {
		return
	}
	f.Story, f.story = 0, nil
	s.denied++
	i := slices.Index(s.parts, f)
	s.parts = slices.Delete(s.parts, i, i+1)
	if i < s.settled {
		s.settled--
	}
	if f.lostLock() {
		forget(s.locks, f.Lock)
	}
	forget(s.leases, id)
	s.count()
	j.storyVersion++
}

func forget[K comparable](in map[K]int, key K) {
	if in[key]--; in[key] <= 0 {
		delete(in, key)
	}
}

// ShareFate gives an entry the cause of what went with it, and that is a hint. late says why
// there is no better one. It returns false where that is not known, or was another.
func (j *Journal) ShareFate(f *Entry, late model.Message) bool {
	cause, n := f.story.fate()
	if cause == "" || cause == CauseExpired && !f.canHaveExpired(f.story.parts[0]) {
		return false
	}
	f.Cause, f.Confidence, f.fated = cause, model.Hint, true
	f.Evidence = model.Say("others-ended-so", late, n, cause.Message())
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
func (j *Journal) Retell(now time.Time) {
	j.stories = slices.DeleteFunc(j.stories, func(s *story) bool { return j.end(s, now) })
}

// RetellOf does so for the story of one entry alone: where each revision is a story, thousands
// of them are open.
func (j *Journal) RetellOf(f *Entry, now time.Time) {
	if i := slices.Index(j.stories, f.story); f.story != nil && i >= 0 && j.end(f.story, now) {
		j.stories = slices.Delete(j.stories, i, i+1)
	}
}

// end settles a story if nothing of it is open any more.
func (j *Journal) end(s *story, now time.Time) bool {
	if now.Sub(s.last) < StoryGap && len(s.leases) > 1 || s.pending() {
		return false
	}
	s.entry.Pending = false
	s.settle()
	j.version++
	return true
}

// pending says whether the cause of any part is still open. One that is told stays so: each
// part is passed once, however often it is asked.
func (s *story) pending() bool {
	for s.settled < len(s.parts) && !s.parts[s.settled].Pending {
		s.settled++
	}
	return s.settled < len(s.parts)
}

// settle gives the entry of a story the cause that its parts have, with the least confidence
// among them.
func (s *story) settle() {
	e := s.entry
	e.Cause, e.Confidence, e.Evidence = "", "", model.Say("cause-told-with-each")
	for i, f := range s.parts {
		if i == 0 {
			e.Cause, e.Confidence = f.Cause, f.Confidence
		}
		if f.Cause != e.Cause {
			e.Cause, e.Confidence = CauseUnknown, model.Hint
			e.Evidence = model.Say("causes-differ")
			return
		}
		if f.Confidence.Compare(e.Confidence) > 0 {
			e.Confidence = f.Confidence
		}
	}
}

// message says what went together, and of whom.
func (s *story) message() model.Message {
	e := s.entry
	var who, within, lost model.Message
	if s.client != "" {
		who = model.Say("of-client", model.Verbatim(s.client))
	}
	if d := s.last.Sub(s.parts[0].At); !e.Past && d > 0 {
		within = model.Say("within", d)
	}
	if e.Locks > 0 {
		lost = model.Say("then", s.names())
	}
	return model.Say("went-together", s.countWords(), s.onLeases(), who, within, s.causes(), lost)
}

// countWords says how many claims went, and of what kinds.
func (s *story) countWords() model.Message {
	switch e := s.entry; {
	case e.Locks == 0:
		return model.Say("waiters-left", e.Count)
	case e.Count > e.Locks:
		return model.Say("holders-and-others-left", e.Locks, e.Count-e.Locks)
	default:
		return model.Say("holders-left", e.Locks)
	}
}

// onLeases says on how many leases they hung.
func (s *story) onLeases() model.Message {
	switch n := s.entry.Leases; n {
	case 0:
		return model.Message{}
	case 1:
		return model.Say("with-one-lease")
	default:
		return model.Say("with-leases", n)
	}
}

// causes says why they went, and how many for each cause if there are several.
func (s *story) causes() []model.Message {
	var causes []model.Message
	n := map[string]int{}
	for _, f := range s.parts {
		w := f.cause()
		words := text.English(w)
		if n[words]++; n[words] == 1 {
			causes = append(causes, w)
		}
	}
	if len(causes) == 1 {
		return causes
	}
	for i, w := range causes {
		causes[i] = model.Say("cause-for", w, n[text.English(w)])
	}
	return causes
}

// names says which locks lost their holder, and how many have another one.
func (s *story) names() model.Message {
	var names []model.Message
	next, seen := 0, map[string]bool{}
	for _, f := range s.parts {
		if f.Kind == Handover {
			next++
		}
		if f.lostLock() && !seen[f.Lock] && len(names) < storyNames {
			seen[f.Lock] = true
			names = append(names, model.Say("name", model.Verbatim(model.Short(model.Printable(f.Lock), 60))))
		}
	}
	var more, to model.Message
	if n := s.entry.Locks - len(names); n > 0 {
		more = model.Say("and-more-names", n)
	}
	if next > 0 {
		to = model.Say("went-to-waiters", next)
	}
	return model.Say("names-of-locks", names, more, to)
}

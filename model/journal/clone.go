package journal

import (
	"maps"
	"slices"
	"time"

	"locktop/model/copies"
)

// Copies has the copies of entries that may still change. Others are shared.
type Copies struct {
	now     time.Time
	entries copies.Set[Entry]
	stories copies.Set[story]
}

// NewCopies returns one that has none yet, at the time of the last event.
func NewCopies(now time.Time) *Copies { return &Copies{now: now} }

// Entry returns the copy of an entry, nil for nil. One that stays as it is, is its own.
func (c *Copies) Entry(f *Entry) *Entry {
	if f == nil || f.Quiet(c.now) {
		return f
	}
	return c.entries.Get(f)
}

// Complete puts copies in the place of what the copies point to. It says whether there were any to do.
func (c *Copies) Complete() bool {
	entries := c.entries.Complete(func(f *Entry) { f.story = c.stories.Get(f.story) })
	stories := c.stories.Complete(func(s *story) {
		s.entry, s.parts = c.Entry(s.entry), copies.List(s.parts, c.Entry)
		s.locks, s.leases = maps.Clone(s.locks), maps.Clone(s.leases)
	})
	return entries || stories
}

// Clone returns a journal that goes its own way.
func (j *Journal) Clone(all *Copies) Journal {
	own := *j
	own.entries, own.acts = copies.List(j.entries, all.Entry), slices.Clone(j.acts)
	own.stories, own.parts = all.stories.List(j.stories), nil
	own.waiting.all = copies.List(j.waiting.all, all.Entry)
	return own
}

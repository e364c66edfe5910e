package page

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// ViewState is what every page may read of the console.
type ViewState struct {
	Locks     *LockList // all of them; the selected one is what other pages start from
	Counters  Counters
	Uncertain Uncertain
	Marked    bookmarks
	Picked    bookmarks // the locks that x is about
	Sparkline Sparkline
	Axis      Axis // the time that is looked at, on every page that shows one
	// Ahead is the latest state that was seen of a recording, while an earlier moment is shown;
	// nil: there is no later one. The axis goes on to it.
	Ahead *store.View
	// Latest is the time of day there, while the watch goes on.
	Latest   time.Time
	Lab      bool
	NoLab    model.Message // why there is none
	Prefixes []string
	// Endpoints are what a person can point etcdctl at.
	Endpoints []string
	Cost      model.Cost // what our own requests are
	Armed     bool       // locks may be broken
	Height    int        // of the whole screen
	Way       []string   // how one came to an inner page: the pages before it
	Lesson    bool       // a lesson is told on a part of it
	Model     bool       // it shows a model that has no keys in etcd
}

// WhyNoLab says why there are no members and contenders to show.
func (f Frame) WhyNoLab() string {
	if !f.NoLab.IsZero() {
		return f.Th.Message(f.NoLab)
	}
	return f.Th.Say("this-is-not-locktops-own-lab")
}

// Unjudged says why there is no lock of which anything could be found.
func (f Frame) Unjudged() string {
	if f.Model {
		return f.Th.Say("no-locks-in-a-model")
	}
	return f.Th.Say("no-locks-yet-nothing-was-judged")
}

// Watched names what is watched.
func (f Frame) Watched() string {
	if len(f.Prefixes) == 0 {
		return f.Th.Say("any-prefix")
	}
	names := make([]string, len(f.Prefixes))
	for i, p := range f.Prefixes {
		if names[i] = f.Th.Clean(p); p == "" {
			names[i] = f.Th.Say("all-keys")
		}
	}
	return strings.Join(names, ", ")
}

// bookmarks are the locks that are bookmarked, in the order in which they were.
type bookmarks struct {
	Names []string
	Has   map[string]bool
}

// Toggle marks a lock, or takes its mark away.
func (m *bookmarks) Toggle(name string) {
	if m.Has[name] {
		m.Drop(name)
		return
	}
	m.Has[name] = true
	m.Names = append(m.Names, name)
}

// Drop takes the mark of a lock away.
func (m *bookmarks) Drop(name string) {
	delete(m.Has, name)
	m.Names = slices.DeleteFunc(slices.Clone(m.Names), func(n string) bool { return n == name })
}

// NoBookmarks is no lock marked.
func NoBookmarks() bookmarks { return bookmarks{Has: map[string]bool{}} }

// Bookmarks are what stays of a view when all that was seen is forgotten.
func (b *ViewState) Bookmarks() bookmarks {
	if b == nil {
		return NoBookmarks()
	}
	return b.Marked
}

// TableLeast is how many lines a lesson leaves to the page, if it can: a title and 8 rows.
const TableLeast = 9

// Frame is what a page needs to paint.
type Frame struct {
	*ViewState
	table.View
}

// Whole is the frame of all that was seen of a recording, also where an earlier moment is shown.
func (f Frame) Whole() Frame {
	if f.Ahead != nil {
		f.S, f.Now = f.Ahead, f.Ahead.Now().Truncate(time.Second)
		if f.Latest.After(f.Now) {
			f.Now = f.Latest
		}
	}
	return f
}

// AsOf says at which moment of a recording the cursor stands, and the way back; nothing for now. In the past
// of a running console the status line says so.
func (f Frame) AsOf() []draw.Span {
	if !f.Latest.IsZero() {
		return nil
	}
	if as := f.Axis.AsOf(f.Whole().Now); !as.IsZero() {
		return []draw.Span{draw.Late.Of("  " + f.Th.Message(as) + "  "), draw.Accent.Of("esc"), draw.Dim.Of(" " + f.Th.Say("now"))}
	}
	return nil
}

// wayFrom is the width from which the title of an inner page says how one came there.
const wayFrom = 60

// Before are the pages from which one came to an inner page, in front of its title in a line of w cells.
func (f Frame) Before(w int) []draw.Span {
	if w < wayFrom || len(f.Way) == 0 {
		return nil
	}
	between := " " + f.Th.Sign.Arrow + " "
	return []draw.Span{draw.Dim.Of(f.Th.CutPath(strings.Join(f.Way, between), w/3) + between)}
}

// RankLocks goes on with putting the locks in order.
func (f Frame) RankLocks() { f.Locks.Rank(f.View, f.Counters.Worst()) }

// UpdateLocks puts the locks in order if that is due.
func (f Frame) UpdateLocks() { f.Locks.Update(f.View, f.Counters.Worst()) }

package page

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
)

// health counts how the locks are, for the line that says that all is well.
type health struct {
	moving, held, free int
	unread             int         // nothing is known of its lease
	presumed           int         // its keys may be of something else
	others             [4]likewise // in another state, by its name
	longest            longestWait
}

// likewise are locks in the same state.
type likewise struct {
	is model.Condition
	n  int
}

// counted says how many there are: their state is a word for one of them, but not always one that follows a number.
func (x *likewise) counted() model.Message {
	n := draw.Counted(x.n)
	switch {
	case x.is == model.IsOrderOnly:
		return model.Say("groups-of-leased-keys", n)
	case x.is.Code() == model.CodeLongQueue:
		return model.Say("locks-with-a-long-queue", n)
	}
	return model.Say("locks-in-a-state", n, findings.StateWord(x.is))
}

// other counts a lock in a state that is neither good nor bad. There are as many places as such states; what
// has none would be counted with the last.
func (c *health) other(is model.Condition) {
	for i := range c.others {
		if o := &c.others[i]; o.n == 0 || o.is.Word == is.Word || i == len(c.others)-1 {
			o.is, o.n = is, o.n+1
			return
		}
	}
}

// noted says whether there is a lock of which something is worth knowing: it may be as it has to be.
func (c *health) noted() bool {
	return slices.ContainsFunc(c.others[:], func(x likewise) bool { return x.n > 0 && x.is.Level == model.LevelInfo })
}

// longestWait is the longest wait for any of some locks.
type longestWait struct {
	lock    string // the one that is waited for so long
	waited  time.Duration
	atLeast bool
	any     bool // somebody waits
}

// count takes in a lock.
func (x *longestWait) count(l *locks.Lock, now time.Time) {
	d, atLeast, any := l.LongestWait(now)
	if any && (!x.any || d > x.waited || d == x.waited && atLeast) {
		*x = longestWait{l.Name, d, atLeast, true}
	}
}

// age is how long it is by now, as it is shown.
func (x longestWait) age(s *store.View, now time.Time) string {
	if l := s.Lock(x.lock); l != nil {
		if d, atLeast, any := l.LongestWait(now); any {
			return draw.Age(d, atLeast)
		}
	}
	return draw.Age(x.waited, x.atLeast) // it moved on, and the locks are counted anew soon
}

// count takes in a lock and its condition.
func (c *health) count(l *locks.Lock, is model.Condition, now time.Time) {
	switch {
	case is.Level == model.LevelUnread:
		c.unread++
	case is == model.IsPresumed:
		c.presumed++
	case is == model.IsMoving:
		c.moving++
	case is == model.IsHeld, is == model.IsWaitedFor:
		c.held++
	case is == model.IsFree:
		c.free++
	default:
		c.other(is)
	}
	c.longest.count(l, now)
}

// allWell says that all is well, as far as it is seen.
func (f Frame) allWell() bool {
	o := &f.Locks.Order
	if o.Total == 0 || o.Bad > 0 || f.Counters.Verdict.Showing() || f.Uncertain.Count(f.Now) > 0 {
		return false
	}
	fr := Fresh(f.S)
	return fr.State == locks.Live && len(fr.Denied) == 0
}

// calmLine is the line as it was painted last, and what from.
type calmLine struct {
	source calmOf
	line   string
}

type calmOf struct {
	calm           health
	total, waiting int
	start, now     time.Time
	th             *draw.Theme
	w              int
	ails           string
}

// Calm is the line that says that all is well, nil while anything is wrong or not seen.
func (f Frame) Calm(w int) []string {
	if !f.allWell() {
		return nil
	}
	o := &f.Locks.Order
	of := calmOf{o.Calm, o.Total, o.Waiting, f.S.Timeline().Start(), f.Now, f.Th, w, ""}
	if said, is := f.ailing(); is {
		of.ails = f.Th.Message(said)
	}
	if last := &f.Locks.calm; last.source != of {
		*last = calmLine{of, f.calmAnew(of.start, of.ails, w)}
	}
	return []string{f.Locks.calm.line}
}

// calmAnew paints the line. What ails the cluster is worth more in it than how many locks do what.
func (f Frame) calmAnew(start time.Time, ails string, w int) string {
	o, th := &f.Locks.Order, f.Th
	title := th.Say("all-are-fine", draw.Counted(o.Total))
	switch {
	case o.Calm.unread+o.Calm.presumed > 0, o.Calm.noted(): // of those nobody knows
		title = th.Say("no-problem-seen", draw.Counted(o.Total))
	case o.Total == 1:
		title = th.Say("one-is-fine")
	case o.Total == 2:
		title = th.Say("both-are-fine")
	}
	var parts []model.Message
	part := func(n int, m model.Message) {
		if n > 0 {
			parts = append(parts, m)
		}
	}
	part(o.Calm.moving, model.Say("locks-moving", draw.Counted(o.Calm.moving)))
	part(o.Calm.held, model.Say("locks-held", draw.Counted(o.Calm.held)))
	part(o.Calm.free, model.Say("locks-free", draw.Counted(o.Calm.free)))
	part(o.Calm.unread, model.Say("locks-unread", draw.Counted(o.Calm.unread)))
	part(o.Calm.presumed, model.Say("locks-presumed", draw.Counted(o.Calm.presumed)))
	for _, x := range o.Calm.others {
		part(x.n, x.counted())
	}
	waits := model.Say("nobody-waits-now")
	if o.Waiting > 0 {
		waits = model.Say("so-many-wait", o.Waiting, model.Verbatim(o.Calm.longest.age(f.S, f.Now)))
	}
	left := []draw.Span{draw.Plain.Of(" "), draw.Good.Of(th.Sign.Holds), draw.Strong.Of(" " + title), draw.Plain.Of(th.Say("calm", parts, waits))}
	right := []draw.Span{draw.Dim.Of(th.Say("watching-for", model.Verbatim(draw.Age(f.Now.Sub(start), false)), model.Verbatim(start.In(f.Now.Location()).Format(time.TimeOnly)))), draw.Plain.Of(" ")}
	if ails != "" {
		right = []draw.Span{draw.Late.Of(th.Sign.Late + " " + ails), draw.Accent.Of("  5 ")}
		if draw.WidthOf(left)+draw.WidthOf(right)+2 > w {
			left = append(left[:2], draw.Strong.Of(" "+strings.TrimRight(title, ":：")))
		}
		if room := w - 2 - draw.WidthOf(left) - draw.WidthOf(right[1:]); draw.Width(right[0].Text) > room {
			right[0].Text = th.CutClause(right[0].Text, room, 1)
		}
	}
	if draw.WidthOf(left)+draw.WidthOf(right)+2 > w {
		right = nil
	}
	if last := &left[len(left)-1]; right == nil && draw.WidthOf(left) >= w { // half a figure is worse than none
		last.Text = th.CutClause(last.Text, w-1-draw.WidthOf(left[:len(left)-1]), 1)
	}
	return th.Line(w, left, right)
}

// calmFrom is the height of the screen from which there is room for the line.
const calmFrom = 20

// Calm is a page that has more to say than that all locks are well, once they are.
type Calm interface {
	// Calm returns its own lines in the place of those.
	Calm(f Frame, lines []string) []string
}

// Top is how many lines stand above the page: those of the verdict, or of the line that says that
// all is well.
func (f Frame) Top() int {
	if n := f.Counters.Verdict.Height(f.Height); n > 0 || f.Height < calmFrom {
		return n
	}
	if f.allWell() {
		return 1
	}
	return 0
}

package timeline

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// Sizes of a picture of boxes, in cells and lines.
const (
	boxHigh   = 4 // two lines and its frame
	RingHigh  = 2*boxHigh + gapHigh
	boxLeast  = 18
	boxMost   = 36
	edgeLeast = 10
	edgeFair  = 13 // for how long one waits, too
	edgeMost  = 44
)

// Ring is the sessions of a deadlock, and which of them costs least to end.
type Ring struct {
	links    []findings.Link
	cheapest int
	certain  bool
	hint     bool // it may be none
	f        table.View
}

// RingOf returns the ring around a lock, nil if it is in none.
func RingOf(f table.View, l *locks.Lock) *Ring {
	links := f.S.Ring(l)
	if links == nil {
		return nil
	}
	at, sure := findings.Cheapest(links)
	for _, x := range links {
		f.Sees(x.Holds)
	}
	hint := slices.ContainsFunc(f.S.FindingsOf(l), func(x model.Finding) bool {
		return x.Code == model.CodeLockCycle && x.Confidence == model.Hint
	})
	return &Ring{links, at, sure, hint, f}
}

// Lines draws the ring into h lines of w cells at most: as boxes where they fit, else with a
// line for each session.
func (r *Ring) Lines(w, h int) []string {
	if h >= RingHigh && r.boxWidth(w) >= boxLeast {
		return r.boxes(w)
	}
	return r.list(w, h)
}

// client says whose the session of a link is.
func (r *Ring) client(i int) string {
	return r.f.Th.Who(r.f.S, r.links[i].Holds.Ref())
}

func (r *Ring) keys(i int) string {
	n, atLeast := r.links[i].Keys()
	if atLeast {
		return r.f.Th.Say("keys-or-more", draw.Counted(n))
	}
	return r.f.Th.Say("keys", draw.Counted(n))
}

// mark says of the session that costs least that it does.
func (r *Ring) mark(i int) string {
	switch {
	case i != r.cheapest:
		return ""
	case !r.certain:
		return r.f.Th.Sign.Left + " " + r.f.Th.Say("fewest-keys-seen")
	}
	return r.f.Th.Sign.Left + " " + r.f.Th.Say("costs-least")
}

func (r *Ring) waited(i int) string {
	d, atLeast := r.links[i].Waits.Waited(r.f.Exact())
	return draw.Age(d, atLeast)
}

// heldLock is the lock that a session of the ring holds.
func (r *Ring) heldLock(i int) *locks.Lock { return r.links[i].Holds.Lock() }

// after is the session for which one waits.
func (r *Ring) after(i int) int { return (i + 1) % len(r.links) }

// list has a line for each session; each waits for the next, and the last for the first.
func (r *Ring) list(w, h int) []string {
	th, n := r.f.Th, len(r.links)
	b := th.Sign.Box
	if n > h {
		n = h - 1
	}
	var lines []string
	for i := range max(0, n) {
		edge := b.Left + "  "
		switch {
		case i == 0:
			edge = b.TopLeft + b.Top + th.Sign.Arrow
		case i == len(r.links)-1:
			edge = b.BottomLeft + b.Bottom + b.Bottom
		}
		room := max(6, (w-48)/2)
		left := []draw.Span{draw.Bad.Of("  " + edge + " "), draw.Strong.Of(th.CutKey(r.client(i), 14)),
			draw.Dim.Of(" " + th.Say("holds") + " "), draw.Plain.Of(th.CutPath(th.Clean(r.heldLock(i).Name), room)),
			draw.Bad.Of(" " + th.Say("waits-so-long-for", model.Verbatim(r.waited(i))) + " "), draw.Plain.Of(th.CutPath(th.Clean(r.heldLock(r.after(i)).Name), room))}
		right := []draw.Span{draw.Dim.Of(r.keys(i))}
		if i == r.cheapest {
			right = []draw.Span{draw.Late.Of(th.Sign.Left + " " + r.keys(i))}
		}
		lines = append(lines, th.Line(w, left, append(right, draw.Plain.Of(" "))))
	}
	if more := len(r.links) - n; more > 0 && h > 0 {
		lines = append(lines, th.Line(w, []draw.Span{draw.Bad.Of("  " + b.BottomLeft + b.Bottom + b.Bottom + " "), draw.Plain.Of(th.Say("and-more-sessions", draw.Counted(more)))}, nil))
	}
	return lines
}

// edgeWidth is how far two boxes of a row stand apart.
func (r *Ring) edgeWidth(w int) int {
	n, least := len(r.links), edgeFair
	if (w-4-(n-1)*edgeFair)/n < boxLeast {
		least = edgeLeast
	}
	return max(least, min(edgeMost, (w-4-n*boxMost)/(n-1)))
}

func (r *Ring) boxWidth(w int) int {
	n := len(r.links)
	return min(boxMost, (w-4-(n-1)*r.edgeWidth(w))/n)
}

// boxes draws the ring as a ring: as many boxes in the upper row as in the lower one. From the
// first session around it goes: a session, the lock that it holds, the session that waits for
// that.
func (r *Ring) boxes(w int) []string {
	n, bw, ew := len(r.links), r.boxWidth(w), r.edgeWidth(w)
	th := r.f.Th
	c := newCanvas(th, w, RingHigh)
	place := func(node int) (x, y int) {
		if node < n {
			return 2 + node*(bw+ew), 0
		}
		return 2 + (2*n-1-node)*(bw+ew), boxHigh + gapHigh
	}
	for j := range n {
		k := (n - j) % n
		x, y := place(2 * j)
		r.session(c, k, x, y, bw)
		x, y = place(2*j + 1)
		r.lock(c, k, x, y, bw)
	}
	for node := range 2 * n {
		j := node / 2
		holds := node%2 == 0        // else the next one waits for this lock
		waiter := (2*n - j - 1) % n // who does
		text, st := th.Say("holds"), draw.Good
		if !holds {
			text, st = th.Say("waits-so-long", model.Verbatim(r.waited(waiter))), draw.Bad
		}
		x, y := place(node)
		switch {
		case node == n-1: // down at the right end
			c.down(x+bw/2, boxHigh, st, text, holds)
		case node == 2*n-1: // up at the left end
			c.down(x+bw/2, boxHigh, st, text, !holds)
		case node < n:
			c.across(x+bw, y+1, ew, st, text, holds)
		default:
			x, y = place(node + 1)
			c.across(x+bw, y+1, ew, st, text, !holds)
		}
	}
	all := th.Say("none-of-them-can-proceed")
	switch {
	case r.hint:
		all = th.Say("a-hint-workers-may-share-them")
	case n == 2:
		all = th.Say("neither-can-proceed")
	}
	within := 4 + n*bw + (n-1)*ew // a wide screen has room beside it
	if title := th.Say("a-ring-of", n); 2*(bw/2+draw.Width("waits 99m59s")+2)+draw.Width(all)+4 < within {
		c.put((within-draw.Width(title))/2, boxHigh, draw.Bad.Of(title))
		c.put((within-draw.Width(all))/2, boxHigh+1, draw.Dim.Of(all))
	}
	return c.lines()
}

func (r *Ring) session(c *canvas, i, x, y, w int) {
	th, st := r.f.Th, draw.Good
	mark := r.mark(i)
	if mark != "" {
		st = draw.Late
	}
	who := th.CutKey(r.client(i), max(4, w-7-draw.Width(mark)))
	if draw.Width(mark) > w-12 {
		who, mark = th.CutKey(r.client(i), w-6), ""
	}
	second := []draw.Span{draw.Dim.Of(th.Cut(r.keys(i), w-4))}
	if lease := table.LeaseBrief(th, r.links[i].Lease, r.f.Now, 0, w); draw.Width(r.keys(i))+draw.WidthOf(lease)+9 <= w {
		second = append(append(second, draw.Dim.Of(" "+th.Sign.Dot+" ")), lease...)
	}
	c.box(x, y, w, st, []draw.Span{draw.Good.Of(th.Sign.Holds + " "), draw.Strong.Of(who), draw.Late.Of(strings.TrimRight(" "+mark, " "))}, second)
}

func (r *Ring) lock(c *canvas, i, x, y, w int) {
	th, l := r.f.Th, r.heldLock(i)
	c.box(x, y, w, draw.Dim, []draw.Span{draw.Strong.Of(th.CutPath(th.Clean(l.Name), w-4))},
		[]draw.Span{draw.Dim.Of(th.Cut(l.RecipeLabel()+" "+th.Sign.Dot+" "+th.Say("so-many-waiting", draw.Counted(l.Behind())), w-4))})
}

// Costs says in h lines at most what goes with each session, and who is next: the one that
// costs least first.
func (r *Ring) Costs(w, h int) []string {
	th := r.f.Th
	if h < 2 || th.Asks {
		return nil
	}
	lines := []string{th.Ruler(w, draw.Dim.Of(th.Say("what-ending-a-session-takes-along")))}
	for j := range r.links {
		if len(lines) == h {
			break
		}
		i := (r.cheapest + j) % len(r.links)
		x := r.links[i]
		st := draw.Plain
		if i == r.cheapest {
			st = draw.Late
		}
		next := th.Say("nobody")
		if c := r.heldLock(i).Next(); c != nil {
			next = r.f.Th.Who(r.f.S, c.Ref())
		}
		text := th.Say("lease", model.Verbatim(x.Lease.ID.Short())) + "  " + r.keys(i) + "  "
		lines = append(lines, th.Line(w, []draw.Span{st.Of("  " + th.CutKey(r.client(i), 14) + "  "), draw.Dim.Of(text),
			draw.Plain.Of(th.CutPath(th.Clean(r.heldLock(i).Name), max(8, w-60))), draw.Dim.Of(" " + th.Sign.Arrow + " " + th.Say("next-colon") + " "), draw.Plain.Of(th.CutKey(next, 14))}, nil))
	}
	return lines
}

package draw

import "strconv"

// Slots is how many parts a cell of a lane has.
const Slots = 8

// Cell is a cell of a lane: it shows Left in the first Split of its slots, and Right in the
// others. A cell in which more happened than two parts can show has a Count of it, and
// claims nothing of its slots.
type Cell struct {
	Left, Right Tone
	Split       uint8
	Count       int
	// Free: nobody holds, where that is worth to be seen. Unseen: nobody looked.
	Free, Unseen bool
	// Begins: here it begins to be wrong. Sign, if not "", is a letter on the fill.
	Begins bool
	Sign   string
	// Cursor: the line of the cursor goes through it, at a moment of its Left.
	Cursor bool
}

// Full is a cell of one fill.
func Full(t Tone) Cell { return Cell{Left: t, Right: t, Split: Slots} }

// eighths are the left parts of a cell.
var eighths = [Slots + 1]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}

// LaneCells writes cells of a lane.
func (th *Theme) LaneCells(cells []Cell) []Span {
	var spans []Span
	var text []byte
	for i := range cells {
		sp := th.laneCell(&cells[i])
		if sign := th.signOf(&cells[i]); sign != "" && i%signEvery == 0 {
			sp = OnTone(cells[i].Left).Of(sign)
		}
		if n := len(spans); n == 0 || spans[n-1].St != sp.St {
			if n > 0 {
				spans[n-1].Text = string(text)
			}
			spans, text = append(spans, sp), text[:0]
		}
		text = append(text, sp.Text...)
	}
	if n := len(spans); n > 0 {
		spans[n-1].Text = string(text)
	}
	return spans
}

// signEvery is how many cells of a lane that is late or stuck lie between two of its signs, where colours
// do not tell it from one that is well.
const signEvery = 4

// signOf is the sign of a cell that is late or stuck through and through, where there are 16 colours or
// none; "" for others.
func (th *Theme) signOf(c *Cell) string {
	whole := c.Left == c.Right && c.Count == 0 && c.Sign == "" && !c.Cursor && !c.Unseen && !c.Begins
	switch {
	case th.split && !th.few || !whole:
		return ""
	case c.Left == ToneLate:
		return th.Sign.Late
	case c.Left == ToneStuck:
		return th.Sign.Bad
	}
	return ""
}

func (th *Theme) laneCell(c *Cell) Span {
	switch {
	case c.Unseen:
		return Dim.Of(th.Sign.LaneUnseen)
	case c.Count > 0:
		return th.countCell(c)
	case c.Begins && c.Left == ToneStuck:
		return OnTone(c.Left).Of(th.Sign.Bad)
	case c.Begins:
		return OnTone(c.Left).Of(th.Sign.Late)
	case c.Sign != "":
		return OnTone(c.Left).Of(c.Sign)
	case c.Cursor && (c.Left.Holds() || c.Left == ToneFalse):
		return OnTone(c.Left).Of(th.Sign.LaneCursor)
	case c.Cursor:
		return Strong.Of(th.Sign.LaneCursor)
	case c.Split == Slots || c.Left == c.Right:
		return th.fullCell(c)
	case th.few && (c.Left == ToneWait || c.Right == ToneWait): // it has no ground of its own
		half := *c
		if half.Left == ToneWait {
			half.Left = ToneNone
		} else {
			half.Right = ToneNone
		}
		return th.laneCell(&half)
	case !th.split:
		return th.splitBySign(c)
	case th.set == SignsWide && c.Right == ToneNone: // its eighths may be two cells wide, its halves are not
		return Turned(c.Left).Of("▐")
	case th.set == SignsWide:
		return Lane(c.Right, c.Left).Of("▐")
	case c.Left == ToneNone:
		return Turned(c.Right).Of(eighths[c.Split])
	}
	return Lane(c.Left, c.Right).Of(eighths[c.Split])
}

// countCell says how often, where that is more than can be drawn: a line for once.
func (th *Theme) countCell(c *Cell) Span {
	text := th.Sign.LaneShort
	switch {
	case c.Count > 9:
		text = "+"
	case c.Count > 1:
		text = strconv.Itoa(c.Count)
	}
	return OnTone(c.Left).Of(text)
}

func (th *Theme) fullCell(c *Cell) Span {
	f, sign := c.Left, " "
	switch {
	case f == ToneFalse:
		sign = th.Sign.LaneFalse
	case f == ToneWait:
		sign = th.Sign.LaneWaits
	case f.Holds():
		sign = th.Sign.LaneHolds
		if (f == ToneHold2 || f == ToneQuiet2) && !th.split {
			sign = th.Sign.LaneAgain
		}
	case c.Free:
		return Lane(ToneNone, ToneNone).Of(th.Sign.LaneFree)
	default:
		return Plain.Of(" ")
	}
	return Lane(f, f).Of(sign)
}

// splitBySign draws two parts where there are no colours: the larger one, and of a lock that
// passes from one to the next a line. Both would look like one.
func (th *Theme) splitBySign(c *Cell) Span {
	left, right := c.Left, c.Right
	switch {
	case left.Holds() && right.Holds():
		return Plain.Of(th.Sign.LaneShort)
	case left == ToneFalse || right == ToneFalse:
		return Lane(ToneFalse, ToneFalse).Of(th.Sign.LaneFalse)
	case th.set == SignsASCII && right.Holds():
		return Plain.Of(th.Sign.LaneShort)
	case th.set == SignsASCII:
		big := Full(left)
		if c.Split < Slots/2 {
			big = Full(right)
		}
		return th.fullCell(&big)
	case left.Holds():
		return Plain.Of(eighths[c.Split])
	case right.Holds():
		return Plain.Of("▐")
	}
	return Plain.Of(" ")
}

// depths are how high what waits stands above a lane, by set of signs.
var depths = [...][]string{SignsUnicode: {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	SignsWide:  {" ", "⡀", "⡀", "⡄", "⡄", "⡆", "⡆", "⡇", "⡇"},
	SignsASCII: {" ", ".", ".", ":", ":", "-", "=", "+", "#"}}

// Bars writes how many fall into each cell; the highest stands for the most of them, and for most at least.
func (th *Theme) Bars(counts []int, most int, t Tone) Span {
	for _, n := range counts {
		most = max(most, n)
	}
	var text []byte
	for _, n := range counts {
		text = append(text, depths[th.set][(n*Slots+most-1)/most]...)
	}
	return Lane(t, ToneNone).Of(string(text))
}

// Depth writes how many wait in each cell: one more each step, the highest is eight and more.
// The line of the cursor goes through one cell, -1 for none.
func (th *Theme) Depth(waiting []float64, cursor int) []Span {
	if cursor < 0 || cursor >= len(waiting) {
		return []Span{th.depth(waiting)}
	}
	return []Span{th.depth(waiting[:cursor]), Strong.Of(th.Sign.LaneCursor), th.depth(waiting[cursor+1:])}
}

func (th *Theme) depth(waiting []float64) Span {
	var text []byte
	for _, v := range waiting {
		n := min(Slots, int(v+0.5))
		if v > 0 {
			n = max(1, n)
		}
		text = append(text, depths[th.set][n]...)
	}
	return Lane(ToneDepth, ToneNone).Of(string(text))
}

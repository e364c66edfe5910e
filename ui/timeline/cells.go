package timeline

import (
	"math"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
)

// laneCells is one lane on its way into cells.
type laneCells struct {
	Scale
	// Lang is the language of the words in a lane.
	Lang  string
	tones []draw.Tone // of each slot
	holds []int32     // of each cell: how many holds show in it
	short []int32     // and how many are too short for a slot
	first []int32     // and how many began in it
	out   []draw.Cell // the cells; they are of the last lane
}

// reset empties it for a scale.
func (l *laneCells) reset(s Scale) {
	l.Scale = s
	n := s.Cells
	l.tones = cleared(l.tones, n*draw.Slots)
	l.holds, l.short, l.first = cleared(l.holds, n), cleared(l.short, n), cleared(l.first, n)
}

func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func (l *laneCells) fill(lo, hi int, t draw.Tone) {
	for i := lo; i < hi; i++ {
		l.tones[i] = t
	}
}

// wait paints a time of waiting, under all else.
func (l *laneCells) wait(from, to int64) {
	for i, hi := l.Scale.first(from), l.Scale.first(to); i < hi; i++ {
		if l.tones[i] == draw.ToneNone {
			l.tones[i] = draw.ToneWait
		}
	}
}

// hold paints n holds from one time to another, one behind the other if they are several:
// those are only counted.
func (l *laneCells) hold(from, to int64, n int, t draw.Tone) {
	if to <= l.From && to != from || from >= l.To() {
		return
	}
	if c := l.Cell(from); c >= 0 && c < l.Cells {
		l.first[c] += int32(n)
	}
	lo, hi := l.Scale.first(from), l.Scale.first(to)
	if lo == hi || n > 1 {
		middle := from
		if to != math.MaxInt64 {
			middle += (to - from) / 2
		}
		if c := l.Cell(middle); c >= 0 && c < l.Cells {
			l.short[c] += int32(n)
		}
		return
	}
	l.fill(lo, hi, t)
	for c := lo / draw.Slots; c <= (hi-1)/draw.Slots; c++ {
		l.holds[c]++
	}
}

// over marks a part of a hold that is already painted.
func (l *laneCells) over(from, to int64, t draw.Tone) {
	for i, hi := l.Scale.first(from), l.Scale.first(to); i < hi; i++ {
		if l.tones[i].Holds() {
			l.tones[i] = t
		}
	}
}

// believe lays a false belief on top, one slot at least.
func (l *laneCells) believe(from, to int64) {
	if to <= l.From || from >= l.To() {
		return
	}
	if lo, hi := l.Scale.first(from), l.Scale.first(to); lo < hi {
		l.fill(lo, hi, draw.ToneFalse)
	} else {
		i := int((max(from, l.From) - l.From) / l.Slot)
		l.fill(i, i+1, draw.ToneFalse)
	}
}

// cells composes the cells. known is from when on there is anything to be shown, free says
// whether it is worth to be seen that nobody holds.
func (l *laneCells) cells(known int64, free bool) []draw.Cell {
	l.out = cleared(l.out, l.Scale.Cells)
	cells := l.out
	for i := range cells {
		c := &cells[i]
		*c = l.compose(i)
		if begins := l.From + int64(i)*l.Slot*draw.Slots; free && begins >= known && begins <= l.Now {
			c.Free = true
		}
	}
	return cells
}

// part is a run of slots of one tone.
type part struct {
	tone draw.Tone
	n    uint8
}

func (l *laneCells) compose(i int) draw.Cell {
	var parts [draw.Slots]part
	slots := l.tones[i*draw.Slots : (i+1)*draw.Slots]
	held, n := int(l.holds[i]), int(l.holds[i]+l.short[i])
	list := split(parts[:0], slots)
	for _, p := range list {
		if p.tone == draw.ToneFalse {
			return falseCell(list)
		}
	}
	if n == 0 {
		return twoParts(list)
	}
	if len(list) > 2 { // who waits around a hold matters less
		var flat [draw.Slots]draw.Tone
		for k, t := range slots {
			if flat[k] = t; t == draw.ToneWait {
				flat[k] = draw.ToneNone
			}
		}
		list = split(parts[:0], flat[:])
	}
	shown, tone := 0, draw.ToneHold
	for _, p := range list {
		if p.tone.Holds() {
			shown++
			tone = p.tone
		}
	}
	if held == n && shown >= n && len(list) <= 2 {
		return twoParts(list)
	}
	return draw.Cell{Left: tone, Right: tone, Split: draw.Slots, Count: n}
}

func split(list []part, slots []draw.Tone) []part {
	for _, t := range slots {
		if n := len(list); n > 0 && list[n-1].tone == t {
			list[n-1].n++
		} else {
			list = append(list, part{t, 1})
		}
	}
	return list
}

// twoParts is the cell of one or two parts; of more the first and all that is not like it.
func twoParts(list []part) draw.Cell {
	if len(list) == 1 {
		return draw.Full(list[0].tone)
	}
	return draw.Cell{Left: list[0].tone, Right: list[len(list)-1].tone, Split: list[0].n}
}

// falseCell shows a false belief in its place if that is at one of the ends, else in the
// whole cell: it is not to be overlooked.
func falseCell(list []part) draw.Cell {
	if len(list) == 2 {
		return twoParts(list)
	}
	return draw.Full(draw.ToneFalse)
}

// crowdFrom is from how many crowded cells on their number is written across them.
const crowdFrom = 16

// write says in words how many handovers there were, where cell after cell has only room
// for a number. The sentence of that id has one letter to a cell.
func (l *laneCells) write(cells []draw.Cell, tone draw.Tone, id model.MessageID) {
	for i := 0; i < len(cells); i++ {
		n, sum := 0, 0
		for i+n < len(cells) && cells[i+n].Count > 1 {
			sum += int(l.first[i+n])
			n++
		}
		if n >= crowdFrom {
			text := " " + text.Render(l.Lang, model.Message{ID: id, Args: []any{sum}}) + " "
			at := i + (n-len(text))/2
			for k := i; k < i+n; k++ {
				cells[k] = draw.Cell{Left: tone, Right: tone, Split: draw.Slots, Sign: " ", Count: 0}
				if k >= at && k-at < len(text) {
					cells[k].Sign = text[k-at : k-at+1]
				}
			}
		}
		i += n
	}
}

// unseen marks the cells in whose middle nothing was seen.
func (l *laneCells) unseen(cells []draw.Cell, from, to int64) {
	for i := range cells {
		if m := l.From + (int64(i)*draw.Slots+draw.Slots/2)*l.Slot; m >= from && m < to {
			cells[i] = draw.Cell{Unseen: true}
		}
	}
}

// begins marks the first full cell of each time of a tone, also where that began within the cell
// before: hue alone is not enough.
func begins(cells []draw.Cell, t draw.Tone) {
	for i := range cells {
		c := &cells[i]
		c.Begins = c.Begins || c.Left == t && c.Right == t && c.Count == 0 && c.Sign == "" && (i == 0 || cells[i-1].Left != t || cells[i-1].Right != t)
	}
}

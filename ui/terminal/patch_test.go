package terminal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// glass is a terminal that knows the sequences of frames.
type glass struct {
	t           *testing.T
	rows        [][]glyph
	top, bottom int
	style       string
}

// write shows a frame.
func (g *glass) write(frame string) {
	y, x := 0, 0
	for frame != "" {
		seq, width, n, _ := ansi.DecodeSequence(frame, ansi.NormalState, nil)
		frame = frame[n:]
		if width > 0 {
			g.rows[y][x] = glyph{g.style, seq}
			for i := 1; i < width; i++ {
				g.rows[y][x+i] = glyph{g.style, ""}
			}
			x += width
			continue
		}
		args := []int{}
		for _, part := range strings.Split(seq[2:len(seq)-1], ";") {
			v := 0
			fmt.Sscan(part, &v)
			args = append(args, v)
		}
		some := max(1, args[0])
		switch seq[len(seq)-1] {
		case 'm':
			if g.style += seq; args[0] == 0 {
				g.style = ""
			}
		case 'H':
			y, x = some-1, 0
			if len(args) > 1 {
				x = max(1, args[1]) - 1
			}
		case 'C':
			x += some
		case 'P':
			g.rows[y] = append(slices.Delete(g.rows[y], x, x+some), g.blanks(some)...)
		case '@':
			w := len(g.rows[y])
			g.rows[y] = slices.Insert(g.rows[y], x, g.blanks(some)...)[:w]
		case 'r':
			g.top, g.bottom = 0, len(g.rows)
			if len(args) > 1 {
				g.top, g.bottom = args[0]-1, args[1]
			}
			y, x = 0, 0
		case 'M':
			if y < g.top || y >= g.bottom {
				g.t.Fatalf("%q outside of %d to %d", seq, g.top, g.bottom)
			}
			copy(g.rows[y:g.bottom], g.rows[y+some:g.bottom])
			for i := range some {
				g.rows[g.bottom-1-i] = g.blanks(len(g.rows[0]))
			}
		default:
			g.t.Fatalf("a sequence that no frame should have: %q", seq)
		}
	}
}

func (g *glass) blanks(n int) []glyph { return slices.Repeat([]glyph{{"", " "}}, n) }

// shows compares with lines, colour by colour.
func (g *glass) shows(lines []string) string {
	for y, line := range lines {
		want, ok := glyphs(line)
		if !ok {
			g.t.Fatalf("not cells: %q", line)
		}
		for x := range want {
			if got := g.rows[y][x]; got.text != want[x].text || want[x].text != "" && looks(got.style) != looks(want[x].style) {
				return fmt.Sprintf("row %d, cell %d: %q, want %q in %q", y+1, x+1, got, want[x], line)
			}
		}
	}
	return ""
}

// TestAPatchedScreenShowsItsLines: whatever changes from frame to frame, the terminal shows the last one, in
// its colours, and less is written than whole lines.
func TestAPatchedScreenShowsItsLines(t *testing.T) {
	const w, h = 60, 14
	styles := []string{"", "", "\x1b[1m", "\x1b[31m", "\x1b[1;38;2;10;20;30m", "\x1b[38;2;9;9;9;48;2;10;20;30m", "\x1b[38;5;9;48;5;4m", "\x1b[7;97m", "\x1b[48;5;4m", "\x1b[101m"}
	texts := []string{"●", "12s", "worker-1", "█", "█", "▋", "─", " ", "  ", "字", "took over", "銀行", "é", "0"}
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		piece := func() (string, int) {
			text := texts[rnd.IntN(len(texts))]
			if style := styles[rnd.IntN(len(styles))]; style != "" {
				return style + text + "\x1b[0m", ansi.StringWidth(text)
			}
			return text, ansi.StringWidth(text)
		}
		fill := func(line string, have int) string {
			for {
				p, n := piece()
				if have+n > w {
					return line + strings.Repeat(" ", w-have)
				}
				line, have = line+p, have+n
			}
		}
		lines := make([]string, h)
		for i := range lines {
			lines[i] = fill("", 0)
		}
		g := &glass{t: t, rows: make([][]glyph, h), bottom: h}
		for i := range g.rows {
			g.rows[i] = g.blanks(w)
		}
		g.write(string(Patch(nil, lines)))
		for step := range 30 {
			next := slices.Clone(lines)
			switch i, k := rnd.IntN(h-4), 1+rnd.IntN(3); step % 5 {
			case 0: // a list moves up
				copy(next[i:], next[i+k:])
				for j := range k {
					next[h-1-j] = fill("", 0)
				}
			case 1: // some lanes to the left
				for j := i; j < i+4; j++ {
					next[j] = fill(ansi.Cut(next[j], k, w), ansi.StringWidth(ansi.Cut(next[j], k, w)))
				}
			case 2: // and what stands beside one stays
				head, tail := ansi.Cut(next[i], 0, 10), ansi.Cut(next[i], 40, w)
				lane := ansi.Cut(next[i], 10+k, 40)
				if n := ansi.StringWidth(head) + ansi.StringWidth(lane) + ansi.StringWidth(tail); n <= w {
					next[i] = head + lane + strings.Repeat("█", w-n) + tail
				}
			case 3: // one is new, and another is a word that terminals disagree about
				next[i] = fill("", 0)
				next[i+1] = "👩‍💻" + strings.Repeat("x", w-ansi.StringWidth("👩‍💻"))
			case 4: // that goes again
				for j := range next {
					if strings.Contains(next[j], "👩") {
						next[j] = fill("a", 1)
					}
				}
			}
			frame := Patch(lines, next)
			if len(frame) > len(Changed(lines, next))+40*h {
				t.Errorf("seed %d, step %d: %d bytes, and whole lines are %d", seed, step, len(frame), len(Changed(lines, next)))
			}
			lines = next
			if g.write(string(frame)); step%5 == 3 {
				continue
			}
			if wrong := g.shows(lines); wrong != "" {
				t.Fatalf("seed %d, step %d: %s\n%q", seed, step, wrong, frame)
			}
		}
	}
}

// TestATextIsWrittenWhole: who reads along what is written finds words and not the letters of them that differ; a
// lane that only moved costs a move.
func TestATextIsWrittenWhole(t *testing.T) {
	lane := strings.Repeat("█─▋", 10)
	runes := []rune(lane)
	for _, r := range []struct{ reason, was, is, want string }{
		{"one word of a sentence", "a  2 wait here  b", "a  3 wait here  b", ansi.CursorPosition(4, 1) + "3 wait here"},
		{"an age in a column", "a   12s    b", "a   13s    b", ansi.CursorPosition(5, 1) + "13s"},
		{"one cell of a lane", "a ████ b", "a ██▋█ b", ansi.CursorPosition(5, 1) + "▋"},
		{"a lane that moved", "a " + lane + "  12s", "a " + string(runes[1:]) + "█  12s",
			ansi.CursorPosition(3, 1) + "\x1b[P" + ansi.CursorPosition(32, 1) + "\x1b[@" + ansi.CursorPosition(32, 1) + "█"},
		{"a character that some terminals draw wider", "a  👩‍💻  b", "a  👩‍💻  c", ansi.CursorPosition(1, 1) + "a  👩‍💻  c"},
	} {
		if got := string(Patch([]string{r.was}, []string{r.is})); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

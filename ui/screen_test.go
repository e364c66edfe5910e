package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"

	"locktop/ui/table"
)

func TestGolden(t *testing.T) {
	rows := []struct {
		name, reason string
		w, h         int
		ascii        bool
		keys         []string
	}{
		{"locks-80x24", "full use on the smallest usual terminal", 80, 24, false, nil},
		{"locks-120x40", "everything has room", 120, 40, false, nil},
		{"locks-200x50", "wide: words beside the signs", 200, 50, false, nil},
		{"locks-80x24-ascii", "the same columns with other signs", 80, 24, true, nil},
		{"locks-40x10", "columns and panes go, what matters stays", 40, 10, false, nil},
		{"locks-18x4", "too small for a page: one line", 18, 4, false, nil},
		{"queue-120x40", "the queue as a page", 120, 40, false, []string{"enter"}},
		{"journal-80x24", "long sentences wrap", 80, 24, false, []string{"3"}},
		{"journal-120x40", "revisions have room", 120, 40, false, []string{"3"}},
		{"lab-80x24", "the words of the alarm fit", 80, 24, false, []string{"5"}},
		{"lab-120x40", "belief beside truth", 120, 40, false, []string{"5"}},
		{"queue-80x24", "why stands under the queue", 80, 24, false, []string{"down", "enter"}},
		{"sessions-80x24", "who stands where", 80, 24, false, []string{"2"}},
		{"sessions-120x40", "with the keys that end with the session", 120, 40, false, []string{"2", "down"}},
		{"sessions-200x50", "everything", 200, 50, false, []string{"2"}},
		{"findings-80x24", "the list, and one in full", 80, 24, false, []string{"4"}},
		{"findings-120x40", "the list, and one in full", 120, 40, false, []string{"4", "down"}},
		{"findings-200x50", "summaries beside", 200, 50, false, []string{"4", "down", "down", "down"}},
		{"explain-80x24", "the mechanism", 80, 24, false, []string{"e"}},
		{"byhand-80x24", "lines to type", 80, 24, false, []string{"down", "c"}},
		{"faults-80x24", "every kind that a contender can suffer", 80, 24, false, []string{"5", "down", "F"}},
		{"fault-choice-80x24", "presets, chosen by arrows", 80, 24, false, []string{"5", "down", "F", "down", "down", "down", "down", "grace", "enter"}},
		{"break-80x24", "both ways, named apart", 80, 24, false, []string{"x"}},
		{"break-lease-80x24", "what goes with the session, and who is next", 80, 24, false, []string{"down", "down", "x"}},
		{"help-120x40", "what works now and why the rest does not", 120, 40, false, []string{"?"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: true, Armed: true, Signs: signSet(r.ascii), NoSuspend: model.Say("quote", "the members live in this process"), Profile: colours})
			b.size(r.w, r.h)
			wrongLab(b)
			b.pressed(r.keys...)
			exact(t, b.View(), r.w, r.h)
			golden(t, r.name, b.text())
		})
	}
}

// coloured is an escape sequence that sets a colour, of the text or of its ground.
var coloured = regexp.MustCompile(`\x1b\[(\d+;)*([349]\d|10\d)(;\d+)*m`)

// TestNoColourSaysTheSame: without colours the text is the same, and bold still tells
// what matters.
func TestNoColourSaysTheSame(t *testing.T) {
	for _, keys := range [][]string{nil, {"2"}, {"3"}, {"4"}, {"5"}, {"x"}, {"?"}, {"e"}, {"c"}, {"5", "F"}} {
		var screens []string
		for _, p := range []termenv.Profile{termenv.Ascii, termenv.ANSI} {
			b := newBench(t, Options{Lab: true, Profile: p})
			wrongLab(b)
			b.press(keys...)
			screens = append(screens, pictureless(b.text()))
			if p == termenv.Ascii && coloured.MatchString(b.View()) {
				t.Errorf("%v: a colour where none is wanted", keys)
			}
			if p == termenv.Ascii && !strings.Contains(b.View(), "\x1b[1m") {
				t.Errorf("%v: nothing is bold", keys)
			}
		}
		if d := cmp.Diff(screens[0], screens[1]); d != "" {
			t.Errorf("%v: colours change the text:\n%s", keys, d)
		}
	}
}

// TestLayout draws what arrange returns: s status, t tabs, m main, p the
// pane of the first page, l lesson, v verdict, n notice, f footer; every line of the drawing is one of the screen.
func TestLayout(t *testing.T) {
	rows := []struct {
		w, h            int
		lesson, verdict int
		reason          string
		want            string
	}{
		{80, 24, 0, 0, "half for the table, half for the pane", "st" + strings.Repeat("m", 10) + strings.Repeat("p", 10) + "nf"},
		{80, 14, 0, 0, "too low for a pane: the notice takes the footer's line", "st" + strings.Repeat("m", 11) + "f"},
		{40, 10, 0, 0, "small", "stmmmmmmmf"},
		{40, 7, 0, 0, "no room for the tabs", "smmmmmf"},
		{40, 6, 0, 0, "nor for the footer", "smmmmm"},
		{20, 5, 0, 0, "the smallest page", "smmmm"},
		{80, 24, 7, 0, "a lesson takes the pane's place and leaves 8 rows and their title", "st" + strings.Repeat("m", 13) + strings.Repeat("l", 7) + "nf"},
		{80, 24, 24, 0, "however much it has to say", "st" + strings.Repeat("m", 9) + strings.Repeat("l", 11) + "nf"},
		{80, 40, 8, 0, "where there is room the queue stays, and has more of it than the table", "st" + strings.Repeat("m", 9) + strings.Repeat("p", 19) + strings.Repeat("l", 8) + "nf"},
		{40, 10, 7, 0, "on a small screen a lesson gets its title and a line", "stmmmmmllf"},
		{19, 24, 0, 0, "too narrow: one line", "s......................."},
		{80, 4, 0, 0, "too low: one line", "s..."},
		{80, 24, 0, 2, "the verdict stands above the page", "stvv" + strings.Repeat("m", 9) + strings.Repeat("p", 9) + "nf"},
		{120, 36, 0, 3, "where there is room it has a blank line before and after it", "st.vvv." + strings.Repeat("m", 13) + strings.Repeat("p", 14) + "nf"},
		{120, 36, 0, 0, "nothing is wrong: one blank line", "st." + strings.Repeat("m", 15) + strings.Repeat("p", 16) + "nf"},
		{80, 24, 2, 2, "the guide leaves room for it", "stvv" + strings.Repeat("m", 9) + strings.Repeat("p", 7) + strings.Repeat("l", 2) + "nf"},
	}
	for _, r := range rows {
		l := arrange(r.w, r.h, r.lesson, r.verdict)
		pane := l.main
		var rows int
		rows, pane.h = page.LockShares(l.main.h, 1000, r.lesson > 0, false)
		pane.y += rows
		drawing := []byte(strings.Repeat(".", r.h))
		for _, part := range []struct {
			c byte
			r rect
		}{{'n', l.notice}, {'s', l.status}, {'t', l.tabs}, {'v', l.verdict}, {'m', l.main}, {'p', pane}, {'l', l.lesson}, {'f', l.footer}} {
			for y := part.r.y; y < part.r.y+part.r.h; y++ {
				if drawing[y] != '.' && drawing[y] != 'n' && part.c != 'p' {
					if part.c != 'n' {
						t.Errorf("%dx%d: %c over %c at line %d", r.w, r.h, part.c, drawing[y], y)
					}
				}
				drawing[y] = part.c
			}
		}
		got := string(drawing)
		if l.notice.y == r.h-1 && l.footer.h == 0 && !l.tiny {
			got = got[:r.h-1] + "m" // the notice stands over the last line when there is one
		}
		if got != r.want {
			t.Errorf("%dx%d (%s):\n got %s\nwant %s", r.w, r.h, r.reason, got, r.want)
		}
	}
}

func TestColumnsGoByRank(t *testing.T) {
	for w := 20; w < 220; w++ {
		for name, cols := range map[string][]table.Column{"locks": page.LockCells.Columns(), "queue": page.ClaimCells.Columns(), "members": page.MemberCells.Columns(), "sessions": page.SessionCells.Columns(), "findings": page.FindingCells.Columns(), "contenders": page.ContenderCells.Columns(), "faults": page.FaultCells.Columns(), "clients": page.ClientCells.Columns()} {
			gap := 1 + w%3
			sum, dropped := -gap, 99
			for i, cw := range table.FitColumns(cols, w, gap) {
				if cw == 0 {
					dropped = min(dropped, cols[i].Rank)
					continue
				}
				sum += cw + gap
				if cw > cols[i].Most && cw > cols[i].Least {
					t.Errorf("%s at %d: column %s is %d wide", name, w, cols[i].Title, cw)
				}
			}
			for i, cw := range table.FitColumns(cols, w, gap) {
				if cw > 0 && cols[i].Rank > dropped {
					t.Errorf("%s at %d: %s stays although rank %d went", name, w, cols[i].Title, dropped)
				}
			}
			if sum > w && dropped > 1 {
				t.Errorf("%s: %d cells in %d", name, sum, w)
			}
		}
	}
}

// TestEverySizeFits walks sizes and screens: nothing wraps, nothing overflows.
func TestEverySizeFits(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true, Profile: colours})
	wrongLab(b)
	for _, keys := range [][]string{{"1"}, {"1", "enter"}, {"2"}, {"3"}, {"4"}, {"5"}, {"1", "e"}, {"1", "c"}, {"1", "?"}, {"1", "x"}, {"1", "/", "a"}, {"5", "F"}, {"n"}, {"5", "F", "down", "down", "down", "down", "grace", "enter"}, {" "}} {
		b.pressed(keys...)
		for w := 1; w <= 130; w += 3 {
			for _, h := range []int{1, 4, 5, 7, 10, 13, 18, 24, 41} {
				b.size(w, h)
				exact(t, b.View(), w, h)
			}
		}
		b.press("esc", "esc")
		if b.frozen {
			b.press(" ")
		}
		if t.Failed() {
			t.Fatalf("on the screen after %v", keys)
		}
	}
}

// hostile generates bytes as somebody who means harm would write them.
func hostile() *rapid.Generator[string] {
	pieces := []string{"\x1b[2J", "\x1b]0;x\x07", "\x1bP", "\x9b31m", "\u202e", "\u2066", "\u200b", "\u200d", "\n", "\r", "\t", "\x00", "\xff\xfe",
		"銀行", "ｱｲ", "ｗ", "한글", "\u1112\u1161\u11ab", "é", "e\u0301", "\u0903", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\ufe0f", "❤", "❤️", "\u3164", "/", "a", "Z", " ", "\\", "\u0e33", "\u0600", "नि", "…", "\u2028", "\u00ad"}
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var b strings.Builder
		for range n {
			if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
				b.WriteString(rapid.String().Draw(t, "s"))
				continue
			}
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
		}
		return b.String()
	})
}

func TestHostileBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, Options{Lab: true, Armed: true, Profile: colours, Signs: signSet(rapid.Bool().Draw(rt, "ascii"))})
		for i := range 6 {
			lock := "/" + hostile().Draw(rt, "lock")
			b.w.claim(1, lock, hostile().Draw(rt, "value"), model.LeaseID(0x100+i))
			b.w.claim(2, lock, hostile().Draw(rt, "value"), model.LeaseID(0x200+i))
			b.w.put(2, lock+"/"+hostile().Draw(rt, "stray"), hostile().Draw(rt, "value"), model.LeaseID(i%2*0x300))
			b.w.read(2, model.LeaseID(0x100+i), 60, 3)
			b.w.add(model.Contender{At: at(2), Name: hostile().Draw(rt, "name"), Lock: lock, Proc: model.ProcRunning},
				model.FaultOn{At: at(2), ID: i, Fault: model.Fault{Kind: model.FaultKind(hostile().Draw(rt, "fault")), Target: hostile().Draw(rt, "target")}})
		}
		name := hostile().Draw(rt, "client")
		b.w.add(model.Connected{At: at(2), Client: model.Client{Name: name}, Peer: name, Agent: hostile().Draw(rt, "agent"), Member: name, On: true},
			model.Access{At: at(2), Contender: name, Lock: name, Write: true})
		b.w.add(model.ClusterStatus{At: at(2), Alarms: []string{"NOSPACE " + hostile().Draw(rt, "alarm")},
			Members: []model.Member{{ID: 1, Name: hostile().Draw(rt, "member"), Err: model.Say("quote", hostile().Draw(rt, "error"))}, {ID: 2}}})
		b.w.add(model.Lost{At: at(3), Prefix: "/", Detail: model.Say("quote", hostile().Draw(rt, "detail"))})
		b.sync(4)
		w, h := rapid.IntRange(1, 140).Draw(rt, "w"), rapid.IntRange(1, 45).Draw(rt, "h")
		b.size(w, h)
		for _, keys := range [][]string{nil, {"x"}, {"esc", "enter"}, {"e"}, {"c"}, {"2"}, {"c"}, {"3"}, {"4"}, {"tab"}, {"e"}, {"c"}, {"5"}, {"F"}, {"esc", "shift+tab", "F"}, {"esc", "tab", "tab", "F", "down", "grace", "enter"}, {"esc", "esc", "1", "/", hostile().Draw(rt, "filter")}} {
			b.pressed(keys...)
			exact(rt, b.View(), w, h)
		}
	})
}

// TestProse: what the model wrote is not trusted to be fit for a terminal.
func TestProse(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		th := draw.NewTheme(draw.ThemeDark, colours, signSet(ascii))
		rapid.Check(t, func(rt *rapid.T) {
			text := hostile().Draw(rt, "text")
			w := rapid.IntRange(30, 90).Draw(rt, "w")
			x := model.Finding{Code: "x", Summary: model.Say("quote", text), Evidence: []model.Message{model.Say("quote", text)}, Advice: []model.Message{model.Say("quote", text)}, Etcdctl: []string{text}}
			for _, p := range page.ParagraphsOf(th, &x) {
				for _, l := range th.Paragraph(p, w) {
					exact(rt, l, w, 1)
				}
			}
			for _, l := range page.WhyPane(th, nil, []model.Finding{x}, w, 9) {
				exact(rt, l, w, 1)
			}
		})
	}
}

func TestWidthAgrees(t *testing.T) {
	for r := rune(0x20); r < 0x20000; r++ {
		if w := draw.SimpleWidth(r); w != 0 && w != measured(string(r)) {
			t.Fatalf("%U is %d cells wide, not %d", r, measured(string(r)), w)
		}
	}
}

func TestWords(t *testing.T) {
	for _, r := range []struct {
		d       time.Duration
		atLeast bool
		want    string
		reason  string
	}{
		{900 * time.Millisecond, false, "0s", "whole seconds: nothing flickers"},
		{9 * time.Second, false, "9s", "no tenths"},
		{131 * time.Second, false, "2m11s", "two units"},
		{12*time.Minute + 4*time.Second, true, "12m+", "a lower bound has one"},
		{27 * time.Hour, true, "1d+", "days"},
	} {
		if got := draw.Age(r.d, r.atLeast); got != r.want {
			t.Errorf("%v: got %s, want %s (%s)", r.d, got, r.want, r.reason)
		}
	}
	if got := fmt.Sprint(draw.Count(184203), " ", draw.Count(-1234), " ", draw.Count(7)); got != "184,203 -1,234 7" {
		t.Errorf("got %s", got)
	}
}

// signSet are the characters of a test that has both.
func signSet(ascii bool) draw.SignSet {
	if ascii {
		return draw.SignsASCII
	}
	return draw.SignsUnicode
}

package draw

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/muesli/termenv"
)

// TestWideSignsAreNarrowEverywhere: a terminal that draws signs of ambiguous width two
// cells wide shows the wide-safe set one cell wide, and the sentences that pass through
// the theme too.
func TestWideSignsAreNarrowEverywhere(t *testing.T) {
	east := runewidth.NewCondition()
	east.EastAsianWidth = true
	narrow := func(name, s string) {
		for _, r := range s {
			if w := east.RuneWidth(r); w != 1 {
				t.Errorf("%s: %q is %d cells wide", name, r, w)
			}
		}
	}
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsWide)
	set := reflect.ValueOf(th.Sign)
	for _, field := range reflect.VisibleFields(set.Type()) {
		if f := set.FieldByIndex(field.Index); f.Kind() == reflect.String {
			narrow(field.Name, f.String())
		}
	}
	narrow("a sentence", th.FormatSentence("c1 → c2 – free for ≥ 3 s … 2 × late · over"))
	if east.RuneWidth('●') == 1 {
		t.Error("nothing is of ambiguous width: the test cannot fail")
	}
}

// TestEverySetHasEverySign: a sign that one set lacks would show as nothing.
func TestEverySetHasEverySign(t *testing.T) {
	for set, s := range signsOf {
		v := reflect.ValueOf(s)
		for _, field := range reflect.VisibleFields(v.Type()) {
			if f := v.FieldByIndex(field.Index); f.Kind() == reflect.String && runewidth.StringWidth(f.String()) != 1 {
				t.Errorf("set %d: %s is %q", set, field.Name, f.String())
			}
		}
	}
}

// TestTheSelectionKeepsColours: a row under the cursor is on a ground of its own, and says
// by its colours what the others say. Without a ground its colours are those of the others.
func TestTheSelectionKeepsColours(t *testing.T) {
	for _, name := range Themes {
		for _, p := range []termenv.Profile{termenv.ANSI, termenv.ANSI256, termenv.TrueColor} {
			th := NewTheme(name, p, SignsUnicode)
			ground := name != ThemeMono && p != termenv.ANSI
			for s := range lanes {
				switch {
				case looks[s].attrs.chip:
				case !ground && s != Readonly && th.Chosen[s] != th.Before[s]:
					t.Errorf("%s, profile %d: style %d is %q in the selected row, and %q elsewhere", name, p, s, th.Chosen[s], th.Before[s])
				case ground && !strings.Contains(th.Chosen[s], "48;"):
					t.Errorf("%s, profile %d: style %d has no ground in the selected row: %q", name, p, s, th.Chosen[s])
				case strings.Contains(th.Chosen[s], "[7m"):
					t.Errorf("%s, profile %d: the selected row is reversed", name, p)
				}
			}
		}
	}
}

// TestTonesOfLanes: what two claims do one after the other looks different in every theme
// that has colours, a split cell names both, and who waits never looks as if he held.
func TestTonesOfLanes(t *testing.T) {
	for _, name := range []string{ThemeDark, ThemeLight} {
		for _, p := range []termenv.Profile{termenv.ANSI, termenv.ANSI256, termenv.TrueColor} {
			th := NewTheme(name, p, SignsUnicode)
			for _, pair := range [][2]Tone{{ToneHold, ToneHold2}, {ToneQuiet, ToneQuiet2}, {ToneHold, ToneWait}, {ToneHold, ToneLate}, {ToneLate, ToneStuck}, {ToneHold, ToneFalse}} {
				if th.Before[Lane(pair[0], ToneNone)] == th.Before[Lane(pair[1], ToneNone)] {
					t.Errorf("%s, profile %d: tones %d and %d look the same", name, p, pair[0], pair[1])
				}
			}
			if th.Before[Lane(ToneHold, ToneHold2)] == th.Before[Lane(ToneHold, ToneNone)] {
				t.Errorf("%s, profile %d: a split cell shows one of two", name, p)
			}
			if !strings.Contains(th.Before[Turned(ToneHold)], "7") {
				t.Errorf("%s, profile %d: %q is not reversed", name, p, th.Before[Turned(ToneHold)])
			}
		}
	}
}

// TestALateLaneHasItsSignThroughout: with 16 colours or none, what is late or stuck differs from what is well
// by more than its first cell; with all colours a fill says it.
func TestALateLaneHasItsSignThroughout(t *testing.T) {
	for _, r := range []struct {
		profile termenv.Profile
		set     SignSet
		tone    Tone
		sign    string
		reason  string
	}{
		{termenv.Ascii, SignsUnicode, ToneLate, "!", "NO_COLOR"},
		{termenv.Ascii, SignsUnicode, ToneStuck, "✖", "NO_COLOR"},
		{termenv.Ascii, SignsASCII, ToneStuck, "X", "letters alone"},
		{termenv.ANSI, SignsUnicode, ToneLate, "!", "16 colours, which may be anything"},
		{termenv.TrueColor, SignsUnicode, ToneLate, "", "a fill of its own"},
		{termenv.Ascii, SignsUnicode, ToneHold, "", "all is well"},
	} {
		th := NewTheme(ThemeDark, r.profile, r.set)
		cells := make([]Cell, 12)
		for i := range cells {
			cells[i] = Full(r.tone)
		}
		text := ""
		for _, sp := range th.LaneCells(cells) {
			text += sp.Text
		}
		want := 0
		if r.sign != "" {
			want = 3
		}
		if got := strings.Count(text, r.sign); r.sign != "" && got != want || r.sign == "" && strings.ContainsAny(text, "!✖X") {
			t.Errorf("%s: %q has %q %d times, want %d", r.reason, text, r.sign, got, want)
		}
	}
}

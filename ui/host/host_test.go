package host

import (
	"testing"

	"locktop/ui/draw"
	"locktop/ui/page"
	"locktop/ui/table"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

func TestPlacesInWords(t *testing.T) {
	titles := []string{"Locks", "Queue", "Journal"}
	every := OnPage(0) | OnPage(1) | OnPage(2)
	for _, r := range []struct {
		in           Where
		want, reason string
	}{
		{All, "everywhere", "pages and parts"},
		{every, "every page", "no list of them"},
		{every | InHelp | InText, "every page", "help and texts stand over a page"},
		{every | InStart, "every page, start", "the start is none"},
		{OnPage(0) | OnPage(1), "every page but Journal", "the one that is left out"},
		{OnPage(1), "Queue", "one"},
		{OnPage(1) | InBreak, "Queue, break dialog", "a page and a dialog"},
		{InTyped, "typed name", "no page"},
	} {
		if got := r.in.Words(titles); got != r.want {
			t.Errorf("%s: got %q, want %q", r.reason, got, r.want)
		}
	}
	if len(inputNames) != len(places(All&^AnyPage)) {
		t.Errorf("%d places beside the pages have %d names", len(places(All&^AnyPage)), len(inputNames))
	}
}

// places are the single ones of a set.
func places(w Where) []Where {
	var all []Where
	for one := Where(1); one < End; one <<= 1 {
		if w&one != 0 {
			all = append(all, one)
		}
	}
	return all
}

func TestFieldTakesWhatCanBeSeen(t *testing.T) {
	var f Field
	for _, r := range []struct {
		msg          tea.KeyMsg
		want, reason string
	}{
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("/jobs/銀 行")}, "/jobs/銀 行", "as it is typed"},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("\x1b[2J\u202e\n"), Paste: true}, "/jobs/銀 行[2J", "pasted, without what moves the cursor"},
		{tea.KeyMsg{Type: tea.KeyBackspace}, "/jobs/銀 行[2", "the last character"},
		{tea.KeyMsg{Type: tea.KeyCtrlW}, "/jobs/銀 ", "the last word"},
		{tea.KeyMsg{Type: tea.KeyCtrlW}, "/jobs/", "the last part of a path"},
		{tea.KeyMsg{Type: tea.KeyF1}, "/jobs/", "no text"},
		{tea.KeyMsg{Type: tea.KeyCtrlU}, "", "all"},
		{tea.KeyMsg{Type: tea.KeyBackspace}, "", "nothing is left"},
	} {
		if f.Key(r.msg); f.Text != r.want {
			t.Errorf("%s: %q, want %q", r.reason, f.Text, r.want)
		}
	}
}

// TestHintsDropTheLeast: what comes first stays, and there is room for help always.
func TestHintsDropTheLeast(t *testing.T) {
	here := OnPage(0)
	m := NewKeymap([]Key{{Keys: []string{"a"}, Where: here, Short: "key-filter"}, {Keys: []string{"x"}, Where: here, Short: "key-break"},
		{Keys: []string{"z"}, Where: here, Short: "key-zoom", Hidden: func(View) bool { return true }}, {Keys: []string{"?"}, Where: here, Short: "key-help"}})
	for w, want := range map[int]string{80: "x break  a filter  ", 20: "x break  ", 10: ""} {
		keys, help := m.Hints(here, w, Footer{View: View{Frame: page.Frame{ViewState: &page.ViewState{}, View: table.View{Th: draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode)}}}, Gap: 2})
		got := ""
		for _, sp := range keys {
			got += sp.Text
		}
		if got != want || len(help) != 2 {
			t.Errorf("%d cells: %q and help %v, want %q", w, got, help, want)
		}
	}
}

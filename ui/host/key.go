package host

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/page"
)

// Key is one row of the table of keys: the only place that says what a key does, where,
// and how it is called.
type Key struct {
	Keys  []string // as Bubble Tea names them
	Where Where
	Short model.MessageID // for the footer, "" for not in it
	// Brief, if not nil, says now what stands in w cells of the footer, in the language of the screen.
	Brief func(v View, w int) string
	// Hidden, if not nil, says that the key is not in the footer now.
	Hidden func(v View) bool
	What   model.MessageID
	Needs  string // for the table of keys: what has to be there
	// Why says why the key does nothing now, "" if it works.
	Why func(v View) string
	Do  func(v View) []Intent
	// Act is the kind of action that the key asks for, "" for none, and Asks the
	// actions of which one must be possible. The actions are asked beside the
	// screen, and Then goes on with what they said.
	Act  model.ActionKind
	Asks func() (acts []model.Action, why string)
	Then func(View, Said) []Intent
	// Fold, if its keys are not "", is how help says this row and its neighbours in one.
	Fold page.Fold
	// Frozen: it works while drawing is frozen.
	Frozen bool
}

// What a key can need.
const (
	NeedsRecording = "a recording, or what was seen so far"
	NeedsArmed     = "armed"
	NeedsLesson    = "a lesson, or the demo's guide"
)

// Run is a key that wants nothing of the console.
func Run(f func()) func(View) []Intent {
	return func(View) []Intent { f(); return nil }
}

// Closed says why the key does nothing now, as far as the screen knows, "" if it works.
// What the actions say of it is another matter: see [Ask].
func (k *Key) Closed(v View) string {
	switch {
	case k.Why != nil:
		return k.Why(v)
	case k.Asks != nil:
		_, why := k.Asks()
		return why
	}
	return ""
}

// TurnsPage says that the key goes to a page.
func (k *Key) TurnsPage() bool { return k.Fold.What == FoldPages }

// What the rows of the table of keys that are one in help are called there.
const (
	FoldMoves model.MessageID = "down-up-first-last-arrows-pgup"
	FoldPages model.MessageID = "a-page-as-they-stand-on"
)

// Keymap finds a row by place and key.
type Keymap struct {
	Rows []Key
	At   map[Where]map[string]*Key
}

// NewKeymap returns the map of a table of keys.
func NewKeymap(rows []Key) Keymap {
	m := Keymap{Rows: rows, At: map[Where]map[string]*Key{}}
	for w := Where(1); w < End; w <<= 1 {
		m.At[w] = map[string]*Key{}
		for i := range rows {
			if rows[i].Where&w == 0 {
				continue
			}
			for _, k := range rows[i].Keys {
				m.At[w][k] = &rows[i]
			}
		}
	}
	return m
}

// Names writes keys as a person reads them.
func Names(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		switch k {
		case " ":
			k = "space"
		case "pgup":
			k = "PgUp"
		case "pgdown":
			k = "PgDn"
		case "f1":
			k = "F1"
		case "home", "end":
			k = strings.ToUpper(k[:1]) + k[1:]
		}
		names[i] = k
	}
	return strings.Join(names, " ")
}

// Field is a line of text that is typed.
type Field struct{ Text string }

// Key takes what was typed or pasted in. Only what can be seen gets in.
func (f *Field) Key(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		for _, r := range msg.Runes {
			if model.Shown(r) {
				f.Text += string(r)
			}
		}
	case tea.KeyBackspace:
		if r := []rune(f.Text); len(r) > 0 {
			f.Text = string(r[:len(r)-1])
		}
	case tea.KeyCtrlU:
		f.Text = ""
	case tea.KeyCtrlW:
		f.Text = f.Text[:strings.LastIndexAny(strings.TrimRight(f.Text, " /"), " /")+1]
	}
}

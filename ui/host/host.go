package host

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// Actions is what the console may do. It plans before it does, and it may refuse.
type Actions interface {
	// Available returns nil, or in one line why the action cannot be done now.
	Available(a model.Action) error
	// Plan reads what the action will touch.
	Plan(ctx context.Context, a model.Action) (model.Plan, error)
	// Do does what was planned. What came of it is for the watch to see.
	Do(ctx context.Context, p model.Plan) model.Outcome
}

// Host is the console as its parts see it.
type Host interface {
	// Frame has the state, the theme and the time that are shown.
	Frame() page.Frame
	// Target is what is under the cursor.
	Target() page.Target
	// Context ends with the console.
	Context() context.Context
	// Actions is nil until the console has booted.
	Actions() Actions
	// Say shows a line for a while.
	Say(st draw.Style, text string)
	// Hints are the keys of a place in short, as many as fit in w cells.
	Hints(in Where, w int) []draw.Span
	// Pressed is the key that is being done.
	Pressed() string
	// Open opens a dialog over the page, and says whether it did: something else may
	// have come up meanwhile. It opens one about a lock only where locks are selected.
	Open(d Dialog, aboutLock bool) bool
	// Close closes the dialog that is open.
	Close()
	// Ask asks beside the screen which of the actions can be done, and goes on with what
	// was said if any of them can.
	Ask(on page.Target, acts []model.Action, then func(Said) tea.Cmd) tea.Cmd
	// Act plans and does an action, or asks first where that has to be.
	Act(act model.Action) tea.Cmd
	// Do says that the plan is carried out, and does it, for at most within if that is not 0.
	Do(p model.Plan, within time.Duration) tea.Cmd
	// Show goes to the page that shows what is asked for.
	Show(r page.Request)
	// GoTo goes to a page by its title.
	GoTo(page string)
	// Select puts the cursor on a lock, and says whether it did: only where locks are listed.
	Select(lock string) bool
	// Rewind shows the moment at of what was seen so far once the key that is being done is done,
	// or now again for the zero time. Where nothing is kept it does nothing.
	Rewind(at time.Time)
	// Watch watches the keys under other prefixes.
	Watch(prefixes []string) tea.Cmd
	// Idle is for how long no key was pressed.
	Idle() time.Duration
	// After calls f later.
	After(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd
}

// Dialog stands over the page and takes the keyboard from it.
type Dialog interface {
	// Place says which keys count.
	Place() Where
	// PaintOver paints it over the lines of the screen.
	PaintOver(lines []string) []string
}

// Late is what came back for a dialog. It counts only if that one is still open.
type Late struct {
	To   Dialog
	Take func() tea.Cmd
}

// Said is what the actions said of actions: why each cannot be done now, "" if it can.
type Said struct {
	Target page.Target // what was under the cursor
	Acts   []model.Action
	Whys   []string
}

// Why says why an action of that kind cannot be done, "" if it can or was not asked.
func (s Said) Why(kind model.ActionKind) string {
	for i, act := range s.Acts {
		if act.Kind == kind {
			return s.Whys[i]
		}
	}
	return ""
}

// WhysNot asks of each action why it cannot be done now, in a language. It may take its time:
// it is called beside the screen.
func WhysNot(lang string, actions Actions, acts []model.Action) []string {
	whys := make([]string, len(acts))
	for i, act := range acts {
		if err := actions.Available(act); err != nil {
			whys[i] = text.Refused(lang, err)
		}
	}
	return whys
}

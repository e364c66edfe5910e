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

// View is the console as its parts read it: what is so now, and how it looks.
type View struct {
	page.Frame
	Armed   bool
	Pressed string        // the key that is being done
	Idle    time.Duration // for how long no key was pressed
	// Lists says that locks are listed on the page.
	Lists bool
	// Hints are the keys of a place in short, as many as fit in w cells.
	Hints func(in Where, w int) []draw.Span
}

// Dialog stands over the page and takes the keyboard from it.
type Dialog interface {
	// Place says which keys count.
	Place() Where
	// PaintOver paints it over the lines of the screen.
	PaintOver(v View, lines []string) []string
}

// Intent is what a part wants of the console: one of the types below, or a [page.Request] to show
// something. The console carries intents out in their order.
type Intent any

// Intents that are carried out at once.
type (
	// Say shows a line for a while.
	Say struct {
		St   draw.Style
		Text string
	}
	// GoTo goes to a page by its title.
	GoTo string
	// Select puts the cursor on a lock where locks are listed.
	Select string
	// Rewind shows a moment of what was seen so far, or now again for the zero time. Where nothing
	// is kept it does nothing.
	Rewind time.Time
	// Open opens a dialog over the page, if nothing else has come up meanwhile; one about a lock only
	// where locks are selected. If it does not open, the intents after it are dropped.
	Open struct {
		Dialog    Dialog
		AboutLock bool
	}
	// Close closes the dialog that is open.
	Close struct{}
	// Press does what a key of the page does.
	Press struct{ Key *Key }
)

// Intents that take their time. They are carried out beside the screen, and what comes back for a
// dialog counts only if that one is still open.
type (
	// Ask asks which of the actions can be done, and goes on if any of them can.
	Ask struct {
		On   page.Target
		Acts []model.Action
		Then func(View, Said) []Intent
	}
	// Check asks for a dialog why each of the actions cannot be done, "" for one that can.
	Check struct {
		To   Dialog
		Acts []model.Action
		Then func(v View, whys []string) []Intent
	}
	// Plan reads for a dialog, for at most [PlanTimeout], what an action would touch, and why it cannot be done, "" if it can.
	Plan struct {
		To   Dialog
		Act  model.Action
		Then func(p model.Plan, why string)
	}
	// Act plans and does an action, or asks first where that has to be.
	Act struct{ Action model.Action }
	// Do carries out plans, each for at most Within if that is not 0. What came of it is told to the
	// dialog, or to the person if there is none.
	Do struct {
		Plans  []model.Plan
		Within time.Duration
		To     Dialog
		Then   func(View, []model.Outcome)
	}
	// Watch watches the keys under other prefixes.
	Watch []string
	// After goes on for a dialog some time later.
	After struct {
		For  time.Duration
		To   Dialog
		Then func()
	}
	// Beside runs beside the screen until the console ends at most.
	Beside func(context.Context) tea.Msg
	// Cmd is what Bubble Tea does.
	Cmd tea.Cmd
)

// PlanTimeout bounds how long a lock to break waits for what it has to show, and for its end.
const PlanTimeout = 10 * time.Second

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

// ActFirst goes on with the first action, where there is one that can be done.
func ActFirst(_ View, said Said) []Intent { return []Intent{Act{said.Acts[0]}} }

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

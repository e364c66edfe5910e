// Package ui is the console: a Bubble Tea program that paints a [store.View].
//
// It imports the model and its own parts, and nothing else of this program. It does no I/O of
// its own. The world comes in as messages, and the actions of a person go out through
// [host.Actions]:
//
//	Source.Next ──batchMsg──▶ Shell.Update ──▶ store.Store ──▶ Shell.View
//	tick, keys, mouse ───────▶    │
//	                              └─ a key of the table ──▶ Intent ──▶ Actions.Plan, Actions.Do
//
// The screen never assumes that an action worked: the action shows "done", and the
// screen changes when the watch has seen it.
//
// The parts of the console:
//
//	ui ──▶ dialog, tutor ──▶ host ──▶ page ──▶ timeline ──▶ table ──▶ fields, draw
//
// draw says how text becomes cells, table paints rows, timeline paints what happened across
// time and who waits for whom in a deadlock, and page has the pages, none of which knows another.
// dialog has the dialogs over a page, tutor tells lessons and the guide of the demo under it;
// none of them knows another: they read a host.View, and return a host.Intent for each thing that
// they want. Package terminal asks for the background of the terminal, and brings frames to it.
// This package is the shell around them:
//
//   - shell.go is the one tea.Model, [Shell], and state.go has its state. Its Update is a switch of
//     one-line cases; messages.go has the commands and messages behind them, boot.go the startup
//     messages. moment.go moves the console through time: through a recording, or back in what a
//     running one has seen, which goes on in present.go. recorder.go writes down what is seen.
//     timing.go says how long things take.
//   - keys.go is the one table of keys. What a key does, where, under which condition and
//     how help names it stand in one row; pages and parts bring their own.
//   - intents.go does what the parts want.
//   - pages.go has the pages, goes to the one that shows what another one asks for, and
//     back.
//   - layout.go cuts the screen into rectangles, by its size, by how many lines the panel under
//     the page would like, and by whether the verdict shows. header.go and footer.go are its top and
//     its bottom, and what a very small screen shows.
//   - act.go has the actions on the selected item, move.go the cursor and the mouse, and
//     overlay.go the texts over a page: help (`?`), explanations (`e`), etcdctl lines (`c`).
//
// Rules: a selection is an identity (a name, a key), never an index. The cost
// of a message does not grow with the number of locks. Sorting and filtering do grow: they
// are done when they are due (table.Ranking), about once a second, and for more than 10,000
// locks in pieces, with a message for each, so that no key waits for all of them. A
// frame of 200 by 50 takes at most 490 allocations, and 430 if five rows changed, for
// any number of locks (costs_test.go). Readings that change nothing visible wait for the
// next second (messages.go), and healthy rows count time in steps
// (page/quiet.go): an idle console costs next to nothing. Every line is exactly as wide as
// the screen. Colour is never the only signal.
package ui

//go:generate go run locktop/ui/cli/documents keys KEYS.md

// Package ui is the console: a Bubble Tea program that paints a [store.View].
//
// It imports the model and its own parts, and nothing else of this program. It does no I/O of its own. The world comes in as
// messages, and what a person asks for goes out through [host.Actions]:
//
//	Source.Next ──batchMsg──▶ Shell.Update ──▶ store.Store ──▶ Shell.View
//	tick, keys, mouse ───────▶    │
//	                              └─ a key of the table ──▶ Actions.Plan, Actions.Do
//
// Nothing is drawn because the console asked for it: an action shows "done", and
// the screen changes when the watch has seen it.
//
// How the console is cut:
//
//	ui ──▶ dialog, lesson, guide, replay ──▶ host ──▶ page ──▶ timeline ──▶ table ──▶ fields, draw
//
// draw says how text becomes cells, table paints rows, timeline paints what happened across
// time and who waits for whom in a deadlock, and page has the pages, none of which knows another.
// dialog has what stands over a page, lesson the drill that is told under it, guide what shows a newcomer around the demo;
// none of them knows another, and they see the console as host.Host. Package terminal asks for
// the background of the terminal, and brings frames to it. This package is the shell around them:
//
//   - shell.go is the one tea.Model, [Shell], and state.go what it keeps. Its Update is a switch of
//     one-line cases; messages.go has the commands and messages behind them, boot.go those of the
//     start. timing.go says how long what takes.
//   - keys.go is the one table of keys. What a key does, where, under which condition and
//     how help names it stand in one row; pages and parts bring their own.
//   - shell_host.go is the console as its parts see it: what they may ask of it.
//   - pages.go has the pages, goes to the one that shows what another one asks for, and
//     back.
//   - layout.go cuts the screen into rectangles, by its size, by how many lines the panel under
//     the page would like, and by whether the verdict shows. header.go and foot.go are its top and
//     its bottom, and what a very small screen shows.
//   - act.go is what is done to what is selected, move.go what moves and what the mouse
//     does, overlay.go is `?` and what `e` and `c` open.
//
// Rules: a selection is an identity (a name, a key), never an index. A message
// costs nothing that grows with the number of locks: what does, sorting and
// filtering, is done when it is due (table.Ranking), about once a second, and of
// more than 10,000 in pieces, with a message for each: no key waits for all of them. A
// frame of 200 by 50 takes 490 allocations at most, and 430 if five rows changed, by
// any number of locks (costs_test.go). What only says that all is as it was is not
// painted before the next second (messages.go), and rows that are well count in steps
// (page/quiet.go): an idle console costs next to nothing. Every line is exactly as wide as
// the screen. A colour never says alone what it says.
package ui

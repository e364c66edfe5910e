// Package ui is the console: a Bubble Tea program that paints a [model.State].
//
// It imports the model, and fields, the table of what is said in columns, and nothing
// else of ours. It does no I/O of its own. The world comes in as messages, and what a
// person asks for goes out through [Actions]:
//
//	Source.Next ──batchMsg──▶ App.Update ──▶ model.State ──▶ App.View
//	tick, keys, mouse ───────▶    │
//	                              └─ a key of the table ──▶ Actions.Plan, Actions.Do
//
// Nothing is drawn because the console asked for it: an action shows "done", and
// the screen changes when the watch has seen it.
//
// How the package is cut:
//
//   - app.go is the one tea.Model. Its Update is a switch of one-line cases;
//     messages.go has the commands and messages behind them.
//   - keys.go is the one table of keys. What a key does, where, under which
//     condition and how help names it stand in one row.
//   - layout.go cuts the screen into rectangles, a pure function of the size.
//   - locks.go, queue.go with why.go, sessions.go, journal.go, findings.go and
//     lab.go are the panels. None knows another. Each gets a size and a
//     [model.State] and returns lines. verdict.go says how a [model.Condition] looks.
//   - jump.go goes from one panel to another and back; textview.go is what is read in
//     the place of a page: `e` explains, `c` says it in etcdctl.
//   - table.go is the table that the panels share, cell.go fills its columns in: each
//     is a field with a function of its own; ranking.go puts long lists in order, and
//     says when it is time to. theme.go and cells.go say how text becomes cells. Nothing
//     from etcd reaches the terminal but through theme.clean or theme.tame.
//   - the Lab page is lab.go; its lists are labrows.go, contenders.go and
//     clients.go. lanes.go is the last minute of a lock's contenders, on its queue's
//     page.
//   - dialog.go breaks a lock, dialogtext.go is what it says; faultmenu.go and
//     faultchoice.go are the menu of faults; act.go is every other action, help.go
//     is `?`.
//   - lesson.go is a lesson that is told, lessonpane.go its pane under the pages.
//
// Rules: a selection is an identity (a name, a key), never an index. A message
// costs nothing that grows with the number of locks: what does, sorting and
// filtering, is done when it is due (ranking.go), about once a second, and of
// more than 10,000 in pieces, with a message for each: no key waits for all of them. A
// frame of 200 by 50 takes 490 allocations at most, and 430 if five rows changed, by
// any number of locks (costs_test.go). What only says that all is as it was is not
// painted before the next second (messages.go), and rows that are well count in steps
// (locks.go): an idle console costs next to nothing. Every line is exactly as wide as
// the screen. A colour never says alone what it says.
package ui

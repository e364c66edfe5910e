// Package page has the pages of the console, in a file or two each, and the code that they share.
//
//	locks*.go, queue*.go, why.go   the table of all locks, and the queue of one: who holds it, who waits, why it is
//	                               as it is, what happened to it. Where there is room the first shows the queue, too
//	sessions.go                    the leases that stand in a queue or are not healthy, and what ends with each
//	journal.go                     what happened, line by line, of all locks or of one
//	findings.go                    what is wrong, the worst first, and all about the one under the cursor
//	waitpanel.go                   what waiting for a lock cost, beside its journal: figures of the time that the axis shows
//	lab.go, contenders.go, …       members, faults in force, and contenders: what they believe beside what etcd says
//	output.go                      what the user's own programs print
//	time.go                        every lock as a lane
//
// A [Page] paints itself, moves its own cursor, and says what is under it. It knows no
// other page and not the console around it. All that a page needs comes with the [Frame]. To show something
// that another page shows, it returns a [Request], and the console finds that page:
//
//	Frame (View, theme, time, ViewState) ──▶ Page.Paint ──▶ lines
//	a key of the page ──Key.Do──▶ Request ──the console──▶ Page.Show of another page
//
// The console keeps the [ViewState], which all pages may read: the list of locks with the selected
// one, the number of findings, the marks. [Filtered], [Tabled], [InPieces] and [Split] are
// interfaces that only some pages have.
//
// To add a page, write its file and name it in [All]: its digit, its keys and
// its place in help and in KEYS.md come from there. To add a column, write a field in
// ui/fields. To add a key of one page, write a row in its Keys.
//
// A selection is an identity (a name, a key), never an index. Every line is exactly as wide
// as it was asked to be. The package touches no etcd, no file and no clock, and plans no
// action: it only says what an action would touch.
package page

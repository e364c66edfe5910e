// Package page has what the pages of the console have in common. Each page is a package of
// its own in a folder here, and ui/page/pages puts them together.
//
// A [Page] paints itself, moves its own cursor, and says what is under it. It knows no
// other page and not the console around it. All that a page needs comes with the [Frame]. To show something
// that another page shows, it returns a [Request], and the console finds that page:
//
//	Frame (State, theme, time, Board) ──▶ Page.Paint ──▶ lines
//	a key of the page ──Key.Do──▶ Request ──the console──▶ Page.Show of another page
//
// The console keeps the [Board], which all pages may read: the list of locks with the selected
// one, the number of findings, the marks. [Filtered], [Tabled], [InPieces] and [Split] are what
// only some pages have.
//
// To add a page, write its package and name it in the list pages.All: its digit, its keys and
// its place in help and in KEYS.md come from there. To add a column, write a field in
// ui/fields. To add a key of one page, write a row in its Keys.
//
// A selection is an identity (a name, a key), never an index. Every line is exactly as wide
// as it was asked to be. The package touches no etcd, no file and no clock, and plans no
// action: it only says what one would be done to.
package page

// Package draw says how text becomes cells of a terminal.
//
// A [Style] names what a piece of text means, and a [Theme] how that looks. A [Span] is
// text in a style; a line is spans, cut or filled to exactly as many cells as there are.
//
//	bytes from etcd ──Theme.Clean──▶ text ──Style.Of──▶ Span ──Theme.Line──▶ a line of w cells
//
// Nothing from etcd reaches the terminal except through Theme.Clean, Escape, FormatSentence or FormatText: they
// escape what cannot be printed, and what terminals disagree about. Styles become
// escape sequences once per theme, so that a cell is two appends. Colour is never the only
// signal: a sign or a word stands beside it.
//
// The words that several pages share are here, too: ages, counts, the sign of a level.
//
// The package knows the model, and no table, page or key.
package draw

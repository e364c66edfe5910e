// Package ticket makes one page of what happened, for people who were not there. A person attaches
// it to the ticket of an incident; a drill or a lesson leaves one behind.
//
//	store.View ──New──▶ Page ──Write──▶ HTML, Markdown, JSON, the file for Perfetto
//
// value.go says what a page is, page.go collects it, spans.go takes from the timeline when each claim waited and held, axis.go
// cuts the time into cells, graph.go draws who waits for whom, drill.go tells what was
// expected, and html.go and text.go write it. Everything on a page has a bound, and what was
// left out is counted. The HTML loads and runs nothing; its policy allows its own style by
// its hash.
package ticket

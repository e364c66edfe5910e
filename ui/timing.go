package ui

import "time"

// How long what takes on the screen. Packages below this one have more of it, each where it counts:
//
//	page        how long an ended verdict shows (verdict.go), from when on a belief is a doubt
//	            (uncertain.go), in which steps quiet rows count (quiet.go), the steps of the sparkline (sparkline.go)
//	table       how often rows are sorted, and for how long a key holds them (ranking.go)
//	dialog      for how long keys that confirm do not count (dialog.go)
//	host        how long a plan may take (host.go)
//	tutor       how fast somebody reads (panel.go), when the guide offers to do a task itself (guide.go)
//	terminal    how long a frame stays at least (painter.go), how long the terminal has to answer
//	            (background.go) and to take the last lines (leave.go)
const (
	// tickEvery is how often the time on the screen moves on.
	tickEvery = time.Second
	// listEvery is how often a page is painted to which a list under way adds: its parts come
	// by the hundred a second.
	listEvery = 50 * time.Millisecond
	// noticeFor is for how long a line for the person stays, if it is no failure.
	noticeFor = 4 * time.Second
)

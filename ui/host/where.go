package host

import (
	"strings"
)

// Where is a set of places in which a key counts: pages, by their order, and what takes
// the keyboard from them.
type Where uint

// What takes the keyboard from a page.
const (
	InHelp     Where = 1 << (pagesMax + iota)
	InText           // an explanation, or the lines of etcdctl
	InBreak          // the dialog that breaks a lock
	InTyped          // and its text field
	InFaults         // the menu of faults
	InChoice         // and its second step
	InLesson         // the question of a lesson
	InFilter         // the text field of a filter
	InPalette        // the line of commands
	InColumns        // the list of columns
	InStart          // what to watch is being chosen
	InQuestion       // an act on a cluster that is not ours
	InSeveral        // the dialog that breaks the marked locks
	InCount          // and its text field
	End

	pagesMax = 16 // pages that there can be
)

// Sets of places.
const (
	AnyPage Where = 1<<pagesMax - 1
	All           = End - 1
)

var inputNames = []string{"help", "text", "break dialog", "typed name", "fault menu", "fault choice", "lesson", "filter", "palette", "columns", "start", "question", "marked locks", "typed number"}

// OnPage is where the keys of a page count.
func OnPage(page int) Where { return 1 << page }

// Words name the places; titles are those of the pages.
func (w Where) Words(titles []string) string {
	var names, others []string
	for i, title := range titles {
		if w&OnPage(i) != 0 {
			names = append(names, title)
		} else {
			others = append(others, title)
		}
	}
	switch {
	case w == All:
		return "everywhere"
	case len(others) == 0 && w&^AnyPage&^(InHelp|InText) == 0: // these stand over a page
		return "every page"
	case len(others) == 0:
		names = []string{"every page"}
	case len(others) == 1 && len(names) > 1:
		names = []string{"every page but " + others[0]}
	}
	for i, n := range inputNames {
		if w&(InHelp<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

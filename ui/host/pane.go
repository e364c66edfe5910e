package host

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/draw"
	"locktop/ui/page"
)

// Pane stands under every page and goes on by a key: a lesson, or the guide of the demo.
type Pane interface {
	// Showing says whether it is there at all.
	Showing() bool
	// Has says that the keyboard is with a question of it.
	Has() bool
	// Look takes in what the model shows now.
	Look()
	// Height is how many lines it would like to have on a screen of w by h.
	Height(th *draw.Theme, w, h int) int
	// Lines is the pane in h lines of w cells.
	Lines(f page.Frame, w, h int) []string
	// WhyNot says why it does not go on by a key, "" if it does.
	WhyNot() string
	// GoOn does what it waits for.
	GoOn() tea.Cmd
	// Fold hides it but for its title, or shows it again.
	Fold()
}

// PaneKeys are the keys of a pane on the pages.
func PaneKeys(p Pane, pages Where) []Key {
	return []Key{
		{Keys: []string{"n"}, Where: pages | InHelp | InText, What: "next step of the lesson or the guide", Needs: NeedsLesson, Why: p.WhyNot, Do: p.GoOn, Frozen: true},
		{Keys: []string{"L"}, Where: pages, What: "hide the lesson or the guide but for its title, or show it again", Needs: NeedsLesson, Do: Run(p.Fold), Frozen: true,
			Why: func() string {
				if !p.Showing() {
					return p.WhyNot()
				}
				return ""
			}},
	}
}

package ui

import (
	"fmt"
	"reflect"
	"slices"

	"locktop/ui/draw"
	"locktop/ui/page"
	"locktop/ui/table"
)

// Settings are what a person has made of the console, to be remembered. The zero
// value is how it comes.
type Settings struct {
	// Theme is one of Themes, "" if none was chosen.
	Theme string `json:"theme,omitempty"`
	// Sort is what the locks are sorted by: state, name, held, behind or longest; ""
	// for state. Reversed turns the order round.
	Sort     string `json:"sort,omitempty"`
	Reversed bool   `json:"reversed,omitempty"`
	// Hidden are the titles of columns that are not shown, by the name of the table.
	Hidden map[string][]string `json:"hidden,omitempty"`
}

// known is the name of a theme, "" for one that there is not.
func known(theme string) string {
	if slices.Contains(draw.Themes, theme) {
		return theme
	}
	return ""
}

// sortNames are what a person calls the orders, by sortKey.
var sortNames = []string{"", "state", "name", "held", "behind", "longest"}

// settings are what is set now.
func (a *App) settings() Settings {
	s := Settings{Theme: a.themed, Reversed: a.board.Locks.Order.Reversed}
	if a.board.Locks.Order.By != page.SortState {
		s.Sort = sortNames[a.board.Locks.Order.By]
	}
	for name, t := range a.tables() {
		for _, c := range t.Cols {
			if t.Off[c.Title] {
				if s.Hidden == nil {
					s.Hidden = map[string][]string{}
				}
				s.Hidden[name] = append(s.Hidden[name], c.Title)
			}
		}
	}
	return s
}

// apply sets what was remembered, as far as it can still be told what it means.
func (a *App) apply(s Settings) {
	a.themed = known(s.Theme)
	if by := slices.Index(sortNames, s.Sort); by > 0 {
		a.board.Locks.Order.By = table.SortKey(by)
	}
	a.board.Locks.Order.Reversed = s.Reversed
	for name, t := range a.tables() {
		for _, c := range t.Cols {
			if slices.Contains(s.Hidden[name], c.Title) {
				t.Show(c, false)
			}
		}
	}
}

// rememberChanges tells what was set, if it is not what came in.
func (a *App) rememberChanges() error {
	now := a.settings()
	if a.o.Remember == nil || reflect.DeepEqual(now, a.was) {
		return nil
	}
	if err := a.o.Remember(now); err != nil {
		return fmt.Errorf("remember the columns, the order and the theme: %w", err)
	}
	return nil
}

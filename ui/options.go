package ui

import (
	"context"
	"slices"
	"time"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/tutor"

	"locktop/ui/table"
)

// Live is what Boot hands over: something to look at and something to act with.
type Live struct {
	Source  model.Source
	Actions host.Actions
	// Endpoints are what a person can point etcdctl at.
	Endpoints []string
	// State, if not nil, is what is seen already: the source tells what comes after it.
	State *store.Store
	// Start, if not nil, asks a person first what to watch: Source is nil then.
	Start *Start
	// Cut is why a recording ends early, nil if it does not.
	Cut error
	// AuditLogPath is the file in which the actions are written down.
	AuditLogPath string
	// Clock is that by which the source tells what happens, nil: the machine's.
	Clock Clock
}

// Clock is one that nobody sets.
type Clock interface {
	Now() time.Time
	// Set is by how much the machine's clock was set since this one began.
	Set() time.Duration
}

// Start and Found are what a cluster has to offer with more keys than should be watched
// without being asked.
type (
	Start = dialog.Start
	Found = dialog.FoundPrefix
)

// LabelColors are the colours that a label can have.
var LabelColors = []string{"red", "yellow", "green", "cyan"}

// labelled is the label as it looks.
func (o *Options) labelled(th *draw.Theme) draw.Span {
	return o.labelStyle().Of(th.Clean(o.Label))
}

// labelStyle is how the label looks.
func (o *Options) labelStyle() draw.Style {
	switch o.LabelColor {
	case "red":
		return draw.Alarm
	case "yellow":
		return draw.Armed
	case "green":
		return draw.Readonly
	case "cyan":
		return draw.Accent
	}
	return draw.Strong
}

// Options say what the console shows and what it may do.
type Options struct {
	// Label names the cluster in the status line.
	Label string
	// LabelColor is one of LabelColors, "" for none. It only adds to the label, which
	// stands there without colours too.
	LabelColor string
	// Prefixes are what is watched, Pins what was said by hand about their keys.
	Prefixes []string
	Pins     []model.Pin
	// Lab is true on a cluster of our own. Else NoLab says why there is none.
	Lab   bool
	NoLab model.Message
	// Foreign is true where what is done to the lab hits programs on a cluster that is
	// not ours: nothing is done then unless Armed, and each act is confirmed but healing.
	Foreign bool
	// Armed says that the console may write.
	Armed bool
	// Signs are the characters to draw with, Profile the colours that this terminal has;
	// termenv.Ascii is none.
	Signs   draw.SignSet
	Profile termenv.Profile
	// Theme is one of Themes, "" for the one of Settings, or else the dark one.
	Theme string
	// AskGround: the terminal is asked for a light ground, to choose the theme by it.
	AskGround bool
	// Settings are what was remembered, and Remember, if not nil, is told at the end
	// what a person has changed of them.
	Settings Settings
	Remember func(Settings) error
	// Notice is said first, "" for nothing.
	Notice string
	// NoSuspend is why ctrl-z is refused, the zero Message if it is not.
	NoSuspend model.Message
	// LogPath is the file in which the program logs.
	LogPath string
	// Lang is the language of the console, "" for English.
	Lang string
	// Brief: a class looks on, and figures that no lesson speaks of stay away.
	Brief bool
	// Lesson is told in a panel under the pages, as the guide of the demo is; nil: none.
	Lesson *tutor.Lesson
	// Watch watches the keys under other prefixes from now on, in the place of what
	// Boot or it handed over before; nil: what is watched is fixed. A prefix of ""
	// is all keys.
	Watch func(ctx context.Context, prefixes []string) (Live, error)
	// Save writes a text to a file that is not there yet, and says where that is; nil: no
	// file can be written.
	Save func(file, text string) (path string, err error)
	// Playback is the recording that is shown, which Boot loads and hands over as the source;
	// nil: what is shown happens now.
	Playback host.Playback
	// Past is what was seen so far, where what is shown happens now; nil: one cannot go back.
	Past host.Past
	// Record writes down what is seen when a person asks for it; nil: nothing can be.
	Record *Recorder
	// Boot gets everything up. It runs beside the screen, which shows its
	// progress; an error ends the program with that error.
	Boot func(ctx context.Context, progress func(model.Message)) (Live, error)
}

// Settings are what a person has made of the console, to be remembered. The zero
// value is how it comes.
type Settings struct {
	// Theme is one of Themes, "" if none was chosen.
	Theme string `json:"theme,omitempty"`
	// Sort is what the locks are sorted by: state, name, held, behind or longest; ""
	// for state. That it was turned round is not remembered: who comes back would look
	// for the worst at the wrong end.
	Sort string `json:"sort,omitempty"`
	// Grouped: the locks are grouped by prefix.
	Grouped bool `json:"grouped,omitempty"`
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

// apply sets what was remembered, as far as it can still be told what it means.
func (s Settings) apply(locks *page.LockList, tables map[string]*table.Table) {
	if by := slices.Index(dialog.SortNames, s.Sort); by > 0 {
		locks.Order.By = table.SortKey(by)
	}
	if s.Grouped {
		locks.Group()
	}
	for name, t := range tables {
		for _, c := range t.Cols {
			if slices.Contains(s.Hidden[name], c.Name()) {
				t.Show(c, false)
			}
		}
	}
}

package ui

import (
	"context"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/discover"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/lesson"
)

// Live is what Boot hands over: something to look at and something to act with.
type Live struct {
	Source  model.Source
	Actions host.Actions
	// Endpoints are what a person can point etcdctl at.
	Endpoints []string
	// Start, if not nil, asks a person first what to watch: Source is nil then.
	Start *Start
	// JournalPath is the file in which the actions are written down.
	JournalPath string
}

// Start is for a cluster with more keys than should be watched without being asked.
type Start struct {
	// Keys is how many there are.
	Keys int64
	// Scan looks at them and says which prefixes look like locks. It tells how far it
	// has come. If ctx ends it returns what it found until then, with ctx's error.
	Scan func(ctx context.Context, progress func(done, total int64)) (Found, error)
}

// Found is what a scan found.
type Found struct {
	// Keys is how many keys were looked at, Partial why not all were, "" if they were.
	Keys    int64
	Partial string
	// Guesses are the prefixes that look like locks, the surest first.
	Guesses []discover.PrefixGuess
}

// LabelColors are the colours that a label can have.
var LabelColors = []string{"red", "yellow", "green", "cyan"}

// labelStyle is how the label looks.
func (o Options) labelStyle() draw.Style {
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
	NoLab string
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
	// Settings are what was remembered, and Remember, if not nil, is told at the end
	// what a person has changed of them.
	Settings Settings
	Remember func(Settings) error
	// Notice is said first, "" for nothing.
	Notice string
	// NoSuspend is why ctrl-z is refused, "" if it is not.
	NoSuspend string
	// LogPath is the file in which the program logs.
	LogPath string
	// Lesson is told in a pane under the pages; nil: none.
	Lesson *lesson.Lesson
	// Watch watches the keys under other prefixes from now on, in the place of what
	// Boot or it handed over before; nil: what is watched is fixed. A prefix of ""
	// is all keys.
	Watch func(ctx context.Context, prefixes []string) (Live, error)
	// Boot gets everything up. It runs beside the screen, which shows its
	// progress; an error ends the program with that error.
	Boot func(ctx context.Context, progress func(string)) (Live, error)
}

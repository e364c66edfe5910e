package ui

import (
	"context"

	"github.com/muesli/termenv"

	"locktop/model"
)

// Hands is what the console may do. It plans before it does, and it may refuse.
type Hands interface {
	// Available returns nil, or in one line why the action cannot be done now.
	Available(a model.Action) error
	// Plan reads what the action will touch.
	Plan(ctx context.Context, a model.Action) (model.Plan, error)
	// Do does what was planned. What came of it is for the watch to see.
	Do(ctx context.Context, p model.Plan) model.Outcome
}

// Live is what Boot hands over: something to look at and something to act with.
type Live struct {
	Source model.Source
	Hands  Hands
	// Endpoints are what a person can point etcdctl at.
	Endpoints []string
	// JournalPath is the file in which the actions are written down.
	JournalPath string
}

// Options say what the console shows and what it may do.
type Options struct {
	// Label names the cluster in the status line.
	Label string
	// Prefixes are what is watched, Pins what was said by hand about their keys.
	Prefixes []string
	Pins     []model.Pin
	// Lab is true on a cluster of our own. Else NoLab says why there is none.
	Lab   bool
	NoLab string
	// Armed says that the console may write.
	Armed bool
	// ASCII keeps to characters that every terminal has, Profile to the colours
	// that this one has; termenv.Ascii is none.
	ASCII   bool
	Profile termenv.Profile
	// NoSuspend is why ctrl-z is refused, "" if it is not.
	NoSuspend string
	// LogPath is the file in which the program logs.
	LogPath string
	// Boot gets everything up. It runs beside the screen, which shows its
	// progress; an error ends the program with that error.
	Boot func(ctx context.Context, progress func(string)) (Live, error)
}

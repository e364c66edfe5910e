package main

import (
	"errors"
	"os"
	"time"

	"locktop/ui/cast"
)

// output is what the program wrote at a moment.
type output struct {
	at    time.Duration
	bytes []byte
}

// frameTime is the least time between two frames of a film.
const frameTime = 800 * time.Millisecond

// writeCast writes what a program wrote. Outputs that come within frameTime are one.
func writeCast(name string, width, height int, all []output) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := cast.New(file, cast.Header{Width: width, Height: height})
	var due []byte
	for i, o := range all {
		due = append(due, o.bytes...)
		if i+1 < len(all) && all[i+1].at/frameTime == o.at/frameTime {
			continue
		}
		if err == nil {
			err = w.Output(o.at, due)
		}
		due = nil
	}
	return err
}

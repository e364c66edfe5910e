package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// output is what the program wrote at a moment.
type output struct {
	at    time.Duration
	bytes []byte
}

// frameTime is the least time between two frames of a film.
const frameTime = 800 * time.Millisecond

// writeCast writes a recorded terminal in the format of asciinema, version 2. Outputs that come within
// frameTime are one.
func writeCast(name string, width, height int, all []output) error {
	text := fmt.Appendf(nil, "{\"version\":2,\"width\":%d,\"height\":%d}\n", width, height)
	var due []byte
	for i, o := range all {
		due = append(due, o.bytes...)
		if i+1 < len(all) && all[i+1].at/frameTime == o.at/frameTime {
			continue
		}
		cut := len(due)
		for cut > 0 && len(due)-cut < utf8.UTFMax && !utf8.Valid(due[:cut]) { // a letter may come in two parts
			cut--
		}
		line, err := json.Marshal([]any{o.at.Seconds(), "o", string(due[:cut])})
		if err != nil {
			return err
		}
		text, due = append(append(text, line...), '\n'), due[cut:]
	}
	return os.WriteFile(name, text, 0o644)
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// resultRow is a line of a results file.
type resultRow interface {
	// whole says whether all is there that has to be, what names it in an error.
	whole() bool
	what() string
}

// resultsFile is a file that grows by a line of JSON for each result, so that a series
// which was interrupted goes on where it was.
type resultsFile[T resultRow] struct {
	file *os.File // nil for none
	all  []T
}

// openResults opens a results file and reads what is in it. No name is no file.
func openResults[T resultRow](name string) (*resultsFile[T], error) {
	if name == "" {
		return &resultsFile[T]{}, nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, badInput{fmt.Errorf("opening the results: %w", err)}
	}
	if info, err := file.Stat(); err == nil && info.Mode().Type() == os.ModeNamedPipe {
		file.Close()
		return nil, bad("%s is a pipe: the results that it has cannot be read again", name)
	}
	all, err := readResults[T](file)
	if err != nil {
		file.Close()
		return nil, bad("%s: %v", name, err)
	}
	return &resultsFile[T]{file, all}, nil
}

// resultsMax is how many bytes of results are read.
const resultsMax = 64 << 20

// readResults reads a results file. One that does not end with a line is refused: the
// next result would become part of its last one.
func readResults[T resultRow](r io.Reader) ([]T, error) {
	text, err := io.ReadAll(io.LimitReader(r, resultsMax+1))
	if err == nil && len(text) > resultsMax {
		err = fmt.Errorf("it has more than %d bytes", resultsMax)
	}
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	var all []T
	for i, line := range lines[:len(lines)-1] {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fmt.Errorf("line %d is no %s: %w", i+1, one.what(), err)
		}
		if !one.whole() {
			return nil, fmt.Errorf("line %d is no %s: something is missing", i+1, one.what())
		}
		all = append(all, one)
	}
	if lines[len(lines)-1] != "" {
		return nil, fmt.Errorf("line %d is cut off, as by a crash while it was written: take it out, and its run is done again", len(lines))
	}
	return all, nil
}

// add appends a result.
func (f *resultsFile[T]) add(one T) error {
	f.all = append(f.all, one)
	if f.file == nil {
		return nil
	}
	line, err := json.Marshal(one)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing a %s: %w", one.what(), err)
	}
	return nil
}

func (f *resultsFile[T]) close() {
	if f.file != nil {
		f.file.Close()
	}
}

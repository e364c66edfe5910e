package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
)

// resultsFile is a file that grows by a line of JSON for each run of a drill, so that a series
// which was interrupted goes on where it was. The zero value is no file.
type resultsFile struct {
	file *os.File // nil for none
	mu   sync.Mutex
	rows []runner.Row
}

// openResults opens a results file and reads what is in it. No name is no file.
func openResults(name string) (*resultsFile, error) {
	if name == "" {
		return &resultsFile{}, nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, badInput{fmt.Errorf("opening the results: %w", err)}
	}
	if info, err := file.Stat(); err == nil && info.Mode().Type() == os.ModeNamedPipe {
		file.Close()
		return nil, bad("%s is a pipe: the results that it has cannot be read again", name)
	}
	rows, err := readResults(file)
	if err != nil {
		file.Close()
		return nil, bad("%s: %v", name, err)
	}
	return &resultsFile{file: file, rows: rows}, nil
}

// resultsMax is how many bytes of results are read.
const resultsMax = 64 << 20

// readResults reads a results file. One that does not end with a line is refused: the
// next result would become part of its last one.
func readResults(r io.Reader) ([]runner.Row, error) {
	text, err := io.ReadAll(io.LimitReader(r, resultsMax+1))
	if err == nil && len(text) > resultsMax {
		err = fmt.Errorf("it has more than %d bytes", resultsMax)
	}
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	rows := []runner.Row{}
	for i, line := range lines[:len(lines)-1] {
		var row runner.Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("line %d is no result of a drill: %w", i+1, err)
		}
		if row.Drill == "" || row.Run < 1 || row.Verdict == "" {
			return nil, fmt.Errorf("line %d is no result of a drill: something is missing", i+1)
		}
		rows = append(rows, row)
	}
	if lines[len(lines)-1] != "" {
		return nil, fmt.Errorf("line %d is cut off, as by a crash while it was written: take it out, and its run is done again", len(lines))
	}
	return rows, nil
}

func (f *resultsFile) find(name string, run int) (runner.Row, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.rows, func(r runner.Row) bool { return r.Drill == name && r.Run == run })
	if i < 0 {
		return runner.Row{}, false
	}
	return f.rows[i], true
}

// addRound appends a run. One that could not be run to its end is not: it is to be done
// again.
func (f *resultsFile) addRound(d *drill.Drill, run int, round runner.Run) error {
	if round.Err != nil || f.file == nil {
		return nil
	}
	row := round.Row(d.Name, run)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, row)
	line, err := json.Marshal(row)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing a result of a drill: %w", err)
	}
	return nil
}

func (f *resultsFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}

func drillTableCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "table FILE",
		Short: "print the results of a series as a Markdown table: code, drill, verdict, time to handover",
		Args:  oneArg("the file of results that \"drill run --results\" wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := openInput(cmd.Context(), args[0])
			if err != nil {
				return bad("reading the results: %w", err)
			}
			defer file.Close()
			rows, err := readResults(file)
			if err != nil {
				return cmp.Or(cmd.Context().Err(), bad("%s: %w", args[0], err))
			}
			return runner.Table(e.out, rows)
		},
	}
}

// Package code has the lines of Go that the lessons show. A lesson shows what stands below the
// imports of the file that has its name, with tabs as four blanks. So the code that a reader copies is
// compiled and tested here. Each file stands alone: nothing in it needs another one.
package code

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed byhand.go deadlock.go election.go fence.go fence-reads.go herd.go leader.go lease.go lost-unlock.go
//go:embed names.go order.go pause.go session.go spin.go standby.go unlock.go version.go waiters.go
var files embed.FS

// Of returns the lines that the lesson of that name shows, none where another lesson shows them.
func Of(lesson string) ([]string, error) {
	text, err := files.ReadFile(lesson + ".go")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("lesson %s has no code: %w", lesson, err)
	}
	_, shown, _ := strings.Cut(string(text), "\n)\n\n") // the end of the imports
	return strings.Split(strings.TrimRight(strings.ReplaceAll(shown, "\t", "    "), "\n"), "\n"), nil
}

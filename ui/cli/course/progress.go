package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"locktop/ui/cli/remember"
)

// Done is a lesson that was taken to its end.
type Done struct {
	At time.Time `json:"at"`
	// Predicted of Asked predictions came true. Task says that the task was done.
	Predicted int  `json:"predicted"`
	Asked     int  `json:"asked"`
	Task      bool `json:"task"`
}

// Progress is which lessons were taken, by name.
type Progress struct {
	Schema  int             `json:"schema"`
	Lessons map[string]Done `json:"lessons"`
}

// progressMax bounds the file of the progress.
const progressMax = 64 << 10

// Load reads the progress. A file that is not there is no error. One that is damaged is set
// aside, and the error says where; the progress is empty then.
func Load(path string) (Progress, error) {
	p := Progress{Schema: 1, Lessons: map[string]Done{}}
	text, err := remember.Read(path, progressMax)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil && !errors.Is(err, remember.ErrForeign) {
		return p, fmt.Errorf("reading which lessons were taken: %w", err)
	}
	if err == nil {
		read := Progress{}
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&read)
		switch {
		case err == nil && (read.Schema != 1 || read.Lessons == nil):
			err = errors.New("it is of another kind")
		case err == nil:
			return read, nil
		}
	}
	aside := path + ".damaged"
	if moved := os.Rename(path, aside); moved != nil {
		return p, fmt.Errorf("%s cannot be read (%w), nor set aside: %w", path, err, moved)
	}
	return p, fmt.Errorf("%s could not be read (%w): it is now %s, and the path begins anew", path, err, aside)
}

// Save writes the progress whole, or leaves what was there. Only its owner may read it.
func (p Progress) Save(path string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = remember.Write(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remembering the lesson: %w", err)
	}
	return nil
}

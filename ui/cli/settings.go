package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locktop/ui"
	"locktop/ui/draw"
)

// settingsFile is where the settings of the console are remembered, "" if the system
// has no place for such a file.
func settingsFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "locktop", "settings.json")
}

// readSettings returns what was remembered. A file that is not there is no error.
func readSettings(path string) (ui.Settings, error) {
	var s ui.Settings
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		if err = d.Decode(&s); err != nil {
			s, err = ui.Settings{}, fmt.Errorf("%s: %w; delete it to begin anew", path, err)
		}
	}
	return s, err
}

// writeSettings remembers settings, all of them or, if it fails, those before.
func writeSettings(path string, s ui.Settings) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".settings-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what failed is said, the rest is tidying up
	}
	return err
}

// addSettings fills in what was remembered, and the theme that the flag, or else the
// terminal's own word for its colours, asks for. A file that cannot be read stays as
// it is: it is no reason to show nothing.
func (e *env) addSettings(o *ui.Options) {
	path := settingsFile()
	s, err := readSettings(path)
	o.Settings, o.Theme = s, e.screen.theme
	switch {
	case err != nil:
		o.Notice = "the settings of the console cannot be read: " + err.Error()
	case path != "":
		o.Remember = func(s ui.Settings) error { return writeSettings(path, s) }
	}
	if o.Theme == themeAuto {
		if o.Theme = ""; s.Theme == "" {
			o.Theme = groundOf(os.Getenv("COLORFGBG"))
		}
	}
}

const themeAuto = "auto"

// groundOf returns the theme for a terminal's COLORFGBG, "" if that does not tell.
// Asking the terminal itself would cost seconds where it does not answer.
func groundOf(colours string) string {
	switch colours[strings.LastIndexByte(colours, ';')+1:] {
	case "7", "15":
		return draw.ThemeLight
	case "":
		return ""
	}
	return draw.ThemeDark
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/muesli/termenv"

	"locktop/ui"
	"locktop/ui/cli/remember"
	"locktop/ui/draw"
	"locktop/ui/terminal"
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
	if path == "" {
		return s, nil
	}
	text, err := remember.Read(path, fileMax)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case errors.Is(err, remember.ErrForeign):
		return s, fmt.Errorf("%w; delete it to begin anew", err)
	case err != nil:
		return s, err
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&s); err != nil {
		return ui.Settings{}, fmt.Errorf("%s: %w; delete it to begin anew", path, err)
	}
	return s, nil
}

// writeSettings remembers settings, all of them or, if it fails, those before.
func writeSettings(path string, s ui.Settings) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return remember.Write(path, append(text, '\n'))
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
	if o.Theme == "" || o.Theme == themeAuto {
		if o.Theme = ""; s.Theme == "" {
			o.Theme = groundOf(os.Getenv("COLORFGBG"))
			o.AskGround = o.Theme == "" && o.Profile != termenv.Ascii && runtime.GOOS != "windows" && terminal.TellsBackground(os.Getenv)
		}
	}
}

const themeAuto = "auto"

// groundOf returns the theme for a terminal's COLORFGBG, "" if that does not tell.
func groundOf(colours string) string {
	switch colours[strings.LastIndexByte(colours, ';')+1:] {
	case "7", "15":
		return draw.ThemeLight
	case "":
		return ""
	}
	return draw.ThemeDark
}

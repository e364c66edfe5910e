package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/ui"
	"locktop/ui/draw"
	"locktop/watcher"
)

// watching is what a console watches of a cluster that is not ours, one watcher after
// another.
type watching struct {
	client *clientv3.Client
	look   watcher.Options // of every watcher, but for the prefixes
	pins   []model.Pin
	live   ui.Live        // without its source
	events []model.Source // told besides what the watcher sees

	mu    sync.Mutex
	close func() // ends the present watcher
}

// open watches the prefixes. Without any it watches all keys, but asks first if they
// are many. A count that fails is no reason not to try: the watch says more of it.
func (w *watching) open(ctx context.Context, prefixes []string, progress func(string)) (ui.Live, error) {
	if len(prefixes) == 0 {
		progress("counting the keys")
		if n, err := watcher.CountKeys(ctx, w.client, ""); err == nil && n > watcher.SmallKeyspace {
			live := w.live
			live.Start = &ui.Start{Keys: n, Scan: w.scan}
			return live, nil
		}
	}
	return w.watch(ctx, prefixes)
}

// watch watches other prefixes in the place of those before.
func (w *watching) watch(ctx context.Context, prefixes []string) (ui.Live, error) {
	if slices.Contains(prefixes, "") {
		prefixes = nil
	}
	look := w.look
	look.Prefixes = prefixes
	src := watcher.New(w.client, look)
	ctx, cancel := context.WithCancel(ctx)
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close = func() {
		cancel()
		src.Close()
	}
	live := w.live
	live.Source = newUntilLoaded(src, lateGC())
	if len(w.events) > 0 {
		live.Source = merge(ctx, append([]model.Source{live.Source}, w.events...)...)
	}
	return live, nil
}

// end ends what is being watched, if anything is.
func (w *watching) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.close != nil {
		w.close()
		w.close = nil
	}
}

// scan looks which prefixes look like locks.
func (w *watching) scan(ctx context.Context, progress func(done, total int64)) (ui.Found, error) {
	d, err := watcher.Discover(ctx, w.client, watcher.DiscoverOptions{Pins: w.pins, Progress: progress})
	return ui.Found{Keys: d.Keys, Partial: d.Partial, Guesses: d.Prefixes}, err
}

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

// isTheme says whether --theme takes the name.
func isTheme(name string) bool { return name == themeAuto || slices.Contains(draw.Themes, name) }

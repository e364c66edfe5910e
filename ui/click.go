package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/draw"
	"locktop/ui/host"
)

// clickKey presses the key that is named in a cell of the screen, and says whether there is one: what
// is painted as a key is one, wherever it stands.
func (sh *Shell) clickKey(x, y int) (cmd tea.Cmd, is bool) {
	lines := strings.Split(sh.view, "\n") // as it was seen
	if y < 0 || y >= len(lines) {
		return nil, false
	}
	key := sh.keyAt(lines[y], x)
	b := sh.keys.At[sh.where()][key]
	switch {
	case key == "":
		return nil, false
	case b != nil:
		return sh.press(b, key), true
	case sh.where()&(host.InHelp|host.InText) != 0:
		return sh.pressUnder(key), true
	}
	return nil, false
}

// run is a piece of a line in one style.
type run struct {
	style, text string
}

// runsOf takes a line apart.
func runsOf(line, after string) (runs []run) {
	style := ""
	for line != "" {
		at := strings.IndexByte(line, '\x1b')
		if at < 0 {
			at = len(line)
		}
		if at > 0 {
			runs = append(runs, run{style, line[:at]})
			line = line[at:]
			continue
		}
		end := strings.IndexByte(line, 'm') + 1
		if end == 0 {
			return runs
		}
		if style += line[:end]; line[:end] == after {
			style = ""
		}
		line = line[end:]
	}
	return runs
}

// keyAt is the key of the label in cell x of a line, "" for none: the key itself, and the words behind it
// up to two blanks, a rule or the next key.
func (sh *Shell) keyAt(line string, x int) string {
	var styles []string
	for _, all := range []*[draw.StyleCount]string{&sh.th.Before, &sh.th.Chosen, &sh.th.OnWarn, &sh.th.OnError, &sh.th.InBox().Before} {
		styles = append(styles, all[draw.Accent], all[draw.Change])
	}
	calls := sh.keyNames()
	at, label := 0, "" // the key whose words go on
	for _, r := range runsOf(line, sh.th.After) {
		var keys []string
		if slices.Contains(styles, r.style) {
			keys = keysIn(r.text, calls)
		}
		from := at
		at += draw.Width(r.text)
		if len(keys) > 0 {
			label = keys[0]
			if x >= from && x < at {
				return keyUnder(r.text, x-from, calls)
			}
			continue
		}
		words, ends := r.text, false
		for _, end := range []string{"  ", sh.th.Sign.Line} {
			if i := strings.Index(words, end); i >= 0 {
				words, ends = words[:i], true
			}
		}
		if label != "" && x >= from && x < from+draw.Width(words) {
			return label
		}
		if ends {
			label = ""
		}
		if x < at {
			return ""
		}
	}
	return ""
}

// keyNames are the keys by how the screen names them.
func (sh *Shell) keyNames() map[string]string {
	calls := map[string]string{sh.th.Sign.Left: "left", sh.th.Sign.Arrow: "right"}
	for _, row := range sh.keys.Rows {
		for _, k := range row.Keys {
			calls[host.Names([]string{k})] = k
		}
	}
	return calls
}

// keysIn are the keys that a text names, nil if it says anything else.
func keysIn(text string, calls map[string]string) (keys []string) {
	for _, word := range strings.Fields(text) {
		if calls[word] == "" {
			return nil
		}
		keys = append(keys, calls[word])
	}
	return keys
}

// keyUnder is the key of several that stands in a cell of a text, or the last one before it.
func keyUnder(text string, x int, calls map[string]string) (key string) {
	at := 0
	for _, word := range strings.SplitAfter(text, " ") {
		if k := calls[strings.TrimSpace(word)]; k != "" && (key == "" || at <= x) {
			key = k
		}
		at += draw.Width(word)
	}
	return key
}

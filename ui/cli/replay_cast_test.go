package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/modeltest"
)

// played is a recorded terminal, as a player reads it.
type played struct {
	header  map[string]any
	screens []string // after each output
	at      []float64
	markers []string
	marked  []int // the screen at each marker
}

// line is where an output begins to write a line.
var line = regexp.MustCompile(`\x1b\[(?:(\d+)(?:;1)?)?H`)

// play reads a recorded terminal: each output writes whole lines, each in its place.
func play(t *testing.T, name string) (p played) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err := json.Unmarshal([]byte(rows[0]), &p.header); err != nil {
		t.Fatal(err)
	}
	lines := make([]string, int(p.header["height"].(float64)))
	for _, row := range rows[1:] {
		var e []any
		if err := json.Unmarshal([]byte(row), &e); err != nil {
			t.Fatal(err)
		}
		switch e[1] {
		case "m":
			p.markers, p.marked = append(p.markers, e[2].(string)), append(p.marked, len(p.screens)-1)
			continue
		case "o":
		default:
			t.Fatalf("an event of kind %v", e[1])
		}
		said := e[2].(string)
		places := line.FindAllStringSubmatchIndex(said, -1)
		for i, m := range places {
			n, end := 1, len(said)
			if m[2] >= 0 {
				n, _ = strconv.Atoi(said[m[2]:m[3]])
			}
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			lines[n-1] = ansi.Strip(said[m[1]:end])
			if w := ansi.StringWidth(lines[n-1]); w > int(p.header["width"].(float64)) {
				t.Errorf("a line is %d cells wide: %q", w, lines[n-1])
			}
		}
		p.screens, p.at = append(p.screens, strings.Join(lines, "\n")), append(p.at, e[0].(float64))
	}
	return p
}

// anHourApart is a deadlock at ten seconds, and another holder after a quiet hour.
func anHourApart() *modeltest.History {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/x/a1", "", 0xa1)
	h.Put(2, "/lock/y/b2", "", 0xb2)
	h.Put(10, "/lock/x/b2", "", 0xb2)
	h.Put(11, "/lock/y/a1", "", 0xa1)
	h.Add(model.Tick{At: modeltest.At(14)})
	h.Add(model.Watching{At: modeltest.At(355), Rev: h.Rev})
	h.Add(model.Acted{At: modeltest.At(3600), Outcome: model.Outcome{At: modeltest.At(3600), By: "ada", Done: true,
		Action: model.Action{Kind: model.RevokeLease, Lock: "/lock/x", Key: "/lock/x/a1", Lease: 0xa1}, Now: model.KV{Key: "/lock/x/a1"}}})
	h.Del(3600, "/lock/x/a1")
	h.Del(3600, "/lock/y/a1")
	h.Add(model.Watching{At: modeltest.At(3603), Rev: h.Rev})
	return h
}

func TestARecordingBecomesARecordedTerminal(t *testing.T) {
	home(t, "")
	name := stored(t, anHourApart().Events...)
	file := filepath.Join(t.TempDir(), "x.cast")
	code, out, errs := inProcess(t, nil, "replay", name, "--cast", file, "--size", "90x28", "--speed", "2")
	if code != exitOK || out != "" || !strings.Contains(errs, "wrote "+file) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	p := play(t, file)
	if p.header["version"] != 2.0 || p.header["width"] != 90.0 || p.header["height"] != 28.0 || p.header["timestamp"] != float64(modeltest.At(0).Unix()) {
		t.Errorf("header %v", p.header)
	}
	length := p.at[len(p.at)-1]
	if length < 8 || length > 20 {
		t.Errorf("an hour in which nothing happens takes %g s", length)
	}
	for i, want := range []string{"/lock/x", "/lock/y"} {
		if !strings.Contains(p.screens[len(p.screens)-1], want) {
			t.Errorf("%d: no %s at the end:\n%s", i, want, p.screens[len(p.screens)-1])
		}
	}
	if all := strings.Join(p.screens, "\n"); !strings.Contains(all, "Deadlock") {
		t.Error("no screen tells of the deadlock")
	}
	marks := strings.Join(p.markers, "\n")
	for _, want := range []string{"Deadlock", "/lock/x", modeltest.At(3600).Format("15:04:05"), "ada"} {
		if !strings.Contains(marks, want) {
			t.Errorf("no %q in the markers:\n%s", want, marks)
		}
	}
	if code, _, errs := inProcess(t, nil, "replay", name, "--cast", file); code != exitBad || !strings.Contains(errs, "nothing is overwritten") {
		t.Errorf("over another file: exit %d: %s", code, errs)
	}
}

func TestARecordedTerminalRefuses(t *testing.T) {
	home(t, "")
	name := stored(t, anHourApart().Events...)
	for i, row := range []struct {
		reason, want string
		args         []string
	}{
		{"a size is columns by lines", "--size big: want columns by lines", []string{"--cast", "-", "--size", "big"}},
		{"nobody sees anything on so little", "40x12", []string{"--cast", "-", "--size", "20x5"}},
		{"the end of a stretch is not negative", "--idle -1s", []string{"--cast", "-", "--idle", "-1s"}},
		{"events are another output", "--output has no meaning", []string{"--cast", "-", "-o", "jsonl"}},
		{"a size of nothing", "--size has no meaning", []string{"--size", "90x28"}},
	} {
		code, out, errs := inProcess(t, nil, append([]string{"replay", name}, row.args...)...)
		if code != exitBad || !strings.Contains(errs, row.want) || out != "" {
			t.Errorf("%s: exit %d, %q", fmt.Sprint(i, row.reason), code, errs)
		}
	}
}

// TestAFilmOfALessonStopsAtItsQuestions: each has a mark, with the question and its answers on the
// screen and nothing yet of what was measured; then that is shown, in the language that was asked for.
func TestAFilmOfALessonStopsAtItsQuestions(t *testing.T) {
	home(t, "")
	d := lessonOf(t, "order")
	h := modeltest.New()
	h.Loaded(0)
	h.Add(model.DrillBegan{At: modeltest.At(1), Name: d.Name, Title: d.Title.In("en"), Seed: 4})
	questions := 0
	for i, s := range d.Steps {
		at := modeltest.At(float64(2 + i))
		e := model.DrillStep{At: at, N: i + 1, Text: s.Describe()}
		h.Add(e)
		if e.Over, e.Text = true, ""; s.See {
			e.Chosen, e.Right = 1, 2
		}
		if s.Ask != nil {
			questions++
		}
		h.Add(e)
	}
	for _, lang := range drill.Languages() {
		file := filepath.Join(t.TempDir(), "order.cast")
		if code, _, errs := inProcess(t, nil, "replay", stored(t, h.Events...), "--cast", file, "--size", "80x24", "--lang", lang); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs)
		}
		p := play(t, file)
		if len(p.markers) != questions {
			t.Errorf("%s: markers %q, want one at each of %d questions", lang, p.markers, questions)
		}
		asked := 0
		for i, s := range d.Steps {
			if s.Ask == nil {
				continue
			}
			shown := p.screens[p.marked[asked]]
			for _, o := range s.Ask.Options {
				if !strings.Contains(shown, o.Text.In(lang)) {
					t.Errorf("%s: step %d stops without the answer %q:\n%s", lang, i+1, o.Text.In(lang), shown)
				}
			}
			if after := s.Ask.After.In(lang); strings.Contains(shown, after[:20]) || !strings.Contains(strings.Join(p.screens[p.marked[asked]:], "\n"), after[:20]) {
				t.Errorf("%s: step %d tells %q too early or never", lang, i+1, after)
			}
			asked++
		}
	}
}

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// paint is a terminal of 20 by 2 on which that was written.
func paint(bytes string) *terminal {
	t := newTerminal(20, 2)
	t.write([]byte(bytes))
	return t
}

func TestTheTerminalShowsWhatTheConsoleWrites(t *testing.T) {
	for _, r := range []struct{ bytes, want, reason string }{
		{"\x1b[Hone\r\ntwo", "one\ntwo", "a frame begins at home, a line at its left"},
		{"\x1b[Hone\r\ntwo\x1b[H\n2\x1b[K", "one\n2", "a line that is the same is stepped over, a shorter one is erased"},
		{"one\r\ntwo\x1b[2J", "\n", "all is erased"},
		{"one\r\ntwo\x1b[H\x1b[J", "\n", "what is below is erased"},
		{"\x1b[?1049h\x1b[1;31mred\x1b[0m", "red\n", "modes and colours are no text"},
		{"0123456789012345678901234", "01234567890123456789\n", "what is wider is cut"},
	} {
		lines := strings.Split(paint(r.bytes).text(), "\n")
		got := strings.TrimRight(lines[0], " ") + "\n" + strings.TrimRight(lines[1], " ")
		if got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

func TestAPictureHasTheColoursAndShapesOfTheScreen(t *testing.T) {
	svg := dark.draw(film{{rows: paint("\x1b[1;31mbad\x1b[0m  \x1b[2m<dim>\x1b[0m\r\n\x1b[7mrow\x1b[0m \x1b[38;5;114m██\x1b[0m \x1b[48;5;236mon\x1b[49m \x1b[94m▎\x1b[39m").frame()}})
	wellFormed(t, svg)
	for piece, reason := range map[string]string{
		`class="c1 b">bad<`:                              "a colour and bold",
		`class="d">&lt;dim&gt;<`:                         "what is dim, and escaped",
		`class="r">row<`:                                 "text on a reversed ground has the colour of the ground",
		`<path d="M10 28h25.2v18`:                        "the reversed ground is three cells wide",
		`<path d="M43.6 28h16.8v18`:                      "two full blocks are one shape",
		`.c114{fill:#87d787}`:                            "one of the 256 colours",
		`<path d="M68.8 28h16.8v18h-16.8z" class="c236"`: "a ground of its own",
		`.c236{fill:#303030}`:                            "a grey",
		`<path d="M94 28h2.1v18`:                         "a quarter of a cell",
	} {
		if !strings.Contains(svg, piece) {
			t.Errorf("%s: no %s in\n%s", reason, piece, svg)
		}
	}
	if strings.Contains(svg, "@keyframes") {
		t.Error("one picture moves")
	}
}

func TestARowOfAFilmIsThereWhileItStood(t *testing.T) {
	screen := paint("still\r\nfirst")
	f := film{{rows: screen.frame()}, {rows: screen.frame()}}
	screen.write([]byte("\rthen \x1b[K"))
	f = append(f, picture{rows: screen.frame()}, picture{rows: screen.frame()})
	svg := dark.draw(f)
	wellFormed(t, svg)
	if n := strings.Count(svg, "still"); n != 1 {
		t.Errorf("a row that stays is written %d times", n)
	}
	for word, want := range map[string]string{
		"first": "{0%{visibility:visible}50%{visibility:hidden}}",
		"then":  "{0%{visibility:hidden}50%{visibility:visible}}",
	} {
		before, _, _ := strings.Cut(svg, word)
		_, name, _ := strings.Cut(before[strings.LastIndex(before, "<g"):], `class="`)
		name, _, _ = strings.Cut(name, `"`)
		if !strings.Contains(svg, "@keyframes "+name+want) {
			t.Errorf("%s: want %s in\n%s", word, want, svg)
		}
	}
	if _, rest, _ := strings.Cut(svg, ".t1{visibility:"); !strings.HasPrefix(rest, "hidden") {
		t.Error("without motion the first moment is shown, want the last")
	}
}

func TestAPictureIsTakenOfTheProgram(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, dir, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s := scene{args: []string{"demo"}, steps: []step{sees("/demo/billing"), press("5"), sees(labPage), sees("m3")}}
	svg, err := s.take(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	if !strings.Contains(svg, "export ETCDCTL_ENDPOINTS=") || !strings.Contains(svg, "m3") {
		t.Errorf("the lab is not on\n%s", svg)
	}
}

// TestEveryPictureIsThere looks at what is kept in the repository.
func TestEveryPictureIsThere(t *testing.T) {
	const folder = "../../../.pictures"
	for _, s := range scenes {
		svg, err := os.ReadFile(filepath.Join(folder, s.name+".svg"))
		if err != nil {
			t.Error(err)
			continue
		}
		wellFormed(t, string(svg))
		if len(svg) > 300<<10 {
			t.Errorf("%s is %d KiB: too much for a page", s.name, len(svg)>>10)
		}
	}
	if page, err := os.ReadFile(filepath.Join(folder, "README.md")); err != nil || string(page) != gallery() {
		t.Errorf("the page of the pictures is not of today: go -C demo/bench run ./pictures (%v)", err)
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for _, class := range regexp.MustCompile(`class="(c\d+)`).FindAllStringSubmatch(svg, -1) {
		if !strings.Contains(svg, "."+class[1]+"{fill:#") {
			t.Fatalf("nothing says how the colour %s looks", class[1])
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, svg)
		}
	}
}

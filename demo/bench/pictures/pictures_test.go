package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestARecordedTerminalHasWholeLetters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.cast")
	err := writeCast(name, 20, 2, []output{{0, []byte("a\xe2")}, {time.Millisecond, []byte("\x96\x88")}, {time.Second, []byte("b\xe2\x96")}, {2 * time.Second, []byte("\x88\x1b[1m")}})
	text, err2 := os.ReadFile(name)
	want := "{\"version\":2,\"width\":20,\"height\":2}\n[0.001,\"o\",\"a█\"]\n[1,\"o\",\"b\"]\n[2,\"o\",\"█\\u001b[1m\"]\n"
	if err != nil || err2 != nil || string(text) != want {
		t.Errorf("%v, %v:\n%s\nwant\n%s", err, err2, text, want)
	}
}

func TestAPictureIsTakenOfTheProgram(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, dir, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := converter(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s := scene{name: "lab", args: []string{"demo"}, steps: []step{sees("/demo/billing"), press("5"), sees(labPage), sees("m3")}}
	name := filepath.Join(dir, "lab.svg")
	if err := s.take(t.Context(), dir, name); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, string(svg))
	if !strings.Contains(string(svg), "ETCDCTL_ENDPOINTS=") || !strings.Contains(string(svg), "m3") {
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
		if len(svg) > 500<<10 {
			t.Errorf("%s is %d KiB: too much for a page", s.name, len(svg)>>10)
		}
	}
	if page, err := os.ReadFile(filepath.Join(folder, "README.md")); err != nil || string(page) != gallery() {
		t.Errorf("the page of the pictures is not of today: go -C demo/bench run ./pictures (%v)", err)
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
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

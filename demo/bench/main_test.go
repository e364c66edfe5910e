package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the processes of the command be this program too.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheCommandFillsCheapRowsAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	kept := filepath.Join(t.TempDir(), "rows.jsonl")
	var out strings.Builder
	if err := command(t.Context(), []string{"-quick", "-row", "ls,heads,proxy", "-json", kept}, &out, io.Discard); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var l struct {
			Row, Figure, On string
			Ours            float64
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.On == "" {
			t.Errorf("%q: %v", line, err)
		}
		measured[l.Row+" "+l.Figure] = l.Ours
	}
	for _, figure := range []string{"ls wall", "ls peak memory", "heads wall", "proxy 1 client", "proxy 64 clients"} {
		if measured[figure] <= 0 || !strings.Contains(out.String(), strings.SplitN(figure, " ", 2)[1]) {
			t.Errorf("no %s in\n%s", figure, &out)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := writerFunc(func(p []byte) {
		if strings.Contains(string(p), "round 1") {
			cancel() // in the middle of it
		}
	})
	err := command(ctx, []string{"-row", "idle"}, io.Discard, progress)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestFlagsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-row", "none"}, {"-row", "ls,"}, {"more"}, {"-idle", "1s"}} {
		if _, _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

func TestResultsAreMediansAndKnowTheirAims(t *testing.T) {
	three := func(p ...pair) []sample {
		var all []sample
		for _, x := range p {
			all = append(all, sample{"f": x})
		}
		return all
	}
	rows := []struct {
		aim    aim
		in     []sample
		ratio  float64
		met    bool
		reason string
	}{
		{aim{"f", "s", atMost, 1}, three(pair{1, 2}, pair{9, 1}, pair{1, 4}), 0.5, true, "one bad round does not count"},
		{aim{"f", "s", atMost, 1}, three(pair{3, 2}), 1.5, false, "more than the other side"},
		{aim{"f", "/s", keeps, 0.97}, three(pair{96, 100}), 0.96, false, "a rate that is kept up"},
		{aim{"f", "s", faster, 100}, three(pair{1, 150}), 150, true, "theirs through ours"},
		{aim{"f", "ms", below, 30}, three(pair{29, 0}), math.NaN(), true, "there is no other side"},
		{aim{"f", "ms", below, 0}, three(pair{1, 7}), math.NaN(), false, "the other side does not matter"},
		{aim{"f", "ms", shown, 0}, three(pair{4, 2}), 2, true, "no aim, a ratio all the same"},
	}
	for _, r := range rows {
		got := row{aims: []aim{r.aim}}.results(r.in)
		if len(got) != 1 || got[0].met != r.met || !(got[0].ratio == r.ratio || math.IsNaN(got[0].ratio) && math.IsNaN(r.ratio)) {
			t.Errorf("%v of %v: %+v, want %v and %v: %s", r.aim, r.in, got, r.ratio, r.met, r.reason)
		}
	}
	if got := (row{aims: []aim{{figure: "g"}}}).results(three(pair{1, 1})); len(got) != 0 {
		t.Errorf("a figure that was not measured: %v", got)
	}
}

func TestLagsCountUntilAtLeastThatRevisionIsShown(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	got := lagsOf([]mark{{5, at(10)}, {6, at(11)}, {9, at(20)}}, []mark{{4, at(9)}, {6, at(30)}, {9, at(19)}})
	for i, want := range []time.Duration{20 * time.Millisecond, 19 * time.Millisecond, 0} {
		if got[i] != want {
			t.Errorf("lag %d is %s, want %s", i, got[i], want)
		}
	}
	if late := lagsOf([]mark{{5, time.Now().Add(-time.Second)}}, nil)[0]; late < time.Second {
		t.Errorf("never shown, and a lag of %s", late)
	}
}

func TestThePictureIsWellFormed(t *testing.T) {
	for name, points := range map[string][]point{"grown": {{1000, 0.1, 0.1, 30, 40, 1, 20, 90}, {10000, 0.3, 0.2, 70, 80, 1, 25, 95}}, "not measured": {{Claims: 1000}}} {
		dec := xml.NewDecoder(strings.NewReader(drawGrowth(points, "a <machine>")))
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

package main

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/bench/load"
)

// TestMain lets the processes of the command be this program too.
func TestMain(m *testing.M) {
	if os.Getenv(load.RoleEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheCommandFillsCheapRowsAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out strings.Builder
	if err := command(t.Context(), []string{"-quick", "start", "ls", "heads", "proxy", "direct", "toxiproxy", "copy"}, &out, io.Discard); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	measured, row := map[string]string{}, ""
	for line := range strings.Lines(out.String()) {
		f := strings.Split(line, " | ")
		if len(f) != 8 {
			continue
		}
		if name, _, ok := strings.Cut(strings.TrimPrefix(f[0], "| **"), "**: "); ok {
			row = name
		}
		if measured[row+" "+f[1]] = f[2]; f[3] == "" && row+" "+f[1] != "heads peak memory" {
			t.Errorf("there is no other side: %s", line)
		}
	}
	for _, figure := range []string{"start binary", "start `version`: wall", "ls wall", "ls peak memory", "heads wall", "proxy 1 client", "proxy 64 clients", "proxy 1 client: p99",
		"direct put", "direct keepalive", "direct lock", "direct crowd", "toxiproxy crowd", "toxiproxy put: p99", "copy lock: p50"} {
		var v float64
		if _, err := fmt.Sscan(measured[figure], &v); err != nil || v <= 0 {
			t.Errorf("no %s (%v) in\n%s", figure, err, &out)
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
	err := command(ctx, []string{"idle"}, io.Discard, progress)
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
	rows := []struct {
		args   []string
		reason string
	}{
		{[]string{"-rounds", "0"}, "nothing would be measured"},
		{[]string{"none"}, "there is no such row"},
		{[]string{"ls", "-quick", "none"}, "there is no such row behind a flag"},
		{[]string{"-idle", "1s"}, "too short to tell"},
		{[]string{"-seconds", "0"}, "no load"},
		{[]string{"-against", "x", "proxy"}, "the proxy that is measured is no other program's"},
		{[]string{"-against", "x", "curves"}, "curves are of one program"},
		{[]string{"curves", "ls"}, "the curves are no row"},
	}
	for _, r := range rows {
		if _, err := parse(r.args, io.Discard); err == nil {
			t.Errorf("%q is taken: %s", r.args, r.reason)
		}
	}
	o, err := parse([]string{"paint", "-rounds", "2", "ls"}, io.Discard)
	if err != nil || o.rounds != 2 || len(o.rows) != 2 || o.rows[0].name != "ls" {
		t.Errorf("rows before and behind flags, in the order of the table: %v, %v", o, err)
	}
}

func TestResultsAreMediansAndKnowTheirAims(t *testing.T) {
	three := func(pairs ...[2]float64) []sample {
		var all []sample
		for _, p := range pairs {
			all = append(all, sample{{"f": p[0]}, {"f": p[1]}})
		}
		return all
	}
	none := math.NaN()
	rows := []struct {
		aim    aim
		in     []sample
		ratio  float64
		met    string
		reason string
	}{
		{aim{"f", "s", atMost, 1}, three([2]float64{1, 2}, [2]float64{9, 1}, [2]float64{1, 4}), 0.5, "met", "one bad round does not count"},
		{aim{"f", "s", atMost, 1}, three([2]float64{3, 2}), 1.5, "missed", "more than the other side"},
		{aim{"f", "/s", keeps, 0.97}, three([2]float64{96, 100}), 0.96, "missed", "a rate that is kept up"},
		{aim{"f", "s", faster, 100}, three([2]float64{1, 150}), 150, "met", "theirs through ours"},
		{aim{"f", "ms", below, 30}, three([2]float64{29, 0}), none, "met", "there is no other side"},
		{aim{"f", "ms", below, 0}, three([2]float64{1, 7}), none, "missed", "the other side does not matter"},
		{aim{"f", "ms", atMost, 1}, three([2]float64{1, 0}), none, "missed", "the other side was not measured"},
		{aim{"f", "ms", shown, 0}, three([2]float64{4, 2}), 2, "", "no aim, a ratio all the same"},
		{aim{"f", "s", faster, 100}.beside(), three([2]float64{104, 100}), 1.04, "met", "another locktop: 5 % more are no more"},
		{aim{"f", "ms", below, 30}.beside(), three([2]float64{20, 10}), 2, "missed", "another locktop: less than the aim, and twice as much as before"},
		{aim{"f", "/s", keeps, 0.97}.beside(), three([2]float64{94, 100}), 0.94, "missed", "another locktop: a rate may not fall"},
		{aim{"f", "events", below, 0}.beside(), three([2]float64{1, 0}), none, "missed", "another locktop: none stays none"},
	}
	for _, r := range rows {
		got := row{aims: []aim{r.aim}}.results(r.in)
		if len(got) != 1 {
			t.Fatalf("%v of %v: %v", r.aim, r.in, got)
		}
		if x := got[0].ratio; (x == nil) != math.IsNaN(r.ratio) || x != nil && *x != r.ratio {
			t.Errorf("%v of %v: ratio %v, want %v: %s", r.aim, r.in, x, r.ratio, r.reason)
		}
		if line := (row{}).table(got, nil); !strings.HasSuffix(strings.NewReplacer("*", "", " ", "").Replace(line), "|"+r.met+"|\n") {
			t.Errorf("%v of %v: %s, want %q: %s", r.aim, r.in, line, r.met, r.reason)
		}
	}
	if got := (row{aims: []aim{{figure: "g"}}}).results(three([2]float64{1, 1})); len(got) != 0 {
		t.Errorf("a figure that was not measured: %v", got)
	}
}

func TestAgainstAnotherLocktopTheAimIsNoMoreThanBefore(t *testing.T) {
	o, err := parse([]string{"-against", "/old", "ls", "latency", "heads"}, io.Discard)
	if err != nil || len(o.rows) != 3 {
		t.Fatalf("%v, %v", o, err)
	}
	for _, r := range o.rows {
		if r.aims[0].String() != "≤ 1.05×" || r.against != "`/old`" {
			t.Errorf("%s against %s wants %s", r.name, r.against, r.aims[0])
		}
	}
}

func TestSidesTakeTurnsAndOlderProgramsAreTheOtherSide(t *testing.T) {
	var order []string
	side := func(name string) measurement {
		return func(_ context.Context, e *env, _ []string) (figures, error) {
			order = append(order, name+" "+e.program.path)
			return figures{"f": float64(len(order))}, nil
		}
	}
	r := row{ours: side("ours"), theirs: side("theirs")}
	rows := []struct {
		against string
		round   int
		want    []string
	}{
		{"", 0, []string{"ours new", "theirs new"}}, {"", 1, []string{"theirs new", "ours new"}},
		{"old", 0, []string{"ours new", "ours old"}}, {"old", 1, []string{"ours old", "ours new"}},
	}
	for _, w := range rows {
		order = nil
		e := &env{o: options{against: w.against}, today: program{path: "new"}, other: program{path: "old"}}
		if _, err := r.round(t.Context(), e, w.round); err != nil || !slices.Equal(order, w.want) {
			t.Errorf("round %d against %q: %q, %v, want %q", w.round, w.against, order, err, w.want)
		}
	}
}

func TestQuantilesAndMedians(t *testing.T) {
	d := []time.Duration{4 * time.Millisecond, 1 * time.Millisecond, 3 * time.Millisecond, 2 * time.Millisecond}
	if got := [4]float64{load.Quantile(d, 0.5), load.Quantile(d, 0.99), load.Quantile(d[:1], 0.99), load.Quantile(nil, 1)}; got != [4]float64{2, 4, 1, 0} {
		t.Errorf("quantiles %v", got)
	}
	if got := [2]float64{median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3})}; got != [2]float64{2, 2.5} {
		t.Errorf("medians %v", got)
	}
}

func TestLagsCountUntilAtLeastThatRevisionIsShown(t *testing.T) {
	at := func(rev int64, ms int) load.Mark { return load.Mark{Rev: rev, At: time.UnixMilli(int64(ms))} }
	got := lagsOf([]load.Mark{at(5, 10), at(6, 11), at(9, 20)}, []load.Mark{at(4, 9), at(6, 30), at(9, 19)})
	for i, want := range []time.Duration{20 * time.Millisecond, 19 * time.Millisecond, 0} {
		if got[i] != want {
			t.Errorf("lag %d is %s, want %s", i, got[i], want)
		}
	}
	if late := lagsOf([]load.Mark{{Rev: 5, At: time.Now().Add(-time.Second)}}, nil)[0]; late < time.Second {
		t.Errorf("never shown, and a lag of %s", late)
	}
}

func TestThePictureIsWellFormed(t *testing.T) {
	all := func(seconds, rest float64) figures {
		return figures{"ls: wall": seconds, "console: to the full page": seconds, "ls: peak memory": rest, "console: peak memory": rest,
			"event: model": rest, "event: painted": rest, "paint": rest}
	}
	for name, points := range map[string][]point{"grown": {{1000, all(0.1, 30)}, {10000, all(0.3, 70)}}, "not measured": {{Claims: 1000}}} {
		picture := drawGrowth(points, "a <machine>")
		if lines, drawn := 7, strings.Count(picture, "<polyline"); drawn != map[string]int{"grown": lines}[name] {
			t.Errorf("%s: %d lines are drawn", name, drawn)
		}
		dec := xml.NewDecoder(strings.NewReader(picture))
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

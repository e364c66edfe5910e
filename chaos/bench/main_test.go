package main

import (
	"context"
	"io"
	"os"
	"slices"
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

func TestTheCommandComparesAllArmsAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // of the member too
	var out strings.Builder
	args := []string{"-seconds", "0.2", "-rounds", "2", "-clients", "3"}
	if err := command(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, load := range allLoads {
		for _, arm := range allArms {
			if !slices.ContainsFunc(strings.Split(out.String(), "\n"), func(line string) bool {
				f := strings.Fields(line)
				return len(f) > 5 && f[0] == load && f[2] == arm
			}) {
				t.Errorf("no figures for %s on %s:\n%s", load, arm, &out)
			}
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel) // in the middle of it, as good as any moment
	if err := command(ctx, []string{"-seconds", "60"}, io.Discard, io.Discard); err == nil {
		t.Error("cancelled, and no error")
	}
}

func TestFlagsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-arms", "none"}, {"-loads", "put,none"}, {"more"}, {"-clients", "0"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

func TestQuantilesAndMedians(t *testing.T) {
	d := []time.Duration{1, 2, 3, 4}
	if got := [3]time.Duration{quantile(d, 0.5), quantile(d, 0.99), quantile(d[:1], 0.99)}; got != [3]time.Duration{2, 4, 1} {
		t.Errorf("quantiles %v", got)
	}
	if got := [2]float64{median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3})}; got != [2]float64{2, 2.5} {
		t.Errorf("medians %v", got)
	}
}

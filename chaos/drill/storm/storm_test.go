package storm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

var some = Options{Seed: 7, For: time.Minute, Copies: 3, TTL: 5 * time.Second, Within: 2 * time.Second}

// TestDraw: a seed gives one schedule, which is a drill; another seed gives another, and on members that
// are not ours nothing is done to them.
func TestDraw(t *testing.T) {
	if a, b := Draw(some).Text("x"), Draw(some).Text("x"); a != b {
		t.Errorf("one seed, two storms:\n%s\n%s", a, b)
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		for _, theirs := range []bool{false, true} {
			o := some
			o.Seed, o.Theirs, o.Turns = seed, theirs, seed%2 == 0
			s := Draw(o)
			for _, brief := range []bool{false, true} {
				s.Brief = brief
				text := s.Text("a storm")
				d, err := drill.Parse("storm", []byte(text))
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
				if theirs && slices.ContainsFunc(d.Steps, func(s drill.Step) bool {
					return s.Fault != nil && drill.Hides(s.Fault.Kind) && strings.Contains(string(s.Fault.Kind), "member")
				}) {
					t.Errorf("seed %d: members are not ours\n%s", seed, text)
				}
				for i, step := range d.Steps {
					if step.Fault == nil {
						continue
					}
					ends := step.Fault.Kind == model.FaultKill || step.Fault.Kind == model.FaultStop
					if starts := d.Steps[i+1].Start != ""; starts == ends {
						t.Errorf("seed %d: after %s somebody is started, %t: who is down comes up with the next fault", seed, step.Fault.Kind, starts)
					}
				}
			}
			seen[s.Text("x")] = true
		}
	}
	if len(seen) != 80 {
		t.Errorf("80 storms, of which %d differ", len(seen))
	}
}

// TestShrink: of a schedule what does not matter goes, whichever faults do.
func TestShrink(t *testing.T) {
	s := Draw(some)
	for _, r := range []struct {
		needs  []int
		most   int // runs
		reason string
	}{
		{[]int{0}, 20, "the first alone"},
		{[]int{len(s.Faults) - 1}, 1, "the last alone"},
		{[]int{2, 5}, 20, "two of them"},
		{nil, 1, "none of them: it fails whatever is done"},
	} {
		runs := 0
		got := Shrink(s, func(x Storm) (bool, bool) {
			runs++
			for _, i := range r.needs {
				if !slices.Contains(x.Faults, s.Faults[i]) {
					return false, true
				}
			}
			return true, true
		})
		if want := max(1, len(r.needs)); len(got.Faults) != want || runs > r.most {
			t.Errorf("%s: %d faults after %d runs, want %d", r.reason, len(got.Faults), runs, want)
		}
		for _, i := range r.needs {
			if !slices.Contains(got.Faults, s.Faults[i]) {
				t.Errorf("%s: %v lacks one that matters", r.reason, got.Faults)
			}
		}
	}
	if got := Shrink(s, func(Storm) (bool, bool) { return false, false }); len(got.Faults) != len(s.Faults) {
		t.Errorf("without time it stays: %d faults", len(got.Faults))
	}
}

package runner

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// Targets in words are decided when the fault is done, and recorded.
func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		fault, want string // want is what the lab is asked for
		reason      string
	}{
		{"kill: holder", "kill a", "who holds"},
		{"pause: waiter 1 of x", "pause b", "who waits first"},
		{"hold-keepalives: lease of b", "hold keepalives of lease:a2", "one lease"},
		{"freeze: all", "freeze all", "every client"},
		{"stop-member: leader", "stop member m2", "asked now, not of the last round of status"},
		{"stop-member: a follower", "stop member m3", "by the seed"},
		{"cut: a, member: leader", "cut a at m2", "the connections to one member"},
		{"put: /x/k, value: v", "put /x/k", "a key is a key"},
		{"move-leader: true", "move leader", "no target"},
	} {
		p := crashPlay()
		stage := p.stage()
		stage.Leader = func(context.Context) (string, error) { return "m2", nil }
		d := crashDrill(t, "  - wait: {holder: a, waiters: [b]}\n  - fault: {"+tt.fault+"}\n", "  - one-holder\n")
		round := Play(t.Context(), d, stage, Options{})
		if d := cmp.Diff([]string{tt.want, "heal every fault"}, p.did); d != "" {
			t.Errorf("%s: %s: %s", tt.fault, tt.reason, d)
		}
		if len(round.Targets) != 1 || !round.Targets[0].Done || text.English(round.Targets[0].Fault.Message()) != tt.want {
			t.Errorf("%s: recorded %+v", tt.fault, round.Targets)
		}
	}
}

func TestNoLeaderToHit(t *testing.T) {
	p := crashPlay()
	stage := p.stage()
	stage.Leader = func(context.Context) (string, error) { return "", errors.New("no member answers") }
	d := crashDrill(t, "  - fault: {stop-member: leader}\n", "  - one-holder\n")
	round := Play(t.Context(), d, stage, Options{})
	want := "step 1 (line 4): stop member leader: asking who leads: no member answers"
	if round.Verdict != drill.Unknown || round.Reason != want {
		t.Errorf("%s, %q: want unknown, %q", round.Verdict, round.Reason, want)
	}
}

// A fault that is over by itself is recorded as healed, and needs no healing.
func TestFaultThatEnds(t *testing.T) {
	p := crashPlay()
	fault := model.Fault{Kind: model.FaultFreeze, Target: "a", For: time.Second}
	p.acts[text.English(fault.Message())] = func(p *scriptedLab) {
		p.after(0, func(at time.Time) model.Event { return model.FaultOn{At: at, ID: 3, Fault: fault} })
		p.after(time.Second, func(at time.Time) model.Event { return model.FaultOff{At: at, ID: 3, Why: "time is up"} })
	}
	d := crashDrill(t, "  - wait: {holder: a}\n  - fault: {freeze: holder, for: 1s}\n  - pause: 2s\n  - heal: {freeze: holder}\n", "  - one-holder\n")
	round := Play(t.Context(), d, p.stage(), Options{})
	if d := cmp.Diff([]string{"freeze a for 1s", "heal every fault"}, p.did); d != "" {
		t.Error(d)
	}
	if len(round.Targets) != 1 || round.Targets[0].Healed.Sub(round.Targets[0].At) != time.Second {
		t.Errorf("recorded %+v", round.Targets)
	}
	if round.Verdict != drill.Held {
		t.Errorf("%s: %s", round.Verdict, round.Reason)
	}
}

package runner

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/text"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when the stories begin.
var epoch = time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)

const (
	waiting = model.BeliefWaiting
	holding = model.BeliefHolding
)

// leaseOf returns the lease of a contender, by its letter: a has lease a1.
func leaseOf(who string) model.LeaseID { return model.LeaseID(0xa1 + int64(who[0]-'a')) }
func keyOf(who string) string          { return "/x/" + leaseOf(who).String() }

var update = flag.Bool("update", false, "write the golden files anew")

// scriptedLab is a lab that is a script: every action has consequences, each some time after
// it. Its clock moves when nothing is left to be told.
type scriptedLab struct {
	mu     sync.Mutex
	now    time.Time
	rev    int64
	coming []coming
	did    []string
	// acts are the consequences of an action, by its words.
	acts map[string]func(*scriptedLab)
	// refuse makes an action fail, by its words.
	refuse map[string]string
	// fail ends the source once the actions of that many were done; 0: never.
	fail int
	wake chan struct{}
}

type coming struct {
	at    time.Time
	event func(at time.Time) model.Event
}

func newPlay() *scriptedLab {
	p := &scriptedLab{now: epoch, acts: map[string]func(*scriptedLab){}, refuse: map[string]string{}, wake: make(chan struct{}, 1)}
	p.after(0, func(at time.Time) model.Event { return model.LoadStarted{At: at, Prefix: "/"} })
	p.after(0, func(at time.Time) model.Event { return model.Loaded{At: at, Prefix: "/", Rev: 1} })
	return p
}

// after lets something happen later.
func (l *scriptedLab) after(d time.Duration, e func(at time.Time) model.Event) {
	c := coming{l.now.Add(d), e}
	i := len(l.coming)
	for i > 0 && l.coming[i-1].at.After(c.at) {
		i--
	}
	l.coming = append(l.coming[:i], append([]coming{c}, l.coming[i:]...)...)
}

// queues, goes and says are what happens: see tale.
func (l *scriptedLab) queues(d time.Duration, who string) {
	l.after(d, func(at time.Time) model.Event {
		return model.LeaseOwner{At: at, Lease: leaseOf(who), Client: model.Client{Name: who, Certain: true}}
	})
	l.after(d, func(at time.Time) model.Event {
		l.rev++
		return model.Committed{At: at, Rev: l.rev, Changes: []model.Change{{KV: model.KV{Key: keyOf(who), CreateRev: l.rev, ModRev: l.rev, Version: 1, Lease: leaseOf(who)}}}}
	})
}

func (l *scriptedLab) goes(d time.Duration, who string) {
	l.after(d, func(at time.Time) model.Event {
		l.rev++
		return model.Committed{At: at, Rev: l.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: keyOf(who), ModRev: l.rev}}}}
	})
}

func (l *scriptedLab) says(d time.Duration, who string, state model.BeliefState) {
	l.after(d, func(at time.Time) model.Event {
		return model.Belief{At: at, Contender: who, Lock: "/x", State: state, Key: keyOf(who), Lease: leaseOf(who)}
	})
}

func (l *scriptedLab) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Next tells what has happened, or lets time go by until something does.
func (l *scriptedLab) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	if err := ctx.Err(); err != nil {
		return model.Batch{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail > 0 && len(l.did) >= l.fail {
		return model.Batch{}, errors.New("the stream broke")
	}
	until := want.WakeAt
	if until.IsZero() {
		until = l.now // somebody acts: time stands still
	}
	if len(l.coming) > 0 && !l.coming[0].at.After(until) {
		c := l.coming[0]
		l.coming = l.coming[1:]
		if c.at.After(l.now) {
			l.now = c.at
		}
		return model.Batch{Events: []model.Event{c.event(l.now)}}, nil
	}
	if !want.WakeAt.IsZero() {
		if want.WakeAt.After(l.now) {
			l.now = want.WakeAt
		}
		return model.Batch{Events: []model.Event{model.Tick{At: l.now}}}, nil
	}
	l.mu.Unlock()
	<-ctx.Done()
	l.mu.Lock()
	return model.Batch{}, ctx.Err()
}

func (l *scriptedLab) do(ctx context.Context, a model.Action) model.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	words := text.English(a.Message())
	l.did = append(l.did, words)
	o := model.Outcome{Action: a, At: l.now, Done: true}
	switch {
	case ctx.Err() != nil:
		o.Done, o.Err = false, ctx.Err().Error()
	case l.refuse[words] != "":
		o.Done, o.Err = false, l.refuse[words]
	case l.acts[words] != nil:
		l.acts[words](l)
	}
	return o
}

func (l *scriptedLab) stage() Lab {
	return Lab{Source: l, Do: l.do, Now: l.clock}
}

// crashPlay is a lab in which a holds and b waits, and b gets the lock 3 s after a
// was killed.
func crashPlay() *scriptedLab {
	p := newPlay()
	p.after(0, func(at time.Time) model.Event {
		return model.Contender{At: at, Name: "a", PID: 4711, Lock: "/x", Proc: model.ProcRunning}
	})
	for i, who := range []string{"a", "b"} {
		p.says(time.Duration(i)*time.Second, who, waiting)
		p.queues(time.Duration(i)*time.Second, who)
	}
	p.says(0, "a", holding)
	p.acts["kill a"] = func(p *scriptedLab) {
		p.after(0, func(at time.Time) model.Event {
			return model.Contender{At: at, Name: "a", PID: 4711, Lock: "/x", Proc: model.ProcEnded, Ended: "killed"}
		})
		p.goes(3*time.Second, "a")
		p.says(3*time.Second, "b", holding)
	}
	return p
}

func crashDrill(t *testing.T, steps, expect string) *drill.Drill {
	t.Helper()
	d, err := drill.Parse("crash", []byte("title: A crash\nlab: {contenders: [{name: a, lock: x}, {name: b, lock: x}]}\nsteps:\n"+steps+"expect:\n"+expect))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	crashSteps  = "  - wait: {holder: a, waiters: [b]}\n  - fault: {kill: holder}\n  - wait: {holder: b, within: 6s}\n"
	crashExpect = "  - one-holder\n  - fifo\n  - handover: {within: 5s}\n  - linearizable\n"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		steps, expect string
		change        func(*scriptedLab)
		want          drill.Verdict
		reasons       string // a part of what is said of it
		did           []string
		reason        string
	}{
		{crashSteps, crashExpect, nil, drill.Held, "b took over /x from a after 3.0 s", []string{"kill a", "heal every fault"}, "all as it should be"},
		{crashSteps, "  - handover: {within: 1ms}\n", nil, drill.Violated, "b took over /x from a after 3.0 s: at most 1ms were expected", []string{"kill a", "heal every fault"},
			"an impossible bound is named with its number"},
		{"  - wait: {holder: b, within: 4s}\n  - fault: {kill: b}\n", crashExpect, nil, drill.Unknown,
			"step 1 (line 4): waited 4s for b to hold /x, but the holder was a, and waiting were b", []string{"heal every fault"}, "a wait that ends in vain says what was"},
		{crashSteps, crashExpect, func(p *scriptedLab) { p.acts["kill a"] = nil }, drill.Violated, "not within 5s", []string{"kill a", "heal every fault"},
			"a wait that is about an expectation"},
		{crashSteps, crashExpect, func(p *scriptedLab) { p.refuse["kill a"] = "it is gone" }, drill.Unknown,
			"step 2 (line 5): not done: kill a: it is gone", []string{"kill a", "heal every fault"}, "a step that fails: healed all the same"},
		{"  - fault: {kill: waiter 2}\n", crashExpect, nil, drill.Unknown, "kill waiter 2: nobody is waiter 2 of /x now", []string{"heal every fault"}, "a target that is not there"},
		{crashSteps, crashExpect, func(p *scriptedLab) { p.refuse["heal every fault"] = "m1 does not start" }, drill.Unknown,
			"at the end: not done: heal every fault: m1 does not start", []string{"kill a", "heal every fault"}, "what is not healed is no pass"},
		{crashSteps + "  - heal: all\n  - pause: 2s\n", crashExpect, nil, drill.Held, "", []string{"kill a", "heal every fault", "heal every fault"}, "healed twice does no harm"},
		{"  - fault: {freeze: holder}\n  - pause: 4s\n  - heal: {freeze: holder}\n", "  - handover\n", func(p *scriptedLab) {
			p.queues(-time.Second, "a")
			p.queues(-time.Second, "b")
			p.acts["freeze a"] = func(p *scriptedLab) { p.goes(time.Second, "a") }
		}, drill.Held, "", []string{"freeze a", "heal: freeze a", "heal every fault"}, "what is healed is what was hit, though another holds now"},
		{"  - wait: {holder: a}\n  - fault: {freeze: holder}\n  - pause: 2s\n  - heal: {freeze: a}\n  - pause: 9s\n", "  - stops: {contender: a, within: 2s}\n", func(p *scriptedLab) {
			p.acts["freeze a"] = func(p *scriptedLab) { p.goes(time.Second, "a") }
			p.acts["heal: freeze a"] = func(p *scriptedLab) { p.says(0, "a", model.BeliefIdle) }
		}, drill.Unknown, "a stopped 1.000 s after its claim had gone, and only after freeze a (step 2) was healed", []string{"freeze a", "heal: freeze a", "heal every fault"},
			"a stop while the fault is being healed came after the heal"},
	} {
		p := crashPlay()
		if tt.change != nil {
			tt.change(p)
		}
		round := Play(t.Context(), crashDrill(t, tt.steps, tt.expect), p.stage(), Options{})
		said := round.Reason
		for _, r := range round.Results {
			said += "\n" + strings.Join(r.Evidence, "\n")
		}
		if round.Verdict != tt.want || !strings.Contains(said, tt.reasons) || round.Err != nil {
			t.Errorf("%s: %s, %v; want %s and %q\n%s", tt.reason, round.Verdict, round.Err, tt.want, tt.reasons, said)
		}
		if d := cmp.Diff(tt.did, p.did); d != "" {
			t.Errorf("%s: %s", tt.reason, d)
		}
	}
}

func TestContendersBeginOnceSomebodyLooks(t *testing.T) {
	p := crashPlay()
	stage, listed := p.stage(), false
	stage.Source = watched{p, func(b model.Batch) {
		listed = listed || slices.ContainsFunc(b.Events, func(e model.Event) bool { _, ok := e.(model.Loaded); return ok })
	}}
	begun := 0
	stage.Begin = func(context.Context) error {
		begun++
		if !listed || len(p.did) > 0 {
			t.Errorf("they begin, listed %v, done %q: want the list before them and no step", listed, p.did)
		}
		return nil
	}
	if round := Play(t.Context(), crashDrill(t, crashSteps, crashExpect), stage, Options{}); round.Verdict != drill.Held || begun != 1 {
		t.Errorf("%s, %v; begun %d times", round.Verdict, round.Err, begun)
	}
	stage = crashPlay().stage()
	stage.Begin = func(context.Context) error { return errors.New("no room for them") }
	round := Play(t.Context(), crashDrill(t, crashSteps, crashExpect), stage, Options{})
	if round.Verdict != drill.Unknown || round.Err == nil || !strings.Contains(round.Err.Error(), "no room for them") {
		t.Errorf("%s, %v: want unknown, and why", round.Verdict, round.Err)
	}
}

// watched is a source whose batches somebody else sees first.
type watched struct {
	model.Source
	see func(model.Batch)
}

func (w watched) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := w.Source.Next(ctx, want)
	w.see(b)
	return b, err
}

func TestHealsWhateverHappens(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		p := crashPlay()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.acts["kill a"] = func(*scriptedLab) { cancel() }
		round := Play(ctx, crashDrill(t, crashSteps, crashExpect), p.stage(), Options{})
		if !errors.Is(round.Err, context.Canceled) || round.Verdict != drill.Unknown {
			t.Errorf("%s, %v: want unknown, cancelled", round.Verdict, round.Err)
		}
		if d := cmp.Diff([]string{"kill a", "heal every fault"}, p.did); d != "" {
			t.Error(d)
		}
	})
	t.Run("source ends", func(t *testing.T) {
		p := crashPlay()
		p.fail = 1
		r := Report{Drill: crashDrill(t, crashSteps, crashExpect)}
		r.Rounds = []Run{Play(t.Context(), r.Drill, p.stage(), Options{})}
		if err := r.Rounds[0].Err; !errors.Is(err, errSource) || r.ExitCode() != drill.ExitCouldNotRun {
			t.Errorf("%v, exit %d: want that nothing is seen, exit 2", err, r.ExitCode())
		}
		if d := cmp.Diff([]string{"kill a", "heal every fault"}, p.did); d != "" {
			t.Error(d)
		}
	})
	t.Run("nothing is seen", func(t *testing.T) {
		p := newPlay()
		p.coming = nil
		round := Play(t.Context(), crashDrill(t, crashSteps, crashExpect), p.stage(), Options{})
		if !errors.Is(round.Err, errSource) || len(p.did) != 1 {
			t.Errorf("%v, did %v: want that nothing is seen, and healed", round.Err, p.did)
		}
	})
}

// trainer answers with 2 and writes down what it is told.
type trainer struct {
	listener
	told []string
}

func (t *trainer) Step(i int) { t.told = append(t.told, fmt.Sprint("step ", i)) }
func (t *trainer) Say(_ context.Context, x drill.Text) {
	t.told = append(t.told, x.In("zh"))
}
func (t *trainer) Ask(_ context.Context, q drill.Question) int {
	t.told = append(t.told, q.Text.In("zh"))
	return 2
}

func TestTrainer(t *testing.T) {
	d := crashDrill(t, "  - say: {en: hello, zh: 你好}\n  - ask: {en: \"who?\", options: [a, b], answer: 1}\n", "  - quiet\n")
	tell := &trainer{}
	round := Play(t.Context(), d, crashPlay().stage(), Options{Trainer: tell})
	if d := cmp.Diff([]string{"step 1", "你好", "step 2", "who?"}, tell.told); d != "" {
		t.Error(d)
	}
	var lines []string
	for _, l := range round.Lines {
		if l.Step > 0 {
			lines = append(lines, l.Text)
		}
	}
	if d := cmp.Diff([]string{"say: hello", "ask: who? Answered 2, right is 2"}, lines); d != "" {
		t.Error(d)
	}
}

func TestReports(t *testing.T) {
	d := crashDrill(t, crashSteps, crashExpect+"  - served: {within: 1s}\n  - tokens-grow\n")
	d.Defect = "etcd-io/etcd#1"
	event := func(s *store.Store, f *journal.Entry) any { return map[string]any{"kind": f.Kind} }
	p := crashPlay()
	round := Play(t.Context(), d, p.stage(), Options{Seed: 7, Event: event})
	report := Report{Drill: d, Rounds: []Run{round}}
	if len(report.Pictures()["crash-run1-x.html"]) == 0 {
		t.Error("no picture of the history")
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.json":  func(b *bytes.Buffer) error { return report.JSON(b) },
		"report.xml":   func(b *bytes.Buffer) error { return report.JUnit(b) },
		"report.txt":   func(b *bytes.Buffer) error { return report.Text(b, false) },
		"timeline.txt": func(b *bytes.Buffer) error { return report.Text(b, true) },
		"plan.txt":     func(b *bytes.Buffer) error { b.WriteString(strings.Join(drill.Plan(d), "\n") + "\n"); return nil },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		golden(t, name, got.Bytes())
	}
	if got := report.ExitCode(); got != 1 {
		t.Errorf("exit %d, want 1", got)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", name, d)
	}
}

func TestExitCodes(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		rounds []Run
		want   int
		reason string
	}{
		{[]Run{{Verdict: drill.Held}, {Verdict: drill.Held}}, 0, "every run held"},
		{[]Run{{Verdict: drill.Held}, {Verdict: drill.Violated}}, 1, "one was violated"},
		{[]Run{{Verdict: drill.Held}, {Verdict: drill.Unknown}}, 3, "one is not known"},
		{[]Run{{Verdict: drill.Held}, {Verdict: drill.Unknown, Err: broken}}, 2, "one was cut off"},
		{[]Run{{Verdict: drill.Violated}, {Verdict: drill.Unknown, Err: broken}}, 1, "what was violated stays so"},
		{nil, 3, "nothing was run"},
	} {
		if got := (Report{Drill: &drill.Drill{}, Rounds: tt.rounds}).ExitCode(); got != tt.want {
			t.Errorf("%s: exit %d, want %d", tt.reason, got, tt.want)
		}
	}
}

// TestAFaultWaitsForAReading: of a lease that was never read nobody can tell how it ended, so
// where the cause is expected the fault comes after the reading, or as late as may be.
func TestAFaultWaitsForAReading(t *testing.T) {
	for _, tt := range []struct {
		expect string
		read   time.Duration // 0: never
		at     time.Duration
		reason string
	}{
		{"  - handover: {lock: x, cause: expired}\n", 2 * time.Second, 2 * time.Second, "the lease is read late"},
		{"  - handover: {lock: x, cause: expired}\n", 0, 4 * time.Second, "it is not read at all"},
		{"  - handover: {lock: x}\n", 2 * time.Second, time.Second, "nobody asks why"},
	} {
		p := crashPlay()
		if tt.read > 0 {
			p.after(tt.read, func(at time.Time) model.Event {
				return model.LeaseRead{At: at, ID: leaseOf("a"), Granted: 3, Remaining: 2}
			})
		}
		r := Play(t.Context(), crashDrill(t, crashSteps, tt.expect), p.stage(), Options{})
		if len(r.Targets) != 1 || r.Targets[0].At.Sub(epoch) != tt.at {
			t.Errorf("%s: %+v, %v; want the fault after %s", tt.reason, r.Targets, r.Reason, tt.at)
		}
	}
}

// TestADrillTellsItsStepsToAllWhoLook: whoever looks at what the source delivers learns each
// step, what came of it, and the verdicts, all before the run is over. The drill itself judges
// and tells as if it had not said so.
func TestADrillTellsItsStepsToAllWhoLook(t *testing.T) {
	for _, tt := range []struct {
		reason, steps, expect string
		change                func(*scriptedLab)
		told                  []string
		over                  drill.Verdict
	}{
		{"all steps", crashSteps, "  - one-holder\n  - handover: {within: 5s}\n", nil, []string{
			"wait for a to hold /x and b to be waiter 1 of /x, at most 10s > after 1.0 s: a holds /x; b is waiter 1 of /x",
			"kill holder > holder is a: Killed a",
			"wait for b to hold /x, at most 6s > after 3.0 s: b holds /x"}, drill.Held},
		{"one that fails ends it", crashSteps, "  - one-holder\n", func(p *scriptedLab) { p.refuse["kill a"] = "it is gone" }, []string{
			"wait for a to hold /x and b to be waiter 1 of /x, at most 10s > after 1.0 s: a holds /x; b is waiter 1 of /x",
			"kill holder > failed: holder is a: not done: kill a: it is gone"}, drill.Unknown},
		{"what does nothing more than it says", "  - say: {en: hello}\n", "  - one-holder\n", nil, []string{"say: hello > "}, drill.Held},
	} {
		p := crashPlay()
		if tt.change != nil {
			tt.change(p)
		}
		stage, seen := p.stage(), store.New()
		stage.Source = watched{p, func(b model.Batch) { seen.Apply(b) }}
		stage.Report = func(e model.Event) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.after(0, func(time.Time) model.Event { return e })
		}
		d := crashDrill(t, tt.steps, tt.expect)
		round := Play(t.Context(), d, stage, Options{Event: func(_ *store.Store, f *journal.Entry) any { return f.Kind }})
		var steps []string
		for _, s := range seen.Drill().Steps {
			came := s.Came
			if s.Failed {
				came = "failed: " + came
			}
			steps = append(steps, s.Text+" > "+came)
		}
		if d := cmp.Diff(tt.told, steps); d != "" {
			t.Errorf("%s:\n%s", tt.reason, d)
		}
		x := seen.Drill()
		if x.Began.Title != d.Title.In("en") || len(x.Judged) != len(round.Results) || x.Over.Verdict != model.DrillVerdict(tt.over) || round.Verdict != tt.over {
			t.Errorf("%s: told %+v, came to %s", tt.reason, x, round.Verdict)
		}
		if slices.Contains(round.Events, any(journal.Drill)) || slices.ContainsFunc(round.Lines, func(l Line) bool { return strings.HasPrefix(l.Text, "drill ") }) {
			t.Errorf("%s: what it said of itself is evidence: %v", tt.reason, round.Lines)
		}
	}
}

// TestAHastyRunEndsWithItsVerdict: where an expectation is violated what is left of the steps is left
// out, and a run that is not hasty goes on.
func TestAHastyRunEndsWithItsVerdict(t *testing.T) {
	steps := crashSteps + "  - pause: 10s\n  - fault: {kill: b}\n"
	for _, r := range []struct {
		hasty   bool
		within  string
		verdict drill.Verdict
		least   time.Duration
		most    time.Duration
		reason  string
	}{
		{true, "2s", drill.Violated, 4 * time.Second, 7 * time.Second, "a handover of 3 s is too late"},
		{true, "5s", drill.Held, 13 * time.Second, time.Minute, "nothing is violated"},
		{false, "2s", drill.Violated, 13 * time.Second, time.Minute, "a drill shows all that it has"},
	} {
		d := crashDrill(t, steps, "  - handover: {within: "+r.within+"}\n")
		run := Play(t.Context(), d, crashPlay().stage(), Options{Hasty: r.hasty})
		left := slices.ContainsFunc(run.Lines, func(l Line) bool { return strings.Contains(l.Text, "left out") })
		if run.Verdict != r.verdict || run.Took < r.least || run.Took > r.most || left != (r.hasty && r.verdict == drill.Violated) {
			t.Errorf("%s: %s after %s, left out: %t\n%v", r.reason, run.Verdict, run.Took, left, run.Results)
		}
	}
}

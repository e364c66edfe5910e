//go:build slow

package cli

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/store"

	"locktop/ui/cli/course"
	"locktop/ui/cli/session"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// TestTheWorldWaitsForTheReader: who thinks about each question for longer than every lease
// lives sees the same story.
func TestTheWorldWaitsForTheReader(t *testing.T) {
	t.Parallel()
	r := &learner{lang: "en", answer: right, slow: 6 * time.Second}
	if round := r.takes(t, lessonOf(t, "fence-reads")); round.Verdict != drill.Held || len(round.Missed) > 0 || len(round.Screens) != 2 {
		t.Errorf("%s, %s; missed %q\n%+v", round.Verdict, round.Reason, round.Missed, round.Results)
	}
}

// TestWhoMeddlesIsToldSo: a learner who does anything to any program of the lab, by chance,
// gets the story to its end, and the verdict says whose doing that was.
func TestWhoMeddlesIsToldSo(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	kinds := []model.FaultKind{model.FaultKill, model.FaultPause, model.FaultHoldKeepalives, model.FaultStop}
	r := &learner{lang: "en", answer: right, meddle: func(door host.Actions) {
		a := model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kinds[rng.IntN(len(kinds))], Target: string(rune('a' + rng.IntN(3)))}}
		if plan, err := door.Plan(t.Context(), a); err == nil && plan.Refused.IsZero() {
			door.Do(t.Context(), plan)
		}
	}}
	d := lessonOf(t, "lease")
	round := r.takes(t, d)
	if len(round.Actions) == 0 || !round.Explained || round.Err != nil {
		t.Fatalf("hand %q, told %v, %v", round.Actions, round.Explained, round.Err)
	}
	if n := strings.Count(r.shows(tutor.StepSay), "You changed the lab"); n != len(round.Missed) || n == 0 {
		t.Errorf("%d of %d steps that did not come to pass were told", n, len(round.Missed))
	}
	if got := r.shows(tutor.StepVerdict); !strings.Contains(got, "You changed the lab during the story: "+round.Actions[0]) {
		t.Errorf("the verdict says %q", got)
	}
	for _, res := range round.Results {
		if res.Name == "answer" {
			t.Errorf("the file is judged by what the learner did: %+v", res)
		}
	}
}

// TestTheTaskIsSeenToBeDone by what the learner does to the lab, and is remembered.
func TestTheTaskIsSeenToBeDone(t *testing.T) {
	t.Parallel()
	r := &learner{lang: "en", answer: right, atTask: func(door host.Actions) {
		plan, err := door.Plan(t.Context(), model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: "b"}})
		if err != nil || !plan.Refused.IsZero() || !door.Do(t.Context(), plan).Done {
			t.Errorf("%v, %s", err, plan.Refused)
		}
	}}
	round := r.takes(t, lessonOf(t, "lease"))
	if !round.Passed || len(round.Actions) > 0 || round.Verdict != drill.Held {
		t.Errorf("passed %v, hand %q, %s", round.Passed, round.Actions, round.Verdict)
	}
	if last := r.steps[len(r.steps)-1]; !strings.Contains(r.shows(tutor.StepSay), "Done: the lab shows it.") || last.Lines[len(last.Lines)-1].Name != "You did the task." {
		t.Errorf("the learner is told %+v", last)
	}
}

// TestTheCourseIsToldToItsEnd: every lesson, to one who is always right and reads English,
// or who is always wrong and reads Chinese.
func TestTheCourseIsToldToItsEnd(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			r := &learner{lang: "en", answer: right}
			if i%2 == 1 {
				r = &learner{lang: "zh", answer: wrong}
			}
			round := r.takes(t, d)
			if round.Verdict != drill.Held || len(round.Missed) > 0 || !round.Explained || round.Passed {
				t.Fatalf("%s, %s; missed %q\n%+v", round.Verdict, round.Reason, round.Missed, round.Results)
			}
			for _, s := range round.Screens {
				if s.Right != s.Question.Answer || (s.Chosen == s.Right) != (r.lang == "en") {
					t.Errorf("%s: answered %d, the file says %d, measured %+v", s.Question.Text.In("en"), s.Chosen, s.Question.Answer, s.Measured)
				}
			}
			for _, s := range r.steps {
				text := s.Text + strings.Join(s.Options, "") + s.Why + s.Met
				if hasHan := strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) }); text != "" && hasHan != (r.lang == "zh") {
					t.Errorf("in %s: %+v", r.lang, s)
				}
				if s.Kind == tutor.StepSee && (s.Why != "") != (r.lang == "zh") {
					t.Errorf("the reason why the answer is wrong: %+v", s)
				}
			}
		})
	}
}

// TestTheExamIsHealedByDiagnosisAlone: on a lab the screen is told of no fault and of no act, its
// findings say what to break, and that heals each fault. Where they say that a break is the wrong
// cure, who breaks the claim all the same does not pass, though the lock moves, and is told so: the
// holder has to let go.
func TestTheExamIsHealedByDiagnosisAlone(t *testing.T) {
	t.Parallel()
	d := lessonOf(t, "deadlock")
	for _, c := range d.Lesson.Exam.Cases {
		seed := uint64(1)
		for d.Lesson.Exam.Draw(seed).Explanation.In("en") != c.Explanation.In("en") {
			seed++
		}
		code := c.Steps[len(c.Steps)-1].Wait.Findings[0]
		wrong := findings.BreakingOf(code).Effect == findings.BreakWrong
		for _, obeys := range []bool{true, false} {
			if !wrong && !obeys {
				continue
			}
			t.Run(fmt.Sprintf("seed %d, %s, as the console says: %v", seed, code, obeys), func(t *testing.T) {
				t.Parallel()
				r := &learner{lang: "en", answer: right, seed: seed}
				r.atExam = func(door host.Actions) {
					a := r.sees.cure(t)
					if wrong && obeys {
						a = model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStop, Target: c.Steps[0].Start}}
					}
					if a.Kind != "" {
						plan, err := door.Plan(t.Context(), a)
						if o := door.Do(t.Context(), plan); err != nil || !plan.Refused.IsZero() || !o.Done {
							t.Errorf("%+v: %v, %s, %s", a, err, plan.Refused, o.Err)
						}
					}
				}
				round := r.takes(t, d)
				if round.Examined != obeys || !round.Explained || round.Verdict != drill.Held || !strings.Contains(r.shows(tutor.StepSay), c.Explanation.In("en")) ||
					strings.Contains(r.shows(tutor.StepSay), "wrong cure") == obeys {
					t.Errorf("healed %v, told %v, %s: %s", round.Examined, round.Explained, round.Reason, r.shows(tutor.StepSay))
				}
			})
		}
	}
}

// learner is somebody who takes a lesson without a screen.
type learner struct {
	lang string
	// slow is how long each question is read.
	slow time.Duration
	// answer picks an answer, from 1, knowing which is right.
	answer func(right, options int) int
	// meddle does something to the lab before each answer; nil: nothing.
	meddle func(host.Actions)
	// atTask does the task; nil: it is skipped.
	atTask func(host.Actions)
	// atExam heals the fault of the exam; nil: it is skipped.
	atExam func(host.Actions)
	ways   []taken      // to go about the task, one after the other; nil: it is skipped
	seed   uint64       // 0: 11
	steps  []tutor.Step // that were shown
	sees   shown        // on the screen
}

// takes lets the learner take a lesson to its end, on a lab of its own.
func (lr *learner) takes(t *testing.T, d *drill.Drill) runner.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	e := &env{}
	e.err = t.Output()
	e.flags.dialTimeout, e.flags.leaseBudget = 10*time.Second, 20
	room := labRun{program: locktop(t)}
	defer func() {
		if err := room.closeAfter(nil); err != nil {
			t.Error(err)
		}
	}()
	live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: d.Seed}, func(model.Message) {})
	if err != nil {
		t.Fatal(err)
	}
	taken := course.New(ctx, d, lr.lang, lr.ways != nil)
	hands := taken.Watch(live.Actions)
	lab, screen := session.Fork(ctx, live.Source)
	var read sync.WaitGroup
	lr.sees.s = store.New(course.Pins(d)...)
	read.Go(func() { lr.sees.look(ctx, taken.Screen(screen)) })
	read.Go(func() { lr.read(ctx, t, d, taken.Lesson(), hands) })
	stage := e.stage(&room, lab)
	stage.Pins = course.Pins(d)
	round := runner.Play(ctx, d, stage, runner.Options{Seed: cmp.Or(lr.seed, 11), Trainer: taken, Limit: lessonLimit})
	cancel()
	read.Wait()
	return round
}

// shown is what the screen shows.
type shown struct {
	mu sync.Mutex
	s  *store.Store
}

func (s *shown) look(ctx context.Context, src model.Source) {
	for {
		s.mu.Lock()
		want := s.s.Want(nil)
		s.mu.Unlock()
		b, err := src.Next(ctx, want)
		if err != nil {
			return // with the lesson
		}
		s.mu.Lock()
		s.s.Apply(b)
		s.mu.Unlock()
	}
}

// read answers everything that the lesson shows, up to its verdict.
func (lr *learner) read(ctx context.Context, t *testing.T, d *drill.Drill, l *tutor.Lesson, hands host.Actions) {
	asked := 0
	var questions []drill.Question
	for i, s := range d.Steps {
		if s.Ask != nil {
			questions = append(questions, s.Ask.Shuffled(11, i+1))
		}
	}
	for {
		s, err := l.Next(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		lr.steps = append(lr.steps, s)
		choice := 0
		switch s.Kind {
		case tutor.StepVerdict:
			return
		case tutor.StepDo, tutor.StepWait:
			continue
		case tutor.StepTask:
			if lr.goes(t, s, l, hands) {
				continue
			}
			todo := &lr.atTask
			if strings.HasPrefix(s.Text, "The exam: ") {
				todo = &lr.atExam
			}
			if *todo != nil {
				(*todo)(hands)
				*todo = func(host.Actions) {}
				continue
			}
		case tutor.StepAsk:
			choice = lr.answer(questions[asked].Answer, len(s.Options))
			asked++
		}
		if lr.slow > 0 && s.Kind == tutor.StepAsk {
			select {
			case <-time.After(lr.slow): // that is what is tested
			case <-ctx.Done():
			}
		}
		if lr.meddle != nil {
			lr.meddle(hands)
		}
		l.Answer(choice)
	}
}

// shows is the text of the steps of a kind, with the lines or the reason below it.
func (lr *learner) shows(kind tutor.StepKind) string {
	var all []string
	for _, s := range lr.steps {
		if s.Kind == kind {
			all = append(append(all, s.Text), s.Code...)
		}
	}
	return strings.Join(all, "\n")
}

func right(right, _ int) int { return right }

func wrong(right, options int) int { return right%options + 1 }

// cure waits for a finding on the screen and says what to break for it. Nothing else may tell of
// the fault.
func (s *shown) cure(t *testing.T) (a model.Action) {
	t.Helper()
	lock := map[model.Code]string{model.CodeOrphanKey: "/jobs", model.CodeLeaseDetached: "/jobs", model.CodeNestedPrefix: "/jobs/eu", model.CodeLockCycle: "/mail"}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until) && t.Context().Err() == nil; time.Sleep(50 * time.Millisecond) { // of a screen that nobody calls
		s.mu.Lock()
		for _, f := range s.s.Findings() {
			if name := lock[f.Code]; name != "" && a.Kind == "" {
				c := s.s.Lock(name).Head()
				a = model.Action{Kind: model.DeleteClaim, Lock: name, Key: c.Key, CreateRev: c.CreateRev, Lease: c.KV.Lease}
			}
		}
		on, lines := s.s.Reports().Faults(), s.s.JournalAfter(0)
		s.mu.Unlock()
		if a.Kind == "" {
			continue
		}
		if len(on) > 0 {
			t.Errorf("the screen is told of %+v", on)
		}
		for _, e := range lines {
			if text := e.Sentence(s.s.Who); e.Kind == journal.Action && (strings.Contains(text, "694d81e5fc652594") || strings.Contains(text, "detach")) {
				t.Errorf("the journal says %q", text)
			}
		}
		return a
	}
	t.Error("the diagnosis finds nothing")
	return a
}

package course_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo/drills"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/modeltest"
	"locktop/model/text"

	"locktop/ui/cli/course"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// reader is somebody who takes a lesson without a screen, on a world without processes.
type reader struct {
	*course.Trainer
	w    *world
	d    *drill.Drill
	lang string
	// slow is how long each text is read, wrong says that every answer is. rng, if set, says
	// what keys of the lab are pressed meanwhile.
	slow  time.Duration
	wrong bool
	rng   *rand.Rand
	heals func(*world) model.Action // the fault of the exam, if set
	fills []map[string]string       // what is filled into the draft of the task, one after the other
	hands func(*world) model.Action // what is done for the task, once, if set
	waits bool                      // it waits for what the lab does at the task
	steps []tutor.Step              // that were shown
	all   []model.Event             // that happened
	shown []screened                // the steps, with what had happened by then
}

// Next implements model.Source: it is the world, and keeps what happens there.
func (r *reader) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := r.w.Next(ctx, want)
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.all = append(r.all, b.Events...)
	return b, err
}

// Step implements runner.Trainer: from then on time stands, if a text is to come.
func (r *reader) Step(i int) {
	if s := r.d.Steps[i-1]; s.Say != nil || s.Ask != nil || s.See {
		r.w.text(true)
	}
	r.Trainer.Step(i)
}

// Say, Ask, See and Missed implement runner.Trainer: time goes on after them.
func (r *reader) Say(ctx context.Context, t drill.Text) {
	defer r.w.text(false)
	r.Trainer.Say(ctx, t)
}

func (r *reader) Ask(ctx context.Context, q drill.Question) int {
	defer r.w.text(false)
	return r.Trainer.Ask(ctx, q)
}

func (r *reader) See(ctx context.Context, s runner.Seen) {
	defer r.w.text(false)
	r.Trainer.See(ctx, s)
}

// takes lets the reader take a lesson to its end.
func (r *reader) takes(t *testing.T, seed uint64) runner.Run {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // of a deadlock
	defer cancel()
	r.w = newWorld(r.d)
	r.Trainer = course.New(ctx, r.d, r.lang, false)
	shown, hands := r.Lesson(), r.Watch(r.w)
	var reads sync.WaitGroup
	reads.Go(func() { r.read(ctx, t, seed, shown, hands) })
	stage := r.w.stage()
	stage.Source, stage.Pins = r, course.Pins(r.d)
	round := runner.Play(ctx, r.d, stage, runner.Options{Seed: seed, Trainer: r, Limit: time.Hour, Pace: time.Second})
	if round.Err != nil {
		r.Broke(&round)
	}
	reads.Wait()
	return round
}

// read answers everything that the lesson shows, up to its verdict.
func (r *reader) read(ctx context.Context, t *testing.T, seed uint64, l *tutor.Lesson, hands host.Actions) {
	var questions []drill.Question
	for i, s := range r.d.Steps {
		if s.Ask != nil {
			questions = append(questions, s.Ask.Shuffled(seed, i+1))
		}
	}
	healing, asked := false, "" // asked is the lock that the open question is about
	for {
		s, err := l.Next(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		r.steps = append(r.steps, s)
		r.w.mu.Lock()
		r.shown = append(r.shown, screened{s, len(r.all), r.w.now})
		r.w.mu.Unlock()
		choice := 0
		switch s.Kind {
		case tutor.StepVerdict:
			return
		case tutor.StepSee:
			if s.Lock != asked {
				t.Errorf("%s: what came of a question about %s is shown beside %s", r.d.Name, asked, s.Lock)
			}
		case tutor.StepDo, tutor.StepWait:
			continue
		case tutor.StepTask:
			if inExam := strings.HasPrefix(s.Text, "The exam: ") || strings.HasPrefix(s.Text, "考试："); inExam && hands.Available(model.Action{Kind: model.HealAll}) == nil {
				t.Errorf("%s: one key heals whatever the exam did", r.d.Name)
			} else if inExam && r.heals != nil {
				if !healing {
					healing = true
					hands.Do(ctx, model.Plan{Action: r.heals(r.w)})
					r.w.reads(ctx, 10*time.Second) // while the lease of who was ended runs out
				}
				continue
			} else if s.Draft != nil && len(r.fills) > 0 {
				filled := r.fills[0]
				r.fills = r.fills[1:]
				l.Fill(filled)
				continue
			} else if r.waits {
				r.w.reads(ctx, 10*time.Second)
				continue
			} else if r.hands != nil {
				hands.Do(ctx, model.Plan{Action: r.hands(r.w)})
				r.hands = nil
				r.w.reads(ctx, 10*time.Second)
				continue
			}
			l.Answer(0)
			continue
		case tutor.StepAsk:
			if r.d.Lesson != nil && s.Stores == nil && !slices.Contains(r.d.Lab.Locks(), s.Lock) {
				t.Errorf("%s: the question %q is about the lock %q, which nobody wants", r.d.Name, s.Text, s.Lock)
			}
			q := questions[0]
			questions, asked = questions[1:], s.Lock
			if choice = q.Answer; r.wrong {
				choice = choice%len(s.Options) + 1
			}
		}
		if r.slow > 0 {
			r.w.reads(ctx, r.slow)
		}
		if r.rng != nil && r.rng.IntN(2) == 0 {
			r.meddles(ctx, hands)
		}
		l.Answer(choice)
	}
}

// meddles presses a key of the lab: on one of its programs, a key in a queue, or the whole of it.
func (r *reader) meddles(ctx context.Context, hands host.Actions) {
	kinds := []model.FaultKind{model.FaultKill, model.FaultPause, model.FaultHoldKeepalives, model.FaultStop, model.FaultRevoke, model.FaultDetach, model.FaultMoveLeader, model.FaultLoseQuorum}
	f := model.Fault{Kind: kinds[r.rng.IntN(len(kinds))], Target: r.w.progs[r.rng.IntN(len(r.w.progs))].name}
	if info, _ := f.Kind.Info(); info.Target == model.TargetCluster {
		f.Target = ""
	}
	all := []model.Action{{Kind: model.InjectFault, Fault: f}, {Kind: model.InjectFault, Fault: f}, {Kind: model.HealFault, Fault: f}, {Kind: model.HealAll},
		{Kind: model.DeleteClaim, Key: r.w.someKey(r.rng)}}
	hands.Do(ctx, model.Plan{Action: all[r.rng.IntN(len(all))]})
}

// says is all that the reader was shown of a kind.
func (r *reader) says(kind tutor.StepKind) string {
	var all []string
	for _, s := range r.steps {
		if s.Kind == kind {
			all = append(all, s.Text)
		}
	}
	return strings.Join(all, "\n")
}

// english are words of English in a row. A command stays as it is typed.
var english = regexp.MustCompile(`\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b`)

// inItsLanguage fails where something that was shown is in another language.
func (r *reader) inItsLanguage(t *testing.T) {
	t.Helper()
	for _, s := range r.steps {
		texts := append([]string{s.Text, s.Why, s.Met, s.Measured}, s.Options...)
		for _, l := range s.Lines {
			texts = append(texts, l.Name)
		}
		for _, text := range texts {
			han := strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) })
			if plain := strings.ReplaceAll(text, "locktop drill run", ""); han && r.lang == "en" || r.lang == "zh" && english.MatchString(plain) {
				t.Errorf("in %s: %q of %+v", r.lang, text, s)
			}
		}
	}
}

// TestEveryReaderHearsTheStory: whoever takes a lesson, in whichever language and at whichever
// pace, is told its story up to its end. Only who meddles may see it violated, and is told so.
func TestEveryReaderHearsTheStory(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		for _, lang := range drill.Languages() {
			t.Run(d.Name+" "+lang, func(t *testing.T) {
				t.Parallel()
				for _, r := range []struct {
					reader
					reason string
				}{
					{reader{slow: 10 * time.Second}, "10 s a text"},
					{reader{slow: 500 * time.Millisecond}, "half a second a text"},
					{reader{slow: 10 * time.Minute}, "who goes for a coffee at each text"},
					{reader{wrong: true}, "all wrong"},
				} {
					who := r.reader
					who.d, who.lang = d, lang
					round := who.takes(t, 11)
					if round.Verdict != drill.Held || len(round.Missed)+len(round.Actions) > 0 || !round.Explained || len(round.Screens) == 0 {
						t.Fatalf("%s: %s, %s; missed %q\n%+v", r.reason, round.Verdict, round.Reason, round.Missed, round.Results)
					}
					for _, s := range round.Screens {
						if s.Right != s.Question.Answer || (s.Chosen == s.Right) == r.wrong {
							t.Errorf("%s: %s answered %d, the file says %d, measured %+v", r.reason, s.Question.Text.In("en"), s.Chosen, s.Question.Answer, s.Measured)
						}
					}
					who.inItsLanguage(t)
				}
				for seed := range uint64(8) {
					who := reader{d: d, lang: lang, rng: rand.New(rand.NewPCG(seed, 7))}
					round := who.takes(t, seed+1)
					if !round.Explained || round.Err != nil || len(round.Screens) == 0 {
						t.Fatalf("keys by chance, seed %d: told %v, %v", seed, round.Explained, round.Err)
					}
					verdict := who.says(tutor.StepVerdict)
					if round.Verdict != drill.Held && (len(round.Actions) == 0 || verdict == "") {
						t.Errorf("keys by chance, seed %d: %s by %q, and the reader is told %q", seed, round.Verdict, round.Actions, verdict)
					}
					who.inItsLanguage(t)
				}
			})
		}
	}
}

const tasks = `lab:
  members: 1
  contenders: [{name: a, lock: x, ttl: 3s, manual: true}, {name: b, lock: x, ttl: 3s, manual: true}, {name: c, lock: x, ttl: 3s, manual: true, later: true}]
steps: []
expect: [one-holder]
lesson:
  number: 1
  minutes: 1
  title: {en: Title, zh: 标题}
  teaches: {en: What, zh: 什么}
  elsewhere: {en: So, zh: 这样}
  etcdctl: ls
  task:
    text: {en: "Make b the holder.", zh: "让 b 持有。"}
    hints: [{en: One, zh: 一}, {en: Two, zh: 二}, {en: Three, zh: 三}]
    setup:
      - tell: {a: lock}
      - wait: {holder: a, belief: {a: holding}, within: 20s}
      - tell: {b: lock}
      - wait: {holder: a, waiters: [b], within: 20s}
`

// TestATaskIsJudgedByWhatHappens: whichever way leads there passes. Who takes one that no longer can
// is told why, and begins anew. Help comes in three stages, to who asks for it.
func TestATaskIsJudgedByWhatHappens(t *testing.T) {
	const draft = `    draft:
      lines: "{who}: {word}"
      blanks: [{name: who, options: [a, b]}, {name: word, options: [unlock, close, {en: nothing, zh: 什么都不做, is: read}]}]
      steps:
        - tell: {"{who}": "{word}"}
        - wait: {holder: b, within: 2s, else: {en: "a still holds.", zh: "a 仍持有。"}}
`
	const byHand = `    done: {holder: b}
    wrong: [{when: {ended: [a]}, why: {en: "a ended.", zh: "a 结束了。"}}]
`
	const reacts = byHand + `    react: [{when: {holder: a, waiters: [b]}, steps: [{start: c}, {tell: {c: lock}}, {wait: {waiters: [b, c], within: 5s}}]}, {when: {waiters: [b, c]}, steps: [{tell: {a: unlock}}]}]
`
	end := func(kind model.FaultKind) func(*world) model.Action {
		return func(*world) model.Action {
			return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kind, Target: "a"}}
		}
	}
	said := func(who, word string) map[string]string { return map[string]string{"who": who, "word": word} }
	const lasts = byHand + "    lasts: 3s\n"
	for _, r := range []struct {
		task   string
		fills  []map[string]string
		hands  func(*world) model.Action
		passed bool
		again  string // why it was set up again
		reason string
	}{
		{draft, []map[string]string{said("a", "unlock")}, nil, true, "", "one way"},
		{draft, []map[string]string{said("a", "close")}, nil, true, "", "another"},
		{draft, []map[string]string{said("a", "read"), said("b", "unlock"), said("a", "close")}, nil, true, "a still holds.", "the third try"},
		{draft, []map[string]string{said("b", "close")}, nil, false, "a still holds.", "it is given up after a try"},
		{draft, nil, nil, false, "", "it is given up"},
		{"    show: {said: x}\n" + draft, []map[string]string{said("a", "unlock")}, nil, true, "", "beside a picture of its own"},
		{byHand, nil, end(model.FaultHoldKeepalives), true, "", "by a key of the console"},
		{lasts, nil, end(model.FaultHoldKeepalives), true, "", "once it has been so for a while"},
		{byHand, nil, end(model.FaultKill), false, "a ended.", "by one after which it cannot be, and then given up"},
		{reacts, nil, nil, true, "", "the lab reacts to what it sees, one after the other"},
	} {
		d, err := drill.Parse("d", []byte(tasks+r.task))
		if err != nil {
			t.Fatal(err)
		}
		for _, lang := range drill.Languages() {
			who := reader{d: d, lang: lang, fills: r.fills, hands: r.hands, waits: r.task == reacts}
			round := who.takes(t, 11)
			told := strings.Contains(who.says(tutor.StepSay), map[string]string{"en": "does not lead there any more: " + r.again, "zh": "走不通了："}[lang])
			if !round.Explained || round.Passed != r.passed || told != (r.again != "") {
				t.Errorf("%s, in %s: passed %v, told %v\n%s", r.reason, lang, round.Passed, round.Explained, who.says(tutor.StepSay))
			}
			var left []int
			for _, s := range who.steps {
				if of := (d.Lesson.Task.Show != nil); s.Kind == tutor.StepTask && of != (s.Show == tutor.PictureSaid && s.About == "/x") {
					t.Errorf("%s, in %s: beside the task stands %q of %q", r.reason, lang, s.Show, s.About)
				}
				if s.Kind == tutor.StepTask && (len(left) == 0 || left[len(left)-1] != s.Hints) {
					left = append(left, s.Hints)
				}
			}
			if want := []int{3, 2, 1, 0}; !r.passed && !slices.Equal(left, want) {
				t.Errorf("%s, in %s: stages of help left %d, want %d", r.reason, lang, left, want)
			}
			who.inItsLanguage(t)
		}
	}
}

// TestHowATaskIsSetUpIsNotToBeSeen, as it may be what is to be found out; what the person does is, and so are the
// faults that are still there.
func TestHowATaskIsSetUpIsNotToBeSeen(t *testing.T) {
	d, err := drill.Parse("d", []byte(tasks+"    done: {holder: b}\n"))
	if err != nil {
		t.Fatal(err)
	}
	of := course.New(t.Context(), d, "en", false)
	of.Unseen(modeltest.At(2), true, false)
	of.Unseen(modeltest.At(4), false, false)
	acted := func(s float64) model.Event { return model.Acted{At: modeltest.At(s)} }
	on := model.FaultOn{At: modeltest.At(3), ID: 1}
	b, err := of.Screen(told{acted(1), acted(3), on, acted(5)}).Next(t.Context(), model.Want{})
	if want := []model.Event{acted(1), on, acted(5)}; err != nil || !reflect.DeepEqual(b.Events, want) {
		t.Errorf("%v: the screen is told %v, want %v", err, b.Events, want)
	}
}

const noLesson = `title: {en: The holder dies, zh: 持有者死去}
why: {en: The next one waits for the lease of who died., zh: 下一个要等死者的租约到期。}
lab: {members: 1, contenders: [{name: a, lock: x, ttl: 3s, manual: true}, {name: b, lock: x, ttl: 3s, manual: true}]}
steps:
  - tell: {a: lock}
  - wait: {holder: a, belief: {a: holding}, within: 20s}
  - tell: {b: lock}
  - wait: {waiters: [b], within: 20s}
  - say: {en: a holds it., zh: a 持有锁。}
  - ask: {en: "Who is next?", zh: "下一个是谁？", options: [{en: a}, {en: b}], answer: 2}
  - fault: {kill: a}
  - wait: {holder: b, belief: {b: holding}, within: 20s}
expect:
  - one-holder
  - handover: {lock: x, within: 8s}
`

// TestADrillThatIsNoLessonIsTold in the words of its file, which are English, or in those of a story in
// another language, with what is right known at once, and a verdict like that of a report. Its title and its reason may answer its question: they stand at the end.
func TestADrillThatIsNoLessonIsTold(t *testing.T) {
	d, err := drill.Parse("dies", []byte(noLesson))
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range drill.Languages() {
		who := reader{d: d, lang: lang}
		round := who.takes(t, 11)
		if l := who.Lesson(); l.Title != d.Name || strings.Contains(l.Why, d.Why.In(lang)) || l.Asks != 1 || !l.Judged {
			t.Errorf("%s: %+v", lang, l)
		}
		if said := who.says(tutor.StepSay); said != d.Steps[4].Say.In(lang)+"\n"+d.Title.In(lang)+"\n\n"+d.Why.In(lang) || round.Verdict != drill.Held || !round.Explained {
			t.Errorf("%s: told %q, %s, %+v", lang, said, round.Verdict, round.Results)
		}
		want := d.Steps[6].Describe()
		if lang != "en" {
			want = d.Steps[6].In(lang)
		}
		if did := who.says(tutor.StepDo); !strings.Contains(did, want) {
			t.Errorf("%s: did %q, want %q", lang, did, want)
		}
		for _, s := range who.steps {
			if s.Kind == tutor.StepAsk && s.Options[max(0, s.Right-1)] != "b" {
				t.Errorf("%s: right is %d of %q", lang, s.Right, s.Options)
			}
		}
		if last := who.steps[len(who.steps)-1]; len(last.Lines) != 2 || last.Lines[1].Measured == "" || last.Lines[1].Bound == "" {
			t.Errorf("%s: the verdict is %+v", lang, last)
		}
	}
	if d, err = drill.Parse("dies", []byte(noLesson+"  - never-holds: {contender: b}\n")); err != nil {
		t.Fatal(err)
	}
	who := reader{d: d, lang: "en"}
	round, last := who.takes(t, 11), len(d.Expect)-1
	if said := who.steps[len(who.steps)-1].Lines[last].Measured; round.Verdict != drill.Violated || said == "" || said != round.Results[last].Evidence[0] {
		t.Errorf("%s, of what is no number the verdict says %q: %q", round.Verdict, said, round.Results[last].Evidence)
	}
}

// TestADrillMayBeReadSlowly: what holds for who reads nothing holds for who takes half a minute for each
// text, in every drill that the world without processes can play.
func TestADrillMayBeReadSlowly(t *testing.T) {
	all, err := drills.All()
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, d := range all {
		quick, slow := (&reader{d: d, lang: "en"}).takes(t, 11), (&reader{d: d, lang: "en", slow: 30 * time.Second}).takes(t, 11)
		if len(quick.Missed)+len(slow.Missed) > 0 || quick.Err != nil {
			continue
		}
		played++
		for i, r := range slow.Results {
			if r.Verdict != quick.Results[i].Verdict {
				t.Errorf("%s: %s is %s for who reads, %s else: %q", d.Name, r.Describe(), r.Verdict, quick.Results[i].Verdict, r.Evidence)
			}
		}
	}
	if played < 10 {
		t.Errorf("%d drills were played", played)
	}
}

// TestTheExam: whoever reads what etcd shows finds each fault of the exam and heals it, in both
// languages, and nothing else says what was done. Who does nothing is told so, and what it was.
func TestTheExam(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	d := all[len(all)-1]
	if d.Lesson.Exam == nil {
		t.Fatalf("lesson %s, the last one, has no exam", d.Name)
	}
	for _, lang := range drill.Languages() {
		for n, c := range d.Lesson.Exam.Cases {
			seed := uint64(1)
			for d.Lesson.Exam.Draw(seed).Explanation.In("en") != c.Explanation.In("en") {
				seed++
			}
			for _, heals := range []func(*world) model.Action{(*world).remedy, nil} {
				who := reader{d: d, lang: lang, heals: heals}
				round := who.takes(t, seed)
				if !round.Explained || round.Examined != (heals != nil) || !strings.Contains(who.says(tutor.StepSay), c.Explanation.In(lang)) {
					t.Errorf("case %d in %s, healed by the reader %v: seen %v, told %v, %s", n+1, lang, heals != nil, round.Examined, round.Explained, who.says(tutor.StepSay))
				}
				for _, s := range who.steps {
					if s.Kind == tutor.StepTask && s.Hints > 0 && strings.HasPrefix(s.Text, map[string]string{"en": "The exam", "zh": "考试"}[lang]) {
						t.Errorf("case %d in %s: an exam gives no help: %+v", n+1, lang, s)
					}
				}
				who.inItsLanguage(t)
				who.namesNothing(t, n+1)
			}
			for _, harm := range wrongCures(c) {
				who := reader{d: d, lang: lang, heals: func(*world) model.Action { return harm }}
				round := who.takes(t, seed)
				want := map[string]string{"en": "That was the wrong cure", "zh": "这样做不对"}[lang]
				if !round.Explained || round.Examined || !strings.Contains(who.says(tutor.StepSay), want) {
					t.Errorf("case %d in %s, %s: passed %v, told %v, %s", n+1, lang, text.English(harm.Message()), round.Examined, round.Explained, who.says(tutor.StepSay))
				}
				who.inItsLanguage(t)
			}
		}
	}
}

// wrongCures are what the console calls wrong for the claim that the fault of a case is about.
func wrongCures(c drill.Case) (all []model.Action) {
	shows := c.Steps[len(c.Steps)-1].Wait.Findings
	if findings.BreakingOf(shows[0]).Effect != findings.BreakWrong {
		return nil
	}
	for _, kind := range []model.FaultKind{model.FaultRevoke, model.FaultKill, model.FaultHoldKeepalives} {
		all = append(all, model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kind, Target: c.Steps[0].Start}})
	}
	return all
}

// namesNothing fails where the screen is told of the fault of the exam by anything but keys and
// leases.
func (r *reader) namesNothing(t *testing.T, n int) {
	t.Helper()
	b, err := r.Screen(told(r.all)).Next(t.Context(), model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Events) == 0 {
		t.Errorf("case %d: nothing is left to be seen", n)
	}
	for _, e := range b.Events {
		if on, ok := e.(model.FaultOn); ok && (on.Fault.Kind == model.FaultPut || on.Fault.Kind == model.FaultDetach) {
			t.Errorf("case %d: the screen says %+v", n, on)
		}
	}
}

// told is a source of what has happened.
type told []model.Event

func (e told) Next(context.Context, model.Want) (model.Batch, error) {
	return model.Batch{Events: e}, nil
}

// remedy is what somebody does who sees only the keys: a key without a lease is nobody's, a lock
// inside another's name has to go, and of a ring one has to give up.
func (w *world) remedy() model.Action {
	w.mu.Lock()
	defer w.mu.Unlock()
	ends := "e"
	for key, kv := range w.keys {
		if kv.Lease == 0 {
			return model.Action{Kind: model.DeleteClaim, Key: key}
		}
		if strings.HasPrefix(key, "/jobs/eu/") {
			ends = "n"
		}
	}
	if ends == "n" { // it is well: it lets go in order
		return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStop, Target: ends}}
	}
	return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultKill, Target: ends}}
}

// Available, Plan and Do implement host.Actions.
func (w *world) Available(model.Action) error { return nil }

func (w *world) Plan(_ context.Context, a model.Action) (model.Plan, error) {
	return model.Plan{Action: a}, nil
}

func (w *world) Do(ctx context.Context, p model.Plan) model.Outcome { return w.do(ctx, p.Action) }

package course_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/ui/cli/course"
	"locktop/ui/host"
	"locktop/ui/lesson"
)

// reader is somebody who takes a lesson without a screen, on a world without processes.
type reader struct {
	*course.Pupil
	w    *world
	d    *drill.Drill
	lang string
	// slow is how long each text is read, wrong says that every answer is. rng, if set, says
	// what keys of the lab are pressed meanwhile.
	slow  time.Duration
	wrong bool
	rng   *rand.Rand
	steps []lesson.Step // that were shown
}

// Step implements play.Teller: from then on time stands, if a text is to come.
func (r *reader) Step(i int) {
	if s := r.d.Steps[i-1]; s.Say != nil || s.Ask != nil || s.See {
		r.w.text(true)
	}
	r.Pupil.Step(i)
}

// Say, Ask, See and Missed implement play.Pupil: time goes on after them.
func (r *reader) Say(ctx context.Context, t drill.Text) {
	defer r.w.text(false)
	r.Pupil.Say(ctx, t)
}

func (r *reader) Ask(ctx context.Context, q drill.Question) int {
	defer r.w.text(false)
	return r.Pupil.Ask(ctx, q)
}

func (r *reader) See(ctx context.Context, s play.Seen) {
	defer r.w.text(false)
	r.Pupil.See(ctx, s)
}

// takes lets the reader take a lesson to its end.
func (r *reader) takes(t *testing.T, seed uint64) play.Round {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // of a deadlock
	defer cancel()
	r.w = newWorld(r.d)
	r.Pupil = course.New(ctx, r.d, r.lang, false)
	shown, hands := r.Shown(), r.Watch(r.w)
	var reads sync.WaitGroup
	reads.Go(func() { r.read(ctx, t, seed, shown, hands) })
	round := play.Run(ctx, r.d, r.w.stage(), play.Options{Seed: seed, Teller: r, Limit: time.Hour, Pace: time.Second})
	if round.Err != nil {
		r.Broke(&round)
	}
	reads.Wait()
	return round
}

// read answers everything that the lesson shows, up to its verdict.
func (r *reader) read(ctx context.Context, t *testing.T, seed uint64, l *lesson.Lesson, hands host.Actions) {
	var questions []drill.Question
	for i, s := range r.d.Steps {
		if s.Ask != nil {
			questions = append(questions, s.Ask.Shuffled(seed, i+1))
		}
	}
	for {
		s, err := l.Next(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		r.steps = append(r.steps, s)
		choice := 0
		switch s.Kind {
		case lesson.StepVerdict:
			return
		case lesson.StepDo, lesson.StepWait:
			continue
		case lesson.StepTask:
			l.Answer(0)
			continue
		case lesson.StepAsk:
			if !slices.Contains(r.d.Lab.Locks(), s.Lock) {
				t.Errorf("%s: the question %q is about the lock %q, which nobody wants", r.d.Name, s.Text, s.Lock)
			}
			q := questions[0]
			questions = questions[1:]
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

// meddles presses a key of the lab on one of its programs.
func (r *reader) meddles(ctx context.Context, hands host.Actions) {
	kinds := []model.FaultKind{model.FaultKill, model.FaultPause, model.FaultHoldKeepalives, model.FaultStop, model.FaultRevoke}
	target := r.w.progs[r.rng.IntN(len(r.w.progs))].name
	hands.Do(ctx, model.Plan{Action: model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kinds[r.rng.IntN(len(kinds))], Target: target}}})
}

// says is all that the reader was shown of a kind.
func (r *reader) says(kind lesson.StepKind) string {
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
					if round.Verdict != drill.Held || len(round.Missed)+len(round.Hand) > 0 || !round.Told || len(round.Seen) == 0 {
						t.Fatalf("%s: %s, %s; missed %q\n%+v", r.reason, round.Verdict, round.Reason, round.Missed, round.Results)
					}
					for _, s := range round.Seen {
						if s.Right != s.Question.Answer || (s.Chosen == s.Right) == r.wrong {
							t.Errorf("%s: %s answered %d, the file says %d, measured %+v", r.reason, s.Question.Text.In("en"), s.Chosen, s.Question.Answer, s.Measured)
						}
					}
					who.inItsLanguage(t)
				}
				for seed := range uint64(8) {
					who := reader{d: d, lang: lang, rng: rand.New(rand.NewPCG(seed, 7))}
					round := who.takes(t, seed+1)
					if !round.Told || round.Err != nil || len(round.Seen) == 0 {
						t.Fatalf("keys by chance, seed %d: told %v, %v", seed, round.Told, round.Err)
					}
					verdict := who.says(lesson.StepVerdict)
					if round.Verdict != drill.Held && (len(round.Hand) == 0 || verdict == "") {
						t.Errorf("keys by chance, seed %d: %s by %q, and the reader is told %q", seed, round.Verdict, round.Hand, verdict)
					}
					who.inItsLanguage(t)
				}
			})
		}
	}
}

// Available, Plan and Do implement host.Actions.
func (w *world) Available(model.Action) error { return nil }

func (w *world) Plan(_ context.Context, a model.Action) (model.Plan, error) {
	return model.Plan{Action: a}, nil
}

func (w *world) Do(ctx context.Context, p model.Plan) model.Outcome { return w.do(ctx, p.Action) }

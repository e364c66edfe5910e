package course

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/demo/lessons/code"
	"locktop/model"
	"locktop/model/recipe"
	"locktop/model/text"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// Trainer tells a drill to a person: a runner.Trainer towards the drill, and what the console shows
// towards the screen.
type Trainer struct {
	d       *drill.Drill
	lang    string
	brief   bool // fewer words
	panel   *tutor.Handover
	ctx     context.Context // ends with the console
	lock    string          // that the story is about now
	picture drill.Show      // that stands beside it
	step    int             // that is told, from 1

	mu      sync.Mutex
	actions []string // what the person did to the lab
	missed  string   // the first step that did not come to pass
	atEnd   bool     // what the person does now is asked for
	hinted  int      // stages of help that were asked for
	exam    bool     // is being taken
	unseen  span     // when the fault of the exam was done
	setUp   span     // when the task was set up last
}

var _ runner.Trainer = (*Trainer)(nil)

// New returns a trainer for a drill. ctx ends with the console. With brief the lines to do it by hand
// are left out.
func New(ctx context.Context, d *drill.Drill, lang string, brief bool) *Trainer {
	return &Trainer{d: d, lang: lang, brief: brief, ctx: ctx, panel: tutor.NewHandover(ctx)}
}

// Lesson is the drill as the console wants it.
func (t *Trainer) Lesson() *tutor.Lesson {
	l := &tutor.Lesson{Title: t.d.Title.In(t.lang), Why: t.d.Why.In(t.lang), Judged: true, Next: t.panel.Next, Answer: t.panel.Answer, Fill: t.panel.Fill}
	switch of := t.d.Lesson; {
	case of != nil:
		l.Title, l.Why, l.Judged = fmt.Sprintf("%d. %s", of.Number, of.Title.In(t.lang)), of.Teaches.In(t.lang), false
		l.Asks = t.questions()
		l.Model = slices.ContainsFunc(t.d.Steps, func(s drill.Step) bool { return s.Stores != "" })
	case t.asksFirst() > 0:
		l.Title, l.Why, l.Asks = t.d.Name, t.say(model.Say("trainer-predict")), t.asksFirst()
	}
	return l
}

// asksFirst is how many questions a drill has that is no lesson: its title and its reason may answer
// them, so they stand at its end.
func (t *Trainer) asksFirst() int {
	if t.d.Lesson != nil {
		return 0
	}
	return t.questions()
}

func (t *Trainer) questions() (n int) {
	for _, s := range t.d.Steps {
		if s.Ask != nil {
			n++
		}
	}
	return n
}

// Pins say what etcd cannot tell of a drill that is told. Its locks are held for as long as somebody
// reads; and in a lesson those of one key are locks also without a lease.
func Pins(d *drill.Drill) []model.Pin {
	pins := []model.Pin{{Long: true}}
	for _, c := range d.Lab.Contenders {
		if d.Lesson != nil && recipe.Played(c.Recipe) == recipe.SingleKey {
			pins = append(pins, model.Pin{Prefix: c.Locks[0], Exact: true, Recipe: recipe.SingleKey})
		}
	}
	return pins
}

// say says a message in the language of the person.
func (t *Trainer) say(m model.Message) string { return text.Render(t.lang, m) }

// show hands a step over to the console, and says whether it was taken. Lines of code have the room
// of the picture, too.
func (t *Trainer) show(ctx context.Context, s tutor.Step) bool { return t.panel.Show(ctx, t.beside(s)) }

// beside adds what stands beside a step.
func (t *Trainer) beside(s tutor.Step) tutor.Step {
	if len(s.Code) == 0 {
		s.Show, s.About = tutor.Picture(t.picture.What), t.picture.Lock
	}
	if t.picture.What == drill.PictureStores {
		s.Stores = t.d.StoresAt(t.step)
	}
	return s
}

// read shows a step and returns what was answered once it was read.
func (t *Trainer) read(ctx context.Context, s tutor.Step) int {
	if !t.show(ctx, s) {
		return 0
	}
	return t.panel.Answered(ctx)
}

// tell shows a text until it was read.
func (t *Trainer) tell(ctx context.Context, said string, code ...string) {
	t.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: said, Code: code})
}

// Step implements runner.Trainer. What is said, asked and seen tells itself.
func (t *Trainer) Step(i int) {
	t.step, t.lock = i, t.about(i)
	switch s := t.d.Steps[i-1]; {
	case s.Show != nil:
		t.picture = *s.Show
	case s.Say != nil || s.Ask != nil || s.See:
	default:
		t.does(s)
	}
}

// does shows what is done or waited for.
func (t *Trainer) does(s drill.Step) {
	switch {
	case s.Wait != nil:
		want, met := s.Wait.In(t.lang)
		if t.d.Lesson == nil && (t.lang == "en" || want == "") {
			want, met = s.Wait.Describe(), s.Wait.Met()
		}
		t.show(t.ctx, tutor.Step{Kind: tutor.StepWait, Text: want, Met: met, Within: s.Wait.Within})
	case s.Pause > 0:
		t.show(t.ctx, tutor.Step{Kind: tutor.StepWait, Within: s.Pause})
	default:
		t.show(t.ctx, tutor.Step{Kind: tutor.StepDo, Text: t.words(s)})
	}
}

// words say what happens by a step: those of a story, but in a drill that is told in English, and of
// what no story has, those of its file.
func (t *Trainer) words(s drill.Step) string {
	if t.d.Lesson == nil && t.lang == "en" {
		return s.Describe()
	}
	return cmp.Or(s.In(t.lang), s.Describe())
}

// about is the lock of a step: that of the question that is open, up to what came of it, or else
// that of the next one, or the last.
func (t *Trainer) about(i int) (lock string) {
	for n, s := range t.d.Steps {
		if s.See && n+1 >= i {
			break
		}
		if s.Ask == nil || s.Ask.Measure == nil {
			continue
		}
		lock = s.Ask.Measure.Lock
		if c, ok := t.d.Lab.Contender(s.Ask.Measure.Contender); ok && len(c.Locks) == 1 {
			lock = c.Locks[0]
		}
		if n+1 >= i {
			break
		}
	}
	return lock
}

// Say implements runner.Trainer.
func (t *Trainer) Say(ctx context.Context, said drill.Text) {
	t.read(ctx, t.said(said))
}

// said is a text as a step of the panel; asks and seen are a question, and what came of it.
func (t *Trainer) said(said drill.Text) tutor.Step {
	return tutor.Step{Kind: tutor.StepSay, Text: said.In(t.lang), Lock: t.lock}
}

func (t *Trainer) texts(all []drill.Option) (in []string) {
	for _, o := range all {
		in = append(in, o.Text.In(t.lang))
	}
	return in
}

// Ask implements runner.Trainer.
func (t *Trainer) Ask(ctx context.Context, q drill.Question) int { return t.read(ctx, t.asks(q)) }

func (t *Trainer) asks(q drill.Question) tutor.Step {
	s := tutor.Step{Kind: tutor.StepAsk, Text: q.Text.In(t.lang), Options: t.texts(q.Options), Lock: t.lock}
	if q.Measure == nil {
		s.Right = q.Answer
	}
	return s
}

// See implements runner.Trainer.
func (t *Trainer) See(ctx context.Context, s runner.Seen) { t.read(ctx, t.seen(s)) }

func (t *Trainer) seen(s runner.Seen) tutor.Step {
	step := tutor.Step{Kind: tutor.StepSee, Text: s.Question.After.In(t.lang), Options: t.texts(s.Question.Options), Lock: t.lock,
		Chosen: s.Chosen, Right: s.Right, Measured: s.Measured.In(t.lang)}
	if s.Chosen > 0 && s.Chosen != s.Right {
		step.Why = s.Question.Options[s.Chosen-1].Why.In(t.lang)
	}
	return step
}

// Missed implements runner.Trainer.
func (t *Trainer) Missed(ctx context.Context, s drill.Step) {
	what := t.words(s)
	t.missed = cmp.Or(t.missed, what)
	said := t.say(model.Say("trainer-missed", what))
	if done := t.Actions(); len(done) > 0 {
		said = t.say(model.Say("trainer-by-hand", done[len(done)-1], what))
	}
	t.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: said, Missed: true})
}

// Actions implements runner.Trainer.
func (t *Trainer) Actions() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.actions)
}

// Explain implements runner.Trainer.
func (t *Trainer) Explain(ctx context.Context) {
	t.atLast(false)
	if l := t.d.Lesson; !t.brief {
		t.tell(ctx, t.say(model.Say("trainer-etcdctl")), code.In(t.lang, l.Etcdctl)...)
		if len(l.Go) > 0 {
			t.tell(ctx, t.say(model.Say("trainer-go")), code.In(t.lang, l.Go)...)
		}
		t.tell(ctx, t.say(model.Say("trainer-elsewhere"))+l.Elsewhere.In(t.lang))
	}
}

// Tries implements runner.Trainer.
func (t *Trainer) Tries(s *drill.Step) {
	if s == nil {
		if show := t.d.Lesson.Task.Show; show != nil {
			t.picture = *show
		}
		t.show(t.ctx, tutor.Step{Kind: tutor.StepWait, Text: t.say(model.Say("trainer-task-wait")), Met: t.say(model.Say("trainer-task-ready"))})
		return
	}
	t.does(*s)
}

// Exercise implements runner.Trainer. Help comes stage by stage for who asks for it, and not in an
// exam.
func (t *Trainer) Exercise(ctx context.Context, e runner.Exercise) map[string]string {
	t.atLast(e.Exam)
	lead := model.Say("trainer-task")
	if e.Exam {
		lead = model.Say("trainer-exam")
	}
	step := tutor.Step{Kind: tutor.StepTask, Lock: t.lockOf(e), Draft: t.draft(e)}
	for {
		step.Text, step.Hints = t.say(lead)+e.Text.In(t.lang), len(e.Hints)-t.hinted
		if t.hinted > 0 && !e.Exam {
			step.Text += "\n\n" + t.say(model.Say("trainer-hint", t.hinted, len(e.Hints))) + e.Hints[t.hinted-1].In(t.lang)
		}
		if !t.show(ctx, step) {
			return nil
		}
		select {
		case <-e.Over:
			return nil
		case r := <-t.panel.Replies():
			switch {
			case r.Filled != nil:
				return r.Filled
			case step.Hints <= 0:
				t.tell(ctx, t.say(model.Say("trainer-task-left")))
				return nil
			}
			t.hinted++
		case <-ctx.Done():
			return nil
		}
	}
}

// lockOf is the lock that an exercise is about: by what shows that it is done, by what stands beside
// it, or of the first program that its draft tells something.
func (t *Trainer) lockOf(e runner.Exercise) string {
	if e.Done != nil && e.Done.Lock != "" {
		return e.Done.Lock
	}
	if t.picture.Lock != "" {
		return t.picture.Lock
	}
	if e.Draft != nil {
		for _, s := range e.Draft.Steps {
			if s.Tell == nil {
				continue
			}
			if c, ok := t.d.Lab.Contender(s.Tell.Contender); ok {
				return c.Locks[0]
			}
		}
	}
	return t.d.Lab.Locks()[0]
}

// draft is the draft of a task as the panel wants it, nil for none.
func (t *Trainer) draft(e runner.Exercise) *tutor.Draft {
	if e.Draft == nil {
		return nil
	}
	d := &tutor.Draft{Lines: e.Draft.Lines, Says: e.Draft.Says}
	for _, b := range e.Draft.Blanks {
		blank := tutor.Blank{Name: b.Name, From: b.From, To: b.To, Value: e.Values[b.Name]}
		for _, o := range b.Options {
			blank.Options = append(blank.Options, tutor.Choice{Text: o.Text.In(t.lang), Is: o.Is})
		}
		d.Blanks = append(d.Blanks, blank)
	}
	return d
}

// Came implements runner.Trainer. After an exam it says what the person may go on with.
func (t *Trainer) Came(ctx context.Context, e runner.Exercise, done bool, why drill.Text, missed *drill.Step) {
	defer t.atLast(false)
	switch {
	case e.Err != nil && e.Exam:
		t.tell(ctx, t.say(model.Say("trainer-exam-broke", model.Verbatim(t.broke(e)))))
	case e.Err != nil:
		t.tell(ctx, t.say(model.Say("trainer-task-broke", model.Verbatim(t.broke(e)))))
	case done:
		t.tell(ctx, t.say(model.Say("trainer-task-done")))
	case e.Exam && why != nil:
		t.tell(ctx, t.say(model.Say("trainer-exam-wrong")))
	case why != nil:
		t.lost(ctx, why.In(t.lang), missed)
	case missed != nil:
		t.lost(ctx, t.say(model.Say("trainer-missed-step", missed.In(t.lang))), missed)
	}
	if !e.Exam {
		return
	}
	if e.Err == nil {
		t.tell(ctx, e.Explanation.In(t.lang))
	}
	p, _, err := demo.ProgramIn("go")
	if err != nil {
		panic(err) // the file is part of the program
	}
	lines := append([]string{"locktop learn code go > lock.go"}, p.Build...)
	t.tell(ctx, t.say(model.Say("trainer-own")), append(lines, p.Drill("keepalives-held")...)...)
}

// broke says why an exercise could not be set up: at which step, or what hindered it.
func (t *Trainer) broke(e runner.Exercise) string {
	if e.Failed != nil && t.lang != "en" {
		return t.say(model.Say("trainer-missed-step", e.Failed.In(t.lang)))
	}
	return text.Refused(t.lang, e.Err)
}

// lost says why a task can no longer be done. missed is the step that did not come to pass, nil where
// that is not why.
func (t *Trainer) lost(ctx context.Context, why string, missed *drill.Step) {
	t.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: t.say(model.Say("trainer-task-lost", model.Verbatim(why))), Missed: missed != nil})
}

// atLast says that the story is over, and whether an exam is being taken.
func (t *Trainer) atLast(exam bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.atEnd, t.exam = true, exam
}

// End implements runner.Trainer.
func (t *Trainer) End(ctx context.Context, round *runner.Run) {
	if t.asksFirst() > 0 {
		t.tell(ctx, t.d.Title.In(t.lang)+"\n\n"+t.d.Why.In(t.lang))
	}
	s := tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillVerdict(round.Verdict)}
	switch {
	case len(round.Actions) > 0:
		s.Text = t.say(model.Say("trainer-meddled", strings.Join(round.Actions, "; ")))
	case t.missed != "":
		s.Text = t.say(model.Say("trainer-missed", t.missed))
	case t.d.Lesson == nil:
		s.Text = round.Reason
	}
	for _, r := range round.Results {
		if r.Name == "answer" && r.Verdict == drill.Held {
			continue // the person saw it measured
		}
		line := tutor.Line{Name: r.Sentence(t.lang), Verdict: model.DrillVerdict(r.Verdict)}
		if t.d.Lesson == nil {
			if line.Name == "" || t.lang == "en" {
				line.Name = r.Describe()
			}
			line.Measured, line.Bound = r.NumbersIn(t.lang)
			if line.Measured == "" && r.Verdict != drill.Held && len(r.Evidence) > 0 {
				line.Measured = r.Evidence[0]
			}
		}
		if t.d.Lesson == nil || !slices.Contains(s.Lines, line) { // of several locks the same is said once
			s.Lines = append(s.Lines, line)
		}
	}
	own := func(is bool, did, left model.Message) {
		line := tutor.Line{Name: t.say(left), Verdict: model.DrillUnknown}
		if is {
			line = tutor.Line{Name: t.say(did), Verdict: model.DrillHeld}
		}
		s.Lines = append(s.Lines, line)
	}
	if l := t.d.Lesson; l != nil {
		wrong := 0
		for _, q := range round.Screens {
			if q.Right > 0 && q.Chosen != q.Right {
				wrong++
			}
		}
		if wrong > 0 {
			own(false, model.Message{}, model.Say("trainer-again", wrong))
		}
		if n := len(t.d.ReviewOnly()); n > 0 {
			own(false, model.Message{}, model.Say("trainer-last", n))
		}
		if l.Task != nil {
			own(round.Passed, model.Say("trainer-task-passed"), model.Say("trainer-task-skipped"))
		}
		if l.Exam != nil {
			own(round.Examined, model.Say("trainer-exam-passed"), model.Say("trainer-exam-skipped"))
		}
	}
	t.show(ctx, s)
}

// Broke shows why a drill could not be told to its end.
func (t *Trainer) Broke(round *runner.Run) {
	t.show(t.ctx, tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillUnknown, Text: round.Reason})
}

// Watch returns the gate of the console for actions, which tells the trainer what the person
// does to the lab, and heals nothing unnamed in an exam.
func (t *Trainer) Watch(gate host.Actions) host.Actions { return watched{gate, t} }

type watched struct {
	host.Actions
	t *Trainer
}

// Available implements host.Actions.
func (w watched) Available(a model.Action) error {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	if w.t.exam && a.Kind == model.HealAll {
		return text.Refusal{Why: model.Say("trainer-exam-heal")}
	}
	return w.Actions.Available(a)
}

// Do implements host.Actions.
func (w watched) Do(ctx context.Context, plan model.Plan) model.Outcome {
	o := w.Actions.Do(ctx, plan)
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	if o.Done && !w.t.atEnd {
		w.t.actions = append(w.t.actions[max(0, len(w.t.actions)-actionsMax+1):], drill.ActionIn(w.t.lang, o.Action))
	}
	return o
}

// actionsMax bounds what is remembered of what the person did.
const actionsMax = 8

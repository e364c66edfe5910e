package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/fields"
	"locktop/ui/page"
	"locktop/ui/tutor"
)

// trainer is a lesson from a list of steps.
type trainer struct {
	steps   []tutor.Step
	err     error // after the last step
	answers []int
	filled  map[string]string
}

func (x *trainer) lesson() *tutor.Lesson {
	return &tutor.Lesson{Title: "Two holders", Judged: true, Why: "A lease that ends while its client sleeps lets two hold.",
		Next: func(context.Context) (tutor.Step, error) {
			if len(x.steps) == 0 {
				return tutor.Step{}, x.err
			}
			s := x.steps[0]
			x.steps = x.steps[1:]
			return s, nil
		},
		Answer: func(n int) { x.answers = append(x.answers, n) }, Fill: func(filled map[string]string) { x.filled = filled }}
}

var told = []tutor.Step{
	{Kind: tutor.StepSay, Text: "c1 holds the lock. Its lease lives for five seconds."},
	{Kind: tutor.StepAsk, Text: "What happens if c1 is paused for eight?", Options: []string{"it keeps the lock", "c2 gets it, and c1 knows", "c2 gets it, and c1 does not know"}, Right: 3},
	{Kind: tutor.StepDo, Text: "fault: pause c1 for 8s"},
	{Kind: tutor.StepWait, Text: "c2 to hold /l", Within: 10 * time.Second},
	{Kind: tutor.StepSay, Text: "Both believe now."},
	{Kind: tutor.StepVerdict, Verdict: model.DrillViolated, Text: "The resource has no fence.", Lines: []tutor.Line{
		{Name: "one holder at a time", Verdict: model.DrillViolated, Measured: "2 for 3.1 s", Bound: "1"},
		{Name: "no update lost", Verdict: model.DrillHeld, Measured: "0 of 41", Bound: "0"},
		{Name: "handover in time", Verdict: model.DrillUnknown, Measured: "none seen", Bound: "at most 6 s"}}},
}

// lessonBench is a console in which a lesson is told.
func lessonBench(t testing.TB, x *trainer, o Options) *bench {
	o.Lab, o.Armed, o.Lesson = true, true, x.lesson()
	b := newBench(t, o)
	b.size(80, 24)
	wrongLab(b)
	return b
}

// TestALessonPlaysItself: once r was pressed it goes on as soon as a text can have been read, up
// to its verdict, where it stays. Pressed again, it waits for the person.
func TestALessonPlaysItself(t *testing.T) {
	for _, r := range []struct {
		reads  time.Duration
		keys   []string
		sees   string
		says   int // answers that were given
		reason string
	}{
		{time.Nanosecond, []string{"r"}, "VIOLATED: not as expected", 3, "from the first text to the verdict"},
		{time.Nanosecond, []string{"n", "r"}, "VIOLATED: not as expected", 3, "begun by the person"},
		{time.Nanosecond, []string{"n"}, "c1 holds the lock.", 0, "nobody asked for it"},
		{time.Nanosecond, []string{"n", "n", "n", "3", "r"}, "VIOLATED: not as expected", 3, "an answer that was given counts"},
	} {
		x := &trainer{steps: slices.Clone(told)}
		b := lessonBench(t, x, Options{})
		b.o.Lesson.Reads = r.reads
		b.press(r.keys...)
		b.sees(r.sees)
		if len(x.answers) != r.says || r.says > 0 && (x.answers[1] == 3) != (len(r.keys) == 5) {
			t.Errorf("%s: answered %v", r.reason, x.answers)
		}
	}
}

func TestLesson(t *testing.T) {
	x := &trainer{steps: slices.Clone(told)}
	b := lessonBench(t, x, Options{})
	b.sees("lesson: Two holders ─", "─ n start")
	b.sees("A lease that ends while its client sleeps")
	if len(x.steps) != len(told) {
		t.Error("the first step was asked for before the why was read")
	}
	b.press("n")
	b.sees("c1 holds the lock.")
	b.sees("n next")
	b.press("3", "5", "1") // the pages are there all the time
	b.sees("c1 holds the lock.")
	b.press("n")
	b.sees("What happens if c1 is paused for eight?")
	b.press("n")
	b.sees("▌ 1 it keeps the lock")
	b.press("down", "esc") // back to the page, whose keys count again
	b.press("5")
	if b.on() != "Lab" || x.answers != nil && len(x.answers) != 1 {
		t.Errorf("on page %s, answered %v", b.on(), x.answers)
	}
	b.press("n", "2")
	b.sees("Not quite: the answer is 3.")
	b.sees("● 3 c2 gets it, and c1 does not know")
	b.sees("✖ 2 c2 gets it, and c1 knows")
	if len(x.answers) != 1 {
		t.Errorf("the lesson went on before the person read it: %v", x.answers)
	}
	b.press("n")
	if !slices.Equal(x.answers, []int{0, 2}) {
		t.Errorf("answered %v", x.answers)
	}
	b.sees("fault: pause c1 for 8s") // what was done stands over the next text
	b.sees("Both believe now.")
	b.press("n")
	b.sees("✖ VIOLATED: not as expected. You predicted 0 of 1.")
	b.sees("The resource has no fence.")
	b.sees("✖ violated: one holder at a time ─ 2 for 3.1 s, bound 1")
	b.sees("● held: no update lost ─ 0 of 41, bound 0")
	b.sees("! unknown: handover in time")
	b.press("n")
	if strings.Contains(b.text(), "lesson:") {
		t.Errorf("the pane is still there:\n%s", b.text())
	}
	b.press("n")
	b.sees("not available: no lesson is running")
}

func TestLessonRightByCursor(t *testing.T) {
	x := &trainer{steps: slices.Clone(told)[1:]}
	b := lessonBench(t, x, Options{})
	b.press("n")
	b.press("n", "down", "down", "down", "enter")
	b.sees("Right.")
	b.press("n", "n")
	b.sees("You predicted 1 of 1.")
}

// TestLessonWaits: what is done and waited for needs no key, and says how long.
func TestLessonWaits(t *testing.T) {
	x := &trainer{steps: slices.Clone(told)[2:]}
	b := lessonBench(t, x, Options{})
	b.step()
	b.sees("→ fault: pause c1 for 8s")
	b.step()
	b.sync(26)
	b.sees("∙ fault: pause c1 for 8s")
	b.sees("○ waiting for c2 to hold /l, at most 10s (4s so far)")
	b.press("n")
	b.sees("not available: the lesson goes on when")
}

// TestLessonFolds: a person may want the screen for themselves, and loses nothing.
func TestLessonFolds(t *testing.T) {
	x := &trainer{steps: slices.Clone(told)[1:]}
	b := lessonBench(t, x, Options{})
	b.press("n", "n", "esc", "L")
	b.sees("lesson: Two holders ─", "─ n shows what it waits for")
	if strings.Contains(b.text(), "it keeps the lock") {
		t.Errorf("it is not hidden:\n%s", b.text())
	}
	b.press("n")
	b.sees("1 it keeps the lock")
	if len(x.answers) != 0 {
		t.Errorf("answered %v", x.answers)
	}
	b.press("L", "L", "n", "3", "n", "n", "L")
	b.sees("n shows how it ended")
	b.press("n")
	b.sees("VIOLATED: not as expected")
}

// TestNoDeadKeyIsOffered: while the lab acts, n does nothing and is not offered.
func TestNoDeadKeyIsOffered(t *testing.T) {
	b := lessonBench(t, &trainer{steps: slices.Clone(told)[2:]}, Options{})
	b.sees("─ n start")
	b.step()
	b.sees("the lab acts  L hides")
	if strings.Contains(b.text(), " n ") {
		t.Errorf("n is offered:\n%s", b.text())
	}
}

// step takes one step in, and does not ask for the next.
func (b *bench) step() {
	if b.next == nil {
		_, b.next = b.Update(keyMsg("n"))
	}
	_, b.next = b.Update(b.next())
	b.View()
}

func TestLessonBreaksOff(t *testing.T) {
	x := &trainer{err: errors.New("the lab is\x1b[2J closed")}
	b := lessonBench(t, x, Options{})
	b.press("n")
	b.sees(`the lesson broke off: the lab is\x1b[2J closed`)
	b.press("n")
	if b.panel.Showing() {
		t.Error("it does not close")
	}
}

// TestLessonReadsOn: a text that is longer than the pane is read in parts.
func TestLessonReadsOn(t *testing.T) {
	long := strings.Repeat("These are words that have to be read by a person who wants to learn. ", 20) + "\n\nThe end."
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: long}, {Kind: tutor.StepDone}}}
	b := lessonBench(t, x, Options{})
	b.press("n")
	b.sees("1 of 4  n more")
	b.press("n", "n", "n")
	b.sees("The end.")
	b.sees("4 of 4  n next")
	if len(x.answers) != 0 {
		t.Errorf("answered %v", x.answers)
	}
	b.press("n")
	b.sees("The lesson is over; the lab is yours.")
}

// TestLessonLeavesTheTable: on the smallest usual terminal 8 locks stay in sight.
func TestLessonLeavesTheTable(t *testing.T) {
	for i := range told {
		x := &trainer{steps: slices.Clone(told)[i:]}
		b := lessonBench(t, x, Options{})
		b.step()
		if b.locksTable.H < 8 {
			t.Errorf("step %d leaves %d rows", i, b.locksTable.H)
		}
		exact(t, b.View(), 80, 24)
	}
}

func TestGoldenLesson(t *testing.T) {
	rows := []struct {
		name, reason string
		w, h, step   int
		ascii        bool
		keys         []string
	}{
		{"lesson-ask-80x24", "the question under the table", 80, 24, 1, false, []string{"n", "down"}},
		{"lesson-why-120x36", "first what it is for; few locks leave room for the lanes", 120, 36, -1, false, nil},
		{"lesson-ask-120x36", "the question beside belief and truth", 120, 36, 1, false, []string{"n", "down"}},
		{"lesson-verdict-80x24", "line by line", 80, 24, 5, false, nil},
		{"lesson-verdict-120x40-ascii", "on the lab page", 120, 40, 5, true, []string{"5"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			x := &trainer{steps: slices.Clone(told)[max(0, r.step):]}
			o := Options{Signs: signSet(r.ascii), Profile: colours}
			b := lessonBench(t, x, o)
			if r.h == 36 { // of one lock
				o.Lab, o.Armed, o.Lesson = true, true, x.lesson()
				b = newBench(t, o)
				overlap(b)
			}
			b.size(r.w, r.h)
			if r.step >= 0 {
				b.step()
			}
			b.press(r.keys...)
			exact(t, b.View(), r.w, r.h)
			golden(t, r.name, b.text())
		})
	}
}

// TestLessonFitsEverySize walks sizes and steps.
func TestLessonFitsEverySize(t *testing.T) {
	hostile := "\x1b[2J銀行\u202e\n\n" + strings.Repeat("👩‍👩‍👧 ", 40)
	steps := append(slices.Clone(told), tutor.Step{Kind: tutor.StepAsk, Text: hostile, Options: slices.Repeat([]string{hostile}, 9), Right: 9},
		tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillVerdict(hostile), Text: hostile, Lines: slices.Repeat([]tutor.Line{{Name: hostile, Measured: hostile, Bound: hostile, Verdict: model.DrillVerdict(hostile)}}, 9)})
	for i := range steps {
		b := lessonBench(t, &trainer{steps: steps[i:]}, Options{Profile: colours})
		b.step()
		for _, keys := range [][]string{nil, {"n"}, {"3", "n"}, {"esc", "5", "F"}} {
			b.pressed(keys...)
			for w := 1; w <= 300; w += 31 {
				for _, h := range []int{4, 5, 7, 8, 10, 13, 18, 24, 100} {
					b.size(w, h)
					exact(t, b.View(), w, h)
				}
			}
			if t.Failed() {
				t.Fatalf("step %d after %v", i, keys)
			}
		}
	}
}

// TestALessonOfOneLockShowsItsQueue: on the smallest usual terminal, too, where a lesson tells
// of one lock there is room for those who hold and wait; where it tells of many there is not.
func TestALessonOfOneLockShowsItsQueue(t *testing.T) {
	for _, r := range []struct {
		n, h   int
		pane   bool
		reason string
	}{
		{1, 12, true, "one lock"}, {3, 12, true, "three"}, {4, 12, true, "four, as in the demo"}, {5, 12, false, "more want the table"}, {4, 17, true, "the demo beside its guide on 100x30, with a verdict"}, {1000, 14, false, "many want the table"}, {1, 6, false, "no room"}, {0, 12, false, "none yet"},
	} {
		if rows, pane := page.LockShares(r.h, r.n, true, false); pane > 0 != r.pane || rows+pane != r.h || rows < min(r.h, r.n+1) {
			t.Errorf("%s: %d rows and %d lines", r.reason, rows, pane)
		}
	}
}

// TestAHintIsForWhoAsks: the panel says that n helps, and how often, and then that n skips the task.
func TestAHintIsForWhoAsks(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepTask, Text: "Make b the holder.", Hints: 1}, {Kind: tutor.StepTask, Text: "Make b the holder.\n\nHint: press K."}}}
	b := lessonBench(t, x, Options{})
	b.step()
	b.sees("Make b the holder.", "n help (1 left)")
	b.press("n")
	b.step()
	b.sees("Hint: press K.", "n skip the task")
}

// TestALessonStaysWhereItIs: beside the page, while an explanation or help is read in its place.
func TestALessonStaysWhereItIs(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: "One holds, the others wait.", Show: tutor.PictureQueue, About: "/l"}}}
	b := lessonBench(t, x, Options{})
	b.size(120, 36)
	b.w.claim(1, "/l", "", 0xe1)
	b.w.claim(1, "/l", "", 0xe2)
	b.sync(26)
	b.step()
	left := func() (all []string) {
		for _, l := range strings.Split(b.text(), "\n") {
			if text, _, beside := strings.Cut(l, "│"); beside {
				all = append(all, text)
			}
		}
		return all
	}
	was := left()
	if text := strings.Join(was, "\n"); !strings.Contains(text, "One holds") {
		t.Fatalf("the text does not stand beside the page:\n%s", b.text())
	}
	for _, key := range []string{"e", "?"} {
		b.press(key)
		if got := left(); !slices.Equal(got, was) || b.overlay == nil {
			t.Errorf("after %s: %q, want %q", key, got, was)
		}
		b.press("esc")
	}
}

// TestADraftIsFilledIn: by the digits of its options and by arrows, a number by its digits; what is
// still empty is not sent. Help is behind h, and esc leaves it to the page.
func TestADraftIsFilledIn(t *testing.T) {
	draft := &tutor.Draft{Lines: []string{"If {field} = {what}", "Then TTL {ttl}"}, Blanks: []tutor.Blank{
		{Name: "field", Options: []tutor.Choice{{Text: "value", Is: "v"}, {Text: "create revision", Is: "c"}}},
		{Name: "what", Options: []tutor.Choice{{Text: "my name", Is: "me"}, {Text: "0", Is: "0"}}},
		{Name: "ttl", From: 2, To: 60},
	}, Says: "c1"}
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepTask, Text: "Complete it.", Hints: 3, Draft: draft}}}
	b := lessonBench(t, x, Options{})
	b.step()
	b.sees("Complete it.", "If [?] = [?]", "n fill it in")
	b.press("n")
	b.sees("If >?< = [?]", "1 value", "2 create revision", "enter try it", "h help (3 left)")
	b.press("2")
	b.sees("If >create revision< = [?]")
	b.press("down", "right", "right")
	b.sees("= >0<")
	b.press("left", "enter")
	b.sees("= [my name]", "Then TTL >?<", "a blank is still empty", "a number from 2 to 60")
	b.press("1")
	b.press("enter")
	b.sees("a blank is still empty")
	b.press("2", "esc")
	b.sees("Then TTL [12]", "n fill it in")
	b.press("n", "enter")
	if want := map[string]string{"field": "c", "what": "me", "ttl": "12"}; !maps.Equal(x.filled, want) {
		t.Errorf("the lab is given %v, want %v", x.filled, want)
	}
}

// TestANumberIsTypedAnew: backspace takes a digit of it back, and goes back a step where none is left.
func TestANumberIsTypedAnew(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepTask, Text: "Choose.", Draft: &tutor.Draft{Lines: []string{"TTL {ttl}"}, Blanks: []tutor.Blank{{Name: "ttl", From: 1, To: 120, Value: "20"}}}}}}
	b := lessonBench(t, x, Options{})
	b.step()
	b.press("n", "backspace", "backspace", "9", "enter")
	if x.filled["ttl"] != "9" {
		t.Errorf("the lab is given %v", x.filled)
	}
}

// TestNoKeyIsDeadBesideAQuestion: q quits, and a key of the page says where it works.
func TestNoKeyIsDeadBesideAQuestion(t *testing.T) {
	b := lessonBench(t, &trainer{steps: []tutor.Step{{Kind: tutor.StepAsk, Text: "Who?", Options: []string{"a", "b"}}}}, Options{})
	b.press("n")
	b.press("n", "K")
	b.sees("esc goes there, and the question waits")
	if len(b.h.done) > 0 {
		t.Errorf("did %+v", b.h.done)
	}
	if _, cmd := b.Update(keyMsg("q")); cmd == nil {
		t.Error("q does not quit")
	}
}

// TestADraftOfOneBlankGoesOn: each try is a step on the way, so the keyboard is with the draft again
// once the lab has tried it.
func TestADraftOfOneBlankGoesOn(t *testing.T) {
	draft := &tutor.Draft{Lines: []string{"you: {step}"}, Blanks: []tutor.Blank{{Name: "step", Options: []tutor.Choice{{Text: "Get", Is: "get"}, {Text: "Watch", Is: "watch"}}}}}
	task := tutor.Step{Kind: tutor.StepTask, Text: "Lock it.", Hints: 3, Draft: draft}
	x := &trainer{steps: []tutor.Step{task, {Kind: tutor.StepDo, Text: "you: Get"}, task}}
	b := lessonBench(t, x, Options{})
	b.step()
	b.press("n", "1", "enter")
	if x.filled["step"] != "get" {
		t.Fatalf("the lab is given %v", x.filled)
	}
	b.step()
	b.step()
	b.sees("Lock it.", "enter try it")
	b.press("2", "enter")
	if x.filled["step"] != "watch" {
		t.Errorf("the lab is given %v", x.filled)
	}
}

// TestATaskIsGivenUpOnce: whoever presses n twice still reads what comes next.
func TestATaskIsGivenUpOnce(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepTask, Text: "Make b the holder."}}}
	b := lessonBench(t, x, Options{})
	b.step()
	b.sees("Make b the holder.")
	b.sees("n skip the task")
	for range 2 {
		if _, cmd := b.Update(keyMsg("n")); cmd != nil {
			cmd()
		}
	}
	if len(x.answers) != 1 {
		t.Errorf("given up %d times", len(x.answers))
	}
}

// TestALessonSelectsWhatItIsAbout, once for each lock: where the person goes then, the cursor stays.
func TestALessonSelectsWhatItIsAbout(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: "one", Lock: "/jobs/report"}, {Kind: tutor.StepSay, Text: "two", Lock: "/jobs/report"},
		{Kind: tutor.StepSay, Text: "three"}, {Kind: tutor.StepSay, Text: "four", Lock: "/nowhere"}, {Kind: tutor.StepSay, Text: "five", Lock: "/cron/job7"},
		{Kind: tutor.StepSay, Text: "six", Lock: "/cron/job7"}}}
	b := lessonBench(t, x, Options{})
	at := func(want, reason string) {
		t.Helper()
		if l := b.Target().Lock; l == nil || l.Name != want {
			t.Errorf("%s: %v is selected, want %s", reason, l, want)
		}
	}
	b.press("n")
	at("/jobs/report", "the first text is about it")
	b.press("down")
	moved := b.Target().Lock.Name
	b.press("n")
	at(moved, "the same lock again: the person has moved")
	b.press("n", "n")
	at(moved, "about no lock, and about one that is not there")
	b.press("5")
	b.press("n")
	if b.on() != "Lab" {
		t.Errorf("the person was taken from the page Lab to %s", b.on())
	}
	b.press("1")
	at(moved, "another lock, but no lock was listed then")
	b.press("n")
	at("/cron/job7", "the next text about it")
	if strings.Contains(b.text(), "- back") {
		t.Errorf("there is a way back from where nobody went:\n%s", b.text())
	}
}

// TestALessonLeavesTheQueueOfAnotherLock: a step about a lock that is not there yet does not stand beside the queue
// that an earlier one opened. Once the lock is there, it is selected.
func TestALessonLeavesTheQueueOfAnotherLock(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: "one", Lock: "/cron/job7", Show: tutor.PictureQueue, About: "/cron/job7"},
		{Kind: tutor.StepSay, Text: "two", Lock: "/new", Show: tutor.PictureSaid, About: "/new"}, {Kind: tutor.StepSay, Text: "three"}}}
	b := lessonBench(t, x, Options{})
	b.press("n")
	if b.on() != "Queue" {
		t.Fatalf("the step shows a queue, and not %s", b.on())
	}
	b.press("n")
	if b.on() != "Locks" {
		t.Errorf("%s stands beside a text about a lock that is not there", b.on())
	}
	b.w.put(23, leaseKey("/new", 0xe1), "", 0xe1)
	b.sync(23)
	b.press("n")
	if l := b.Target().Lock; l == nil || l.Name != "/new" {
		t.Errorf("%v is selected, and not the lock of the step", l)
	}
}

// TestALessonsConsoleIsInItsLanguage: the pages, the columns of what they list and the keys have
// words in each language, which differ but for those that are the same in all.
func TestALessonsConsoleIsInItsLanguage(t *testing.T) {
	a := lessonBench(t, &trainer{steps: told}, Options{})
	ids := map[model.MessageID]bool{}
	for _, p := range a.pages {
		ids[p.About().Label] = true
	}
	for _, id := range slices.Concat(titles(fields.Locks), titles(fields.Claims), titles(fields.Sessions), titles(fields.Findings), titles(fields.Guesses), titles(fields.Events)) {
		ids[id] = true
	}
	for i := range a.keys.Rows {
		k := &a.keys.Rows[i]
		for _, id := range []model.MessageID{k.Short, k.What, k.Fold.What} {
			if id != "" {
				ids[id] = true
			}
		}
	}
	same := []string{"TTL", "#", "etcdctl"}
	for id := range ids {
		s, known := text.Catalogue()[id]
		if !known || s.English == s.Chinese && !slices.Contains(same, s.English) {
			t.Errorf("%s has no Chinese words: %q", id, s.Chinese)
		}
	}
	if len(ids) < 150 {
		t.Errorf("%d words", len(ids))
	}
}

// titles are those of the columns that the console has.
func titles[R any](all []fields.Field[R]) (titles []model.MessageID) {
	for _, f := range fields.Console(all) {
		titles = append(titles, f.Title)
	}
	return titles
}

// kept is what a console saw so far, for who goes back in it.
type kept struct {
	*rewound
	left bool
}

func (k *kept) Next(context.Context, model.Want) (model.Batch, error) {
	return model.Batch{}, context.Canceled
}
func (k *kept) Note(b model.Batch, _ []model.Event) { k.all = append(k.all, b.Events...) }
func (k *kept) Due() bool                           { return false }
func (k *kept) Since() time.Time                    { return at(0) }
func (k *kept) Forget()                             {}
func (k *kept) Leave()                              { k.left = true }

// TestOneGoesBackInALesson: each text stands there again with the screen as it was then, and
// forward leads to where one was, while nothing goes on.
func TestOneGoesBackInALesson(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: "Nobody waits."}, {Kind: tutor.StepAsk, Text: "Who comes?", Options: []string{"b", "c"}, Right: 1},
		{Kind: tutor.StepSay, Text: "b waits."}, {Kind: tutor.StepDo, Text: "kill b"}}}
	past := &kept{rewound: &rewound{now: store.New()}}
	o := Options{Past: past}
	o.Lab, o.Armed, o.Lesson = true, true, x.lesson()
	b := newBench(t, o)
	b.size(80, 24)
	happens := func(s float64) {
		batch := b.w.batch()
		past.Note(model.Batch(batch), nil)
		b.send(batch)
		b.send(tickMsg(at(s)))
	}
	b.w.claim(1, "/l", "", 0xa1)
	happens(2)
	b.press("n")
	b.sees("Nobody waits.", "n next  u back")
	b.press("n", "n", "2", "n")
	b.sees("b waits.")
	b.w.claim(5, "/l", "", 0xb1)
	happens(6)
	claims := func(want int, reason string) {
		t.Helper()
		if l := b.state.Lock("/l"); l == nil || l.Len() != want {
			t.Errorf("%s: %v, want %d claims\n%s", reason, l, want, b.text())
		}
	}
	claims(2, "now")

	b.seek("u")
	b.sees("Who comes?", "✖ 2 c", "Not quite: the answer is 1.", "step 3 of 4  n forward  u back", "PAST")
	claims(1, "as it was when it was answered")
	b.press("n") // nothing is answered anew, nothing goes on
	if len(x.answers) != 2 || len(x.steps) != 1 {
		t.Errorf("answered %v, %d steps are left", x.answers, len(x.steps))
	}
	b.seek("backspace")
	b.seek("u")
	b.sees("Nobody waits.", "step 2 of 4")
	b.seek("u")
	b.sees("A lease that ends while its client sleeps", "step 1 of 4")
	b.press("u")
	b.sees("this is the first step")
	b.press("r")
	b.sees("n goes forward to where you were")
	b.press("K")
	b.sees("The past is shown")
	for range 3 {
		b.seek("n")
	}
	b.sees("b waits.", "n next  u back")
	claims(2, "forward to now")
	if b.present != nil || !past.left {
		t.Error("the console is still in the past")
	}

	b.seek("u")
	b.seek("u")
	b.seek("esc")
	b.sees("b waits.", "n next  u back")
	claims(2, "back to now at once")
	b.step()
	b.sees("kill b", "the lab acts")
	b.press("u")
	b.sees("when the lab has done its part")
}

// TestOneGoesBackWhereNothingIsKept: the texts are there again, on the screen of now.
func TestOneGoesBackWhereNothingIsKept(t *testing.T) {
	long := strings.Repeat("These are words that have to be read by a person who wants to learn. ", 12)
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: long + "End."}, {Kind: tutor.StepSay, Text: "two"}}}
	b := lessonBench(t, x, Options{})
	b.press("n", "n")
	b.sees("End.", "u back")
	b.press("u")
	b.sees("1 of 2  n more")
	b.press("n", "n")
	b.sees("two")
	b.press("u")
	b.sees("1 of 2", "step 2 of 3", "n more")
	b.press("n")
	b.sees("End.", "n forward")
	b.press("n")
	b.sees("two", "n next")
}

// TestAStepShowsItsPicture beside its text, on the smallest usual terminal under it, and as it was then
// for who goes back.
func TestAStepShowsItsPicture(t *testing.T) {
	asked := func(s float64, who string, txns, vain, idle int) model.Event {
		return model.Asked{At: at(s), Client: model.Client{Name: who, Certain: true}, Txns: txns, Vain: vain, Idle: idle, Watches: idle + 1}
	}
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		x := &trainer{steps: []tutor.Step{
			{Kind: tutor.StepSay, Text: "one", Show: tutor.PictureCost, About: "/l"},
			{Kind: tutor.StepAsk, Text: "two?", Options: []string{"a", "b", "c"}, Show: tutor.PictureCost, About: "/l"},
			{Kind: tutor.StepSay, Text: "three", Show: tutor.PictureResource, About: "/l"},
			{Kind: tutor.StepSay, Text: "four", Show: tutor.PictureGraph},
			{Kind: tutor.StepSay, Text: "five", Show: tutor.PictureQueue, About: "/l"},
			{Kind: tutor.StepSay, Text: "six", Show: tutor.PictureQueue, About: "/l"},
			{Kind: tutor.StepSay, Text: "seven", Show: tutor.PictureTime},
			{Kind: tutor.StepSay, Text: "eight", Show: "no such"}}}
		b := lessonBench(t, x, Options{})
		b.size(size[0], size[1])
		b.w.claim(1, "/l", "", 0xe1)
		b.w.claim(1, "/l", "", 0xe2)
		for _, name := range []string{"d1", "d2", "d3", "d4", "d5", "d6"} {
			b.w.add(model.Contender{At: at(1), Name: name, Lock: "/l", Proc: model.ProcRunning}, asked(1, name, 1, 1, 0))
		}
		b.w.add(model.Contender{At: at(1), Name: "other", Lock: "/m", Proc: model.ProcRunning}, asked(1, "other", 7, 7, 7))
		b.sync(26)
		line := func(want, reason string) {
			t.Helper()
			for _, l := range strings.Split(b.text(), "\n") {
				if _, right, beside := strings.Cut(l, "│"); beside {
					l = right
				}
				if strings.Join(strings.Fields(l), " ") == want {
					return
				}
			}
			t.Errorf("%v, %s: no line %q:\n%s", size, reason, want, b.text())
		}
		b.press("n")
		line("WHO IN VAIN WOKEN FOR NOTHING TXN GET WRITE WATCH RENEW", "the figures of one lock")
		line("all 6 6 0 6 0 0 6 0", "all together")
		line("and 3 more", "those for whom there is no room")
		b.press("n")
		line("all 6 0 0 0 0 0 0 0", "from the question on they count anew")
		b.w.add(asked(27, "d3", 4, 3, 2), asked(27, "d5", 2, 2, 1))
		b.sync(27)
		line("all 6 3 3 4 0 0 3 0", "since the question")
		b.w.add(model.Access{At: at(28), Contender: "d1", Lock: "/l", Token: 1, Accepted: true, Write: true},
			model.Access{At: at(28), Contender: "d2", Lock: "/l", Token: 1, Highest: 9, Write: true}, model.Access{At: at(28), Contender: "d3", Lock: "/l", Token: 9, Highest: 9, Write: true})
		b.press("n", "2", "n")
		b.sync(28)
		line("d1 writes 1 - 184016 ! accepts the older token", "an access that the resource took: it had seen no token, though etcd had given another")
		line("d2 writes 1 9 184016 ✖ refuses: it has seen a newer", "an access that it refused, by what it had seen and not by what etcd had given")
		line("d3 writes 9 9 184016 ✖ refuses, and has seen no newer", "by a rule of the reader")
		b.press("n")
		b.sees("four", "a1", "waits")
		if at := b.on(); at != "Locks" {
			t.Errorf("on page %s", at)
		}
		b.press("n")
		if b.on() != "Queue" {
			t.Errorf("on page %s", b.on())
		}
		b.press("1", "n")
		if b.on() != "Locks" {
			t.Errorf("the person went away, and was taken to %s", b.on())
		}
		b.press("n")
		if b.on() != "Time" {
			t.Errorf("on page %s", b.on())
		}
		b.press("n")
		b.sees("eight")
		exact(t, b.View(), size[0], size[1])
		b.press("u", "u", "u", "u", "u")
		b.sees("three", "refuses: it has seen a newer")
	}
}

// TestNoPageAnswersTheQuestion: while it is open, or its answer is on its way, findings have names and
// nothing that they mean; once it is seen they say all.
func TestNoPageAnswersTheQuestion(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepAsk, Text: "Who holds?", Options: []string{"c1", "c2"}},
		{Kind: tutor.StepWait, Text: "c2 to hold"}, {Kind: tutor.StepSee, Options: []string{"c1", "c2"}, Right: 2, Measured: "c2"}}}
	o := Options{Lab: true, Armed: true, Lesson: x.lesson()}
	o.Lesson.Judged = false
	b := newBench(t, o)
	b.size(200, 50)
	wrongLab(b)
	b.press("n")
	var all []string
	for _, f := range b.state.StoriesOf(nil) {
		for _, m := range append([]model.Message{f.Summary}, f.Advice...) {
			if said := text.English(m); len(said) > 18 && said[0] != '/' { // not with a name, which stands in other lines too
				all = append(all, said[:18])
			}
		}
	}
	told := func() (n int) {
		for _, page := range []string{"1", "2", "3", "4", "5", "6"} {
			b.press(page)
			for _, said := range all {
				if strings.Contains(b.text(), said) {
					n++
				}
			}
		}
		return n
	}
	if n := told(); n > 0 || len(all) < 10 {
		t.Errorf("%d of %d sentences of findings while a question is open:\n%s", n, len(all), b.text())
	}
	b.press("n", "1")
	if n := told(); n > 0 {
		t.Errorf("%d sentences of findings before it was measured", n)
	}
	b.press("n")
	if n := told(); n < 5 {
		t.Errorf("%d sentences of findings once the answer is known", n)
	}
}

// TestAClassSeesNoFiguresThatNobodySpeaksOf: with --present the line of status, the titles and the
// pane of times leave theirs out; what happened, and who holds, stays.
func TestAClassSeesNoFiguresThatNobodySpeaksOf(t *testing.T) {
	dense := []string{"req/s", "how long"}
	for _, brief := range []bool{false, true} {
		b := newBench(t, Options{Brief: brief, Lab: true})
		b.size(200, 50)
		wrongLab(b)
		b.press("enter")
		all := b.text()
		for _, figure := range dense {
			if strings.Contains(all, figure) == brief {
				t.Errorf("for a class %v: %q on the screen is %v\n%s", brief, figure, !brief, all)
			}
		}
		for _, stays := range []string{"● holds", "journal of this lock"} {
			b.sees(stays)
		}
	}
}

// TestALessonOfAModelHasNoLocks: etcd has none, on purpose, and none is waited for.
func TestALessonOfAModelHasNoLocks(t *testing.T) {
	x := &trainer{steps: []tutor.Step{{Kind: tutor.StepSay, Text: "Store 1 is a master."}}}
	lesson := x.lesson()
	lesson.Model = true
	b := newBench(t, Options{Lab: true, Lesson: lesson})
	b.size(120, 36)
	b.sync(1)
	b.step()
	for _, page := range []string{"1", "4", "6"} {
		b.press(page)
		b.sees("Store 1 is a master.", "No locks in etcd: this lesson shows a model of small stores.")
		if screen := b.text(); strings.Contains(screen, "No locks yet") || strings.Contains(screen, "Waiting for the first one") {
			t.Errorf("a lock is waited for:\n%s", screen)
		}
	}
}

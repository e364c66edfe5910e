package course_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/chaos/drill"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cli/course"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// screened is a step that a reader was shown, with what had happened by then.
type screened struct {
	tutor.Step
	events int
	at     time.Time
}

// moment is that of a film.
type moment struct {
	host.Playback
	at time.Time
}

func (m *moment) Now() time.Time { return m.at }
func (m *moment) Label() string  { return "" }

// screens shows a lesson that a reader took, step by step, in a console of a size.
func (r *reader) screens(width, height int, see func(i int, screen string, s *store.Store)) {
	now, l := &moment{}, r.Lesson()
	l.Next = nil
	film := ui.NewFilm(context.Background(), ui.Options{Label: "lesson", Pins: course.Pins(r.d), Prefixes: []string{""}, Lab: true, Lang: r.lang, Lesson: l, Playback: now, Profile: termenv.Ascii}, ui.Live{}, width, height)
	from := 0
	for i, s := range r.shown {
		now.at = s.at
		film.Take(model.Batch{Events: append(slices.Clone(r.all[from:s.events]), model.Tick{At: s.at})})
		from = s.events
		film.Tell(s.Step)
		see(i, ansi.Strip(strings.Join(film.Lines(), "\n")), film.State())
	}
}

// TestNothingAnswersBeforeThePrediction: as long as a question may come, or is open, no pane of any
// lesson says what comes next, what that means or what to do; and the question stands there with all
// its answers, and with what it is about. LOCKTOP_SCREENS names a folder for the screens.
func TestNothingAnswersBeforeThePrediction(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		for _, lang := range drill.Languages() {
			t.Run(d.Name+" "+lang, func(t *testing.T) {
				t.Parallel()
				r := &reader{d: d, lang: lang}
				if round := r.takes(t, 3); round.Verdict != drill.Held {
					t.Fatal(round.Verdict, round.Reason)
				}
				for _, size := range [][2]int{{80, 24}, {120, 36}} {
					dump := fmt.Sprintf("%02d-%s-%s-%d.txt", d.Lesson.Number, d.Name, lang, size[1])
					var out strings.Builder
					r.screens(size[0], size[1], func(i int, screen string, s *store.Store) {
						fmt.Fprintf(&out, "=== %s\n%s\n", r.shown[i].Kind, screen)
						r.answersNothing(t, size, i, screen, s)
					})
					if dir := os.Getenv("LOCKTOP_SCREENS"); dir != "" {
						if err := os.WriteFile(filepath.Join(dir, dump), []byte(out.String()), 0o600); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
}

// beginning is how much of a sentence is looked for, as a pane may cut the rest; a single word stands
// in others, too.
const beginning, leastSaid = 18, 8

// answersNothing checks the screen of a step.
func (r *reader) answersNothing(t *testing.T, size [2]int, i int, screen string, s *store.Store) {
	step := r.shown[i].Step
	switch step.Kind {
	case tutor.StepSay, tutor.StepAsk, tutor.StepDo, tutor.StepWait:
	default:
		return
	}
	if !slices.ContainsFunc(r.shown[i:], func(s screened) bool { return s.Kind == tutor.StepSee }) { // the story is over
		return
	}
	panes, panel := r.parts(screen)
	if panel == "" {
		t.Fatalf("step %d at %v: no lesson on the screen:\n%s", i, size, screen)
	}
	says := func(m model.Message, what string) {
		if said := cells(text.Render(r.lang, m)); len(said) > leastSaid && strings.Contains(panes, said) {
			t.Errorf("step %d at %v, before it is predicted: %s %q\n%s", i, size, what, said, screen)
		}
	}
	for _, l := range s.Locks() {
		if l.Behind() == 0 || l.Free() {
			continue
		}
		move := status.NextMove(s.View, l, s.Now())
		for _, m := range append([]model.Message{move.When, move.Until()}, move.Brief()...) {
			says(m, "what comes next")
		}
		for _, x := range s.FindingsOf(l) {
			for _, m := range append([]model.Message{x.Summary}, x.Advice...) {
				says(m, "a finding")
			}
		}
	}
	if next := place.FindString(panes); next != "" {
		t.Errorf("step %d at %v, before it is predicted: who is next, %q\n%s", i, size, next, screen)
	}
	if step.Kind != tutor.StepAsk {
		return
	}
	for _, o := range append(step.Options, step.Text) {
		if !strings.Contains(panel, cells(o)) {
			t.Errorf("step %d at %v: %q is not there while it is asked\n%s", i, size, o, screen)
		}
	}
	if pane := r.evidence(step); !strings.Contains(screen, pane) {
		t.Errorf("step %d at %v: a question without %q, which it is about\n%s", i, size, pane, screen)
	}
}

// parts divides a screen into the page and the lesson, which stands under it, or on wide screens beside it.
func (r *reader) parts(screen string) (panes, panel string) {
	heading := text.Render(r.lang, model.Say("tutor-lesson"))
	if at := strings.LastIndex(screen, heading); at >= 0 {
		return screen[:at], screen[at:]
	}
	beside := strings.TrimRight(heading, " :：") + " ─"
	for line := range strings.Lines(screen) {
		left, right, divided := strings.Cut(line, "│")
		if panel == "" && !strings.HasPrefix(strings.TrimSpace(line), beside) || !divided {
			panes += line
			continue
		}
		panel, panes = panel+left+"\n", panes+right
	}
	return panes, panel
}

// place is how a waiter is told its place, in both languages.
var place = regexp.MustCompile(`○ (next|[2-9](nd|rd|th)|下一个) |at place \d, behind|第 \d 位，在`)

// cells is the beginning of a text.
func cells(s string) string { return ansi.Truncate(s, beginning, "") }

// evidence is what stands in the pane that a question is about. The world counts no requests, so
// their cost has nothing to show.
func (r *reader) evidence(s tutor.Step) string {
	say := func(m model.Message) string { return text.Render(r.lang, m) }
	switch s.Show {
	case tutor.PictureQueue:
		return s.About
	case tutor.PictureResource:
		return say(model.Say("tutor-token"))
	case tutor.PictureGraph: // as a table or a ring
		return r.d.Lab.Locks()[0]
	case tutor.PictureSaid:
		return say(model.Say("tutor-said-last"))
	}
	return ""
}

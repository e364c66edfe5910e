package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/text"
	"locktop/ui/cli/course"
	"locktop/ui/draw"
	"locktop/ui/report"
	"locktop/ui/terminal"
	"locktop/ui/tutor"
)

// paces are how long a lesson rests before each thing that it does.
var (
	paceNames = []string{"fast", "normal", "slow"}
	paces     = map[string]time.Duration{"fast": 300 * time.Millisecond, "normal": 1200 * time.Millisecond, "slow": 3 * time.Second}
)

// learnFlags are the flags of learn.
type learnFlags struct {
	list    bool
	output  string
	pace    string
	present bool
	seed    uint64
	class   string
	name    string
}

// learnCmd is the course.
func learnCmd(e *env) *cobra.Command {
	f := learnFlags{pace: "normal"}
	cmd := &cobra.Command{
		Use:   "learn [LESSON]",
		Short: "take the course: lessons on a lab of its own, which waits while you read",
		Long: "learn shows the lessons as a path. It runs the lesson that you choose, or name by its name or\n" +
			"number, on a lab of its own. The lab stands still while you read a text or a question. The right\n" +
			"answer is what was measured. u goes back a step, with the screen as it was then. At the end\n" +
			"of a lesson there is a task, and the lab shows when the task is done. The last lesson has an exam,\n" +
			"and after it the review (w on the path) asks three questions beside no lab.\n" +
			"Without a terminal, or with --list, learn prints the path. lessons.json in the state folder has the\n" +
			"lessons that you have taken.\n\n" +
			"A lesson is passed when each prediction came true, in the lesson or in the review (w on the path),\n" +
			"its task is done, and the fault of its exam is healed. With --class DIR each lesson that is taken\n" +
			"becomes a line of JSON in a file of DIR, which \"locktop learn report DIR\" makes a table of.",
		Example: "  locktop learn\n  locktop learn 3\n  locktop learn pause --lang zh",
		Args:    atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := lessons.All()
			if err != nil {
				return err
			}
			if f.name == "" {
				f.name = cmp.Or(userName(), "learner")
			}
			c := &courseRoom{e: e, lang: e.language(), f: f, all: all}
			if err := c.load(); err != nil {
				return err
			}
			switch {
			case len(args) == 1:
				if f.list || cmd.Flags().Changed("output") {
					return bad("learn prints the path, or tells a lesson: leave out %q, or --list and --output", args[0])
				}
				d, err := c.find(args[0])
				if err != nil {
					return err
				}
				return c.take(cmd.Context(), d)
			case f.list || cmd.Flags().Changed("output") || !e.isTerminal():
				return c.print()
			}
			return c.walk(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&f.list, "list", false, "print the path")
	addOutput(cmd, &f.output, tableOrJSON, "of the path: table or json")
	addWord(cmd.Flags(), &f.pace, "pace", "", "--pace", paceNames, "how long the lab rests before each step: "+strings.Join(paceNames, ", "))
	cmd.Flags().BoolVar(&f.present, "present", false, "for a class: no lines to do it by hand, and no figures that no lesson speaks of")
	cmd.Flags().StringVar(&f.class, "class", "", "write a line about each lesson that is taken into a file of this folder, for \"learn report\"")
	cmd.Flags().StringVar(&f.name, "name", "", "what the learner is called there (default: the name of the account)")
	cmd.AddCommand(learnReportCmd(e), learnCodeCmd(e))
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "repeat the order of answers and the fault of the exam of this seed (default: new ones each time)")
	return cmd
}

// language is that of the console and of the course: what the person says, or else what the
// locale names, as far as ASCII characters can draw it.
func (cfg *config) language() string {
	if cfg.lang == "" && cfg.screen.ascii {
		return "en"
	}
	return cmp.Or(cfg.lang, course.Language(os.Getenv))
}

// courseRoom is the course as one run of the program has it.
type courseRoom struct {
	e        *env
	lang     string
	f        learnFlags
	all      []*drill.Drill
	path     string
	progress course.Progress
	notice   string // said on the next screen
}

// load reads which lessons were taken. What is wrong with the file is said, and no reason to
// teach nothing.
func (c *courseRoom) load() (err error) {
	if c.path, err = inState("lessons.json"); err != nil {
		return err
	}
	if c.progress, err = course.Load(c.path); err != nil {
		c.notice = err.Error()
		c.e.tellLine(c.notice)
	}
	return nil
}

// find is the lesson of a name or a number.
func (c *courseRoom) find(what string) (*drill.Drill, error) {
	var known []string
	for _, d := range c.all {
		if number := strconv.Itoa(d.Lesson.Number); what == d.Name || what == number {
			return d, nil
		} else {
			known = append(known, number+" "+d.Name)
		}
	}
	return nil, bad("there is no lesson %q: want one of %s%s", what, strings.Join(known, ", "), didYouMean(what, lessons.Names()))
}

// print prints the path. JSON is for programs: its words are English in every language.
func (c *courseRoom) print() error {
	type row struct {
		Name    string       `json:"name"`
		Number  int          `json:"number"`
		Title   string       `json:"title"`
		Teaches string       `json:"teaches"`
		Minutes int          `json:"minutes"`
		Done    *course.Done `json:"done"`
	}
	rows, cells := []row{}, [][]string{}
	for _, d := range c.all {
		l := d.Lesson
		r := row{Name: d.Name, Number: l.Number, Title: l.Title.In("en"), Teaches: l.Teaches.In("en"), Minutes: l.Minutes}
		if done, ok := c.progress.Lessons[d.Name]; ok {
			r.Done = &done
		}
		rows = append(rows, r)
		cells = append(cells, []string{strconv.Itoa(l.Number), d.Name, l.Title.In(c.lang), c.note(d), l.Teaches.In(c.lang)})
	}
	if c.f.output == "json" {
		return report.WriteJSON(c.e.out, rows, "  ")
	}
	return printCells(c.e.out, cells)
}

// printCells prints columns, of which Chinese may be part: it takes two cells a sign.
func printCells(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], draw.Width(cell))
		}
	}
	for _, row := range rows {
		var b []byte
		for i, cell := range row {
			b = append(b, cell...)
			if i < len(row)-1 {
				b = draw.Pad(b, widths[i]-draw.Width(cell)+2)
			}
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// note says how long a lesson takes, and how it was taken.
func (c *courseRoom) note(d *drill.Drill) string {
	with := func(m model.Message) string {
		return text.Render(c.lang, model.Say("course-note", model.Say("course-minutes", d.Lesson.Minutes), m))
	}
	p, ok := c.progress.Lessons[d.Name]
	switch {
	case !ok && c.progress.Begun == d.Name:
		return with(model.Say("course-begun"))
	case !ok:
		return text.Render(c.lang, model.Say("course-minutes", d.Lesson.Minutes))
	case p.Passed(d.Lesson):
		return with(model.Say("course-passed"))
	case len(p.Wrong) > 0:
		return with(model.Say("course-review", len(p.Wrong)))
	case d.Lesson.Task != nil && !p.Task:
		return with(model.Say("course-task-open"))
	}
	return with(model.Say("course-exam-open"))
}

// walk shows the path again and again, with the lesson under the cursor that was left in the middle, or
// else the next one, until it is left.
func (c *courseRoom) walk(ctx context.Context) error {
	at := slices.IndexFunc(c.all, func(d *drill.Drill) bool { return d.Name == c.progress.Begun })
	if at < 0 {
		at = slices.IndexFunc(c.all, func(d *drill.Drill) bool { _, taken := c.progress.Lessons[d.Name]; return !taken })
	}
	for {
		chapter := drill.Chapter("")
		p := &tutor.Path{Title: text.Render(c.lang, model.Say("course-title")), Hint: text.Render(c.lang, model.Say("course-hint")), Notice: c.notice, At: max(0, at), Theme: c.theme()}
		for _, d := range c.all {
			done, taken := c.progress.Lessons[d.Name]
			row := tutor.PathRow{Number: d.Lesson.Number, Title: d.Lesson.Title.In(c.lang), Teaches: d.Lesson.Teaches.In(c.lang), Note: c.note(d), Taken: taken, Done: taken && done.Passed(d.Lesson)}
			if d.Lesson.Chapter != chapter {
				chapter = d.Lesson.Chapter
				row.Chapter = text.Render(c.lang, chapters[chapter])
			}
			p.Lessons = append(p.Lessons, row)
		}
		p.Texts, p.Wrong = c.glossary(), c.wrong()
		c.notice = ""
		err := showPath(ctx, c.e, p)
		if err = errors.Join(err, c.reviewed(p.Wrong)); err != nil || !p.Chosen {
			return err
		}
		if err := c.take(ctx, c.all[p.At]); err != nil || ctx.Err() != nil {
			return err
		}
		at = p.At
		if c.progress.Begun != c.all[at].Name {
			at = min(at+1, len(c.all)-1)
		}
	}
}

// chapters are what the chapters of the course are called.
var chapters = map[drill.Chapter]model.Message{drill.ChapterOrder: model.Say("chapter-order"), drill.ChapterLease: model.Say("chapter-lease"),
	drill.ChapterSafety: model.Say("chapter-safety"), drill.ChapterOperating: model.Say("chapter-operating")}

// words are those of the glossary, each with what it means.
var words = []model.Message{model.Say("word-claim"), model.Say("word-revision"), model.Say("word-create-revision"), model.Say("word-lease"), model.Say("word-ttl"),
	model.Say("word-session"), model.Say("word-token"), model.Say("word-herd"), model.Say("word-watch"), model.Say("word-election"), model.Say("word-quorum"), model.Say("word-orphan")}

// glossary are the words of the course in the language of the person.
func (c *courseRoom) glossary() []string { return text.RenderAll(c.lang, words) }

// wrong are the questions that were predicted wrong or wait for the review, and were not answered right
// since.
func (c *courseRoom) wrong() (all []*tutor.Again) {
	for _, d := range c.all {
		for _, step := range c.progress.Lessons[d.Name].Wrong {
			asked, title := d.Question(step), d.Lesson.Title.In(c.lang)
			if asked == nil {
				continue // of a course that was otherwise
			}
			if step > len(d.Steps) {
				title = text.Render(c.lang, model.Say("course-last"))
			}
			q := asked.Shuffled(uint64(time.Now().UnixNano()), step)
			a := &tutor.Again{Lesson: d.Name, Step: step, Title: title, Scene: d.Scene(step).In(c.lang), Text: q.Text.In(c.lang), Right: q.Answer, After: q.After.In(c.lang)}
			for _, o := range q.Options {
				a.Options, a.Whys = append(a.Options, o.Text.In(c.lang)), append(a.Whys, o.Why.In(c.lang))
			}
			all = append(all, a)
		}
	}
	return all
}

// reviewed writes down what was answered right in a review.
func (c *courseRoom) reviewed(all []*tutor.Again) error {
	var errs []error
	for _, a := range all {
		if a.Chosen != a.Right {
			continue
		}
		done := c.progress.Lessons[a.Lesson]
		done.At = time.Now().UTC().Round(time.Second)
		done.Wrong = slices.DeleteFunc(slices.Clone(done.Wrong), func(step int) bool { return step == a.Step })
		errs = append(errs, c.progress.Remember(c.path, a.Lesson, done))
	}
	return errors.Join(errs...)
}

// theme is that of the console.
func (c *courseRoom) theme() *draw.Theme {
	o := c.e.uiOptions("learn")
	c.e.addSettings(&o)
	th := draw.NewTheme(cmp.Or(o.Theme, o.Settings.Theme, draw.ThemeDark), o.Profile, o.Signs)
	th.Lang = c.lang
	return th
}

func showPath(ctx context.Context, e *env, p *tutor.Path) error {
	defer guardTerminal(e.in, e.stdout)()
	screen := terminal.Leave(ctx, e.stdout)
	_, err := tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(e.in), tea.WithOutput(screen.Like(screen)), tea.WithAltScreen(), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return err
}

// take tells a lesson in the console, on a lab of its own, and remembers that it was told.
func (c *courseRoom) take(ctx context.Context, d *drill.Drill) error {
	if !c.e.isTerminal() {
		return bad("a lesson needs a terminal; \"locktop learn --list\" prints the path")
	}
	seed := cmp.Or(c.f.seed, uint64(time.Now().UnixNano()))
	begun := c.progress.Begin(c.path, d.Name)
	round, err := c.e.tell(ctx, "learn "+d.Name, d, c.lang, c.f.present, runner.Options{Seed: seed, Pace: paces[c.f.pace]})
	return errors.Join(begun, err, c.remember(d, round))
}

// remember writes down that a lesson was told to its end.
func (c *courseRoom) remember(d *drill.Drill, round runner.Run) error {
	if round.Verdict == "" || round.Err != nil || !round.Explained {
		return nil
	}
	done := course.Done{At: time.Now().UTC().Round(time.Second), Task: round.Passed, Exam: round.Examined}
	for _, s := range round.Screens {
		switch {
		case s.Right == 0:
			continue
		case s.Chosen == s.Right:
			done.Predicted++
		default:
			done.Wrong = append(done.Wrong, s.Step)
		}
		done.Asked++
	}
	kept := done
	kept.Wrong = append(slices.Clone(done.Wrong), d.ReviewOnly()...)
	err := c.progress.Remember(c.path, d.Name, kept)
	if c.f.class != "" {
		err = errors.Join(err, course.Note(c.f.class, c.f.name, c.lang, d, done, round.Screens))
	}
	return err
}

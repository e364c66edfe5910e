package cli

import (
	"encoding/json"
	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/demo/lessons"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/ui/cli/course"
)

// TestThePathIsPrinted in the language of the person, and for programs in one.
func TestThePathIsPrinted(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	run := func(args ...string) (int, string, string) {
		return program(t, tmp, append([]string{"learn"}, args...)...)
	}
	code, list, errs := run("--lang", "zh")
	if code != 0 || !strings.Contains(list, "租约和续租") || errs != "" {
		t.Errorf("exit %d: %s%s", code, list, errs)
	}
	_, en, _ := run("-o", "json", "--lang", "en")
	_, zh, _ := run("-o", "json", "--lang", "zh")
	var rows []struct {
		Name string
		Done *course.Done
	}
	if err := json.Unmarshal([]byte(zh), &rows); err != nil || en != zh || len(rows) < 6 || rows[0].Done != nil {
		t.Errorf("%v: %s", err, zh)
	}
	for _, r := range []struct{ args, want, reason string }{
		{"--lang de", `--lang "de": want en or zh`, "a language that nobody wrote"},
		{"--lang zh --ascii", "--ascii cannot draw Chinese (--lang): leave one of them out", "all of it would be escapes"},
		{"nonsense", "want one of 1 order, 2 byhand", "no such lesson"},
		{"99", "want one of 1 order, 2 byhand", "no such number"},
		{"order", "a lesson needs a terminal", "there is none"},
		{"order --list", "leave out", "a lesson and the path"},
	} {
		if code, _, errs := run(strings.Fields(r.args)...); code != exitBad || !strings.Contains(errs, r.want) {
			t.Errorf("%s: exit %d, %q", r.reason, code, errs)
		}
	}
	damaged := filepath.Join(tmp+"-state", "locktop", "lessons.json")
	if err := os.MkdirAll(filepath.Dir(damaged), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, []byte(`{"schema":1,"less`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		code, out, errs := run("--lang", "en")
		if code != 0 || !strings.Contains(out, "Lease and renewal") || strings.Contains(errs, "lessons.json.damaged") != want {
			t.Errorf("damaged, time %d: exit %d: %s%s", i+1, code, out, errs)
		}
	}
}

func lessonOf(t *testing.T, name string) *drill.Drill {
	t.Helper()
	d, err := lessons.Lesson(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestAProgramToBeginWith is written in each language, and the line beside it is one that a drill takes.
func TestAProgramToBeginWith(t *testing.T) {
	home(t, "")
	for _, lang := range demo.ProgramLangs() {
		code, out, errs := inProcess(t, nil, "learn", "code", lang)
		if code != exitOK || !strings.Contains(out, "got the lock") || strings.Contains(out, "locktop drill") {
			t.Fatalf("%s: exit %d: %s%s", lang, code, out, errs)
		}
		_, line, _ := strings.Cut(strings.ReplaceAll(errs, "\\\n", " "), "locktop drill run ")
		var words []string
		for i, part := range strings.Split(line, "'") { // what is quoted stays whole
			if i%2 == 1 {
				words = append(words, part)
			} else {
				words = append(words, strings.Fields(part)...)
			}
		}
		if code, out, errs := inProcess(t, nil, append([]string{"drill", "run", "--dry-run"}, words...)...); code != exitOK || !strings.Contains(out, "keepalives") {
			t.Errorf("%s: %q: exit %d: %s%s", lang, words, code, out, errs)
		}
	}
	if code, _, errs := inProcess(t, nil, "learn", "code", "cobol"); code != exitBad || !strings.Contains(errs, "want one of go, js, py") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestTheReviewAsksWhatTheCourseEndsWith: whoever has taken the last lesson is asked, beside no lab, until each
// question is answered right; the lesson is passed then.
func TestTheReviewAsksWhatTheCourseEndsWith(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1]
	for _, lang := range drill.Languages() {
		c := &courseRoom{lang: lang, all: all, path: filepath.Join(t.TempDir(), "lessons.json"), progress: course.Progress{Schema: 1, Lessons: map[string]course.Done{}}}
		if err := c.remember(last, runner.Run{Verdict: drill.Held, Explained: true, Passed: true, Examined: true}); err != nil {
			t.Fatal(err)
		}
		for left := 3; left > 0; left-- {
			asked := c.wrong()
			if len(asked) != left || c.progress.Lessons[last.Name].Passed(last.Lesson) {
				t.Fatalf("%s: %d questions are asked, and %d are left: %+v", lang, len(asked), left, c.progress.Lessons[last.Name])
			}
			for _, a := range asked {
				a.Chosen = a.Right%len(a.Options) + 1
			}
			asked[0].Chosen = asked[0].Right
			if err := c.reviewed(asked); err != nil {
				t.Fatal(err)
			}
		}
		if asked := c.wrong(); len(asked) > 0 || !c.progress.Lessons[last.Name].Passed(last.Lesson) {
			t.Errorf("%s: all was answered right, and %+v is asked", lang, asked)
		}
	}
}

// TestASCIIIsEnglish: a terminal without other characters shows no Chinese, whatever the locale names.
func TestASCIIIsEnglish(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	var cfg config
	if got := cfg.language(); got != "zh" {
		t.Errorf("%q, want zh", got)
	}
	cfg.screen.ascii = true
	if got := cfg.language(); got != "en" {
		t.Errorf("with --ascii: %q, want en", got)
	}
}

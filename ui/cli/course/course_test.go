package course

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/recipe"
)

func TestProgressIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "lessons.json")
	p, err := Load(path)
	if err != nil || len(p.Lessons) != 0 {
		t.Fatalf("a file that is not there: %v, %v", p, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.Lessons["order"] = Done{At: at, Predicted: 1, Asked: 2, Task: true}
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want that only its owner reads it", info.Mode(), err)
	}
	if again, err := Load(path); err != nil || !reflect.DeepEqual(again.Lessons["order"], p.Lessons["order"]) {
		t.Errorf("%v, %v", again, err)
	}
}

// TestALessonThatWasLeftIsRemembered until it is told to its end, and beside what another window wrote.
func TestALessonThatWasLeftIsRemembered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "lessons.json")
	var here, there Progress
	for _, err := range []error{here.Begin(path, "pause"), there.Remember(path, "order", Done{Asked: 2})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if p, err := Load(path); err != nil || p.Begun != "pause" || p.Lessons["order"].Asked != 2 {
		t.Errorf("%+v, %v: want that pause was begun, and order taken", p, err)
	}
	if err := here.Remember(path, "pause", Done{}); err != nil {
		t.Fatal(err)
	}
	if p, err := Load(path); err != nil || p.Begun != "" || len(p.Lessons) != 2 {
		t.Errorf("%+v, %v: want that nothing is left in the middle", p, err)
	}
}

// TestTwoWindowsForgetNothing: each has read the file when it began, and both write to it.
func TestTwoWindowsForgetNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "lessons.json")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	names := []string{"order", "lease", "pause", "fence", "spin", "names"}
	windows := make([]Progress, len(names))
	for i := range windows {
		var err error
		if windows[i], err = Load(path); err != nil {
			t.Fatal(err)
		}
	}
	var wrote sync.WaitGroup
	for i, name := range names {
		wrote.Go(func() {
			if err := windows[i].Remember(path, name, Done{At: at.Add(time.Duration(i) * time.Minute), Asked: i}); err != nil {
				t.Error(err)
			}
		})
	}
	wrote.Wait()
	all, err := Load(path)
	if err != nil || len(all.Lessons) != len(names) {
		t.Fatalf("%v, %v: want all of %q", all, err, names)
	}
	again := Done{At: at.Add(time.Hour), Asked: 9, Predicted: 9}
	if err := windows[0].Remember(path, "order", again); err != nil || !reflect.DeepEqual(windows[0].Lessons["order"], again) || len(windows[0].Lessons) != len(names) {
		t.Errorf("%v, %v", windows[0], err)
	}
	// A window that knows less, and later, leaves what was learnt anew.
	if err := windows[1].Remember(path, "names", Done{At: at.Add(2 * time.Hour)}); err != nil || !reflect.DeepEqual(windows[1].Lessons["order"], again) {
		t.Errorf("%v, %v", windows[1], err)
	}
}

// TestDamagedProgressIsSetAside, and the path begins anew; what was in it is not lost.
func TestDamagedProgressIsSetAside(t *testing.T) {
	for _, r := range []struct{ text, reason string }{
		{"", "empty"}, {"{\"schema\":1,", "cut off"}, {"[]", "a list"}, {`{"schema":7,"lessons":{}}`, "of a later program"},
		{`{"schema":1}`, "without lessons"}, {`{"schema":1,"lessons":{` + strings.Repeat(" ", progressMax) + "}}", "too large"},
	} {
		path := filepath.Join(t.TempDir(), "lessons.json")
		if err := os.WriteFile(path, []byte(r.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), path+".damaged") || p.Lessons == nil {
			t.Errorf("%s: %v, %v", r.reason, p, err)
		}
		if kept, err := os.ReadFile(path + ".damaged"); err != nil || string(kept) != r.text {
			t.Errorf("%s: it was not set aside: %v", r.reason, err)
		}
		if _, err := Load(path); err != nil {
			t.Errorf("%s: the second time: %v", r.reason, err)
		}
	}
}

func TestTheLocaleNamesTheLanguage(t *testing.T) {
	for _, r := range []struct {
		all, messages, lang, want, reason string
	}{
		{"", "", "", "en", "no locale"},
		{"", "", "zh_CN.UTF-8", "zh", "the usual one"},
		{"", "en_GB.UTF-8", "zh_CN.UTF-8", "en", "messages are in English"},
		{"C", "zh_CN", "zh_CN", "en", "all is plain"},
		{"zh_TW", "en_GB", "en_GB", "zh", "all is Chinese"},
		{"", "", "de_DE.UTF-8", "en", "a language that nobody wrote"},
		{"", "", "zh", "zh", "the language alone"},
	} {
		env := map[string]string{"LC_ALL": r.all, "LC_MESSAGES": r.messages, "LANG": r.lang}
		if got := Language(func(name string) string { return env[name] }); got != r.want {
			t.Errorf("%s: %s, want %s", r.reason, got, r.want)
		}
	}
}

// TestAFilmKnowsTheLocksOfItsLesson: a key without a lease is a lock in the film of a lesson, as it was
// in the lesson.
func TestAFilmKnowsTheLocksOfItsLesson(t *testing.T) {
	want := model.Pin{Prefix: "/locks/import", Exact: true, Recipe: recipe.SingleKey}
	if got := PinsOf(model.DrillBegan{Name: "redis"}); !slices.ContainsFunc(got, func(p model.Pin) bool { return reflect.DeepEqual(p, want) }) {
		t.Errorf("of lesson 14: %+v, want %+v among them", got, want)
	}
	if got := PinsOf(model.DrillBegan{Name: "ghost-leader"}); got != nil {
		t.Errorf("of a drill that is no lesson: %+v", got)
	}
}

// TestALessonSaysThatItShowsAModel: of those with steps in a model of small stores the screen does not wait
// for a lock.
func TestALessonSaysThatItShowsAModel(t *testing.T) {
	for name, want := range map[string]bool{"copies": true, "endings": true, "order": false, "redis": false} {
		d, err := lessons.Lesson(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(t.Context(), d, "en", false).Lesson().Model; got != want {
			t.Errorf("lesson %s: %v, want %v", name, got, want)
		}
	}
}

package course

import (
	"strings"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/ui/tutor"
)

// Guide is a guide as the console wants it. lock is whose queue it is about.
func Guide(d *drill.Drill, lang, lock string) *tutor.Lesson {
	l := &tutor.Lesson{Title: d.Title.In(lang), Lock: lock}
	for _, t := range d.Guide.Tasks {
		g := &tutor.Guided{Sees: t.Sees, Title: t.Title.In(lang), Why: t.Why.In(lang), Wait: t.Wait.In(lang), Result: t.Result.In(lang),
			Ended: t.Ended.In(lang), Silent: t.Silent.In(lang), More: t.More.In(lang)}
		if t.Does != drill.Heal {
			g.Does = model.FaultKind(t.Does)
		}
		l.Steps = append(l.Steps, tutor.Step{Kind: tutor.StepTask, Text: t.Ask.In(lang), Guided: g})
	}
	l.Steps = append(l.Steps, tutor.Step{Kind: tutor.StepDone, Text: d.Guide.End.In(lang)})
	return l
}

// Language is the language of the course that the locale names, English if it names none.
func Language(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if lang, _, _ := strings.Cut(v, "_"); strings.HasPrefix(lang, "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}

package demo

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/model"
)

func lessons(t *testing.T) []*drill.Drill {
	t.Helper()
	all, err := Lessons()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAlwaysTheSecondIsChance: who answers without thinking has as many right as chance gives.
func TestAlwaysTheSecondIsChance(t *testing.T) {
	const seeds = 500
	all := lessons(t)
	for choice := 1; choice <= 3; choice++ {
		right, expected := 0.0, 0.0
		for seed := range uint64(seeds) {
			for _, d := range all {
				for i, s := range d.Steps {
					if s.Ask == nil {
						continue
					}
					if q := s.Ask.Shuffled(seed, i+1); choice <= len(q.Options) {
						expected += 1 / float64(len(q.Options))
						if q.Answer == choice {
							right++
						}
						if q.Options[q.Answer-1].In("en") != s.Ask.Options[s.Ask.Answer-1].In("en") {
							t.Fatalf("%s: shuffled, the answer is another", d.Name)
						}
					}
				}
			}
		}
		if right < 0.9*expected || right > 1.1*expected {
			t.Errorf("always %d is right %.0f times, by chance it were %.0f", choice, right, expected)
		}
	}
}

// ambiguousWidth are signs that a terminal draws in one cell or in two.
var ambiguousWidth = regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")

// TestTheLessonsSpeakBothLanguages: each step has words in Chinese, without a sign of
// ambiguous width and without signs of half a width between Chinese characters.
func TestTheLessonsSpeakBothLanguages(t *testing.T) {
	half := regexp.MustCompile(`\p{Han}[,:;?!]|[,:;?!]\p{Han}`)
	check := func(d *drill.Drill, what, text string) {
		t.Helper()
		if text == "" {
			t.Errorf("%s: %s has no words in Chinese", d.Name, what)
		}
		if bad := ambiguousWidth.FindString(text) + half.FindString(text); bad != "" {
			t.Errorf("%s: %s: %q in %q", d.Name, what, bad, text)
		}
	}
	for _, d := range lessons(t) {
		l := d.Lesson
		for _, line := range slices.Concat(l.Etcdctl, l.Go) {
			if len(line) > 74 { // what a terminal of 80 columns has for them
				t.Errorf("%s: %d signs, and the end is cut off: %s", d.Name, len(line), line)
			}
		}
		for _, text := range []drill.Text{l.Title, l.Teaches, l.Elsewhere} {
			check(d, "its page", text["zh"])
		}
		if l.Task != nil {
			check(d, "its task", l.Task.Text["zh"])
			check(d, "its hint", l.Task.Hint["zh"])
		}
		for _, s := range d.Steps {
			switch {
			case s.Say != nil:
				check(d, "say", s.Say["zh"])
			case s.Ask != nil:
				check(d, s.Ask.Text.In("en"), s.Ask.Text["zh"])
				check(d, s.Ask.Text.In("en"), s.Ask.After["zh"])
				for i := range s.Ask.Options {
					check(d, s.Ask.Text.In("en"), s.Ask.Options[i]["zh"])
					if i+1 != s.Ask.Answer {
						check(d, s.Ask.Text.In("en"), s.Ask.Why[i]["zh"])
					}
				}
			case !s.See:
				check(d, s.Describe(), s.In("zh"))
				if s.In("en") == "" {
					t.Errorf("%s: no words for %s", d.Name, s.Describe())
				}
			}
		}
		for _, e := range d.Expect {
			for _, v := range []drill.Verdict{drill.Held, drill.Violated, drill.Unknown} {
				check(d, e.Name+" "+string(v), drill.Result{Expectation: e, Verdict: v}.Sentence("zh"))
				if en := (drill.Result{Expectation: e, Verdict: v}).Sentence("en"); en == "" {
					t.Errorf("%s: no sentence for %s %s", d.Name, e.Name, v)
				}
			}
		}
	}
}

// TestWhatAPersonDoesHasWords in both languages, for each key of the lab: a lesson says it back.
func TestWhatAPersonDoesHasWords(t *testing.T) {
	var all []model.Action
	for _, info := range model.FaultKinds() {
		f := model.Fault{Kind: info.Kind, Target: "a"}
		all = append(all, model.Action{Kind: model.InjectFault, Fault: f}, model.Action{Kind: model.HealFault, Fault: f})
	}
	all = append(all, model.Action{Kind: model.HealAll}, model.Action{Kind: model.RevokeLease, Lease: 0xa}, model.Action{Kind: model.DeleteClaim, Key: "a"},
		model.Action{Kind: model.SpawnProc, Lock: "a"}, model.Action{Kind: model.SpawnProc, Contender: "a"}, model.Action{Kind: model.TellProc, Contender: "a", Word: "lock"})
	jargon := regexp.MustCompile(`[a-zA-Z]{2,} [a-zA-Z]{2,}|%`)
	for _, a := range all {
		en, zh := drill.ActionIn("en", a), drill.ActionIn("zh", a)
		if en == "" || zh == "" || strings.Contains(en, "%") || jargon.MatchString(zh) || ambiguousWidth.MatchString(zh) {
			t.Errorf("%s: %q, %q", a.Describe(), en, zh)
		}
	}
}

// TestALessonThatDoesNotWaitIsRefused: a file in which something happens while the person
// reads is no lesson.
func TestALessonThatDoesNotWaitIsRefused(t *testing.T) {
	data, err := LessonFile("lease")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ old, new, want, reason string }{
		{"", "", "", "as it is"},
		{"  - wait: {holder: b, waiters: [c], belief: {b: holding}, within: 20s}\n", "", "under way while this is read", "a died, and its lease runs out"},
		{"{name: c, lock: orders, recipe: mutex, ttl: 4s, manual: true}", "{name: c, lock: orders, recipe: mutex, ttl: 4s, hold: 1s}", "acts by itself", "c takes turns as it likes"},
		{"      measure: holder\n", "", "decided by a measure", "the file alone says what is right"},
		{`is: "1.5..7"`, `is: "1.0..7"`, "may both be so", "two answers fit"},
		{", zh: \"8 秒：死亡之后再算一个 TTL\"", "", "has no zh", "an option is not translated"},
		{"minutes: 7", "minutes: 7\n  colour: red", "no field", "an unknown word"},
	} {
		_, err := drill.Parse("lease", []byte(strings.Replace(string(data), r.old, r.new, 1)))
		if r.want == "" && err != nil || r.want != "" && (err == nil || !strings.Contains(err.Error(), r.want)) {
			t.Errorf("%s: %v, want %q", r.reason, err, r.want)
		}
	}
}

package draw

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/text"
)

// TestALessonSaysInChineseHowALockIs: whatever is found, and however a lock or a session is, has
// a word that fits where the English one does.
func TestALessonSaysInChineseHowALockIs(t *testing.T) {
	var all []model.Message
	for _, e := range findings.Catalogue() {
		all = append(all, e.Word)
	}
	for _, c := range append(model.Conditions(), model.IsWaitedFor) {
		all = append(all, findings.StateWord(c))
	}
	if len(all) < 50 {
		t.Fatalf("%d words", len(all))
	}
	for _, word := range all {
		if zh := text.Render(text.Chinese, word); zh == "" || Width(zh) > 13 {
			t.Errorf("%s: %q, %d cells", word.ID, zh, Width(zh))
		}
	}
	for _, r := range []struct {
		lang string
		want bool
	}{{"zh", true}, {"en", false}, {"", false}} {
		th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
		th.Lang = r.lang
		if said := th.FormatCondition(model.IsHeld).Text; strings.ContainsFunc(said, han) != r.want {
			t.Errorf("%q: %q", r.lang, said)
		}
	}
}

// han says whether a character is Chinese.
func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// chineseAmbiguous are signs that a terminal draws in one cell or in two.
var chineseAmbiguous = regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")

// TestTitlesStayInTheirRoom: the title of a column takes no more cells in Chinese than in English,
// and no word has a sign that a terminal draws in one cell or in two.
func TestTitlesStayInTheirRoom(t *testing.T) {
	wide := []model.MessageID{"title-fix"} // of columns that are far wider than their titles
	titles := 0
	for id, s := range text.Catalogue() {
		if strings.HasPrefix(string(id), "title-") {
			if titles++; Width(s.Chinese) > Width(s.English) && !slices.Contains(wide, id) {
				t.Errorf("%s: %q, %d cells for %q", id, s.Chinese, Width(s.Chinese), s.English)
			}
		}
	}
	if titles < 50 {
		t.Errorf("%d titles", titles)
	}
}

// TestANameIsNoWord: what a person called a lock or a program stays as it is, also where it is a
// word of the console.
func TestANameIsNoWord(t *testing.T) {
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	th.Lang = "zh"
	for _, name := range []string{"queue", "leader", "hold", "2 locks", "Locks"} {
		if got := ansi.Strip(th.Line(10, []Span{Plain.Of(name)}, nil)); strings.TrimSpace(got) != name {
			t.Errorf("%q is told as %q", name, got)
		}
	}
}

// TestTheJournalOfALessonIsChinese for each kind of entry that a lesson can have, whatever the cause.
func TestTheJournalOfALessonIsChinese(t *testing.T) {
	s := store.New()
	a, b := model.ClaimRef{Key: "/l/a", Lease: 1, CreateRev: 2}, model.ClaimRef{Key: "/l/b", Lease: 2, CreateRev: 3}
	var all []journal.Entry
	for _, cause := range []journal.Cause{journal.CauseReleased, journal.CauseExpired, journal.CauseRevoked, journal.CauseDeleted, journal.CauseReplaced, journal.CauseUnknown} {
		for _, sure := range []model.Confidence{model.Certain, model.Strong, model.Hint} {
			why := journal.Why{Cause: cause, Confidence: sure, Pending: sure == model.Hint}
			for _, kind := range []journal.Kind{journal.Queued, journal.Acquired, journal.Shared, journal.Left, journal.Handover, journal.First, journal.Blocked} {
				for _, unseen := range []bool{false, true} {
					all = append(all, journal.Entry{Kind: kind, Lock: "/l", Claim: a, From: b, WaitsFor: b, Why: why, Place: 2, WasHolder: unseen, Unseen: unseen})
				}
			}
		}
	}
	for _, x := range []struct {
		code model.Code
		said model.Message
	}{
		{model.CodeDeadHolder, model.Say("found", model.CodeDeadHolder, model.Strong, model.Say("its-process-has-ended"))},
		{model.CodeNoQuorum, model.Say("found-over", model.CodeNoQuorum, 3*time.Second)},
	} {
		all = append(all, journal.Entry{Kind: journal.Finding, Code: x.code, Lock: "/l", Text: x.said, Why: journal.Why{Confidence: model.Strong}})
	}
	for _, said := range []model.Message{model.Say("process-runs", "a", 7), model.Say("process-paused", "a", 7), model.Say("process-killed", "a", 7), model.Say("process-stopped", "a", 7), model.Say("process-ended", "a", 7),
		model.Say("process-ended-how", "a", 7, model.ProcEnded, "exit 0"), model.Say("noticed-lease-gone", "a"), model.Say("wrote-with-old-token", "a", int64(7), int64(9))} {
		all = append(all, journal.Entry{Kind: journal.Lab, Lock: "/l", Text: said})
	}
	for _, said := range []model.Message{model.Say("step", 3, model.Say("step-says", "say: a holds")), model.Say("step-over", 3, model.Say("step-says", "after 0.1 s")), model.Say("step-failed", 3, model.Message{})} {
		all = append(all, journal.Entry{Kind: journal.Drill, Text: said})
	}
	done := func(a model.Action) {
		all = append(all, journal.Entry{Kind: journal.Action, Text: model.Outcome{Action: a, Done: true}.Message()})
	}
	for _, info := range model.FaultKinds() {
		f := model.Fault{Kind: info.Kind, Target: "a", For: time.Second}
		all = append(all, journal.Entry{Kind: journal.Lab, Text: model.Say("fault", f)}, journal.Entry{Kind: journal.Lab, Text: model.Say("fault-healed", f)},
			journal.Entry{Kind: journal.Lab, Text: model.Say("fault-target-ended", f)})
		done(model.Action{Kind: model.HealFault, Fault: f})
		done(model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: info.Kind, Target: "a"}})
	}
	for _, x := range []model.Action{{Kind: model.RevokeLease}, {Kind: model.DeleteClaim, Key: "k"}, {Kind: model.SpawnProc, Contender: "a"}, {Kind: model.SpawnProc, Lock: "/l"}, {Kind: model.HealAll}, {Kind: model.TellProc, Contender: "a", Word: "lock"}} {
		done(x)
	}
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	english := regexp.MustCompile("[a-z]{3,} [a-z]{2,}")
	for _, e := range all {
		th.Lang = "zh"
		said := th.Sentence(s.View, &e)
		if !strings.ContainsFunc(said, han) || english.MatchString(said) || chineseAmbiguous.MatchString(said) {
			t.Errorf("%s: %q", e.Kind, said)
		}
		th.Lang = "en"
		if said := th.Sentence(s.View, &e); strings.ContainsFunc(said, han) {
			t.Errorf("%s in English: %q", e.Kind, said)
		}
	}
}

// TestWhoWaitsForWhomInChinese: b waits for a is not "b is for a".
func TestWhoWaitsForWhomInChinese(t *testing.T) {
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	th.Lang = "zh"
	for _, r := range []struct{ got, want string }{
		{th.Say("waits-for-word"), "等"},
		{th.Say("waits-so-long-for", model.Verbatim("8s")), "已 8s 在等"},
		{th.Say("waits-so-long", model.Verbatim("8s")), "等 8s"},
		{th.Say("next-is", "c"), "下一个 c"},
		{th.Say("behind", "a"), "在 a 后"},
	} {
		if r.got != r.want {
			t.Errorf("%q, want %q", r.got, r.want)
		}
	}
}

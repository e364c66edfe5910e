package draw

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/fold"
	"locktop/model/journal"
)

// TestALessonSaysInChineseHowALockIs: whatever is found, and however a lock or a session is, has
// a word that fits where the English one does.
func TestALessonSaysInChineseHowALockIs(t *testing.T) {
	ambiguous := regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")
	var all []string
	for _, e := range diagnose.Catalogue() {
		if e.Word != "" {
			all = append(all, e.Word)
		}
	}
	for _, c := range []model.Condition{model.IsFree, model.IsOrderOnly, model.IsBlocked, model.IsMoving, model.IsHeld, model.IsWaitedFor, model.IsEncrypted,
		model.IsHealthy, model.IsUnread, model.IsLate, model.HasNoLease, model.IsGone, model.IsSilent, model.IsOverdue} {
		all = append(all, c.Word)
	}
	if len(all) < 50 {
		t.Fatalf("%d words", len(all))
	}
	for _, word := range all {
		if zh := chinese[word]; zh == "" || Width(zh) > 13 || ambiguous.MatchString(zh) {
			t.Errorf("%s: %q, %d cells", word, zh, Width(zh))
		}
	}
	for _, r := range []struct {
		lang string
		want bool
	}{{"zh", true}, {"en", false}, {"", false}} {
		th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
		th.Lang = r.lang
		text := th.Says(model.IsHeld).Text
		han := false
		for _, c := range text {
			han = han || unicode.Is(unicode.Han, c)
		}
		if han != r.want {
			t.Errorf("%q: %q", r.lang, text)
		}
	}
}

// TestALessonSaysInChineseWhatIsFound: each code of the diagnosis has a sentence and what to do,
// about the same lock as the English one; nothing in them has a width that terminals dispute.
func TestALessonSaysInChineseWhatIsFound(t *testing.T) {
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	for _, lang := range []string{"zh", "en"} {
		th.Lang = lang
		for _, e := range diagnose.Catalogue() {
			f := &model.Finding{Code: e.Code, Lock: "/l", Summary: "in English", Advice: []string{"do it"}}
			all := []string{th.Summary(f), th.Advice(f)[0], th.Headline(diagnose.Verdict{Finding: *f}), th.Headline(diagnose.Verdict{Finding: *f, Locks: 3})}
			for _, text := range all {
				if han := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }); han != (lang == "zh") || chineseAmbiguous.MatchString(text) || strings.Contains(text, "{") {
					t.Errorf("%s in %s: %q", e.Code, lang, text)
				}
			}
			if lang == "zh" && strings.Contains(e.Story, "{lock}") != strings.Contains(found[e.Code].story, "{lock}") && e.Code != model.CodeSharedLease {
				t.Errorf("%s: %q, %q: one of them names no lock", e.Code, e.Story, found[e.Code].story)
			}
		}
	}
}

// chineseAmbiguous are signs that a terminal draws in one cell or in two.
var chineseAmbiguous = regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")

// TestLabelsStayInTheirRoom: a word of the console takes no more cells in Chinese than in
// English, but for those whose room is made anew.
func TestLabelsStayInTheirRoom(t *testing.T) {
	roomy := []string{"Lab", "LAB", "now", "why", "pan", "run", "do:"} // names of pages and keys, and what begins a line
	for en, zh := range labels {
		if chineseAmbiguous.MatchString(zh) || strings.Count(en, "#") != strings.Count(zh, "#") || !slices.Contains(roomy, en) && Width(zh) > Width(en) {
			t.Errorf("%q: %q, %d cells for %d", en, zh, Width(zh), Width(en))
		}
	}
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	th.Lang = "zh"
	for _, r := range []struct{ en, label, inPlace, reason string }{
		{"Locks", "锁", "锁   ", "a word, and the cells that it leaves"},
		{"  waiting ", "  等待 ", "  等待    ", "blanks stay"},
		{"12 behind", "后 12", "后 12    ", "a number"},
		{"Lab", "实验", "Lab", "no room in its place"},
		{"/locks", "/locks", "/locks", "a name"},
		{"● holds", "● 持有", "● 持有 ", "a sign before it"},
		{"!! 1 false belief", "!! 1 误认", "!! 1 误认        ", "two signs before it"},
		{"next is c", "下一个 c", "下一个 c ", "a word before a name"},
		{"behind a", "在 a 后", "在 a 后 ", "words around a name"},
		{"更换 Leader now", "立即更换 Leader", "立即更换 Leader", "a word after a name"},
		{"", "", "", "nothing"},
	} {
		if got := th.Label(r.en); got != r.label {
			t.Errorf("%s: %q, want %q", r.reason, got, r.label)
		}
		if got := th.inPlace(r.en); got != r.inPlace {
			t.Errorf("%s: %q in its place, want %q", r.reason, got, r.inPlace)
		}
	}
	th.Lang = "en"
	if got := th.Label("Locks"); got != "Locks" {
		t.Errorf("in English: %q", got)
	}
}

// TestTheJournalOfALessonIsChinese for each kind of entry that a lesson can have, whatever the cause.
func TestTheJournalOfALessonIsChinese(t *testing.T) {
	s := fold.NewState()
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
	for _, text := range []string{"dead-holder (strong): a stopped", "dead-holder on /l is over, after 2s", "no-quorum is over, after 3s"} {
		all = append(all, journal.Entry{Kind: journal.Finding, Lock: "/l", Text: text, Why: journal.Why{Confidence: model.Strong}})
	}
	for _, text := range []string{"a (pid 7) is running", "a (pid 7) is paused", "a (pid 7) is ended: killed", "a (pid 7) is ended: exit 0", "a noticed that its lease is gone", "a wrote with the old token 7: accepted, though 9 was given"} {
		all = append(all, journal.Entry{Kind: journal.Lab, Lock: "/l", Text: text})
	}
	for _, text := range []string{"step 3: say: a holds", "step 3 over: after 0.1 s"} {
		all = append(all, journal.Entry{Kind: journal.Drill, Text: text})
	}
	for _, info := range model.FaultKinds() {
		if len(info.Takes) == 0 { // what no lesson does has the words of the drill
			f := model.Fault{Kind: info.Kind, Target: "a", For: time.Second}
			all = append(all, journal.Entry{Kind: journal.Lab, Text: "fault: " + f.Describe()}, journal.Entry{Kind: journal.Lab, Text: "fault ended: " + f.Describe() + " (healed)"},
				journal.Entry{Kind: journal.Action, Text: model.Action{Kind: model.HealFault, Fault: f}.Past()})
			all = append(all, journal.Entry{Kind: journal.Action, Text: model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: info.Kind, Target: "a"}}.Past()})
		}
	}
	for _, x := range []model.Action{{Kind: model.RevokeLease}, {Kind: model.DeleteClaim, Key: "k"}, {Kind: model.SpawnProc, Contender: "a"}, {Kind: model.SpawnProc, Lock: "/l"}, {Kind: model.HealAll}, {Kind: model.TellProc, Contender: "a", Word: "lock"}} {
		all = append(all, journal.Entry{Kind: journal.Action, Text: x.Past()})
	}
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	english := regexp.MustCompile("[a-z]{3,} [a-z]{2,}")
	for _, e := range all {
		th.Lang = "zh"
		text := th.Sentence(s, &e)
		if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || english.MatchString(text) || chineseAmbiguous.MatchString(text) {
			t.Errorf("%s: %q", e.Kind, text)
		}
		th.Lang = "en"
		if text := th.Sentence(s, &e); strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s in English: %q", e.Kind, text)
		}
	}
}

package draw

import (
	"regexp"
	"testing"
	"unicode"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/diagnose"
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

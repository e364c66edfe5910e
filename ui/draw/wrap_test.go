package draw

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNoLineBeginsWithASignThatCloses: however narrow the lines are, in both languages, and nothing is lost.
func TestNoLineBeginsWithASignThatCloses(t *testing.T) {
	th := NewTheme(ThemeDark, 0, SignsUnicode)
	for _, r := range []struct{ text, reason string }{
		{"The key is /lessons/orders/694d81e5fc652594, and it is named by its lease /lessons/orders/694d81e5fc652595.", "a word longer than half a line has its full stop beside it"},
		{"The lease ends (all of its keys go with it) , then the next one holds; who waits ? Nobody .", "a blank before the sign changes nothing"},
		{"持有者的键是 /lessons/orders/694d81e5fc652594。租约到期后，它的键被删除；排在后面的（如果有）接着持有，等待者不用做什么。", "a Chinese full stop behind Latin letters"},
		{"键没了,租约还在.持有者不知道!", "Latin signs behind Chinese ones"},
	} {
		for w := 8; w < 60; w++ {
			lines := th.Wrap(r.text, w, ParagraphMax)
			for i, line := range lines {
				if first, _ := utf8.DecodeRuneInString(line); i > 0 && closes(first) || Width(line) > w {
					t.Errorf("%s: in %d cells line %d is %q", r.reason, w, i+1, line)
				}
			}
			if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); len(lines) < ParagraphMax && got != strings.ReplaceAll(r.text, " ", "") {
				t.Errorf("%s: in %d cells it is %q", r.reason, w, lines)
			}
		}
	}
}

// TestASentenceIsCutAfterAWord: before a clause that would say more, else after a word with a sign that there is
// more; a word that takes most of the room is cut.
func TestASentenceIsCutAfterAWord(t *testing.T) {
	th := NewTheme(ThemeDark, 0, SignsUnicode)
	for _, r := range []struct {
		text         string
		w            int
		want, reason string
	}{
		{"freeze the screen, and let it go; events are still collected", 48, "freeze the screen, and let it go", "the clause behind it says more"},
		{"faults for the selected contender or member, or the cluster", 50, "faults for the selected contender or member", "so does an alternative"},
		{"explain the worst finding on the selected item", 30, "explain the worst finding on…", "no clause ends"},
		{"explain the worst finding on the selected item", 29, "explain the worst finding on…", "it ends with a word as it is"},
		{"explain the worst finding on the selected item", 28, "explain the worst finding…", "a word has no room"},
		{"694d81e5fc652594694d81e5fc652594", 20, "694d81e5fc652594694…", "one long word"},
		{"冻结屏幕再放开事件照样收集起来", 20, "冻结屏幕再放开事件…", "Chinese has no blanks"},
	} {
		if got := th.CutClause(r.text, r.w, r.w/2); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

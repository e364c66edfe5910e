package demo

import (
	"testing"

	"locktop/model"
	"locktop/model/findings"
)

// TestEveryFindingHasAStory of the severity that the catalogue says, or a reason why locktop does not
// find it.
func TestEveryFindingHasAStory(t *testing.T) {
	found, worst := map[model.Code]int{}, map[model.Code]model.Severity{}
	for _, st := range stories() {
		found[st.code]++
		if s := worst[st.code]; s == "" || st.severity.Compare(s) < 0 {
			worst[st.code] = st.severity
		}
	}
	for _, e := range findings.Catalogue() {
		if e.NotFound.IsZero() != (found[e.Code] > 0) {
			t.Errorf("%s: %d stories, and not found because %q; want either", e.Code, found[e.Code], e.NotFound.ID)
		}
		if e.Severity != worst[e.Code] {
			t.Errorf("%s: the worst story is %q, the catalogue says %q", e.Code, worst[e.Code], e.Severity)
		}
	}
}

package page

import (
	"testing"

	"locktop/model"
	"locktop/model/text"
)

// TestStatesAreCountedByTheirNames: what is neither good nor bad is counted by the name that the table has for
// it, whatever that comes from, and none is lost where there are more names than places.
func TestStatesAreCountedByTheirNames(t *testing.T) {
	long, grouped := model.Condition{Level: model.LevelInfo, Word: "long-held"}, model.IsOrderOnly
	var c health
	for _, is := range []model.Condition{long, grouped, {Level: model.LevelWarning, Word: long.Word}, long} {
		c.other(is)
	}
	if c.others[0].n != 3 || c.others[0].is.Word != long.Word || c.others[1].n != 1 || c.others[1].is != grouped || c.others[2].n != 0 {
		t.Errorf("3 held long and a group: %+v", c.others)
	}
	sum := 0
	for _, word := range []string{"a", "b", "c", "d"} {
		c.other(model.Condition{Word: word})
	}
	for _, x := range c.others {
		sum += x.n
	}
	if sum != 8 {
		t.Errorf("8 locks in 6 states: %d in %+v", sum, c.others)
	}
}

// TestAStateReadsRightAfterANumber: for one lock as for several.
func TestAStateReadsRightAfterANumber(t *testing.T) {
	for _, r := range []struct {
		is        model.Condition
		one, many string
		reason    string
	}{
		{model.IsOrderOnly, "1 group of leased keys", "3 groups of leased keys", "the state speaks of the keys, the number of what they make together"},
		{model.IsHeld.With(&model.Finding{Code: model.CodeLongQueue, Severity: model.SevInfo}), "1 with a long queue", "3 with a long queue", "each has a queue"},
		{model.IsHeld.With(&model.Finding{Code: model.CodeLongHeld, Severity: model.SevInfo}), "1 held long", "3 held long", "a word like moving and free"},
	} {
		for n, want := range map[int]string{1: r.one, 3: r.many} {
			if got := text.English((&likewise{r.is, n}).counted()); got != want {
				t.Errorf("%s: %q, want %q", r.reason, got, want)
			}
		}
	}
}

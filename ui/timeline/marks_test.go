package timeline

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestMarks: each cell has the mark that matters most of those in it, the cursor says which and
// how many are under it, and without a cursor all are counted.
func TestMarks(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	members := func(sec float64, leader uint64) {
		h.Add(model.ClusterStatus{At: modeltest.At(sec), Members: []model.Member{{ID: 1, Name: "m1", Leader: leader == 1}, {ID: 2, Name: "m2", Leader: leader == 2}}})
	}
	members(1, 1)
	members(11.2, 2) // a leader alone
	members(31.2, 1) // a leader, and in the same cell the watch is lost
	h.Add(model.Lost{At: modeltest.At(31.3), Prefix: "", Reason: model.LostDisconnect}, model.Back{At: modeltest.At(31.4), Prefix: ""})
	h.Put(40, modeltest.ClaimKey("/l", 0xa0), "", 0xa0)
	h.Read(40.1, 0xa0, 9, 9)
	h.Read(47, 0xa0, 9, 2) // renewals are missed since 40, and from now on that is a finding
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	th := viewOf(s, modeltest.At(60)).Th
	for _, r := range []struct {
		at         float64
		line, says string
		reason     string
	}{
		{0, "           ◆                   ≈        !      !            ", "6 marks", "no cursor: the watch hides the leader of its cell, and all are counted"},
		{11.2, "           ◆                   ≈        !      !            ", "◆ cluster", "on the leader"},
		{31.2, "           ◆                   ≈        !      !            ", "≈ watch +2", "two more are under it"},
		{20.5, "           ◆        ┊          ≈        !      !            ", "6 marks", "where nothing is the line of the cursor goes through"},
		{40.1, "           ◆                   ≈        !      !            ", "! renews late", "on renewals that are missed"},
	} {
		var w Window
		if r.at > 0 {
			w.Go(modeltest.At(r.at), modeltest.At(0), modeltest.At(60))
		}
		row, says := MarksOf(s.View, th, w.Scale(time.Time{}, modeltest.At(60), 60), nil).Line(th)
		line := ""
		for _, sp := range row {
			line += sp.Text
		}
		if line != r.line || says.Text != r.says || ansi.StringWidth(line) != 60 {
			t.Errorf("%s:\n%q %q, want\n%q %q", r.reason, line, says.Text, r.line, r.says)
		}
	}
}

package page

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// TestLeadersAreLanes: each member has one, of the time that it led; what nobody saw is nobody's.
func TestLeadersAreLanes(t *testing.T) {
	t0 := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	round := func(s int, leader uint64, term uint64) model.Event {
		st := model.ClusterStatus{At: at(s)}
		for id := uint64(1); id <= 2; id++ {
			m := model.Member{ID: id, Name: "m" + string(rune('0'+id)), Term: term, Leader: id == leader, NoLeader: leader == 0}
			if leader == 3 {
				m.Err = model.Say("quote", "connection refused")
			}
			st.Members = append(st.Members, m)
		}
		return st
	}
	for _, r := range []struct {
		rounds        []model.Event
		title, m1, m2 string
		reason        string
	}{
		{[]model.Event{round(0, 1, 2)}, "no change seen", "##########", "..........", "one leader all the time"},
		{[]model.Event{round(0, 1, 2), round(5, 2, 3)}, "1 change seen, the last at 03:04:10", "#####.....", ".....#####", "the other took over"},
		{[]model.Event{round(0, 1, 2), round(5, 0, 2), round(7, 2, 3)}, "1 change seen, the last at 03:04:12", "#####.....", ".......###", "nobody led for two seconds"},
		{[]model.Event{round(0, 1, 2), round(5, 3, 0), round(7, 1, 2)}, "no change seen", "#####??===", ".....??...", "nobody answered for two seconds"},
	} {
		s := store.New()
		s.Apply(model.Batch{Events: r.rounds})
		th := draw.NewTheme(draw.ThemeMono, termenv.Ascii, draw.SignsASCII)
		f := Frame{ViewState: &ViewState{}, View: table.View{S: s.View, Th: th, Now: at(10)}}
		p := newLab(false).(*labPage)
		p.look(f)
		lines := p.leaders(f, 17, 5)
		for i, want := range []string{"", "", "  m1  " + r.m1, "  m2  " + r.m2} {
			if got := strings.TrimRight(ansi.Strip(lines[i]), " "); i > 1 && got != want {
				t.Errorf("%s: %q, want %q", r.reason, got, want)
			}
		}
		if wide := ansi.Strip(p.leaders(f, 100, 5)[0]); !strings.Contains(wide, r.title) {
			t.Errorf("%s: %q, want %q in it", r.reason, wide, r.title)
		}
	}
}

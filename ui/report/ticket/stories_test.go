package ticket

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestThePageTellsTheWholePeriod: a deadlock that somebody ended, a lock that was broken though
// nothing was wrong with it, and a time in which nothing was seen, all over before the end.
func TestThePageTellsTheWholePeriod(t *testing.T) {
	a, b := modeltest.ClaimKey("/lock/x", 0xa1), modeltest.ClaimKey("/lock/y", 0xb2)
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, a, "", 0xa1)
	h.Put(2, b, "", 0xb2)
	h.Put(10, modeltest.ClaimKey("/lock/x", 0xb2), "", 0xb2)
	h.Put(11, modeltest.ClaimKey("/lock/y", 0xa1), "", 0xa1)
	h.Add(model.Tick{At: modeltest.At(14)})
	h.Del(40, a)
	h.Add(model.Acted{At: modeltest.At(40.1), Outcome: model.Outcome{At: modeltest.At(40.1), By: "ada", Done: true, Rev: h.Rev,
		Action: model.Action{Kind: model.DeleteClaim, Lock: "/lock/x", Key: a, CreateRev: 101}}})
	h.Put(50, modeltest.ClaimKey("/lock/z", 0xc3), "", 0xc3)
	h.Put(51, modeltest.ClaimKey("/lock/z", 0xd4), "", 0xd4)
	h.End(60, 0xc3)
	h.Add(model.Acted{At: modeltest.At(60.1), Outcome: model.Outcome{At: modeltest.At(60.1), By: "bob", Done: true, Rev: h.Rev,
		Action: model.Action{Kind: model.RevokeLease, Lock: "/lock/z", Lease: 0xc3}}})
	h.Add(model.Acted{At: modeltest.At(62), Outcome: model.Outcome{At: modeltest.At(62), By: "bob", Done: true,
		Action: model.Action{Kind: model.InjectFault, Lock: "/lock/z", Fault: model.Fault{Kind: model.FaultPause, Target: "d4"}}}}) // it breaks no lock
	h.Add(model.Lost{At: modeltest.At(70), Prefix: "", Reason: model.LostDisconnect, Detail: model.Say("quote", "connection refused")})
	h.Add(model.Back{At: modeltest.At(90)})
	h.Add(model.Tick{At: modeltest.At(95)})
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	p := pageOf(s, modeltest.At(0))
	type row struct{ title, on, by, ended string }
	var got []row
	for _, s := range p.Stories {
		r := row{title: s.Title, on: s.lockNames()}
		if s.By != nil {
			r.by = *s.By
		}
		if s.Ended != nil {
			r.ended = *s.Ended
		}
		got = append(got, r)
	}
	for i, want := range []row{
		{"Deadlock (strong)", "/lock/x and /lock/y", "ada", "ada: Deleted claim " + a},
		{"Lock broken", "/lock/z", "bob", "bob: Revoked lease c3"},
		{"Not seen", "", "", "is back after 20s"},
	} {
		if i >= len(got) || got[i].title != want.title || got[i].on != want.on || got[i].by != want.by || !strings.Contains(got[i].ended, want.ended) {
			t.Errorf("story %d: got %+v, want %+v", i, got, want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d stories: %+v", len(got), got)
	}
	for _, want := range []string{"Was: Deadlock", "on /lock/x and /lock/y, from 03:04:19 for 26s", "ended by ada", "2 locks were broken by hand"} {
		if !strings.Contains(p.Verdict.Text, want) {
			t.Errorf("no %q in the headline %q", want, p.Verdict.Text)
		}
	}
	for _, format := range []string{"html", "md"} {
		text := asText(t, p, format)
		for _, want := range []string{"ada", "bob", "revoked by bob"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", format, want, text)
			}
		}
	}
}

// TestAnOutageIsOneStory: a watch that is lost again and again is one outage with a count, while another
// reason, and a time long after, are outages of their own.
func TestAnOutageIsOneStory(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	lost := func(at float64, why model.LostReason) {
		h.Add(model.Lost{At: modeltest.At(at), Reason: why, Detail: model.Say("quote", "why")}, model.Back{At: modeltest.At(at + 1)})
	}
	for at := 10.; at < 30; at += 4 {
		lost(at, model.LostDisconnect)
	}
	lost(31, model.LostSilent)
	lost(60, model.LostDisconnect)
	h.Add(model.Tick{At: modeltest.At(70)})
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	var got []string
	for _, s := range pageOf(s, modeltest.At(0)).Stories {
		got = append(got, fmt.Sprintf("%s for %s", s.Title, s.To.Sub(s.From)))
	}
	want := []string{"Not seen 5 times for 17s", "Not seen for 1s", "Not seen for 1s"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAProblemThatGrowsIsOneStory: a holder that renews late, falls silent and loses its lock is told
// once, and not as something that goes on.
func TestAProblemThatGrowsIsOneStory(t *testing.T) {
	holder, waiter := modeltest.ClaimKey("/lock/x", 0xa1), modeltest.ClaimKey("/lock/x", 0xb2)
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, holder, "", 0xa1)
	h.Put(1.5, waiter, "", 0xb2)
	for at := 2.0; at < 20; at += 3 { // it was seen to be renewed
		h.Read(at, 0xa1, 10, 9)
		h.Read(at, 0xb2, 10, 9)
	}
	for at := 20.0; at < 28; at++ {
		h.Read(at, 0xa1, 10, int64(26-at))
		h.Read(at, 0xb2, 10, 9)
	}
	h.End(28, 0xa1)
	h.Add(model.Tick{At: modeltest.At(40)})
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	began := 0
	for _, e := range s.Journal() {
		if e.Found != nil {
			began++
		}
	}
	p := pageOf(s, modeltest.At(0))
	if began < 2 || len(p.Stories) != 1 || p.Stories[0].To == nil || p.Stories[0].Ended == nil || !strings.Contains(*p.Stories[0].Ended, "took over /lock/x") {
		for _, x := range p.Stories {
			t.Errorf("%+v", *x)
		}
		t.Errorf("%d findings, %d stories", began, len(p.Stories))
	}
}

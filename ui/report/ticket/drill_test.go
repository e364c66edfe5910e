package ticket

import (
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// aRehearsal is a drill in which a stopped holder believes on after another got the lock.
func aRehearsal() []model.Event {
	h := modeltest.New()
	h.Add(model.DrillBegan{At: modeltest.At(0), Name: "pause", Title: "A paused holder", Why: "It cannot know.", Seed: 7})
	h.Loaded(0)
	h.Add(model.DrillStep{At: modeltest.At(1), N: 1, Text: "wait for a to hold /x"})
	h.Put(1, modeltest.ClaimKey("/x", 0xa1), "", 0xa1)
	h.Add(model.Belief{At: modeltest.At(1), Contender: "a", Lock: "/x", State: model.BeliefHolding, Key: modeltest.ClaimKey("/x", 0xa1), Lease: 0xa1})
	h.Put(2, modeltest.ClaimKey("/x", 0xb2), "", 0xb2)
	h.Add(model.DrillStep{At: modeltest.At(2), N: 1, Over: true, Text: "after 1.0 s: a holds /x"},
		model.DrillStep{At: modeltest.At(2), N: 2, Acts: true, Text: "pause holder"},
		model.DrillStep{At: modeltest.At(3), N: 2, Over: true, Acts: true, Text: "holder is a: Paused a"},
		model.DrillStep{At: modeltest.At(3), N: 3, Text: "wait for b to hold /x"})
	h.Del(5, modeltest.ClaimKey("/x", 0xa1))
	h.Add(model.Belief{At: modeltest.At(5), Contender: "b", Lock: "/x", State: model.BeliefHolding, Key: modeltest.ClaimKey("/x", 0xb2), Lease: 0xb2},
		model.Belief{At: modeltest.At(7), Contender: "a", Lock: "/x", State: model.BeliefLost},
		model.DrillStep{At: modeltest.At(9), N: 3, Over: true, Failed: true, Text: "waited 6s"},
		model.DrillJudged{At: modeltest.At(10), Expected: "one-holder", Verdict: model.DrillHeld},
		model.DrillJudged{At: modeltest.At(10), Expected: "handover: within 2s", Verdict: model.DrillViolated, Seen: "4 s, at most 2 s", Evidence: []string{"b got /x late"}},
		model.DrillOver{At: modeltest.At(10), Verdict: model.DrillViolated})
	return h.Events
}

// TestADrillOnAPage: its steps in time, each expectation with what was seen, the verdict, and
// beliefs beside what was so; and where no drill was played, no word of one.
func TestADrillOnAPage(t *testing.T) {
	all := aRehearsal()
	held := append(all[:len(all)-2:len(all)-2], model.DrillOver{At: modeltest.At(10), Verdict: model.DrillUnknown, Reason: "only 3 acquisitions"})
	for _, row := range []struct {
		reason string
		events []model.Event
		format string
		has    []string
		lacks  []string
	}{
		{"all of it", all, "html", []string{"<h2>A paused holder</h2>", `<div class="verdict error">The drill: violated. 1 of 2 expectations held.</div>`, "It cannot know.",
			`<b class="error">violated</b></td><td>handover: within 2s</td><td>4 s, at most 2 s<ul><li>b got /x late</li>`, `<b class="well">held</b></td><td>one-holder`,
			"<td>1. wait for a to hold /x</td><td>after 1.0 s: a holds /x</td>", "<td>3. wait for b to hold /x</td><td>failed: waited 6s</td>", "2. pause holder</td><td>holder is a: Paused a",
			`title="a says"`, `class="not" d="M360 `, "a believed for 2.0 s that it held /x, which b held"}, []string{"step 1:", "drill over"}},
		{"for a ticket", all, "md", []string{"## A paused holder", "**The drill: violated. 1 of 2 expectations held.**", "| violated | handover: within 2s | 4 s, at most 2 s; b got /x late |",
			"1. wait for a to hold /x: after 1.0 s: a holds /x\n", "## Who believed what was not so"}, nil},
		{"for programs", all, "json", []string{`"name": "pause"`, `"verdict": "violated"`, `"came": "holder is a: Paused a"`, `"failed": true`, `"held_by": "b"`, `"overlaps": [`, `"seen": null`}, nil},
		{"its end was not seen", all[:9], "html", []string{"The end of the drill was not seen", "2. pause holder</td><td>was not seen to end", `<div class="verdict unseen">`}, []string{"What was expected"}},
		{"its end was not seen, for a ticket", all[:9], "md", []string{"**The end of the drill was not seen", "It cannot know."}, []string{"expected"}},
		{"a run that says nothing", held, "html", []string{"The drill: unknown. 1 of 1 expectation held. only 3 acquisitions.", `<div class="verdict warning">`}, nil},
		{"no drill: beliefs are told all the same", all[1:3], "html", []string{"<h2>What happened</h2>"}, []string{"The drill", "expected", " says"}},
	} {
		s := store.New()
		s.Apply(model.Batch{Events: row.events})
		text := asText(t, pageOf(s, modeltest.At(0)), row.format)
		if row.format == "html" {
			checkHarmless(t, text)
		}
		for _, want := range row.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", row.reason, want, text)
			}
		}
		for _, no := range row.lacks {
			if strings.Contains(text, no) {
				t.Errorf("%s: %q in\n%s", row.reason, no, text)
			}
		}
	}
}

package drill

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
)

// epoch is when the stories begin.
var epoch = time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)

// tale is a history of one lock, /x, told event by event. Contenders have the leases
// of their letters: a has lease a1.
type tale struct {
	j   *judge
	now time.Time
	rev int64
}

func newTale(t *testing.T, row string) *tale {
	t.Helper()
	d, err := Parse("d", []byte("title: t\nlab: {contenders: [{name: a, lock: x}, {name: b, lock: x, workers: 2}, {name: c, lock: x}]}\n"+
		"steps:\n  - fault: {kill: a}\n  - pause: 1s\nexpect:\n  - "+row+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	ta := &tale{j: newJudge(d, epoch), now: epoch}
	ta.tell(model.LoadStarted{At: epoch}, model.Loaded{At: epoch})
	return ta
}

func (ta *tale) tell(events ...model.Event) {
	for _, e := range events {
		ta.j.apply(e)
	}
}

// at moves the time to that many seconds after the start.
func (ta *tale) at(seconds float64) *tale {
	ta.now = epoch.Add(time.Duration(seconds * float64(time.Second)))
	return ta
}

func leaseOf(who string) model.LeaseID { return model.LeaseID(0xa1 + int64(who[0]-'a')) }
func keyOf(who string) string          { return "/x/" + leaseOf(who).String() }

// queues and goes are what etcd does with claims; revisions count from 1.
func (ta *tale) queues(names ...string) *tale {
	for _, who := range names {
		ta.rev++
		ta.tell(model.LeaseOwner{At: ta.now, Lease: leaseOf(who), Client: model.Client{Name: who, Certain: true}},
			model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{KV: model.KV{Key: keyOf(who), CreateRev: ta.rev, ModRev: ta.rev, Lease: leaseOf(who)}}}})
	}
	return ta
}

func (ta *tale) goes(names ...string) *tale {
	for _, who := range names {
		ta.rev++
		ta.tell(model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: keyOf(who), ModRev: ta.rev}}}})
	}
	return ta
}

// says is a contender's word; the token is that of a claim, 0 for none.
func (ta *tale) says(who string, state model.BeliefState, token int64) *tale {
	ta.tell(model.Belief{At: ta.now, Contender: who, Lock: "/x", State: state, Key: keyOf(who), Lease: leaseOf(who), Token: token})
	return ta
}

func (ta *tale) writes(who string, token, highest int64, acked, lost int) *tale {
	ta.tell(model.Access{At: ta.now, Contender: who, Lock: "/x", Write: true, Token: token, Highest: highest, Accepted: true, Acked: acked, Lost: lost})
	return ta
}

func (ta *tale) hit(who string) *tale {
	ta.j.targets = append(ta.j.targets, &Target{Step: 1, Contender: who, At: ta.now, Done: true, Fault: model.Fault{Kind: model.FaultKill, Target: who}})
	ta.j.stepped = append(ta.j.stepped, ta.now)
	return ta
}

func (ta *tale) ends(who string) *tale {
	ta.tell(model.Contender{At: ta.now, Name: who, Proc: model.ProcEnded, Ended: "killed"})
	return ta
}

func (ta *tale) finds(code model.Code, c model.Confidence, s model.Severity) *tale {
	ta.j.sightings = append(ta.j.sightings, &sighting{Finding: model.Finding{Code: code, Confidence: c, Severity: s, Lock: "/x", Summary: "so it is"}, from: ta.now})
	return ta
}

func (ta *tale) because(from string, create int64, cause model.Cause, pending bool) *tale {
	ta.j.facts = append(ta.j.facts, &model.Fact{Kind: model.FactHandover, Lock: "/x", From: model.ClaimRef{Key: keyOf(from), CreateRev: create},
		Cause: cause, Confidence: model.Strong, Evidence: "it was read", Pending: pending})
	return ta
}

// done: every step was, and all was healed now.
func (ta *tale) done() *tale {
	ta.j.all, ta.j.healed = true, ta.now
	return ta
}

// over ends the story.
func (ta *tale) over() Result {
	ta.j.now, ta.j.over = ta.now, true
	return ta.j.results()[0]
}

const (
	idle, waiting, holding, lost = model.BeliefIdle, model.BeliefWaiting, model.BeliefHolding, model.BeliefLost
	none                         = math.MinInt
)

func TestExpectations(t *testing.T) {
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     Verdict
		measured float64 // none: nothing is
		evidence string  // a part of it
		reason   string
	}{
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("a", holding, 1) }, Held, none, "", "a was first"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a").says("b", waiting, 0).says("b", holding, 2).at(1).queues("b").goes("a")
		}, Held, none, "",
			"a word may come before the watch"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("b.1", holding, 2).at(3) }, Violated, none, "(create revision 2) was never first", "b waits"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a").says("b", holding, 7).at(3) }, Violated, none, "(token 7): etcd never had that claim", "b has none"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").says("b", holding, 2).at(5).goes("a")
		}, Violated, none, "came first 5.0 s later", "b was told too early"},
		{"one-holder", func(ta *tale) *tale {
			ta.queues("a").tell(model.Lost{At: ta.now}, model.LoadStarted{At: ta.now}, model.Loaded{At: ta.now})
			return ta.says("b", holding, 7).at(3)
		}, Unknown, none, "the watch was lost", "what was not seen proves nothing"},
		{"one-holder", func(ta *tale) *tale {
			ta.says("a", waiting, 0).queues("a").says("a", holding, 0).at(1).goes("a").says("a", idle, 0)
			ta.says("b", waiting, 0).queues("b").says("b", holding, 0)
			return ta.at(9).says("a", waiting, 0).queues("a").at(10).goes("b").says("a", holding, 0)
		}, Held, none, "", "a session that locks again has the same key again"},
		{"one-holder", func(ta *tale) *tale {
			ta.j.seen, ta.j.seenRev = ta.now, 9
			return ta.queues("a").at(1).says("b", holding, 7).at(5)
		}, Held, none, "", "b's claim came and went before the first list"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("b", holding, 2).at(1).done() }, Unknown, none, "not seen first yet", "the watch may yet show it"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").done().at(1).says("b", holding, 2) }, Held, none, "", "what is said after the steps is not waited for"},
		{"one-holder", func(ta *tale) *tale { return ta }, Unknown, none, "no claim was seen", "nothing to judge"},

		{"fifo", func(ta *tale) *tale { return ta.queues("a", "b", "c").goes("b", "a") }, Held, none, "", "who gives up is no matter"},
		{"fifo", func(ta *tale) *tale {
			ta.rev = 10
			ta.queues("a").goes("a")
			ta.rev = 2 // as after a restore of an older snapshot
			return ta.queues("b")
		}, Violated, none, "b (create revision 3) had /x after a (create revision 11)", "an older claim came later"},
		{"fifo", func(ta *tale) *tale { return ta.queues("a") }, Unknown, none, "1 owners", "one has no order"},

		{"tokens-grow", func(ta *tale) *tale { return ta.queues("a", "b").says("a", holding, 1).goes("a").says("b", holding, 2) }, Held, none, "", "create revisions"},
		{"tokens-grow", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", holding, 99).goes("a").says("b", holding, 45)
		}, Violated, none, "b had the token 45 after a had 99", "as with lease ids for tokens"},
		{"tokens-grow", func(ta *tale) *tale { return ta.queues("a").says("a", holding, 1) }, Unknown, none, "1 tokens", "one cannot grow"},

		{"no-old-token", func(ta *tale) *tale { return ta.writes("a", 1, 0, 1, 0).writes("b", 2, 1, 2, 0) }, Held, 0, "", "newer ones"},
		{"no-old-token", func(ta *tale) *tale { return ta.writes("b", 2, 0, 1, 0).writes("a", 1, 2, 2, 1) }, Violated, 1, "with the token 1, after 2 was seen", "an old one"},
		{"no-old-token", func(ta *tale) *tale { return ta }, Unknown, 0, "nothing was written", "nobody wrote"},

		{"no-lost-update", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 0) }, Held, 0, "", "none lost"},
		{"no-lost-update", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 2) }, Violated, 2, "2 of 5 acknowledged updates were lost", "two lost"},
		{"no-lost-update", func(ta *tale) *tale { return ta }, Unknown, 0, "no update was acknowledged", "nobody wrote"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 2).done() }, Held, 2, "", "the defect shows"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 1).done() }, Violated, 1, "1 lost updates: 2 were expected", "too few"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.done() }, Unknown, none, "no update was acknowledged", "nobody wrote"},

		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(4).goes("a") }, Held, 4, "", "b waited 4 s"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("a") }, Violated, 6, "b waited 6.0 s", "too long"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, Violated, 6, "and still does", "still too long"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2) }, Unknown, 2, "b still waits", "it may still come"},
		{"served: {within: 5s, except: [b]}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, Held, 0, "", "b does not count"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("b") }, Held, 0, "1 left", "b gave up"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a").at(1).done().at(2).queues("b").at(9) }, Held, 0, "", "who asks after the steps is not waited for"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta }, Unknown, none, "nobody asked", "nobody"},

		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holding, 1).at(1).says("b.1", holding, 2).at(1.05).says("a", idle, 0).at(2)
		}, Held, 0.05, "", "letting go takes a moment"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holding, 1).at(1).says("b.1", holding, 2).at(3).says("a", lost, 0)
		}, Violated, 2, "a and b.1 both believed to hold /x for 2.000 s", "two believe"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale { return ta.says("b.1", holding, 1).says("b.2", holding, 1).at(3) }, Violated, 3, "b.1 and b.2", "workers are two"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holding, 1).at(1).ends("a").at(2).says("b", holding, 2).at(5)
		}, Held, 0, "", "the dead believe nothing"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			ta.says("a", holding, 1).at(1).tell(model.Contender{At: ta.now, Name: "a", Proc: model.ProcPaused})
			return ta.at(2).says("b", holding, 2).at(5)
		}, Violated, 3, "", "who is paused still believes"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale { return ta }, Unknown, none, "nobody said", "nobody"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holding, 1).says("b", holding, 2).at(3).done() }, Held, 3, "", "the defect shows"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holding, 1).at(1).done() }, Violated, 0, "the longest overlap was 0.000 s", "it does not show"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holding, 1).at(1) }, Unknown, 0, "did not get that far", "the drill was cut off"},

		{"handover: {lock: x, to: b, cause: expired, within: 5s, at-least: 1s}", func(ta *tale) *tale {
			return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").because("a", 1, model.CauseExpired, false).done()
		}, Held, 3, "cause: expired (strong): it was read", "from the fault to the new holder"},
		{"handover: {lock: x, within: 2s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, Violated, 3,
			"b got /x from a after 3.0 s: at most 2s", "the number that broke the bound"},
		{"handover: {lock: x, at-least: 4s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, Violated, 3, "at least 4s", "too early"},
		{"handover: {lock: x, at-least: 4s, within: 9s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, Violated, 3, "at least 4s", "the bound that it broke is shown"},
		{"handover: {lock: x, cause: expired}", func(ta *tale) *tale {
			return ta.queues("a", "b").hit("a").at(3).goes("a").because("a", 1, model.CauseReleased, false).done()
		}, Violated, 3, "the cause was released (strong), not expired", "another cause"},
		{"handover: {lock: x, cause: expired}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(3).goes("a").done() }, Unknown, 3, "why is not known", "no cause"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(3).done() }, Unknown, none, "before its 5s were over", "it may still come"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(6) }, Violated, none, "not within 5s", "also where a wait gave up"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, Unknown, none, "did not get that far", "a was never hit"},
		{"handover: {lock: x, to: c, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b", "c").hit("a").at(3).goes("a").at(6).done() }, Violated, none, "b got /x from a", "the wrong one got it"},
		{"handover: {lock: x, after: 1, within: 2s}", func(ta *tale) *tale {
			return ta.queues("a", "b", "c").goes("a").at(1).hit("c").at(2).goes("b").done()
		}, Held, 1, "", "the first after the step"},
		{"handover: {lock: x, after: 2}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").goes("a") }, Unknown, none, "did not get to step 2", "no such time"},

		{"finding: {code: dead-holder, within: 3s}", func(ta *tale) *tale {
			return ta.hit("a").at(2).finds("dead-holder", model.Certain, model.SevError).done()
		}, Held, 2, "so it is", "found"},
		{"finding: {code: dead-holder, within: 3s}", func(ta *tale) *tale {
			return ta.hit("a").at(4).finds("dead-holder", model.Certain, model.SevError).done()
		}, Violated, 4, "found after 4.0 s", "late"},
		{"finding: {code: dead-holder, confidence: certain}", func(ta *tale) *tale { return ta.finds("dead-holder", model.Strong, model.SevError).done() }, Violated, none, "only as strong", "not sure enough"},
		{"finding: {code: dead-holder}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, Unknown, none, "was not found", "the drill was cut off"},
		{"no-finding: {code: dead-holder}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, Held, none, "", "another"},
		{"no-finding: {code: long-held}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, Violated, none, "long-held (hint)", "that one"},
		{"quiet", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, Held, none, "", "an information is no noise"},
		{"quiet", func(ta *tale) *tale { return ta.finds("long-queue", model.Hint, model.SevWarning) }, Violated, none, "long-queue", "a warning is"},
		{"quiet: {except: [long-queue]}", func(ta *tale) *tale { return ta.finds("long-queue", model.Hint, model.SevWarning) }, Held, none, "", "but for this"},
		{"quiet", func(ta *tale) *tale { ta.j.lists = 0; return ta }, Unknown, none, "nothing was seen", "nobody looked"},

		{"acquired: {contender: b, within: 3s}", func(ta *tale) *tale { return ta.hit("a").at(2).says("b.2", holding, 1).done() }, Held, 2, "", "a worker's word counts"},
		{"acquired: {contender: b, within: 3s}", func(ta *tale) *tale { return ta.hit("a").at(4).says("b", holding, 1).done() }, Violated, 4, "after 4.0 s", "late"},
		{"acquired: {contender: b}", func(ta *tale) *tale { return ta.says("b", holding, 1).at(1).hit("a").done() }, Violated, none, "never happened", "before the fault does not count"},
		{"acquired: {contender: b}", func(ta *tale) *tale { return ta }, Unknown, none, "did not get that far", "cut off"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").done() }, Held, none, "", "b waits"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").goes("a").done() }, Violated, none, "b came first on /x", "by etcd's order"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").says("b", holding, 2).done() }, Violated, none, "b said", "by its own word"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b") }, Unknown, none, "did not get through", "it might have"},

		{"acquisitions: {at-least: 2}", func(ta *tale) *tale { return ta.queues("a", "b").goes("a").done() }, Held, 2, "", "two"},
		{"acquisitions: {at-least: 2}", func(ta *tale) *tale { return ta.queues("a", "b").done() }, Violated, 1, "1 acquisitions: 2 were expected", "one waits"},
		{"acquisitions: {at-least: 1, contender: b}", func(ta *tale) *tale { return ta.queues("a", "b") }, Unknown, 0, "did not get that far", "cut off"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waiting, 0).at(1).says("a", lost, 0).done() }, Held, 1, "a gave up on /x", "it asked in vain"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waiting, 0).at(1).says("a", holding, 1).done() }, Violated, 0, "", "it got it"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waiting, 0).ends("a") }, Unknown, 0, "", "to die is not to give up"},

		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holding, 1).at(1).says("a", lost, 0).done() }, Held, none, "", "so it says"},
		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holding, 1).done().at(20) }, Violated, none, "a says holding", "it says otherwise, for long"},
		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holding, 1).done().at(2) }, Unknown, none, "before its 10s", "there was no time"},
		{"empty", func(ta *tale) *tale { return ta.queues("a").goes("a").done() }, Held, 0, "", "nobody"},
		{"empty: {within: 2s}", func(ta *tale) *tale { return ta.queues("a").done().at(3) }, Violated, 1, "a has a claim on /x", "a is there"},
		{"empty: {within: 2s}", func(ta *tale) *tale { return ta.queues("a").done().at(1) }, Unknown, 1, "", "there was no time"},

		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).done() }, Held, 6, "behind a for 6.0 s", "the defect shows"},
		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a").at(4).queues("b").at(6).goes("a").done() }, Violated, 2, "", "nobody waited before"},
		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(4) }, Unknown, 4, "", "cut off"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(24).goes("a").at(30) }, Held, 4, "", "it moved after the healing"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(26) }, Violated, 6, "behind a for 6.0 s after the healing", "it did not"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(22) }, Unknown, 2, "", "there was no time"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("a").at(7).done().at(8) }, Violated, 6, "behind a for 6.0 s", "nothing was broken, so it counts from the beginning"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.queues("a").done().at(30) }, Held, 0, "", "a holder alone is not stuck"},

		{"linearizable", func(ta *tale) *tale {
			ta.says("a", waiting, 0).says("b", waiting, 0).queues("a", "b").at(1).says("a", holding, 1)
			return ta.at(2).goes("a").says("b", holding, 2).at(2.01).says("a", idle, 0)
		}, Held, none, "", "letting go ends after the next one has it"},
		{"linearizable", func(ta *tale) *tale {
			ta.says("a", waiting, 0).says("b", waiting, 0).queues("a", "b").at(1).says("a", holding, 1)
			return ta.at(4).goes("a").says("b", holding, 2).at(9).says("a", idle, 0)
		}, Held, none, "", "a's lease expired, whatever a believes"},
		{"linearizable", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", waiting, 0).at(1).says("a", holding, 1).says("b", waiting, 0).at(2).says("b", holding, 2).at(3).says("a", idle, 0).at(5)
		}, Violated, none, "no order of what the contenders of /x said", "b was told while a had it"},
		{"linearizable", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", waiting, 0).says("a", holding, 1).says("b", waiting, 0).at(1).says("a", idle, 0).says("b", holding, 2)
		}, Held, none, "", "the watch does not show yet that a let go"},
		{"linearizable", func(ta *tale) *tale { return ta }, Unknown, none, "nobody said", "nothing to order"},
	} {
		ta := newTale(t, tt.row)
		r := tt.story(ta).over()
		name := tt.row + ": " + tt.reason
		if r.Verdict != tt.want {
			t.Errorf("%s: %s, want %s: %q", name, r.Verdict, tt.want, r.Evidence)
		}
		if tt.want == Violated && len(r.Evidence) == 0 || !strings.Contains(strings.Join(r.Evidence, "\n"), tt.evidence) {
			t.Errorf("%s: evidence %q, want %q in it", name, r.Evidence, tt.evidence)
		}
		if (r.Measured == nil) != (tt.measured == none) || r.Measured != nil && math.Abs(*r.Measured-tt.measured) > 1e-9 {
			t.Errorf("%s: measured %s, want %v", name, r.Numbers(), tt.measured)
		}
	}
}

// Readers of an RWMutex hold side by side, up to the first writer.
func TestSharedHolders(t *testing.T) {
	ta := newTale(t, "one-holder")
	for i, form := range []string{"read", "read", "write", "read"} {
		rev := int64(i + 1)
		ta.tell(model.Committed{At: ta.now, Rev: rev, Changes: []model.Change{{KV: model.KV{Key: fmt.Sprintf("/x/%s/%d", form, rev), CreateRev: rev, ModRev: rev, Lease: 1}}}})
	}
	var held []int64
	for _, c := range ta.j.locks["/x"].claims {
		if c.held {
			held = append(held, c.create)
		}
	}
	if !slices.Equal(held, []int64{1, 2}) {
		t.Errorf("claims %v hold, want 1 and 2", held)
	}
}

func TestVerdictOfRun(t *testing.T) {
	for _, tt := range []struct {
		results []Verdict
		least   int
		want    Verdict
		why     string
		reason  string
	}{
		{[]Verdict{Held, Held}, 0, Held, "", "all held"},
		{[]Verdict{Held, Unknown}, 0, Unknown, "", "one is not known"},
		{[]Verdict{Unknown, Violated}, 0, Violated, "", "violated counts most"},
		{[]Verdict{Held}, 10, Unknown, "not meaningful: 1 acquisitions, the drill wants 10", "too little happened to pass"},
		{[]Verdict{Violated}, 10, Violated, "", "but enough to fail"},
	} {
		ta := newTale(t, "fifo").queues("a")
		ta.j.d.Least = tt.least
		var results []Result
		for _, v := range tt.results {
			results = append(results, Result{Verdict: v})
		}
		if v, why := ta.j.verdict(results); v != tt.want || why != tt.why {
			t.Errorf("%s: %s %q, want %s %q", tt.reason, v, why, tt.want, tt.why)
		}
	}
}

package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
)

// begin is when the stories begin.
var begin = time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)

// tale is a history of one lock, /x, told event by event. Contenders have the leases
// of their letters: a has lease a1.
type tale struct {
	j   *Checker
	now time.Time
	rev int64
}

func newTale(t *testing.T, row string) *tale {
	t.Helper()
	d, err := drill.Parse("d", []byte("title: t\nlab: {contenders: [{name: a, lock: x}, {name: b, lock: x, workers: 2}, {name: c, lock: x}]}\n"+
		"steps:\n  - fault: {kill: a}\n  - pause: 1s\nexpect:\n  - "+row+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	ta := &tale{j: New(d, begin), now: begin}
	ta.tell(model.LoadStarted{At: begin}, model.Loaded{At: begin})
	return ta
}

func (ta *tale) tell(events ...model.Event) {
	for _, e := range events {
		ta.j.apply(e)
	}
}

// at moves the time to that many seconds after the start.
func (ta *tale) at(seconds float64) *tale {
	ta.now = begin.Add(time.Duration(seconds * float64(time.Second)))
	return ta
}

func leaseNamed(who string) model.LeaseID { return model.LeaseID(0xa1 + int64(who[0]-'a')) }
func keyNamed(who string) string          { return "/x/" + leaseNamed(who).String() }

// queues and goes are what etcd does with claims; revisions count from 1.
func (ta *tale) queues(names ...string) *tale {
	for _, who := range names {
		ta.rev++
		ta.tell(model.LeaseOwner{At: ta.now, Lease: leaseNamed(who), Client: model.Client{Name: who, Certain: true}},
			model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{KV: model.KV{Key: keyNamed(who), CreateRev: ta.rev, ModRev: ta.rev, Lease: leaseNamed(who)}}}})
	}
	return ta
}

func (ta *tale) goes(names ...string) *tale {
	for _, who := range names {
		ta.rev++
		ta.tell(model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: keyNamed(who), ModRev: ta.rev}}}})
	}
	return ta
}

// loses, watchesOn and lists are an outage of the watch, and how it ends: it goes on where it had stopped, or
// a list says what is there.
func (ta *tale) loses() *tale     { ta.tell(model.Lost{At: ta.now}); return ta }
func (ta *tale) watchesOn() *tale { ta.tell(model.Back{At: ta.now}); return ta }
func (ta *tale) lists(names ...string) *tale {
	ta.tell(model.LoadStarted{At: ta.now})
	for i, who := range names {
		rev := int64(i + 1)
		ta.tell(model.Listed{At: ta.now, KVs: []model.KV{{Key: keyNamed(who), CreateRev: rev, ModRev: rev, Lease: leaseNamed(who)}}})
	}
	ta.tell(model.Loaded{At: ta.now})
	return ta
}

// says is a contender's word; the token is that of a claim, 0 for none.
func (ta *tale) says(who string, state model.BeliefState, token int64) *tale {
	ta.tell(model.Belief{At: ta.now, Contender: who, Lock: "/x", State: state, Key: keyNamed(who), Lease: leaseNamed(who), Token: token})
	return ta
}

func (ta *tale) writes(who string, token, highest int64, acked, lost int) *tale {
	ta.tell(model.Access{At: ta.now, Contender: who, Lock: "/x", Write: true, Token: token, Highest: highest, Accepted: true, Acked: acked, Lost: lost})
	return ta
}

func (ta *tale) isRefused(who string, token, highest int64) *tale {
	ta.tell(model.Access{At: ta.now, Contender: who, Lock: "/x", Write: true, Token: token, Highest: highest})
	return ta
}

// notes is what a contender says in words.
func (ta *tale) notes(who, text string) *tale {
	ta.tell(model.Belief{At: ta.now, Contender: who, Lock: "/x", State: idle, Text: text})
	return ta
}

func (ta *tale) hit(who string) *tale {
	ta.j.targets = append(ta.j.targets, &drill.Target{Step: 1, Contender: who, At: ta.now, Done: true, Fault: model.Fault{Kind: model.FaultKill, Target: who}})
	ta.j.stepped = append(ta.j.stepped, ta.now)
	return ta
}

func (ta *tale) ends(who string) *tale {
	ta.tell(model.Contender{At: ta.now, Name: who, Proc: model.ProcEnded, Ended: "killed"})
	return ta
}

func (ta *tale) finds(code model.Code, c model.Confidence, s model.Severity) *tale {
	ta.j.sightings = append(ta.j.sightings, &sighting{Finding: model.Finding{Code: code, Confidence: c, Severity: s, Lock: "/x", Summary: model.Say("quote", "so it is")}, from: ta.now})
	return ta
}

func (ta *tale) because(from string, create int64, cause journal.Cause, pending bool) *tale {
	ta.j.facts = append(ta.j.facts, &journal.Entry{Kind: journal.Handover, Lock: "/x", From: model.ClaimRef{Key: keyNamed(from), CreateRev: create},
		Why: journal.Why{Cause: cause, Confidence: model.Strong, Evidence: model.Say("quote", "it was read"), Pending: pending}})
	return ta
}

// likely: that cause is only likely.
func (ta *tale) likely() *tale {
	ta.j.facts[len(ta.j.facts)-1].Confidence = model.Hint
	return ta
}

// done: every step was, and all was healed now.
func (ta *tale) done() *tale {
	ta.j.all, ta.j.healed = true, ta.now
	return ta
}

// over ends the story.
func (ta *tale) over() result {
	ta.j.now, ta.j.finished = ta.now, true
	return ta.j.results()[0]
}

const (
	idle, waits, holds, lost = model.BeliefIdle, model.BeliefWaiting, model.BeliefHolding, model.BeliefLost
	none                     = math.MinInt
)

func TestExpectations(t *testing.T) {
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     drill.Verdict
		measured float64 // none: nothing is
		evidence string  // a part of it
		reason   string
	}{
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("a", holds, 1) }, drill.Held, none, "", "a was first"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a").says("b", waits, 0).says("b", holds, 2).at(1).queues("b").goes("a")
		}, drill.Held, none, "",
			"a word may come before the watch"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("b.1", holds, 2).at(3) }, drill.Violated, none, "(create revision 2) was never first", "b waits"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a").says("b", holds, 7).at(3) }, drill.Violated, none, "(token 7): etcd never had that claim", "b has none"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").says("b", holds, 2).at(5).goes("a")
		}, drill.Violated, none, "came first 5.0 s later", "b was told too early"},
		{"one-holder", func(ta *tale) *tale {
			ta.queues("a").tell(model.Lost{At: ta.now}, model.LoadStarted{At: ta.now}, model.Loaded{At: ta.now})
			return ta.says("b", holds, 7).at(3)
		}, drill.Unknown, none, "the watch was lost", "what was not seen proves nothing"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").loses().at(3).watchesOn().says("b", holds, 2).at(6)
		}, drill.Violated, none, "(create revision 2) was never first", "the watch went on where it had stopped: nothing was missed"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a").loses().at(3).watchesOn().says("b", holds, 7).at(6)
		}, drill.Violated, none, "(token 7): etcd never had that claim", "nothing was missed of what never was, either"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").loses().at(3).lists("a", "b").says("b", holds, 2).at(6)
		}, drill.Violated, none, "(create revision 2) was never first", "after the gap it still waits: who comes first stays first"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").loses().at(3).lists("a").says("b", holds, 2).at(6)
		}, drill.Unknown, none, "was not seen first, but the watch was lost", "it went in the gap, and may have come first before"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").says("b", holds, 2).at(3).loses().at(6)
		}, drill.Unknown, none, "was not seen first, but the watch was lost", "the watch is still lost: a may have gone"},
		{"one-holder", func(ta *tale) *tale {
			return ta.queues("a", "b").loses().says("b", holds, 2).at(5).watchesOn().goes("a").at(9)
		}, drill.Held, none, "", "what the watch shows after an outage may have happened before"},
		{"one-holder", func(ta *tale) *tale {
			ta.says("a", waits, 0).queues("a").says("a", holds, 0).at(1).goes("a").says("a", idle, 0)
			ta.says("b", waits, 0).queues("b").says("b", holds, 0)
			return ta.at(9).says("a", waits, 0).queues("a").at(10).goes("b").says("a", holds, 0)
		}, drill.Held, none, "", "a session that locks again has the same key again"},
		{"one-holder", func(ta *tale) *tale {
			ta.j.lastSeen, ta.j.seenRev = ta.now, 9
			return ta.queues("a").at(1).says("b", holds, 7).at(5)
		}, drill.Held, none, "", "b's claim came and went before the first list"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").says("b", holds, 2).at(1).done() }, drill.Unknown, none, "not seen first yet", "the watch may yet show it"},
		{"one-holder", func(ta *tale) *tale { return ta.queues("a", "b").done().at(1).says("b", holds, 2) }, drill.Held, none, "", "what is said after the steps is not waited for"},
		{"one-holder", func(ta *tale) *tale { return ta }, drill.Unknown, none, "no claim was seen", "nothing to judge"},

		{"fifo", func(ta *tale) *tale { return ta.queues("a", "b", "c").goes("b", "a") }, drill.Held, none, "", "who gives up is no matter"},
		{"fifo", func(ta *tale) *tale {
			ta.rev = 10
			ta.queues("a").goes("a")
			ta.rev = 2 // as after a restore of an older snapshot
			return ta.queues("b")
		}, drill.Violated, none, "b (create revision 3) had /x after a (create revision 11)", "an older claim came later"},
		{"fifo", func(ta *tale) *tale { return ta.queues("a") }, drill.Unknown, none, "1 owner:", "one has no order"},

		{"tokens-grow", func(ta *tale) *tale { return ta.queues("a", "b").says("a", holds, 1).goes("a").says("b", holds, 2) }, drill.Held, none, "", "create revisions"},
		{"tokens-grow", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", holds, 99).goes("a").says("b", holds, 45)
		}, drill.Violated, none, "b had the token 45 after a had 99", "as with lease ids for tokens"},
		{"tokens-grow", func(ta *tale) *tale { return ta.queues("a").says("a", holds, 1) }, drill.Unknown, none, "1 tokens", "one cannot grow"},

		{"no-old-token", func(ta *tale) *tale { return ta.writes("a", 1, 0, 1, 0).writes("b", 2, 1, 2, 0) }, drill.Held, 0, "", "newer ones"},
		{"no-old-token", func(ta *tale) *tale { return ta.writes("b", 2, 0, 1, 0).writes("a", 1, 2, 2, 1) }, drill.Violated, 1, "with the token 1, after 2 was seen", "an old one"},
		{"no-old-token", func(ta *tale) *tale { return ta.writes("b", 2, 0, 1, 0).writes("a", 1, 0, 2, 1) }, drill.Violated, 1, "with the token 1, after 2 was seen", "an old one, without a fence that would know"},
		{"no-old-token", func(ta *tale) *tale { return ta }, drill.Unknown, 0, "nothing was written", "nobody wrote"},

		{"no-lost-update", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 0) }, drill.Held, 0, "", "none lost"},
		{"no-lost-update", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 2) }, drill.Violated, 2, "2 of 5 acknowledged updates were lost", "two lost"},
		{"no-lost-update", func(ta *tale) *tale { return ta }, drill.Unknown, 0, "no update was acknowledged", "nobody wrote"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 2).done() }, drill.Held, 2, "", "the defect shows"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.writes("a", 1, 0, 5, 1).done() }, drill.Violated, 1, "1 lost updates: 2 were expected", "too few"},
		{"lost-updates: {at-least: 2}", func(ta *tale) *tale { return ta.done() }, drill.Unknown, none, "no update was acknowledged", "nobody wrote"},

		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(4).goes("a") }, drill.Held, 4, "", "b waited 4 s"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("a") }, drill.Violated, 6, "b waited 6.0 s", "too long"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, drill.Violated, 6, "and still does", "still too long"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2) }, drill.Unknown, 2, "b still waits", "it may still come"},
		{"served: {within: 5s, except: [b]}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, drill.Held, 0, "", "b does not count"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("b") }, drill.Held, 0, "1 left", "b gave up"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta.queues("a").at(1).done().at(2).queues("b").at(9) }, drill.Held, 0, "", "who asks after the steps is not waited for"},
		{"served: {within: 5s}", func(ta *tale) *tale { return ta }, drill.Unknown, none, "nobody asked", "nobody"},

		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).at(1).says("b.1", holds, 2).at(1.05).says("a", idle, 0).at(2)
		}, drill.Held, 0.05, "", "letting go takes a moment"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).at(1).says("b.1", holds, 2).at(3).says("a", lost, 0)
		}, drill.Violated, 2, "a and b.1 both believed to hold /x for 2.000 s", "two believe"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale { return ta.says("b.1", holds, 1).says("b.2", holds, 1).at(3) }, drill.Violated, 3, "b.1 and b.2", "workers are two"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).at(1).ends("a").at(2).says("b", holds, 2).at(5)
		}, drill.Held, 0, "", "the dead believe nothing"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale {
			ta.says("a", holds, 1).at(1).tell(model.Contender{At: ta.now, Name: "a", Proc: model.ProcPaused})
			return ta.at(2).says("b", holds, 2).at(5)
		}, drill.Violated, 3, "", "who is paused still believes"},
		{"overlap: {below: 100ms}", func(ta *tale) *tale { return ta }, drill.Unknown, none, "nobody said", "nobody"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holds, 1).says("b", holds, 2).at(3).done() }, drill.Held, 3, "", "the defect shows"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holds, 1).at(1).done() }, drill.Violated, 0, "the longest overlap was 0.000 s", "it does not show"},
		{"overlap: {at-least: 1s}", func(ta *tale) *tale { return ta.says("a", holds, 1).at(1) }, drill.Unknown, 0, "did not get that far", "the drill was cut off"},

		{"handover: {lock: x, to: b, cause: expired, within: 5s, at-least: 1s}", func(ta *tale) *tale {
			return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").because("a", 1, journal.CauseExpired, false).done()
		}, drill.Held, 3, "cause: expired (strong): it was read", "from the fault to the new holder"},
		{"handover: {lock: x, within: 2s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, drill.Violated, 3,
			"b took over /x from a after 3.0 s: at most 2s", "the number that broke the bound"},
		{"handover: {lock: x, at-least: 4s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, drill.Violated, 3, "at least 4s", "too early"},
		{"handover: {lock: x, at-least: 4s, within: 9s}", func(ta *tale) *tale { return ta.queues("a", "b").at(2).hit("a").at(5).goes("a").done() }, drill.Violated, 3, "at least 4s", "the bound that it broke is shown"},
		{"handover: {lock: x, cause: expired}", func(ta *tale) *tale {
			return ta.queues("a", "b").hit("a").at(3).goes("a").because("a", 1, journal.CauseReleased, false).done()
		}, drill.Violated, 3, "the cause was released (strong), not expired", "another cause"},
		{"handover: {lock: x, cause: released}", func(ta *tale) *tale {
			return ta.queues("a", "b").at(3).goes("a").because("a", 1, journal.CauseReleased, false).done()
		}, drill.Held, 0, "cause: released (strong)", "it let go"},
		{"handover: {lock: x, cause: released}", func(ta *tale) *tale {
			return ta.queues("a", "b").at(3).goes("a").because("a", 1, journal.CauseReleased, false).likely().done()
		}, drill.Unknown, 0, "who deleted its key is not known", "others may have deleted its key"},
		{"handover: {lock: x, cause: expired}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(3).goes("a").done() }, drill.Unknown, 3, "why is not known", "no cause"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(3).done() }, drill.Unknown, none, "before its 5s were over", "it may still come"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").at(6) }, drill.Violated, none, "not within 5s", "also where a wait gave up"},
		{"handover: {lock: x, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6) }, drill.Unknown, none, "did not get that far", "a was never hit"},
		{"handover: {lock: x, to: c, within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b", "c").hit("a").at(3).goes("a").at(6).done() }, drill.Violated, none, "b took over /x from a", "the wrong one got it"},
		{"handover: {lock: x, after: 1, within: 2s}", func(ta *tale) *tale {
			return ta.queues("a", "b", "c").goes("a").at(1).hit("c").at(2).goes("b").done()
		}, drill.Held, 1, "", "the first after the step"},
		{"handover: {lock: x, after: 2}", func(ta *tale) *tale { return ta.queues("a", "b").hit("a").goes("a") }, drill.Unknown, none, "did not get to step 2", "no such time"},

		{"finding: {code: dead-holder, within: 3s}", func(ta *tale) *tale {
			return ta.hit("a").at(2).finds("dead-holder", model.Certain, model.SevError).done()
		}, drill.Held, 2, "so it is", "found"},
		{"finding: {code: dead-holder, within: 3s}", func(ta *tale) *tale {
			return ta.hit("a").at(4).finds("dead-holder", model.Certain, model.SevError).done()
		}, drill.Violated, 4, "found after 4.0 s", "late"},
		{"finding: {code: dead-holder, confidence: certain}", func(ta *tale) *tale { return ta.finds("dead-holder", model.Strong, model.SevError).done() }, drill.Violated, none, "only as strong", "not sure enough"},
		{"finding: {code: dead-holder}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, drill.Unknown, none, "was not found", "the drill was cut off"},
		{"no-finding: {code: dead-holder}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, drill.Held, none, "", "another"},
		{"no-finding: {code: long-held}", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, drill.Violated, none, "long-held (hint)", "that one"},
		{"quiet", func(ta *tale) *tale { return ta.finds("long-held", model.Hint, model.SevInfo) }, drill.Held, none, "", "an information is no noise"},
		{"quiet", func(ta *tale) *tale { return ta.finds("long-queue", model.Hint, model.SevWarning) }, drill.Violated, none, "long-queue", "a warning is"},
		{"quiet: {except: [long-queue]}", func(ta *tale) *tale { return ta.finds("long-queue", model.Hint, model.SevWarning) }, drill.Held, none, "", "but for this"},
		{"quiet", func(ta *tale) *tale { ta.j.lists = 0; return ta }, drill.Unknown, none, "nothing was seen", "nobody looked"},

		{"acquired: {contender: b, within: 3s}", func(ta *tale) *tale { return ta.hit("a").at(2).says("b.2", holds, 1).done() }, drill.Held, 2, "", "a worker's word counts"},
		{"acquired: {contender: b, within: 3s}", func(ta *tale) *tale { return ta.hit("a").at(4).says("b", holds, 1).done() }, drill.Violated, 4, "after 4.0 s", "late"},
		{"acquired: {contender: b}", func(ta *tale) *tale { return ta.says("b", holds, 1).at(1).hit("a").done() }, drill.Violated, none, "never happened", "before the fault does not count"},
		{"acquired: {contender: b}", func(ta *tale) *tale { return ta }, drill.Unknown, none, "did not get that far", "cut off"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").done() }, drill.Held, none, "", "b waits"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").goes("a").done() }, drill.Violated, none, "b came first on /x", "by etcd's order"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b").says("b", holds, 2).done() }, drill.Violated, none, "b said", "by its own word"},
		{"never-holds: {contender: b}", func(ta *tale) *tale { return ta.queues("a", "b") }, drill.Unknown, none, "did not get through", "it might have"},

		{"acquisitions: {at-least: 2}", func(ta *tale) *tale { return ta.queues("a", "b").goes("a").done() }, drill.Held, 2, "", "two"},
		{"acquisitions: {at-least: 2}", func(ta *tale) *tale { return ta.queues("a", "b").done() }, drill.Violated, 1, "1 acquisitions: 2 were expected", "one waits"},
		{"acquisitions: {at-least: 1, contender: b}", func(ta *tale) *tale { return ta.queues("a", "b") }, drill.Unknown, 0, "did not get that far", "cut off"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waits, 0).at(1).says("a", lost, 0).done() }, drill.Held, 1, "a gave up on /x", "it asked in vain"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waits, 0).at(1).says("a", holds, 1).done() }, drill.Violated, 0, "", "it got it"},
		{"failed-attempts: {at-least: 1}", func(ta *tale) *tale { return ta.says("a", waits, 0).ends("a") }, drill.Unknown, 0, "", "to die is not to give up"},

		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holds, 1).at(1).says("a", lost, 0).done() }, drill.Held, none, "", "so it says"},
		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holds, 1).done().at(20) }, drill.Violated, none, "a says holding", "it says otherwise, for long"},
		{"belief: {contender: a, state: lost}", func(ta *tale) *tale { return ta.says("a", holds, 1).done().at(2) }, drill.Unknown, none, "before its 10s", "there was no time"},
		{"empty", func(ta *tale) *tale { return ta.queues("a").goes("a").done() }, drill.Held, 0, "", "nobody"},
		{"empty: {within: 2s}", func(ta *tale) *tale { return ta.queues("a").done().at(3) }, drill.Violated, 1, "a has a claim on /x", "a is there"},
		{"empty: {within: 2s}", func(ta *tale) *tale { return ta.queues("a").done().at(1) }, drill.Unknown, 1, "", "there was no time"},

		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).done() }, drill.Held, 6, "behind a for 6.0 s", "the defect shows"},
		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a").at(4).queues("b").at(6).goes("a").done() }, drill.Violated, 2, "", "nobody waited before"},
		{"stuck: {for: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(4) }, drill.Unknown, 4, "", "cut off"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(24).goes("a").at(30) }, drill.Held, 4, "", "it moved after the healing"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(26) }, drill.Violated, 6, "behind a for 6.0 s after the healing", "it did not"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.hit("a").queues("a", "b").at(20).done().at(22) }, drill.Unknown, 2, "", "there was no time"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.queues("a", "b").at(6).goes("a").at(7).done().at(8) }, drill.Violated, 6, "behind a for 6.0 s", "nothing was broken, so it counts from the beginning"},
		{"moving: {within: 5s}", func(ta *tale) *tale { return ta.queues("a").done().at(30) }, drill.Held, 0, "", "a holder alone is not stuck"},

		{"refused: {at-least: 1, contender: a}", func(ta *tale) *tale { return ta.writes("b", 2, 0, 1, 0).isRefused("a", 1, 2).done() }, drill.Held, 1, "token 1 is older than 2", "an old token was turned away"},
		{"refused: {at-least: 1, contender: a}", func(ta *tale) *tale { return ta.writes("a", 1, 0, 1, 0).isRefused("b", 1, 2).done() }, drill.Violated, 0, "0 refused accesses", "a was accepted, and b does not count"},
		{"refused: {at-least: 1}", func(ta *tale) *tale { return ta }, drill.Unknown, 0, "did not get that far", "cut off"},

		{"says: {contender: a, text: gone}", func(ta *tale) *tale { return ta.at(1).notes("a", "the key is gone").hit("a").at(2).done() }, drill.Held, 1, "a said at 03:04:01.000: the key is gone", "at any time of the run"},
		{"says: {contender: a, text: gone, within: 2s}", func(ta *tale) *tale { return ta.at(3).notes("a", "the key is gone").done() }, drill.Violated, 3, "that was after 3.0 s", "late"},
		{"says: {contender: a, text: gone, after: 1}", func(ta *tale) *tale {
			return ta.at(1).notes("a", "gone").at(2).hit("b").at(4).notes("a", "all is well").done()
		}, drill.Violated, none, "it said last: all is well", "what it said before the step does not count"},
		{"says: {contender: b, text: gone}", func(ta *tale) *tale { return ta.notes("a", "gone").done() }, drill.Violated, none, "b did not say", "another said it"},
		{"says: {contender: a, text: gone}", func(ta *tale) *tale { return ta }, drill.Unknown, none, "did not get that far", "cut off"},

		{"gap: {below: 1s}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).says("b", waits, 0).at(2).says("a", idle, 0).at(2.5).says("b", holds, 2).done()
		}, drill.Held, 0.5, "", "half a second between the two"},
		{"gap: {below: 1s}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).says("b", waits, 0).at(2).says("a", idle, 0).at(4).says("b", holds, 2).done()
		}, drill.Violated, 2, "nobody held /x for 2.000 s from 03:04:02.000, until b did", "b waited for nobody"},
		{"gap: {below: 1s}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).at(2).says("a", idle, 0).at(9).says("b", waits, 0).at(9.1).says("b", holds, 2).done()
		}, drill.Held, 0.1, "", "before b asked nobody wanted it"},
		{"gap: {below: 1s}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).says("b", waits, 0).at(2).says("b", holds, 2).at(9).says("a", lost, 0).done()
		}, drill.Held, 0, "", "two at once leave no gap"},
		{"gap: {below: 1s}", func(ta *tale) *tale {
			return ta.says("a", holds, 1).says("b", waits, 0).at(2).says("a", idle, 0).at(6).done()
		}, drill.Violated, 4, "nobody has held /x for 4.000 s, and b waits", "it lasts"},
		{"gap: {below: 1s}", func(ta *tale) *tale { return ta.says("a", holds, 1).at(5).done() }, drill.Unknown, none, "no lock changed hands", "one holder makes no gap"},

		{"linearizable", func(ta *tale) *tale {
			ta.says("a", waits, 0).says("b", waits, 0).queues("a", "b").at(1).says("a", holds, 1)
			return ta.at(2).goes("a").says("b", holds, 2).at(2.01).says("a", idle, 0)
		}, drill.Held, none, "", "letting go ends after the next one has it"},
		{"linearizable", func(ta *tale) *tale {
			ta.says("a", waits, 0).says("b", waits, 0).queues("a", "b").at(1).says("a", holds, 1)
			return ta.at(4).goes("a").says("b", holds, 2).at(9).says("a", idle, 0)
		}, drill.Held, none, "", "a's lease expired, whatever a believes"},
		{"linearizable", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", waits, 0).at(1).says("a", holds, 1).says("b", waits, 0).at(2).says("b", holds, 2).at(3).says("a", idle, 0).at(5)
		}, drill.Violated, none, "no order of what the contenders of /x said", "b was told while a had it"},
		{"linearizable", func(ta *tale) *tale {
			return ta.queues("a", "b").says("a", waits, 0).says("a", holds, 1).says("b", waits, 0).at(1).says("a", idle, 0).says("b", holds, 2)
		}, drill.Held, none, "", "the watch does not show yet that a let go"},
		{"linearizable", func(ta *tale) *tale { return ta }, drill.Unknown, none, "nobody said", "nothing to order"},
	} {
		ta := newTale(t, tt.row)
		r := tt.story(ta).over()
		name := tt.row + ": " + tt.reason
		if r.Verdict != tt.want {
			t.Errorf("%s: %s, want %s: %q", name, r.Verdict, tt.want, r.Evidence)
		}
		if tt.want == drill.Violated && len(r.Evidence) == 0 || !strings.Contains(strings.Join(r.Evidence, "\n"), tt.evidence) {
			t.Errorf("%s: evidence %q, want %q in it", name, r.Evidence, tt.evidence)
		}
		if (r.Measured == nil) != (tt.measured == none) || r.Measured != nil && math.Abs(*r.Measured-tt.measured) > 1e-9 {
			t.Errorf("%s: measured %s, want %v", name, r.Numbers(), tt.measured)
		}
		wantsKnown(t, r)
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
		results []drill.Verdict
		least   int
		want    drill.Verdict
		why     string
		reason  string
	}{
		{[]drill.Verdict{drill.Held, drill.Held}, 0, drill.Held, "", "all held"},
		{[]drill.Verdict{drill.Held, drill.Unknown}, 0, drill.Unknown, "", "one is not known"},
		{[]drill.Verdict{drill.Unknown, drill.Violated}, 0, drill.Violated, "", "violated counts most"},
		{[]drill.Verdict{drill.Held}, 10, drill.Unknown, "not meaningful: 1 acquisitions, the drill wants 10; to know it: let it run for longer", "too little happened to pass"},
		{[]drill.Verdict{drill.Violated}, 10, drill.Violated, "", "but enough to fail"},
	} {
		ta := newTale(t, "fifo").queues("a")
		ta.j.d.Least = tt.least
		var results []drill.Result
		for _, v := range tt.results {
			results = append(results, drill.Result{Verdict: v})
		}
		if v, why := ta.j.Verdict(results); v != tt.want || why != tt.why {
			t.Errorf("%s: %s %q, want %s %q", tt.reason, v, why, tt.want, tt.why)
		}
	}
}

// Every expectation that a file may have can be judged, and the other way round.
func TestEveryExpectationHasAJudge(t *testing.T) {
	if d := cmp.Diff(drill.Expectations(), slices.Sorted(maps.Keys(checks))); d != "" {
		t.Errorf("expectations of files and judges differ (-files +judges):\n%s", d)
	}
}

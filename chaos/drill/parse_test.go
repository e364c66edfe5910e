package drill

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/journal"
)

const crash = `name: holder-crash
title: The holder dies; the next in line gets the lock when its lease ends
why: |
  A lease is the only thing that tells a dead holder from a slow one.
seed: 7
least: 2
lab: {members: 3, contenders: [{name: a, lock: orders, recipe: mutex, ttl: 3s, hold: 60s}, {name: b, lock: orders, ttl: 3s, hold: 1s}]}
steps:
  - wait: {holder: a, waiters: [b], within: 10s}
  - say: {en: "a holds, b waits. Now a dies without a word.", zh: "a 死了"}
  - ask: {en: "When does b get it?", options: [{en: at once}, {en: when a's lease ends}, {en: never}], answer: 2}
  - fault: {kill: a}
  - wait: {holder: b, within: 6s}
expect:
  - one-holder
  - fifo
  - handover: {lock: orders, cause: expired, within: 5s}
`

func TestParse(t *testing.T) {
	got, err := Parse("holder-crash", []byte(crash))
	if err != nil {
		t.Fatal(err)
	}
	want := &Drill{
		Name: "holder-crash", Title: Text{"en": "The holder dies; the next in line gets the lock when its lease ends"},
		Why:  Text{"en": "A lease is the only thing that tells a dead holder from a slow one."},
		Seed: 7, Least: 2,
		Lab: Lab{Members: 3, Fence: FenceNone, Contenders: []Contender{
			{Line: 7, Name: "a", Locks: []string{"/orders"}, Recipe: "mutex", TTL: 3 * time.Second, Hold: time.Minute},
			{Line: 7, Name: "b", Locks: []string{"/orders"}, Recipe: "mutex", TTL: 3 * time.Second, Hold: time.Second},
		}},
		Steps: []Step{
			{Line: 9, Wait: &Wait{Lock: "/orders", Holders: []string{"a"}, Waiters: []string{"b"}, Queue: -1, Within: 10 * time.Second}},
			{Line: 10, Say: Text{"en": "a holds, b waits. Now a dies without a word.", "zh": "a 死了"}},
			{Line: 11, Ask: &Question{Text: Text{"en": "When does b get it?"}, Answer: 2,
				Options: []Option{{Text: Text{"en": "at once"}}, {Text: Text{"en": "when a's lease ends"}}, {Text: Text{"en": "never"}}}}},
			{Line: 12, Fault: &model.Fault{Kind: model.FaultKill, Target: "a"}},
			{Line: 13, Wait: &Wait{Lock: "/orders", Holders: []string{"b"}, Queue: -1, Within: 6 * time.Second}},
		},
		Expect: []Expectation{
			{Line: 15, Name: "one-holder"}, {Line: 16, Name: "fifo"},
			{Line: 17, Name: "handover", Lock: "/orders", Cause: journal.CauseExpired, Within: 5 * time.Second},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// steps wraps steps into a drill with two locks, a pinned and a manual contender.
func steps(s string) string {
	return "title: t\nlab: {contenders: [{name: a, lock: x, member: m1}, {name: b, locks: [x, y], manual: true}, {name: w, lock: y, count: 2, later: true}]}\nsteps:\n" +
		s + "\nexpect: [one-holder]\n"
}

func TestParseSteps(t *testing.T) {
	for _, tt := range []struct {
		step   string
		want   Step
		reason string
	}{
		{"{fault: move-leader}", Step{Fault: &model.Fault{Kind: model.FaultMoveLeader}}, "a bare kind"},
		{"{fault: {move-leader: true}}", Step{Fault: &model.Fault{Kind: model.FaultMoveLeader}}, "what needs no target may have a true"},
		{"{fault: {hold-keepalives: holder of x, for: 4s}}", Step{Fault: &model.Fault{Kind: model.FaultHoldKeepalives, Target: "holder of x", For: 4 * time.Second}}, "a phrase stays a phrase"},
		{"{fault: {hold-keepalives: lease of a}}", Step{Fault: &model.Fault{Kind: model.FaultHoldKeepalives, Target: "lease of a"}}, "one lease"},
		{"{fault: {pause: waiter 2 of y}}", Step{Fault: &model.Fault{Kind: model.FaultPause, Target: "waiter 2 of y"}}, "a waiter"},
		{"{fault: {stop-member: a follower}}", Step{Fault: &model.Fault{Kind: model.FaultStopMember, Target: "a follower"}}, "a member by what it is"},
		{"{fault: {isolate: member of a}}", Step{Fault: &model.Fault{Kind: model.FaultIsolate, Target: "member of a"}}, "the member of one that is pinned"},
		{"{fault: {put: /x/k, value: v}}", Step{Fault: &model.Fault{Kind: model.FaultPut, Target: "/x/k", Value: "v"}}, "a key"},
		{"{fault: {delay: a, by: 1s, method: KV/Txn, direction: replies, member: leader}}",
			Step{Fault: &model.Fault{Kind: model.FaultDelay, Target: "a", Delay: time.Second, Method: "KV/Txn", Direction: model.Replies, Member: "leader"}}, "delay is the kind, by is how long"},
		{"{fault: {slow: all, delay: 1s, rate: 100}}", Step{Fault: &model.Fault{Kind: model.FaultSlow, Target: "all", Delay: time.Second, Rate: 100}}, "delay is a number of slow"},
		{"{heal: all}", Step{Heal: &model.Fault{}}, "everything"},
		{"heal", Step{Heal: &model.Fault{}}, "a bare heal is everything"},
		{"{heal: {freeze: holder of y}}", Step{Heal: &model.Fault{Kind: model.FaultFreeze, Target: "holder of y"}}, "the one that was done to the holder"},
		{"{heal: freeze}", Step{Heal: &model.Fault{Kind: model.FaultFreeze}}, "of a kind"},
		{"{start: w2}", Step{Start: "w2"}, "one of several"},
		{"{tell: {b: unlock}}", Step{Tell: &Tell{"b", "unlock"}}, "a word"},
		{"{pause: 2s}", Step{Pause: 2 * time.Second}, "time"},
		{"{say: hello}", Step{Say: Text{"en": "hello"}}, "plain words are English"},
		{"{wait: {lock: y, holder: nobody, queue: 0}}", Step{Wait: &Wait{Within: waitDefault, Lock: "/y", Nobody: true}}, "an empty lock"},
		{"{wait: {belief: {a: lost}, ended: w1, leader: none}}", Step{Wait: &Wait{Within: waitDefault, Queue: -1,
			Beliefs: map[string]model.BeliefState{"a": model.BeliefLost}, Ended: []string{"w1"}, Leader: "none"}}, "no lock is needed"},
		{"{wait: {finding: dead-holder, no-finding: [long-queue], acquisitions: 3, up: 2}}", Step{Wait: &Wait{Within: waitDefault, Queue: -1,
			Findings: []model.Code{"dead-holder"}, Absent: []model.Code{"long-queue"}, Acquisitions: 3, Up: 2}}, "the rest"},
		{"{wait: {says: {a: bye}}}", Step{Wait: &Wait{Within: waitDefault, Queue: -1, Says: map[string]string{"a": "bye"}}}, "words"},
	} {
		d, err := Parse("d", []byte(steps("  - "+tt.step)))
		if err != nil {
			t.Errorf("%s: %s: %v", tt.step, tt.reason, err)
			continue
		}
		tt.want.Line = 4
		if diff := cmp.Diff([]Step{tt.want}, d.Steps); diff != "" {
			t.Errorf("%s: %s: %s", tt.step, tt.reason, diff)
		}
	}
}

func TestParseRepeat(t *testing.T) {
	d, err := Parse("d", []byte(steps("  - repeat: {times: 2, steps: [{tell: {b: lock}}, {pause: 1s}]}")))
	if err != nil {
		t.Fatal(err)
	}
	one := []Step{{Line: 4, Tell: &Tell{"b", "lock"}}, {Line: 4, Pause: time.Second}}
	if diff := cmp.Diff(append(one, one...), d.Steps); diff != "" {
		t.Error(diff)
	}
}

func TestParseExpectations(t *testing.T) {
	for _, tt := range []struct {
		row  string
		want Expectation
	}{
		{"lost-updates: {at-least: 1}", Expectation{Name: "lost-updates", Count: 1}},
		{"served: {within: 10s, lock: x, except: [a]}", Expectation{Name: "served", Within: 10 * time.Second, Lock: "/x", Except: []string{"a"}}},
		{"overlap: {below: 100ms}", Expectation{Name: "overlap", Below: 100 * time.Millisecond}},
		{"overlap: {at-least: 100ms}", Expectation{Name: "overlap", AtLeast: 100 * time.Millisecond}},
		{"handover: {lock: x, to: b, from: a, after: 1}", Expectation{Name: "handover", Lock: "/x", To: "b", From: "a", After: 1}},
		{"finding: {code: dead-holder, confidence: certain}", Expectation{Name: "finding", Code: "dead-holder", Confidence: model.Certain}},
		{"quiet: {except: [long-queue]}", Expectation{Name: "quiet", Except: []string{"long-queue"}}},
		{"belief: {contender: w1, state: lost}", Expectation{Name: "belief", Contender: "w1", State: model.BeliefLost}},
		{"stuck: {lock: y, for: 5s}", Expectation{Name: "stuck", Lock: "/y", For: 5 * time.Second}},
		{"refused: {contender: a, at-least: 2}", Expectation{Name: "refused", Contender: "a", Count: 2}},
		{"says: {contender: a, text: hello}", Expectation{Name: "says", Contender: "a", Text: "hello"}},
		{"gap: {lock: x, below: 2s}", Expectation{Name: "gap", Lock: "/x", Below: 2 * time.Second}},
	} {
		d, err := Parse("d", []byte(strings.Replace(steps("  - pause: 1s"), "[one-holder]", "\n  - "+tt.row, 1)))
		if err != nil {
			t.Errorf("%s: %v", tt.row, err)
			continue
		}
		tt.want.Line = 6
		if diff := cmp.Diff([]Expectation{tt.want}, d.Expect); diff != "" {
			t.Errorf("%s: %s", tt.row, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	step := func(s string) string { return steps("  - " + s) }
	row := func(s string) string { return strings.Replace(steps("  - pause: 1s"), "[one-holder]", "\n  - "+s, 1) }
	lab := func(s string) string { return "title: t\nlab: " + s + "\nexpect: [fifo]\n" }
	for _, tt := range []struct{ in, want string }{
		{"", "d.yaml:1: the file is empty: want title, lab, steps and expect"},
		{"title: x\n---\ntitle: y\n", "d.yaml:3: a second document begins here, and would be skipped: a file has one drill"},
		{"title: x\n---\n: [\n", "d.yaml:2: a second document begins here, and would be skipped: a file has one drill"},
		{"title: t\nlab: {a: b?, [", "d.yaml:1: no YAML: did not find"},
		{"title: \x01", "d.yaml:1: no YAML: yaml: control characters are not allowed"},
		{"- x", "d.yaml:1: a drill is a list: want fields, like {defect: ...}"},
		{"title: t", "d.yaml:1: a drill without lab: add it\nd.yaml:1: a drill without expect: add it"},
		{lab("{nodes: 3}"), `d.yaml:2: lab has no field "nodes": want one of contenders, fence, members, processes`},
		{lab("{members: 2}"), "d.yaml:2: members is 2: want 1, 3 or 5"},
		{lab("{members: 3, members: 3}"), `d.yaml:2: lab has "members" twice: keep one`},
		{lab("{fence: reads}"), `d.yaml:2: there is no fence "reads": want none, writes or reads and writes`},
		{lab("{contenders: [{name: a, lock: x}, {name: a, lock: x}]}"), "d.yaml:2: two contenders are named a: rename one"},
		{lab("{contenders: [{name: a1, lock: x}, {name: a, count: 2, lock: x}]}"), "d.yaml:2: two contenders are named a1: rename one"},
		{lab("{contenders: [{name: a}]}"), "d.yaml:2: a competes for nothing: give it a lock"},
		{lab("{contenders: [{name: A b, lock: x}]}"), `d.yaml:2: a contender named "A b": want small letters, digits and dashes, a letter first`},
		{lab("{contenders: [{name: a, lock: x/}]}"), `d.yaml:2: a competes for "/x/": want a name that does not end with /`},
		{lab("{contenders: [{name: a, lock: x, ttl: 3}]}"), `d.yaml:2: ttl is "3": want a time like 500ms, 3s or 1m`},
		{lab("{contenders: [{name: a, lock: x, ttl: 1500ms}]}"), "d.yaml:2: ttl is 1.5s: etcd counts whole seconds, like 3s"},
		{lab("{contenders: [{name: a, lock: x, count: 1000000000}]}"), "d.yaml:2: count is 1000000000: at most 64"},
		{lab("{contenders: [{name: a, lock: x, member: m9}]}"), "d.yaml:2: a is pinned to m9: want m1, m2 or m3"},
		{step("{fault: {explode: a}}"), "no kind of fault is named: want one of pause, kill"},
		{step("{fault: explode}"), `d.yaml:4: there is no fault "explode": want one of pause, kill`},
		{step("{fault: kill}"), "d.yaml:4: kill needs a contender to be done to"},
		{step("{fault: {kill: c}}"), `d.yaml:4: there is no contender "c": want a, b, w1 or w2`},
		{step("{fault: {kill: holder}}"), "d.yaml:4: the place for which lock? Add lock: /x or /y"},
		{step("{fault: {kill: holder of z}}"), "d.yaml:4: nobody competes for the lock /z: want /x or /y"},
		{step("{fault: {kill: a, for: 3s}}"), "d.yaml:4: kill is over at once: it cannot last"},
		{step("{fault: {kill: lease of a}}"), "d.yaml:4: kill is done to a contender, not to a lease: name it"},
		{step("{fault: {hold: a, method: Txn}}"), `d.yaml:4: there is no method "Txn": want KV/Range`},
		{step("{fault: {freeze: a, rate: 3}}"), "d.yaml:4: freeze takes no rate"},
		{step("{fault: {freeze: a, speed: 3}}"), `d.yaml:4: freeze has no field "speed"`},
		{step("{fault: {stop-member: m7}}"), `d.yaml:4: there is no member "m7": want m1, m2 or m3, leader, a follower or member of NAME`},
		{step("{fault: {isolate: member of b}}"), "d.yaml:4: b knows every member: pin it, with member: m1"},
		{step("{fault: {pause-member: m1}}"), "d.yaml:4: pause-member needs members that are processes: add processes: true to lab"},
		{step("{heal: {kill: a}}"), "d.yaml:4: kill is over at once: there is nothing to heal"},
		{step("{start: a}"), "d.yaml:4: a is started with the lab: give it later: true"},
		{step("{tell: {a: lock}}"), "d.yaml:4: a does what it wants: give it manual: true"},
		{step("{wait: {holder: a}}"), "d.yaml:4: wait for which lock? Add lock: /x or /y"},
		{step("{wait: {within: 3s}}"), "d.yaml:4: wait for nothing: want holder, waiters, belief, finding, ...; to let time go by, write pause"},
		{step("{wait: {lock: x, holder: q}}"), `d.yaml:4: there is no contender "q": want a, b, w1 or w2`},
		{step("{wait: {belief: {a: hungry}}}"), `d.yaml:4: there is no belief "hungry": want idle, waiting, holding, leaving or lost`},
		{step("{wait: {finding: bad-luck}}"), `d.yaml:4: there is no finding "bad-luck": locktop explain lists them`},
		{step("{ask: {en: q, options: [x, y], answer: 3}}"), "d.yaml:4: ask has 2 options and the answer 3: want two or more, and the number of the right one"},
		{step("{ask: {zh: q, options: [x, y], answer: 1}}"), "d.yaml:4: ask has no English text: want {en: ...}"},
		{step("{say: hello, pause: 1s}"), "d.yaml:4: a step does one thing: begin another with a dash"},
		{step("{shout: x}"), `d.yaml:4: a step has no field "shout": want one of ask, fault, heal, pause, repeat, say, see, show, start, stores, tell, try, wait`},
		{step("{show: queue}"), "d.yaml:4: show for which lock? Add lock: /x or /y"},
		{step("{show: a mess}"), `d.yaml:4: there is no show "a mess": want queue, time, cost`},
		{step("{show: {queue: x}}"), "d.yaml:4: show is for lessons: leave it out, or add lesson"},
		{step("{start: v}"), `d.yaml:4: there is no contender "v"`},
		{step("{repeat: {times: 3000, steps: [{pause: 1s}]}}"), "d.yaml:4: more than 2000 steps: repeat less"},
		{row("two-holders"), `d.yaml:6: there is no expectation "two-holders": want one of acquired, acquisitions`},
		{row("served"), "d.yaml:6: served needs within"},
		{row("overlap"), "d.yaml:6: overlap needs below or at-least"},
		{row("fifo: {within: 3s}"), `d.yaml:6: fifo has no field "within": want one of lock`},
		{row("handover: {to: a}"), "d.yaml:6: handover for which lock? Add lock: /x or /y"},
		{row("handover: {lock: x, cause: boredom}"), `d.yaml:6: there is no cause "boredom": want released, expired, revoked or deleted`},
		{"title: t\nlab: {contenders: [{name: a, lock: x}]}\nexpect: []\n", "d.yaml:3: expect is empty, so nothing would be judged"},
		{lab("{contenders: [{name: a, lock: x, count: 64}, {name: b, lock: x}]}"), "d.yaml:2: 65 contenders: at most 64"},
		{row("says: {contender: a}"), "d.yaml:6: says needs text"},
		{row("gap: {lock: x}"), "d.yaml:6: gap needs below"},
		{step("{wait: {says: {q: x}}}"), `d.yaml:4: there is no contender "q"`},
		{row("handover: {lock: x, after: 9}"), "d.yaml:6: after step 9: the drill has 1"},
	} {
		d, err := Parse("d", []byte(tt.in))
		if err == nil {
			t.Errorf("%s: read as %+v, want an error with %q", tt.in, d, tt.want)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.in, err, tt.want)
		}
	}
}

// TestAFaultOutlastsItsBound: a fault that ends before the bound is over by which its contender is
// judged frees the contender, and a drill that does so is told, with the line and what would do.
func TestAFaultOutlastsItsBound(t *testing.T) {
	const head = "title: t\nlab: {contenders: [{name: a, lock: x, ttl: 3s}, {name: b, lock: x}, {name: p, lock: x, member: m2}]}\nsteps:\n  - wait: {holder: a}\n"
	stops, overlap := "stops: {contender: a, within: 2s}", "overlap: {below: 1800ms}"
	for _, tt := range []struct {
		steps  []string
		expect string
		want   string // "" for nothing to tell
		reason string
	}{
		{[]string{"fault: {freeze: a}", "wait: {holder: b}", "pause: 1s", "heal: all"}, stops,
			"d.yaml:8: freeze a (line 5) has to outlast stops: contender a, within 2s (line 10), or a may stop only because the fault ended: it is healed here 1s too early, counted from when a has lost the lock: let the pause before it last 2s", "the pause is shorter than the bound"},
		{[]string{"fault: {freeze: a}", "wait: {holder: b}", "pause: 2s", "heal: all"}, stops, "", "the pause is as long as the bound"},
		{[]string{"fault: {freeze: a}", "wait: {holder: b}", "pause: 1s", "say: so far", "pause: 1s", "heal: {freeze: a}"}, stops, "", "two pauses add up"},
		{[]string{"fault: {cut: a}", "wait: {holder: b}", "heal: {cut: a}"}, overlap,
			"d.yaml:7: cut a (line 5) has to outlast overlap: below 1.8s (line 9), or a may stop only because the fault ended: it is healed here 1.8s too early, counted from when a has lost the lock: add - pause: 1.8s before it", "a bound on both is one, too"},
		{[]string{"fault: {hold-keepalives: a}", "wait: {holder: b}"}, stops,
			"d.yaml:5: hold keepalives of a (line 5) has to outlast stops: contender a, within 2s (line 8), or a may stop only because the fault ended: the drill ends 2s too early, counted from when a has lost the lock: add - pause: 2s at the end of the steps", "the end of a drill heals, too"},
		{[]string{"fault: {hold-keepalives: lease of a}", "wait: {holder: b}", "heal: all"}, stops, "d.yaml:7: ", "renewals of its lease are its own"},
		{[]string{"fault: {cut: a}", "pause: 5500ms", "heal: all"}, stops,
			"it is healed here 500ms too early, counted from the fault, since no step waits until another holds: let the pause before it last 6s", "nobody waits for the loss: TTL, a second for etcd, and the bound"},
		{[]string{"fault: {cut: a}", "pause: 6s", "heal: all"}, stops, "", "time enough for all that"},
		{[]string{"fault: {cut: a, for: 4s}", "wait: {holder: b}", "pause: 9s"}, stops,
			"d.yaml:5: cut a for 4s (line 5) has to outlast stops: contender a, within 2s (line 9), or a may stop only because the fault ended: its time is up 2s too early, counted from when a has lost the lock: let it last for: 6s", "it ends by itself"},
		{[]string{"fault: {cut: a}", "fault: {freeze: a}", "wait: {holder: b}", "heal: {cut: a}", "pause: 2s", "heal: all"}, stops, "d.yaml:8: cut a (line 5)", "each fault has to"},
		{[]string{"fault: {freeze: holder}", "wait: {nobody: true}"}, stops, "nobody", "this is no step, and no bound is asked of a file with mistakes"},
		{[]string{"fault: {freeze: holder}", "wait: {holder: b}", "heal: all"}, stops, "d.yaml:7: freeze holder", "the holder was a"},
		{[]string{"fault: {freeze: waiter 1}", "wait: {holder: b}", "heal: all"}, stops, "", "who waits loses nothing"},
		{[]string{"fault: {freeze: all}", "wait: {holder: b}", "heal: all"}, stops, "d.yaml:7: freeze all", "all are hit"},
		{[]string{"fault: {freeze: b}", "wait: {holder: b}", "heal: all"}, stops, "", "another is hit"},
		{[]string{"fault: {freeze: a}", "wait: {belief: {a: waiting}}", "heal: all"}, stops, "", "it was waited for until it stopped"},
		{[]string{"fault: {freeze: a}", "wait: {holder: b}", "fault: {kill: a}", "heal: all"}, overlap, "", "who is killed is not freed"},
		{[]string{"fault: {pause: a}", "wait: {holder: b}", "heal: all"}, stops, "", "who is paused can do nothing, and its time counts from when it runs again"},
		{[]string{"fault: {revoke: a}", "wait: {holder: b}", "heal: all"}, stops, "", "a revoke hides nothing"},
		{[]string{"fault: {freeze: a}", "pause: 1s", "heal: all", "wait: {holder: a}"}, overlap, "", "it is not to lose the lock"},
		{[]string{"wait: {holder: p}", "fault: {isolate: member of p}", "wait: {holder: b}", "heal: all"}, overlap, "d.yaml:8: isolate member of p", "the one member that it knows"},
		{[]string{"fault: {isolate: m2}", "wait: {holder: b}", "heal: all"}, overlap, "", "a knows other members"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			text := head
			for _, s := range tt.steps {
				text += "  - " + s + "\n"
			}
			_, err := Parse("d", []byte(text+"expect:\n  - "+tt.expect+"\n"))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// A file may come from anybody.
func FuzzParse(f *testing.F) {
	f.Add([]byte(crash))
	f.Add([]byte(steps("  - fault: {delay: a, by: 1s}")))
	f.Add([]byte("&a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("d", data)
		if (d == nil) == (err == nil) {
			t.Errorf("drill %v and error %v", d, err)
		}
	})
}

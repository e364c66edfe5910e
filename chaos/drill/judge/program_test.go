package judge

import (
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
)

// asProgram puts a program of the user's own into a role of the tale.
func asProgram(ta *tale, who string) *tale {
	ta.j.programs[who] = &program{told: map[string]int64{}}
	return ta
}

// puts: a program wrote a key through the proxy; told, it had the answer.
func (ta *tale) puts(who, key string, told bool) *tale {
	ta.tell(model.Wrote{At: ta.now, Client: model.Client{Name: who, Certain: true}, Key: key, Rev: ta.rev, Told: told})
	return ta
}

// prints is a word that names neither key nor lease, as a line of output is.
func (ta *tale) prints(who string, state model.BeliefState) *tale {
	ta.tell(model.Belief{At: ta.now, Contender: who, Lock: "/x", State: state})
	return ta
}

// unwatches: a program ended to watch the key before its own.
func (ta *tale) unwatches(who string) *tale {
	ta.tell(model.Watches{At: ta.now, Client: model.Client{Name: who, Certain: true}, Key: "/x/before"})
	return ta
}

// paused is a pause of a contender from one time to another.
func (ta *tale) paused(who string, from, to float64) *tale {
	at := ta.at(from).now
	ta.j.targets = append(ta.j.targets, &drill.Target{Step: 1, Contender: who, At: at, Healed: ta.at(to).now, Done: true, Fault: model.Fault{Kind: model.FaultPause, Target: who}})
	return ta.at(from)
}

func TestPrograms(t *testing.T) {
	const stops = "stops: {contender: a, within: 2s}"
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     drill.Verdict
		measured float64
		evidence string
		reason   string
	}{
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).at(5).goes("a").at(6).prints("a", idle).at(9)
		}, drill.Held, 1, "a stopped 1.000 s after its claim had gone", "it stopped in time"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).hit("a").at(4).prints("a", lost).at(5).goes("a").at(9)
		}, drill.Held, 0, "a stopped 0.000 s", "it stopped before etcd took its claim"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).at(5).goes("a").at(8.5).prints("a", idle).at(9)
		}, drill.Violated, 3.5, "believed for 3.500 s", "it stopped too late"},
		{stops, func(ta *tale) *tale {
			ta = asProgram(ta, "a").queues("a").prints("a", holds).puts("a", "/work", true).at(5).goes("a")
			ta.rev++
			return ta.at(6).puts("a", "/work", true).at(9)
		}, drill.Violated, 4, "and still did", "it never learns"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).paused("a", 1, 8).at(5).goes("a").at(8.5).prints("a", lost).at(12)
		}, drill.Held, 0.5, "after it ran again without its claim", "in its sleep it could not know"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).paused("a", 6, 30).at(5).goes("a").at(9)
		}, drill.Violated, 4, "after its claim had gone", "the pause came after the loss"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).at(5).prints("a", idle).goes("a").at(30)
		}, drill.Unknown, none, "did not lose its lock", "it let go by itself, and nothing was judged"},
		{stops, func(ta *tale) *tale { return asProgram(ta, "a").queues("a").at(5).goes("a").at(30) },
			drill.Unknown, none, "--belief 'stdout:", "what would make it known is said"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).at(5).goes("a").at(30)
		}, drill.Unknown, none, "was told at 03:04:00.000 that it holds /x, lost it at 03:04:05.000, and was never told otherwise", "what was inferred does not convict"},
		{stops, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).at(5).goes("a").ends("a").at(30)
		}, drill.Held, 0, "", "who ended does not work on"},
		{"acquired: {contender: b, within: 9s}", func(ta *tale) *tale {
			return asProgram(ta, "b").queues("a", "b").puts("b", keyNamed("b"), true).at(5).goes("a").unwatches("b").at(6)
		}, drill.Held, 5, "b was told that it holds /x after 5.0 s", "the proxy saw that it waited no more"},
		{"acquired: {contender: b, within: 9s}", func(ta *tale) *tale {
			return asProgram(ta, "b").queues("a", "b").puts("b", keyNamed("b"), true).at(5).goes("a").at(20)
		}, drill.Unknown, none, "nor was it seen to be told", "it is first, and does not know"},
		{"acquired: {contender: a, within: 9s}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), false).at(20)
		}, drill.Unknown, none, "nor was it seen to be told", "the answer never came"},
		{"belief: {contender: a, state: holding}", func(ta *tale) *tale { return asProgram(ta, "a").queues("a").done().at(30) },
			drill.Unknown, none, "a says nothing", "silence is no violation"},
		{"handover: {from: a, to: b, cause: expired, within: 7s}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a", "b").hit("a").at(4.9).goes("a").because("a", 1, journal.CauseRevoked, false).at(6)
		}, drill.Held, 4.9, "cause: revoked", "a program that knows may close its session a moment before its lease runs out"},
		{"handover: {from: a, to: b, cause: expired, within: 7s}", func(ta *tale) *tale {
			return ta.queues("a", "b").hit("a").at(4.9).goes("a").because("a", 1, journal.CauseRevoked, false).at(6)
		}, drill.Violated, 4.9, "not expired", "the lab's own contenders do not"},
		{"handover: {from: a, to: b, cause: expired, within: 7s}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a", "b").hit("a").at(4.9).goes("a").because("a", 1, journal.CauseReleased, false).at(6)
		}, drill.Violated, 4.9, "not expired", "its renewals were held and its unlock was not: that is another story"},
		{"overlap: {below: 1800ms}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a", "b").puts("a", keyNamed("a"), true).says("b", waits, 0).at(5).goes("a").says("b", holds, 2).at(6)
		}, drill.Unknown, 0, "was never told otherwise", "b may be alone, or not"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a", "b").prints("a", holds).at(5).goes("a").prints("b", holds).at(6).prints("a", lost).at(9)
		}, drill.Held, none, "", "a word without a key is about the claim that its program has"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a", "b").prints("a", holds).prints("b", holds).at(9)
		}, drill.Violated, none, "b said at 03:04:00.000 that it holds /x: its claim (create revision 2) was never first", "b waits, and says otherwise"},
		{"one-holder", func(ta *tale) *tale { return asProgram(ta, "c").queues("a").prints("c", holds).at(9) },
			drill.Unknown, none, "none of its leases had a claim there then", "whose claim it means is not known"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			r := tt.story(newTale(t, tt.row)).over()
			if r.Verdict != tt.want {
				t.Errorf("%s, want %s: %q", r.Verdict, tt.want, r.Evidence)
			}
			if (r.Measured == nil) != (tt.measured == none) || r.Measured != nil && *r.Measured != tt.measured {
				t.Errorf("measured %v, want %v", r.Numbers(), tt.measured)
			}
			if !strings.Contains(strings.Join(r.Evidence, "\n"), tt.evidence) {
				t.Errorf("evidence %q, want %q", r.Evidence, tt.evidence)
			}
			wantsKnown(t, r)
		})
	}
	t.Run("the writes that etcd accepted are named", func(t *testing.T) {
		ta := asProgram(newTale(t, stops), "a").queues("a").prints("a", holds).puts("a", "/work", true).at(5).goes("a")
		ta.rev++
		r := ta.at(6).puts("a", "/work", false).puts("a", keyNamed("a"), true).at(9).over()
		if want := "etcd accepted 1 writes of a meanwhile, the last of /work at 03:04:06.000, revision 3: its claim went at revision 2"; !strings.Contains(strings.Join(r.Evidence, "\n"), want) {
			t.Errorf("%q, want %q", r.Evidence, want)
		}
	})
}

// wantsKnown wants a result that is not known to say what would make it known.
func wantsKnown(t *testing.T, r ruling) {
	t.Helper()
	if r.Verdict == drill.Unknown && !strings.Contains(strings.Join(r.Evidence, "\n"), "; "+drill.ToKnow) {
		t.Errorf("what would make it known is not said: %q", r.Evidence)
	}
}

// has says that a process has a key, that hangs on a lease of its own.
func (ta *tale) has(who, key string) *tale {
	ta.rev++
	lease, by := leaseNamed(who), model.Client{Name: who, Certain: true}
	ta.tell(model.LeaseOwner{At: ta.now, Lease: lease, Client: by},
		model.Wrote{At: ta.now, Client: by, Key: key, Lease: lease, Rev: ta.rev, Told: true},
		model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{KV: model.KV{Key: key, CreateRev: ta.rev, ModRev: ta.rev, Lease: lease}}}})
	return ta
}

func TestWhatAProgramLacks(t *testing.T) {
	for _, tt := range []struct {
		recipe string
		story  func(*tale) *tale
		want   string
		reason string
	}{
		{"mutex", func(ta *tale) *tale { return ta.has("a", "/x") }, "say --single-key: the lock of a is the one key /x", "the flag was forgotten"},
		{"mutex", func(ta *tale) *tale { return ta.has("a", "/x").prints("a", holds) }, "say --single-key", "what it says of itself changes nothing"},
		{"single", func(ta *tale) *tale { return ta.has("a", "/x/1f") }, "leave --single-key out: the lock of a is a queue, and its key is /x/1f", "the flag is wrong"},
		{"mutex", func(ta *tale) *tale { return ta.has("a", "/locks/x") }, "say its own by --lock: it put the key /locks/x with a lease", "its library puts something before the name"},
		{"mutex", func(ta *tale) *tale { return ta }, "ETCD_ENDPOINTS", "it went to another etcd, or to none"},
		{"mutex", func(ta *tale) *tale { return ta.queues("b", "a") }, "", "it waits, as it should"},
		{"single", func(ta *tale) *tale { return ta.has("a", "/x") }, "", "it holds"},
		{"mutex", func(ta *tale) *tale { return ta.puts("a", "/work", true) }, "", "it works without a lease, and nobody knows why"},
	} {
		ta := newTale(t, "one-holder")
		ta.j.d.Lab.Contenders[0].Recipe = tt.recipe
		ta.rev++
		got := tt.story(asProgram(ta, "a")).j.Lacks("a", "/x")
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

package check

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
)

// asProgram puts a program of the user's own into a role of the tale.
func asProgram(ta *tale, who string) *tale {
	ta.j.programs[who] = &program{reported: map[string]int64{}}
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

// hears: a member says that so many more revisions are there.
func (ta *tale) hears(more int64) *tale {
	ta.tell(model.ClusterStatus{At: ta.now, Members: []model.Member{{Rev: ta.rev + more}}})
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

// up: a program came up and was granted a lease.
func (ta *tale) up(who string) *tale {
	ta.tell(model.LeaseOwner{At: ta.now, Lease: leaseNamed(who), Client: model.Client{Name: who, Certain: true}})
	return ta
}

// slept: we did not run for that long, until now.
func (ta *tale) slept(seconds float64) *tale {
	ta.tell(model.Slept{At: ta.now, Since: ta.now.Add(-time.Duration(seconds * float64(time.Second)))})
	return ta
}

// starved: somebody had no processor for so much of the last ten seconds, us by "".
func (ta *tale) starved(who string, seconds float64) *tale {
	ta.tell(model.Starved{At: ta.now, Since: ta.now.Add(-10 * time.Second), Name: who, For: time.Duration(seconds * float64(time.Second))})
	return ta
}

// askedToEnd: a step asks a contender to end.
func (ta *tale) askedToEnd(who string) *tale {
	ta.hit(who).j.targets[len(ta.j.targets)-1].Fault.Kind = model.FaultStop
	return ta
}

// kept is a fault that keeps all from a contender, from one time to another: healed then, or over
// by itself if up.
func (ta *tale) kept(who string, from, to float64, up bool) *tale {
	x := &drill.Target{Step: 1, Contender: who, At: ta.at(from).now, Done: true, Fault: model.Fault{Kind: model.FaultFreeze, Target: who}}
	x.Healed = ta.at(to).now
	if x.Ending = x.Healed; up {
		x.Ending, x.Fault.For = time.Time{}, ta.now.Sub(x.At)
	}
	ta.j.targets = append(ta.j.targets, x)
	return ta.at(from)
}

// TestAStopAfterTheHeal: a program that stops only after the fault has ended may have stopped for
// that alone, so it is not known whether it stops by itself.
func TestAStopAfterTheHeal(t *testing.T) {
	const stops, overlap = "stops: {contender: a, within: 2s}", "overlap: {below: 1800ms}"
	const heeds, taken = "heeds: {within: 2s}", "taken: {within: 3s}"
	held := func(ta *tale) *tale { return asProgram(ta, "a").queues("a", "b").prints("a", holds) }
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     drill.Verdict
		measured float64
		evidence string
		reason   string
	}{
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, false).at(5).goes("a").at(6.1).prints("a", idle).at(9)
		},
			drill.Unknown, none, "a stopped 1.100 s after its claim had gone, and only after freeze a (step 1) was healed at 03:04:06.000: whether it stops by itself is not known", "healed before the bound was over"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, true).at(5).goes("a").at(6.1).prints("a", idle).at(9)
		},
			drill.Unknown, none, "only after freeze a for 5s (step 1) was over at 03:04:06.000", "it ended by itself"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, false).at(5).goes("a").at(5.9).prints("a", idle).at(9)
		},
			drill.Held, 0.9, "a stopped 0.900 s", "it stopped before that"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 7, false).at(5).goes("a").at(7.1).prints("a", idle).at(9)
		},
			drill.Violated, 2.1, "believed for 2.100 s", "the bound was over before the heal"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 4.9, false).at(5).goes("a").at(5.1).prints("a", idle).at(9)
		},
			drill.Unknown, none, "only after freeze a", "healed a moment before the loss, which is all the same to who asks"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 4.8, false).at(4.9).prints("a", idle).at(5).goes("a").at(9)
		},
			drill.Unknown, none, "a did not lose its lock", "it let go after the heal, and had its claim until then"},
		{stops, func(ta *tale) *tale { return held(ta).kept("a", 1, 6, false).at(5).goes("a").at(6.1).ends("a").at(9) },
			drill.Unknown, none, "only after freeze a", "that its process ends is a stop, too"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("b", 1, 6, false).hit("a").at(5).goes("a").at(6.1).prints("a", idle).at(9)
		},
			drill.Held, 1.1, "", "another was healed"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("", 1, 6, false).at(5).goes("a").at(6.1).prints("a", idle).at(9)
		},
			drill.Unknown, none, "only after freeze", "a fault of nobody in particular, like that of a member, may hit all"},
		{stops, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 2, false).at(4).hit("a").at(5).goes("a").at(5.1).prints("a", idle).at(9)
		},
			drill.Held, 0.1, "", "what was done to it since is what it lost the lock by"},
		{stops, func(ta *tale) *tale { return held(ta).at(5).goes("a").at(6).hit("a").ends("a").at(9) },
			drill.Unknown, none, "only after step 1: kill a", "it was killed: nobody knows how long it would have worked on"},
		{stops, func(ta *tale) *tale {
			return held(ta).paused("a", 1, 6).at(5).goes("a").at(6.5).prints("a", idle).at(9)
		},
			drill.Held, 0.5, "", "in a pause it can do nothing at all"},
		{heeds, func(ta *tale) *tale {
			return held(ta).paused("a", 5.5, 8).at(5).goes("a").at(9).prints("a", idle).at(12)
		},
			drill.Held, 1.5, "", "nor in one that begins after the loss"},
		{heeds, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, false).at(5).goes("a").at(6.1).prints("a", idle).at(9)
		},
			drill.Held, none, "", "soon enough is soon enough, whatever told it"},
		{heeds, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 8, false).at(5).goes("a").at(8.1).prints("a", idle).at(9)
		},
			drill.Violated, 3.1, "believed for 3.100 s", "and too late is too late"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(2).askedToEnd("a").at(2.1).goes("a").at(5).prints("a", idle).at(9)
		}, drill.Held, none, "", "it was asked to end, and waited for the answer to what it let go by"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(2).goes("a").at(3).askedToEnd("a").at(5).prints("a", idle).at(9)
		}, drill.Violated, 3, "a believed for 3.000 s", "it was asked to end a second after it had lost it"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").paused("a", 1, 8).at(5).goes("a").at(8.5).prints("a", holds).at(8.6).prints("a", idle).at(12).queues("a").prints("a", holds).at(15)
		}, drill.Held, none, "", "it was paused before it could say so: its word is of the claim that it had lost, and not of the next"},
		{"one-holder", func(ta *tale) *tale { return asProgram(ta, "a").prints("a", holds).at(5).queues("a").at(9) }, drill.Violated, none, "came first 5.0 s later", "it had never had one"},
		{"linearizable", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a").paused("a", 1, 8).at(5).goes("a").queues("b").prints("b", holds).at(8.5).prints("a", holds).at(8.6).prints("a", idle).at(12)
		}, drill.Held, none, "", "and the order of etcd has its place for it"},
		{heeds, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").paused("a", 1, 8).at(5).goes("a").at(8.5).prints("a", holds).at(10).prints("a", idle).at(12)
		}, drill.Held, 1.5, "", "and it gave it up in time"},
		{heeds, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").paused("a", 1, 8).at(5).goes("a").at(8.5).prints("a", holds).at(11).prints("a", idle).at(12)
		}, drill.Violated, 2.5, "after its word came, with its claim gone, at 03:04:08.500", "or too late"},
		{heeds, func(ta *tale) *tale {
			ta = held(ta).at(5).goes("a").prints("a", idle).at(6).queues("a").at(10).loses().at(12).prints("a", holds)
			return ta.at(16).watchesOn().goes("b").at(20)
		}, drill.Held, none, "", "the watch was lost, and shows its new claim first only later: its word is not of the one that it had given up"},
		{heeds, func(ta *tale) *tale {
			ta = held(ta).at(5).loses().prints("a", idle).at(6).prints("a", holds).at(9).goes("a").goes("b").queues("a")
			return ta.watchesOn().at(20)
		}, drill.Held, none, "", "the watch is back, and shows only then that the claim which it had given up went, and that it has a new one"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(5).prints("a", idle).at(5.1).prints("a", holds).at(5.6).goes("a").goes("b").queues("a").at(20)
		}, drill.Held, none, "", "the watch is not lost, and half a second late"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(5).prints("a", idle).at(5.1).prints("a", holds).at(5.6).goes("a").at(20)
		}, drill.Violated, 14.4, "a believed for 14.400 s", "it gave up its claim, says that it holds, and no new one comes"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(5).goes("a").goes("b").prints("a", idle).at(12).prints("a", holds).hears(1).at(16)
		}, drill.Unknown, none, "a said at 03:04:12.000 that it holds /x: the watch was lost, so it may have", "the watch is that of a member that is cut off: a revision is there that it does not show"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(5).goes("a").goes("b").prints("a", idle).at(12).prints("a", holds).hears(2).at(16).queues("c", "a").at(20)
		}, drill.Held, none, "", "it shows the new claim late"},
		{heeds, func(ta *tale) *tale {
			return held(ta).at(5).goes("a").goes("b").prints("a", idle).at(12).prints("a", holds).hears(0).at(16)
		}, drill.Violated, 4, "a believed for 4.000 s that it holds /x after its word came, with its claim gone", "it shows all that is there, and there is no claim"},
		{"one-holder", func(ta *tale) *tale {
			return held(ta).at(5).goes("a").goes("b").prints("a", idle).at(12).prints("a", holds).at(13)
		}, drill.Unknown, none, "its claim was not seen first yet", "a new claim may be on its way, though the last one was given up long ago"},
		{"one-holder", func(ta *tale) *tale {
			return held(ta).at(5).goes("a").goes("b").prints("a", idle).at(12).prints("a", holds).hears(0).at(15)
		}, drill.Violated, none, "had gone at 03:04:05.000, and it had let go", "none came"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(ta, "c").up("c").queues("a").at(1).prints("c", holds).hears(1).at(9)
		}, drill.Unknown, none, "none of its leases had a claim there then", "a new program, whose claim a watch that is behind does not show either"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(ta, "b").queues("a", "b").at(5).prints("b", holds).hears(1).at(9).goes("a").at(12)
		}, drill.Held, none, "", "nor does it show in time that the one before it went"},
		{heeds, func(ta *tale) *tale {
			ta = asProgram(ta, "a").queues("a", "b").at(5).goes("a").ends("a").at(6)
			ta.tell(model.Contender{At: ta.now, Name: "a", Proc: model.ProcRunning})
			return ta.queues("a").at(10).loses().at(12).prints("a", holds).at(16).watchesOn().goes("b").at(20)
		}, drill.Held, none, "", "nor is that of a new process about the claim of the one before it, which never spoke"},
		{heeds, func(ta *tale) *tale {
			ta = held(ta).at(5).goes("a").prints("a", idle).at(6).queues("a").at(12).prints("a", holds)
			return ta.at(16).goes("a").at(20)
		}, drill.Violated, 4, "a believed for 4.000 s", "it waits, says that it holds, and goes on so when its claim has gone"},
		{heeds, func(ta *tale) *tale { return held(ta).at(9) }, drill.Held, none, "", "nobody lost anything"},
		{heeds, func(ta *tale) *tale { return ta.queues("a").at(9) }, drill.Unknown, none, "nobody said that it holds", "nobody spoke"},
		{"stays: {contender: a}", func(ta *tale) *tale { return held(ta).at(9) }, drill.Held, none, "", "it has it still"},
		{"stays: {contender: a}", func(ta *tale) *tale { return held(ta).at(5).goes("a").at(9) }, drill.Violated, none, "a lost /x at 03:04:05.000", "it went"},
		{"stays: {contender: b}", func(ta *tale) *tale { return held(ta).at(9) }, drill.Unknown, none, "b never held /x", "who waits has nothing to keep"},
		{taken, func(ta *tale) *tale {
			return held(ta).at(5).goes("a").prints("a", idle).at(7).says("b", holds, 2).at(9)
		}, drill.Held, 2, "", "for two seconds nobody held"},
		{taken, func(ta *tale) *tale {
			return held(ta).at(5).goes("a").prints("a", idle).at(9).says("b", holds, 2).at(10)
		}, drill.Violated, 4, "nobody held /x for 4.0 s from 03:04:05.000, until b did", "for four"},
		{taken, func(ta *tale) *tale { return held(ta).at(5).goes("a").prints("a", idle).at(9) }, drill.Violated, 4, "and still nobody does", "until the end"},
		{overlap, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, false).at(5).goes("a").says("b", holds, 2).at(6.1).prints("a", idle).at(9)
		}, drill.Unknown, none, "a and b both believed to hold /x for 1.100 s from 03:04:05.000, until after freeze a (step 1) was healed", "that both hold ended by the heal"},
		{overlap, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 6, false).at(5).goes("a").says("b", holds, 2).at(5.5).prints("a", idle).at(9)
		}, drill.Held, 0.5, "", "it ended before"},
		{overlap, func(ta *tale) *tale {
			return held(ta).kept("a", 1, 7, false).at(5).goes("a").says("b", holds, 2).at(7.1).prints("a", idle).at(9)
		}, drill.Violated, 2.1, "", "the bound was over before the heal"},
		{overlap, func(ta *tale) *tale { return held(ta).hit("a").at(5).goes("a").says("b", holds, 2).at(6) },
			drill.Unknown, 1, "a and b have both believed to hold /x for 1.000 s", "the run ended before the bound"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			wantsResult(t, tt.story(newTale(t, tt.row)).over(), tt.want, tt.measured, tt.evidence)
		})
	}
}

// asks is a write that a program asked for at one time, and etcd accepted at another.
func (ta *tale) asks(who string, from, at float64, w model.Wrote) *tale {
	w.Asked = ta.at(from).now
	ta.rev++
	w.At, w.Client, w.Rev, w.Told = ta.at(at).now, model.Client{Name: who, Certain: true}, ta.rev, true
	ta.tell(w)
	return ta
}

// works are so many puts of a key, one after another.
func (ta *tale) works(who, key string, from float64, times int) *tale {
	for i := range times {
		at := from + float64(i)/10
		ta.asks(who, at, at, model.Wrote{Key: key})
	}
	return ta
}

// TestLateWrites: what etcd accepts of a program after it said that it does not hold is told,
// whatever the verdict; with what its lock protects it is a violation.
func TestLateWrites(t *testing.T) {
	const stops, guards = "stops: {contender: a, within: 2s}", "no-late-write: {contender: a, prefix: /work, within: 2s}"
	key := func(k string) model.Wrote { return model.Wrote{Key: k} }
	held := func(ta *tale) *tale {
		return asProgram(ta, "a").queues("a").prints("a", holds).works("a", "/work", 1, 3)
	}
	lost := func(ta *tale) *tale { return held(ta).at(3).hit("a").at(5).goes("a").prints("a", idle) }
	for _, tt := range []struct {
		row    string
		story  func(*tale) *tale
		want   drill.Verdict
		late   string // "" for none
		reason string
	}{
		{stops, func(ta *tale) *tale { return lost(ta).works("a", "/work", 6, 6).at(9) }, drill.Held,
			"etcd accepted 6 writes of a after it said idle: /work; the last at 03:04:06.500", "a program that is held for its word, and works on"},
		{guards, func(ta *tale) *tale { return lost(ta).works("a", "/work", 6, 6).at(9) }, drill.Violated,
			"etcd accepted 6 writes of a after it said idle: /work", "the lock protects that key"},
		{guards, func(ta *tale) *tale { return lost(ta).works("a", "/other", 6, 6).at(9) }, drill.Held,
			"etcd accepted 6 writes of a after it said idle: /other", "the lock does not protect that one, and it is told all the same"},
		{guards, func(ta *tale) *tale { return lost(ta).at(9) }, drill.Held, "", "it stopped, and wrote no more"},
		{guards, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").prints("a", holds).at(5).goes("a").prints("a", idle).at(9)
		},
			drill.Unknown, "", "nobody ever wrote there: the prefix may be wrong"},
		{guards, func(ta *tale) *tale { return lost(ta).asks("a", 5.2, 5.21, key("/work")).at(9) }, drill.Held, "", "a part of it that hears of the end a moment later"},
		{guards, func(ta *tale) *tale { return lost(ta).asks("a", 5.3, 5.31, key("/work")).at(9) }, drill.Violated, "1 write of a after it said idle: /work", "later than that"},
		{guards, func(ta *tale) *tale { return lost(ta).asks("a", 4.9, 7, key("/work")).at(9) }, drill.Held,
			"etcd accepted 1 write of a after it said idle that came to the proxy before: /work", "on its way when the program said so: it is told, and it is no fault of the program's"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 4.9, 7, key("/work-1")).asks("a", 7, 7, key("/work-2")).at(9)
		}, drill.Violated,
			"etcd accepted 1 write of a after it said idle, and 1 write that came to the proxy before: /work-1, /work-2", "both kinds"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/work-1", Delete: true, Took: true}).at(9)
		}, drill.Violated, "after it said idle: /work-1", "a delete writes"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/work-1", Delete: true, Missed: true}).at(9)
		}, drill.Held, "", "one that found nothing does not"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/w", End: "/x", Delete: true, Took: true}).at(9)
		}, drill.Violated,
			"after it said idle: all that begin with /w", "nor does a range end where the prefix begins"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/a", End: "\x00", Delete: true, Took: true}).at(9)
		}, drill.Violated, "all from /a on", "a range without an end"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/a", End: "/b/c", Delete: true, Took: true}).at(9)
		}, drill.Held, "all from /a up to /b/c", "a range beside it"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/x/", End: "/x0", Delete: true, Took: true}).at(9)
		}, drill.Held, "", "who deletes all below its lock lets go"},
		{guards, func(ta *tale) *tale {
			return lost(ta).asks("a", 6, 6, model.Wrote{Key: "/x/ff", Lease: 0xff}).asks("a", 7, 7, model.Wrote{Key: "/x/ff", Delete: true, Took: true}).at(9)
		}, drill.Held, "", "it queues again, and gives up"},
		{guards, func(ta *tale) *tale {
			return held(ta).asks("a", 3, 3, key(keyNamed("a"))).prints("a", idle).asks("a", 5, 5, key(keyNamed("a"))).at(9)
		}, drill.Held, "", "a status in its own claim"},
		{guards, func(ta *tale) *tale { return lost(ta).asks("a", 6, 6, key("/x/log")).at(9) }, drill.Held, "after it said idle: /x/log", "a key below the lock that is no claim"},
		{guards, func(ta *tale) *tale { return lost(ta).at(6).prints("a", holds).works("a", "/work", 7, 3).at(9) }, drill.Held, "", "it holds again, by its own word"},
		{guards, func(ta *tale) *tale {
			return lost(ta).at(6).queues("a").works("a", "/work", 7, 3).at(9).prints("a", holds)
		}, drill.Held, "", "it holds again, and writes before it says so"},
		{guards, func(ta *tale) *tale {
			return lost(ta).at(6).queues("a").at(7).goes("a").works("a", "/work", 8, 3).at(9)
		}, drill.Violated, "3 writes of a after it said idle", "it held again, and lost that, too"},
		{guards, func(ta *tale) *tale { return held(ta).at(4).prints("a", idle).works("a", "/work", 6, 2).at(9) }, drill.Violated, "2 writes of a after it said idle", "its claim is still there, and its word is that it stopped"},
		{guards, func(ta *tale) *tale { return held(ta).at(5).goes("a").ends("a").works("a", "/work", 6, 2).at(9) }, drill.Violated, "2 writes of a after it had ended: /work", "a child that it left behind"},
		{guards, func(ta *tale) *tale {
			return asProgram(ta, "a").prints("a", waits).works("a", "/here", 1, 3).works("b", "/work", 2, 1).at(9)
		}, drill.Unknown, "", "who stands by may say that it is there"},
		{guards, func(ta *tale) *tale { return asProgram(ta, "a").prints("a", waits).works("a", "/work", 1, 3).at(9) }, drill.Violated, "", "but not write what the lock protects"},
		{guards, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).works("a", "/work", 1, 1).at(5).goes("a").works("a", "/work", 6, 2).at(9)
		}, drill.Held, "2 writes of a after its claim had gone", "it never spoke, and has its time to stop"},
		{guards, func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).works("a", "/work", 1, 1).at(5).goes("a").works("a", "/work", 7.5, 2).at(9)
		}, drill.Violated, "2 writes of a after its claim had gone", "that is over"},
		{guards, func(ta *tale) *tale { return ta.queues("a").at(9) }, drill.Unknown, "", "a contender of the lab"},
		{guards, func(ta *tale) *tale {
			lost(ta)
			for i := range 9 {
				ta.asks("a", 6+float64(i), 6+float64(i), key("/work-\x1b"+string(rune('a'+i))))
			}
			return ta.at(20)
		}, drill.Violated, `9 writes of a after it said idle: /work-\x1ba, /work-\x1bb, /work-\x1bc, /work-\x1bd, /work-\x1be and 4 more keys`, "keys are escaped, and the first few are named"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			ta := tt.story(newTale(t, tt.row))
			r := ta.over()
			if r.Verdict != tt.want {
				t.Errorf("%s, want %s: %q", r.Verdict, tt.want, r.Evidence)
			}
			var said []string
			for _, l := range ta.j.Late() {
				said = append(said, l.Text())
			}
			if got := strings.Join(said, "\n"); !strings.Contains(got, tt.late) || (got == "") != (tt.late == "") {
				t.Errorf("late: %q, want %q", got, tt.late)
			}
			wantsKnown(t, r)
		})
	}
	t.Run("what never wrote may still be coming up", func(t *testing.T) {
		for _, wrote := range []bool{false, true} {
			ta := asProgram(asProgram(newTale(t, guards), "a"), "b").queues("a").prints("a", holds).works("b", "/work", 1, 1)
			if wrote {
				ta.works("a", "/work", 1, 1)
			}
			ta.at(5).goes("a").prints("a", idle).at(6).done().at(9)
			ta.j.now = ta.now
			if _, open := ta.j.Open(); open == wrote {
				t.Errorf("a wrote before, %t: open %t", wrote, open)
			}
		}
	})
	t.Run("what is not remembered is said", func(t *testing.T) {
		ta := lost(newTale(t, stops))
		for i := range putsMax + 1 {
			ta.asks("a", 6, 6, key("/work-"+string(rune('a'+i%7))))
		}
		if got := ta.at(9).j.Late()[0].Text(); !strings.HasPrefix(got, "etcd accepted at least 10000 writes of a after it said idle: /work-b, ") || !strings.Contains(got, " and 2 more keys; ") {
			t.Error(got)
		}
	})
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
		}, drill.Unknown, none, "was told at 03:04:00.000 that it holds /x, lost it at 03:04:05.000, and was not told otherwise in time", "what was inferred does not convict"},
		{"heeds: {within: 2s}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).at(5).goes("a").at(10).queues("a").puts("a", keyNamed("a"), true).at(12)
		}, drill.Unknown, none, "was told at 03:04:00.000 that it holds /x", "nor that it was told the same again"},
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
		{"overlap: {below: 1800ms}", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a", "b").puts("a", keyNamed("a"), true).at(5).goes("a").at(6)
		}, drill.Unknown, 0, "was never told otherwise", "b came first, and was not yet seen to be told"},
		{"overlap: {below: 1800ms}", func(ta *tale) *tale {
			return asProgram(ta, "a").queues("a").puts("a", keyNamed("a"), true).at(5).goes("a").at(6)
		}, drill.Held, 0, "", "nobody came after a"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a", "b").prints("a", holds).at(5).goes("a").prints("b", holds).at(6).prints("a", lost).at(9)
		}, drill.Held, none, "", "a word without a key is about the claim that its program has"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(asProgram(ta, "a"), "b").queues("a", "b").prints("a", holds).prints("b", holds).at(9)
		}, drill.Violated, none, "b said at 03:04:00.000 that it holds /x: its claim (create revision 2) was never first", "b waits, and says otherwise"},
		{"one-holder", func(ta *tale) *tale { return asProgram(ta, "c").queues("a").prints("c", holds).at(9) },
			drill.Unknown, none, "none of its leases had a claim there then", "whose claim it means is not known"},
		{"one-holder", func(ta *tale) *tale {
			asProgram(ta, "a").queues("a", "b").paused("a", 0, 7).at(5).goes("a").at(7).prints("a", holds).prints("a", lost)
			return ta.at(7.06).queues("a").at(19).goes("b").at(25)
		}, drill.Held, none, "", "it was paused before it said so, and asks again: its word is about the claim that it had"},
		{"one-holder", func(ta *tale) *tale {
			return asProgram(ta, "c").up("c").queues("a").prints("c", holds).at(9)
		}, drill.Violated, none, "none of its leases had a claim there, and every claim was another's", "it has a lease, and took an error for the lock"},
		{"one-holder", func(ta *tale) *tale {
			asProgram(ta, "c").up("c").queues("a").tell(model.Wrote{At: ta.now, Client: model.Client{Name: "c", Certain: true}, Key: "/other/" + leaseNamed("c").String(), Lease: leaseNamed("c"), Rev: ta.rev, Told: true})
			return ta.prints("c", holds).at(9)
		}, drill.Unknown, none, "none of its leases had a claim there then", "it holds another lock"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			wantsResult(t, tt.story(newTale(t, tt.row)).over(), tt.want, tt.measured, tt.evidence)
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

// wantsResult compares what came of an expectation; measured is none for no figure.
func wantsResult(t *testing.T, r result, want drill.Verdict, measured float64, evidence string) {
	t.Helper()
	if r.Verdict != want {
		t.Errorf("%s, want %s: %q", r.Verdict, want, r.Evidence)
	}
	if (r.Measured == nil) != (measured == none) || r.Measured != nil && *r.Measured != measured {
		t.Errorf("measured %v, want %v", r.Numbers(), measured)
	}
	if !strings.Contains(strings.Join(r.Evidence, "\n"), evidence) {
		t.Errorf("evidence %q, want %q", r.Evidence, evidence)
	}
	wantsKnown(t, r)
}

// wantsKnown wants a result that is not known to say what would make it known.
func wantsKnown(t *testing.T, r result) {
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
		{"mutex", func(ta *tale) *tale { return ta.has("a", "/locks/x") }, "say its own, --lock /locks/x --single-key: it put the key /locks/x with a lease", "its library puts something before the name"},
		{"mutex", func(ta *tale) *tale { return ta.has("a", "/app/x/"+leaseNamed("a").String()) }, "say its own, --lock /app/x: it put", "its key is one of a queue of another name"},
		{"mutex", func(ta *tale) *tale { return ta }, "ETCD_ENDPOINTS", "it went to another etcd, or to none"},
		{"mutex", func(ta *tale) *tale {
			ta.at(10).starved("a", 6).j.At(ta.now)
			return ta
		}, "run it again, on a machine with less to do: a asked nothing of etcd, and had no processor for 6.0 s", "it had no time to come up"},
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

// TestTheOtherStream: a pattern that never matched, but fits what the program prints to the other
// stream, is told as such.
func TestTheOtherStream(t *testing.T) {
	role := &drill.Program{Command: []string{"w"}, Rules: []drill.Rule{{Stream: drill.Stdout, Pattern: regexp.MustCompile("got the lock"), State: model.BeliefHolding}}}
	d := &drill.Drill{Lab: drill.Lab{Contenders: []drill.Contender{{Name: "a", Locks: []string{"/x"}, Program: role}}}}
	for _, r := range []struct {
		line   model.Line
		want   string
		reason string
	}{
		{model.Line{From: "stderr", Text: "INFO got the lock"}, "say --belief 'stderr:/REGEX/=holding,/REGEX/=idle': your pattern matches its stderr", "loggers write there"},
		{model.Line{From: "stderr", Text: "INFO starting"}, "let a pattern of --belief match a line", "it matches nothing"},
		{model.Line{From: "stdout", Text: "starting"}, "let a pattern of --belief match a line", "nor there"},
	} {
		j := New(d, time.Now())
		j.Apply(model.Printed{At: time.Now(), Contender: "a", Lines: []model.Line{r.line}})
		if got := j.Mute("a"); !strings.Contains(got, r.want) {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

// TestWhoIsNotUpIsNotLate: on a machine that has much to do a program may come up after the holder has
// gone, or lose its lock before the step that is to take it: that says nothing of the program.
func TestWhoIsNotUpIsNotLate(t *testing.T) {
	const handover, acquired = "handover: {to: b, within: 2s}", "acquired: {contender: b, within: 2s}"
	const handoverAfter, acquiredAfter = "handover: {to: b, within: 2s, after: 2}", "acquired: {contender: b, within: 2s, after: 2}"
	killed := func(ta *tale) *tale {
		return ta.queues("a").prints("a", holds).at(5).hit("a").ends("a").goes("a")
	}
	had := func(ta *tale) *tale {
		return ta.queues("a", "b").at(1).goes("a").prints("b", holds).at(3).hit("a").hit("a")
	}
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     drill.Verdict
		measured float64
		evidence string
		reason   string
	}{
		{handover, func(ta *tale) *tale { return killed(ta).at(9).up("b").at(10).queues("b").at(12) }, drill.Held, 1, "counted from when it was up at 03:04:09.000", "it came up after that"},
		{handover, func(ta *tale) *tale { return killed(ta).at(9).up("b").at(12).queues("b").at(13) }, drill.Violated, 3, "at most 2s were expected", "and then it was late"},
		{handover, func(ta *tale) *tale { return killed(ta.up("b")).at(9).queues("b").at(12) }, drill.Violated, 4, "", "it was up long before"},
		{handover, func(ta *tale) *tale {
			return killed(ta.up("b").at(1)).ends("b").at(8).up("b").at(9).queues("b").at(12)
		}, drill.Held, 1, "", "it was started anew"},
		{acquired, func(ta *tale) *tale { return killed(ta).at(9).up("b").at(10).queues("b").prints("b", holds).at(12) }, drill.Held, 1, "", "its word counts from then, too"},
		{acquired, func(ta *tale) *tale { return killed(ta.up("b")).at(9).queues("b").prints("b", holds).at(12) }, drill.Violated, 4, "", "and from the fault where it was up"},
		{handover, func(ta *tale) *tale { return killed(ta.up("b")).at(9).slept(3).queues("b").at(12) }, drill.Unknown, 4, "did not run for 3.0 s", "when it took it nobody saw"},
		{handover, func(ta *tale) *tale { return killed(ta.up("b")).at(9).slept(1).queues("b").at(12) }, drill.Violated, 4, "", "it was late whenever that was"},
		{acquired, func(ta *tale) *tale {
			return killed(ta.up("b")).at(9).slept(3).queues("b").prints("b", holds).at(12)
		}, drill.Unknown, 4, "did not run for 3.0 s", "nor when it said so"},
		{"one-holder", func(ta *tale) *tale { return ta.up("b").at(1).prints("b", holds).at(4).slept(2).queues("b").at(9) }, drill.Unknown, none, "did not run for 2.0 s", "its claim came before, or not"},
		{"heeds: {within: 2s}", func(ta *tale) *tale {
			return ta.queues("b").prints("b", holds).at(2).goes("b").at(5).slept(2).prints("b", idle).at(9)
		}, drill.Unknown, 3, "did not run for 2.0 s", "its word may have been on the way"},
		{"taken: {within: 2s}", func(ta *tale) *tale {
			return ta.queues("b").prints("b", holds).at(2).goes("b").prints("b", idle).at(5).slept(2).queues("a").prints("a", holds).at(7)
		}, drill.Unknown, 3, "did not run for 2.0 s", "somebody may have had it long ago"},
		{handoverAfter, func(ta *tale) *tale { return had(ta).at(9) }, drill.Unknown, none, "b had /x already, since 03:04:01.000", "it had it before the step"},
		{acquiredAfter, func(ta *tale) *tale { return had(ta).at(9) }, drill.Unknown, none, "b had /x already", "and said so"},
		{handoverAfter, func(ta *tale) *tale { return had(ta).at(4).goes("b").at(9) }, drill.Violated, none, "not within 2s", "it lost it, and did not take it again"},
	} {
		t.Run(tt.row+" "+tt.reason, func(t *testing.T) {
			r := tt.story(asProgram(asProgram(newTale(t, tt.row), "a"), "b")).over()
			if r.Verdict != tt.want || (r.Measured == nil) != (tt.measured == none) || r.Measured != nil && *r.Measured != tt.measured || !strings.Contains(strings.Join(r.Evidence, "\n"), tt.evidence) {
				t.Errorf("%s, %s, want %s and %v: %q", r.Verdict, r.Numbers(), tt.want, tt.measured, r.Evidence)
			}
		})
	}
}

// TestWhoHasNoProcessorIsNotLate: on a machine that has too much to do a time is longer than its bound, and it
// is for so long as somebody waited for a processor that nobody knows whether it would have been else. Who
// is later than that is late.
func TestWhoHasNoProcessorIsNotLate(t *testing.T) {
	killed := func(ta *tale) *tale {
		return ta.up("b").queues("a").prints("a", holds).at(5).hit("a").ends("a").goes("a").at(10)
	}
	believes := func(ta *tale) *tale { return ta.up("b").queues("b").prints("b", holds).at(2).goes("b") }
	both := func(ta *tale) *tale {
		return ta.up("b").queues("a", "b").prints("a", holds).at(5).hit("a").goes("a").prints("b", holds).at(9)
	}
	renews := func(ta *tale) *tale {
		ta.j.d.Lab.Contenders[0].TTL = 10 * time.Second
		return ta.queues("a").at(10)
	}
	writes := func(ta *tale) *tale {
		return ta.up("b").queues("b").prints("b", holds).at(2).prints("b", idle).at(3).puts("b", "/data/1", true)
	}
	for _, tt := range []struct {
		row      string
		story    func(*tale) *tale
		want     drill.Verdict
		evidence string
		reason   string
	}{
		{"handover: {to: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("b", 3).queues("b") }, drill.Unknown, "b had no processor for 1.5 s", "half of what it waited was in that time"},
		{"handover: {to: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("b", 1).queues("b") }, drill.Violated, "after 5.0 s", "it was late besides"},
		{"handover: {to: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("c", 3).queues("b") }, drill.Violated, "after 5.0 s", "another had none"},
		{"handover: {to: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("", 3).queues("b") }, drill.Unknown, "locktop did not run for 1.5 s", "the members run in locktop"},
		{"stays: {contender: a}", func(ta *tale) *tale { return renews(ta).starved("a", 6).goes("a") }, drill.Unknown, "a lost /x at 03:04:10.000; but", "it could not renew for more than half of its TTL"},
		{"stays: {contender: a}", func(ta *tale) *tale { return renews(ta).starved("a", 1).goes("a") }, drill.Violated, "a lost /x at 03:04:10.000", "a moment keeps nobody from renewing"},
		{"stays: {contender: a}", func(ta *tale) *tale { return renews(ta).starved("b", 6).goes("a") }, drill.Violated, "a lost /x at 03:04:10.000", "another had none"},
		{"handover: {to: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("b", 3) }, drill.Unknown, "not within 4s; but", "nor is that it never came a fault then"},
		{"handover: {to: b, within: 2s}", func(ta *tale) *tale { return killed(ta).starved("", 4).queues("b") }, drill.Unknown, "after 5.0 s", "a lease may have run out for it, and a call been made again"},
		{"acquired: {contender: b, within: 4s}", func(ta *tale) *tale { return killed(ta).starved("b", 3).queues("b").prints("b", holds) }, drill.Unknown, "b had no processor", "its word comes as late"},
		{"served: {within: 4s}", func(ta *tale) *tale { return ta.queues("a", "b").at(10).starved("b", 8).goes("a") }, drill.Unknown, "b waited 10.0 s for /x; but", "it waited for both"},
		{"heeds: {within: 2s}", func(ta *tale) *tale { return believes(ta).at(5).starved("b", 4).prints("b", idle) }, drill.Unknown, "b had no processor for 1.2 s", "it could not stop"},
		{"heeds: {within: 2s}", func(ta *tale) *tale { return believes(ta).at(5).starved("b", 3).prints("b", idle) }, drill.Violated, "believed for 3.000 s", "it could have"},
		{"heeds: {within: 2s}", func(ta *tale) *tale { return believes(ta).at(12).starved("b", 5).prints("b", idle) }, drill.Violated, "believed for 10.000 s", "nor does half of the time excuse who never looks"},
		{"overlap: {below: 2s}", func(ta *tale) *tale { return both(ta).starved("a", 8).prints("a", idle) }, drill.Unknown, "a and b both believed to hold /x for 4.000 s", "one of the two could not stop"},
		{"overlap: {below: 2s}", func(ta *tale) *tale { return both(ta).starved("a", 4).prints("a", idle) }, drill.Violated, "a and b both believed to hold /x for 4.000 s", "it could have"},
		{"taken: {within: 2s}", func(ta *tale) *tale {
			return believes(ta).prints("b", idle).at(5).starved("b", 5).queues("b").prints("b", holds)
		}, drill.Unknown, "nobody held /x for 3.0 s", "nobody could take it"},
		{"gap: {below: 2s}", func(ta *tale) *tale {
			return believes(ta).prints("b", idle).queues("a").prints("a", model.BeliefWaiting).at(5).starved("a", 5).prints("a", holds)
		}, drill.Unknown, "nobody held /x for 3.000 s", "likewise"},
		{"no-late-write: {contender: b, prefix: /data}", func(ta *tale) *tale { return writes(ta).starved("b", 9) }, drill.Unknown, "accepted 1 write of b", "what writes had no time to hear of it, or was not told"},
		{"no-late-write: {contender: b, prefix: /data}", func(ta *tale) *tale { return writes(ta).starved("b", 5) }, drill.Violated, "accepted 1 write of b", "it had"},
	} {
		t.Run(tt.row+" "+tt.reason, func(t *testing.T) {
			r := tt.story(asProgram(asProgram(newTale(t, tt.row), "a"), "b")).over()
			if r.Verdict != tt.want || !strings.Contains(strings.Join(r.Evidence, "\n"), tt.evidence) {
				t.Errorf("%s, %s, want %s: %q", r.Verdict, r.Numbers(), tt.want, r.Evidence)
			}
		})
	}
	t.Run("once it has run it is seen whether it writes on", func(t *testing.T) {
		ta := writes(asProgram(newTale(t, "no-late-write: {contender: b, prefix: /data}"), "b")).starved("b", 9).done()
		if _, open := ta.j.Open(); !open {
			t.Error("nobody waits for that")
		}
		if r := ta.at(7).puts("b", "/data/1", true).over(); r.Verdict != drill.Violated {
			t.Errorf("%s: %q", r.Verdict, r.Evidence)
		}
	})
}

// TestWhatToMend: who stops too late has to heed its lease, and who is asked to end has to let go; what holds has
// nothing to mend, and of a time for which the machine is to blame nothing is said.
func TestWhatToMend(t *testing.T) {
	asked := func(ta *tale, went float64) *tale {
		return ta.up("b").queues("a", "b").prints("a", holds).at(5).askedToEnd("a").ends("a").at(went).goes("a").prints("b", holds)
	}
	for _, tt := range []struct {
		row, want string
		story     func(*tale) *tale
		reason    string
	}{
		{"heeds: {within: 2s}", mendStop, func(ta *tale) *tale { return ta.queues("a").prints("a", holds).at(2).goes("a").at(9) }, "it works on"},
		{"handover: {to: b, within: 2s}", mendLetGo, func(ta *tale) *tale { return asked(ta, 10) }, "its lease ran out"},
		{"acquired: {contender: b, within: 2s}", mendLetGo, func(ta *tale) *tale { return asked(ta, 10) }, "so the next is late"},
		{"handover: {to: c, within: 2s}", mendLetGo, func(ta *tale) *tale { return asked(ta, 10) }, "or another is next"},
		{"handover: {to: b, within: 2s}", "", func(ta *tale) *tale { return asked(ta, 6) }, "it let go"},
		{"handover: {to: b, within: 2s}", "", func(ta *tale) *tale {
			return ta.up("b").queues("a", "b").prints("a", holds).at(5).hit("a").ends("a").at(10).goes("a")
		}, "who is killed cannot let go"},
		{"no-late-write: {contender: a, prefix: /data}", mendWrites, func(ta *tale) *tale {
			return ta.queues("a").prints("a", holds).at(2).prints("a", idle).at(4).puts("a", "/data/1", true)
		}, "a part of it was not told"},
		{"heeds: {within: 2s}", "", func(ta *tale) *tale {
			return ta.queues("a").prints("a", holds).at(2).goes("a").at(5).starved("a", 5).prints("a", idle)
		}, "it had no processor"},
	} {
		t.Run(tt.row+" "+tt.reason, func(t *testing.T) {
			if r := tt.story(asProgram(asProgram(newTale(t, tt.row), "a"), "b")).over(); r.Mend != tt.want {
				t.Errorf("%q, want %q: %s %q", r.Mend, tt.want, r.Verdict, r.Evidence)
			}
		})
	}
}

// TestAWordWithoutAClaim: who takes an error for success says that it holds and has nothing. A program that could
// not speak in time, or whose word is about a claim that it has, says nothing wrong.
func TestAWordWithoutAClaim(t *testing.T) {
	had := func(ta *tale) *tale {
		return ta.up("a").queues("a").prints("a", holds).at(2).goes("a").prints("a", idle)
	}
	for _, tt := range []struct {
		story  func(*tale) *tale
		want   drill.Verdict
		reason string
	}{
		{func(ta *tale) *tale { return had(ta).at(9).prints("a", holds).at(10).prints("a", idle).at(11) }, drill.Violated, "it let go of the only claim that it had, long ago"},
		{func(ta *tale) *tale { return had(ta).at(2.2).prints("a", holds).at(3).prints("a", idle).at(5) }, drill.Held, "its words may be late"},
		{func(ta *tale) *tale {
			return ta.up("a").queues("a").at(2).goes("a").at(9).prints("a", holds).prints("a", idle)
		}, drill.Held, "it could not speak of it before"},
		{func(ta *tale) *tale {
			return ta.up("a").queues("a").prints("a", holds).at(2).prints("a", idle).at(9).prints("a", holds)
		}, drill.Held, "its claim is there"},
		{func(ta *tale) *tale { return had(ta).at(9).starved("a", 8).prints("a", holds).prints("a", idle) }, drill.Unknown, "it had no processor"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if r := tt.story(asProgram(newTale(t, "one-holder"), "a")).over(); r.Verdict != tt.want {
				t.Errorf("%s, want %s: %q", r.Verdict, tt.want, r.Evidence)
			}
		})
	}
}

// TestASilentTwinHasWords: a program that only waits prints nothing. That another copy of it spoke says
// that the pattern is right, and that this one did not get the lock.
func TestASilentTwinHasWords(t *testing.T) {
	for _, tt := range []struct {
		other  string
		want   drill.Verdict
		reason string
	}{
		{"worker", drill.Violated, "the same command spoke: it has not got the lock"},
		{"another", drill.Unknown, "another command spoke: what this one prints is not known"},
	} {
		ta := newTale(t, "acquired: {contender: b, within: 2s}")
		rules := []drill.Rule{{Stream: drill.Stdout, Pattern: regexp.MustCompile("got"), State: holds}}
		ta.j.d.Lab.Contenders[0].Program = &drill.Program{Command: []string{tt.other}, Rules: rules}
		ta.j.d.Lab.Contenders[1].Program = &drill.Program{Command: []string{"worker"}, Rules: rules}
		ta = asProgram(asProgram(ta, "a"), "b").queues("a").prints("a", holds).at(1).hit("a")
		if r := ta.at(9).over(); r.Verdict != tt.want {
			t.Errorf("%s: %s, want %s: %q", tt.reason, r.Verdict, tt.want, r.Evidence)
		}
	}
}

// TestWhyComesFirst: who reads one line of the evidence reads why it is violated, however much went well before.
func TestWhyComesFirst(t *testing.T) {
	ta := asProgram(newTale(t, "heeds: {within: 2s}"), "a")
	for i := range 2 * evidenceMax {
		ta.at(float64(10*i)).queues("a").prints("a", holds).hit("a").at(float64(10*i+1)).goes("a").at(float64(10*i+2)).prints("a", idle)
	}
	r := ta.at(300).queues("a").prints("a", holds).at(300.5).hit("a").at(301).goes("a").at(305).prints("a", idle).at(310).over()
	if len(r.Evidence) != evidenceMax || !strings.HasPrefix(r.Evidence[0], "a believed for 4.000 s") || r.Evidence[1] != "kill a (step 1) was done to it at 03:09:00.500" ||
		!strings.HasPrefix(r.Evidence[2], "let a end its work") || !strings.Contains(r.Evidence[3], "a stopped 1.000 s") {
		t.Errorf("%s by %q", r.Verdict, r.Evidence)
	}
}

// TestWhatWouldTellTheRest: a run that did not get to its end says by what the rest would be known.
func TestWhatWouldTellTheRest(t *testing.T) {
	for _, row := range []struct {
		ended        func(*tale)
		want, reason string
	}{
		{func(*tale) {}, "get past step 2, where the drill ended", "a step failed"},
		{func(ta *tale) { ta.j.Interrupted() }, "let it run to its end: it was interrupted", "somebody ended it"},
		{func(ta *tale) { ta.at(5).goes("a").at(9); ta.j.LeftOut() }, "mend what is violated: the steps after it were left out", "a is violated, so the rest was left out"},
		{func(ta *tale) { ta.j.LeftOut() }, "run it again: the steps after what looked violated were left out, and whether it was is not known", "a looked violated, and had no processor, as was told later"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			ta := asProgram(newTale(t, "taken: {lock: x, within: 2s, after: 2}"), "a").queues("a").prints("a", holds).hit("a")
			ta.j.d.Expect = append(ta.j.d.Expect, drill.Expectation{Name: "heeds", Within: 2 * time.Second})
			row.ended(ta)
			if r := ta.over(); r.Verdict != drill.Unknown || len(r.Evidence) != 1 || !strings.HasSuffix(r.Evidence[0], drill.ToKnow+row.want) {
				t.Errorf("%s by %q", r.Verdict, r.Evidence)
			}
		})
	}
}

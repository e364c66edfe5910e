package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// scene is a picture: what is started, and what is done until it is taken. One with
// captions is a film, from the first caption on.
type scene struct {
	name          string
	words         string // what is to be seen
	args          []string
	width, height int // 120 by 36 if there is nothing
	steps         []step
}

// falseBelief breaks a lock of the lab: its holder is paused when it just got the lock,
// and its lease runs out.
var falseBelief = []step{sees("handovers 1"), rest(time.Second), press("P"), sees("x stale-holder"), rest(4 * time.Second)}

var scenes = []scene{
	{
		name: "demo", words: "The demo: a queue moves, its holder is paused, and two programs believe that they hold one lock",
		args: []string{"demo"}, width: 100, height: 32,
		steps: []step{
			sees("/demo/orders"),
			say("Six programs share three locks. The queue of each moves on."),
			sees("handovers 1"), rest(2 * time.Second),
			say("P pauses the holder. It stops renewing its lease."),
			press("P"), sees("x stale-holder"),
			say("etcd gives the lock to the next. The paused program still believes that it holds."),
			rest(6 * time.Second),
			say("A heals the fault. The program wakes up and learns that it lost the lock."),
			press("A"), sees("healthy ─ .*handovers"), rest(4 * time.Second),
		},
	},
	{
		name: "locks", words: "Locks: the lock in trouble is on top; below are its queue and the reason",
		args: []string{"demo"}, steps: falseBelief,
	},
	{
		name: "light", words: "The light theme",
		args: []string{"demo", "--theme", "light"}, steps: falseBelief,
	},
	{
		name: "lab", words: "The lab: what each contender believes, beside what etcd says",
		args: []string{"demo"}, steps: then(falseBelief, press("5"), sees("BELIEVES")),
	},
	{
		name: "findings", words: "Findings: the problem, its evidence, the advice, and the etcdctl lines that show it by hand",
		args: []string{"demo"}, steps: then(falseBelief, press("w"), sees("etcdctl get")),
	},
	{
		name: "journal", words: "The journal: one sentence for each change",
		args: []string{"demo"}, steps: then(falseBelief, press("A"), rest(6*time.Second), press("3"), sees("fault: pause")),
	},
	{
		name: "break", words: "The dialog before a lock is broken: every key that goes, and the next holder",
		args: []string{"demo"}, steps: []step{sees("handovers 1"), sees("○ waits"), press("x"), sees("revoke the lease")},
	},
	{
		name: "faults", words: "The menu of faults, for one contender",
		args: []string{"demo"}, steps: []step{sees("handovers 1"), press("5"), sees("BELIEVES"), press("F"), sees("SIGKILL")},
	},
	{
		name: "lesson", words: "A drill as a lesson: it asks for a prediction before it goes on",
		args:  []string{"demo", "--drill", "holder-pause"},
		steps: []step{sees("n (begins|starts?) "), press("n"), sees("a holds"), press("n"), sees("Who believes")},
	},
}

func then(first []step, more ...step) []step { return append(slices.Clone(first), more...) }

// gallery is a page with all pictures.
func gallery() string {
	var b strings.Builder
	b.WriteString("# Pictures\n\nMade from today's program by `go -C demo/bench run ./pictures`; do not edit.\n")
	for _, s := range scenes {
		fmt.Fprintf(&b, "\n%s:\n\n![%s](%s.svg)\n", s.words, s.words, s.name)
	}
	return b.String()
}

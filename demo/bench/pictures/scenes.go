package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// scene is a picture: what is started, and what is done until it is taken. One that rolls is a film from
// there on.
type scene struct {
	name          string
	words         string // what is to be seen
	args          []string
	width, height int // 120 by 36 if there is nothing
	steps         []step
}

// What the steps wait for: a lock that changed hands, a lane with a false belief in it
// (its legend has one sign alone), and the Lab page, by its line to paste.
const (
	moved    = `handovers? [1-9]|[1-9][0-9,]* handover`
	believed = "▚▚"
	labPage  = `ETCDCTL_ENDPOINTS=`
)

// falseBelief breaks a lock of the lab: it pauses the holder just after a handover, and
// the holder's lease expires.
var falseBelief = []step{sees(moved), rest(time.Second), press("P"), sees(believed), rest(4 * time.Second)}

var scenes = []scene{
	{
		name: "demo", words: "The demo and its guide: a holder was paused and two programs act, a deadlock, another leader",
		args: []string{"demo"}, width: 100, height: 32,
		steps: []step{
			sees("first come, first served"), rest(2 * time.Second),
			press("n"), rest(2 * time.Second),
			press("P"), sees("Two programs act: etcd"), rest(time.Second), roll(), rest(4 * time.Second),
			press("n"), rest(2 * time.Second),
			press("P"), sees("was wrong for"), rest(3 * time.Second),
			press("n"), rest(2 * time.Second),
			press("n"), sees("wait for each other"), rest(3 * time.Second),
			press("n"), rest(2 * time.Second),
			press("n"), sees("leads now"), rest(3 * time.Second),
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
		args: []string{"demo"}, steps: then(falseBelief, press("5"), sees(labPage)),
	},
	{
		name: "findings", words: "Findings: the problem, its evidence, the advice, and the etcdctl lines that show it by hand",
		args: []string{"demo"}, steps: then(falseBelief, press("w"), sees("etcdctl get")),
	},
	{
		name: "journal", words: "The journal: one sentence for each change",
		args: []string{"demo"}, steps: then(falseBelief, press("A"), rest(6*time.Second), press("3"), sees(`journal +[0-9]+ lines`), rest(time.Second)),
	},
	{
		name: "break", words: "The dialog before a lock is broken: every key that goes, and the next holder",
		args: []string{"demo"}, steps: []step{sees(moved), rest(3 * time.Second), press("x"), sees("revoke the lease")},
	},
	{
		name: "faults", words: "The menu of faults, for one contender",
		args: []string{"demo"}, steps: []step{sees(moved), press("5"), sees(labPage), press("F"), sees("SIGKILL")},
	},
	{
		name: "lesson", words: "A drill as a lesson: it asks for a prediction before it goes on",
		args:  []string{"demo", "--drill", "holder-pause"},
		steps: []step{sees("n start"), press("n"), sees("Now its process pauses"), press("n"), sees("Who believes")},
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

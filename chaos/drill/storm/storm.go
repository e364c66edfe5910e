// Package storm draws drills by a seed: faults against several copies of one program, one after
// another and one beside another, judged by what has to be so whatever happens.
//
//	Draw ──schedule──▶ Storm.Text ──a drill file──▶ drill.Parse ─▶ roles ─▶ runner
//	                        ▲
//	Shrink ──fewer faults───┘   as long as the shorter one still fails
package storm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Options say what is drawn.
type Options struct {
	Seed uint64
	// For is how long faults begin, Copies how many programs compete.
	For    time.Duration
	Copies int
	// TTL is that of their leases, Within what they have to stop that lost their lock.
	TTL, Within time.Duration
	// Turns: they let go by themselves and come back. Theirs: the members are not ours to break.
	Turns, Theirs bool
}

// Fault is one fault of a storm: the step as a drill file has it, and the time until the next. Who is down
// is started right after it, but for whom it ends: that one stays down until the next.
type Fault struct {
	Step string
	Wait time.Duration
}

// ends says whether a fault ends a program.
func (f Fault) ends() bool {
	return strings.HasPrefix(f.Step, "fault: {kill:") || strings.HasPrefix(f.Step, "fault: {stop:")
}

// Storm is a schedule of faults.
type Storm struct {
	Options
	Faults []Fault
	// Brief: it ends when what the last fault did has shown, and nobody waits for the lock to be taken
	// again.
	Brief bool
}

// name is that of a copy.
func name(i int) string { return fmt.Sprintf("c%d", i+1) }

// Draw draws the schedule of a seed: the same options give the same one.
func Draw(o Options) Storm {
	rng := rand.New(rand.NewPCG(o.Seed, 0x73746f726d))
	s := Storm{Options: o}
	between := func(least, most time.Duration) time.Duration {
		return (least + time.Duration(rng.Int64N(int64(most-least)))).Round(100 * time.Millisecond)
	}
	long := func() time.Duration { // two of three outlast a lease, and the bound after it
		if rng.IntN(3) == 0 {
			return between(time.Second, o.TTL)
		}
		return between(o.TTL+o.Within, o.TTL+o.Within+4*time.Second)
	}
	begun := time.Duration(0)
	add := func(all ...Fault) {
		for _, f := range all {
			begun += f.Wait
		}
		s.Faults = append(s.Faults, all...)
	}
	opening := o.opening(name(rng.IntN(o.Copies)))
	rng.Shuffle(len(opening), func(i, j int) { opening[i], opening[j] = opening[j], opening[i] })
	for _, faults := range opening {
		if begun < o.For {
			add(faults...)
		}
	}
	for begun < o.For {
		who := "holder"
		if rng.IntN(3) == 0 {
			who = name(rng.IntN(o.Copies))
		}
		client := func(kind, more string) string {
			return fmt.Sprintf("fault: {%s: %s, %sfor: %s}", kind, who, more, long())
		}
		var step string
		n := 15
		if o.Theirs {
			n = 10
		}
		switch rng.IntN(n) {
		case 0, 1:
			step = client("pause", "")
		case 2, 3:
			step = client("hold-keepalives", "")
		case 4:
			step = client("freeze", "")
		case 5:
			step = client("cut", "")
		case 6:
			step = client("slow", "delay: 200ms, ")
		case 7:
			step = client("drop-reply", "method: KV/Txn, count: 1, ")
		case 8:
			step = fmt.Sprintf("fault: {kill: %s}", who)
		case 9:
			step = fmt.Sprintf("fault: {stop: %s}", who)
		case 10:
			step = "fault: move-leader"
		case 11:
			step = fmt.Sprintf("fault: {isolate: a follower, for: %s}", between(time.Second, 5*time.Second))
		case 12:
			step = fmt.Sprintf("fault: {stop-member: a follower, for: %s}", between(time.Second, 3*time.Second))
		case 13:
			step = fmt.Sprintf("fault: {lose-quorum: true, for: %s}", between(time.Second, 3*time.Second))
		case 14:
			step = "fault: compact"
		}
		add(Fault{step, between(500*time.Millisecond, 6*time.Second)})
	}
	return s
}

// opening are the faults that a storm begins with, in an order of its own: those by which a holder loses
// its lock and lives, each left alone until the bound is over, one by which it is not told that it let go, and
// one by which a copy that comes up asks for the lock and gets an error. What a program does wrong shows by
// them within a minute, whatever else is drawn.
func (o Options) opening(who string) (all [][]Fault) {
	loses := func(kind string, lasts time.Duration) {
		all = append(all, []Fault{{fmt.Sprintf("fault: {%s: holder, for: %s}", kind, lasts), lasts + o.Within + shows}})
	}
	ends := o.TTL + 2*time.Second // etcd is late by a second at most
	loses("pause", ends)
	loses("cut", ends+o.Within)
	loses("hold-keepalives", ends+o.Within)
	unanswered := func(method string) Fault {
		return Fault{fmt.Sprintf("fault: {drop-reply: holder, method: %s, for: 5s}", method), 100 * time.Millisecond}
	}
	return append(all,
		[]Fault{unanswered("KV/DeleteRange"), unanswered("Lease/LeaseRevoke"), {"fault: {stop: holder}", 5 * time.Second}},
		[]Fault{
			{fmt.Sprintf("fault: {kill: %s}", who), 500 * time.Millisecond},
			{"fault: {drop-reply: all, method: KV/Txn, for: 3s}", 3 * time.Second},
			{"fault: {cut: all, for: 500ms}", o.Within + shows},
		})
}

// shows is what it takes until what a bound was broken by is seen.
const shows = 1500 * time.Millisecond

// Recovers is how long the lock may be without a holder once every fault is healed, or its holder was
// killed: a lease has to end, and a program that is started anew to come up.
func (o Options) Recovers() time.Duration { return o.TTL + 10*time.Second }

// Text is the storm as a drill file, with the lock of a drill.
func (s Storm) Text(title string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	hold := "60s"
	if s.Turns {
		hold = "2s"
	}
	line("title: %q", title)
	line("why: >")
	line("  Faults in any order must not let two programs write, or the lock go to nobody. Stop when the lease may be")
	line("  over by your own clock, close the session after any error, and ask again.")
	line("seed: %d", s.Seed)
	line("lab:")
	line("  members: 3")
	line("  contenders:")
	for i := range s.Copies {
		line("    - {name: %s, lock: storm, recipe: mutex, ttl: %s, hold: %s, later: true}", name(i), s.TTL, hold)
	}
	line("steps:")
	steps := 0
	step := func(format string, args ...any) { steps++; line("  - "+format, args...) }
	start := func() {
		for i := range s.Copies {
			step("{try: true, start: %s}", name(i))
		}
	}
	start()
	step("wait: {lock: storm, acquisitions: 1, within: 20s}")
	for _, f := range s.Faults {
		step("{try: true, %s}", f.Step)
		if !f.ends() {
			start()
		}
		step("pause: %s", f.Wait)
	}
	after := 0
	if s.Brief {
		start()
		step("pause: %s", s.TTL+s.Within+3*time.Second)
		step("heal: all")
	} else {
		step("heal: all")
		step("pause: 4s") // one that was asked to end has ended
		start()
		after = steps
		step("pause: %s", s.Recovers()+time.Second)
		step("{try: true, fault: {kill: holder}}")
		step("pause: 4s")
		start()
		step("pause: %s", s.Recovers()-3*time.Second)
	}
	line("expect:")
	line("  - one-holder")
	line("  - heeds: {within: %s}", s.Within)
	if !s.Brief {
		line("  - taken: {lock: storm, within: %s, after: %d}", s.Recovers(), after)
	}
	return b.String()
}

// Shrink looks for fewer faults that fail: the shortest end of them, and of that it leaves out one after
// another. It ends where there is none, or fails says that there is no more time.
func Shrink(s Storm, fails func(Storm) (failed, more bool)) Storm {
	best, failed, more := s.Faults, false, true
	try := func(faults []Fault) {
		shorter := s
		shorter.Faults = faults
		if failed, more = fails(shorter); failed {
			best = faults
		}
	}
	for size := 1; more && !failed && size < len(s.Faults); size *= 2 {
		try(s.Faults[len(s.Faults)-size:])
	}
	for i := 0; more && i < len(best) && len(best) > 1; {
		if try(slices.Delete(slices.Clone(best), i, i+1)); !failed {
			i++
		}
	}
	s.Faults = best
	return s
}

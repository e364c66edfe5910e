package drill

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktop/model"
)

// condition is one thing that a wait waits for: what, how that is said once it is so, and
// how it is instead, "" if it is so.
type condition struct{ want, met, actual string }

// View is what a wait is held against.
type View interface {
	// Queue is the queue of a lock, empty if there is no such lock.
	Queue(lock string) Queue
	// LastWord is the last belief of a contender on a lock, on any if that is "".
	LastWord(contender, lock string) model.Belief
	// LastNote is what a contender said last in words.
	LastNote(contender string) string
	// Process is the process of a contender, the zero value if it was not started.
	Process(contender string) model.Contender
	// Acquisitions counts those of a lock since the run began, of all if that is "".
	Acquisitions(lock string) int
	Findings() []model.Finding
	Cluster() model.ClusterStatus
}

func (w *Wait) conditions(v View) []condition {
	var all []condition
	add := func(ok bool, is string, want words) {
		if ok {
			is = ""
		}
		all = append(all, condition{want.want, want.met, is})
	}
	q := v.Queue(w.Lock)
	if w.Nobody {
		add(q.Held == 0, q.Words(), doneTo("nobody", "hold", "holds", w.Lock))
	}
	for _, name := range w.Holders {
		add(slices.Contains(q.Owners[:q.Held], Process(name)), q.Words(), doneTo(name, "hold", "holds", w.Lock))
	}
	for i, name := range w.Waiters {
		place := q.Held + i
		add(place < len(q.Owners) && q.Owners[place] == Process(name), q.Words(), doneTo(name, "be", "is", fmt.Sprintf("waiter %d of %s", i+1, w.Lock)))
	}
	for _, name := range w.Gone {
		add(!slices.Contains(q.Owners, Process(name)), q.Words(), doneTo(name, "have", "has", "no claim on "+w.Lock))
	}
	if w.Queue >= 0 {
		add(len(q.Owners) == w.Queue, fmt.Sprintf("there were %d", len(q.Owners)), sameWords("%s on %s", model.CountOf(w.Queue, "key"), w.Lock))
	}
	w.ofContenders(v, add)
	w.ofCluster(v, add)
	return all
}

type adder func(ok bool, is string, want words)

// words say a condition before and after it is met.
type words struct{ want, met string }

// doneTo is somebody who is to do something, and then does: "a to hold /l", "a holds /l".
func doneTo(who, do, does, what string) words {
	return words{strings.TrimSpace(who + " to " + do + " " + what), strings.TrimSpace(who + " " + does + " " + what)}
}

// sameWords are words that fit before and after.
func sameWords(format string, args ...any) words {
	s := fmt.Sprintf(format, args...)
	return words{s, s}
}

func (w *Wait) ofContenders(v View, add adder) {
	for _, name := range slices.Sorted(maps.Keys(w.Beliefs)) {
		b := v.LastWord(name, w.Lock)
		is := "it said " + string(b.State)
		if b.At.IsZero() {
			is = "it said nothing"
		}
		add(b.State == w.Beliefs[name], is, doneTo(name, "say", "says", string(w.Beliefs[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(w.Says)) {
		is := "it said nothing"
		if said := v.LastNote(name); said != "" {
			is = "it said: " + model.Printable(said)
		}
		add(strings.Contains(v.LastNote(name), w.Says[name]), is, doneTo(name, "say", "says", w.Says[name]))
	}
	state := func(name string) string {
		switch p := v.Process(name); p.Proc {
		case "":
			return "it was not started"
		case model.ProcEnded:
			return "it ended: " + p.Ended
		default:
			return "it was " + string(p.Proc)
		}
	}
	for _, name := range w.Alive {
		p := v.Process(name).Proc
		add(p == model.ProcRunning || p == model.ProcPaused, state(name), doneTo(name, "live", "lives", ""))
	}
	for _, name := range w.Ended {
		add(v.Process(name).Proc == model.ProcEnded, state(name), doneTo(name, "have", "has", "ended"))
	}
}

func (w *Wait) ofCluster(v View, add adder) {
	there := func(code model.Code) bool {
		return slices.ContainsFunc(v.Findings(), func(f model.Finding) bool {
			return f.Code == code && (w.Lock == "" || f.Lock == w.Lock || f.Lock == "")
		})
	}
	found := "the findings were " + codesOf(v.Findings())
	for _, code := range w.Findings {
		add(there(code), found, sameWords("the finding %s", code))
	}
	for _, code := range w.Absent {
		add(!there(code), found, sameWords("no finding %s", code))
	}
	if w.Acquisitions > 0 {
		n := v.Acquisitions(w.Lock)
		add(n >= w.Acquisitions, fmt.Sprintf("there were %d", n), sameWords("%s", model.CountOf(w.Acquisitions, "acquisition")))
	}
	if w.Leader != "" {
		leader := v.Cluster().Leader().Name
		is := leader + " led"
		switch {
		case leader != "":
		case v.Cluster().Leaderless():
			is = "nobody led"
		default:
			is = "who led was not known"
		}
		ok := w.Leader == leader || w.Leader == "any" && leader != "" || w.Leader == "none" && v.Cluster().Leaderless()
		add(ok, is, sameWords("the leader %s", w.Leader))
	}
	if w.Up > 0 {
		add(v.Cluster().Up() == w.Up, fmt.Sprintf("%d did", v.Cluster().Up()), doneTo(model.CountOf(w.Up, "member"), "answer", map[bool]string{true: "answers", false: "answer"}[w.Up == 1], ""))
	}
}

// Unmet says in words what a wait still waits for, "" if for nothing.
func (w *Wait) Unmet(v View) string {
	var want, is []string
	for _, c := range w.conditions(v) {
		if c.actual != "" {
			want = append(want, c.want)
			if !slices.Contains(is, c.actual) {
				is = append(is, c.actual)
			}
		}
	}
	if len(want) == 0 {
		return ""
	}
	return strings.Join(want, " and ") + ", but " + strings.Join(is, " and ")
}

// Queue is a lock's queue by the names of its owners, how many of the first hold, and
// how the lock does.
type Queue struct {
	Owners  []string
	Held    int
	Blocked bool
	// State is the lock's state in plain words, as the console and ls say it; "" if the lock was
	// never seen.
	State string
}

// Words says who held and who waited, and how the lock did.
func (q Queue) Words() string {
	if q.State == "" {
		return "it was free" // it was never seen
	}
	who := ""
	switch {
	case len(q.Owners) == 0:
		who = "nobody held it"
	case q.Blocked:
		who = q.Owners[0] + " blocked it, which does not hold"
	case q.Held == 0:
		who = "nobody was known to hold it, and listed were " + strings.Join(q.Owners, ", ")
	case len(q.Owners) == q.Held:
		who = "the holder was " + strings.Join(q.Owners, ", ")
	default:
		who = "the holder was " + strings.Join(q.Owners[:q.Held], ", ") + ", and waiting were " + strings.Join(q.Owners[q.Held:], ", ")
	}
	return who + " (" + q.State + ")"
}

func codesOf(all []model.Finding) string {
	if len(all) == 0 {
		return "none"
	}
	var codes []string
	for _, f := range all {
		codes = append(codes, string(f.Code))
	}
	return strings.Join(codes, ", ")
}

package drill

import (
	"fmt"
	"slices"
	"strings"

	"locktop/model"
)

// condition is one thing that a wait waits for: what, and how it is instead, "" if
// it is so.
type condition struct{ want, is string }

// conditions of a wait, against the state that the screen shows too. Beliefs and
// counts come from the history of the judge.
func (w *Wait) conditions(s *model.State, j *judge) []condition {
	var all []condition
	add := func(ok bool, is, want string, args ...any) {
		if ok {
			is = ""
		}
		all = append(all, condition{fmt.Sprintf(want, args...), is})
	}
	q := queueOf(s, j, w.Lock)
	if w.Nobody {
		add(q.held == 0, q.words(), "nobody to hold %s", w.Lock)
	}
	for _, name := range w.Holders {
		add(slices.Contains(q.owners[:q.held], procOf(name)), q.words(), "%s to hold %s", name, w.Lock)
	}
	for i, name := range w.Waiters {
		place := q.held + i
		add(place < len(q.owners) && q.owners[place] == procOf(name), q.words(), "%s to be waiter %d of %s", name, i+1, w.Lock)
	}
	for _, name := range w.Gone {
		add(!slices.Contains(q.owners, procOf(name)), q.words(), "%s to have no claim on %s", name, w.Lock)
	}
	if w.Queue >= 0 {
		add(len(q.owners) == w.Queue, fmt.Sprintf("there were %d", len(q.owners)), "%d keys on %s", w.Queue, w.Lock)
	}
	w.ofContenders(j, add)
	w.ofCluster(s, j, add)
	return all
}

type adder func(ok bool, is, want string, args ...any)

func (w *Wait) ofContenders(j *judge, add adder) {
	names := make([]string, 0, len(w.Beliefs))
	for name := range w.Beliefs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b := j.lastWord(name, w.Lock)
		is := "it said " + string(b.State)
		if b.At.IsZero() {
			is = "it said nothing"
		}
		add(b.State == w.Beliefs[name], is, "%s to say %s", name, w.Beliefs[name])
	}
	state := func(name string) string {
		switch p := j.procs[procOf(name)]; p.Proc {
		case "":
			return "it was not started"
		case model.ProcEnded:
			return "it ended: " + p.Ended
		default:
			return "it was " + string(p.Proc)
		}
	}
	for _, name := range w.Alive {
		p := j.procs[procOf(name)].Proc
		add(p == model.ProcRunning || p == model.ProcPaused, state(name), "%s to live", name)
	}
	for _, name := range w.Ended {
		add(j.procs[procOf(name)].Proc == model.ProcEnded, state(name), "%s to have ended", name)
	}
}

func (w *Wait) ofCluster(s *model.State, j *judge, add adder) {
	there := func(code model.Code) bool {
		return slices.ContainsFunc(s.Findings(), func(f model.Finding) bool {
			return f.Code == code && (w.Lock == "" || f.Lock == w.Lock || f.Lock == "")
		})
	}
	found := "the findings were " + codesOf(s.Findings())
	for _, code := range w.Findings {
		add(there(code), found, "the finding %s", code)
	}
	for _, code := range w.Absent {
		add(!there(code), found, "no finding %s", code)
	}
	if w.Acquisitions > 0 {
		n := 0
		for _, l := range j.of(Expectation{Lock: w.Lock}) {
			n += len(l.acquisitions(j, ""))
		}
		add(n >= w.Acquisitions, fmt.Sprintf("there were %d", n), "%d acquisitions", w.Acquisitions)
	}
	if w.Leader != "" {
		leader := s.Cluster().Leader().Name
		is := leader + " led"
		if leader == "" {
			is = "nobody led"
		}
		ok := w.Leader == leader || w.Leader == "any" && leader != "" || w.Leader == "none" && leader == "" && !s.Cluster().At.IsZero()
		add(ok, is, "the leader %s", w.Leader)
	}
	if w.Up > 0 {
		add(s.Cluster().Up() == w.Up, fmt.Sprintf("%d did", s.Cluster().Up()), "%d members to answer", w.Up)
	}
}

// unmet says what a wait still waits for, "" if for nothing.
func (w *Wait) unmet(s *model.State, j *judge) string {
	var want, is []string
	for _, c := range w.conditions(s, j) {
		if c.is != "" {
			want = append(want, c.want)
			if !slices.Contains(is, c.is) {
				is = append(is, c.is)
			}
		}
	}
	if len(want) == 0 {
		return ""
	}
	return strings.Join(want, " and ") + ", but " + strings.Join(is, " and ")
}

// lastWord is the last belief of a contender on a lock, on any if that is "".
func (j *judge) lastWord(name, lock string) model.Belief {
	var last model.Belief
	for _, l := range j.of(Expectation{Lock: lock}) {
		if b := l.said[name]; b.At.After(last.At) {
			last = b
		}
	}
	return last
}

// queue is a lock's queue by the names of its owners, and how the lock does.
type queue struct {
	owners  []string
	held    int
	blocked bool
	state   string
}

func queueOf(s *model.State, j *judge, lock string) queue {
	var q queue
	l := s.Lock(lock)
	if l == nil {
		return q
	}
	l.Claims(func(c *model.Claim) bool {
		who := j.ownerOf(c.KV.Lease, c.Value)
		if who == "" {
			who = model.Printable(c.Key)
		}
		q.owners = append(q.owners, who)
		return true
	})
	q.held, q.blocked, q.state = l.Holders(), l.Blocked(), l.Condition().Word
	return q
}

func (q queue) words() string {
	if q.state == "" {
		return "it was free" // it was never seen
	}
	who := ""
	switch {
	case len(q.owners) == 0:
		who = "nobody held it"
	case q.blocked:
		who = q.owners[0] + " blocked it, which does not hold"
	case q.held == 0:
		who = "nobody was known to hold it, and listed were " + strings.Join(q.owners, ", ")
	case len(q.owners) == q.held:
		who = "the holder was " + strings.Join(q.owners, ", ")
	default:
		who = "the holder was " + strings.Join(q.owners[:q.held], ", ") + ", and waiting were " + strings.Join(q.owners[q.held:], ", ")
	}
	return who + " (" + q.state + ")"
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

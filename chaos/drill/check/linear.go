package check

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"locktop/chaos/drill"
	"locktop/model"
)

// linearWithin bounds the search of one lock's history.
const linearWithin = 5 * time.Second

// lockOp is one operation of a lock's history. Which of the holds it is about tells
// them apart.
type lockOp struct {
	operation string // "acquire", "release" or "expire"
	contender string
	hold      int
}

func (o lockOp) String() string { return fmt.Sprintf("%s %s", o.contender, o.operation) }

// lockModel is a lock with leases: it is acquired when it is free, and freed by its
// owner's release or by etcd, when the lease ends or somebody deletes the claim. To
// free what is not held does nothing: a contender may learn late that it had it.
func lockModel(holds []*hold) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return -1 },
		Step: func(state, input, _ any) (bool, any) {
			held, op := state.(int), input.(lockOp)
			switch {
			case op.operation == "acquire":
				return held == -1, op.hold
			case held == op.hold:
				return true, -1
			}
			return true, held
		},
		DescribeOperation: func(input, _ any) string { return input.(lockOp).String() },
		DescribeState: func(state any) string {
			if i := state.(int); i >= 0 {
				return holds[i].contender + " holds"
			}
			return "free"
		},
	}
}

// operations are what the contenders said that they got, and how etcd says that each
// of it ended: by the delete of the claim, which the watch shows a little late. Each
// has the widest time in which it can have happened. Of what was said last, as long as
// the watch does not show it, nothing is known yet.
func (ck *Checker) operations(l *lockHistory) []porcupine.Operation {
	var clients, ops = []string{}, []porcupine.Operation{}
	add := func(what, who string, i int, from, to time.Time) {
		client := who
		if what == "expire" {
			client = "etcd, for " + who
		}
		if !slices.Contains(clients, client) {
			clients = append(clients, client)
		}
		call := from.Sub(ck.start).Nanoseconds()
		ops = append(ops, porcupine.Operation{ClientId: slices.Index(clients, client), Input: lockOp{what, who, i},
			Call: call, Return: max(call, to.Sub(ck.start).Nanoseconds())})
	}
	for i, h := range l.holds {
		c := l.claimOf(h)
		if ck.unshown(l, c, h) {
			continue
		}
		asked := h.asked
		if c != nil && (h.mine != nil || h.inferred) && c.since.Before(asked) {
			asked = c.since // a program need not say that it waits
		}
		add("acquire", h.contender, i, asked, h.from)
		released := !h.to.IsZero() && !h.trouble && slices.Contains([]model.BeliefState{model.BeliefLeaving, model.BeliefIdle, model.BeliefWaiting}, h.ended)
		switch {
		case c == nil && released:
			add("release", h.contender, i, h.from, h.to)
		case c == nil || c.goneAt.IsZero(): // it is there, whatever was said
		case released && !h.to.Add(lagMax).Before(c.goneAt):
			add("release", h.contender, i, ck.soonest(h, c), c.goneAt)
		default:
			add("expire", h.contender, i, ck.soonest(h, c), c.goneAt)
		}
	}
	return ops
}

// soonest is when a claim can have gone at the soonest that the watch showed gone.
func (ck *Checker) soonest(h *hold, c *claim) time.Time {
	at := c.goneAt.Add(-lagMax)
	switch {
	case !c.goneAt.After(h.asked):
		return model.Later(at, c.since) // its word came after that
	case at.After(h.asked) && !ck.delayed(at, c.goneAt):
		return at
	}
	return h.asked
}

// linearizable: the words of the contenders can be put into an order in which one
// holds at a time. It is a search, so it is made once, at the end.
func linearizable(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	if !j.finished {
		r.doubt(stillOpen, "judged at the end")
		return r
	}
	for _, l := range j.locksOf(e) {
		if slices.ContainsFunc(l.claims, l.reads) {
			r.doubt("ask it of a mutex", "%s is shared by readers", l.name)
			continue
		}
		ops := j.operations(l)
		r.Samples += len(ops)
		m := lockModel(l.holds)
		res, info := porcupine.CheckOperationsVerbose(m, ops, linearWithin)
		switch res {
		case porcupine.Illegal:
			r.violate("no order of what the contenders of %s said lets one hold at a time", l.name)
		case porcupine.Unknown:
			r.doubt("let the drill end sooner, or fewer contenders take turns", "the search for an order on %s took longer than %s", l.name, linearWithin)
		}
		var html bytes.Buffer
		if err := porcupine.Visualize(m, info, &html); err != nil {
			r.note("no picture of %s: %v", l.name, err)
		} else if len(ops) > 0 {
			j.pictures[l.name] = html.Bytes()
		}
	}
	if r.Samples == 0 {
		r.doubt(j.nobody(), "nobody said that it holds")
	}
	return r
}

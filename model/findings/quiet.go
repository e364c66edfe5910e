package findings

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
)

// QuietWords says of a lock of which nothing is found how it is, what it takes to move, and what
// etcd cannot tell of it: a sentence each.
func (set *Set) QuietWords(l *locks.Lock) []model.Message {
	now := set.k.Now()
	c := status.ConditionOf(set, l)
	if status.Sealed(l) {
		return []model.Message{model.Say("nothing-can-be-found", c.Message())}
	}
	lines := []model.Message{model.Say("no-problem-found", c.Called(), c.Message())}
	if c.Word == model.IsPresumed.Word {
		lines[0] = model.Say("no-problem-perhaps-a-lock", c.Message())
	}
	if !l.Recipe().HasHolder || l.Free() {
		return lines
	}
	held, atLeast := l.HeldFor(now)
	longest, bound, any := l.LongestWait(now)
	behind := model.Say("then-nobody-waits")
	switch {
	case !l.Recipe().WaitersVisible():
		behind = model.Say("waiters-leave-no-trace")
	case any:
		behind = model.Say("wait-behind-it", l.Behind(), model.Span{For: longest, AtLeast: bound})
	}
	holds := model.Say("holds-for", model.Verbatim(set.k.Owners.Who(l.Head().Ref())), model.Span{For: held, AtLeast: atLeast}, behind)
	if n := l.Holders(); n > 1 {
		holds = model.Say("hold-for", n, model.Span{For: held, AtLeast: atLeast}, behind)
	}
	if c.Word == model.IsPresumed.Word {
		holds = model.Say("if-it-is-a-lock", holds)
	}
	lines = append(lines, holds)
	if set.k.Keys.NoValues() {
		lines = append(lines, model.Say("names-unread"))
	}
	if until := status.NextMove(set, l, now).Until(); !until.IsZero() {
		lines = append(lines, model.Say("stays-so", until))
	}
	if st := l.Stats(); st.Holds >= status.EstimateMin {
		lines = append(lines, model.Say("half-of-the-holds-took", st.Holds, st.HoldP50, model.Percentile(l.HoldTimes(), 100)))
	} else {
		lines = append(lines, model.Say("estimate-needs-holds", status.EstimateMin, st.Holds))
	}
	return append(lines, model.Say("a-hung-program-looks-the-same"))
}

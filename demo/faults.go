package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// healWithin bounds the healing of one fault: the start of a member, or a cluster
// that has to be emptied.
const healWithin = 20 * time.Second

// fault is a fault in force, or one that is being put in force or healed. Guarded by
// the lab's mutex.
type fault struct {
	model.Fault
	id    int // 0: not in force yet
	undo  healer
	busy  bool // being put in force, or being healed
	timer *time.Timer
}

// healer takes a fault back. If it fails the fault stays in force, and it may be
// called again.
type healer func(ctx context.Context) error

// activeFaults are the faults in force, whoever put them there, and their end: by healing, in time,
// or with their target.
type activeFaults struct {
	*labState
	all []*fault // in force, or about to be, oldest first
	id  int      // of the latest
}

// isOn says whether f is a fault of that kind of target.
func isOn(f model.Fault, t model.FaultTarget) bool {
	info, _ := f.Kind.Info()
	return info.Target == t
}

// sameFault says whether the second of two faults would be nothing new. Of faults of
// connections there may be several at one client.
func sameFault(f, g model.Fault) bool {
	f.For, g.For = 0, 0
	if isOn(f, model.TargetClient) {
		return f == g
	}
	return f.Kind == g.Kind && f.Target == g.Target
}

// reserve keeps the place of a fault, so that it is not done twice.
func (g *activeFaults) reserve(f model.Fault) (*fault, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.ContainsFunc(g.all, func(x *fault) bool { return sameFault(x.Fault, f) }) {
		return nil, text.Refusal{Why: model.Say("fault-is-active", f)}
	}
	x := &fault{Fault: f, busy: true}
	g.all = append(g.all, x)
	return x, nil
}

// enter says that a fault is in force, and ends it when its time is up. The caller has the
// mutex.
func (g *activeFaults) enter(x *fault, heal healer) {
	g.id++
	x.id, x.undo, x.busy = g.id, heal, false
	g.reports.Add(model.FaultOn{At: g.o.Now(), ID: x.id, Fault: x.Fault})
	if isOn(x.Fault, model.TargetClient) && !slices.Contains(g.proxy.Faults(), x.Fault) {
		g.end(x, model.FaultTargetEnded) // the connection ended meanwhile
	} else if x.For > 0 && !g.closed {
		x.timer = time.AfterFunc(x.For, func() { g.expire(x) })
	}
}

// stopTimers lets no fault end by itself any more. The caller has the mutex.
func (g *activeFaults) stopTimers() {
	for _, x := range g.all {
		if x.timer != nil {
			x.timer.Stop()
		}
	}
}

// forget takes a fault off the list. The caller has the mutex.
func (g *activeFaults) forget(x *fault) {
	if x.timer != nil {
		x.timer.Stop()
	}
	g.all = slices.DeleteFunc(g.all, func(y *fault) bool { return x == y })
}

// end reports the end of a fault in force. The caller has the mutex.
func (g *activeFaults) end(x *fault, why model.FaultEnd) {
	if x.id == 0 || !slices.Contains(g.all, x) {
		return // it was never in force, or it was reported
	}
	g.forget(x)
	g.reports.Add(model.FaultOff{At: g.o.Now(), ID: x.id, Why: why})
}

// endWhere reports the end of the faults for which which is true. The caller has
// the mutex.
func (g *activeFaults) endWhere(why model.FaultEnd, which func(model.Fault) bool) {
	for _, x := range slices.Clone(g.all) {
		if which(x.Fault) {
			g.end(x, why)
		}
	}
}

// expire ends a fault whose time is up.
func (g *activeFaults) expire(x *fault) {
	g.mu.Lock()
	if x.busy || !slices.Contains(g.all, x) || !g.begin() {
		g.mu.Unlock()
		return // somebody heals it now, or it has ended
	}
	x.busy = true
	g.mu.Unlock()
	defer g.ops.Done()
	if err := g.undo(g.ctx, x, model.FaultTimeUp); err != nil && g.ctx.Err() == nil {
		// Nobody asked for it now, so nobody else would say that it failed.
		g.reports.Add(model.Acted{At: g.o.Now(), Outcome: model.Outcome{At: g.o.Now(), Err: err.Error(),
			Action: model.Action{Kind: model.HealFault, Fault: x.Fault}}})
	}
}

// undo heals a fault that is marked as busy.
func (g *activeFaults) undo(ctx context.Context, x *fault, why model.FaultEnd) error {
	ctx, cancel := context.WithTimeout(ctx, healWithin)
	defer cancel()
	err := x.undo(ctx)
	g.mu.Lock()
	x.busy = false
	if err == nil {
		g.end(x, why)
	}
	g.mu.Unlock()
	if err != nil {
		return fmt.Errorf("heal %s: %w", text.English(x.Message()), err)
	}
	if isOn(x.Fault, model.TargetClient) {
		g.reconcile()
	}
	return nil
}

// reconcile reports the faults that the proxy ended together with another: healing
// one of "c1" heals the same at one member of c1.
func (g *activeFaults) reconcile() {
	inForce := g.proxy.Faults()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, x := range slices.Clone(g.all) {
		if isOn(x.Fault, model.TargetClient) && !x.busy && !slices.Contains(inForce, x.Fault) {
			g.end(x, model.FaultHealed)
		}
	}
}

// healFault ends what f heals.
func (g *activeFaults) healFault(ctx context.Context, f model.Fault) (model.Message, error) {
	list := g.take(func(x model.Fault) bool { return f.Heals(x) })
	if len(list) == 0 {
		return model.Message{}, text.Refusal{Why: model.Say("fault-is-not-active", f)}
	}
	return g.healThese(ctx, list)
}

// healAll ends every fault. One that cannot be healed does not keep the others.
func (g *activeFaults) healAll(ctx context.Context) (model.Message, error) {
	list := g.take(func(model.Fault) bool { return true })
	if len(list) == 0 {
		return model.NoFault(), nil
	}
	return g.healThese(ctx, list)
}

// take marks the faults in force for which it is true as being healed.
func (g *activeFaults) take(which func(model.Fault) bool) []*fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*fault
	for _, x := range g.all {
		if !x.busy && which(x.Fault) {
			x.busy = true
			list = append(list, x)
		}
	}
	return list
}

// healThese heals in three steps: first what takes no time, then members, then what
// needs their quorum. Within a step a later fault goes before an earlier one.
func (g *activeFaults) healThese(ctx context.Context, list []*fault) (model.Message, error) {
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y *fault) int { return healStep(x.Fault) - healStep(y.Fault) })
	var failed []error
	for _, x := range list {
		if err := g.undo(ctx, x, model.FaultHealed); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return model.Message{}, fmt.Errorf("%d of %s healed: %w", len(list)-len(failed), model.CountOf(len(list), "fault"), oneLine(failed))
	}
	return model.Say("detail-faults", len(list)), nil
}

// The steps of healing.
const (
	stepLocal = iota
	stepMembers
	stepData
)

func healStep(f model.Fault) int {
	switch {
	case isOn(f, model.TargetProcess), isOn(f, model.TargetClient):
		return stepLocal
	case isOn(f, model.TargetMember), f.Kind == model.FaultLoseQuorum:
		return stepMembers
	}
	return stepData
}

// oneLine joins errors for a line of the screen.
func oneLine(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	var words []string
	for _, err := range errs {
		words = append(words, err.Error())
	}
	return errors.New(strings.Join(words, "; "))
}

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
func (af *activeFaults) reserve(f model.Fault) (*fault, error) {
	af.mu.Lock()
	defer af.mu.Unlock()
	if slices.ContainsFunc(af.all, func(x *fault) bool { return sameFault(x.Fault, f) }) {
		return nil, text.Refusal{Why: model.Say("fault-is-active", f)}
	}
	x := &fault{Fault: f, busy: true}
	af.all = append(af.all, x)
	return x, nil
}

// enter says that a fault is in force, and ends it when its time is up. The caller has the
// mutex.
func (af *activeFaults) enter(x *fault, heal healer) {
	af.id++
	x.id, x.undo, x.busy = af.id, heal, false
	af.reports.Add(model.FaultOn{At: af.o.Now(), ID: x.id, Fault: x.Fault})
	if isOn(x.Fault, model.TargetClient) && !slices.Contains(af.proxy.Faults(), x.Fault) {
		af.end(x, model.FaultTargetEnded) // the connection ended meanwhile
	} else if x.For > 0 && !af.closed {
		x.timer = time.AfterFunc(x.For, func() { af.expire(x) })
	}
}

// stopTimers lets no fault end by itself any more. The caller has the mutex.
func (af *activeFaults) stopTimers() {
	for _, x := range af.all {
		if x.timer != nil {
			x.timer.Stop()
		}
	}
}

// forget takes a fault off the list. The caller has the mutex.
func (af *activeFaults) forget(x *fault) {
	if x.timer != nil {
		x.timer.Stop()
	}
	af.all = slices.DeleteFunc(af.all, func(y *fault) bool { return x == y })
}

// end reports the end of a fault in force. The caller has the mutex.
func (af *activeFaults) end(x *fault, why model.FaultEnd) {
	if x.id == 0 || !slices.Contains(af.all, x) {
		return // it was never in force, or it was reported
	}
	af.forget(x)
	af.reports.Add(model.FaultOff{At: af.o.Now(), ID: x.id, Why: why})
}

// endWhere reports the end of the faults for which which is true. The caller has
// the mutex.
func (af *activeFaults) endWhere(why model.FaultEnd, which func(model.Fault) bool) {
	for _, x := range slices.Clone(af.all) {
		if which(x.Fault) {
			af.end(x, why)
		}
	}
}

// expire ends a fault whose time is up.
func (af *activeFaults) expire(x *fault) {
	af.mu.Lock()
	if x.busy || !slices.Contains(af.all, x) || !af.begin() {
		af.mu.Unlock()
		return // somebody heals it now, or it has ended
	}
	x.busy = true
	af.mu.Unlock()
	defer af.ops.Done()
	if err := af.undo(af.ctx, x, model.FaultTimeUp); err != nil && af.ctx.Err() == nil {
		// Nobody asked for it now, so nobody else would say that it failed.
		af.reports.Add(model.Acted{At: af.o.Now(), Outcome: model.Outcome{At: af.o.Now(), Err: err.Error(),
			Action: model.Action{Kind: model.HealFault, Fault: x.Fault}}})
	}
}

// undo heals a fault that is marked as busy.
func (af *activeFaults) undo(ctx context.Context, x *fault, why model.FaultEnd) error {
	ctx, cancel := context.WithTimeout(ctx, healWithin)
	defer cancel()
	err := x.undo(ctx)
	af.mu.Lock()
	x.busy = false
	if err == nil {
		af.end(x, why)
	}
	af.mu.Unlock()
	if err != nil {
		return fmt.Errorf("heal %s: %w", text.English(x.Message()), err)
	}
	if isOn(x.Fault, model.TargetClient) {
		af.reconcile()
	}
	return nil
}

// reconcile reports the faults that the proxy ended together with another: healing
// one of "c1" heals the same at one member of c1.
func (af *activeFaults) reconcile() {
	inForce := af.proxy.Faults()
	af.mu.Lock()
	defer af.mu.Unlock()
	for _, x := range slices.Clone(af.all) {
		if isOn(x.Fault, model.TargetClient) && !x.busy && !slices.Contains(inForce, x.Fault) {
			af.end(x, model.FaultHealed)
		}
	}
}

// healFault ends what f heals.
func (af *activeFaults) healFault(ctx context.Context, f model.Fault) (model.Message, error) {
	list := af.take(func(x model.Fault) bool { return f.Heals(x) })
	if len(list) == 0 {
		return model.Message{}, text.Refusal{Why: model.Say("fault-is-not-active", f)}
	}
	return af.healThese(ctx, list)
}

// healAll ends every fault. One that cannot be healed does not keep the others.
func (af *activeFaults) healAll(ctx context.Context) (model.Message, error) {
	list := af.take(func(model.Fault) bool { return true })
	if len(list) == 0 {
		return model.NoFault(), nil
	}
	return af.healThese(ctx, list)
}

// take marks the faults in force for which it is true as being healed.
func (af *activeFaults) take(which func(model.Fault) bool) []*fault {
	af.mu.Lock()
	defer af.mu.Unlock()
	var list []*fault
	for _, x := range af.all {
		if !x.busy && which(x.Fault) {
			x.busy = true
			list = append(list, x)
		}
	}
	return list
}

// healThese heals in three steps: first what takes no time, then members, then what
// needs their quorum. Within a step a later fault goes before an earlier one.
func (af *activeFaults) healThese(ctx context.Context, list []*fault) (model.Message, error) {
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y *fault) int { return healStep(x.Fault) - healStep(y.Fault) })
	var failed []error
	for _, x := range list {
		if err := af.undo(ctx, x, model.FaultHealed); err != nil {
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

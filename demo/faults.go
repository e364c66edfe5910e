package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// healWithin bounds the healing of one fault: the start of a member, or a cluster
// that has to be emptied.
const healWithin = 20 * time.Second

// Why a fault ended, for model.FaultOff.
const (
	whyHealed = "healed"
	whyTime   = "its time was up"
	whyTarget = "target ended"
)

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

// isOn says whether f is a fault of that kind of target.
func isOn(f model.Fault, t model.FaultTarget) bool {
	info, _ := f.Kind.Info()
	return info.Target == t
}

// same says whether the second of two faults would be nothing new. Of faults of
// connections there may be several at one client.
func same(f, g model.Fault) bool {
	f.For, g.For = 0, 0
	if isOn(f, model.TargetClient) {
		return f == g
	}
	return f.Kind == g.Kind && f.Target == g.Target
}

// injectFault does a fault, remembers how to undo it, and ends it when its time is
// up.
func (l *Lab) injectFault(ctx context.Context, f model.Fault) (detail string, err error) {
	if err := f.Check(); err != nil {
		return "", err
	}
	if info, _ := f.Kind.Info(); info.Instant {
		detail, _, err = l.inject(ctx, f)
		return detail, err
	}
	x, err := l.reserve(f)
	if err != nil {
		return "", err
	}
	detail, heal, err := l.inject(ctx, f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && l.isGone(f) {
		err = errEnded(f.Target)
	}
	if err != nil {
		l.forget(x)
		return "", err
	}
	l.faultID++
	x.id, x.undo, x.busy = l.faultID, heal, false
	l.box.put(model.FaultOn{At: l.o.Now(), ID: x.id, Fault: f})
	if isOn(f, model.TargetClient) && !slices.Contains(l.proxy.Faults(), f) {
		l.off(x, whyTarget) // the connection ended meanwhile
	} else if f.For > 0 && !l.closed {
		x.timer = time.AfterFunc(f.For, func() { l.expire(x) })
	}
	return detail, nil
}

// reserve keeps the place of a fault, so that it is not done twice.
func (l *Lab) reserve(f model.Fault) (*fault, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.faults, func(x *fault) bool { return same(x.Fault, f) }) {
		return nil, fmt.Errorf("%s: it is active already; heal it first", f.Describe())
	}
	x := &fault{Fault: f, busy: true}
	l.faults = append(l.faults, x)
	return x, nil
}

// isGone says whether f is done to a contender that has ended.
func (l *Lab) isGone(f model.Fault) bool {
	return (isOn(f, model.TargetProcess) || isOn(f, model.TargetClient)) &&
		l.programs[f.Target] != nil && l.procs[f.Target] == nil
}

// forget takes a fault off the list. The caller has the mutex.
func (l *Lab) forget(x *fault) {
	if x.timer != nil {
		x.timer.Stop()
	}
	l.faults = slices.DeleteFunc(l.faults, func(y *fault) bool { return x == y })
}

// off reports the end of a fault in force. The caller has the mutex.
func (l *Lab) off(x *fault, why string) {
	if x.id == 0 || !slices.Contains(l.faults, x) {
		return // it was never in force, or it was reported
	}
	l.forget(x)
	l.box.put(model.FaultOff{At: l.o.Now(), ID: x.id, Why: why})
}

// faultsOff reports the end of the faults for which which is true. The caller has
// the mutex.
func (l *Lab) faultsOff(why string, which func(model.Fault) bool) {
	for _, x := range slices.Clone(l.faults) {
		if which(x.Fault) {
			l.off(x, why)
		}
	}
}

// expire ends a fault whose time is up.
func (l *Lab) expire(x *fault) {
	l.mu.Lock()
	if x.busy || !slices.Contains(l.faults, x) || !l.begin() {
		l.mu.Unlock()
		return // somebody heals it now, or it has ended
	}
	x.busy = true
	l.mu.Unlock()
	defer l.ops.Done()
	if err := l.undo(l.ctx, x, whyTime); err != nil && l.ctx.Err() == nil {
		// Nobody asked for it now, so nobody else would say that it failed.
		l.box.put(model.Acted{At: l.o.Now(), Outcome: model.Outcome{At: l.o.Now(), Err: err.Error(),
			Action: model.Action{Kind: model.HealFault, Fault: x.Fault}}})
	}
}

// undo heals a fault that is marked as busy.
func (l *Lab) undo(ctx context.Context, x *fault, why string) error {
	ctx, cancel := context.WithTimeout(ctx, healWithin)
	defer cancel()
	err := x.undo(ctx)
	l.mu.Lock()
	x.busy = false
	if err == nil {
		l.off(x, why)
	}
	l.mu.Unlock()
	if err != nil {
		return fmt.Errorf("heal %s: %w", x.Describe(), err)
	}
	if isOn(x.Fault, model.TargetClient) {
		l.reconcile()
	}
	return nil
}

// reconcile reports the faults that the proxy ended together with another: healing
// one of "c1" heals the same at one member of c1.
func (l *Lab) reconcile() {
	inForce := l.proxy.Faults()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range slices.Clone(l.faults) {
		if isOn(x.Fault, model.TargetClient) && !x.busy && !slices.Contains(inForce, x.Fault) {
			l.off(x, whyHealed)
		}
	}
}

// healFault ends what f heals.
func (l *Lab) healFault(ctx context.Context, f model.Fault) (string, error) {
	list := l.take(func(x model.Fault) bool { return f.Heals(x) })
	if len(list) == 0 {
		return "", fmt.Errorf("%s: it is not active, or being healed", f.Describe())
	}
	return l.healThese(ctx, list)
}

// healAll ends every fault. One that cannot be healed does not keep the others.
func (l *Lab) healAll(ctx context.Context) (string, error) {
	list := l.take(func(model.Fault) bool { return true })
	if len(list) == 0 {
		return "no fault was in force", nil
	}
	return l.healThese(ctx, list)
}

// take marks the faults in force for which it is true as being healed.
func (l *Lab) take(which func(model.Fault) bool) []*fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*fault
	for _, x := range l.faults {
		if !x.busy && which(x.Fault) {
			x.busy = true
			list = append(list, x)
		}
	}
	return list
}

// healThese heals in three steps: first what takes no time, then members, then what
// needs their quorum. Within a step a later fault goes before an earlier one.
func (l *Lab) healThese(ctx context.Context, list []*fault) (string, error) {
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y *fault) int { return healStep(x.Fault) - healStep(y.Fault) })
	var failed []error
	for _, x := range list {
		if err := l.undo(ctx, x, whyHealed); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return "", fmt.Errorf("%s of %d healed: %w", counted(len(list)-len(failed)), len(list), oneLine(failed))
	}
	return counted(len(list)), nil
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

// counted is n faults in words.
func counted(n int) string {
	if n == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", n)
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

package demo

import (
	"context"
	"fmt"

	"locktop/model"
	"locktop/model/text"
)

// Available returns nil if the action can be done now, or an error that says in one
// line why not and what to do. It makes no request. If the action names no target, the
// answer is for its kind.
func (l *Lab) Available(a model.Action) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.available(a)
}

func (l *Lab) available(a model.Action) error {
	switch {
	case l.closed:
		return ErrClosed
	case a.Kind == model.HealAll, a.Kind == model.HealFault:
		return nil
	case a.Kind == model.SpawnProc:
		return l.supervisor.canSpawn(a)
	case a.Kind == model.TellProc:
		return l.supervisor.canTell(a.Contender)
	case a.Kind == model.InjectFault:
		return l.canInject(a.Fault)
	}
	return fmt.Errorf("the lab cannot %s", a.Kind)
}

// canInject says why a fault cannot be done.
func (l *Lab) canInject(f model.Fault) error {
	info, ok := f.Kind.Info()
	switch {
	case !ok:
		return fmt.Errorf("the lab cannot %q", f.Kind)
	case info.Target == model.TargetMember, info.Target == model.TargetCluster:
		return l.canHitMembers(info)
	case info.Target == model.TargetKey, info.Target == model.TargetClaim:
		if l.cluster == nil {
			return text.Refusal{Why: model.Say("data-are-not-ours")}
		}
	}
	if f.Target == "" {
		if len(l.supervisor.procs) == 0 && (info.Target == model.TargetProcess || info.Target == model.TargetClaim) {
			return errNobody
		}
		return nil
	}
	switch f = l.supervisor.aimed(f); info.Target {
	case model.TargetProcess:
		if len(l.supervisor.procs) == 0 {
			return errNobody
		}
		_, err := l.supervisor.find(f.Target)
		return err
	case model.TargetClient:
		if l.supervisor.isGone(f) {
			_, err := l.supervisor.find(f.Target)
			return err
		}
	}
	return nil
}

var errNobody = text.Refusal{Why: model.Say("no-contender-runs")}

// canHitMembers says why a fault of members cannot be done.
func (l *Lab) canHitMembers(info model.FaultInfo) error {
	switch {
	case l.cluster == nil:
		return text.Refusal{Why: model.Say("members-are-not-ours")}
	case info.Needs == model.NeedsProcesses && !l.o.Processes:
		return text.Refusal{Why: model.Say("pausing-needs-processes")}
	case info.Kind == model.FaultDeadlock:
		return l.supervisor.canDeadlock()
	case info.Needs == model.NeedsSeveral && l.o.Members == 1:
		return text.Refusal{Why: model.Say("needs-several-members", info.Kind)}
	}
	return nil
}

// Targets names those whom a fault is done to, with the process where it is one of ours.
func (l *Lab) Targets(a model.Action) model.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.supervisor.aimed(a.Fault)
	p := l.supervisor.procs[f.Target]
	switch {
	case f.Target == "":
		return model.Message{}
	case p != nil:
		return model.Say("detail-named-process", p.name(), p.PID())
	case f.Target == everyone:
		return model.Say("detail-every-client")
	case isOn(f, model.TargetClient) && l.supervisor.programs[f.Target] == nil:
		return model.Say("detail-client", f.Target)
	}
	return model.Say("name", f.Target)
}

// Do does an action of the lab, with a detail for the journal ("pid 4711"). It
// returns when it is done, which for a member may take seconds; whether it had the
// effect has to be seen. The error says what to do instead.
//
// A fault that lasts is reported by model.FaultOn, and by model.FaultOff when it
// is healed, its time is up or its target ends. Healing goes on where one fault
// cannot be healed, which stays in force. Stop sends SIGTERM, and SIGKILL three
// seconds later.
func (l *Lab) Do(ctx context.Context, a model.Action) (detail model.Message, err error) {
	if err := ctx.Err(); err != nil {
		return model.Message{}, err
	}
	l.mu.Lock()
	if err := l.available(a); err != nil {
		l.mu.Unlock()
		return model.Message{}, err
	}
	l.begin()
	a.Fault = l.supervisor.aimed(a.Fault)
	l.mu.Unlock()
	defer l.ops.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	switch a.Kind {
	case model.SpawnProc:
		return l.supervisor.spawnFor(a)
	case model.TellProc:
		return l.supervisor.tellWord(a.Contender, a.Word)
	case model.HealAll:
		return l.faults.healAll(ctx)
	case model.HealFault:
		return l.faults.healFault(ctx, a.Fault)
	}
	return l.injectFault(ctx, a.Fault)
}

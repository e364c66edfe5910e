package demo

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/process"
	"locktop/model"
)

// stopWithin is what a contender that was asked to end has until it is killed.
const stopWithin = 3 * time.Second

// doer does a fault and says how to undo it; nil if the fault is Instant. It is called
// without the mutex and may take its time. The fault was checked.
type doer func(l *Lab, ctx context.Context, f model.Fault) (detail string, undo healer, err error)

// doers are who does each kind of fault. Those of clients are the proxy's.
var doers = map[model.FaultKind]doer{
	model.FaultPause: toProcess(func(l *Lab, p *proc) (healer, error) {
		return func(context.Context) error { return l.resume(p) }, l.pause(p)
	}),
	model.FaultKill: toProcess(func(_ *Lab, p *proc) (healer, error) { return nil, p.send(os.Kill, "kill") }),
	model.FaultStop: toProcess(func(l *Lab, p *proc) (healer, error) { return nil, l.stop(p) }),

	model.FaultStopMember: toMember(func(l *Lab, m string, _ model.Fault) (healer, error) {
		err := l.cluster.StopMember(m)
		if err == nil {
			l.unpaused(m)
		}
		return func(ctx context.Context) error { return l.startAgain(ctx, m) }, err
	}),
	model.FaultPauseMember: toMember(func(l *Lab, m string, _ model.Fault) (healer, error) {
		return func(context.Context) error {
			if !l.cluster.Paused(m) {
				return nil
			}
			return l.cluster.ResumeMember(m)
		}, l.cluster.PauseMember(m)
	}),
	model.FaultIsolate: toMember(func(l *Lab, m string, _ model.Fault) (healer, error) {
		return func(context.Context) error {
			if !l.cluster.Isolated(m) {
				return nil
			}
			return l.cluster.Join(m)
		}, l.cluster.Isolate(m)
	}),
	model.FaultSlowMember: toMember(func(l *Lab, m string, f model.Fault) (healer, error) {
		return func(context.Context) error { return l.cluster.Slow(m, 0) }, l.cluster.Slow(m, f.Delay)
	}),

	model.FaultMoveLeader: func(l *Lab, ctx context.Context, _ model.Fault) (string, healer, error) {
		to, err := l.cluster.MoveLeader(ctx)
		return "to " + to, nil, err
	},
	model.FaultCompact: func(l *Lab, ctx context.Context, _ model.Fault) (string, healer, error) {
		rev, err := l.cluster.Compact(ctx)
		return fmt.Sprintf("up to revision %d", rev), nil, err
	},
	model.FaultFill: func(l *Lab, ctx context.Context, _ model.Fault) (string, healer, error) {
		return "", l.cluster.Drain, l.cluster.Fill(ctx)
	},
	model.FaultDeadlock: func(l *Lab, _ context.Context, _ model.Fault) (string, healer, error) { return l.injectDeadlock() },
	model.FaultLoseQuorum: func(l *Lab, _ context.Context, _ model.Fault) (string, healer, error) {
		stopped, err := l.cluster.LoseQuorum()
		l.unpaused(stopped...)
		return strings.Join(stopped, ", ") + " stopped",
			func(ctx context.Context) error { return l.startAgain(ctx, stopped...) }, err
	},

	model.FaultPut: toData(func(l *Lab, ctx context.Context, cli *clientv3.Client, f model.Fault) (string, healer, error) {
		return l.putKey(ctx, cli, f.Target, f.Value)
	}),
	model.FaultRevoke: toClaim((*Lab).revokeClaim),
	model.FaultDelete: toClaim((*Lab).deleteClaim),
	model.FaultDetach: toClaim((*Lab).detachClaim),
}

// inject does a fault: the table does, or the proxy.
func (l *Lab) inject(ctx context.Context, f model.Fault) (detail string, _ healer, err error) {
	if isOn(f, model.TargetClient) {
		return l.injectClient(f)
	}
	do := doers[f.Kind]
	if do == nil {
		return "", nil, fmt.Errorf("the lab cannot %s", f.Kind)
	}
	return do(l, ctx, f)
}

// toProcess does a fault to a contender's process.
func toProcess(do func(l *Lab, p *proc) (healer, error)) doer {
	return func(l *Lab, _ context.Context, f model.Fault) (string, healer, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		p, err := l.find(f.Target)
		if err != nil {
			return "", nil, err
		}
		undo, err := do(l, p)
		return p.detail(), undo, err
	}
}

// toMember does a fault to one member.
func toMember(do func(l *Lab, m string, f model.Fault) (healer, error)) doer {
	return func(l *Lab, _ context.Context, f model.Fault) (string, healer, error) {
		if !slices.Contains(l.cluster.Names(), f.Target) {
			return "", nil, fmt.Errorf("there is no member %s; there are %s",
				model.Printable(f.Target), strings.Join(l.cluster.Names(), ", "))
		}
		undo, err := do(l, f.Target, f)
		return "", undo, err
	}
}

// find returns a contender that lives. The caller has the mutex.
func (l *Lab) find(name string) (*proc, error) {
	if p := l.procs[name]; p != nil {
		return p, nil
	}
	if pr := l.programs[name]; pr != nil && !pr.ran {
		return nil, fmt.Errorf("%s was not started yet", name)
	} else if pr != nil {
		return nil, errEnded(name)
	}
	return nil, fmt.Errorf("%s is no contender of the lab; those that run are %s",
		model.Printable(name), strings.Join(l.alive(), ", "))
}

func (p *proc) detail() string { return fmt.Sprintf("pid %d", p.pid()) }

func (l *Lab) pause(p *proc) error {
	if err := p.said("pause", process.PauseGroup(p.cmd.Process)); err != nil {
		return err
	}
	p.paused = true
	l.tell(p, model.ProcPaused, "")
	return nil
}

// resume undoes pause, for whoever calls without the mutex. The end of a process is
// the end of its pause.
func (l *Lab) resume(p *proc) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.paused || l.procs[p.name()] != p {
		return nil
	}
	return l.wake(p)
}

func (l *Lab) wake(p *proc) error {
	if err := p.send(process.SigContinue, "resume"); err != nil {
		return err
	}
	p.paused = false
	l.tell(p, model.ProcRunning, "")
	return nil
}

// stop asks a contender to end, which only one that runs can hear.
func (l *Lab) stop(p *proc) error {
	if p.paused {
		if err := l.wake(p); err != nil {
			return err
		}
		l.faultsOff(whyHealed, func(f model.Fault) bool { return f.Kind == model.FaultPause && f.Target == p.name() })
	}
	if err := p.send(process.SigStop, "stop"); err != nil {
		return err
	}
	p.stopping = true
	if p.killTimer == nil {
		p.killTimer = time.AfterFunc(stopWithin, func() { p.signal(os.Kill) })
	}
	return nil
}

// injectClient has the proxy do a fault of a client's connections.
func (l *Lab) injectClient(f model.Fault) (string, healer, error) {
	if err := l.proxy.Inject(f); err != nil {
		return "", nil, err
	}
	return "", func(context.Context) error {
		l.proxy.Heal(f)
		return nil
	}, nil
}

// startAgain starts those of the members that do not run.
func (l *Lab) startAgain(ctx context.Context, members ...string) error {
	var failed []error
	for _, m := range members {
		if !slices.Contains(l.cluster.Down(), m) {
			continue
		}
		if err := l.cluster.StartMember(ctx, m); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return oneLine(failed)
	}
	return nil
}

// unpaused says that members were stopped, and with that their pause.
func (l *Lab) unpaused(members ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faultsOff(whyTarget, func(f model.Fault) bool {
		return f.Kind == model.FaultPauseMember && slices.Contains(members, f.Target)
	})
}

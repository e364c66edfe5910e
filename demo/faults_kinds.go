package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/contender"
	"locktop/model"
	"locktop/model/text"
)

// doer does a fault and says how to undo it; nil if the fault is Instant. It is called
// without the mutex and may take its time. The fault was checked.
type doer func(l *Lab, ctx context.Context, f model.Fault) (detail model.Message, undo healer, err error)

// doers are who does each kind of fault. Those of clients are the proxy's.
var doers = map[model.FaultKind]doer{
	model.FaultPause: toProcess(func(c *supervisor, p *proc) (healer, error) {
		return func(context.Context) error { return c.resume(p) }, c.pause(p)
	}),
	model.FaultKill: toProcess(func(_ *supervisor, p *proc) (healer, error) { return nil, p.send(os.Kill, "kill") }),
	model.FaultStop: toProcess(func(c *supervisor, p *proc) (healer, error) { return nil, c.stop(p) }),

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

	model.FaultMoveLeader: func(l *Lab, ctx context.Context, _ model.Fault) (model.Message, healer, error) {
		to, err := l.cluster.MoveLeader(ctx)
		return model.Say("detail-to", to), nil, err
	},
	model.FaultCompact: func(l *Lab, ctx context.Context, _ model.Fault) (model.Message, healer, error) {
		rev, err := l.cluster.Compact(ctx)
		return model.Say("detail-up-to", int(rev)), nil, err
	},
	model.FaultFill: func(l *Lab, ctx context.Context, _ model.Fault) (model.Message, healer, error) {
		return model.Message{}, l.cluster.Drain, l.cluster.Fill(ctx)
	},
	model.FaultDeadlock: func(l *Lab, _ context.Context, _ model.Fault) (model.Message, healer, error) {
		return l.supervisor.injectDeadlock()
	},
	model.FaultLoseQuorum: func(l *Lab, _ context.Context, _ model.Fault) (model.Message, healer, error) {
		stopped, err := l.cluster.LoseQuorum()
		l.unpaused(stopped...)
		return model.Say("detail-stopped", model.Verbatim(strings.Join(stopped, ", "))),
			func(ctx context.Context) error { return l.startAgain(ctx, stopped...) }, err
	},

	model.FaultPut: toData(func(w *writer, ctx context.Context, cli *clientv3.Client, f model.Fault) (model.Message, healer, error) {
		return w.putKey(ctx, cli, f.Target, f.Value)
	}),
	model.FaultRevoke: toClaim((*writer).revokeClaim),
	model.FaultDelete: toClaim((*writer).deleteClaim),
	model.FaultDetach: toClaim((*writer).detachClaim),
}

// injectFault does a fault, remembers how to undo it, and ends it when its time is
// up.
func (l *Lab) injectFault(ctx context.Context, f model.Fault) (detail model.Message, err error) {
	if err := f.Check(); err != nil {
		return model.Message{}, err
	}
	if info, _ := f.Kind.Info(); info.Instant {
		detail, _, err = l.inject(ctx, f)
		return detail, err
	}
	x, err := l.faults.reserve(f)
	if err != nil {
		return model.Message{}, err
	}
	detail, heal, err := l.inject(ctx, f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && l.supervisor.isGone(f) {
		err = errEnded(f.Target)
	}
	if err != nil {
		l.faults.forget(x)
		return model.Message{}, err
	}
	l.faults.enter(x, heal)
	return detail, nil
}

// inject does a fault: the table does, or the proxy.
func (l *Lab) inject(ctx context.Context, f model.Fault) (detail model.Message, _ healer, err error) {
	if isOn(f, model.TargetClient) {
		return l.injectClient(f)
	}
	do := doers[f.Kind]
	if do == nil {
		return model.Message{}, nil, fmt.Errorf("the lab cannot %s", f.Kind)
	}
	return do(l, ctx, f)
}

// toProcess does a fault to a contender's process.
func toProcess(do func(c *supervisor, p *proc) (healer, error)) doer {
	return func(l *Lab, _ context.Context, f model.Fault) (model.Message, healer, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		p, err := l.supervisor.find(f.Target)
		if err != nil {
			return model.Message{}, nil, err
		}
		undo, err := do(l.supervisor, p)
		return p.detail(), undo, err
	}
}

// toMember does a fault to one member.
func toMember(do func(l *Lab, m string, f model.Fault) (healer, error)) doer {
	return func(l *Lab, _ context.Context, f model.Fault) (model.Message, healer, error) {
		if !slices.Contains(l.cluster.Names(), f.Target) {
			return model.Message{}, nil, text.Refusal{Why: model.Say("no-such-member", f.Target, model.Verbatim(strings.Join(l.cluster.Names(), ", ")))}
		}
		undo, err := do(l, f.Target, f)
		return model.Message{}, undo, err
	}
}

// toData does a fault to the data: a write that no contender would do.
func toData(do func(w *writer, ctx context.Context, cli *clientv3.Client, f model.Fault) (model.Message, healer, error)) doer {
	return func(l *Lab, ctx context.Context, f model.Fault) (model.Message, healer, error) {
		cli, err := l.data.dataClient()
		if err != nil {
			return model.Message{}, nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, dataWithin)
		defer cancel()
		return do(l.data, ctx, cli, f)
	}
}

// toClaim does a fault to the claim that a contender has.
func toClaim(do func(w *writer, ctx context.Context, cli *clientv3.Client, c spoken) (model.Message, healer, error)) doer {
	return func(l *Lab, ctx context.Context, f model.Fault) (model.Message, healer, error) {
		return toData(func(w *writer, ctx context.Context, cli *clientv3.Client, f model.Fault) (model.Message, healer, error) {
			c, err := l.supervisor.claimOf(f.Target)
			if err != nil {
				if c, err = l.supervisor.claimSeen(ctx, cli, f.Target, err); err != nil {
					return model.Message{}, nil, err
				}
			}
			return do(w, ctx, cli, c)
		})(l, ctx, f)
	}
}

// injectClient has the proxy do a fault of a client's connections.
func (l *Lab) injectClient(f model.Fault) (model.Message, healer, error) {
	if err := l.supervisor.listenAhead(f.Target); err != nil {
		return model.Message{}, nil, err
	}
	if err := l.proxy.Inject(f); err != nil {
		return model.Message{}, nil, err
	}
	return model.Message{}, func(context.Context) error {
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
	l.faults.endWhere(model.FaultTargetEnded, func(f model.Fault) bool {
		return f.Kind == model.FaultPauseMember && slices.Contains(members, f.Target)
	})
}

// deadlockLocks are what the two programs of a deadlock take, each in another order.
var deadlockLocks = []string{"/demo/stock", "/demo/cash"}

// betweenLocks is how long each works with its first lock: long enough for the other to
// have its own by then.
const betweenLocks = 2 * time.Second

// canDeadlock says why two more programs cannot be started.
func (sv *supervisor) canDeadlock() error {
	if len(sv.procs) == contender.MaxContenders-1 {
		return text.Refusal{Why: model.Say("deadlock-needs-two")}
	}
	return sv.canSpawn(model.Action{})
}

// injectDeadlock starts two programs that take two locks in opposite order. Each takes a
// single turn: once somebody has broken the deadlock both get on, end, and the fault with
// them.
func (sv *supervisor) injectDeadlock() (model.Message, healer, error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.closed {
		return model.Message{}, nil, ErrClosed
	}
	if err := sv.canDeadlock(); err != nil {
		return model.Message{}, nil, err
	}
	var pair []*proc
	heal := func(context.Context) error {
		sv.mu.Lock()
		defer sv.mu.Unlock()
		return sv.stopThese(pair)
	}
	locks := slices.Clone(deadlockLocks)
	for range 2 {
		pr := sv.o.unnamed(sv.freeNumber(), "", contender.RecipeMutex)
		pr.o.Locks, pr.o.Between, pr.o.Rounds, pr.deadlocks = slices.Clone(locks), betweenLocks, 1, true
		p, err := sv.spawn(pr)
		if err != nil {
			return model.Message{}, nil, errors.Join(err, sv.stopThese(pair))
		}
		pair = append(pair, p)
		slices.Reverse(locks)
	}
	return model.Say("names-and", pair[0].name(), pair[1].name()), heal, nil
}

package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"locktop/model"
)

// stopWithin is what a contender that was asked to end has until it is killed.
const stopWithin = 3 * time.Second

// fault is something that is in force until it is healed or its target ends.
type fault struct {
	kind   model.ActionKind
	target string
}

// targeted are the actions on one contender.
var targeted = map[model.ActionKind]func(*Lab, *proc) (string, error){
	model.HoldKeepalive: (*Lab).holdKeepalive,
	model.FreeKeepalive: (*Lab).freeKeepalive,
	model.PauseProc:     (*Lab).pauseProc,
	model.ResumeProc:    (*Lab).resumeProc,
	model.KillProc:      (*Lab).killProc,
	model.StopProc:      (*Lab).stopProc,
}

// Available returns nil if that kind of action can be done now, or an error that
// says why not and what to do.
func (l *Lab) Available(kind model.ActionKind) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.available(kind)
}

func (l *Lab) available(kind model.ActionKind) error {
	switch {
	case l.closed:
		return ErrClosed
	case kind == model.HealAll:
		return nil
	case kind == model.SpawnProc && len(l.procs) >= MaxContenders:
		return fmt.Errorf("%d contenders run, which is the most there may be; stop one first", len(l.procs))
	case kind == model.SpawnProc:
		return nil
	case targeted[kind] == nil:
		return fmt.Errorf("the lab cannot %s: that is a request to etcd", kind)
	case len(l.procs) == 0:
		return errors.New("no contender runs; spawn one with n")
	}
	return nil
}

// Do does an action of the lab and returns at once, with a detail for the journal
// ("pid 4711"). Whether it had the effect has to be seen. The error says what to do
// instead. Stop sends SIGTERM, and SIGKILL three seconds later.
func (l *Lab) Do(ctx context.Context, a model.Action) (detail string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(ctx.Err(), l.available(a.Kind)); err != nil {
		return "", err
	}
	switch a.Kind {
	case model.SpawnProc:
		return l.spawnFor(a)
	case model.HealAll:
		return l.healAll()
	}
	p, err := l.find(a.Contender)
	if err != nil {
		return "", err
	}
	return targeted[a.Kind](l, p)
}

// find returns a contender that lives.
func (l *Lab) find(name string) (*proc, error) {
	if p := l.procs[name]; p != nil {
		return p, nil
	}
	if n := number(name); n >= 1 && n <= l.spawned && name == fmt.Sprintf("c%d", n) {
		return nil, errEnded(name)
	}
	if name == "" {
		return nil, errors.New("no contender is chosen: this claim is of a client that is not of the lab")
	}
	return nil, fmt.Errorf("%s is no contender of the lab; those that run are %s", name, strings.Join(l.alive(), ", "))
}

func (p *proc) detail() string { return fmt.Sprintf("pid %d", p.pid()) }

func (l *Lab) holdKeepalive(p *proc) (string, error) {
	if l.proxy.Holding(p.name) {
		return "", fmt.Errorf("%s's keepalives are held already", p.name)
	}
	if err := l.proxy.HoldKeepalives(p.name); err != nil {
		return "", err
	}
	l.faultOn(fault{model.HoldKeepalive, p.name})
	return p.detail(), nil
}

func (l *Lab) freeKeepalive(p *proc) (string, error) {
	if !l.proxy.Holding(p.name) {
		return "", fmt.Errorf("%s's keepalives are not held", p.name)
	}
	if err := l.proxy.ResumeKeepalives(p.name); err != nil {
		return "", err
	}
	l.faultOff(fault{model.HoldKeepalive, p.name}, "healed")
	return p.detail(), nil
}

func (l *Lab) pauseProc(p *proc) (string, error) {
	if p.paused {
		return "", fmt.Errorf("%s is paused already", p.name)
	}
	if err := p.send(sigPause, "pause"); err != nil {
		return "", err
	}
	p.paused = true
	l.faultOn(fault{model.PauseProc, p.name})
	l.tell(p, model.ProcPaused, "")
	return p.detail(), nil
}

func (l *Lab) resumeProc(p *proc) (string, error) {
	if !p.paused {
		return "", fmt.Errorf("%s is not paused", p.name)
	}
	if err := p.send(sigContinue, "resume"); err != nil {
		return "", err
	}
	p.paused = false
	l.faultOff(fault{model.PauseProc, p.name}, "healed")
	l.tell(p, model.ProcRunning, "")
	return p.detail(), nil
}

func (l *Lab) killProc(p *proc) (string, error) {
	if err := p.send(os.Kill, "kill"); err != nil {
		return "", err
	}
	return p.detail(), nil
}

func (l *Lab) stopProc(p *proc) (string, error) {
	if p.paused {
		if _, err := l.resumeProc(p); err != nil {
			return "", err
		}
	}
	if err := p.send(sigStop, "stop"); err != nil {
		return "", err
	}
	p.stopping = true
	if p.killTimer == nil {
		p.killTimer = time.AfterFunc(stopWithin, func() { p.signal(os.Kill) })
	}
	return p.detail(), nil
}

// spawnFor starts a contender on the lock that the action names.
func (l *Lab) spawnFor(a model.Action) (string, error) {
	recipe := a.Recipe
	if recipe == "" {
		recipe = l.recipes[a.Lock]
	}
	if recipe == "" {
		return "", fmt.Errorf("spawn on %q: how it is locked is not known; say %s or %s", a.Lock, RecipeMutex, RecipeElection)
	}
	p, err := l.spawn(a.Lock, recipe)
	if err != nil {
		return "", err
	}
	return p.name + ", " + p.detail(), nil
}

// healAll ends every fault. One that cannot be healed does not keep the others.
func (l *Lab) healAll() (string, error) {
	var errs []error
	healed := 0
	for _, name := range l.alive() {
		p := l.procs[name]
		if l.proxy.Holding(name) {
			_, err := l.freeKeepalive(p)
			errs = append(errs, err)
			healed++
		}
		if p.paused {
			_, err := l.resumeProc(p)
			errs = append(errs, err)
			healed++
		}
	}
	if healed == 0 {
		return "no fault was in force", nil
	}
	return fmt.Sprintf("%d faults", healed), errors.Join(errs...)
}

// faultOn reports a fault that is in force from now on.
func (l *Lab) faultOn(f fault) {
	l.faultID++
	l.faults[f] = l.faultID
	l.box.put(model.FaultOn{At: l.o.Now(), ID: l.faultID, Name: string(f.kind), Target: f.target})
}

// faultOff reports the end of a fault, if it was in force.
func (l *Lab) faultOff(f fault, why string) {
	id, ok := l.faults[f]
	if !ok {
		return
	}
	delete(l.faults, f)
	l.box.put(model.FaultOff{At: l.o.Now(), ID: id, Why: why})
}

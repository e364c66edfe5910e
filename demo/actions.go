package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/demo/contender"
	"locktop/model"
)

// tellWithin bounds how long a contender that does not read may keep somebody who
// tells it something.
const tellWithin = time.Second

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
		return l.canSpawn(a)
	case a.Kind == model.TellProc:
		return l.canTell(a.Contender)
	case a.Kind == model.InjectFault:
		return l.canInject(a.Fault)
	}
	return fmt.Errorf("the lab cannot %s", a.Kind)
}

// canSpawn says why a contender cannot be started.
func (l *Lab) canSpawn(a model.Action) error {
	pr := l.programs[a.Contender]
	switch {
	case len(l.procs) >= contender.MaxContenders:
		return fmt.Errorf("%d contenders run, which is the most there may be; stop one first", len(l.procs))
	case a.Contender == "" && len(l.o.Self) == 0:
		return errors.New("the lab has no program for contenders of its own")
	case a.Contender == "":
		return nil
	case pr == nil:
		return fmt.Errorf("%s is no contender that the lab knows", model.Printable(a.Contender))
	case l.procs[a.Contender] != nil:
		return fmt.Errorf("%s runs already", a.Contender)
	}
	return nil
}

// canTell says why a contender cannot be told something.
func (l *Lab) canTell(name string) error {
	p, err := l.find(name)
	if err != nil {
		return err
	}
	if !p.o.Manual {
		return fmt.Errorf("%s does what it does by itself: only a manual contender can be told", name)
	}
	return nil
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
			return errors.New("the data are not ours: faults of the data need a cluster of the lab")
		}
	}
	if f.Target == "" {
		if len(l.procs) == 0 && (info.Target == model.TargetProcess || info.Target == model.TargetClaim) {
			return errNobody
		}
		return nil
	}
	switch f = l.aimed(f); info.Target {
	case model.TargetProcess:
		if len(l.procs) == 0 {
			return errNobody
		}
		_, err := l.find(f.Target)
		return err
	case model.TargetClient:
		if l.isGone(f) {
			_, err := l.find(f.Target)
			return err
		}
	}
	return nil
}

var errNobody = fmt.Errorf("no contender runs; %s one", model.SpawnProc)

// canHitMembers says why a fault of members cannot be done.
func (l *Lab) canHitMembers(info model.FaultInfo) error {
	switch {
	case l.cluster == nil:
		return errors.New("not available: the members are not ours")
	case info.Needs == model.NeedsProcesses && !l.o.Processes:
		return errors.New("pausing needs members that are processes: drill files say processes: true, demo --processes")
	case info.Kind == model.FaultDeadlock:
		return l.canDeadlock()
	case info.Needs == model.NeedsSeveral && l.o.Members == 1:
		return fmt.Errorf("%s needs more than one member", info.Kind)
	}
	return nil
}

// aimed names the process where a fault of a process or of its connections names
// one of those that share it.
func (l *Lab) aimed(f model.Fault) model.Fault {
	if !isOn(f, model.TargetProcess) && !isOn(f, model.TargetClient) {
		return f
	}
	if name, _, ok := cutLast(f.Target, "."); ok && l.programs[f.Target] == nil && l.programs[name] != nil &&
		slices.Contains(l.programs[name].workers(), f.Target) {
		f.Target = name
	}
	return f
}

// cutLast is [strings.Cut] at the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Whom names those whom a fault is done to, with the process where it is one of ours.
func (l *Lab) Whom(a model.Action) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.aimed(a.Fault)
	p := l.procs[f.Target]
	switch {
	case f.Target == "":
		return ""
	case p != nil:
		return p.name() + ", " + p.detail()
	case f.Target == everyone:
		return "every client"
	case isOn(f, model.TargetClient) && l.programs[f.Target] == nil:
		return "client " + model.Printable(f.Target) + ", pid not known"
	}
	return model.Printable(f.Target)
}

// Do does an action of the lab, with a detail for the journal ("pid 4711"). It
// returns when it is done, which for a member may take seconds; whether it had the
// effect has to be seen. The error says what to do instead.
//
// A fault that lasts is reported by model.FaultOn, and by model.FaultOff when it
// is healed, its time is up or its target ends. Healing goes on where one fault
// cannot be healed, which stays in force. Stop sends SIGTERM, and SIGKILL three
// seconds later.
func (l *Lab) Do(ctx context.Context, a model.Action) (detail string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	l.mu.Lock()
	if err := l.available(a); err != nil {
		l.mu.Unlock()
		return "", err
	}
	l.begin()
	a.Fault = l.aimed(a.Fault)
	l.mu.Unlock()
	defer l.ops.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	switch a.Kind {
	case model.SpawnProc:
		return l.spawnFor(a)
	case model.TellProc:
		return l.tellWord(a.Contender, a.Word)
	case model.HealAll:
		return l.healAll(ctx)
	case model.HealFault:
		return l.healFault(ctx, a.Fault)
	}
	return l.injectFault(ctx, a.Fault)
}

// spawnFor starts the contender that the action names, or a new one on its lock.
func (l *Lab) spawnFor(a model.Action) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return "", ErrClosed
	}
	if err := l.canSpawn(a); err != nil {
		return "", err
	}
	pr := l.programs[a.Contender]
	if pr == nil {
		recipe := a.Recipe
		if recipe == "" {
			recipe = l.recipes[a.Lock]
		}
		if recipe == "" {
			return "", fmt.Errorf("spawn on %q: how it is locked is not known; say %s", a.Lock, strings.Join(contender.CommonRecipes(), " or "))
		}
		pr = l.o.unnamed(l.freeNumber(), a.Lock, recipe)
	}
	p, err := l.spawn(pr)
	if err != nil {
		return "", err
	}
	return p.name() + ", " + p.detail(), nil
}

// freeNumber is the n of a cN that was never used.
func (l *Lab) freeNumber() int {
	for n := 1; ; n++ {
		if l.programs["c"+strconv.Itoa(n)] == nil {
			return n
		}
	}
}

// tellWord writes a line to a manual contender.
func (l *Lab) tellWord(name, word string) (string, error) {
	if !slices.Contains(contender.ManualWords(), word) {
		return "", fmt.Errorf("tell %s %q: want one of %s", name, word, strings.Join(contender.ManualWords(), ", "))
	}
	l.mu.Lock()
	p, err := l.find(name)
	l.mu.Unlock()
	if err != nil {
		return "", err
	}
	// It may be paused, and its pipe full of words that it has not read.
	if f, ok := p.stdin.(*os.File); ok {
		if err := f.SetWriteDeadline(time.Now().Add(tellWithin)); err != nil {
			return "", fmt.Errorf("tell %s: %w", name, err)
		}
	}
	if _, err := io.WriteString(p.stdin, word+"\n"); err != nil {
		return "", fmt.Errorf("tell %s: %w", name, err)
	}
	return p.detail(), nil
}

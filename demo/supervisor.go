package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locktop/demo/contender"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

// supervisor are the contenders of a lab, and the processes of its members: who was started, who
// lives, and what each has said. All but the leases is guarded by
// the lab's mutex.
type supervisor struct {
	*labState
	faults  *activeFaults
	spawner *spawner
	wg      sync.WaitGroup // one per contender

	programs     map[string]*program // all that ever were
	first        []*program          // those that Begin has yet to start
	procs        map[string]*proc    // alive
	spawned      int                 // contenders so far
	members      []procRecord        // processes of members, also such that have ended
	recipes      map[string]string   // of each lock
	claims       map[string][]spoken // of each contender as it says, the latest last
	printed      map[string]*tail    // by programs of the user's own
	lastExternal *proc               // Command, when it has ended
	leases       grants              // of programs that play a role
}

func newSupervisor(s *labState, faults *activeFaults) *supervisor {
	return &supervisor{labState: s, faults: faults, spawner: newSpawner(), programs: map[string]*program{}, procs: map[string]*proc{},
		recipes: map[string]string{}, claims: map[string][]spoken{}, printed: map[string]*tail{}}
}

// know remembers what the contenders are and compete for.
func (sv *supervisor) know(known []*program) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for _, s := range sv.o.Locks {
		lock, recipe := parseLock(s)
		sv.recipes[lock] = recipe
	}
	for _, pr := range known {
		sv.programs[pr.o.Name] = pr
		for _, lock := range pr.o.Locks {
			sv.recipes[lock] = pr.o.Recipe
		}
		if !pr.later {
			sv.first = append(sv.first, pr)
		}
	}
}

// start starts those that are known and were not started. The caller has the mutex.
func (sv *supervisor) start(ctx context.Context) error {
	for len(sv.first) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if pr := sv.first[0]; sv.procs[pr.o.Name] == nil { // nobody was quicker
			if _, err := sv.spawn(pr); err != nil {
				return err
			}
		}
		sv.first = sv.first[1:]
	}
	return nil
}

// find returns a contender that lives. The caller has the mutex.
func (sv *supervisor) find(name string) (*proc, error) {
	if p := sv.procs[name]; p != nil {
		return p, nil
	}
	if pr := sv.programs[name]; pr != nil && !pr.ran {
		return nil, text.Refusal{Why: model.Say("was-not-started", name)}
	} else if pr != nil {
		return nil, errEnded(name)
	}
	if names := sv.alive(); len(names) > 0 {
		return nil, text.Refusal{Why: model.Say("not-a-contender", name, model.Verbatim(strings.Join(names, ", ")))}
	}
	return nil, text.Refusal{Why: model.Say("not-a-contender-none-runs", name)}
}

// alive are the names of the contenders that live, in the order of their start.
func (sv *supervisor) alive() []string {
	var names []string
	for name := range sv.procs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return sv.procs[a].seq - sv.procs[b].seq })
	return names
}

// aimed names the process where a fault of a process or of its connections names
// one of those that share it.
func (sv *supervisor) aimed(f model.Fault) model.Fault {
	if !isOn(f, model.TargetProcess) && !isOn(f, model.TargetClient) {
		return f
	}
	i := strings.LastIndexByte(f.Target, '.')
	if i < 0 || sv.programs[f.Target] != nil {
		return f
	}
	if pr := sv.programs[f.Target[:i]]; pr != nil && slices.Contains(pr.workers(), f.Target) {
		f.Target = pr.o.Name
	}
	return f
}

// isGone says whether f is done to a contender that has ended.
func (sv *supervisor) isGone(f model.Fault) bool {
	return (isOn(f, model.TargetProcess) || isOn(f, model.TargetClient)) &&
		sv.programs[f.Target] != nil && sv.procs[f.Target] == nil && (sv.programs[f.Target].ran || isOn(f, model.TargetProcess))
}

// listenAhead opens the listeners of a contender that was not started yet, so that a fault can be
// done to its first connection.
func (sv *supervisor) listenAhead(name string) (err error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if pr := sv.programs[name]; pr != nil && !pr.ran && pr.ahead == nil {
		pr.ahead, err = sv.proxy.Listen(name)
	}
	return err
}

// canSpawn says why a contender cannot be started.
func (sv *supervisor) canSpawn(a model.Action) error {
	pr := sv.programs[a.Contender]
	switch {
	case len(sv.procs) >= contender.MaxContenders:
		return text.Refusal{Why: model.Say("most-contenders-run", len(sv.procs))}
	case a.Contender == "" && len(sv.o.Self) == 0:
		return text.Refusal{Why: model.Say("no-program-for-contenders")}
	case a.Contender == "":
		return nil
	case pr == nil:
		return text.Refusal{Why: model.Say("not-a-known-contender", a.Contender)}
	case sv.procs[a.Contender] != nil:
		return text.Refusal{Why: model.Say("runs-already", a.Contender)}
	}
	return nil
}

// spawnFor starts the contender that the action names, or a new one on its lock.
func (sv *supervisor) spawnFor(a model.Action) (model.Message, error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if sv.closed {
		return model.Message{}, ErrClosed
	}
	if err := sv.canSpawn(a); err != nil {
		return model.Message{}, err
	}
	pr := sv.programs[a.Contender]
	if pr == nil {
		recipe := a.Recipe
		if recipe == "" {
			recipe = sv.recipes[a.Lock]
		}
		if recipe == "" {
			return model.Message{}, fmt.Errorf("spawn on %q: how it is locked is not known; say %s", a.Lock, strings.Join(contender.CommonRecipes(), " or "))
		}
		pr = sv.o.unnamed(sv.freeNumber(), a.Lock, recipe)
	}
	p, err := sv.spawn(pr)
	if err != nil {
		return model.Message{}, err
	}
	if a.Contender != "" { // the action names it
		return p.detail(), nil
	}
	return model.Say("detail-named-process", p.name(), p.PID()), nil
}

// freeNumber is the n of a cN that was never used.
func (sv *supervisor) freeNumber() int {
	for n := 1; ; n++ {
		if sv.programs["c"+strconv.Itoa(n)] == nil {
			return n
		}
	}
}

// canTell says why a contender cannot be told something.
func (sv *supervisor) canTell(name string) error {
	p, err := sv.find(name)
	if err != nil {
		return err
	}
	if !p.o.Manual {
		return text.Refusal{Why: model.Say("only-manual-can-be-told", name)}
	}
	return nil
}

// tellWord writes a line to a manual contender.
func (sv *supervisor) tellWord(name, word string) (model.Message, error) {
	if !contender.Understands(word) {
		return model.Message{}, fmt.Errorf("tell %s %q: want one of %s", name, word, strings.Join(contender.ManualWords(), ", "))
	}
	sv.mu.Lock()
	p, err := sv.find(name)
	sv.mu.Unlock()
	if err != nil {
		return model.Message{}, err
	}
	if err := p.Tell(word); err != nil {
		return model.Message{}, fmt.Errorf("tell %s: %w", name, err)
	}
	return p.detail(), nil
}

func (sv *supervisor) pause(p *proc) error {
	if err := p.describeError("pause", p.Pause()); err != nil {
		return err
	}
	p.paused = true
	sv.tell(p, model.ProcPaused, "")
	return nil
}

// resume undoes pause, for whoever calls without the mutex. The end of a process is
// the end of its pause.
func (sv *supervisor) resume(p *proc) error {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if !p.paused || sv.procs[p.name()] != p {
		return nil
	}
	return sv.wake(p)
}

func (sv *supervisor) wake(p *proc) error {
	if err := p.send(process.SigContinue, "resume"); err != nil {
		return err
	}
	p.paused = false
	sv.tell(p, model.ProcRunning, "")
	return nil
}

// stopWithin is what a contender that was asked to end has until it is killed.
const stopWithin = 3 * time.Second

// stop asks a contender to end, which only one that runs can hear.
func (sv *supervisor) stop(p *proc) error {
	if p.paused {
		if err := sv.wake(p); err != nil {
			return err
		}
		sv.faults.endWhere(model.FaultHealed, func(f model.Fault) bool { return f.Kind == model.FaultPause && f.Target == p.name() })
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

// stopThese asks those of the processes that still run to end. The caller has the mutex.
func (sv *supervisor) stopThese(all []*proc) error {
	var failed []error
	for _, p := range all {
		if sv.procs[p.name()] == p {
			failed = append(failed, sv.stop(p))
		}
	}
	return errors.Join(failed...)
}

// endProcs ends every contender: by asking, then by force.
func (sv *supervisor) endProcs() error {
	defer sv.endStrays()
	sv.mu.Lock()
	for _, p := range sv.procs {
		p.askToEnd()
	}
	sv.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		sv.wg.Wait()
		close(gone)
	}()
	if process.Wait(gone, graceAtClose) {
		return nil
	}
	sv.kill(func(p *proc) bool { return p.command == nil })
	if len(sv.o.Command) > 0 && sv.unhurried(gone, sv.o.Grace-graceAtClose) {
		return nil
	}
	sv.kill(func(*proc) bool { return true })
	if process.Wait(gone, goneAtClose) {
		return nil
	}
	sv.mu.Lock()
	left := sv.alive()
	sv.mu.Unlock()
	switch {
	case len(left) > 0:
		return fmt.Errorf("contenders that were killed are still there: %s", strings.Join(left, ", "))
	case !process.Wait(gone, forgottenAtClose):
		return errors.New("the connections of contenders that have ended do not end")
	}
	return nil
}

// kill kills those contenders that are left, with what they have started.
func (sv *supervisor) kill(those func(*proc) bool) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for _, p := range sv.procs {
		if those(p) {
			p.signal(os.Kill)
		}
	}
}

// endStrays ends what programs in roles have started and what made itself a process group of
// its own, where the system shows whose it is.
func (sv *supervisor) endStrays() {
	if sv.dir != nil && len(sv.printed) > 0 {
		process.KillMarked(labMark + "=" + sv.dir.path)
	}
}

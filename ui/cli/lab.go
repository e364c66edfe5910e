package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/gate"
	"locktop/demo"
	"locktop/model"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cli/session"
	"locktop/watcher"
)

// labRun is a lab with the connections of the console to it.
type labRun struct {
	program string // that contenders and members run, "" for this one
	armed   bool   // faults may be done on a cluster that is not ours; in our own they always may

	mu        sync.Mutex // held while opening and closing
	closed    bool
	end       context.CancelFunc // of its sources
	lab       *demo.Lab
	client    *clientv3.Client
	watcher   *watcher.Watcher
	gate      *gate.Gate
	audit     *os.File      // of actions on a cluster that is not ours
	recording *labRecording // the recording of a lab of our own, nil for none
	tell      func(string)
	opened    func() // called when all is there, nil for nobody
	// wrapSource takes part of what is reported, and returns the source for the others; nil: nobody.
	wrapSource func(context.Context, model.Source) model.Source
}

// join has one more take part of what is reported, see beside.
func (r *labRun) join(next func(context.Context, model.Source) model.Source) {
	before := r.wrapSource
	r.wrapSource = func(ctx context.Context, src model.Source) model.Source {
		if before != nil {
			src = before(ctx, src)
		}
		return next(ctx, src)
	}
}

// open starts the lab and joins watcher, lab and gate to it. The console's own
// connections go to the members directly, so that no fault of the proxy blinds it.
// ctx is for the start: what happens can be seen until close, the healing of a drill
// that was interrupted too.
func (r *labRun) open(ctx context.Context, e *env, o demo.Options, progress func(model.Message)) (_ ui.Live, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ui.Live{}, demo.ErrClosed
	}
	e.resort.disarm() // programs are ended in order
	// A reader who leaves must not end us before the room is tidied up: from here on
	// writing fails instead. Programs that are started have the signal as always.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	self := r.program
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return ui.Live{}, fmt.Errorf("finding this program, which the contenders run: %w", err)
		}
	}
	o.Self, o.MemberSelf, o.Progress = []string{self, "contend", "--armed"}, []string{self, memberCommand}, progress
	o.ReaperCommand = []string{self, reaperCommand}
	o.Held = o.Spec != nil // until the drill has seen that there are none
	if r.lab, err = demo.Start(ctx, o); err != nil {
		return ui.Live{}, couldNotRun(err)
	}
	reading := clientv3.Config{Endpoints: r.lab.MemberEndpoints(), DialTimeout: e.flags.dialTimeout, TLS: o.TLS, DialOptions: chaos.ReadOnly()}
	if len(o.Endpoints) > 0 { // a lab of our own knows no users
		reading.Username, reading.Password = e.creds.user, e.creds.password
	}
	if r.client, err = open(reading); err != nil {
		return ui.Live{}, err
	}
	// The machine's clock is the one that the other programs of a lab tell by, too.
	look := watcher.Options{Budget: e.flags.leaseBudget, Now: func() time.Time { return time.Now().Round(0) }}
	if o.Spec != nil {
		look.Timing.Status = time.Second // a drill waits for what a round of status shows
	}
	switch {
	case len(o.Endpoints) > 0 && o.Spec != nil:
		look.Prefixes = o.Spec.Locks()
	case len(o.Endpoints) > 0:
		look.Prefixes = e.flags.prefixes
	}
	r.watcher = watcher.New(r.client, look)
	auditLog, err := r.openGate(e, len(o.Endpoints) > 0)
	if err != nil {
		return ui.Live{}, err
	}
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	source := session.Merge(ctx, r.watcher, r.lab)
	if len(o.Endpoints) == 0 { // what is not ours is recorded when that is asked for
		r.tell = e.tellLine
		if r.recording, err = keep("lab", keptFiles, time.Now()); err != nil {
			progress(model.Say("lab-is-not-recorded", model.Verbatim(err.Error())))
		} else {
			source = r.recording.room(source)
		}
	}
	if r.wrapSource != nil {
		source = r.wrapSource(ctx, source)
	}
	if r.opened != nil {
		r.opened()
	}
	return ui.Live{Source: source, Actions: r.gate,
		Endpoints: r.lab.Endpoints(), AuditLogPath: auditLog}, nil
}

// openGate makes the gate for actions. What is done to programs on a cluster that is
// not ours is written to the audit log that lasts.
func (r *labRun) openGate(e *env, foreign bool) (auditLogPath string, err error) {
	options := gate.Options{Reader: r.client, Lab: r.lab, Report: r.lab.Report, User: userName()}
	if !foreign {
		options.Armed, options.AuditLog, options.Endpoint = true, r.lab.AuditLog(), r.lab.Endpoints()[0]
		options.Dial = func(context.Context) (*clientv3.Client, error) {
			return dial(r.lab.MemberEndpoints(), e.flags.dialTimeout, nil, chaos.Writing())
		}
		r.gate = gate.New(options)
		return r.lab.AuditLogPath(), nil
	}
	options.Why, options.Endpoint = faultsWantArmed, strings.Join(e.flags.endpoints, ",")
	if r.armed {
		if r.audit, auditLogPath, err = openAuditLog(); err != nil {
			return "", badInput{err}
		}
		options.Armed, options.AuditLog, options.Why = true, r.audit, model.Say("the-proxy-never-writes")
	}
	r.gate = gate.New(options)
	return auditLogPath, nil
}

// faultsWantArmed is what the console says of a fault before a cluster that is not ours.
var faultsWantArmed = model.Say("faults-want-armed")

// do plans and does an action through the gate, as the console does.
func (r *labRun) do(ctx context.Context, a model.Action) model.Outcome {
	plan, err := r.gate.Plan(ctx, a)
	if err != nil {
		return model.Outcome{Action: a, Err: err.Error()}
	}
	if !plan.Refused.IsZero() {
		return model.Outcome{Action: a, Err: text.English(plan.Refused), Why: plan.Refused}
	}
	return r.gate.Do(ctx, plan)
}

// closeAfter closes the room and returns err, or what closing failed with.
func (r *labRun) closeAfter(err error) error {
	if closing := r.close(); err == nil && closing != nil {
		return fmt.Errorf("ending the lab: %w", closing)
	}
	return err
}

// recordedIn is the file in which the lab is recorded, "" for none.
func (r *labRun) recordedIn() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recording == nil {
		return ""
	}
	return r.recording.path
}

// close ends everything that open started, clients before members.
func (r *labRun) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.end != nil {
		r.end()
	}
	var errs []error
	if r.gate != nil {
		errs = append(errs, r.gate.Close())
	}
	if r.audit != nil {
		errs = append(errs, r.audit.Close())
	}
	if r.watcher != nil {
		errs = append(errs, r.watcher.Close())
	}
	if r.client != nil {
		errs = append(errs, r.client.Close())
	}
	if r.lab != nil {
		errs = append(errs, r.lab.Close())
	}
	if r.recording != nil {
		said, err := r.recording.End()
		if errs = append(errs, err); said != "" {
			r.tell(said)
		}
		r.recording = nil
	}
	return errors.Join(errs...)
}

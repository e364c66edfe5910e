package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/model"
	"locktop/model/text"
)

// requestTimeout bounds a plan, and the check and write of an action, so that no
// dialog of the console hangs on a cluster that does not answer.
const requestTimeout = 10 * time.Second

// Lab is what the gate asks of a lab: its process and proxy faults. It is
// implemented by the lab itself.
type Lab interface {
	// Available returns nil, or in one line why the action cannot be done now.
	Available(a model.Action) error
	// Targets names those whom the action is done to ("worker, pid 4711"); it is zero for nobody
	// in particular.
	Targets(a model.Action) model.Message
	// Do does it and says what came of it in a few words ("pid 4711").
	Do(ctx context.Context, a model.Action) (detail model.Message, err error)
}

// Options say what the gate may do and with what.
type Options struct {
	// Reader is the read-only connection, for plans and checks. The gate does
	// not close it.
	Reader *clientv3.Client
	// Dial opens the writer's connection, with the options of Writing. It is
	// called on the first write only, and never while the gate is not armed.
	Dial func(ctx context.Context) (*clientv3.Client, error)
	// Cluster is the id of the cluster that the gate is armed for, 0 for the one that it
	// reads first. It writes to no other, and to none once another one has answered.
	Cluster uint64
	// Armed lets the gate act. Why is the reason shown while it is not, and for writes
	// to etcd where there is no Dial ("read-only: not locktop's own lab").
	Armed bool
	Why   model.Message
	// Lab is nil if there is none.
	Lab Lab
	// AuditLog gets a line of JSON before each action and one with its outcome. An
	// action whose first line cannot be written is not done. Without an audit log
	// nothing is.
	AuditLog io.Writer
	// Endpoint and User stand in plans and in the audit log.
	Endpoint, User string
	// Now dates plans, outcomes and the audit log; nil is time.Now.
	Now func() time.Time
	// Report gets a model.Acted after every Do, also where nothing was done. May
	// be nil.
	Report func(model.Event)
}

// Gate is the only way for the actions of the console. Its methods may be called
// from any goroutine; actions are done one at a time.
type Gate struct {
	o      Options
	audit  auditLog
	armed  armedFor
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	acting sync.Mutex       // held by the action that is being done
	writer *clientv3.Client // guarded by acting, nil before the first write
}

// New returns a gate. It opens nothing.
func New(o Options) *Gate {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(model.Event) {}
	}
	if o.Why.IsZero() {
		o.Why = model.Say("no-connection-to-write-with")
	}
	g := &Gate{o: o, armed: armedFor{id: o.Cluster}, audit: auditLog{to: o.AuditLog, user: o.User, endpoint: o.Endpoint, now: o.Now}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// Available returns nil if the action can be tried, else the reason in one line
// for the person. It asks nothing of etcd.
func (g *Gate) Available(a model.Action) error {
	if !g.o.Armed {
		return text.Refusal{Why: g.o.Why}
	}
	if g.ctx.Err() != nil {
		return text.Refusal{Why: model.Say("locktop-is-closing")}
	}
	if g.o.AuditLog == nil {
		return text.Refusal{Why: model.Say("no-audit-log")}
	}
	if a.Kind.WritesEtcd() && g.o.Dial == nil {
		return text.Refusal{Why: g.o.Why}
	}
	if err := g.armed.shut(); err != nil && a.Kind.WritesEtcd() {
		return fmt.Errorf("disarmed: %w", err)
	}
	return g.possible(a)
}

// possible says whether the action makes sense here at all, armed or not.
func (g *Gate) possible(a model.Action) error {
	switch {
	case !slices.Contains(model.ActionKinds, a.Kind):
		return text.Refusal{Why: model.Say("unknown-action", string(a.Kind))}
	case !a.Kind.WritesEtcd() && g.o.Lab == nil:
		return text.Refusal{Why: model.Say("processes-are-out-of-reach")}
	case !a.Kind.WritesEtcd():
		return g.o.Lab.Available(a)
	case g.o.Reader == nil:
		return text.Refusal{Why: model.Say("no-connection-to-read-with")}
	case a.Kind == model.RevokeLease && a.Lease == 0:
		return text.Refusal{Why: model.Say("there-is-no-lease-to-revoke")}
	case a.Kind == model.DeleteClaim && (a.Key == "" || a.CreateRev <= 0):
		// Without a revision there is no guard: 0 means "does not exist".
		return text.Refusal{Why: model.Say("no-claim-to-delete")}
	}
	return nil
}

// Do acts on a plan, after checking that it still holds: the same cluster answers, at
// every endpoint that can be reached; the claim has the create revision, the lease and
// the value that were shown; for a revoke the lease is there, and all its keys are in
// the plan. What differs is refused in words, see [model.Outcome]. It never returns an
// error besides the outcome.
//
// A delete is guarded by the mod revision that the check found, so nothing can come
// between the two. etcd cannot revoke on a condition: a key that joins the lease in the
// moment between goes with it.
//
// With DryRun set everything but the act itself is done, and the outcome says what
// the act would have been.
//
// A write is sent once. When no answer comes that can be used, it may have been done: the
// outcome is unknown then, and only the watch can tell. After a revoke the outcome lists the
// keys that went at its revision, also one that joined in the moment between.
func (g *Gate) Do(ctx context.Context, p model.Plan) model.Outcome {
	g.acting.Lock()
	defer g.acting.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()

	out := g.logged(ctx, &p)
	out.Action, out.At, out.By = p.Action, g.o.Now(), g.o.User
	g.o.Report(model.Acted{At: out.At, Outcome: out})
	return out
}

// logged does it between two lines of the audit log. The plan becomes what was asked
// of etcd: the lines have the guard that was sent.
func (g *Gate) logged(ctx context.Context, p *model.Plan) model.Outcome {
	if err := g.Available(p.Action); err != nil {
		return refusal(whyOf(err))
	}
	if !p.Refused.IsZero() {
		return refusal(p.Refused)
	}
	act := g.doLab
	if p.Action.Kind.WritesEtcd() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		act = g.write
		if no := g.recheck(ctx, p); no.Err != "" {
			act = func(context.Context, model.Plan) model.Outcome { return no }
		}
	}
	if err := g.audit.writeIntent(*p); err != nil {
		return refused("the audit log cannot be written: %v", err)
	}
	out := act(ctx, *p)
	out.Action = p.Action // its words go into the audit log
	if err := g.audit.writeOutcome(*p, out); err != nil {
		out.Err, out.Why = strings.TrimPrefix(out.Err+"; the outcome could not be written down: "+err.Error(), "; "), model.Message{}
	}
	return out
}

// write does an action on etcd that was checked.
func (g *Gate) write(ctx context.Context, p model.Plan) model.Outcome {
	if p.DryRun {
		return dryRun(p)
	}
	w, err := g.connection(ctx)
	if err != nil {
		return refused("open the connection to write with: %v", err)
	}
	if err := g.armed.everywhere(ctx, w); err != nil {
		return refused("%v", err)
	}
	if p.Action.Kind == model.RevokeLease {
		return g.revoke(ctx, w, p)
	}
	return g.deleteClaim(ctx, w, p)
}

// doLab passes an action on to the lab.
func (g *Gate) doLab(ctx context.Context, p model.Plan) model.Outcome {
	if p.DryRun {
		return dryRun(p)
	}
	detail, err := g.o.Lab.Do(ctx, p.Action)
	if err != nil {
		out := model.Outcome{Unknown: chaos.Unsure(err), Detail: detail, Err: err.Error()}
		var r text.Refusal
		if errors.As(err, &r) && r.Error() == out.Err { // and nothing is said about it
			out.Why = r.Why
		}
		return out
	}
	return model.Outcome{Done: true, Detail: detail}
}

// connection returns the writer's connection and opens it on first use. One that
// would let other writes pass is not taken.
func (g *Gate) connection(ctx context.Context) (*clientv3.Client, error) {
	if g.writer != nil {
		return g.writer, nil
	}
	w, err := g.o.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if !restricted(ctx, w) {
		return nil, errors.Join(errors.New("it is not restricted to what the actions need"), w.Close())
	}
	g.writer = w
	return w, nil
}

// restricted says whether the client has the options of Writing. It calls a method
// that no server has, so nothing can come of it if it has not. The call is a unary one
// as a client with a password logs in before each stream: that takes its time and may
// fail, which says nothing of the options.
func restricted(ctx context.Context, c *clientv3.Client) bool {
	err := c.ActiveConnection().Invoke(ctx, "/locktop/Probe", &pb.StatusRequest{}, &pb.StatusResponse{})
	return chaos.RefusedByWriting(err)
}

// Close cancels the action that is being done, waits for it and closes the
// writer's connection. The gate refuses everything afterwards.
func (g *Gate) Close() error {
	g.cancel()
	g.acting.Lock()
	defer g.acting.Unlock()
	w := g.writer
	g.writer = nil
	if w == nil {
		return nil
	}
	return w.Close()
}

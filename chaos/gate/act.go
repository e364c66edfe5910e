package gate

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/chaos"
	"locktop/model"
	"locktop/model/text"
)

// revoke ends the lease. etcd deletes all its keys at one revision, which is the
// one of the answer (observed on 3.7; server/etcdserver/apply). Without keys nothing
// is written, and the answer has the revision at which the store stands.
func (g *Gate) revoke(ctx context.Context, w *clientv3.Client, p model.Plan) model.Outcome {
	r, err := w.Revoke(ctx, clientv3.LeaseID(p.Action.Lease))
	if chaos.CodeOf(err) == codes.NotFound {
		return g.noLease(ctx, p.Action.Lease, err)
	}
	if err != nil {
		return failed(err, "write permission on every key of the lease is needed")
	}
	if other := g.armed.elsewhere(r.Header.GetClusterId()); other != "" {
		return model.Outcome{Done: true, Err: other}
	}
	out := model.Outcome{Done: true, Rev: r.Header.GetRevision()}
	if out.Went, err = g.went(ctx, p, out.Rev); err != nil {
		out.Detail = reach(p)
		if p.Unknown.IsZero() {
			out.Detail = model.Say("detail-keys-of-more", len(p.Goes), status.Convert(err).Message())
		}
	} else {
		out.Detail = wentWords(p, out.Went)
	}
	if len(out.Went) == 0 && (err == nil || len(p.Goes) == 0 && p.Unknown.IsZero()) {
		out.Rev = 0
	}
	return out
}

// noLease is the outcome of a revoke that found no lease. An error of etcd names no cluster,
// so a reading has to say that the lease is gone.
func (g *Gate) noLease(ctx context.Context, id model.LeaseID, found error) model.Outcome {
	l, err := g.readLease(ctx, id)
	switch {
	case err != nil:
		return refused("%v; whether that is so in the cluster that is meant could not be checked: %v", found, err)
	case l.Granted != 0:
		return refused("%v, but it is there: look again", found)
	}
	return refusal(l.whyGone())
}

// deleteClaim deletes the key while it is as the plan has it. etcd compares and deletes
// at one revision, so nothing else can be hit. The mod revision stands for the lease and
// the value, which no put leaves alone: it is of any length, gives no secret away, and
// the txn of every etcdctl compares it, which is not so of a lease.
func (g *Gate) deleteClaim(ctx context.Context, w *clientv3.Client, p model.Plan) model.Outcome {
	a := p.Action
	r, err := w.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(a.Key), "=", a.CreateRev),
			clientv3.Compare(clientv3.ModRevision(a.Key), "=", a.ModRev)).
		Then(clientv3.OpDelete(a.Key)).
		Else(clientv3.OpGet(a.Key)).
		Commit()
	if err != nil {
		return failed(err, "read and write permission on the key is needed")
	}
	switch other := g.armed.elsewhere(r.Header.GetClusterId()); {
	case other == "":
	case r.Succeeded:
		return model.Outcome{Done: true, Err: other}
	default:
		return refused("%v", g.armed.shut())
	}
	if !r.Succeeded {
		var read []*mvccpb.KeyValue
		if len(r.Responses) > 0 {
			read = r.Responses[0].GetResponseRange().GetKvs()
		}
		now := kvOf(read)
		why := otherClaim(a, now)
		if why.IsZero() {
			why = p.Changed(model.Plan{Goes: []model.KV{*now}})
		}
		if why.IsZero() {
			why = model.Say("was-written-again-just-now", a.Key)
		}
		return changed(why, now)
	}
	return model.Outcome{Done: true, Detail: model.Say("detail-keys", 1), Rev: r.Header.GetRevision()}
}

// dryRun says what would have been done.
func dryRun(p model.Plan) model.Outcome {
	out := refusal(model.Say("dry-run"))
	out.Detail = model.Say("detail-would-be-done")
	if p.Action.Kind.WritesEtcd() {
		out.Detail = model.Say("detail-would-take", reach(p))
	}
	return out
}

// reach says how many keys go, as far as the plan knows.
func reach(p model.Plan) model.Message {
	if !p.Unknown.IsZero() {
		return model.Say("detail-keys-known", len(p.Goes), p.Unknown)
	}
	return model.Say("detail-keys", len(p.Goes))
}

// refused is the outcome of what was not done.
func refused(format string, args ...any) model.Outcome {
	return model.Outcome{Err: fmt.Sprintf(format, args...)}
}

// refusal is the outcome of what was not done for a reason of ours.
func refusal(why model.Message) model.Outcome {
	return model.Outcome{Err: text.English(why), Why: why}
}

// whyOf is an error as a message: one of ours, or its words.
func whyOf(err error) model.Message {
	var r text.Refusal
	if errors.As(err, &r) {
		return r.Why
	}
	return model.Say("quote", err.Error())
}

// changed is the outcome of what was not done because it is not as it was shown; nil is a
// claim that is gone.
func changed(why model.Message, now *model.KV) model.Outcome {
	out := refusal(why)
	out.Changed = out.Err
	if now != nil {
		out.Now = *now
	}
	return out
}

// failed is the outcome of a write that etcd did not confirm. Without an answer to what was
// sent nobody knows whether it was done.
func failed(err error, permission string) model.Outcome {
	switch {
	case chaos.Unsure(err):
		out := refusal(model.Say("no-answer-that-can-be-used", status.Convert(err).Message()))
		out.Unknown = true
		return out
	case chaos.CodeOf(err) == codes.PermissionDenied:
		return refused("%v: %s", err, permission)
	}
	return refused("%v", err)
}

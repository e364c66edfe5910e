package gate

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"locktop/chaos"
	"locktop/model"
	"locktop/watcher/answers"
)

// revoke ends the lease. etcd deletes all its keys at one revision, which is the
// one of the answer (observed on 3.7; server/etcdserver/apply). Without keys nothing
// is written, and the answer has the revision at which the store stands.
func (g *Gate) revoke(ctx context.Context, w *clientv3.Client, p model.Plan) model.Outcome {
	r, err := w.Revoke(ctx, clientv3.LeaseID(p.Action.Lease))
	if chaos.CodeOf(err) == codes.NotFound {
		// clientv3 repeats a revoke whose answer was lost, and the second finds
		// nothing.
		return refused("the lease is gone: it ended just before, or the answer to our revoke was lost")
	}
	if err != nil {
		return failed(err, "write permission on every key of the lease is needed")
	}
	rev := r.Header.GetRevision()
	if len(p.Goes) == 0 && p.Unknown == "" {
		rev = 0
	}
	return model.Outcome{Done: true, Detail: reach(p) + g.armed.elsewhere(r.Header.GetClusterId()), Rev: rev}
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
	if !r.Succeeded {
		var read []*mvccpb.KeyValue
		if len(r.Responses) > 0 {
			read = r.Responses[0].GetResponseRange().GetKvs()
		}
		now := kvOf(read)
		words := otherClaim(a, now)
		if words == "" {
			words = p.Changed(model.Plan{Goes: []model.KV{*now}})
		}
		if words == "" {
			words = fmt.Sprintf("%q was written again just now, with what it had", a.Key)
		}
		return changed(words, now)
	}
	return model.Outcome{Done: true, Detail: "1 key" + g.armed.elsewhere(r.Header.GetClusterId()), Rev: r.Header.GetRevision()}
}

// dryRun says what would have been done.
func dryRun(p model.Plan) model.Outcome {
	detail := "would be done"
	if p.Action.Kind.WritesEtcd() {
		detail = "would take " + reach(p)
	}
	return model.Outcome{Detail: detail, Err: "dry run"}
}

// reach says how many keys go, as far as the plan knows.
func reach(p model.Plan) string {
	n := "1 key"
	if len(p.Goes) != 1 {
		n = fmt.Sprintf("%d keys", len(p.Goes))
	}
	if p.Unknown != "" {
		return n + "; " + p.Unknown
	}
	return n
}

// refused is the outcome of what was not done.
func refused(format string, args ...any) model.Outcome {
	return model.Outcome{Err: fmt.Sprintf(format, args...)}
}

// changed is the outcome of what was not done because it is not as it was shown; nil is a
// claim that is gone.
func changed(words string, now *model.KV) model.Outcome {
	out := model.Outcome{Err: words, Changed: words}
	if now != nil {
		out.Now = *now
	}
	return out
}

// failed is the outcome of a write that etcd did not confirm. Without an answer
// nobody knows whether it was done.
func failed(err error, permission string) model.Outcome {
	switch chaos.CodeOf(err) {
	case codes.PermissionDenied:
		return refused("%v: %s", err, permission)
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unknown, answers.Code:
		return refused("%v: no answer that can be used, so it may have been done; look before trying again", err)
	}
	return refused("%v", err)
}

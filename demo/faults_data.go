package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/chaos"
	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/validate"
)

// dataWithin bounds one request of a fault of the data.
const dataWithin = 5 * time.Second

// writer writes to the data what no contender would: over the only connection that a lab itself
// has to its members, or to those that are not ours.
type writer struct {
	*labState
	members func() []string  // their addresses
	client  *clientv3.Client // nil before the first use
}

// dataClient is the lab's own connection to the members.
func (w *writer) dataClient() (*clientv3.Client, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil {
		return w.client, nil
	}
	if w.closed {
		return nil, ErrClosed
	}
	cli, err := clientv3.New(clientv3.Config{Context: w.ctx, Endpoints: w.members(), TLS: w.o.TLS,
		DialTimeout: dataWithin, Logger: zap.NewNop(), DialOptions: append(validate.Options(), chaos.Once())})
	if err != nil {
		return nil, fmt.Errorf("connect to the members: %w", err)
	}
	w.client = cli
	return cli, nil
}

// close closes the connection, after the last use.
func (w *writer) close() {
	if w.client != nil {
		_ = w.client.Close() // what it may fail with is that its context has ended
	}
}

// putKey makes a key without a lease. It leaves alone one that is there.
func (w *writer) putKey(ctx context.Context, cli *clientv3.Client, key, value string) (model.Message, healer, error) {
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return model.Message{}, nil, fmt.Errorf("put %s: %w", key, err)
	}
	if !r.Succeeded {
		return model.Message{}, nil, text.Refusal{Why: model.Say("key-is-there", key)}
	}
	return model.Say("detail-revision", int(r.Header.Revision)), w.undoByDelete(cli, model.Action{Key: key, CreateRev: r.Header.Revision}), nil
}

// readClaim reads a claim, and makes sure that it is the one that was spoken of: the
// key of a lock may be another's by now.
func readClaim(ctx context.Context, cli *clientv3.Client, c spoken) (*mvccpb.KeyValue, error) {
	r, err := cli.Get(ctx, c.key)
	if err != nil {
		return nil, fmt.Errorf("read the claim %s: %w", c.key, err)
	}
	if len(r.Kvs) == 0 {
		return nil, text.Refusal{Why: model.Say("claim-is-not-there", c.key)}
	}
	if c.lease != 0 && model.LeaseID(r.Kvs[0].Lease) != c.lease {
		return nil, text.Refusal{Why: model.Say("claim-is-on-another-lease", c.key)}
	}
	return r.Kvs[0], nil
}

// detachClaim puts a claim again as it is, without its lease.
func (w *writer) detachClaim(ctx context.Context, cli *clientv3.Client, c spoken) (model.Message, healer, error) {
	kv, err := readClaim(ctx, cli, c)
	if err != nil {
		return model.Message{}, nil, err
	}
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.key), "=", kv.CreateRevision)).
		Then(clientv3.OpPut(c.key, string(kv.Value))).Commit()
	if err != nil {
		return model.Message{}, nil, fmt.Errorf("put %s without its lease: %w", c.key, err)
	}
	if !r.Succeeded {
		return model.Message{}, nil, text.Refusal{Why: model.Say("claim-went-just-before", c.key)}
	}
	return model.Say("quote", c.key), w.undoByDelete(cli, model.Action{Lock: c.lock, Key: c.key, CreateRev: kv.CreateRevision}), nil
}

// revokeClaim revokes the lease of a claim.
func (w *writer) revokeClaim(ctx context.Context, cli *clientv3.Client, c spoken) (model.Message, healer, error) {
	if c.lease == 0 {
		return model.Message{}, nil, text.Refusal{Why: model.Say("claim-has-no-known-lease", c.key)}
	}
	has, err := cli.TimeToLive(ctx, clientv3.LeaseID(c.lease), clientv3.WithAttachedKeys())
	if err != nil {
		return model.Message{}, nil, fmt.Errorf("read the keys of lease %s: %w", c.lease, err)
	}
	r, err := cli.Revoke(ctx, clientv3.LeaseID(c.lease))
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return model.Message{}, nil, text.Refusal{Why: model.Say("lease-is-gone-already", c.lease)}
	}
	if err != nil {
		return model.Message{}, nil, fmt.Errorf("revoke lease %s: %w", c.lease, err)
	}
	rev := r.Header.Revision
	if len(has.Keys) == 0 {
		rev = 0 // nothing was written: it is that of whatever came last
	}
	w.wrote(model.Action{Kind: model.RevokeLease, Lock: c.lock, Key: c.key, Lease: c.lease}, rev)
	return model.Say("detail-lease", c.lease), nil, nil
}

// wrote reports a write of the lab's own: only that makes the cause of a revoke or a
// delete certain.
func (w *writer) wrote(a model.Action, rev int64) {
	now := w.o.Now()
	w.reports.Add(model.Acted{At: now, Outcome: model.Outcome{Action: a, At: now, Done: true, ByLab: true, Rev: rev}})
}

// deleteClaim deletes a claim, if it is still the one that was read.
func (w *writer) deleteClaim(ctx context.Context, cli *clientv3.Client, c spoken) (model.Message, healer, error) {
	kv, err := readClaim(ctx, cli, c)
	if err != nil {
		return model.Message{}, nil, err
	}
	done, err := w.deleteGuarded(ctx, cli, model.Action{Lock: c.lock, Key: c.key, CreateRev: kv.CreateRevision})
	if err == nil && !done {
		err = text.Refusal{Why: model.Say("key-is-gone-or-another", c.key)}
	}
	return model.Say("quote", c.key), nil, err
}

// deleteGuarded deletes the key of an action if it was made at its create revision,
// and says whether it did.
func (w *writer) deleteGuarded(ctx context.Context, cli *clientv3.Client, a model.Action) (bool, error) {
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(a.Key), "=", a.CreateRev)).
		Then(clientv3.OpDelete(a.Key)).Commit()
	if err != nil {
		return false, fmt.Errorf("delete %s: %w", a.Key, err)
	}
	if r.Succeeded {
		a.Kind = model.DeleteClaim
		w.wrote(a, r.Header.Revision)
	}
	return r.Succeeded, nil
}

// undoByDelete removes what a fault left. If that is gone there is nothing to undo.
func (w *writer) undoByDelete(cli *clientv3.Client, a model.Action) healer {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, dataWithin)
		defer cancel()
		_, err := w.deleteGuarded(ctx, cli, a)
		return err
	}
}

// foreignLeader asks members that are not ours which of them leads.
func (w *writer) foreignLeader(ctx context.Context) (string, error) {
	cli, err := w.dataClient()
	if err != nil {
		return "", err
	}
	var errs []error
	for i, ep := range w.o.Endpoints {
		r, err := cli.Status(ctx, ep)
		if err == nil && r.Leader != 0 && r.Leader == r.Header.MemberId {
			return memberNames(i + 1)[i], nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("ask for the leader: none of the %d members leads; %w", len(w.o.Endpoints), errors.Join(errs...))
}

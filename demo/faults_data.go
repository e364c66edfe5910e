package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/model"
	"locktop/watcher/answers"
)

// dataWithin bounds one request of a fault of the data.
const dataWithin = 5 * time.Second

// spoken is what a contender last said of its claim on one lock.
type spoken struct {
	lock, key string
	lease     model.LeaseID
}

// believed are a contender's claims after it said b, the latest last. One that let go
// has none; one that lost it may still have the key.
func believed(claims []spoken, b model.Belief) []spoken {
	claims = slices.DeleteFunc(claims, func(c spoken) bool {
		return c.lock == b.Lock && (b.State != model.BeliefLost || b.Key != "")
	})
	if b.Key != "" {
		claims = append(claims, spoken{b.Lock, b.Key, b.Lease})
	}
	return claims
}

// claimOf is the claim that a contender spoke of last.
func (l *Lab) claimOf(name string) (spoken, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if claims := l.claims[name]; len(claims) > 0 {
		return claims[len(claims)-1], nil
	}
	if pr := l.programs[name]; pr != nil {
		if w := pr.workers(); len(w) > 0 {
			return spoken{}, fmt.Errorf("%s has several claims: say one of its workers, %s to %s", name, w[0], w[len(w)-1])
		}
		return spoken{}, fmt.Errorf("%s has said of no claim", name)
	}
	return spoken{}, fmt.Errorf("%s is no contender of the lab", model.Printable(name))
}

// toData does a fault to the data: a write that no contender would do.
func toData(do func(l *Lab, ctx context.Context, cli *clientv3.Client, f model.Fault) (string, healer, error)) doer {
	return func(l *Lab, ctx context.Context, f model.Fault) (string, healer, error) {
		cli, err := l.dataClient()
		if err != nil {
			return "", nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, dataWithin)
		defer cancel()
		return do(l, ctx, cli, f)
	}
}

// toClaim does a fault to the claim that a contender has.
func toClaim(do func(l *Lab, ctx context.Context, cli *clientv3.Client, c spoken) (string, healer, error)) doer {
	return toData(func(l *Lab, ctx context.Context, cli *clientv3.Client, f model.Fault) (string, healer, error) {
		c, err := l.claimOf(f.Target)
		if err != nil {
			return "", nil, err
		}
		return do(l, ctx, cli, c)
	})
}

// dataClient is the lab's own connection to the members.
func (l *Lab) dataClient() (*clientv3.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client != nil {
		return l.client, nil
	}
	if l.closed {
		return nil, ErrClosed
	}
	cli, err := clientv3.New(clientv3.Config{Context: l.ctx, Endpoints: l.MemberEndpoints(), TLS: l.o.TLS,
		DialTimeout: dataWithin, Logger: zap.NewNop(), DialOptions: answers.Options()})
	if err != nil {
		return nil, fmt.Errorf("connect to the members: %w", err)
	}
	l.client = cli
	return cli, nil
}

// putKey makes a key without a lease. It leaves alone one that is there.
func (l *Lab) putKey(ctx context.Context, cli *clientv3.Client, key, value string) (string, healer, error) {
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return "", nil, fmt.Errorf("put %s: %w", key, err)
	}
	if !r.Succeeded {
		return "", nil, fmt.Errorf("put %s: the key is there already, and would be lost", key)
	}
	return fmt.Sprintf("revision %d", r.Header.Revision), l.undoByDelete(cli, model.Action{Key: key, CreateRev: r.Header.Revision}), nil
}

// readClaim reads a claim, and makes sure that it is the one that was spoken of: the
// key of a lock may be another's by now.
func readClaim(ctx context.Context, cli *clientv3.Client, c spoken) (*mvccpb.KeyValue, error) {
	r, err := cli.Get(ctx, c.key)
	if err != nil {
		return nil, fmt.Errorf("read the claim %s: %w", c.key, err)
	}
	if len(r.Kvs) == 0 {
		return nil, fmt.Errorf("the claim %s is not there: it is gone, or was not made yet", c.key)
	}
	if c.lease != 0 && model.LeaseID(r.Kvs[0].Lease) != c.lease {
		return nil, fmt.Errorf("the claim %s is not on the lease that its contender has", c.key)
	}
	return r.Kvs[0], nil
}

// detachClaim puts a claim again as it is, without its lease.
func (l *Lab) detachClaim(ctx context.Context, cli *clientv3.Client, c spoken) (string, healer, error) {
	kv, err := readClaim(ctx, cli, c)
	if err != nil {
		return "", nil, err
	}
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.key), "=", kv.CreateRevision)).
		Then(clientv3.OpPut(c.key, string(kv.Value))).Commit()
	if err != nil {
		return "", nil, fmt.Errorf("put %s without its lease: %w", c.key, err)
	}
	if !r.Succeeded {
		return "", nil, fmt.Errorf("the claim %s went just before", c.key)
	}
	return c.key, l.undoByDelete(cli, model.Action{Lock: c.lock, Key: c.key, CreateRev: kv.CreateRevision}), nil
}

// revokeClaim revokes the lease of a claim.
func (l *Lab) revokeClaim(ctx context.Context, cli *clientv3.Client, c spoken) (string, healer, error) {
	if c.lease == 0 {
		return "", nil, fmt.Errorf("the claim %s has no lease that is known", c.key)
	}
	has, err := cli.TimeToLive(ctx, clientv3.LeaseID(c.lease), clientv3.WithAttachedKeys())
	if err != nil {
		return "", nil, fmt.Errorf("read the keys of lease %s: %w", c.lease, err)
	}
	r, err := cli.Revoke(ctx, clientv3.LeaseID(c.lease))
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return "", nil, fmt.Errorf("the lease %s is gone already", c.lease)
	}
	if err != nil {
		return "", nil, fmt.Errorf("revoke lease %s: %w", c.lease, err)
	}
	rev := r.Header.Revision
	if len(has.Keys) == 0 {
		rev = 0 // nothing was written: it is that of whatever came last
	}
	l.wrote(model.Action{Kind: model.RevokeLease, Lock: c.lock, Key: c.key, Lease: c.lease}, rev)
	return "lease " + c.lease.String(), nil, nil
}

// wrote reports a write of the lab's own: only that makes the cause of a revoke or a
// delete certain.
func (l *Lab) wrote(a model.Action, rev int64) {
	now := l.o.Now()
	l.box.put(model.Acted{At: now, Outcome: model.Outcome{Action: a, At: now, Done: true, Detail: "by the lab", Rev: rev}})
}

// deleteClaim deletes a claim, if it is still the one that was read.
func (l *Lab) deleteClaim(ctx context.Context, cli *clientv3.Client, c spoken) (string, healer, error) {
	kv, err := readClaim(ctx, cli, c)
	if err != nil {
		return "", nil, err
	}
	done, err := l.deleteGuarded(ctx, cli, model.Action{Lock: c.lock, Key: c.key, CreateRev: kv.CreateRevision})
	if err == nil && !done {
		err = fmt.Errorf("%s is gone, or it is another key by now", c.key)
	}
	return c.key, nil, err
}

// deleteGuarded deletes the key of an action if it was made at its create revision,
// and says whether it did.
func (l *Lab) deleteGuarded(ctx context.Context, cli *clientv3.Client, a model.Action) (bool, error) {
	r, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(a.Key), "=", a.CreateRev)).
		Then(clientv3.OpDelete(a.Key)).Commit()
	if err != nil {
		return false, fmt.Errorf("delete %s: %w", a.Key, err)
	}
	if r.Succeeded {
		a.Kind = model.DeleteClaim
		l.wrote(a, r.Header.Revision)
	}
	return r.Succeeded, nil
}

// undoByDelete removes what a fault left. If that is gone there is nothing to undo.
func (l *Lab) undoByDelete(cli *clientv3.Client, a model.Action) healer {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, dataWithin)
		defer cancel()
		_, err := l.deleteGuarded(ctx, cli, a)
		return err
	}
}

// foreignLeader asks members that are not ours which of them leads.
func (l *Lab) foreignLeader(ctx context.Context) (string, error) {
	cli, err := l.dataClient()
	if err != nil {
		return "", err
	}
	var errs []error
	for i, ep := range l.o.Endpoints {
		r, err := cli.Status(ctx, ep)
		if err == nil && r.Leader != 0 && r.Leader == r.Header.MemberId {
			return memberNames(i + 1)[i], nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("ask for the leader: none of the %d members leads; %w", len(l.o.Endpoints), errors.Join(errs...))
}

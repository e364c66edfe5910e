package contender

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	electionpb "go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	lockpb "go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
	"google.golang.org/grpc/status"

	"locktop/model"
)

// The recipes that a server runs for its clients, as those in other languages use
// them. Without a lease the server makes one of 60 s, which nobody renews.

// fromServer makes of a server's answer the error that the client library has for it.
func fromServer(err error) error {
	if status.Convert(err).Message() == concurrency.ErrSessionExpired.Error() {
		return concurrency.ErrSessionExpired
	}
	return rpctypes.Error(err)
}

func (a *attempt) lockByServer(ctx context.Context) (claim, error) {
	server := lockpb.NewLockClient(a.client.ActiveConnection())
	r, err := server.Lock(ctx, &lockpb.LockRequest{Name: []byte(a.lock), Lease: int64(a.leaseID())})
	if err != nil {
		return claim{}, fromServer(err)
	}
	c := a.claim
	c.key = string(r.Key)
	c.release = func(ctx context.Context) error {
		_, err := server.Unlock(ctx, &lockpb.UnlockRequest{Key: r.Key})
		return fromServer(err)
	}
	if err := a.complete(ctx, &c, r.Header.Revision); err != nil {
		return claim{}, undo(c.release, err)
	}
	return c, nil
}

// complete adds to a claim what the answer of the lock service lacks, read at the
// revision of that answer: later the key may be gone. If it was gone even then, as
// servers of 3.4 have it, there is no token.
func (a *attempt) complete(ctx context.Context, c *claim, rev int64) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := a.client.Get(ctx, c.key, clientv3.WithRev(rev))
	if err != nil {
		return fmt.Errorf("read %s at revision %d: %w", c.key, rev, err)
	}
	for _, kv := range r.Kvs {
		c.lease, c.token = model.LeaseID(kv.Lease), kv.CreateRevision
	}
	return nil
}

func (a *attempt) campaignByServer(ctx context.Context) (claim, error) {
	server := electionpb.NewElectionClient(a.client.ActiveConnection())
	r, err := server.Campaign(ctx, &electionpb.CampaignRequest{
		Name: []byte(a.lock), Lease: int64(a.leaseID()), Value: []byte(a.value)})
	if err != nil {
		return claim{}, fromServer(err)
	}
	return claim{
		key: string(r.Leader.Key), lease: model.LeaseID(r.Leader.Lease), token: r.Leader.Rev,
		release: func(ctx context.Context) error {
			_, err := server.Resign(ctx, &electionpb.ResignRequest{Leader: r.Leader})
			return fromServer(err)
		},
		proclaim: func(ctx context.Context, value string) error {
			_, err := server.Proclaim(ctx, &electionpb.ProclaimRequest{Leader: r.Leader, Value: []byte(value)})
			return fromServer(err)
		},
	}, nil
}

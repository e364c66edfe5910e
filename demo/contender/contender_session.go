package contender

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/model"
	"locktop/model/recipe"
)

// session is a lease that is kept alive, or nothing at all for a recipe that does
// without.
type session struct {
	*concurrency.Session
	// lost is closed when the lease is gone. It is nil where there is no lease, and
	// where nobody is to hear of its end.
	lost <-chan struct{}
	// lostReason says what it means that lost is closed; lose closes it where no lease does.
	lostReason model.Message
	lose       func()
	times      times
}

// open begins a session as the recipe wants it.
func (c *contender) open(ctx context.Context) (*session, error) {
	if playOf(c.o.Recipe).tells {
		lost := make(chan struct{})
		return &session{lost: lost, lostReason: quote(renewalsOver), lose: sync.OnceFunc(func() { close(lost) })}, nil
	}
	if c.o.NoLease || playOf(c.o.Recipe).own || recipe.Played(c.o.Recipe).Rhythm == recipe.RenewsNever {
		return &session{}, nil
	}
	lease, err := grant(ctx, c.client, c.o.TTL)
	if err != nil {
		return nil, err
	}
	// The session outlives ctx, or it could not be closed in order. Closing waits
	// no longer than the TTL that it is told.
	inner, err := concurrency.NewSession(c.client, concurrency.WithLease(lease),
		concurrency.WithTTL(int(leaveWithin/time.Second)))
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	s := &session{Session: inner, lostReason: leaseGone}
	if !c.o.IgnoreDone {
		s.lost = inner.Done()
	}
	return s, nil
}

// ended says whether nothing keeps the lease alive any more, heard of or not.
func (s *session) ended() bool { return s.Session != nil && isDone(s.Done()) }

// close ends the session and its keys, if it still has some.
func (s *session) close() {
	if s.Session != nil && !s.ended() {
		_ = s.Session.Close() // what it cannot revoke runs out
	}
}

// leaseGone is what the client library tells by ending a session.
var leaseGone = model.Say("program-lost")

// renewalsOver is what it tells by closing the channel of its answers.
const renewalsOver = "the channel of renewals was closed"

// lease is that of the session, 0 where there is none.
func (s *session) lease() model.LeaseID {
	if s.Session == nil {
		return 0
	}
	return model.LeaseID(s.Lease())
}

// loss says in which way the session or the claim was lost, after an attempt that
// ended with err; [silence] if it was not.
func (s *session) loss(err error) model.Message {
	switch {
	case isDone(s.lost):
		return s.lostReason
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return leaseGone
	case errors.Is(err, concurrency.ErrSessionExpired):
		// So the library says, but all that it saw is that the key is not there.
		if s.ended() {
			return leaseGone
		}
		return model.Say("program-key-gone")
	}
	return silence
}

package contender

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/model"
)

// What a manual contender can be told about waiting and looking.

var errWaitsForNothing = cannot(model.Say("program-waits-for-nothing", ""))

// stopWaiting gives up as a client does that ends its call: the library deletes the claim.
func (m *manual) stopWaiting(context.Context) error {
	if m.waiting == nil {
		return errWaitsForNothing
	}
	m.waiting.cancel()
	return nil
}

// abandon gives up as a program does whose future timed out: it goes on without the lock,
// and its call waits on.
func (m *manual) abandon(context.Context) error {
	if m.waiting == nil {
		return errWaitsForNothing
	}
	m.waiting.abandoned = true
	m.say(m.waiting.lock, model.BeliefIdle, claim{}, model.Say("program-gave-up"))
	return nil
}

// renew does as a sidecar that renews for a program: it cannot tell whether that still lives.
func (m *manual) renew(ctx context.Context) error {
	lock := m.o.Locks[0]
	within, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	key, options := m.o.needs(lock)
	r, err := m.client.Get(within, key, append(options, clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend), clientv3.WithLimit(1))...)
	if err != nil {
		return err
	}
	if len(r.Kvs) == 0 || r.Kvs[0].Lease == 0 {
		return fmt.Errorf("nobody has a lease on %s", lock)
	}
	lease := clientv3.LeaseID(r.Kvs[0].Lease)
	answers, err := m.client.KeepAlive(ctx, lease)
	if err != nil {
		return err
	}
	go func() {
		for range answers { // what is not read is logged by the library
		}
	}()
	m.note(model.Say("program-renews", model.LeaseID(lease).String()))
	return nil
}

// election is that of the first lock, with the session of the contender.
func (m *manual) election(ctx context.Context, of func(*concurrency.Session, string) *concurrency.Election) (*concurrency.Election, error) {
	if m.o.Recipe != RecipeElection {
		return nil, fmt.Errorf("recipe %s has no leader that the client library tells", m.o.Recipe)
	}
	if err := m.needsSession(ctx); err != nil {
		return nil, err
	}
	return of(m.s.Session, m.o.Locks[0]), nil
}

// leader asks who leads.
func (m *manual) leader(ctx context.Context) error {
	return m.askLeader(ctx, func(who string) model.Message { return model.Say("program-asked", who) }, concurrency.NewElection)
}

// resumedLeader asks as a program does that resumed its election: ResumeElection takes the
// name without the slash that NewElection adds.
func (m *manual) resumedLeader(ctx context.Context) error {
	return m.askLeader(ctx, func(who string) model.Message { return model.Say("program-resumed", who) }, func(s *concurrency.Session, name string) *concurrency.Election {
		return concurrency.ResumeElection(s, name, "", 0)
	})
}

func (m *manual) askLeader(ctx context.Context, says func(who string) model.Message, of func(*concurrency.Session, string) *concurrency.Election) error {
	e, err := m.election(ctx, of)
	if err != nil {
		return err
	}
	return m.ask(ctx, func(ctx context.Context) error {
		r, err := e.Leader(ctx)
		if err == nil {
			m.note(says(string(r.Kvs[0].Value)))
		}
		return err
	})
}

// observe begins to follow who leads; observed says who it was last.
func (m *manual) observe(ctx context.Context) error {
	if m.observing {
		return cannot(model.Say("program-observes-already", ""))
	}
	e, err := m.election(ctx, concurrency.NewElection)
	if err != nil {
		return err
	}
	m.observing = true
	go func() { // ends with ctx, as the channel does
		for r := range e.Observe(ctx) {
			select {
			case m.leaders <- string(r.Kvs[0].Value):
			case <-ctx.Done():
			}
		}
	}()
	return nil
}

func (m *manual) observed(context.Context) error {
	if m.leading == "" {
		return cannot(model.Say("program-observed-nobody", ""))
	}
	m.note(model.Say("program-observed", m.leading))
	return nil
}

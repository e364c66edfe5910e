package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/chaos/proxy"
	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/journal"
)

// play is what a contender of the soak competes for, and how.
type play struct {
	// take returns the key by which it holds, or has its place, and how to give it up. No key: another
	// has it, so later.
	take func(ctx context.Context, s *concurrency.Session, number int) (key string, release func(context.Context) error, err error)
	// hold is for how long, at least and besides.
	hold, more time.Duration
}

const short = 1500 * time.Millisecond

// plays are those of the contenders of a client, by turns: of the first two there are more.
var plays = []play{
	{mutexOf(func(n int) string { return fmt.Sprint("mutex", n%2*2) }), 10 * time.Millisecond, short},
	{takeKey, 10 * time.Millisecond, short},
	{mutexOf(func(n int) string { return "outer" + strings.Repeat("/inner", n/2%2) }), 10 * time.Millisecond, short},
	{mutexOf(func(int) string { return "leader" }), 40 * time.Second, 40 * time.Second},
	{takePermit, 100 * time.Millisecond, short},
	{join, 10 * time.Second, 20 * time.Second},
}

// permits are those of the semaphore.
const permits = 2

func mutexOf(name func(int) string) func(context.Context, *concurrency.Session, int) (string, func(context.Context) error, error) {
	return func(ctx context.Context, s *concurrency.Session, n int) (string, func(context.Context) error, error) {
		m := concurrency.NewMutex(s, soakPrefix+name(n))
		err := m.Lock(ctx)
		return m.Key(), m.Unlock, err
	}
}

func takeKey(ctx context.Context, s *concurrency.Session, n int) (string, func(context.Context) error, error) {
	key := fmt.Sprintf("%skey%d", soakPrefix, n%2*2+1)
	r, err := s.Client().Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(s.Lease()))).Commit()
	if err != nil || !r.Succeeded { // another has it
		return "", nil, err
	}
	return key, deleteKey(s, key), nil
}

// takePermit puts a key behind those of others and waits until it is one of the oldest.
func takePermit(ctx context.Context, s *concurrency.Session, _ int) (string, func(context.Context) error, error) {
	dir := soakPrefix + "permits/"
	mine := fmt.Sprintf("%s%x", dir, s.Lease())
	put, err := s.Client().Put(ctx, mine, "", clientv3.WithLease(s.Lease()))
	for err == nil && s.Ctx().Err() == nil && pause(ctx, 100*time.Millisecond) {
		var ahead *clientv3.GetResponse
		ahead, err = s.Client().Get(ctx, dir, clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithMaxCreateRev(put.Header.Revision-1))
		if err == nil && len(ahead.Kvs) < permits {
			return mine, deleteKey(s, mine), nil
		}
	}
	return "", nil, errors.Join(err, s.Ctx().Err(), ctx.Err())
}

// join puts a key into a list of members.
func join(ctx context.Context, s *concurrency.Session, _ int) (string, func(context.Context) error, error) {
	key := fmt.Sprintf("%spresence/%x", soakPrefix, s.Lease())
	_, err := s.Client().Put(ctx, key, "", clientv3.WithLease(s.Lease()))
	return key, deleteKey(s, key), err
}

func deleteKey(s *concurrency.Session, key string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.Client().Delete(ctx, key)
		return err
	}
}

// disturb makes the path, the leader and the way between the members fail, by turns.
func (lg *ledger) disturb(ctx context.Context, members *cluster.Cluster, way *proxy.Proxy, tell func(string, ...any)) {
	move := func() {
		lg.with(func() { lg.moves = append(lg.moves, time.Now()) })
		if _, err := members.MoveLeader(ctx); err != nil && ctx.Err() == nil {
			tell("another leader: %v", err)
		}
	}
	for turn := 0; pause(ctx, 40*time.Second); turn++ {
		lg.with(func() { lg.disturbances++ })
		switch turn % 4 {
		case 0:
			cut := model.Fault{Kind: model.FaultCut, Target: "all"}
			if err := way.Inject(cut); err != nil {
				tell("a path that drops: %v", err)
			}
			pause(ctx, 4*time.Second)
			way.Heal(cut)
		case 1:
			name, err := members.Leader(ctx)
			if err == nil {
				err = members.Slow(name, 400*time.Millisecond)
			}
			pause(ctx, 20*time.Second)
			if err = errors.Join(err, members.Slow(name, 0)); err != nil && ctx.Err() == nil {
				tell("a slow leader: %v", err)
			}
		case 2:
			move()
		case 3:
			for range 4 {
				move()
				pause(ctx, 6*time.Second)
			}
		}
	}
}

// byHand deletes the key of a holder now and then, as a person may who takes a lock away.
func (lg *ledger) byHand(ctx context.Context, c *clientv3.Client, random *rand.Rand) {
	for pause(ctx, time.Duration(20+random.IntN(20))*time.Second) {
		var victim claimID
		lg.with(func() {
			for id := range lg.held {
				if _, over := lg.ends[id]; !over {
					victim = id
				}
			}
		})
		if victim.key != "" && lg.ending(victim, journal.CauseDeleted) {
			lg.byHands++
			_, _ = c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(victim.key), "=", victim.rev)).Then(clientv3.OpDelete(victim.key)).Commit() // one that fails leaves a claim that its owner gives up
		}
	}
}

// recent counts what was within so long.
func recent(all []time.Time, within time.Duration) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(at time.Time) bool { return time.Since(at) >= within }))
}

// After a disturbance its traces last: a lease that was read as late until it is read again, and answers of
// the last half minute.
const (
	missed     = soakTTL * time.Second / 2 // a renewal: the client makes one after a third, and half a second at most
	readAgain  = 2 * time.Second
	answersFor = model.AnswersSpan + 10*time.Second
	changesFor = 6 * time.Minute
	slowLeast  = 5 // slow answers in that time, of some 200
)

// untrue says why a finding above info is not true, "" if it is.
func (lg *ledger) untrue(f *model.Finding) string {
	lg.mu.Lock()
	defer lg.mu.Unlock()
	const why = "nobody hangs, nobody writes where he should not, and nothing was disturbed that explains it"
	var may bool
	switch f.Code {
	case model.CodeKeepaliveStalled:
		return lg.renewedSince(f, missed)
	case model.CodeDeadHolder, model.CodeDeadWaiter, model.CodeUnattendedLease, model.CodeKeepaliveHalted:
		return lg.renewedSince(f, 2*soakTTL*time.Second/3)
	case model.CodeLeaseOverdue:
		return lg.renewedSince(f, soakTTL*time.Second)
	case model.CodeTTLReset:
		may = recent(lg.moves, changesFor) > 0
	case model.CodeSlowCluster:
		may = recent(lg.slow, answersFor) >= slowLeast || recent(lg.moves, answersFor) > 1
	case model.CodeLeaderChanges:
		may = recent(lg.moves, changesFor) >= 3
	case model.CodeNoQuorum:
		may = recent(lg.moves, answersFor) > 0
	case model.CodeExternalDelete:
		for id, end := range lg.ends {
			may = may || end.cause == journal.CauseDeleted && id.key == f.Lock+"/"+f.Lease.String()
		}
	case model.CodeNestedPrefix:
		may = f.Lock == soakPrefix+"outer"
	}
	if may {
		return ""
	}
	return why
}

// look asks the leader again and again, and writes down when an answer took long: a machine with much to
// do makes a cluster slow, too.
func (lg *ledger) look(ctx context.Context, c *clientv3.Client) {
	for pause(ctx, 200*time.Millisecond) {
		began := time.Now()
		if _, err := c.Get(ctx, soakPrefix, clientv3.WithCountOnly()); err != nil || time.Since(began) >= model.SlowBy {
			lg.with(func() { lg.slow = append(lg.slow, began) })
		}
	}
}

// renewedSince says that the lease of a finding was renewed less than so long ago, as its client was told; ""
// if it was not.
func (lg *ledger) renewedSince(f *model.Finding, bound time.Duration) string {
	s := lg.sessions[clientv3.LeaseID(f.Lease)]
	if s == nil {
		return "nobody here had this lease"
	}
	if ago := time.Since(s.renewed); ago < bound && (s.gap < bound || time.Since(s.gapOver) > readAgain) {
		return fmt.Sprintf("its lease was renewed %.1f s ago, and after a gap of %.1f s %.1f s ago", ago.Seconds(), s.gap.Seconds(), time.Since(s.gapOver).Seconds())
	}
	return ""
}

// renewals notes when a lease was renewed: not before a third of its TTL after the last answer, which is
// when the client asks again.
func (lg *ledger) renewals(s *soakSession, answers <-chan *clientv3.LeaseKeepAliveResponse) {
	for range answers {
		lg.with(func() {
			if gap := time.Since(s.answered); gap >= missed && (gap >= s.gap || time.Since(s.gapOver) > readAgain) {
				s.gap, s.gapOver = gap, time.Now()
			}
			s.renewed, s.answered = s.answered.Add(soakTTL*time.Second/3), time.Now()
		})
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc"

	"locktop/chaos/relay"
	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/journal"
)

// play is what a contender of the soak competes for, and how.
type play struct {
	name string
	// take returns the key by which it holds, or has its place, and how to give it up. No key: another
	// has it, so later.
	take func(ctx context.Context, s *concurrency.Session, number int) (key string, release func(context.Context) error, err error)
	// hold is for how long, at least and besides.
	hold, more time.Duration
}

const short = 1500 * time.Millisecond

// plays are those of the contenders of a client, by turns.
var plays = []play{
	{"mutex", mutexOf(func(n int) string { return fmt.Sprint("mutex", n%2*2) }), 10 * time.Millisecond, short},
	{"single key", takeKey, 10 * time.Millisecond, short},
	{"mutex", mutexOf(func(n int) string { return fmt.Sprint("mutex", n%2*2) }), 10 * time.Millisecond, short},
	{"single key", takeKey, 10 * time.Millisecond, short},
	{"nested", mutexOf(func(n int) string { return "outer" + strings.Repeat("/inner", n/2%2) }), 10 * time.Millisecond, short},
	{"standby", mutexOf(func(int) string { return "leader" }), 40 * time.Second, 40 * time.Second},
	{"semaphore", takePermit, 100 * time.Millisecond, short},
	{"presence", join, 10 * time.Second, 20 * time.Second},
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
	if _, err := s.Client().Put(ctx, mine, "", clientv3.WithLease(s.Lease())); err != nil {
		return "", nil, err
	}
	for pause(ctx, 100*time.Millisecond) {
		select {
		case <-s.Done():
			return "", nil, errOver
		default:
		}
		first, err := s.Client().Get(ctx, dir, clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend), clientv3.WithLimit(permits), clientv3.WithKeysOnly())
		if err != nil {
			return "", nil, err
		}
		for _, kv := range first.Kvs {
			if string(kv.Key) == mine {
				return mine, deleteKey(s, mine), nil
			}
		}
	}
	return "", nil, ctx.Err()
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

// path is the way to the members, which can be cut: of whoever watches, and of one client.
type path struct {
	relays    []*relay.Listener
	endpoints []string
	cut       atomic.Bool
}

func newPath(members []string) (*path, error) {
	p := &path{}
	for _, m := range members {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		_, at, _ := strings.Cut(m, "://")
		if at == "" {
			at = m
		}
		r := relay.New(l, at)
		r.Serve(func(pair *relay.Pair) {
			if p.cut.Load() {
				return
			}
			if member, err := pair.Dial(pair.Context()); err == nil {
				pair.Carry(func() { _, _ = io.Copy(member, pair) }, func() { _, _ = io.Copy(pair, member) })
			}
		})
		p.relays, p.endpoints = append(p.relays, r), append(p.endpoints, r.Addr())
	}
	return p, nil
}

// Drop cuts the way for so long.
func (p *path) Drop(ctx context.Context, d time.Duration) {
	p.cut.Store(true)
	for _, r := range p.relays {
		r.Cut(func(*relay.Pair) bool { return true })
	}
	pause(ctx, d)
	p.cut.Store(false)
}

func (p *path) Close() error {
	for _, r := range p.relays {
		r.Close()
	}
	return nil
}

// Disturbances of the soak.
const (
	disturbEvery = 40 * time.Second
	dropFor      = 4 * time.Second
	slowFor      = 20 * time.Second
	slowBy       = 400 * time.Millisecond
)

// disturb makes the path, the leader and the way between the members fail, by turns. What is done is
// written down before it is, and when it is over.
func (lg *ledger) disturb(ctx context.Context, members *cluster.Cluster, way *path, tell func(string, ...any)) {
	move := func() {
		lg.note(trouble{what: "move", from: time.Now(), until: time.Now()})
		if _, err := members.MoveLeader(ctx); err != nil && ctx.Err() == nil {
			tell("another leader: %v", err)
		}
	}
	for turn := 0; pause(ctx, disturbEvery); turn++ {
		began := time.Now()
		switch turn % 4 {
		case 0:
			lg.note(trouble{what: "drop", from: began, until: began.Add(dropFor)})
			way.Drop(ctx, dropFor)
		case 1:
			lg.note(trouble{what: "slow", from: began, until: began.Add(slowFor)})
			name, err := members.Leader(ctx)
			if err == nil {
				err = members.Slow(name, slowBy)
			}
			pause(ctx, slowFor)
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
					lg.ends[id] = ending{journal.CauseDeleted, time.Now()}
					lg.byHands++
					break
				}
			}
		})
		if victim.key != "" {
			_, _ = c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(victim.key), "=", victim.rev)).Then(clientv3.OpDelete(victim.key)).Commit() // one that fails leaves a claim that its owner gives up
		}
	}
}

// trouble is a disturbance, and from when to when it was.
type trouble struct {
	what        string
	from, until time.Time
}

func (lg *ledger) note(t trouble) { lg.with(func() { lg.troubles = append(lg.troubles, t) }) }

// troubled counts the disturbances of such a kind that began within so long, or last.
func (lg *ledger) troubled(within time.Duration, kinds ...string) (n int) {
	for _, t := range lg.troubles {
		for _, kind := range kinds {
			if t.what == kind && time.Since(t.until) < within {
				n++
			}
		}
	}
	return n
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
		may = lg.troubled(changesFor, "move") > 0
	case model.CodeSlowCluster:
		may = lg.troubled(answersFor, "slow") > 0 || lg.troubled(answersFor, "move") > 1 || lg.slowAnswers() >= slowLeast
	case model.CodeLeaderChanges:
		may = lg.troubled(changesFor, "move") >= 3
	case model.CodeNoQuorum:
		may = lg.troubled(answersFor, "move") > 0
	case model.CodeExternalDelete:
		may = lg.deletedOf(f.Lock + "/" + f.Lease.String())
	case model.CodeNestedPrefix:
		may = f.Lock == soakPrefix+"outer"
	}
	if may {
		return ""
	}
	return why
}

// deletedOf says whether a key of that name was deleted by hand.
func (lg *ledger) deletedOf(key string) bool {
	for id, end := range lg.ends {
		if id.key == key && end.cause == journal.CauseDeleted {
			return true
		}
	}
	return false
}

// look asks the leader again and again, by a connection that nothing disturbs, and writes down when an answer
// took long: a machine with much to do makes a cluster slow, too.
func (lg *ledger) look(ctx context.Context, c *clientv3.Client) {
	for pause(ctx, 200*time.Millisecond) {
		began := time.Now()
		if _, err := c.Get(ctx, soakPrefix, clientv3.WithCountOnly()); err != nil || time.Since(began) >= model.SlowBy {
			lg.with(func() { lg.slow = append(lg.slow, began) })
		}
	}
}

// slowAnswers counts those of the last time that is told of.
func (lg *ledger) slowAnswers() (n int) {
	for _, at := range lg.slow {
		if time.Since(at) < answersFor {
			n++
		}
	}
	return n
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

// renewals are a stream on which a client renews its leases: what it asks and what etcd answers is written
// down.
type renewals struct {
	grpc.ClientStream
	ledger *ledger
}

// SendMsg notes when a renewal was asked for.
func (r renewals) SendMsg(m any) error {
	if ask, ok := m.(*pb.LeaseKeepAliveRequest); ok {
		r.ledger.with(func() {
			if s := r.ledger.sessions[clientv3.LeaseID(ask.ID)]; s != nil {
				s.asked = append(s.asked, time.Now())
			}
		})
	}
	return r.ClientStream.SendMsg(m)
}

// RecvMsg notes that a lease was renewed: when it was asked for, or later, but who knows when on the way.
func (r renewals) RecvMsg(m any) error {
	err := r.ClientStream.RecvMsg(m)
	if answer, ok := m.(*pb.LeaseKeepAliveResponse); ok && err == nil && answer.TTL > 0 {
		r.ledger.with(func() {
			if s := r.ledger.sessions[clientv3.LeaseID(answer.ID)]; s != nil && len(s.asked) > 0 {
				if gap := time.Since(s.renewed); gap >= missed && (gap >= s.gap || time.Since(s.gapOver) > readAgain) {
					s.gap, s.gapOver = gap, time.Now()
				}
				s.renewed, s.asked = s.asked[0], s.asked[1:]
			}
		})
	}
	return err
}

// renewing notes the renewals of a client. What was asked over a stream that broke is not answered any more.
func (lg *ledger) renewing(client *soakClient) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := next(ctx, desc, conn, method, opts...)
		if err != nil || method != pb.Lease_LeaseKeepAlive_FullMethodName {
			return stream, err
		}
		lg.with(func() {
			for _, s := range lg.sessions {
				if s.client == client {
					s.asked = nil
				}
			}
		})
		return renewals{stream, lg}, nil
	}
}

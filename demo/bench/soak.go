package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/chaos/proxy"
	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher"
)

const (
	soakPrefix     = "/soak/"
	soakClients    = 6
	soakContenders = 8                // of each client
	soakTTL        = 5                // seconds
	soakSettle     = 10 * time.Second // what the model says waits for its verdict: until then all know what became of them
	// endsClose is how near a release and the death of its client may be so that either of
	// them may have come first.
	endsClose = 2 * time.Second
)

// soakRow lets contenders compete on a cluster of its own, and holds what the model says against
// what they did. They take mutexes, nested ones too, single keys and permits, stand by for a leader, or are in
// a list of members, and write down how they give one up before they do it. Clients are killed with all their sessions, keys
// are deleted by hand, the path of the observer and of one client drops, and the leader moves, or is
// slow. Nobody hangs here and nobody writes where he should not: what the model finds has to be true
// of what was done. A cause above a hint has to be true, and of the hints 99 of a hundred.
func soakRow(o options) row {
	r := row{name: "soak", what: fmt.Sprintf("48 contenders on three members, kills, deletes by hand, drops of the path, slow and other leaders, for %s: what the model says, and what they did", o.soak), once: true,
		ours: func(ctx context.Context, e *env, _ string) (values, error) { return e.soak(ctx) }}
	for _, name := range []string{"locks taken", "clients killed", "deleted by hand", "disturbances", "handovers", "causes certain", "causes strong", "causes that are hints", "causes unknown", "errors", "warnings", "watch lost"} {
		r.figures = append(r.figures, figure{name, "", shown, 0})
	}
	r.figures = append(r.figures, figure{"certain wrong", "", below, 0}, figure{"strong wrong", "", below, 0}, figure{"hints wrong", "%", below, 1},
		figure{"errors untrue", "", below, 0}, figure{"warnings untrue", "", below, 0}, figure{"keys other than etcd's, at the end", "", below, 0})
	return r
}

// claimID is one life of a key.
type claimID struct {
	key string
	rev int64 // create revision
}

// ending is how a claim was given up, and when.
type ending struct {
	cause journal.Cause
	at    time.Time
}

// soakClient is a client that contenders share. A kill ends it as SIGKILL would: nothing
// is revoked, nothing is renewed.
type soakClient struct {
	*clientv3.Client
	killed time.Time
}

// soakSession is what became of a lease.
type soakSession struct {
	client   *soakClient
	renewed  time.Time     // or granted: not before
	answered time.Time     // the last renewal
	gap      time.Duration // the last long one between two answers
	gapOver  time.Time     // when it ended
	ran      bool          // out, as its owner was told; or it could not be revoked
	closed   bool          // by its owner
	over     bool          // its owner has done with it
}

// ledger is what the contenders did, written down before they do it.
type ledger struct {
	mu           sync.Mutex
	ends         map[claimID]ending
	held         map[claimID]bool
	sessions     map[clientv3.LeaseID]*soakSession
	moves        []time.Time // of the leader
	slow         []time.Time // when answers took long
	disturbances int
	taken, kills int
	byHands      int
}

// ending is noted, unless somebody else has ended the claim, and then false.
func (lg *ledger) ending(id claimID, cause journal.Cause) (mine bool) {
	lg.with(func() {
		if _, over := lg.ends[id]; !over {
			lg.ends[id], mine = ending{cause, time.Now()}, true
		}
	})
	return mine
}

// with lets f read and write the ledger.
func (lg *ledger) with(f func()) {
	lg.mu.Lock()
	defer lg.mu.Unlock()
	f()
}

// soak runs it all and leaves nothing behind.
func (e *env) soak(ctx context.Context) (got values, err error) {
	got = values{}
	for _, f := range soakRow(e.o).figures {
		got[f.name] = 0
	}
	dir, err := os.MkdirTemp(e.dir, "soak-")
	if err != nil {
		return nil, err
	}
	members, err := cluster.Start(ctx, cluster.Options{Members: 3, Dir: dir})
	if err != nil {
		return nil, err
	}
	defer members.Close()
	c, err := dial(ctx, members.MemberEndpoints()...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	way, err := proxy.New(proxy.Options{Backends: members.MemberEndpoints()})
	if err != nil {
		return nil, err
	}
	defer way.Close()
	eyes, err := dial(ctx, way.Shared()...)
	if err != nil {
		return nil, err
	}
	defer eyes.Close()
	w := watcher.New(eyes, watcher.Options{Prefixes: []string{soakPrefix}})
	defer w.Close()
	lg := &ledger{ends: map[claimID]ending{}, held: map[claimID]bool{}, sessions: map[clientv3.LeaseID]*soakSession{}}
	pin := model.Pin{Prefix: soakPrefix + "permits", Recipe: recipe.Named(fmt.Sprint("semaphore:", permits))}
	obs := &observer{source: w, state: store.New(pin), ledger: lg, said: map[claimID]bool{}, standing: map[string]bool{}, got: got, tell: e.tell}
	competing, enough := context.WithTimeout(ctx, e.o.soak)
	var all sync.WaitGroup
	defer all.Wait()
	defer enough()
	for i := range soakClients {
		endpoints := members.MemberEndpoints()
		if i == 0 { // see drops of the client
			endpoints = way.Shared()
		}
		all.Go(func() { lg.client(competing, endpoints, i, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	all.Go(func() { lg.disturb(competing, members, way, e.tell) })
	all.Go(func() { lg.look(competing, c) })
	all.Go(func() { lg.byHand(competing, c, rand.New(rand.NewPCG(2, 0))) })
	if err := obs.until(competing); err != nil {
		return nil, err
	}
	all.Wait()
	settling, settled := context.WithTimeout(ctx, soakSettle)
	defer settled()
	if err := errors.Join(obs.until(settling), ctx.Err()); err != nil {
		return nil, err
	}
	obs.judge(time.Now().Add(time.Hour))
	got["locks taken"], got["clients killed"] = float64(lg.taken), float64(lg.kills)
	got["deleted by hand"], got["disturbances"] = float64(lg.byHands), float64(lg.disturbances)
	got["hints wrong"] = 100 * got["hints wrong"] / max(1, got["causes that are hints"])
	got["keys other than etcd's, at the end"], err = obs.differs(ctx, c)
	return got, err
}

// client runs contenders on a client, again and again with a new one after a kill.
func (lg *ledger) client(ctx context.Context, endpoints []string, number int, random *rand.Rand) {
	for ctx.Err() == nil {
		mine := &soakClient{}
		c, err := dial(context.WithoutCancel(ctx), endpoints...)
		if err != nil {
			continue
		}
		mine.Client = c
		life, over := context.WithTimeout(ctx, time.Duration(20+random.IntN(60))*time.Second)
		var all sync.WaitGroup
		for i := range soakContenders {
			its := rand.New(rand.NewPCG(random.Uint64(), uint64(i)))
			all.Go(func() { lg.contend(life, mine, number, plays[i%len(plays)], its) })
		}
		<-life.Done()
		if ctx.Err() == nil {
			lg.with(func() { mine.killed, lg.kills = time.Now(), lg.kills+1 })
			_ = c.Close()
		}
		all.Wait()
		_ = c.Close()
		over()
		pause(ctx, time.Duration(random.IntN(10))*time.Second)
	}
}

// contend takes a lock again and again, with a new session after each that ended, until its client does.
func (lg *ledger) contend(ctx context.Context, c *soakClient, number int, its play, random *rand.Rand) {
	for pause(ctx, time.Duration(random.IntN(2000))*time.Millisecond) {
		began := time.Now()
		s, err := concurrency.NewSession(c.Client, concurrency.WithTTL(soakTTL), concurrency.WithContext(c.Ctx()))
		if err != nil {
			continue
		}
		mine := &soakSession{client: c, renewed: began, answered: began.Add(-soakTTL * time.Second / 3)} // it asks at once
		lg.with(func() { lg.sessions[s.Lease()] = mine })
		renewing, stop := context.WithCancel(c.Ctx())
		answers, err := c.KeepAlive(renewing, s.Lease())
		if err != nil {
			stop()
			continue
		}
		go lg.renewals(mine, answers)
		go func() { // Lock and Campaign do not notice it (etcd-io/etcd#19597)
			<-s.Done()
			stop()
			lg.with(func() { mine.ran = mine.ran || !mine.over && c.killed.IsZero() })
		}()
		for lg.round(ctx, s, number, its, random) == nil && pause(ctx, time.Duration(random.IntN(1000))*time.Millisecond) {
		}
		lg.with(func() {
			select {
			case <-s.Done():
				mine.ran = mine.ran || c.killed.IsZero()
			default:
				mine.closed = c.killed.IsZero()
			}
			mine.over = true
		})
		if s.Orphan(); mine.closed {
			if _, err := s.Client().Revoke(c.Ctx(), s.Lease()); err != nil { // also where it had run out
				lg.with(func() { mine.ran = true })
			}
		}
	}
}

// errOver says that a session is over.
var errOver = errors.New("the session is over")

// round takes a lock once and gives it up. An error ends the session.
func (lg *ledger) round(ctx context.Context, s *concurrency.Session, number int, its play, random *rand.Rand) error {
	key, release, err := its.take(ctx, s, number)
	if err != nil || key == "" {
		return err
	}
	got, err := s.Client().Get(ctx, key)
	if err != nil || len(got.Kvs) == 0 {
		return errors.Join(err, errOver)
	}
	id := claimID{key, got.Kvs[0].CreateRevision}
	lg.with(func() { lg.taken, lg.held[id] = lg.taken+1, true })
	defer lg.with(func() { delete(lg.held, id) })
	select {
	case <-time.After(its.hold + rand.N(its.more)):
	case <-s.Done():
		return errOver
	case <-ctx.Done():
		return ctx.Err()
	}
	if random.IntN(4) == 0 { // the end of the session gives it up
		lg.ending(id, journal.CauseRevoked)
		return errOver
	}
	if !lg.ending(id, journal.CauseReleased) {
		return nil // by hand
	}
	return release(ctx)
}

// wrong says why a cause is not true, "" if it may be.
func (lg *ledger) wrong(cause journal.Cause, gone model.ClaimRef) string {
	lg.mu.Lock()
	defer lg.mu.Unlock()
	end, known := lg.ends[claimID{gone.Key, gone.CreateRev}]
	s := lg.sessions[clientv3.LeaseID(gone.Lease)]
	if s == nil {
		return "nobody here had this lease"
	}
	killed := s.client.killed
	switch {
	case known && end.cause == cause:
		return ""
	case cause == journal.CauseExpired && (s.ran || !killed.IsZero() && (!known || killed.Sub(end.at) < endsClose)):
		return ""
	case !known && cause != journal.CauseExpired && (s.closed || !killed.IsZero() && cause == journal.CauseReleased):
		return "" // who waits withdraws its key, and then closes its session
	}
	return fmt.Sprintf("it was %q; its client was killed: %v, its session closed: %v", end.cause, !killed.IsZero(), s.closed)
}

// observer follows the cluster and judges what the model says of it.
type observer struct {
	source   *watcher.Watcher
	state    *store.Store
	ledger   *ledger
	seq      uint64           // of the last entry that was looked at
	waiting  []*journal.Entry // for their verdict
	said     map[claimID]bool
	standing map[string]bool // findings
	got      values
	tell     func(format string, args ...any)
}

// until follows until ctx ends.
func (o *observer) until(ctx context.Context) error {
	for {
		b, err := o.source.Next(ctx, o.state.Want(nil))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		o.state.Apply(b)
		for _, e := range b.Events {
			if _, lost := e.(model.Lost); lost {
				o.got["watch lost"]++
			}
		}
		entries := o.state.JournalAfter(o.seq)
		if len(entries) > 0 {
			o.seq = entries[len(entries)-1].Seq
		}
		o.waiting = append(o.waiting, entries...)
		o.judge(time.Now().Add(-soakSettle))
		o.findings()
	}
}

// judge judges the causes of what happened before.
func (o *observer) judge(before time.Time) {
	var rest []*journal.Entry
	for _, e := range o.waiting {
		if e.Pending || e.At.After(before) {
			rest = append(rest, e)
		} else if e.Kind == journal.Handover || e.Kind == journal.Left || e.Kind == journal.First {
			o.cause(e, e.Removed())
		}
	}
	o.waiting = rest
}

func (o *observer) cause(e *journal.Entry, gone model.ClaimRef) {
	id := claimID{gone.Key, gone.CreateRev}
	if gone.IsZero() || o.said[id] || e.Unseen || e.Cause == "" {
		return
	}
	o.said[id] = true
	if e.Kind == journal.Handover {
		o.got["handovers"]++
	}
	if e.Cause == journal.CauseUnknown {
		o.got["causes unknown"]++
		return
	}
	count, wrong := fmt.Sprint("causes ", e.Confidence), fmt.Sprint(e.Confidence, " wrong")
	if e.Confidence == model.Hint {
		count, wrong = "causes that are hints", "hints wrong"
	}
	o.got[count]++
	if why := o.ledger.wrong(e.Cause, gone); why != "" {
		o.got[wrong]++
		o.tell("%s: %s at %s: said %s (%s: %s); %s", wrong, gone.Key, e.At.Format(time.TimeOnly), e.Cause, e.Confidence, text.English(e.Evidence), why)
	}
}

// findings counts those that are new.
func (o *observer) findings() {
	now := map[string]bool{}
	for _, f := range o.state.Findings() {
		id := strings.Join([]string{string(f.Severity), string(f.Code), f.Lock, f.Lease.String()}, " ")
		if now[id] = true; o.standing[id] || f.Severity == model.SevInfo {
			continue
		}
		kind := string(f.Severity) + "s"
		o.got[kind]++
		if why := o.ledger.untrue(&f); why != "" {
			o.got[kind+" untrue"]++
			o.tell("%s untrue: %s (%s): %s; %s", kind, id, f.Confidence, text.English(f.Summary), why)
		}
	}
	o.standing = now
}

// differs counts the keys that the model has and etcd had not at its revision, or the other way.
func (o *observer) differs(ctx context.Context, c *clientv3.Client) (float64, error) {
	list, err := c.Get(ctx, soakPrefix, clientv3.WithPrefix(), clientv3.WithRev(o.state.Rev()))
	if err != nil {
		return 0, err
	}
	differ := map[claimID]int{}
	for _, kv := range list.Kvs {
		differ[claimID{string(kv.Key), kv.CreateRevision}]++
	}
	for _, l := range o.state.Locks() {
		for i := range l.Len() {
			differ[claimID{l.At(i).Key, l.At(i).CreateRev}]--
		}
	}
	maps.DeleteFunc(differ, func(_ claimID, n int) bool { return n == 0 })
	return float64(len(differ)), nil
}

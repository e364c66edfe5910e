package watcher

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

// health is what the prober found out.
type health struct {
	rev int64
	// floor is what the follower had seen before the read began: a cluster that
	// answers less has gone back.
	floor int64
	err   error
	// began and ended frame the read.
	began, ended time.Time
	// asked is when it began, by the clock that stamps the events.
	asked time.Time
	// hard is set when there is no connection at all, so there is no point in
	// waiting for the next answer.
	hard bool
}

// follower keeps one prefix up to date. All but the atomics and the channel
// belongs to the goroutine that runs it.
type follower struct {
	prefix   string
	oneLook  bool
	remote   remote
	events   *queue.Queue
	timing   Timing
	now      func() time.Time
	probeNow func() // asks the prober for a round

	watched atomic.Int64 // every change up to here is in the queue
	denied  atomic.Bool
	health  chan health // capacity 1, the newest wins

	history
	loaded bool
	// delivered is the last revision that was handed on, by the list or as a change.
	// It can be behind watched. What comes between the two is news all the same: old
	// servers answer a progress request ahead of events (etcd-io/etcd#15220).
	delivered int64
	lost      bool
	failure   failures.Class // of the last Lost, while lost
	lostAt    time.Time
	delay     time.Duration
	relogin   bool // a token was refused since the watch last caught up
	w         watchState
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		var err error
		doing := model.Say("to-list")
		if !f.loaded {
			err = f.load(ctx)
			if err == nil && f.oneLook {
				return
			}
		} else {
			doing = model.Say("to-watch")
			err = f.watch(ctx)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		// Opening a watch logs in first. A token that was refused all the same is older
		// than what has just changed; the next watch brings a new one.
		if f.loaded && failures.TokenRefused(err) && !f.relogin {
			f.relogin = true
			continue
		}
		f.passTurn()
		class := failures.Classify(err)
		if class.Reason().Anew() || class == failures.Malformed {
			f.loaded = false // what an answer would have said that cannot be used is not known
		}
		if class == failures.Restored {
			f.watched.Store(0)
		}
		f.lose(ctx, class, failures.Explain(err, doing, f.prefix, f.remote.endpoints()))
		f.rest(ctx, class)
	}
}

// lose reports a loss, once for each reason. A failing cluster fails in several
// ways by turns, so another way of the same reason is news only after a while.
func (f *follower) lose(ctx context.Context, class failures.Class, detail model.Message) {
	if f.lost && f.failure.Reason() == class.Reason() &&
		(f.failure == class || time.Since(f.lostAt) < f.timing.Silence) {
		return
	}
	f.lost, f.failure, f.lostAt = true, class, time.Now()
	f.denied.Store(class.Reason() == model.LostDenied)
	f.emit(ctx, model.Lost{At: f.now(), Prefix: f.prefix, Reason: class.Reason(), Detail: detail})
}

// rest waits before the next try, longer each time. What the prober says
// meanwhile is of use only once there is a watch again.
func (f *follower) rest(ctx context.Context, class failures.Class) {
	if class.Reason() == model.LostDenied || class == failures.TooMuch {
		pace.Sleep(ctx, f.timing.Denied, nil)
		return
	}
	f.remote.resetBackoff()
	f.delay = min(max(f.timing.BackoffMin, f.delay*2), f.timing.BackoffMax)
	pace.Sleep(ctx, f.delay, nil)
}

// emit fails only with ctx, which run notices by itself.
func (f *follower) emit(ctx context.Context, ev model.Event) {
	_ = f.events.Push(ctx, ev)
}

// load lists the prefix at one revision.
func (f *follower) load(ctx context.Context) error {
	if err := f.takeTurn(ctx); err != nil {
		return err
	}
	rev, err := f.remote.probe(ctx, f.prefix)
	if err != nil {
		return err
	}
	loaded := model.Loaded{Prefix: f.prefix}
	if rev, err = f.backFrom(ctx, rev, &loaded); err != nil {
		return err
	}
	// With the first keys, or with none: a list that is refused as a whole did not start.
	begin := sync.OnceFunc(func() {
		f.emit(ctx, model.LoadStarted{At: f.now(), Prefix: f.prefix, Rev: rev})
		f.lost = false // so what ends it before its end is news
	})
	total, stop := f.count(ctx, rev)
	defer stop()
	done, size := int64(0), 0
	err = f.remote.list(ctx, f.prefix, rev, func(kvs []model.KV) error {
		begin()
		for i := range kvs {
			size += len(kvs[i].Key) + len(kvs[i].Value)
		}
		if max(total.Load(), done+int64(len(kvs))) > listKeys || size > listBytes {
			return failures.ErrTooMuch
		}
		for len(kvs) > 0 && ctx.Err() == nil {
			n := min(chunkKeys, len(kvs))
			done += int64(n)
			f.emit(ctx, model.Listed{At: f.now(), Prefix: f.prefix, Rev: rev,
				KVs: kvs[:n:n], Done: done, Total: total.Load()})
			kvs = kvs[n:]
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	begin()
	loaded.At, loaded.Rev = f.now(), rev
	f.emit(ctx, loaded)
	if f.since, f.until = 0, loaded.Until; f.until == 0 {
		f.passTurn()
	}
	f.watched.Store(rev)
	f.loaded, f.delivered, f.lost, f.delay = true, rev, false, 0
	f.denied.Store(false)
	return ctx.Err()
}

// count asks how many keys there will be, 0 until that is known. The list does not wait:
// a server takes half a second to count a million keys.
func (f *follower) count(ctx context.Context, rev int64) (total *atomic.Int64, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	total = new(atomic.Int64)
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, err := f.remote.count(ctx, f.prefix, rev); err == nil { // what fails here fails the list, too
			total.Store(n)
		}
	})
	return total, func() {
		cancel()
		wg.Wait()
	}
}

func convert(kvs []*mvccpb.KeyValue) []model.KV {
	out := make([]model.KV, len(kvs))
	for i, kv := range kvs {
		out[i] = toKV(kv)
	}
	return out
}

func toKV(kv *mvccpb.KeyValue) model.KV {
	return model.KV{Key: string(kv.Key), Value: string(kv.Value), CreateRev: kv.CreateRevision,
		ModRev: kv.ModRevision, Version: kv.Version, Lease: model.LeaseID(kv.Lease)}
}

// watchState is what belongs to one watch.
type watchState struct {
	stream  stream
	created bool
	// pending is the revision of the cluster that the watch has yet to reach, 0
	// for none.
	pending int64
	// pendingAsked is when the read of it began.
	pendingAsked time.Time
	// asked counts how often it was asked since it last got nearer. Not the clock
	// is the measure, so that a program that was suspended blames nobody.
	asked int
	// failSince is when the prober's reads began to fail.
	failSince time.Time
	ask       *time.Timer
}

// watch follows from the last revision that was seen, until it fails. From there and
// not from the next: to a progress request a server does not answer before it has
// reached the revision where the watch starts (etcd server/storage/mvcc
// watchable_store.go, progressIfSync), which on an idle cluster is never. What was
// seen is left out by byRevision. Should that very revision be compacted, the price
// is a new list.
func (f *follower) watch(ctx context.Context) error {
	s := f.remote.watch(ctx, f.prefix, f.watched.Load())
	defer s.close()
	f.w = watchState{stream: s, ask: time.NewTimer(f.timing.Ask)}
	defer f.w.ask.Stop()
	select {
	case <-f.health: // from before this watch
	default:
	}
	for {
		var err error
		select {
		case resp, ok := <-s.responses():
			err = f.received(ctx, resp, ok)
		case h := <-f.health:
			err = f.probed(ctx, h)
		case <-f.w.ask.C:
			err = f.stillBehind()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// received handles one response of the watch.
func (f *follower) received(ctx context.Context, resp clientv3.WatchResponse, ok bool) error {
	switch {
	case !ok:
		return failures.ErrEnded
	case resp.Err() != nil:
		return resp.Err()
	case resp.Created:
		f.w.created = true
		f.denied.Store(false)
		f.probeNow()
		return nil
	}
	before := f.watched.Load()
	if revs := byRevision(resp.Events, f.delivered, f.until, f.now()); len(revs) > 0 {
		if err := f.events.Push(ctx, revs...); err != nil {
			return err
		}
		f.delivered = revs[len(revs)-1].(model.Committed).Rev
		f.watched.Store(max(before, f.delivered))
	}
	if resp.IsProgressNotify() {
		f.watched.Store(max(f.watched.Load(), resp.Header.Revision))
	}
	if f.watched.Load() > before {
		f.w.asked = 0 // slow is not silent
	}
	// While lost, even an answer that brings nothing new proves the stream.
	if f.w.pending > 0 && f.watched.Load() >= f.w.pending {
		f.caughtUp(ctx)
	}
	return nil
}

// byRevision groups the events of one response into Committed, leaving out what was
// seen. etcd never spreads a revision over two responses unless fragments were asked
// for. The changes of a response stand in one piece of memory: under load that is an
// allocation for hundreds of them.
func byRevision(events []*clientv3.Event, seen, until int64, at time.Time) []model.Event {
	var out []model.Event
	changes := make([]model.Change, 0, len(events))
	for i := 0; i < len(events); {
		rev, from := events[i].Kv.ModRevision, len(changes)
		for ; i < len(events) && events[i].Kv.ModRevision == rev; i++ {
			if rev > seen {
				changes = append(changes, toChange(events[i]))
			}
		}
		if to := len(changes); to > from {
			out = append(out, model.Committed{At: at, Past: rev <= until, Rev: rev, Changes: changes[from:to:to]})
		}
	}
	return out
}

func toChange(ev *clientv3.Event) model.Change {
	if ev.Type == clientv3.EventTypeDelete {
		return model.Change{Deleted: true, KV: model.KV{Key: string(ev.Kv.Key), ModRev: ev.Kv.ModRevision}}
	}
	return model.Change{KV: toKV(ev.Kv)}
}

// probed compares the watch with what the cluster says of itself.
func (f *follower) probed(ctx context.Context, h health) error {
	if h.err != nil {
		return f.probeFailed(ctx, h)
	}
	f.w.failSince = time.Time{}
	if h.rev < h.floor {
		return failures.Because(failures.ErrRestored, model.Say("revision-went-back-to", h.floor, h.rev))
	}
	if f.lost && h.began.Before(f.lostAt) { // an answer that was held up: it says nothing of now
		f.probeNow()
		return nil
	}
	if f.w.pending == 0 {
		f.w.asked = 0
	}
	f.w.pending, f.w.pendingAsked = max(f.w.pending, h.rev), h.asked
	// After a loss the revision alone is not enough: the stream has to answer.
	if f.w.created && !f.lost && f.watched.Load() >= f.w.pending {
		f.caughtUp(ctx)
		return nil
	}
	f.askProgress()
	return nil
}

func (f *follower) askProgress() {
	if f.w.created {
		_ = f.w.stream.askProgress() // fails only with the watch
	}
	f.w.ask.Reset(f.timing.Ask)
}

// stillBehind runs every now and then while the watch has not caught up.
func (f *follower) stillBehind() error {
	if f.w.pending == 0 {
		return nil
	}
	patience := f.timing.Silence
	if !f.w.created {
		patience += f.timing.Call // the stream may have to log in first
	}
	if f.w.asked++; time.Duration(f.w.asked)*f.timing.Ask >= patience {
		return failures.Because(failures.ErrSilent, model.Say("watch-stands-at", f.watched.Load(), f.w.pending))
	}
	f.askProgress()
	return nil
}

// caughtUp says that everything up to the pending revision was delivered.
func (f *follower) caughtUp(ctx context.Context) {
	rev := f.w.pending
	f.w.pending = 0
	f.delay, f.relogin = 0, false
	if f.lost {
		f.lost = false
		f.emit(ctx, model.Back{At: f.now(), Prefix: f.prefix, Rev: rev})
	}
	f.emit(ctx, model.Watching{At: f.now(), Asked: f.w.pendingAsked, Prefix: f.prefix, Rev: rev})
	if rev >= f.until {
		f.passTurn()
	}
}

// probeFailed gives a failing cluster some time, unless it is plain that there is
// no connection. The watch stays open: the client resumes it by itself.
func (f *follower) probeFailed(ctx context.Context, h health) error {
	class := failures.Classify(h.err)
	if class.Reason() == model.LostDenied {
		return h.err
	}
	if f.w.failSince.IsZero() {
		f.w.failSince = h.began
	}
	if h.hard || h.ended.Sub(f.w.failSince) >= f.timing.Silence {
		f.w.pending = 0
		f.lose(ctx, class, failures.Explain(h.err, model.Say("to-read"), f.prefix, f.remote.endpoints()))
	}
	return nil
}

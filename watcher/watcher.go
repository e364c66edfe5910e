package watcher

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

var (
	// ErrClosed is what Next returns after Close.
	ErrClosed = errors.New("watcher is closed")
	// errBusy is what a call of Next returns while another one is outstanding.
	errBusy = errors.New("another call of Next is outstanding")
)

// Watcher is a [model.Source] over an etcd cluster. Make it with [New] and end
// it with [Watcher.Close].
type Watcher struct {
	now    func() time.Time
	timing Timing
	budget int
	events *queue.Queue
	// alone: no part of a revision can come over another watch.
	alone bool
	// told is when Next last returned urgent events, and much whether they were many.
	// They belong to the one call that is outstanding.
	told time.Time
	much bool

	consumer *consumer
	probeNow chan struct{} // asks for a round of the prober
	leases   *leases
	meter    *pace.Meter
	stop     context.CancelFunc
	wg       sync.WaitGroup
}

var _ model.Source = (*Watcher)(nil)

// New starts to list and watch. It makes no request before it returns and does
// not fail: what is wrong with the cluster comes as events. The client stays the
// caller's, who closes it after the watcher. Set its keepalive options, or a
// connection that died without a word is noticed late.
func New(client *clientv3.Client, o Options) *Watcher {
	o = o.withDefaults()
	m := &pace.Meter{}
	e := &etcd{client: client, conn: client.ActiveConnection(), meter: m, now: o.Now,
		timing: o.Timing, pageSize: int64(o.PageSize)}
	w, ctx := prepare(e, m, o)
	w.wg.Go(func() { w.live(ctx, e, o) })
	return w
}

func prepare(r remote, m *pace.Meter, o Options) (*Watcher, context.Context) {
	ctx, stop := context.WithCancel(context.Background())
	w := &Watcher{now: o.Now, timing: o.Timing, budget: max(0, o.Budget), meter: m,
		events: queue.New(queueLimit, o.Now), alone: len(o.Prefixes) == 1, consumer: newConsumer(o.Timing.Grace), stop: stop, probeNow: make(chan struct{}, 1)}
	w.wg.Go(func() { w.consumer.run(ctx) })
	_ = w.events.Push(ctx, model.Requested{At: o.Now(), Prefixes: o.Prefixes}) // before any follower says a word
	w.leases = newLeases(r, w, o)
	return w, ctx
}

// live follows one cluster after another: what is known of one says nothing about the
// next that answers at the same endpoints, so everything begins anew.
func (w *Watcher) live(ctx context.Context, e *etcd, o Options) {
	for {
		one := e.identity.begin(ctx)
		s := newStatusRounds(e, w.events, w.consumer, o)
		w.follow(one, e, o, func() { s.run(one) })
		if ctx.Err() != nil {
			return
		}
		w.meet(ctx, e, o.Prefixes)
		if o.OneLook {
			return // it is over: half of it was another cluster's
		}
		o.Since = 0 // revisions of the one before
	}
}

// follow runs all that follows a cluster until ctx ends, and waits for it.
func (w *Watcher) follow(ctx context.Context, r remote, o Options, others ...func()) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, run := range others {
		wg.Go(run)
	}
	p := &prober{remote: r, consumer: w.consumer, timing: o.Timing, now: o.Now, probeNow: w.probeNow}
	probeNow := func() { pace.Notify(w.probeNow) }
	turn := make(chan struct{}, 1)
	for _, prefix := range o.Prefixes {
		f := &follower{prefix: prefix, oneLook: o.OneLook, remote: r, events: w.events, timing: o.Timing,
			now: o.Now, probeNow: probeNow, health: make(chan health, 1),
			history: history{since: o.Since, sinceMax: o.SinceMax, turn: turn}}
		p.followers = append(p.followers, f)
		wg.Go(func() { f.run(ctx) })
	}
	if !o.OneLook {
		wg.Go(func() { p.run(ctx) })
		wg.Go(func() { r.whenDown(ctx, probeNow) })
	}
	w.leases.begin(p.known)
	if o.Budget > 0 {
		wg.Go(func() { w.leases.run(ctx) })
	}
	<-ctx.Done()
}

func newLeases(r remote, w *Watcher, o Options) *leases {
	l := &leases{remote: r, events: w.events, consumer: w.consumer, now: o.Now, pause: o.Timing.BackoffMin, again: o.Timing.Again,
		busy: map[model.LeaseID]bool{}, changed: make(chan struct{}, 1),
		slots: make(chan struct{}, readersInFlight)}
	if o.OneLook {
		l.slots = make(chan struct{}, oneLookInFlight)
	} else if o.Budget > 0 {
		l.bucket = pace.ForBudget(o.Budget, time.Now())
	}
	return l
}

// Next waits for events and returns them: at most about 2,000 key changes, or one
// revision that has more. What happens after a quiet time (Timing.Drain) is returned
// at once; while more and more happens, one batch every Timing.Drain, or every second
// one of them while thousands of changes come in a second. Parts of a list are
// returned at once. With several prefixes it collects for Timing.Drain from the first
// event on, and so it does with answers to what is asked every now and then: these for
// Timing.Lull while leases wait for their reading. When want.WakeAt comes first the
// batch is a single Tick.
// want.Leases replaces what earlier calls wanted; want.Confirm does not wait for the next
// probe.
//
// It returns ctx's error when ctx ends, and then has consumed nothing; errBusy if
// another call is outstanding; ErrClosed after Close.
func (w *Watcher) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	if !w.consumer.begin() {
		return model.Batch{}, errBusy
	}
	defer w.consumer.end()
	w.leases.want(want)
	if want.Confirm {
		pace.Notify(w.probeNow)
	}
	tick, err := w.await(ctx, want.WakeAt)
	if err != nil {
		return model.Batch{}, err
	}
	if tick {
		return w.batch(w.awake([]model.Event{model.Tick{At: w.now()}}), 0), nil
	}
	if err := w.collect(ctx); err != nil {
		return model.Batch{}, err
	}
	events, left := w.events.Take(queue.BatchMax)
	if slices.ContainsFunc(events, queue.Urgent) {
		w.told = time.Now()
	}
	w.leases.delivered(events)
	return w.batch(w.awake(joinRevisions(events)), left), nil
}

// awake puts before events that this program did not run, if so: some of them are from
// before it slept, and the others it learnt late.
func (w *Watcher) awake(events []model.Event) []model.Event {
	slept := w.consumer.take()
	if slept == 0 {
		return events
	}
	pace.Notify(w.probeNow)
	at := w.now()
	return append([]model.Event{model.Slept{At: at, Since: at.Add(-slept)}}, events...)
}

func (w *Watcher) batch(events []model.Event, left int) model.Batch {
	rps, by := w.meter.Rates(w.now())
	return model.Batch{Events: events, Cost: model.Cost{RPS: rps, ByKind: by,
		Budget: w.budget, Readings: w.leases.count(), Behind: left}}
}

// await returns when there are events, or with tick when it is time.
func (w *Watcher) await(ctx context.Context, at time.Time) (tick bool, err error) {
	var due <-chan time.Time
	if !at.IsZero() {
		t := time.NewTimer(max(w.timing.Nap, at.Sub(w.now())))
		defer t.Stop()
		due = t.C
	}
	tick, err = w.events.Await(ctx, due)
	if _, _, closed := w.events.State(false); closed {
		return false, ErrClosed
	}
	return tick, err
}

// collect lets more events arrive as long as that is worth it, unless there are
// enough for a batch.
func (w *Watcher) collect(ctx context.Context) error {
	began := time.Now()
	for {
		weight, urgent, closed := w.events.State(true)
		until := began.Add(w.timing.Drain)
		switch {
		case urgent && w.alone && w.much:
			until = w.told.Add(2 * w.timing.Drain) // what happens costs enough, without a frame for each batch
		case urgent && w.alone:
			until = w.told.Add(w.timing.Drain)
		case !urgent && !w.leases.idle():
			until = began.Add(w.timing.Lull)
		}
		rest := time.Until(until)
		switch {
		case closed:
			return ErrClosed
		case w.events.OnlyLists():
			return nil
		case weight >= queue.BatchMax || rest <= 0:
			w.much = weight >= muchChanges
			return nil
		}
		pace.Sleep(ctx, rest, w.events.Ready())
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Close ends all goroutines and waits for them. It can be called more than once
// and from anywhere; a call of Next that is outstanding returns ErrClosed.
func (w *Watcher) Close() error {
	w.events.Close()
	w.stop()
	w.wg.Wait()
	return nil
}

// consumer knows whether anybody calls Next. Requests that nobody waits for are
// not made.
type consumer struct {
	suspendDetector
	grace time.Duration

	mu   sync.Mutex
	busy bool
	last time.Time
	woke chan struct{}
}

func newConsumer(grace time.Duration) *consumer {
	return &consumer{grace: grace, woke: make(chan struct{})}
}

// begin notes a call of Next. It says false if there is one already.
func (p *consumer) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		return false
	}
	p.busy = true
	close(p.woke)
	p.woke = make(chan struct{})
	return true
}

func (p *consumer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
	p.last = time.Now()
}

// wait returns at once while somebody pulls or did a moment ago.
func (p *consumer) wait(ctx context.Context) error {
	p.mu.Lock()
	active := p.busy || !p.last.IsZero() && time.Since(p.last) < p.grace
	woke := p.woke
	p.mu.Unlock()
	if active {
		return ctx.Err()
	}
	select {
	case <-woke:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

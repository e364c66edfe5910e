package watcher

import (
	"context"
	"errors"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

// leases reads what is wanted, in that order and within the budget.
type leases struct {
	remote   remote
	events   *queue.Queue
	now      func() time.Time
	bucket   *pace.Bucket // nil: no budget
	slots    chan struct{}
	consumer *consumer
	pause    time.Duration // between looks at a connection that is down
	again    time.Duration // without an answer another member is asked, too
	knownRev func() int64

	mu     sync.Mutex
	wanted []model.LeaseID
	keys   map[model.LeaseID]bool // of these it is wanted, too, what hangs on them
	hurry  bool                   // the first of them cannot wait for others to go with it
	// busy holds the leases whose reading was begun and not yet taken by Next.
	// Until then nobody can know better than to ask for them again.
	busy     map[model.LeaseID]bool
	readings int64
	changed  chan struct{} // capacity 1
}

// begin forgets what was wanted of the cluster before. Known tells a revision that is
// committed for certain.
func (l *leases) begin(known func() int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.knownRev = known
	if len(l.busy) > 0 {
		l.wanted, l.busy = nil, map[model.LeaseID]bool{}
	}
}

// want replaces what is wanted.
func (l *leases) want(w model.Want) {
	l.mu.Lock()
	l.wanted, l.hurry, l.keys = l.wanted[:0], w.Hurry, nil
	for _, id := range w.Keys {
		if l.keys == nil {
			l.keys = map[model.LeaseID]bool{}
		}
		l.keys[id] = true
	}
	for _, id := range w.Leases {
		if id != 0 && !l.busy[id] {
			l.wanted = append(l.wanted, id)
		}
	}
	l.mu.Unlock()
	pace.Notify(l.changed)
}

// delivered frees the leases whose readings were handed out.
func (l *leases) delivered(events []model.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ev := range events {
		switch e := ev.(type) {
		case model.LeaseRead:
			delete(l.busy, e.ID)
		case model.LeaseUnread:
			delete(l.busy, e.ID)
		}
	}
}

func (l *leases) count() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readings
}

// next takes the most wanted lease, 0 if there is none, and says whether its keys are
// wanted.
func (l *leases) next() (id model.LeaseID, keys bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.wanted) > 0 {
		id := l.wanted[0]
		l.wanted = l.wanted[1:]
		if !l.busy[id] {
			l.busy[id] = true
			l.readings++
			return id, l.keys[id]
		}
	}
	return 0, false
}

func (l *leases) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.wanted) == 0
}

func (l *leases) hurried() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hurry
}

// run starts readings until ctx ends, and waits for those in flight.
func (l *leases) run(ctx context.Context) {
	var flying sync.WaitGroup
	defer flying.Wait()
	idle, readers := make(chan reading), 0
	defer close(idle)
	for l.consumer.wait(ctx) == nil {
		if l.idle() {
			select {
			case <-l.changed:
			case <-ctx.Done():
			}
			continue
		}
		if l.remote.down() {
			pace.Sleep(ctx, l.pause, nil)
			continue
		}
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		// The token comes last and the choice after it, so that the choice is as
		// fresh as can be.
		if !l.pay(ctx) {
			return
		}
		id, keys := l.next()
		if id == 0 {
			l.refund()
			<-l.slots
			continue
		}
		r := reading{id, keys}
		select {
		case idle <- r:
			continue
		default:
		}
		if readers == cap(l.slots) { // one of them is about to be idle, or there were no slot
			idle <- r
			continue
		}
		readers++
		flying.Go(func() {
			for ok := true; ok; r, ok = <-idle {
				l.read(ctx, r.id, r.keys)
				<-l.slots
			}
		})
	}
}

// reading is one that has been paid for. A goroutine makes one after the other: a request goes so
// deep that the stack of a new one has to grow for each.
type reading struct {
	id   model.LeaseID
	keys bool
}

// pay waits for a token. It says false when ctx has ended.
func (l *leases) pay(ctx context.Context) bool {
	for {
		ok, wait := l.take(l.hurried())
		if ok {
			break
		}
		pace.Sleep(ctx, wait, l.changed)
		if ctx.Err() != nil {
			return false
		}
	}
	return ctx.Err() == nil
}

// take takes a token, or says how long to wait for one.
func (l *leases) take(hurry bool) (ok bool, wait time.Duration) {
	if l.bucket == nil {
		return true, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bucket.Take(time.Now(), hurry)
}

func (l *leases) refund() {
	if l.bucket != nil {
		l.mu.Lock()
		l.bucket.Refund()
		l.mu.Unlock()
	}
}

// errAnswered is why a request is given up: another member was asked meanwhile.
var errAnswered = errors.New("no answer before another member was asked")

// readingAnswer is what came of one request for a lease.
type readingAnswer struct {
	resp  *pb.LeaseTimeToLiveResponse
	err   error
	known int64     // the revision that was committed for certain before it was asked
	asked time.Time // when
}

// once makes one request.
func (l *leases) once(ctx context.Context, r reading) readingAnswer {
	a := readingAnswer{known: l.knownRev(), asked: time.Now()}
	a.resp, a.err = l.remote.ttl(ctx, r.id, r.keys)
	return a
}

// ask asks for a lease. Requests go to the members by turns, and one of them may be cut off from the others: who
// waited for it would miss the last moments of a lease, by which alone its end can be told. So the next member is
// asked, too, after a while without an answer, or at once where one says that it knows no leader, as far as the
// budget allows. The first answer counts.
func (l *leases) ask(ctx context.Context, r reading) readingAnswer {
	more := len(l.remote.endpoints()) - 1
	if more < 1 {
		return l.once(ctx, r)
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	others := make(chan readingAnswer, 1)
	timer := time.AfterFunc(l.again, func() {
		a := l.askOthers(ctx, r, more)
		if a.err == nil {
			giveUp(errAnswered)
		}
		others <- a
	})
	first := l.once(ctx, r)
	switch {
	case !timer.Stop():
		if first.err == nil {
			giveUp(nil)
		}
		if a := <-others; a.err == nil && first.err != nil {
			return a
		}
	case isElsewhere(first.err):
		if a := l.askOthers(ctx, r, more); a.err == nil {
			return a
		}
	}
	return first
}

// askOthers asks so many more, one after another, and ends with the first that answers.
func (l *leases) askOthers(ctx context.Context, r reading, more int) (a readingAnswer) {
	a.err = context.DeadlineExceeded
	for i := range more {
		if ok, _ := l.take(true); !ok || ctx.Err() != nil {
			return a
		}
		l.mu.Lock()
		l.readings++
		l.mu.Unlock()
		one, giveUp := context.WithCancelCause(ctx)
		stop := func() bool { return false }
		if i < more-1 {
			stop = time.AfterFunc(l.again, func() { giveUp(errAnswered) }).Stop
		}
		a = l.once(one, r)
		stop()
		giveUp(nil)
		if a.err == nil || !isElsewhere(a.err) {
			return a
		}
	}
	return a
}

// isElsewhere says whether another member may answer where one ended with that.
func isElsewhere(err error) bool {
	switch failures.Classify(err) {
	case failures.NoLeader, failures.Timeout, failures.Unreachable:
		return err != nil
	}
	return failures.CodeOf(err) == codes.Canceled
}

// read makes one reading and reports it.
//
// The revision of the answer's header is that of the member that was asked, read
// after the leader had answered, so it can be newer than the reading. What was
// known to be committed before the question is a safe bound: the leader applies
// what is committed before it looks.
//
// Where its keys may not be listed the reading is made without them. etcd lists them for
// nobody who may not read each one (CVE-2026-33413).
func (l *leases) read(ctx context.Context, id model.LeaseID, keys bool) {
	begun := time.Now()
	a := l.ask(ctx, reading{id, keys})
	denied := keys && a.err != nil && failures.Classify(a.err) == failures.Denied
	if denied {
		a = l.ask(ctx, reading{id, false})
	}
	if ctx.Err() != nil {
		return
	}
	known, resp, err := a.known, a.resp, a.err
	if l.consumer.sleptSince(begun) { // nobody knows when the answer was given: whoever needs it asks again
		l.mu.Lock()
		delete(l.busy, id)
		l.wanted = append(l.wanted, id)
		l.mu.Unlock()
		pace.Notify(l.changed)
		return
	}
	var ev model.Event
	if err != nil {
		ev = model.LeaseUnread{At: l.now(), ID: id, Reason: failures.InShort(err)}
	} else {
		ev = model.LeaseRead{At: l.now(), ID: id, Granted: resp.GrantedTTL, Remaining: resp.TTL,
			Term: resp.Header.GetRaftTerm(), Rev: min(known, resp.Header.GetRevision()), Took: time.Since(a.asked)}
	}
	if keys && err == nil { // before the reading, with which it has been answered
		attached := model.LeaseKeys{At: l.now(), ID: id, Rev: min(known, resp.Header.GetRevision())}
		if denied {
			attached.Reason = model.Say("may-not")
		}
		for _, key := range resp.Keys[:min(len(resp.Keys), model.MaxLeaseKeys)] {
			attached.Keys = append(attached.Keys, string(key))
		}
		attached.Total = len(resp.Keys)
		_ = l.events.Push(ctx, attached)
	}
	_ = l.events.Push(ctx, ev) // fails only with ctx
}

package watcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher/pace"
)

// fake is a cluster of one key whose troubles are set by the test.
type fake struct {
	mu       sync.Mutex
	rev      int64
	listErr  error // of a list,
	listed   int   // after that many keys of it
	lists    int   // that were asked for
	probeErr error
	isDown   bool
	streams  []*fakeStream // every watch that was opened
	open     func(*fakeStream)
	ttls     []model.LeaseID
	hold     chan struct{} // readings wait for it, if there is one
	late     string        // the prefix whose list waits,
	begin    chan struct{} // for this
}

func (c *fake) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *fake) count(context.Context, string, int64) (int64, error) { return 1, nil }

func (c *fake) probe(context.Context, string) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rev, c.probeErr
}

func (c *fake) oldest(_ context.Context, _ string, rev int64) (int64, error) { return rev, nil }

func (c *fake) list(_ context.Context, prefix string, rev int64, each func([]model.KV) error) error {
	c.mu.Lock()
	c.lists++
	err, listed := c.listErr, c.listed
	c.mu.Unlock()
	if c.begin != nil && prefix == c.late {
		<-c.begin
	}
	if err != nil && listed == 0 {
		return err
	}
	return errors.Join(each([]model.KV{{Key: prefix + "k", ModRev: rev, CreateRev: rev}}), err)
}

func (c *fake) watch(_ context.Context, _ string, rev int64) stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &fakeStream{from: rev, ch: make(chan clientv3.WatchResponse, 10)}
	s.ch <- clientv3.WatchResponse{Header: &pb.ResponseHeader{}, Created: true}
	s.progress = func() {
		c.mu.Lock()
		rev := c.rev
		c.mu.Unlock()
		s.tell(rev)
	}
	if c.open != nil {
		c.open(s)
	}
	c.streams = append(c.streams, s)
	return s
}

func (c *fake) ttl(ctx context.Context, id model.LeaseID, keys bool) (*pb.LeaseTimeToLiveResponse, error) {
	c.mu.Lock()
	c.ttls = append(c.ttls, id)
	hold := c.hold
	c.mu.Unlock()
	select {
	case <-hold:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if keys && id == 17 {
		return nil, status.Error(codes.PermissionDenied, "etcdserver: permission denied")
	}
	if id == 13 {
		return nil, status.Error(codes.DeadlineExceeded, "too late")
	}
	return &pb.LeaseTimeToLiveResponse{Header: &pb.ResponseHeader{Revision: 99, RaftTerm: 7}, ID: int64(id), TTL: 5, GrantedTTL: 10, Keys: map[bool][][]byte{true: {[]byte("/l/b"), []byte("/other")}}[keys]}, nil
}

func (c *fake) down() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isDown
}

func (c *fake) whenDown(context.Context, func()) {}
func (c *fake) resetBackoff()                    {}
func (c *fake) endpoints() []string              { return []string{"http://m1:2379"} }

type fakeStream struct {
	from     int64
	ch       chan clientv3.WatchResponse
	progress func()

	mu    sync.Mutex
	ended bool
}

func (s *fakeStream) responses() clientv3.WatchChan { return s.ch }
func (s *fakeStream) close()                        {}
func (s *fakeStream) askProgress() error            { s.progress(); return nil }

// end ends the watch. Who asks for progress at that moment gets no answer, as from the client.
func (s *fakeStream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	close(s.ch)
}

func (s *fakeStream) tell(rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	select {
	case s.ch <- clientv3.WatchResponse{Header: &pb.ResponseHeader{Revision: rev}}:
	default:
	}
}

// fails opens watches that end at once.
func fails(err error) func(*fakeStream) {
	return func(s *fakeStream) {
		s.ch <- clientv3.WatchResponse{Canceled: true, CancelReason: err.Error()}
		s.end()
	}
}

func (c *fake) watcher(t *testing.T) *record {
	w, _ := start(c, &pace.Meter{}, Options{Prefixes: []string{"/l/"}, Timing: quick}.withDefaults())
	t.Cleanup(func() { _ = w.Close() })
	return &record{t: t, w: w}
}

// Whoever asks for several prefixes and is told of one must not take the other for empty.
func TestEveryPrefixIsNamedBeforeAnyIsListed(t *testing.T) {
	for _, row := range []struct {
		prefixes, want []string
		late           string
		oneLook        bool
		reason         string
	}{
		{[]string{"/a/", "/b/"}, []string{"/a/", "/b/"}, "/b/", true, "the second is late"},
		{[]string{"/b/", "/a/"}, []string{"/a/", "/b/"}, "/a/", true, "the first is late"},
		{[]string{"/a/", "/b/"}, []string{"/a/", "/b/"}, "/b/", false, "who goes on asks the same"},
		{[]string{"/b/", "/a/", "/b/", "/b/x/"}, []string{"/a/", "/b/"}, "/b/", true, "said twice, and one within another"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := &fake{rev: 40, late: row.late, begin: make(chan struct{})}
			w, _ := start(c, &pace.Meter{}, Options{Prefixes: row.prefixes, OneLook: row.oneLook, Timing: quick}.withDefaults())
			t.Cleanup(func() { _ = w.Close() })
			release := sync.OnceFunc(func() { close(c.begin) })
			t.Cleanup(release) // before Close, which waits for the list
			r, s := &record{t: t, w: w}, store.New()
			r.until("list of the other one", func() bool { return len(all[model.Loaded](r)) == 1 })
			s.Apply(model.Batch{Events: r.events})
			if s.Coverage().Loaded() {
				t.Errorf("all is said to be listed without %s: %v", row.late, r.story())
			}
			if first, ok := r.events[0].(model.Requested); !ok || !slices.Equal(first.Prefixes, row.want) {
				t.Errorf("first comes %+v, want a request for %q", r.events[0], row.want)
			}
			release()
			r.until("list of both", func() bool { return len(all[model.Loaded](r)) == 2 })
			s.Apply(model.Batch{Events: r.events})
			if !s.Coverage().Loaded() {
				t.Errorf("not all is said to be listed: %v", r.story())
			}
		})
	}
}

// A watch logs in and is opened in two steps. What changes in between is no loss.
func TestARefusedTokenIsALossOnlyWhenLoginDoesNotHelp(t *testing.T) {
	for _, row := range []struct {
		reason   string
		err      error
		stays    bool
		lost     int
		reopened int
	}{
		{reason: "the token was forgotten", err: rpctypes.ErrGRPCInvalidAuthToken, reopened: 1},
		{reason: "a role has changed since the token", err: rpctypes.ErrGRPCAuthOldRevision, reopened: 1},
		{reason: "auth was switched on behind the login", err: rpctypes.ErrGRPCUserEmpty, reopened: 1},
		{reason: "there is no user to log in with", err: rpctypes.ErrGRPCUserEmpty, stays: true, lost: 1, reopened: 3},
		{reason: "the password is wrong: no second try", err: rpctypes.ErrGRPCAuthFailed, lost: 1, reopened: 1},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := &fake{rev: 40, hold: make(chan struct{})}
			r := c.watcher(t)
			has[model.Watching](r, 1)
			c.set(func() {
				if row.stays {
					c.open = func(s *fakeStream) {
						if len(c.streams) < 3 {
							fails(row.err)(s)
						}
					}
				}
				fails(row.err)(c.streams[0])
			})
			has[model.Back](r, row.lost)
			opened := func() (n int) { c.set(func() { n = len(c.streams) - 1 }); return n }
			r.until("the watch once more", func() bool { return opened() >= row.reopened })
			has[model.Watching](r, len(all[model.Watching](r))+1)
			if n, lost := opened(), all[model.Lost](r); n != row.reopened || len(lost) != row.lost {
				t.Errorf("opened %d times more, want %d; lost %+v, want %d", n, row.reopened, lost, row.lost)
			}
		})
	}
}

func TestWatchContinuesBehindTheLastRevision(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	r := c.watcher(t)
	has[model.Watching](r, 1)
	event := func(rev int64) *clientv3.Event {
		return &clientv3.Event{Type: clientv3.EventTypePut, Kv: &mvccpb.KeyValue{Key: []byte("/l/k"), ModRevision: rev}}
	}
	c.set(func() {
		c.rev = 43
		// 40 was in the list already; 42 has two events.
		c.streams[0].ch <- clientv3.WatchResponse{Header: &pb.ResponseHeader{Revision: 43},
			Events: []*clientv3.Event{event(40), event(42), event(42), event(43)}}
		fails(rpctypes.ErrNoLeader)(c.streams[0])
	})
	has[model.Back](r, 1)
	var got []string
	for _, e := range all[model.Committed](r) {
		got = append(got, fmt.Sprintf("%d:%d", e.Rev, len(e.Changes)))
	}
	if d := cmp.Diff([]string{"42:2", "43:1"}, got); d != "" {
		t.Error(d)
	}
	c.set(func() {
		if from := c.streams[1].from; from != 43 { // what was seen is left out
			t.Errorf("continued from %d, want 43", from)
		}
	})
}

func TestAChangeBehindAnEarlyAnswerIsNotDropped(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	r := c.watcher(t)
	has[model.Watching](r, 1)
	c.set(func() { c.rev = 43 }) // the stream says so when it is asked, and has sent nothing
	r.until("Watching at 43", func() bool {
		w := all[model.Watching](r)
		return w[len(w)-1].Rev == 43
	})
	for _, rev := range []int64{40, 42, 42} { // 40 was in the list; what was handed on does not come twice
		c.streams[0].ch <- clientv3.WatchResponse{Header: &pb.ResponseHeader{Revision: 43}, Events: []*clientv3.Event{
			{Type: clientv3.EventTypePut, Kv: &mvccpb.KeyValue{Key: []byte("/l/k"), ModRevision: rev}}}}
	}
	c.set(func() { c.rev = 44 })
	r.until("Watching at 44", func() bool {
		w := all[model.Watching](r)
		return w[len(w)-1].Rev == 44
	})
	if got := all[model.Committed](r); len(got) != 1 || got[0].Rev != 42 {
		t.Errorf("got %v, want revision 42 once", got)
	}
}

func TestAnOpenWatchThatStaysDeniedIsReportedOnce(t *testing.T) {
	c := &fake{listErr: rpctypes.ErrPermissionDenied, hold: make(chan struct{})}
	r := c.watcher(t)
	has[model.Lost](r, 1)
	c.set(func() { c.listErr, c.rev = nil, 5 })
	has[model.Watching](r, 1)
	if n := len(all[model.Lost](r)); n != 1 {
		t.Errorf("%d losses, want 1", n)
	}
}

func TestAListThatFails(t *testing.T) {
	for _, row := range []struct {
		reason string
		err    error
		keys   int // that come before it
		again  bool
	}{
		{"refused as a whole it did not start, and is told once", rpctypes.ErrPermissionDenied, 0, false},
		{"cut off before its first key it did not start, and is told once", errors.New("the stream broke"), 0, false},
		{"each that breaks under way was begun and is lost", errors.New("the stream broke"), 1, true},
	} {
		c := &fake{rev: 5, listErr: row.err, listed: row.keys}
		w, _ := start(c, &pace.Meter{}, Options{Prefixes: []string{"/l/"}, Timing: quick}.withDefaults())
		r := &record{t: t, w: w}
		r.want.WakeAt = time.Now() // ticks: there may be no other news
		r.until("four tries", func() (done bool) {
			c.set(func() { done = c.lists >= 4 })
			return done
		})
		starts, lost := len(all[model.LoadStarted](r)), len(all[model.Lost](r))
		if row.again && (starts < 3 || lost < 3) || !row.again && (starts != 0 || lost != 1) {
			t.Errorf("%s: %d starts, %d losses of four tries", row.reason, starts, lost)
		}
		c.set(func() { c.listErr = nil })
		has[model.Loaded](r, 1)
		_ = w.Close()
	}
}

func TestReadingsFollowTheWish(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	w, _ := start(c, &pace.Meter{}, Options{Prefixes: []string{"/l/"}, Budget: 4, Timing: quick}.withDefaults())
	defer w.Close()
	r := &record{t: t, w: w}
	has[model.Watching](r, 1)

	// A budget of 4 has a burst of one: the first reading starts at once and is
	// held; the next comes no sooner than a quarter of a second later.
	r.want.Leases = []model.LeaseID{3, 1, 2, 3}
	r.until("a first reading", func() bool { return len(c.read()) >= 1 })
	// The new wish replaces the old; 3 is in flight and not read twice.
	r.want.Leases = []model.LeaseID{3, 13, 7}
	has[model.Watching](r, len(all[model.Watching](r))+1)
	close(c.hold)
	r.until("three readings", func() bool {
		// From here on nothing new is wanted.
		r.want.Leases = nil
		if n := len(c.read()); n < 3 {
			r.want.Leases = []model.LeaseID{13, 7}[max(0, n-1):]
		}
		return len(all[model.LeaseRead](r)) == 2 && len(all[model.LeaseUnread](r)) == 1
	})
	got := c.read()
	if got[0] != 3 {
		t.Errorf("first read %d, want 3", got[0])
	}
	if d := cmp.Diff([]model.LeaseID{13, 7}, got[len(got)-2:]); d != "" {
		t.Error(d)
	}
	for _, e := range all[model.LeaseRead](r) {
		if e.Granted != 10 || e.Remaining != 5 || e.Term != 7 || e.Rev != 40 {
			t.Errorf("got %+v; the revision has to be what was known before the question", e)
		}
	}
	if e := all[model.LeaseUnread](r)[0]; e.ID != 13 || text.English(e.Reason) != "no answer in time" {
		t.Errorf("got %+v", e)
	}
}

// TestWhatHangsOnALeaseIsListedWhereItMayBe: a lease whose keys may not be listed is read
// all the same, and one whose keys nobody wants is read without them.
func TestWhatHangsOnALeaseIsListedWhereItMayBe(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	close(c.hold)
	w, _ := start(c, &pace.Meter{}, Options{Prefixes: []string{"/l/"}, Timing: quick}.withDefaults())
	defer w.Close()
	r := &record{t: t, w: w}
	has[model.Watching](r, 1)
	r.want.Leases, r.want.Keys = []model.LeaseID{3, 17, 5}, []model.LeaseID{3, 17}
	r.until("three leases are read", func() bool {
		read := map[model.LeaseID]bool{}
		for _, e := range all[model.LeaseRead](r) {
			read[e.ID] = true
		}
		return len(read) == 3
	})
	for _, e := range all[model.LeaseKeys](r) {
		switch {
		case e.ID == 3 && len(e.Keys) == 2 && e.Total == 2 && text.English(e.Reason) == "" && e.Rev == 40:
		case e.ID == 17 && len(e.Keys) == 0 && text.English(e.Reason) == "no permission":
		default:
			t.Errorf("got %+v", e)
		}
	}
	if len(all[model.LeaseUnread](r)) != 0 || len(all[model.LeaseKeys](r)) < 2 {
		t.Errorf("unread %v, keys %v", all[model.LeaseUnread](r), all[model.LeaseKeys](r))
	}
}

func TestAReadingInAHurryWaitsForNoOther(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	close(c.hold)
	w, _ := start(c, &pace.Meter{}, Options{Prefixes: []string{"/l/"}, Timing: quick}.withDefaults())
	defer w.Close()
	w.leases.bucket = pace.NewBucket(15, 1e6, 0, time.Now()) // it takes a day to be full
	r := &record{t: t, w: w}
	r.want.Leases = []model.LeaseID{1, 2}
	has[model.Watching](r, 2)
	if got := c.read(); len(got) > 0 {
		t.Fatalf("read %v at once, want them to wait for company", got)
	}
	r.want = model.Want{Leases: []model.LeaseID{3, 1, 2}, Hurry: true}
	r.until("a reading", func() bool { return slices.Contains(c.read(), 3) })
}

func (c *fake) read() []model.LeaseID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]model.LeaseID(nil), c.ttls...)
}

func TestOneLookReadsWithoutBudgetButBounded(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	w, _ := start(c, &pace.Meter{}, Options{Budget: 1, OneLook: true, Timing: quick}.withDefaults())
	defer w.Close()
	r := &record{t: t, w: w}
	for id := range model.LeaseID(200) {
		r.want.Leases = append(r.want.Leases, 100+id)
	}
	has[model.Loaded](r, 1)
	for end := time.Now().Add(deadline); len(c.read()) < oneLookInFlight && time.Now().Before(end); {
		pace.Sleep(context.Background(), time.Millisecond, nil)
	}
	if n := len(c.read()); n != oneLookInFlight {
		t.Errorf("%d in flight, want %d", n, oneLookInFlight)
	}
	close(c.hold)
	has[model.LeaseRead](r, 200)
	c.set(func() {
		if len(c.streams) != 0 {
			t.Error("one look has opened a watch")
		}
	})
}

func TestNothingIsAskedWhileNobodyPulls(t *testing.T) {
	p := newConsumer(time.Nanosecond)
	ctx, cancel := context.WithCancel(context.Background())
	waited := make(chan error, 1)
	go func() { waited <- p.wait(ctx) }()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v without a call of Next", err)
	}
	p.begin()
	if err := p.wait(context.Background()); err != nil {
		t.Errorf("got %v during a call", err)
	}
	p.end()
}

// start follows a cluster that stays the same, without rounds of status.
func start(r remote, m *pace.Meter, o Options) (*Watcher, context.Context) {
	w, ctx := prepare(r, m, o)
	w.wg.Go(func() { w.follow(ctx, r, o) })
	return w, ctx
}

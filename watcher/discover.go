package watcher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/model"
	"locktop/model/discover"
	"locktop/model/text"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
)

// SmallKeyspace is how many keys are watched whole without a thought: one list of
// them takes a tenth of a second or so.
const SmallKeyspace = 50_000

// Defaults of DiscoverOptions.
const (
	DefaultMaxKeys  = 1_000_000
	DefaultRPS      = 5
	defaultKeysPage = 20_000
)

// A page grows while the server answers fast, and shrinks when it is slow: nobody
// knows before how large the values are, which servers up to 3.6 read even when only
// keys are asked for.
const (
	firstPage  = 1_000
	fastAnswer = 250 * time.Millisecond
	slowAnswer = time.Second
)

// kubernetes is where its API server keeps its objects. They are many, and only a value
// would tell that a key is none of them, so it is looked at last, and for queues alone.
const kubernetes = "/registry/"

// DiscoverOptions bounds a look at the keys. The zero value looks at all keys with
// the defaults.
type DiscoverOptions struct {
	// Prefix is a raw key prefix to begin below, empty for all keys.
	Prefix string
	// MaxKeys is how many keys are looked at at most, 0 means DefaultMaxKeys.
	MaxKeys int64
	// RPS is how many requests are made per second at most, 0 means DefaultRPS.
	RPS int
	// Page is the largest number of keys that one request asks for, 0 means 20,000.
	// Each page makes the server count all keys that are left.
	Page int64
	// Pins fix recipes by hand.
	Pins []model.Pin
	// Call is how long one request may take, 0 means 30 s.
	Call time.Duration
	// Progress, if not nil, is called after each request with the keys looked at so
	// far and those there are to look at. It is called by the caller of Discover.
	Progress func(done, total int64)
}

func (o DiscoverOptions) withDefaults() DiscoverOptions {
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.RPS <= 0 {
		o.RPS = DefaultRPS
	}
	if o.Page <= 0 {
		o.Page = defaultKeysPage
	}
	if o.Call <= 0 {
		o.Call = defaults.Stall
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	return o
}

// Discovery is what a look at the keys found.
type Discovery struct {
	// Keys is how many keys were looked at, Total how many there are below the prefix.
	Keys, Total int64
	// Kubernetes is how many of Total stand where Kubernetes keeps its objects: of these
	// only queues of claims are told.
	Kubernetes int64
	// Requests is how many were made.
	Requests int
	// Partial says why not all keys were looked at, empty if they were.
	Partial string
	// Prefixes are those that look like locks, the surest first.
	Prefixes []discover.PrefixGuess
}

// Small says whether the keys are so few that they may all be watched.
func (d Discovery) Small() bool { return d.Total <= SmallKeyspace }

// Discover looks at the keys below a prefix, page by page, and says where they look
// like locks. It reads no value and makes no other requests than ranges, each answered
// by one member alone. Keys that come and go meanwhile are seen or not.
//
// An error, that of ctx included, comes with what was found until then, and Partial
// says why that is not all. The ceiling of keys is no error.
func Discover(ctx context.Context, client *clientv3.Client, o DiscoverOptions) (Discovery, error) {
	return newScan(client, o).run(ctx)
}

// CountKeys returns the number of keys below a prefix by one request that reads none
// of them. It takes the server 0.1 s to 0.5 s for a million keys.
func CountKeys(ctx context.Context, client *clientv3.Client, prefix string) (int64, error) {
	s := newScan(client, DiscoverOptions{Prefix: prefix})
	n, err := s.count(ctx, prefix)
	return n, s.explained(err)
}

// scan is one look at the keys.
type scan struct {
	DiscoverOptions
	client  *clientv3.Client
	cluster *identity
	guesser discover.Guesser
	found   Discovery
	page    int64
	goal    int64 // keys there are to look at
	bucket  *pace.Bucket
	now     func() time.Time
	sleep   func(ctx context.Context, d time.Duration)
}

func newScan(client *clientv3.Client, o DiscoverOptions) *scan {
	o = o.withDefaults()
	return &scan{DiscoverOptions: o, client: client, cluster: &identity{}, guesser: discover.Guesser{Pins: o.Pins}, page: min(firstPage, o.Page),
		bucket: pace.NewBucket(float64(o.RPS), 1, 1, time.Now()), now: time.Now,
		sleep: func(ctx context.Context, d time.Duration) { pace.Sleep(ctx, d, nil) }}
}

func (s *scan) run(ctx context.Context) (Discovery, error) {
	err := s.lookAt(ctx)
	s.found.Prefixes = s.guesser.Guesses()
	switch {
	case ctx.Err() != nil:
		s.found.Partial = fmt.Sprintf("ended after %d of %d keys", s.found.Keys, s.goal)
		return s.found, ctx.Err()
	case err != nil:
		err = s.explained(err)
		s.found.Partial = err.Error()
	}
	return s.found, err
}

// lookAt counts first, which is cheap, and then looks at all keys, those of Kubernetes last.
func (s *scan) lookAt(ctx context.Context) (err error) {
	if s.found.Total, err = s.count(ctx, s.Prefix); err != nil {
		return err
	}
	spans := []span{{firstKey(s.Prefix), rangeEnd(s.Prefix)}}
	switch {
	case strings.HasPrefix(s.Prefix, kubernetes):
		s.found.Kubernetes = s.found.Total
	case strings.HasPrefix(kubernetes, s.Prefix) && s.found.Total > 0:
		if s.found.Kubernetes, err = s.count(ctx, kubernetes); err != nil {
			return err
		}
		if s.found.Kubernetes > 0 {
			spans = []span{{spans[0].from, []byte(kubernetes)}, {rangeEnd(kubernetes), spans[0].end}, {firstKey(kubernetes), rangeEnd(kubernetes)}}
		}
	}
	s.goal = s.found.Total
	s.Progress(0, s.goal)
	for _, sp := range spans {
		if more, err := s.walk(ctx, sp); err != nil || !more {
			return err
		}
	}
	return nil
}

// span is a range of keys, without its end.
type span struct{ from, end []byte }

// walk looks at the keys of a span. It says false once the ceiling is reached.
func (s *scan) walk(ctx context.Context, sp span) (more bool, err error) {
	for {
		limit := min(s.page, s.MaxKeys-s.found.Keys)
		if limit <= 0 {
			if s.found.Keys < s.goal {
				s.found.Partial = fmt.Sprintf("the ceiling of %d keys was reached, of %d that there are", s.MaxKeys, s.goal)
			}
			return false, nil
		}
		began := s.now()
		resp, err := s.ask(ctx, &pb.RangeRequest{Key: sp.from, RangeEnd: sp.end, KeysOnly: true, Limit: limit})
		if err != nil {
			return false, err
		}
		took := s.now().Sub(began)
		if len(resp.Kvs) == 0 {
			return true, nil
		}
		last := string(resp.Kvs[len(resp.Kvs)-1].Key)
		kvs, err := s.leased(ctx, resp.Kvs)
		if err != nil {
			return false, err
		}
		s.take(kvs)
		s.pace(took)
		s.found.Keys += int64(len(resp.Kvs))
		s.goal = max(s.goal, s.found.Keys)
		s.Progress(s.found.Keys, s.goal)
		if !resp.More {
			return true, nil
		}
		sp.from = []byte(last + "\x00")
	}
}

// leased returns the keys with their leases. Servers from 3.7 on answer a request for
// keys alone from their index, which knows no leases (server/v3
// storage/mvcc/kvstore_txn.go, FastKeysOnly), but for one sorted by value. Such an
// answer is cut after it is sorted, so it must not have a limit: the page says where
// it ends.
func (s *scan) leased(ctx context.Context, page []*mvccpb.KeyValue) ([]*mvccpb.KeyValue, error) {
	for _, kv := range page {
		if kv.Lease != 0 {
			return page, nil
		}
	}
	last := page[len(page)-1].Key
	began := s.now()
	resp, err := s.ask(ctx, &pb.RangeRequest{Key: page[0].Key, RangeEnd: []byte(string(last) + "\x00"), KeysOnly: true,
		SortTarget: pb.RangeRequest_VALUE})
	if err != nil {
		return nil, err
	}
	s.pace(s.now().Sub(began))
	return resp.Kvs, nil
}

// pace fits the size of the next page to how long an answer took.
func (s *scan) pace(took time.Duration) {
	switch {
	case took > slowAnswer:
		s.page = max(1, s.page/2)
	case took < fastAnswer:
		s.page = min(s.Page, s.page*2)
	}
}

func (s *scan) take(kvs []*mvccpb.KeyValue) {
	for _, kv := range kvs {
		s.guesser.Add(&model.KV{Key: string(kv.Key), CreateRev: kv.CreateRevision, ModRev: kv.ModRevision,
			Version: kv.Version, Lease: model.LeaseID(kv.Lease)})
	}
}

func (s *scan) count(ctx context.Context, prefix string) (int64, error) {
	resp, err := s.ask(ctx, &pb.RangeRequest{Key: firstKey(prefix), RangeEnd: rangeEnd(prefix), CountOnly: true})
	if err != nil {
		return 0, err
	}
	return resp.Count, nil
}

// ask makes one request when the rate allows. The member that gets it answers by
// itself: a look does not burden the leader, and works without one. It is the
// protocol's stub because the client's own method would repeat a failed request on
// its own.
func (s *scan) ask(ctx context.Context, req *pb.RangeRequest) (*pb.RangeResponse, error) {
	for {
		ok, wait := s.bucket.Take(s.now(), true)
		if ok {
			break
		}
		s.sleep(ctx, wait)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.Call)
	defer cancel()
	req.Serializable = true
	s.found.Requests++
	var p peer.Peer
	resp, err := pb.NewKVClient(identified{s.client.ActiveConnection(), s.cluster}).Range(ctx, req, grpc.Peer(&p), grpc.MaxCallRecvMsgSize(maxMessage))
	if err != nil && p.Addr != nil {
		return nil, failures.At(p.Addr.String(), err)
	}
	return resp, err
}

// explained writes an error for the person at the keyboard.
func (s *scan) explained(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, ErrOtherCluster) {
		return fmt.Errorf("look at %s: %w: name the endpoints of one cluster only, or look again", model.KeysUnder(s.Prefix), err)
	}
	why := failures.Explain(err, model.Say("to-look-at"), s.Prefix, s.client.Endpoints()).WithoutNext()
	if failures.Classify(err) == failures.Denied {
		why = model.Say("or-begin-below", why)
	}
	return text.Refusal{Why: why}
}

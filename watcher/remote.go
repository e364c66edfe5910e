package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/peer"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
	"locktop/watcher/validate"
)

// remote is all that a watcher asks of a cluster.
type remote interface {
	// count returns how many keys there were under prefix at rev. A server looks at each.
	count(ctx context.Context, prefix string, rev int64) (int64, error)
	// list hands the keys of prefix at rev to each, in key order.
	list(ctx context.Context, prefix string, rev int64, each func([]model.KV) error) error
	// oldest returns the first revision from rev on that is not compacted.
	oldest(ctx context.Context, prefix string, rev int64) (int64, error)
	// watch opens a watch of prefix from rev on.
	watch(ctx context.Context, prefix string, rev int64) stream
	// probe returns the revision of the cluster by a linearizable read that costs
	// next to nothing.
	probe(ctx context.Context, prefix string) (rev int64, err error)
	// ttl reads a lease, with the names of its keys if they are wanted.
	ttl(ctx context.Context, id model.LeaseID, keys bool) (*pb.LeaseTimeToLiveResponse, error)
	// down says that no endpoint can be reached at present.
	down() bool
	// whenDown calls f every time that down turns true, until ctx ends.
	whenDown(ctx context.Context, f func())
	// resetBackoff cuts short the pause that grpc makes before it dials again, which
	// grows to two minutes.
	resetBackoff()
	endpoints() []string
}

// stream is one watch.
type stream interface {
	responses() clientv3.WatchChan
	// askProgress asks for an empty response that tells how far the watch is.
	askProgress() error
	close()
}

// etcd is the remote over a client. Small requests use the protocol stubs on the
// client's own connection: the methods of clientv3 would repeat a failed read up
// to a hundred times, 40 a second, which no budget would see.
type etcd struct {
	client   *clientv3.Client
	conn     *grpc.ClientConn
	identity identity
	meter    *pace.Meter
	answers  answerTimes
	now      func() time.Time
	timing   Timing
	pageSize int64
	// noStream is set once a server has refused a streamed range.
	noStream atomic.Bool
}

// call makes one small request within the time limit. Should the token be refused (it
// has an end; a change of the user or a restart forgets it), the client logs in again
// and repeats the request by itself.
func (e *etcd) call(ctx context.Context, kind model.RequestKind, f func(ctx context.Context, opts ...grpc.CallOption) error) error {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), e.timing.Call)
	defer cancel()
	e.meter.Count(int(kind), e.now())
	var p peer.Peer
	err := f(ctx, grpc.Peer(&p))
	if err != nil && p.Addr != nil {
		return failures.At(p.Addr.String(), err)
	}
	return err
}

func (e *etcd) endpoints() []string { return e.client.Endpoints() }

// checked is the connection for all requests.
func (e *etcd) checked() identified { return identified{e.conn, &e.identity} }

func (e *etcd) count(ctx context.Context, prefix string, rev int64) (int64, error) {
	resp, err := e.getRange(ctx, &pb.RangeRequest{Key: firstKey(prefix), RangeEnd: rangeEnd(prefix), Revision: rev, CountOnly: true})
	if err != nil {
		return 0, err
	}
	return resp.Count, nil
}

// probe asks for a single key: a range would make the server count all its keys.
// The prefix itself lies in the range that the reader must be granted anyway.
func (e *etcd) probe(ctx context.Context, prefix string) (rev int64, err error) {
	defer e.answers.note(agreed, time.Now(), &err)
	resp, err := e.getRange(ctx, &pb.RangeRequest{Key: firstKey(prefix), CountOnly: true})
	if err != nil {
		return 0, err
	}
	return resp.GetHeader().GetRevision(), nil
}

// oldest tries to read one key at rev. Only the refusal of a watch tells up to where
// the rest is compacted.
func (e *etcd) oldest(ctx context.Context, prefix string, rev int64) (int64, error) {
	_, err := e.getRange(ctx, &pb.RangeRequest{Key: firstKey(prefix), Revision: rev, CountOnly: true})
	if !failures.IsEtcd(err, rpctypes.ErrCompacted) {
		return rev, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.timing.Stall)
	defer cancel()
	e.meter.Count(int(model.RequestReads), e.now())
	s := e.watch(ctx, prefix, rev)
	defer s.close()
	for resp := range s.responses() {
		if resp.CompactRevision > 0 {
			return resp.CompactRevision, nil
		}
		if resp.Err() != nil {
			return 0, resp.Err()
		}
	}
	return 0, cmp.Or(ctx.Err(), failures.ErrEnded)
}

func (e *etcd) getRange(ctx context.Context, req *pb.RangeRequest) (resp *pb.RangeResponse, err error) {
	err = e.call(ctx, model.RequestReads, func(ctx context.Context, opts ...grpc.CallOption) error {
		resp, err = pb.NewKVClient(e.checked()).Range(ctx, req, opts...)
		return err
	})
	return resp, err
}

func (e *etcd) ttl(ctx context.Context, id model.LeaseID, keys bool) (resp *pb.LeaseTimeToLiveResponse, err error) {
	began := time.Now()
	defer func() {
		came := err
		if came != nil && errors.Is(context.Cause(ctx), errAnswered) { // its member did not answer in time
			came = context.DeadlineExceeded
		}
		e.answers.note(agreed, began, &came)
	}()
	req := &pb.LeaseTimeToLiveRequest{ID: int64(id), Keys: keys}
	err = e.call(ctx, model.RequestLeases, func(ctx context.Context, opts ...grpc.CallOption) error {
		resp, err = pb.NewLeaseClient(e.checked()).LeaseTimeToLive(ctx, req, opts...)
		return err
	})
	return resp, err
}

func (e *etcd) down() bool { return e.conn.GetState() == connectivity.TransientFailure }

func (e *etcd) resetBackoff() {
	if e.down() {
		e.conn.ResetConnectBackoff()
	}
}

func (e *etcd) whenDown(ctx context.Context, f func()) {
	for {
		state := e.conn.GetState()
		if state == connectivity.TransientFailure {
			f()
		}
		if !e.conn.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// list streams where the server can (3.7 on) and pages where it cannot. The
// stream tells its revision only at its end, so the caller has to pin one.
func (e *etcd) list(ctx context.Context, prefix string, rev int64, each func([]model.KV) error) error {
	if !e.noStream.Load() {
		seen, err := e.listStream(ctx, prefix, rev, each)
		if seen || failures.CodeOf(err) != codes.Unimplemented {
			return err
		}
		e.noStream.Store(true)
	}
	return e.listPages(ctx, prefix, rev, each)
}

// listStream also says whether any key was handed on.
func (e *etcd) listStream(ctx context.Context, prefix string, rev int64, each func([]model.KV) error) (seen bool, err error) {
	ctx, cancel := context.WithCancelCause(clientv3.WithRequireLeader(ctx))
	defer cancel(nil)
	e.meter.Count(int(model.RequestReads), e.now())
	next, err := rangeStream(ctx, e.checked(), &pb.RangeRequest{Key: firstKey(prefix), RangeEnd: rangeEnd(prefix), Revision: rev})
	for err == nil {
		var kvs []model.KV
		stall := time.AfterFunc(e.timing.Stall, func() { cancel(failures.ErrStalled) })
		kvs, err = next()
		stall.Stop()
		if err == nil {
			seen = seen || len(kvs) > 0
			err = each(kvs)
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return seen, context.Cause(ctx)
	case errors.Is(context.Cause(ctx), failures.ErrStalled):
		return seen, failures.ErrStalled
	}
	return seen, err
}

func (e *etcd) listPages(ctx context.Context, prefix string, rev int64, each func([]model.KV) error) error {
	key, left := string(firstKey(prefix)), int64(-1)
	for {
		resp, err := e.page(ctx, key, prefix, rev)
		if err != nil {
			return err
		}
		if left >= 0 && resp.Count != left { // else pages that each say "more" have no end
			return validate.Has(pb.KV_Range_FullMethodName, fmt.Sprintf("a page of a list that counts %d keys where %d are left", resp.Count, left), nil)
		}
		left = resp.Count - int64(len(resp.Kvs))
		if err := each(convert(resp.Kvs)); err != nil {
			return err
		}
		if !resp.More {
			return nil
		}
		key = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
	}
}

func (e *etcd) page(ctx context.Context, key, prefix string, rev int64) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), e.timing.Stall)
	defer cancel()
	e.meter.Count(int(model.RequestReads), e.now())
	kv := clientv3.NewKVFromKVClient(repeating{clientv3.RetryKVClient(e.client), &e.identity}, e.client)
	resp, err := kv.Get(ctx, key, clientv3.WithRange(string(rangeEnd(prefix))),
		clientv3.WithRev(rev), clientv3.WithLimit(e.pageSize))
	if err != nil {
		return nil, fmt.Errorf("page from %q: %w", key, err)
	}
	return resp, nil
}

// watch gives each watch a stream of its own: on a shared one a refusal or an
// unsynced neighbour would spoil the others' errors and progress.
func (e *etcd) watch(ctx context.Context, prefix string, rev int64) stream {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	s := &etcdStream{ctx: ctx, cancel: cancel, watcher: clientv3.NewWatchFromWatchClient(pb.NewWatchClient(e.checked()), e.client),
		out: make(chan clientv3.WatchResponse)}
	s.wg.Go(func() { s.forward(prefix, rev) })
	return s
}

type etcdStream struct {
	ctx     context.Context
	cancel  context.CancelFunc
	watcher clientv3.Watcher
	out     chan clientv3.WatchResponse
	asking  atomic.Bool
	wg      sync.WaitGroup
}

func (s *etcdStream) responses() clientv3.WatchChan { return s.out }

// forward is a goroutine of its own because Watch blocks until some member has
// opened the watch.
func (s *etcdStream) forward(prefix string, rev int64) {
	defer close(s.out)
	// No WithFragment: a revision has to come in one piece. Progress keeps the
	// revision to resume from clear of compaction while the prefix is quiet.
	for resp := range s.watcher.Watch(s.ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(rev),
		clientv3.WithCreatedNotify(), clientv3.WithProgressNotify()) {
		select {
		case s.out <- resp:
		case <-s.ctx.Done():
			return
		}
	}
}

// askProgress does not wait: the client takes the request only while it has a
// connection.
func (s *etcdStream) askProgress() error {
	if !s.asking.CompareAndSwap(false, true) {
		return nil
	}
	s.wg.Go(func() {
		defer s.asking.Store(false)
		_ = s.watcher.RequestProgress(s.ctx) // a lost request is asked again
	})
	return s.ctx.Err()
}

func (s *etcdStream) close() {
	s.cancel()
	_ = s.watcher.Close() // its error is that of the cancelled stream
	s.wg.Wait()
}

// firstKey and rangeEnd span a prefix. The empty one is every key, which etcd
// writes as from "\x00" to "\x00".
func firstKey(prefix string) []byte {
	if prefix == "" {
		return []byte{0}
	}
	return []byte(prefix)
}

func rangeEnd(prefix string) []byte {
	return []byte(clientv3.GetPrefixRangeEnd(prefix))
}

package watcher

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
	"locktop/watcher/validate"
)

// ErrOtherCluster is the error of an answer that came from another cluster than the
// answers before.
var ErrOtherCluster = failures.Because(nil, model.Say("another-cluster-answers"))

// identity holds all requests of a watcher to one cluster: the first that answers. An
// answer of another one is refused, and ends what follows the cluster. An answer that
// names no cluster (its id is 0, as through some proxies) is taken for one of ours.
type identity struct {
	mu    sync.Mutex
	id    uint64 // 0 while none has answered
	other uint64 // that ended it, 0 for none
	at    string // the address where the other one answered
	end   context.CancelFunc
	since time.Time // when one cluster took the place of another, zero for never
}

// begin returns a context that ends when another cluster answers.
func (i *identity) begin(ctx context.Context) context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	ctx, i.end = context.WithCancel(ctx)
	return ctx
}

// check refuses an answer of another cluster.
func (i *identity) check(id uint64, at string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case id == 0 || i.other == 0 && id == i.id:
		return nil
	case i.id == 0:
		i.id = id
		return nil
	case i.other == 0:
		i.other, i.at = id, at
		if i.end != nil {
			i.end()
		}
	}
	return failures.Because(ErrOtherCluster, otherAnswers(id, i.id, at))
}

// checkMessage refuses a message of another cluster, whatever else is wrong with it: asked for a revision
// that it has not, another cluster answers what no etcd of ours would. wrong is what the checks before found,
// nil for nothing; no cluster is learnt from such a message.
func (i *identity) checkMessage(msg any, from net.Addr, wrong error) error {
	id := validate.Cluster(msg)
	if wrong != nil && !i.differs(id) {
		return wrong
	}
	at := "the server"
	if from != nil {
		at = from.String()
	}
	return i.check(id, at)
}

// differs says whether an id is that of another cluster than the one that answered before.
func (i *identity) differs(id uint64) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return id != 0 && i.id != 0 && id != i.id
}

// become makes another cluster the one that is followed, 0 for the first to answer.
func (i *identity) become(id uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.since = time.Now()
	i.id, i.other, i.at = id, 0, ""
}

// identified is a connection whose answers are checked for what they have to have, and
// for their cluster.
type identified struct {
	conn *grpc.ClientConn
	*identity
}

// Invoke implements grpc.ClientConnInterface.
func (c identified) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return validate.Invoke(method, args, reply, func(opt grpc.CallOption) error {
		return c.conn.Invoke(ctx, method, args, reply, append(opts[:len(opts):len(opts)], opt)...)
	}, c.checkMessage)
}

// NewStream implements grpc.ClientConnInterface.
func (c identified) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.conn.NewStream(ctx, desc, method, opts...)
	return validate.Stream(method, s, err, c.checkMessage)
}

// repeating is the client's own way to read keys, which repeats what failed, with the
// same checks.
type repeating struct {
	pb.KVClient
	*identity
}

// Range implements pb.KVClient.
func (r repeating) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	var p peer.Peer
	resp, err := r.KVClient.Range(ctx, in, append(opts[:len(opts):len(opts)], grpc.Peer(&p))...)
	if err == nil {
		err = r.checkMessage(resp, p.Addr, validate.Check(pb.KV_Range_FullMethodName, in, resp, p.Addr))
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// survey asks every endpoint for its cluster, each over a connection of its own: behind
// one address there may be several servers. Endpoints that do not answer are left out.
func survey(ctx context.Context, client *clientv3.Client, limit time.Duration) map[string]uint64 {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	at := map[string]uint64{}
	for _, ep := range client.Endpoints() {
		wg.Go(func() {
			conn, err := client.Dial(ep)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			resp, err := pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
			if id := validate.Cluster(resp); err == nil && id != 0 {
				mu.Lock()
				defer mu.Unlock()
				at[ep] = id
			}
		})
	}
	wg.Wait()
	return at
}

// hex writes the id of a cluster.
func hex(id uint64) string { return strconv.FormatUint(id, 16) }

// otherAnswers says that another cluster than the one of before answers.
func otherAnswers(id, instead uint64, at string) model.Message {
	return model.Say("another-cluster", hex(id), hex(instead), at)
}

// clusters returns the ids of a survey, each once.
func clusters(at map[string]uint64) []uint64 {
	var ids []uint64
	for _, id := range at {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// members names the endpoints of each cluster.
func members(at map[string]uint64) (all model.Message) {
	for _, id := range clusters(at) {
		var eps []string
		for ep, of := range at {
			if of == id {
				eps = append(eps, ep)
			}
		}
		slices.Sort(eps)
		one := model.Say("belong-to-cluster", strings.Join(eps, ", "), int64(len(eps)), hex(id))
		if all.IsZero() {
			all = one
		} else {
			all = model.Say("one-and-another", all, one)
		}
	}
	return all
}

// meet says that another cluster answers, and waits until it can be followed: all
// endpoints that answer belong to it. Endpoints of several clusters, or one address
// behind which several answer by turns, are no cluster to follow.
func (w *Watcher) meet(ctx context.Context, e *etcd, prefixes []string) {
	i := &e.identity
	i.mu.Lock()
	was, other, where := i.id, i.other, i.at
	turns := !i.since.IsZero() && time.Since(i.since) < 4*e.timing.Sole
	i.mu.Unlock()
	said := model.Message{}
	for began, steady := time.Now(), uint64(0); ctx.Err() == nil; pace.Sleep(ctx, e.timing.Status, nil) {
		at := survey(ctx, e.client, e.timing.Answer)
		ids := clusters(at)
		detail := model.ListingAnew(model.Say("is-another-cluster", otherAnswers(other, was, where)))
		switch {
		case len(ids) > 1:
			detail = model.Say("endpoints-of-clusters", int64(len(ids)), members(at))
		case turns:
			detail = model.Say("clusters-by-turns", hex(was), hex(other), strings.Join(e.endpoints(), ", "))
		}
		if !detail.Same(said) && ctx.Err() == nil {
			for _, p := range prefixes {
				_ = w.events.Push(ctx, model.Lost{At: w.now(), Prefix: p, Reason: model.LostCluster, Detail: detail}) // fails only with ctx
			}
			said = detail
		}
		next := other
		if len(ids) == 1 {
			next = ids[0]
		}
		if len(ids) > 1 || steady != next {
			began, steady = time.Now(), next
		}
		if len(ids) <= 1 && (!turns || time.Since(began) >= e.timing.Sole) {
			i.become(next)
			return
		}
	}
}

package watcher

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
)

// turns are members that are asked for a lease by turns: each does what its word says.
type turns struct {
	fake
	words []string
	mu    sync.Mutex
	asked []string
}

func (c *turns) endpoints() []string { return []string{"m1", "m2", "m3"} }

func (c *turns) ttl(ctx context.Context, id model.LeaseID, _ bool) (*pb.LeaseTimeToLiveResponse, error) {
	c.mu.Lock()
	word := c.words[len(c.asked)%len(c.words)]
	c.asked = append(c.asked, word)
	c.mu.Unlock()
	switch word {
	case "silent": // until it is given up
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	case "no leader":
		return nil, rpctypes.ErrGRPCNoLeader
	case "denied":
		return nil, status.Error(codes.PermissionDenied, "etcdserver: permission denied")
	}
	return &pb.LeaseTimeToLiveResponse{Header: &pb.ResponseHeader{Revision: 99}, ID: int64(id), TTL: 5, GrantedTTL: 10}, nil
}

// TestALeaseIsAskedForElsewhere: one member that is cut off does not keep from us how long a lease has left.
func TestALeaseIsAskedForElsewhere(t *testing.T) {
	for _, row := range []struct {
		words  []string
		budget float64 // requests besides the first
		asked  []string
		class  failures.Class
		read   bool
		reason string
	}{
		{[]string{"answers"}, 9, []string{"answers"}, 0, true, "who is well is asked once"},
		{[]string{"silent", "answers"}, 9, []string{"silent", "answers"}, 0, true, "a member is cut off, and does not know it yet"},
		{[]string{"no leader", "answers"}, 9, []string{"no leader", "answers"}, 0, true, "a member is cut off, and says so"},
		{[]string{"silent", "silent", "answers"}, 9, []string{"silent", "silent", "answers"}, 0, true, "its turn comes again"},
		{[]string{"no leader"}, 9, []string{"no leader", "no leader", "no leader"}, failures.NoLeader, false, "nobody knows a leader: each is asked once"},
		{[]string{"denied", "answers"}, 9, []string{"denied"}, failures.Denied, false, "another member would refuse it, too"},
		{[]string{"no leader", "answers"}, 0, []string{"no leader"}, failures.NoLeader, false, "the budget is spent"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := &turns{words: row.words}
			l := &leases{remote: c, again: 10 * time.Millisecond, knownRev: func() int64 { return 40 }, bucket: pace.NewBucket(1e-9, 9, row.budget, time.Now())}
			a := l.ask(t.Context(), reading{id: 3})
			if d := cmp.Diff(row.asked, c.asked); d != "" {
				t.Errorf("asked (-want +got)\n%s", d)
			}
			if got := a.err == nil; got != row.read || !got && failures.Classify(a.err) != row.class || got && (a.resp.GetTTL() != 5 || a.known != 40) {
				t.Errorf("came to %v, %v, known %d", a.resp, a.err, a.known)
			}
		})
	}
}

// TestAReadingThatIsGivenUpIsWaitedFor: nothing of it is left when the watcher ends.
func TestAReadingThatIsGivenUpIsWaitedFor(t *testing.T) {
	c := &turns{words: []string{"silent"}}
	l := &leases{remote: c, again: time.Millisecond, knownRev: func() int64 { return 40 }}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if a := l.ask(ctx, reading{id: 3}); !errors.Is(context.Cause(ctx), context.Canceled) || failures.CodeOf(a.err) != codes.Canceled {
		t.Errorf("came to %v", a.err)
	}
}

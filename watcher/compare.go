package watcher

import (
	"context"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"locktop/model"
)

// compare counts the watched keys on every member at one and the same revision,
// from its own store: members that differ have come apart (etcd-io/etcd#12651,
// #13766). It is done rarely, because each count makes a member walk the index of
// those keys.
func (s *statusRounds) compare(ctx context.Context, st *model.ClusterStatus) {
	now := s.etcd.now()
	if !s.compared.IsZero() && now.Sub(s.compared) < s.etcd.timing.Compare {
		return
	}
	var up []*model.Member
	rev := int64(0)
	for i := range st.Members {
		m := &st.Members[i]
		if m.Err == "" && m.ID != 0 && m.Rev > 0 && s.conns[m.Endpoint] != nil {
			up = append(up, m)
			if rev == 0 || m.Rev < rev {
				rev = m.Rev
			}
		}
	}
	if len(up) < 2 {
		return
	}
	s.compared = now
	var wg sync.WaitGroup
	for _, m := range up {
		conn := s.conns[m.Endpoint]
		wg.Go(func() {
			if n, err := s.count(ctx, conn, rev); err == nil { // what cannot be counted is not compared
				m.Keys, m.KeysRev = n, rev
			}
		})
	}
	wg.Wait()
}

// count counts the keys of all prefixes at rev, as one member has them.
func (s *statusRounds) count(ctx context.Context, conn *grpc.ClientConn, rev int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.etcd.timing.Call)
	defer cancel()
	total := int64(0)
	for _, p := range s.prefixes {
		s.etcd.meter.count(s.etcd.now())
		resp, err := pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: firstKey(p), RangeEnd: rangeEnd(p),
			Revision: rev, Serializable: true, CountOnly: true})
		if err != nil {
			return 0, err
		}
		total += resp.Count
	}
	return total, nil
}

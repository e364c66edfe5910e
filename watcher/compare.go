package watcher

import (
	"context"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
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
		if m.Err.IsZero() && m.ID != 0 && m.Rev > 0 && s.conns[m.Endpoint] != nil {
			up = append(up, m)
			if rev == 0 || m.Rev < rev {
				rev = m.Rev
			}
		}
	}
	left := st.Size() - len(up)
	if s.leaseLists && left > 0 {
		s.unlist(model.Say("members-could-not-be-asked", int64(left), int64(st.Size())))
	}
	if len(up) < 2 {
		return
	}
	s.compared = now
	var wg sync.WaitGroup
	for _, m := range up {
		conn := s.at(m.Endpoint)
		wg.Go(func() {
			if n, err := s.count(ctx, conn, rev); err == nil { // what cannot be counted is not compared
				m.Keys, m.KeysRev = n, rev
			}
		})
	}
	wg.Wait()
	if s.leaseLists {
		if why := s.ghosts(ctx, up); !why.IsZero() || left <= 0 {
			s.unlist(why)
		}
	}
}

// unlist notes why the lists of leases could not be compared, zero if they were.
func (s *statusRounds) unlist(why model.Message) {
	switch {
	case why.IsZero():
		s.unlistedSince = time.Time{}
	case s.unlisted.IsZero():
		s.unlistedSince = s.etcd.now()
	}
	s.unlisted = why
}

// ghosts finds leases that a member lists and the leader does not know
// (etcd-io/etcd#14019). A list is the member's own, and it may lag: what is missing
// on the leader counts only if the member still lists it a while later. It returns why
// not all lists could be compared, zero if they could.
func (s *statusRounds) ghosts(ctx context.Context, up []*model.Member) (unlisted model.Message) {
	var leader *model.Member
	for _, m := range up {
		if m.Leader {
			leader = m
		}
	}
	if leader == nil {
		return model.Say("no-member-asked-leads")
	}
	first := map[*model.Member]map[int64]bool{}
	for _, m := range up {
		ids, err := s.leases(ctx, m)
		if err != nil {
			return failures.InShort(err) // without the right to list there is nothing to compare
		}
		if m != leader {
			first[m] = ids
		}
	}
	known, err := s.leases(ctx, leader) // after the others: what it lacks now was not just granted
	if err != nil {
		return failures.InShort(err)
	}
	pace.Sleep(ctx, s.etcd.timing.Settle, nil)
	for m, ids := range first {
		again, err := s.leases(ctx, m)
		if err != nil {
			unlisted = failures.InShort(err)
			continue
		}
		var ghosts []model.LeaseID
		for id := range ids {
			if !known[id] && again[id] {
				ghosts = append(ghosts, model.LeaseID(id))
			}
		}
		slices.Sort(ghosts)
		s.ghostsOf[m.ID] = ghosts
	}
	return unlisted
}

// leases lists the leases that a member has in its own store.
func (s *statusRounds) leases(ctx context.Context, m *model.Member) (map[int64]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.etcd.timing.Answer)
	defer cancel()
	s.etcd.meter.Count(int(model.RequestStatus), s.etcd.now())
	resp, err := pb.NewLeaseClient(s.at(m.Endpoint)).LeaseLeases(ctx, &pb.LeaseLeasesRequest{})
	if err != nil {
		return nil, err
	}
	ids := make(map[int64]bool, len(resp.Leases))
	for _, l := range resp.Leases {
		ids[l.ID] = true
	}
	return ids, nil
}

// count counts the keys of all prefixes at rev, as one member has them.
func (s *statusRounds) count(ctx context.Context, conn grpc.ClientConnInterface, rev int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.etcd.timing.Answer)
	defer cancel()
	total := int64(0)
	for _, p := range s.prefixes {
		s.etcd.meter.Count(int(model.RequestStatus), s.etcd.now())
		resp, err := pb.NewKVClient(conn).Range(ctx, &pb.RangeRequest{Key: firstKey(p), RangeEnd: rangeEnd(p),
			Revision: rev, Serializable: true, CountOnly: true})
		if err != nil {
			return 0, err
		}
		total += resp.Count
	}
	return total, nil
}

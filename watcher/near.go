package watcher

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Bounds of a look for prefixes near another one.
const (
	nearUp    = 8  // names above it
	nearSide  = 32 // names beside it that are looked at
	nearMost  = 3  // that are told
	nearWhole = 2 * time.Second
)

// Near is a prefix that has keys, and how many.
type Near struct {
	Prefix string
	Keys   int64
}

// NearPrefixes returns prefixes that have keys and lie beside one that has none, those first
// whose names are most like it; none where there is no key at all. It asks for 40 keys at
// most, without values, within 2 s. An error says why it could not look, as when the right
// to is missing; what was found until then comes with it.
func NearPrefixes(ctx context.Context, client *clientv3.Client, prefix string, call time.Duration) ([]Near, error) {
	ctx, cancel := context.WithTimeout(ctx, nearWhole)
	defer cancel()
	s := newScan(client, DiscoverOptions{Prefix: prefix, RPS: 1000, Call: call})
	up, total := prefix, int64(0)
	for range nearUp {
		if up == "" || total > 0 {
			break
		}
		up = up[:strings.LastIndexByte(strings.TrimSuffix(up, "/"), '/')+1]
		n, err := s.count(ctx, up)
		if err != nil {
			s.Prefix = up
			return nil, s.explained(err)
		}
		total = n
	}
	var all []Near
	from, rev := firstKey(up), int64(0)
	for {
		resp, err := s.ask(ctx, &pb.RangeRequest{Key: from, RangeEnd: rangeEnd(up), KeysOnly: true, Limit: 1, Revision: rev})
		if err != nil {
			s.Prefix = up
			return nearest(all[:max(0, len(all)-1)], prefix), s.explained(err) // how many the last one has is not known
		}
		rev = resp.Header.Revision
		if n := len(all); n > 0 {
			all[n-1].Keys -= resp.Count // it counts what comes from here on
		}
		if len(resp.Kvs) == 0 || len(all) == nearSide {
			return nearest(all, prefix), nil
		}
		name := string(resp.Kvs[0].Key)
		if end := strings.IndexByte(name[min(len(name), len(up)+1):], '/'); end >= 0 {
			name = name[:len(up)+1+end+1]
		}
		all = append(all, Near{name, resp.Count})
		if from = rangeEnd(name); !strings.HasSuffix(name, "/") {
			from = []byte(name + "\x00")
		}
	}
}

// nearest are those whose names have most in common with a prefix, of a few.
func nearest(all []Near, prefix string) []Near {
	slices.SortStableFunc(all, func(a, b Near) int { return cmp.Compare(unlike(a.Prefix, prefix), unlike(b.Prefix, prefix)) })
	return all[:min(len(all), nearMost)]
}

// unlike is how many bytes have to be put in, left out or changed to make one name of the other.
func unlike(a, b string) int {
	const most = 256
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

// wentWithin bounds how long etcd has to tell what went at a revision.
const wentWithin = 2 * time.Second

// went reads which keys of the lease were deleted at a revision: that of a revoke. The answer
// to the revoke does not name them, and a key may have joined after the last look. It may be
// anywhere, so that it takes the permission to watch every key. Where it is not known what
// went, that is an error.
func (g *Gate) went(ctx context.Context, p model.Plan, rev int64) ([]model.KV, error) {
	if rev <= 1 { // nothing was ever written
		return []model.KV{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wentWithin)
	defer cancel()
	keys, err := g.deletedAt(ctx, rev)
	if err != nil {
		return nil, err
	}
	all := []model.KV{}
	shown := map[string]model.KV{}
	for _, kv := range p.Goes {
		shown[kv.Key] = kv
	}
	var fresh []string
	for _, key := range keys {
		if kv, ok := shown[key]; ok {
			kv.Value = ""
			all = append(all, kv)
		} else {
			fresh = append(fresh, key)
		}
	}
	// What was not shown may have been deleted by somebody else: a revoke that found no key
	// writes nothing, and its revision is that of the last write.
	if len(fresh) > maxRead {
		return nil, fmt.Errorf("%d keys went that were not shown, and so many are not read", len(fresh))
	}
	before := model.Plan{Action: p.Action}
	if err := g.readKeysAt(ctx, fresh, rev-1, &before); err != nil {
		return nil, err
	}
	for _, kv := range before.Goes {
		kv.Value = ""
		all = append(all, kv)
	}
	slices.SortFunc(all, func(a, b model.KV) int { return cmp.Compare(a.Key, b.Key) })
	return all, nil
}

// deletedAt returns the keys that were deleted at a revision that was written, in any order.
func (g *Gate) deletedAt(ctx context.Context, rev int64) (keys []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for r := range g.o.Reader.Watch(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithRev(rev)) {
		if err := cmp.Or(r.Err(), g.armed.saw(r.Header.GetClusterId())); err != nil {
			if errors.Is(err, rpctypes.ErrPermissionDenied) || strings.Contains(err.Error(), rpctypes.ErrPermissionDenied.Error()) {
				err = errors.New("no permission to watch every key")
			}
			return nil, err
		}
		for _, e := range r.Events {
			if e.Kv.ModRevision == rev && e.Type == clientv3.EventTypeDelete {
				keys = append(keys, string(e.Kv.Key))
			}
		}
		if len(r.Events) > 0 { // those of one revision come together
			return keys, nil
		}
	}
	return nil, fmt.Errorf("etcd did not say within %s what went", wentWithin)
}

// wentWords say how many keys went, and which of them were not shown.
func wentWords(p model.Plan, went []model.KV) model.Message {
	var fresh []string
	for _, kv := range went {
		if !slices.ContainsFunc(p.Goes, func(x model.KV) bool { return x.Key == kv.Key }) {
			fresh = append(fresh, kv.Key)
		}
	}
	switch n := len(went); len(fresh) {
	case 0:
		return model.Say("detail-keys", n)
	case 1:
		return model.Say("detail-key-not-shown", n, fresh[0])
	default:
		return model.Say("detail-keys-not-shown", n, len(fresh), fresh[0])
	}
}

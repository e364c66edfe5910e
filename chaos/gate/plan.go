package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"locktop/chaos"
	"locktop/model"
	"locktop/model/recipe"
	"locktop/model/text"
)

// Bounds of a plan: of a lease with more keys than maxRead the others are listed
// by name only, and no more than readers requests are under way.
const (
	maxRead = 1000
	readers = 16
)

// Plan reads from etcd what the action would touch. It only reads, so it works on
// a gate that is not armed too. That an action must not be done is said in
// Plan.Refused; the error is for reads that failed.
//
// Goes names every key of the lease. Unknown is set where a key could be listed by
// name only, or where the list itself may not be read: etcd shows the keys of a
// lease only to a user who may read each of them (CVE-2026-33413, 3.5.28 and 3.6.9).
func (g *Gate) Plan(ctx context.Context, a model.Action) (model.Plan, error) {
	p := model.Plan{Action: a, At: g.o.Now(), Endpoint: g.o.Endpoint}
	if err := g.possible(a); err != nil {
		p.Refused = whyOf(err)
		return p, nil
	}
	if !a.Kind.WritesEtcd() {
		p.Hits = g.o.Lab.Targets(a)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var err error
	switch a.Kind {
	case model.RevokeLease:
		err = g.planRevoke(ctx, &p)
	case model.DeleteClaim:
		err = g.planDelete(ctx, &p)
	}
	if err != nil {
		return p, fmt.Errorf("plan to %s: %w", text.English(a.Message()), err)
	}
	p.Cluster = g.armed.cluster()
	if p.Refused.IsZero() {
		p.Refused = ofKubernetes(p.Goes)
	}
	return p, nil
}

func (g *Gate) planRevoke(ctx context.Context, p *model.Plan) error {
	a := p.Action
	l, err := g.readLease(ctx, a.Lease)
	if err != nil {
		return err
	}
	p.Lease = l.LeaseRead
	if p.Refused, err = g.lost(ctx, a, l); err != nil || !p.Refused.IsZero() {
		return err
	}
	if l.denied {
		p.Unknown = model.Say("no-permission-on-every-key", a.Lease)
	}
	if l.denied && a.Key != "" {
		l.keys = []string{a.Key} // that much is known
	}
	return g.readKeysAt(ctx, l.keys, 0, p)
}

func (g *Gate) planDelete(ctx context.Context, p *model.Plan) error {
	kv, err := g.readKey(ctx, p.Action.Key)
	if err != nil {
		return err
	}
	if p.Refused = otherClaim(p.Action, kv); p.Refused.IsZero() {
		p.Goes, p.Action.ModRev = []model.KV{*kv}, kv.ModRev
	}
	return nil
}

// recheck reads the keys again that would go, and updates the plan. If they differ from
// those that were shown, nothing may be done, and the outcome says why.
func (g *Gate) recheck(ctx context.Context, p *model.Plan) model.Outcome {
	if id := g.armed.cluster(); id != 0 && p.Cluster != 0 && p.Cluster != id {
		return refusal(model.Say("the-plan-is-for-cluster", p.Cluster, id))
	}
	now, a := model.Plan{Action: p.Action}, p.Action
	read := g.planRevoke
	if a.Kind == model.DeleteClaim {
		read = g.planDelete
	}
	if err := read(ctx, &now); err != nil {
		return refused("%v", err)
	}
	why := now.Refused
	if why.IsZero() {
		why = ofKubernetes(now.Goes)
	}
	if why.IsZero() {
		why = p.Changed(now)
	}
	if why.IsZero() {
		p.Action, p.Goes, p.Unknown = now.Action, now.Goes, now.Unknown
		return model.Outcome{}
	}
	var found *model.KV
	if a.Key != "" {
		var err error
		if found, err = g.readKey(ctx, a.Key); err != nil {
			return refusal(model.Say("look-again", why))
		}
	}
	return changed(why, found)
}

// ofKubernetes says why keys must stay that are Kubernetes' own, nothing if none is: only its API
// server knows what hangs on them.
func ofKubernetes(goes []model.KV) model.Message {
	for _, kv := range goes {
		if recipe.OfKubernetes(kv.Value) {
			return model.Say("is-an-object-of-kubernetes", kv.Key)
		}
	}
	return model.Message{}
}

// lost says that the lease is gone, or that the claim by which the person
// chose it is not its claim any more. Without a claim only the lease counts.
func (g *Gate) lost(ctx context.Context, a model.Action, l leaseNow) (model.Message, error) {
	if l.Granted == 0 {
		return l.whyGone(), nil
	}
	if a.Key == "" || a.CreateRev == 0 {
		return model.Message{}, nil
	}
	kv, err := g.readKey(ctx, a.Key)
	if err != nil {
		return model.Message{}, err
	}
	if other := otherClaim(a, kv); !other.IsZero() {
		return other, nil
	}
	if kv.Lease != a.Lease {
		return model.Say("is-not-on-lease-but-on", a.Key, a.Lease, model.OnLease(kv.Lease)), nil
	}
	return model.Message{}, nil
}

// otherClaim says that the key is not the claim that was meant; nil is a
// key that is not there.
func otherClaim(a model.Action, kv *model.KV) model.Message {
	switch {
	case kv == nil:
		return model.Say("the-claim-is-gone-it-does-not-exist", a.Key)
	case kv.CreateRev != a.CreateRev:
		return model.KV{CreateRev: a.CreateRev}.Changed(*kv)
	}
	return model.Message{}
}

// leaseNow is a lease and its keys, sorted.
type leaseNow struct {
	model.LeaseRead
	keys    []string
	denied  bool // the keys may not be read
	cluster bool // the answer names the cluster, which was checked
}

// whyGone says that there is no such lease.
func (l leaseNow) whyGone() model.Message {
	if !l.cluster {
		return model.Say("lease-is-gone-says-an-answer", l.ID)
	}
	return model.Say("lease-is-gone-with-its-keys", l.ID)
}

// readLease reads a lease with its keys, or without where they are denied.
func (g *Gate) readLease(ctx context.Context, id model.LeaseID) (leaseNow, error) {
	var l leaseNow
	r, err := g.o.Reader.TimeToLive(ctx, clientv3.LeaseID(id), clientv3.WithAttachedKeys())
	if chaos.CodeOf(err) == codes.PermissionDenied {
		l.denied = true
		r, err = g.o.Reader.TimeToLive(ctx, clientv3.LeaseID(id))
	}
	if err == nil {
		err = g.armed.saw(r.GetClusterId())
	}
	if err != nil {
		return l, fmt.Errorf("read lease %s: %w", id, err)
	}
	l.cluster = r.GetClusterId() != 0
	l.LeaseRead = model.LeaseRead{At: g.o.Now(), ID: id, Granted: r.GrantedTTL, Remaining: r.TTL,
		Term: r.GetRaftTerm(), Rev: r.GetRevision()}
	for _, k := range r.Keys {
		l.keys = append(l.keys, string(k))
	}
	slices.Sort(l.keys)
	return l, nil
}

// readKey reads one key, nil if it does not exist.
func (g *Gate) readKey(ctx context.Context, key string) (*model.KV, error) {
	return g.readKeyAt(ctx, key, 0)
}

// readKeyAt reads it as it was at a revision, 0 for now.
func (g *Gate) readKeyAt(ctx context.Context, key string, rev int64) (*model.KV, error) {
	r, err := g.o.Reader.Get(ctx, key, clientv3.WithRev(rev))
	if err == nil {
		err = g.armed.saw(r.Header.GetClusterId())
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", key, err)
	}
	return kvOf(r.Kvs), nil
}

// readKeysAt fills in what goes, or went at a revision, 0 for now. A key that left the lease meanwhile
// does not.
func (g *Gate) readKeysAt(ctx context.Context, keys []string, rev int64, p *model.Plan) error {
	read := keys[:min(len(keys), maxRead)]
	kvs, errs := make([]*model.KV, len(read)), make([]error, len(read))
	var wg sync.WaitGroup
	slots := make(chan struct{}, readers)
	for i, key := range read {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			kvs[i], errs[i] = g.readKeyAt(ctx, key, rev)
		})
	}
	wg.Wait()

	unread := len(keys) - len(read)
	for i, kv := range kvs {
		switch {
		case chaos.CodeOf(errs[i]) == codes.PermissionDenied:
			unread++
			p.Goes = append(p.Goes, model.KV{Key: keys[i], Lease: p.Action.Lease})
		case errs[i] != nil:
			return errs[i]
		case kv != nil && kv.Lease == p.Action.Lease:
			p.Goes = append(p.Goes, *kv)
		}
	}
	for _, key := range keys[len(read):] {
		p.Goes = append(p.Goes, model.KV{Key: key, Lease: p.Action.Lease})
	}
	if unread > 0 && p.Unknown.IsZero() {
		p.Unknown = model.Say("keys-are-listed-by-name-only", unread, len(p.Goes))
	}
	return nil
}

// kvOf is the first key of an answer, nil if there is none.
func kvOf(kvs []*mvccpb.KeyValue) *model.KV {
	if len(kvs) == 0 {
		return nil
	}
	kv := kvs[0]
	return &model.KV{Key: string(kv.Key), Value: string(kv.Value), CreateRev: kv.CreateRevision,
		ModRev: kv.ModRevision, Version: kv.Version, Lease: model.LeaseID(kv.Lease)}
}

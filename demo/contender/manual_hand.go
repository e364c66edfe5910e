package contender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/resource"
	"locktop/model"
)

// What a manual contender can be told to do by hand: the requests of which a lock is made, one at a
// time, and what a person chose for it. It says the answers as etcd gives them, in the words of its
// API, which are the same in every language.

// byHand is what a contender has learnt from the answers to its requests.
type byHand struct {
	claim claim
	// read is the key of the answer to the last get, "" for none, at that revision of the store.
	read string
	at   int64
	// seen is the key /data as it was read last, nil if it was not.
	seen *seenKey
}

type seenKey struct{ create, mod, version, lease int64 }

// dataKey is what is written under a lock, in etcd itself.
const dataKey = "/data"

// args are those of a word, after its name.
func (m *manual) args(n int) ([]string, error) {
	words := strings.Fields(m.word)
	if len(words)-1 != n {
		return nil, fmt.Errorf("%s wants %d words after it, got %d", words[0], n, len(words)-1)
	}
	return words[1:], nil
}

// setTTL chooses the TTL of the next session.
func (m *manual) setTTL(context.Context) error {
	args, err := m.args(1)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return fmt.Errorf("a TTL of %q: want whole seconds", args[0])
	}
	m.o.TTL = n
	return nil
}

// setRenewal chooses how the next session renews: every so many seconds, "never", or "library", as
// the client library does.
func (m *manual) setRenewal(context.Context) error {
	args, err := m.args(1)
	if err != nil {
		return err
	}
	switch args[0] {
	case "library":
		m.renewal = nil
		return nil
	case "never":
		m.renewal = new(time.Duration)
		return nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return fmt.Errorf("a renewal every %q: want whole seconds, never or library", args[0])
	}
	d := time.Duration(n) * time.Second
	m.renewal = &d
	return nil
}

// setOrder chooses how a queue made by hand looks for who is before it.
func (m *manual) setOrder(context.Context) error {
	args, err := m.args(2)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"slash", "bare"}, args[0]) || !slices.Contains([]string{"create", "mod"}, args[1]) {
		return fmt.Errorf("a queue by %s: want slash or bare, and create or mod", strings.Join(args, " "))
	}
	m.order = order{bare: args[0] == "bare", byMod: args[1] == "mod"}
	return nil
}

// renewsItself lets a session renew as was chosen, and no longer by the library.
func (m *manual) renewsItself(ctx context.Context, s *session) {
	lost := make(chan struct{})
	s.Orphan()
	if s.lost = lost; m.o.IgnoreDone {
		s.lost = nil
	}
	every := *m.renewal
	if every == 0 {
		return
	}
	lease := s.Lease()
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if _, err := m.client.KeepAliveOnce(ctx, lease); errors.Is(err, rpctypes.ErrLeaseNotFound) {
				close(lost)
				return
			}
		}
	}()
}

// putClaim is the first request of Lock: the transaction that puts the own key unless it is there.
func (m *manual) putClaim(ctx context.Context) error {
	if err := m.needsSession(ctx); err != nil {
		return err
	}
	c := m.attempt(m.s, m.o.Locks[0]).byLease()
	return m.ask(ctx, func(ctx context.Context) error {
		r, err := m.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.key), "=", 0)).
			Then(clientv3.OpPut(c.key, "", clientv3.WithLease(clientv3.LeaseID(c.lease)))).
			Else(clientv3.OpGet(c.key)).Commit()
		if err != nil {
			return err
		}
		if c.token = r.Header.Revision; !r.Succeeded {
			c.token = r.Responses[0].GetResponseRange().Kvs[0].CreateRevision
		}
		key, rev := c.key, c.token
		c.release = func(ctx context.Context) error {
			_, err := m.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", rev)).Then(clientv3.OpDelete(key)).Commit()
			return err
		}
		m.hand.claim = c
		m.say(m.o.Locks[0], model.BeliefWaiting, c, quote(fmt.Sprintf("txn: Succeeded=%v  CreateRevision(mine)=%d", r.Succeeded, c.token)))
		return nil
	})
}

func (m *manual) needsSession(ctx context.Context) error {
	if m.s != nil && !m.s.ended() {
		return nil
	}
	s, err := m.open(ctx)
	if err != nil {
		return err
	}
	m.s, m.hand = s, byHand{}
	return nil
}

var errNoClaim = cannot(model.Say("program-no-claim", ""))

// get reads one claim of the queue: the first, which holds, the one ahead of its own, or the last.
func (m *manual) get(ctx context.Context) error {
	args, err := m.args(1)
	if err != nil {
		return err
	}
	switch args[0] {
	case "first":
		return m.readOne(ctx, clientv3.WithFirstCreate()...)
	case "last":
		return m.readOne(ctx, clientv3.WithLastCreate()...)
	case "ahead":
		if m.hand.claim.token == 0 {
			return errNoClaim
		}
		return m.readOne(ctx, append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(m.hand.claim.token-1))...)
	}
	return fmt.Errorf("get %s: want first, ahead or last", args[0])
}

func (m *manual) readOne(ctx context.Context, options ...clientv3.OpOption) error {
	return m.ask(ctx, func(ctx context.Context) error {
		r, err := m.client.Get(ctx, m.o.Locks[0]+"/", options...)
		if err != nil {
			return err
		}
		said := "get: Count=0"
		if m.hand.read, m.hand.at = "", r.Header.Revision; len(r.Kvs) > 0 {
			m.hand.read = string(r.Kvs[0].Key)
			said = fmt.Sprintf("get: CreateRevision=%d", r.Kvs[0].CreateRevision)
			if m.hand.read == m.hand.claim.key {
				said += " == mine"
			}
		}
		m.note(quote(said))
		return nil
	})
}

// watch says when the key that was read last goes.
func (m *manual) watch(ctx context.Context) error {
	key, from := m.hand.read, m.hand.at+1
	if key == "" {
		return cannot(model.Say("program-no-key", ""))
	}
	a := m.attempt(m.s, m.o.Locks[0])
	m.note(quote("watch: Rev=" + strconv.FormatInt(from, 10)))
	go func() {
		if a.gone(ctx, key, from) == nil {
			select {
			case m.gone <- key:
			case <-ctx.Done():
			}
		}
	}()
	return nil
}

// enter goes to work: it believes that it holds, whatever is so.
func (m *manual) enter(context.Context) error {
	if m.hand.claim.token == 0 {
		return errNoClaim
	}
	m.held = append(m.held, hold{m.o.Locks[0], m.hand.claim})
	m.say(m.o.Locks[0], model.BeliefHolding, m.hand.claim, silence)
	return nil
}

// look reads /data and keeps what etcd says of it.
func (m *manual) look(ctx context.Context) error {
	return m.ask(ctx, func(ctx context.Context) error {
		r, err := m.client.Get(ctx, dataKey)
		if err != nil {
			return err
		}
		m.hand.seen = &seenKey{}
		if len(r.Kvs) > 0 {
			kv := r.Kvs[0]
			m.hand.seen = &seenKey{kv.CreateRevision, kv.ModRevision, kv.Version, kv.Lease}
		}
		m.note(quote(fmt.Sprintf("get /data: ModRevision=%d", m.hand.seen.mod)))
		return nil
	})
}

// unlockIf deletes the lock's key if a comparison holds: KEY FIELD OP WHAT. It lets go, whatever the
// answer is. Who has let go already, and had no answer, asks for the same once more.
func (m *manual) unlockIf(ctx context.Context) error {
	h := m.released
	if len(m.held) > 0 {
		last := m.last()
		h = &last
	}
	if h == nil {
		return errHoldsNothing
	}
	ok, err := m.txnIf(ctx, h.claim, clientv3.OpDelete(cmp.Or(h.claim.key, h.lock)))
	if err != nil {
		return err
	}
	m.held = m.held[:max(0, len(m.held)-1)]
	m.say(h.lock, model.BeliefIdle, claim{}, quote(fmt.Sprintf("txn: Succeeded=%v", ok)))
	return nil
}

// takeIf is a lock in one transaction: KEYS KEYS, the names of each joined by +, "mine" for a key of its
// own. If the version of each of the first is 0 it puts the second ones, and then it holds.
func (m *manual) takeIf(ctx context.Context) error {
	args, err := m.args(2)
	if err != nil {
		return err
	}
	if len(m.held) > 0 {
		return cannot(model.Say("program-holds-already", ""))
	}
	if err := m.needsSession(ctx); err != nil {
		return err
	}
	mine := m.attempt(m.s, m.o.Locks[0]).byLease()
	keys := func(names string) (all []string) {
		for name := range strings.SplitSeq(strings.ReplaceAll(names, "mine", mine.key), "+") {
			if !slices.Contains(all, name) { // etcd refuses a transaction that puts a key twice
				all = append(all, name)
			}
		}
		return all
	}
	var free []clientv3.Cmp
	var puts, deletes []clientv3.Op
	for _, key := range keys(args[0]) {
		free = append(free, clientv3.Compare(clientv3.Version(key), "=", 0))
	}
	for _, key := range keys(args[1]) {
		puts = append(puts, clientv3.OpPut(key, m.name, clientv3.WithLease(clientv3.LeaseID(mine.lease))))
		deletes = append(deletes, clientv3.OpDelete(key))
	}
	return m.ask(ctx, func(ctx context.Context) error {
		r, err := m.client.Txn(ctx).If(free...).Then(puts...).Commit()
		switch {
		case err != nil:
			return err
		case !r.Succeeded:
			m.note(quote("txn: Succeeded=false"))
			return nil
		}
		c := claim{key: keys(args[1])[0], lease: mine.lease, token: r.Header.Revision, release: func(ctx context.Context) error {
			_, err := m.client.Txn(ctx).Then(deletes...).Commit()
			return err
		}}
		m.held = append(m.held, hold{m.o.Locks[0], c})
		m.say(m.o.Locks[0], model.BeliefHolding, c, quote("txn: Succeeded=true"))
		return nil
	})
}

// deleteKey deletes the lock's key by its name.
func (m *manual) deleteKey(ctx context.Context) error {
	return m.ask(ctx, func(ctx context.Context) error {
		_, err := m.client.Delete(ctx, m.o.Locks[0])
		return err
	})
}

// saveIf writes /data if a comparison holds.
func (m *manual) saveIf(ctx context.Context) error {
	c := m.hand.claim
	if len(m.held) > 0 {
		c = m.last().claim
		m.hand.claim = c
	}
	ok, err := m.txnIf(ctx, c, clientv3.OpPut(dataKey, m.name))
	if err != nil {
		return err
	}
	m.note(quote(fmt.Sprintf("txn: Succeeded=%v", ok)))
	return nil
}

// txnIf does something if the comparison of the word holds, or without one.
func (m *manual) txnIf(ctx context.Context, own claim, then clientv3.Op) (ok bool, err error) {
	args, err := m.args(4)
	if err != nil {
		return false, err
	}
	var by []clientv3.Cmp
	if args[1] != "any" {
		c, err := m.compare(own, args[0], args[1], args[2], args[3])
		if err != nil {
			return false, err
		}
		by = append(by, c)
	}
	err = m.ask(ctx, func(ctx context.Context) error {
		r, err := m.client.Txn(ctx).If(by...).Then(then).Commit()
		if err == nil {
			ok = r.Succeeded
		}
		return err
	})
	return ok, err
}

// compare is a comparison in words: of lock, mine or data; value, create, mod, version or lease; =,
// !=, < or >; with me, which is what the field of a key of one's own has, my-lease, my-rev, seen or a number.
func (m *manual) compare(own claim, of, field, op, what string) (none clientv3.Cmp, err error) {
	key := map[string]string{"lock": m.o.Locks[0], "mine": own.key, "data": dataKey}[of]
	seen := m.hand.seen
	if key == "" || !slices.Contains([]string{"=", "!=", "<", ">"}, op) || what == "seen" && seen == nil {
		return none, fmt.Errorf("%s %s %s %s cannot be compared", of, field, op, what)
	}
	number := func(mine int64, before func(*seenKey) int64) int64 {
		switch what {
		case "seen":
			return before(seen)
		case "me":
			return mine
		case "my-rev":
			return own.token
		case "my-lease":
			return int64(own.lease)
		}
		n, _ := strconv.ParseInt(what, 10, 64)
		return n
	}
	switch field {
	case "value":
		if what == "me" {
			what = m.name
		}
		return clientv3.Compare(clientv3.Value(key), op, what), nil
	case "create":
		return clientv3.Compare(clientv3.CreateRevision(key), op, number(own.token, func(k *seenKey) int64 { return k.create })), nil
	case "mod":
		return clientv3.Compare(clientv3.ModRevision(key), op, number(own.token, func(k *seenKey) int64 { return k.mod })), nil
	case "version":
		return clientv3.Compare(clientv3.Version(key), op, number(1, func(k *seenKey) int64 { return k.version })), nil
	case "lease":
		return clientv3.Compare(clientv3.LeaseValue(key), op, number(int64(own.lease), func(k *seenKey) int64 { return k.lease })), nil
	}
	return none, fmt.Errorf("there is no field %s to compare", field)
}

// setRule tells the guarded resource which tokens to refuse: OP KEEP.
func (m *manual) setRule(ctx context.Context) error {
	args, err := m.args(2)
	if err != nil {
		return err
	}
	if m.guard == nil {
		return errNoResource
	}
	return m.guard.rule(ctx, resource.Rule{Op: args[0], Keep: args[1]})
}

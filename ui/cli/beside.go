package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/cli/session"
	"locktop/watcher"
)

// A session may hold a lock and wait for another that lies elsewhere: whoever looks at one
// lock has to look at what its leases hold, too. These bound how far.
const (
	besideRounds = 3      // from session to session
	besideLeases = 64     // whose keys are listed
	besidePlaces = 16     // that are looked at besides
	besideKeys   = 10_000 // in one of them
)

// lookBeside looks at the locks of the prefixes and at what their leases hold elsewhere. It
// says what it did not look at, and why.
func (e *env) lookBeside(ctx context.Context, prefixes []string, out *outFlags) (on *session.Session, not unseen, seen, skipped []string, err error) {
	if out.past.file != "" || out.leases == "none" {
		on, not, err = e.look(ctx, prefixes, out)
		return on, not, prefixes, nil, err
	}
	first := *out
	first.watch, first.sessions = 0, true
	b := beside{e: e, places: slices.Clone(prefixes)}
	defer b.close()
	for round := 1; ; round++ {
		if on, not, err = e.look(ctx, b.places, &first); err != nil {
			return nil, not, nil, nil, err
		}
		looked := len(b.places)
		if !b.widen(ctx, on.State) {
			break
		}
		if round == besideRounds {
			for _, place := range b.places[looked:] {
				b.skip("%s: they are more than %d sessions away", session.Keys(place), besideRounds)
			}
			b.places = b.places[:looked]
			break
		}
	}
	if out.watch > 0 {
		if on, not, err = e.look(ctx, b.places, out); err != nil {
			return nil, not, nil, nil, err
		}
	}
	b.refused(&not, prefixes)
	return on, not, b.places, b.skipped, nil
}

// beside is how far a look has got.
type beside struct {
	e       *env
	places  []string // prefixes
	tried   []string // that are looked at, or not for a reason
	skipped []string
	client  *clientv3.Client // that counts keys, once one is needed
}

func (b *beside) close() {
	if b.client != nil {
		_ = b.client.Close() // nothing was written with it
	}
}

// skip says once that something was not looked at.
func (b *beside) skip(format string, args ...any) {
	if words := fmt.Sprintf(format, args...); !slices.Contains(b.skipped, words) {
		b.skipped = append(b.skipped, words)
	}
}

// widen adds the places of the keys that hang on the leases of the locks and lie elsewhere.
func (b *beside) widen(ctx context.Context, s *fold.State) (more bool) {
	for _, id := range sessionsOf(s, b.skip) {
		l := s.Lease(id)
		a := l.Attached()
		switch {
		case a == nil && l.Unread != "":
			b.skip("what else lease %s holds: %s", id, l.Unread)
		case a != nil && a.Reason != "":
			b.skip("what else lease %s holds: %s", id, a.Reason)
		case a != nil:
			if rest := a.Total - len(a.Keys); rest > 0 {
				b.skip("%d more keys of lease %s", rest, id)
			}
			for _, key := range a.Keys {
				more = b.add(ctx, placeOf(key)) || more
			}
		}
	}
	return more
}

// placeOf is the prefix under which those stand that compete with a key.
func placeOf(key string) string {
	if i := strings.LastIndexByte(key, '/'); i > 0 {
		return key[:i+1]
	}
	return key
}

// add takes a place in, unless it is too large or there are too many.
func (b *beside) add(ctx context.Context, place string) bool {
	covers := func(p string) bool { return strings.HasPrefix(place, p) || place == p+"/" }
	if slices.ContainsFunc(b.places, covers) || slices.Contains(b.tried, place) {
		return false
	}
	b.tried = append(b.tried, place)
	if len(b.tried) > besidePlaces {
		b.skip("more than %d other places of keys of its leases", besidePlaces)
		return false
	}
	n, err := b.countKeys(ctx, place)
	switch {
	case err != nil:
		b.skip("%s: %v", session.Keys(place), err)
	case n > besideKeys:
		b.skip("%s: %d keys are too many", session.Keys(place), n)
	default:
		b.places = append(b.places, place)
		return true
	}
	return false
}

// refused takes what could not be seen besides out of what was asked for.
func (b *beside) refused(not *unseen, asked []string) {
	not.blind = slices.DeleteFunc(slices.Clone(not.blind), func(u model.Unseen) bool {
		if u.What != model.UnseenKeys || slices.Contains(asked, u.Prefix) {
			return false
		}
		b.skip("%s: %s", session.Keys(u.Prefix), u.Reason)
		b.places = slices.DeleteFunc(b.places, func(p string) bool { return p == u.Prefix })
		return true
	})
}

// countKeys counts the keys under a prefix.
func (b *beside) countKeys(ctx context.Context, prefix string) (n int64, err error) {
	if b.client == nil {
		if b.client, err = b.e.connect(ctx); err != nil {
			return 0, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, b.e.flags.commandTimeout)
	defer cancel()
	return watcher.CountKeys(limited, b.client, prefix)
}

// sessionsOf are the leases that hold or wait for a lock: of each queue the first.
func sessionsOf(s *fold.State, skip func(string, ...any)) (ids []model.LeaseID) {
	for _, l := range s.Locks() {
		if !l.Recipe().HasHolder {
			continue
		}
		for c := range l.First(besideLeases + 1) {
			switch id := c.KV.Lease; {
			case id == 0 || slices.Contains(ids, id):
			case len(ids) == besideLeases:
				skip("what else the leases hold beyond the first %d", besideLeases)
				return ids
			default:
				ids = append(ids, id)
			}
		}
	}
	return ids
}

package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"

	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/watcher"
)

// A session may hold a lock and wait for another that lies elsewhere: whoever looks at one
// lock has to look at what its leases hold, too. These bound how far.
const (
	besideRounds = 3       // from session to session
	besideLeases = 256     // whose keys are listed
	besidePlaces = 16      // that are looked at besides
	besideKeys   = 10_000  // in one of them
	besideAgain  = 100_000 // in all that is listed again with them
)

const beyondPrefix = "With --prefix, locktop also reads what the leases of contended locks hold under other prefixes,\n" +
	"since a deadlock may close there. It prints only what you asked for, and says what it did not read."

// observation is what was looked at, and what of that was asked for.
type observation struct {
	*session.Session
	not     unseen
	isAsked func(*locks.Lock) bool // nil: all locks
	places  []string               // prefixes
	skipped []string               // what belongs to the locks and was not looked at, and why

	bare     []report.Bare // prefixes that were asked for and have no lock
	expected []locks.Expectation
	outside  []string // prefixes of which something is expected and nothing was asked for
}

// locks are those that were asked for.
func (o *observation) locks() []*locks.Lock {
	if o.isAsked == nil {
		return o.State.Locks()
	}
	return slices.DeleteFunc(slices.Clone(o.State.Locks()), func(k *locks.Lock) bool { return !o.isAsked(k) })
}

// lookAround looks at the prefixes of the flags, and at what the leases of those locks there
// that somebody waits for hold elsewhere.
func (v *viewer) lookAround(ctx context.Context, out *outFlags) (*observation, error) {
	prefixes := v.flags.prefixes
	if len(prefixes) == 0 || slices.Contains(prefixes, "") {
		return v.lookJust(ctx, prefixes, out)
	}
	asked := func(l *locks.Lock) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return isUnder(l, p) })
	}
	at, err := v.listSecond(ctx, prefixes, func(l *locks.Lock) bool { return asked(l) && l.Behind() > 0 }, out)
	if err == nil && len(at.places) > len(prefixes) {
		at.isAsked = asked
	}
	return at, err
}

// lookJust looks at the prefixes, and nowhere else.
func (v *viewer) lookJust(ctx context.Context, prefixes []string, out *outFlags) (*observation, error) {
	on, not, err := v.look(ctx, prefixes, out)
	if err != nil {
		return nil, err
	}
	at := &observation{Session: on, not: not, places: prefixes}
	v.measure(ctx, at, prefixes, out)
	return at, nil
}

// isUnder says whether a lock, or a key of it, lies under the prefix.
func isUnder(l *locks.Lock, prefix string) bool {
	if strings.HasPrefix(l.Name+"/", prefix) {
		return true
	}
	for c := range l.Claims {
		if strings.HasPrefix(c.Key, prefix) {
			return true
		}
	}
	return false
}

// listSecond looks at the locks of the prefixes and at what the leases of some of them hold
// elsewhere. It says what it did not look at, and why.
func (v *viewer) listSecond(ctx context.Context, prefixes []string, of func(*locks.Lock) bool, out *outFlags) (*observation, error) {
	if out.past.file != "" || out.leases == "none" {
		return v.lookJust(ctx, prefixes, out)
	}
	first := *out
	first.watch, first.sessions = 0, of
	b := secondList{v: v, wants: of, places: slices.Clone(prefixes)}
	defer b.close()
	at := &observation{}
	for round := 0; ; round++ {
		on, not, err := v.look(ctx, b.places, &first)
		if err != nil && (round == 0 || ctx.Err() != nil) {
			return nil, err
		}
		if err != nil { // what was asked for was seen
			b.stop(at.places, "%v", err)
			break
		}
		at.Session, at.not, at.places = on, not, slices.Clone(b.places)
		if !b.widen(ctx, on.State) {
			break
		}
		if round+1 == besideRounds {
			b.stop(at.places, "they are more than %d sessions away", besideRounds)
			break
		}
		if keys, _ := on.State.Counts(); keys > besideAgain {
			b.stop(at.places, "there are %d keys to list again with them", keys)
			break
		}
	}
	if out.watch > 0 {
		on, not, err := v.look(ctx, b.places, out)
		if err != nil {
			return nil, err
		}
		at.Session, at.not = on, not
	}
	b.refused(&at.not, prefixes)
	at.places, at.skipped = b.places, b.skipped
	v.measure(ctx, at, prefixes, out)
	return at, nil
}

// secondList is how far a look has got.
type secondList struct {
	v       *viewer
	wants   func(*locks.Lock) bool // whose leases are looked at
	places  []string               // prefixes
	tried   []string               // that are looked at, or not for a reason
	skipped []string
	client  *clientv3.Client // that counts keys, once one is needed
}

func (sl *secondList) close() {
	if sl.client != nil {
		_ = sl.client.Close() // nothing was written with it
	}
}

// skip says once that something was not looked at.
func (sl *secondList) skip(format string, args ...any) {
	if words := fmt.Sprintf(format, args...); !slices.Contains(sl.skipped, words) {
		sl.skipped = append(sl.skipped, words)
	}
}

// stop goes back to the places that were looked at, and says why the others were not.
func (sl *secondList) stop(looked []string, why string, args ...any) {
	for _, place := range sl.places[len(looked):] {
		sl.skip("%s: %s", model.KeysUnder(place), fmt.Sprintf(why, args...))
	}
	sl.places = looked
}

// widen adds the places of the keys that hang on the leases of the locks and lie elsewhere.
func (sl *secondList) widen(ctx context.Context, s *store.Store) (more bool) {
	limited, cancel := context.WithTimeout(ctx, sl.v.flags.commandTimeout)
	defer cancel()
	unlisted := map[string][]model.LeaseID{} // by reason
	for _, id := range sessionsOf(s, sl.wants, sl.skip) {
		l := s.Lease(id)
		a := l.Attached()
		switch {
		case a == nil && !l.Unread.IsZero():
			unlisted[text.English(l.Unread)] = append(unlisted[text.English(l.Unread)], id)
		case a != nil && !a.Reason.IsZero():
			unlisted[text.English(a.Reason)] = append(unlisted[text.English(a.Reason)], id)
		case a != nil:
			if rest := a.Total - len(a.Keys); rest > 0 {
				sl.skip("%d more keys of lease %s", rest, id)
			}
			for _, key := range a.Keys {
				more = sl.add(limited, placeOf(key)) || more
			}
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(unlisted)) {
		whose := "lease " + unlisted[reason][0].String() + " holds"
		if n := len(unlisted[reason]); n > 1 {
			whose = model.CountOf(n, "lease") + " hold"
		}
		sl.skip("what else %s: %s", whose, reason)
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
func (sl *secondList) add(ctx context.Context, place string) bool {
	covers := func(p string) bool { return strings.HasPrefix(place, p) || place == p+"/" }
	if slices.ContainsFunc(sl.places, covers) || slices.Contains(sl.tried, place) {
		return false
	}
	sl.tried = append(sl.tried, place)
	if len(sl.tried) > besidePlaces {
		sl.skip("more than %d other places of keys of the leases", besidePlaces)
		return false
	}
	n, err := sl.countKeys(ctx, place)
	switch {
	case err != nil:
		sl.skip("%s: %v", model.KeysUnder(place), err)
	case n > besideKeys:
		sl.skip("%s: %d keys are too many", model.KeysUnder(place), n)
	default:
		sl.places = append(sl.places, place)
		return true
	}
	return false
}

// refused takes what could not be seen besides out of what was asked for.
func (sl *secondList) refused(not *unseen, asked []string) {
	not.blind = slices.DeleteFunc(slices.Clone(not.blind), func(u locks.CoverageGap) bool {
		if u.Kind != locks.CoverageKeys || slices.Contains(asked, u.Prefix) {
			return false
		}
		sl.skip("%s: %s", model.KeysUnder(u.Prefix), text.English(u.Reason))
		sl.places = slices.DeleteFunc(sl.places, func(p string) bool { return p == u.Prefix })
		return true
	})
}

// countKeys counts the keys under a prefix.
func (sl *secondList) countKeys(ctx context.Context, prefix string) (n int64, err error) {
	if sl.client == nil {
		if sl.client, err = sl.v.connect(ctx); err != nil {
			return 0, err
		}
	}
	return watcher.CountKeys(ctx, sl.client, prefix)
}

// sessionsOf are the leases that hold or wait for a lock, or for one that such a lease holds or
// waits for: the nearest first, of each queue the first, and of locks that many wait for before
// others.
func sessionsOf(s *store.Store, of func(*locks.Lock) bool, skip func(string, ...any)) (ids []model.LeaseID) {
	var near []*locks.Lock
	known, seen := map[*locks.Lock]bool{}, map[model.LeaseID]bool{0: true}
	add := func(l *locks.Lock) {
		if l != nil && l.Recipe().HasHolder && !known[l] {
			known[l] = true
			near = append(near, l)
		}
	}
	for _, l := range s.Locks() {
		if of(l) {
			add(l)
		}
	}
	slices.SortStableFunc(near, func(a, b *locks.Lock) int { return cmp.Compare(b.Behind(), a.Behind()) })
	for len(near) > 0 {
		deep := near
		near = nil
		for place := 0; len(deep) > 0; place++ {
			deep = slices.DeleteFunc(deep, func(l *locks.Lock) bool { return l.At(place) == nil })
			for _, l := range deep {
				id := l.At(place).KV.Lease
				if seen[id] {
					continue
				}
				if len(ids) == besideLeases {
					skip("what else the leases hold beyond the first %d", besideLeases)
					return ids
				}
				seen[id], ids = true, append(ids, id)
				for _, c := range s.Lease(id).Claims() {
					add(c.Lock())
				}
			}
		}
	}
	return ids
}

package keyspace

import (
	"fmt"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// What the tests outside of the package measure.
const (
	UnexplainedMax = unexplainedMax
	CauseWait      = causeWait
)

// Unexplained returns how many entries wait for a reading, and the first of them.
func (k *Keyspace) Unexplained() (n int, first *journal.Entry) {
	if n = k.unexplained.len(); n > 0 {
		first = k.unexplained.first().fact
	}
	return n, first
}

// Kept names what is kept, "" for nothing.
func (k *Keyspace) Kept() string {
	if len(k.claims)+len(k.dirs)+len(k.byID)+len(k.Locks())+len(k.late)+len(k.overdue)+k.settling.free+k.own+len(k.leaseList)+k.missed == 0 {
		return ""
	}
	return fmt.Sprintf("%d claims, %d directories, %d leases, %d locks, %d late, %d overdue, %d free, %d own, %d listed leases, %d that missed a renewal",
		len(k.claims), len(k.dirs), len(k.byID), len(k.Locks()), len(k.late), len(k.overdue), k.settling.free, k.own, len(k.leaseList), k.missed)
}

// Check says in what the indices do not agree with the plain list of keys.
func (k *Keyspace) Check() error {
	for _, l := range k.Locks() {
		if err := k.checkLock(l); err != nil {
			return err
		}
	}
	infos := 0
	for key, c := range k.claims {
		if key > k.maxKey {
			return fmt.Errorf("key %q stands behind %q, the last one", key, k.maxKey)
		}
		if recipe.IsBeside(key) {
			infos++
		}
		if got, want := k.IdentityOf(c), k.Identity(c.Ref()); got != want {
			return fmt.Errorf("key %q is of %v and of %v", key, got, want)
		}
	}
	if *neverRead != (Readings{}) {
		return fmt.Errorf("a lease has written into what all share: %+v", *neverRead)
	}
	if infos != k.infos {
		return fmt.Errorf("%d keys of Terraform, want %d", k.infos, infos)
	}
	return k.checkLeases()
}

func (k *Keyspace) checkLock(l *Lock) error {
	var want []*Claim
	var tally recipe.Tally
	for _, c := range k.claims {
		if c.home == l.dir {
			tally.Count(c.form, c.Value != "", 1)
		}
		in := strings.HasPrefix(c.Key, l.Name+"/")
		if l.mode != recipe.Queue {
			in = c.home == l.dir && c.form.Shape() == l.mode
		}
		if in {
			want = append(want, c)
		}
	}
	slices.SortFunc(want, func(a, b *Claim) int { return a.Compare(b, l.queue.Second()) })
	got := slices.Collect(l.Claims)
	misplaced := slices.ContainsFunc(got, func(c *Claim) bool { return c.KV.Lease == 0 || !l.IsClaim(c) })
	if l.mode == recipe.Queue && misplaced && l.AllByLease() {
		return fmt.Errorf("lock %q: a key is out of place, but all are named by their lease", l.Name)
	}
	if !slices.Equal(want, got) && l.mode != recipe.NoShape || tally != l.tally {
		return fmt.Errorf("lock %q: queue %d keys, %+v; want %d, %+v", l.Name, len(got), l.tally, len(want), tally)
	}
	for c, ahead := range l.Queue {
		if want := l.WaitsFor(c); ahead != want {
			return fmt.Errorf("lock %q: %q waits for %v, want %v", l.Name, c.Key, ahead, want)
		}
	}
	return nil
}

func (k *Keyspace) checkLeases() error {
	missed, silent := 0, 0
	for id, l := range k.byID {
		if k.leaseList[l.slot] != l {
			return fmt.Errorf("lease %s is not where it says in the list of all", id)
		}
		if l.missedRenewal {
			missed++
		}
		if l.State() == model.LeaseSilent {
			silent++
		}
		heads := 0
		for _, c := range l.claims {
			if c.lease != l || l.claims[c.slot] != c {
				return fmt.Errorf("lease %s: claim %q does not point back", id, c.Key)
			}
			if lk := c.Lock(); lk != nil && lk.Holder() == c {
				heads++
			}
		}
		if heads != int(l.heads) {
			return fmt.Errorf("lease %s: heads %d, want %d", id, l.heads, heads)
		}
	}
	if len(k.leaseList) != len(k.byID) || missed != k.missed || silent > missed {
		return fmt.Errorf("%d leases in the list of %d, %d counted as behind with a renewal of %d, %d silent",
			len(k.leaseList), len(k.byID), k.missed, missed, silent)
	}
	return nil
}

package locks

import (
	"fmt"
	"reflect"
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
func (s *State) Unexplained() (n int, first *journal.Entry) {
	first, _ = s.Journals.log.FirstWaiting()
	return s.Journals.log.Waiting(), first
}

// Kept names what is kept, "" for nothing.
func (s *State) Kept() string {
	if len(s.Keys.claims)+len(s.Keys.dirs)+len(s.Leases.byID)+len(s.Keys.Locks())+len(s.Leases.late)+len(s.Leases.overdue)+s.transitions.free+s.Keys.claimCount+len(s.Leases.leaseList)+s.Leases.missed == 0 {
		return ""
	}
	return fmt.Sprintf("%d claims, %d directories, %d leases, %d locks, %d late, %d overdue, %d free, %d own, %d listed leases, %d that missed a renewal",
		len(s.Keys.claims), len(s.Keys.dirs), len(s.Leases.byID), len(s.Keys.Locks()), len(s.Leases.late), len(s.Leases.overdue), s.transitions.free, s.Keys.claimCount, len(s.Leases.leaseList), s.Leases.missed)
}

// Check says in what the indices do not agree with the plain list of keys.
func (s *State) Check() error {
	for _, l := range s.Keys.Locks() {
		if err := s.checkLock(l); err != nil {
			return err
		}
	}
	infos := 0
	for key, c := range s.Keys.claims {
		if key > s.Keys.maxKey {
			return fmt.Errorf("key %q stands behind %q, the last one", key, s.Keys.maxKey)
		}
		if recipe.IsBeside(key) {
			infos++
		}
		if got, want := s.Owners.IdentityOf(c), s.Owners.Identity(c.Ref()); got != want {
			return fmt.Errorf("key %q is of %v and of %v", key, got, want)
		}
	}
	if !reflect.DeepEqual(*neverRead, Readings{}) {
		return fmt.Errorf("a lease has written into what all share: %+v", *neverRead)
	}
	if infos != s.Keys.infos {
		return fmt.Errorf("%d keys of Terraform, want %d", s.Keys.infos, infos)
	}
	return s.checkLeases()
}

func (s *State) checkLock(l *Lock) error {
	var want []*Claim
	var tally recipe.Tally
	for _, c := range s.Keys.claims {
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
	if !slices.Equal(want, got) && l.mode != recipe.NoShape || tally != l.counts {
		return fmt.Errorf("lock %q: queue %d keys, %+v; want %d, %+v", l.Name, len(got), l.counts, len(want), tally)
	}
	for c, ahead := range l.Queue {
		if want := l.WaitsFor(c); ahead != want {
			return fmt.Errorf("lock %q: %q waits for %v, want %v", l.Name, c.Key, ahead, want)
		}
	}
	return nil
}

func (s *State) checkLeases() error {
	missed, silent, renewed := 0, 0, 0
	for id, l := range s.Leases.byID {
		if s.Leases.leaseList[l.slot] != l {
			return fmt.Errorf("lease %s is not where it says in the list of all", id)
		}
		if l.missedRenewal {
			missed++
		}
		if l.State() == model.LeaseSilent {
			silent++
		}
		if l.HasRead && l.State() == model.LeaseHealthy && l.Renewals > 0 && l.ResetAt.IsZero() && l.Read.Term == s.Leases.term {
			renewed++
		}
		heads, thirds, waiting := 0, 0, 0
		for i, c := range l.claims {
			if c.lease != l || l.claims[c.slot] != c {
				return fmt.Errorf("lease %s: claim %q does not point back", id, c.Key)
			}
			if c.form.Claims() != (i < int(l.competing)) {
				return fmt.Errorf("lease %s: key %q at place %d, and %d are claims", id, c.Key, i, l.competing)
			}
			if lk := c.Lock(); lk != nil && lk.recipe.HasHolder {
				if lk.recipe.Rhythm == recipe.RenewsAtThird {
					thirds++
				}
				if !lk.Holds(lk.Place(c)) {
					waiting++
				}
			}
			if lk := c.Lock(); lk != nil && lk.Holder() == c {
				heads++
			}
		}
		if thirds != int(l.thirds) || waiting != int(l.waiting) {
			return fmt.Errorf("lease %s: %d renewed at a third and %d that wait are counted, want %d and %d", id, l.thirds, l.waiting, thirds, waiting)
		}
		if heads != int(l.heads) {
			return fmt.Errorf("lease %s: heads %d, want %d", id, l.heads, heads)
		}
	}
	if len(s.Leases.leaseList) != len(s.Leases.byID) || missed != s.Leases.missed || silent > missed || renewed != s.Leases.renewed {
		return fmt.Errorf("%d leases in the list of %d, %d counted as behind with a renewal of %d, %d silent; %d counted as renewed of %d",
			len(s.Leases.leaseList), len(s.Leases.byID), s.Leases.missed, missed, silent, s.Leases.renewed, renewed)
	}
	return nil
}

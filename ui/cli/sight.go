package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/keyspace"
	"locktop/model/sight"
	"locktop/ui/cli/session"
	"locktop/watcher/pace"
)

// unseen is what a look did not see of what it was asked for.
type unseen struct {
	// blind is what the answer lacks: keys that were not seen, readings that were refused
	// or failed, and heads of contended locks that were never read.
	blind []sight.Unseen
	// unread counts the leases that had no turn within the budget, and that no finding
	// depends on yet: nobody waits for them.
	unread int
}

// keys are the prefixes that could not be seen. A list of locks says by itself of which
// leases nothing was read.
func (u unseen) keys() []sight.Unseen {
	return slices.DeleteFunc(slices.Clone(u.blind), func(u sight.Unseen) bool { return u.What != sight.Keys })
}

// limits says what the budget of readings left out, "" if nothing.
func (u unseen) limits(budget int, past bool) string {
	switch {
	case u.unread == 0:
		return ""
	case past:
		return fmt.Sprintf("by then %s had no reading yet; nobody waits for what hangs on them", model.Many(u.unread, "lease"))
	}
	return fmt.Sprintf("the budget of %s a second left %s unread; --lease-budget or a longer --for reads them",
		model.Many(budget, "reading"), model.Many(u.unread, "lease"))
}

// notSeen is the error of an answer that lacks something of what was asked for, nil if
// it lacks nothing.
func notSeen(where string, blind []sight.Unseen) error {
	if len(blind) == 0 {
		return nil
	}
	lines := []string{"not all could be seen at " + where}
	for _, u := range blind {
		what := "the lists of leases"
		switch u.What {
		case sight.Keys:
			what = quoted([]string{u.Prefix})[0]
			if u.Prefix != "" {
				what = "the keys under " + what
			}
		case sight.Leases:
			what = "the readings of " + model.Many(u.Leases, "lease")
		}
		lines = append(lines, fmt.Sprintf("  %s, for %s: %s", what, model.Duration(u.For, false), u.Reason))
	}
	return badInput{manyLines(lines)}
}

// notFollowed is the error of keys that were followed and are not seen at the end, or were
// not for a while: what happened then is missing.
func notFollowed(w *watched) error {
	return notSeen(w.Name, unseen{blind: sight.Of(w.State.Keyspace, time.Time{}, nil)}.keys())
}

// observe takes in what happens for as long as the flags say, and then makes sure that
// all of it was seen: a cluster that is frozen says nothing, and so does one on which
// nothing happens.
func (v *viewer) observe(ctx context.Context, on *session.Session, out outFlags) (not unseen, err error) {
	if err := on.Pull(ctx, session.Pull{For: out.watch}); err != nil {
		return not, err
	}
	s, end := on.State, pace.Now()
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: end}}})
	asked := wanted(s, out.leases)
	left := slices.Clone(asked)
	err = on.Pull(ctx, session.Pull{For: v.flags.commandTimeout, Confirm: true, Until: func() bool {
		left = untried(s, left)
		return s.SeenUpTo(end) && (s.Lost() || enough(s, left, v.flags.leaseBudget) && len(unlisted(s)) == 0)
	}})
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: pace.Now()}}})
	if out.leases != "none" {
		for _, l := range s.UnreadLeases() { // of waiters, too
			asked = append(asked, l.ID)
		}
	}
	if s.SeenUpTo(end) && !s.Lost() { // else it was no want of budget
		asked, not.unread = withoutIdle(s, asked, untried(s, left))
	}
	not.blind = sight.Of(s.Keyspace, end, asked)
	return not, err
}

// withoutIdle takes those of the leases without a reading that nobody waits for out of what
// was asked, and counts them.
func withoutIdle(s *fold.State, asked, unread []model.LeaseID) (rest []model.LeaseID, n int) {
	idle := map[model.LeaseID]bool{}
	for _, id := range unread {
		if !contended(s, id) {
			idle[id] = true
		}
	}
	return slices.DeleteFunc(asked, func(id model.LeaseID) bool { return idle[id] }), len(idle)
}

// enough says whether the readings that are left need not be waited for: a finding depends
// on that of a contended lock, and the others would take the budget more than a second.
func enough(s *fold.State, left []model.LeaseID, budget int) bool {
	return len(left) == 0 || len(left) > budget && !slices.ContainsFunc(left, func(id model.LeaseID) bool { return contended(s, id) })
}

// contended says whether a claim of the lease is the head of a lock that others wait for.
func contended(s *fold.State, id model.LeaseID) bool {
	return slices.ContainsFunc(s.Lease(id).Claims(), func(c *keyspace.Claim) bool {
		l := c.Lock()
		return l != nil && l.Head() == c && l.Behind() > 0
	})
}

// untried takes those out of a list whose reading was tried, or that are gone.
func untried(s *fold.State, ids []model.LeaseID) []model.LeaseID {
	return slices.DeleteFunc(ids, func(id model.LeaseID) bool {
		l := s.Lease(id)
		return l == nil || l.HasRead || l.Unread != ""
	})
}

// wanted returns the leases for which a reading is bought.
func wanted(s *fold.State, leases string) []model.LeaseID {
	var ids []model.LeaseID
	seen := map[model.LeaseID]bool{0: true}
	add := func(c *keyspace.Claim) {
		if c != nil && !seen[c.KV.Lease] {
			seen[c.KV.Lease] = true
			ids = append(ids, c.KV.Lease)
		}
	}
	for _, l := range s.Locks() {
		switch leases {
		case "heads":
			add(l.Head())
		case "all":
			for c := range l.Claims {
				add(c)
			}
		}
	}
	return ids
}

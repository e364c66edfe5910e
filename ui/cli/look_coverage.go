package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"

	"locktop/ui/cli/session"
	"locktop/watcher/pace"
)

// unseen is what a look did not see of what it was asked for.
type unseen struct {
	// blind is what the answer lacks: keys that were not seen, readings that were refused
	// or failed, and heads of contended locks that were never read.
	blind []locks.CoverageGap
	// unread counts the leases that had no turn within the budget, and that no finding
	// depends on yet: nobody waits for them.
	unread int
	// spent: the readings took what the budget allows, so that a larger one would have done more.
	spent bool
}

// keys are the prefixes that could not be seen. A list of locks says by itself of which
// leases nothing was read.
func (u unseen) keys() []locks.CoverageGap {
	return slices.DeleteFunc(slices.Clone(u.blind), func(u locks.CoverageGap) bool { return u.Kind != locks.CoverageKeys })
}

// limits says what the budget of readings left out, "" if nothing.
func (u unseen) limits(budget int, past bool) string {
	switch {
	case u.unread == 0:
		return ""
	case past:
		return fmt.Sprintf("by then %s had no reading yet; nobody waits for what hangs on them", model.CountOf(u.unread, "lease"))
	}
	if !u.spent {
		return fmt.Sprintf("%s had no reading in time, though the budget allowed more; a longer --for may read them", model.CountOf(u.unread, "lease"))
	}
	return fmt.Sprintf("the budget of %s a second left %s unread; --lease-budget or a longer --for reads them",
		model.CountOf(budget, "reading"), model.CountOf(u.unread, "lease"))
}

// notSeen is the error of an answer that lacks something of what was asked for, nil if
// it lacks nothing.
func notSeen(where string, blind []locks.CoverageGap) error {
	if len(blind) == 0 {
		return nil
	}
	lines := []string{"not all could be seen at " + where}
	for _, u := range blind {
		what := "the lists of leases"
		switch u.Kind {
		case locks.CoverageKeys:
			what = quoted([]string{u.Prefix})[0]
			if u.Prefix != "" {
				what = "the keys under " + what
			}
		case locks.CoverageLeases:
			what = "the readings of " + model.CountOf(u.Leases, "lease")
		}
		lines = append(lines, fmt.Sprintf("  %s, for %s: %s", what, model.Duration(u.Duration, false), text.English(u.Reason)))
	}
	return badInput{manyLines(lines)}
}

// followed is the error of keys that were followed and were not seen up to the end, or were not
// for a while: what happened then is missing. It asks whether all was delivered, since a watch on
// which nothing happens and one that hangs are both silent, and waits as long as one request may
// take. Who has to end at once asks nobody: then the last proof must not be old.
func (v *viewer) followed(ctx context.Context, on *session.Session, atOnce bool) error {
	end := pace.Now()
	on.State.Apply(model.Batch{Events: []model.Event{model.Tick{At: end}}})
	if !atOnce {
		if err := v.confirm(ctx, on, end, nil, func() bool { return true }); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if atOnce || ctx.Err() != nil {
		end = end.Add(-provenWithin)
		// What has come already is taken in.
		seen := func() bool { return on.State.Coverage().SeenUpTo(end) }
		if err := on.Pull(context.WithoutCancel(ctx), session.Pull{For: hasCome, Until: seen}); err != nil && !atOnce {
			return err
		}
	}
	blind := unseen{blind: on.State.CoverageGaps(end, nil)}.keys()
	if len(on.State.Coverage().Watches()) == 0 { // it ended before the first list began
		asked := v.flags.prefixes
		if len(asked) == 0 {
			asked = []string{""} // all keys
		}
		for _, p := range asked {
			blind = append(blind, locks.CoverageGap{Kind: locks.CoverageKeys, Prefix: p, Reason: model.Say("not-listed-to-its-end")})
		}
	}
	return notSeen(on.Name, blind)
}

// hasCome is how long it takes to take in what has come.
const hasCome = 200 * time.Millisecond

// confirm waits until all is seen as it was at the end, or lost, and what else is waited for, as
// long as one request may take. Want, if not nil, is what is asked for meanwhile.
func (v *viewer) confirm(ctx context.Context, on *session.Session, end time.Time, want func() model.Want, also func() bool) error {
	return on.Pull(ctx, session.Pull{For: v.flags.commandTimeout, Confirm: true, Want: want,
		Until: func() bool { return on.State.Coverage().SeenUpTo(end) && also() }})
}

// observe takes in what happens for as long as the flags say, and then makes sure that
// all of it was seen: a cluster that is frozen says nothing, and so does one on which
// nothing happens.
func (v *viewer) observe(ctx context.Context, on *session.Session, out outFlags) (not unseen, err error) {
	begin, before := pace.Now(), on.Cost.Readings
	if err := on.Pull(ctx, session.Pull{For: out.watch}); err != nil {
		return not, err
	}
	s, end := on.State, pace.Now()
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: end}}})
	asked := wanted(s, out.leases)
	left := slices.Clone(asked)
	err = v.confirm(ctx, on, end, func() model.Want { // the state itself wants no lease of keys that are no lock
		want := s.Want(nil)
		want.Leases = append(slices.Clone(left), want.Leases...)
		return want
	}, func() bool {
		left = untried(s, left)
		return s.Coverage().Lost() || enough(s, left, v.flags.leaseBudget) && len(unlisted(s)) == 0
	})
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: pace.Now()}}})
	if out.leases != "none" {
		for _, l := range s.UnreadLeases() { // of waiters, too
			asked = append(asked, l.ID)
		}
	}
	if s.Coverage().SeenUpTo(end) && !s.Coverage().Lost() { // else it was no want of budget
		asked, not.unread = withoutIdle(s, asked, untried(s, slices.Clone(asked)))
		not.spent = float64(on.Cost.Readings-before+1) >= pace.Now().Sub(begin).Seconds()*float64(v.flags.leaseBudget)/2
	}
	not.blind = s.CoverageGaps(end, asked)
	return not, err
}

// withoutIdle takes those of the leases without a reading that nobody waits for out of what
// was asked, and counts those of them that a lock hangs on: no finding is about another one.
func withoutIdle(s *store.Store, asked, unread []model.LeaseID) (rest []model.LeaseID, n int) {
	idle := map[model.LeaseID]bool{}
	for _, id := range unread {
		if !contended(s, id) {
			idle[id] = true
		}
	}
	rest = slices.DeleteFunc(asked, func(id model.LeaseID) bool { return idle[id] })
	for id := range idle {
		if len(s.Lease(id).Competing()) > 0 {
			n++
		}
	}
	return rest, n
}

// enough says whether the readings that are left need not be waited for: a finding depends
// on that of a contended lock, and the others would take the budget more than a second.
func enough(s *store.Store, left []model.LeaseID, budget int) bool {
	return len(left) == 0 || len(left) > budget && !slices.ContainsFunc(left, func(id model.LeaseID) bool { return contended(s, id) })
}

// contended says whether a claim of the lease is the head of a lock that others wait for.
func contended(s *store.Store, id model.LeaseID) bool {
	return slices.ContainsFunc(s.Lease(id).Claims(), func(c *locks.Claim) bool {
		l := c.Lock()
		return l != nil && l.Head() == c && l.Behind() > 0
	})
}

// untried takes those out of a list whose reading was tried, or that are gone.
func untried(s *store.Store, ids []model.LeaseID) []model.LeaseID {
	return slices.DeleteFunc(ids, func(id model.LeaseID) bool {
		l := s.Lease(id)
		return l == nil || l.HasRead || !l.Unread.IsZero()
	})
}

// wanted returns the leases for which a reading is bought.
func wanted(s *store.Store, leases string) []model.LeaseID {
	var ids []model.LeaseID
	seen := map[model.LeaseID]bool{0: true}
	add := func(c *locks.Claim) {
		if c != nil && !seen[c.KV.Lease] {
			seen[c.KV.Lease] = true
			ids = append(ids, c.KV.Lease)
		}
	}
	for _, l := range s.Locks() {
		switch leases {
		case "heads":
			for c := range l.First(max(1, min(l.Holders(), locks.MaxScan))) {
				add(c)
			}
		case "all":
			for c := range l.Claims {
				add(c)
			}
		}
	}
	return ids
}

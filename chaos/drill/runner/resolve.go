package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/model"
	"locktop/model/store"
)

// resolver finds out whom a target means now.
type resolver struct {
	d      *drill.Drill
	s      *store.Store
	j      *check.Checker
	rng    *rand.Rand
	leader func(context.Context) (string, error)
}

// resolve returns the fault with its target by name, and the process that it hits.
func (r *resolver) resolve(ctx context.Context, f model.Fault) (model.Fault, string, error) {
	info, _ := f.Kind.Info()
	var err error
	if f.Member != "" {
		if f.Member, err = r.member(ctx, f.Member); err != nil {
			return f, "", err
		}
	}
	switch info.Target {
	case model.TargetMember:
		f.Target, err = r.member(ctx, f.Target)
		return f, "", err
	case model.TargetProcess, model.TargetClaim, model.TargetClient:
		return r.contender(f)
	}
	return f, "", nil
}

func (r *resolver) contender(f model.Fault) (model.Fault, string, error) {
	t := drill.ParsePhrase(f.Target)
	switch {
	case t.Place > 0:
		who, err := r.atPlace(t)
		f.Target = who
		return f, who, err
	case t.LeaseOf != "":
		for _, c := range r.s.Reports().Contenders() {
			if drill.Process(c.Name) == drill.Process(t.LeaseOf) && c.Lease != 0 {
				f.Target = "lease:" + c.Lease.String()
				return f, drill.Process(c.Name), nil
			}
		}
		return f, "", fmt.Errorf("%s has no lease now", t.LeaseOf)
	case t.Name == "all":
		return f, "", nil
	}
	f.Target = drill.Process(t.Name)
	return f, f.Target, nil
}

// atPlace is the contender whose claim stands at a place of the queue.
func (r *resolver) atPlace(t drill.Phrase) (string, error) {
	name := t.Lock
	if name == "" {
		name = r.d.Lab.Locks()[0]
	}
	l := r.s.Lock(name)
	what := "holds " + name
	place := 0
	if t.Place > 1 {
		what = fmt.Sprintf("is waiter %d of %s", t.Place-1, name)
		if l != nil {
			place = l.Holders() + t.Place - 2
		}
	}
	if l == nil || l.At(place) == nil || t.Place == 1 && l.Holder() == nil {
		return "", fmt.Errorf("nobody %s now", what)
	}
	c := l.At(place)
	who := r.j.OwnerOf(c.KV.Lease, c.Value)
	if who == "" {
		return "", fmt.Errorf("who %s is not known: %s is of no contender", what, model.Printable(c.Key))
	}
	return who, nil
}

func (r *resolver) member(ctx context.Context, s string) (string, error) {
	t := drill.ParsePhrase(s)
	if t.MemberOf != "" {
		c, _ := r.d.Lab.Contender(t.MemberOf)
		return c.Member, nil
	}
	if !t.Leader && !t.Follower {
		return s, nil
	}
	leader, err := r.leads(ctx)
	if err != nil || t.Leader {
		return leader, err
	}
	others := slices.DeleteFunc(r.d.Lab.MemberNames(), func(m string) bool { return m == leader })
	if len(others) == 0 {
		return "", errors.New("one member has no follower")
	}
	return others[r.rng.IntN(len(others))], nil
}

// leads asks who leads now; the last round of status may be seconds old.
func (r *resolver) leads(ctx context.Context) (string, error) {
	if r.leader != nil {
		name, err := r.leader(ctx)
		if err != nil {
			return "", fmt.Errorf("asking who leads: %w", err)
		}
		return name, nil
	}
	if m := r.s.Cluster().Leader(); m.Name != "" {
		return m.Name, nil
	}
	return "", errors.New("the cluster has no leader now")
}

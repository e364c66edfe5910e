package findings_test

import (
	"fmt"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
)

// livesOn returns the finding about a lease that lives on, "" for none.
func (g *granter) livesOn() string {
	g.answer()
	for _, f := range g.s.Findings() {
		if f.Code == model.CodeExternalDelete {
			return fmt.Sprintf("%s %s %s", f.Severity, f.Confidence, f.Lease)
		}
	}
	return ""
}

// TestALeaseThatLivesOnBesideTheNextHolder: a key that somebody deletes and one that its owner
// deletes look the same in etcd. What follows tells them apart, or nothing does.
func TestALeaseThatLivesOnBesideTheNextHolder(t *testing.T) {
	const lock = "/jobs/a"
	for _, r := range []struct {
		reason string
		story  func(g *granter, old, next model.LeaseID)
		found  bool
	}{
		{"its key was deleted by hand: it is renewed on, and never comes back", func(g *granter, old, next model.LeaseID) { g.pass(20) }, true},
		{"not before it was away for its TTL", func(g *granter, old, next model.LeaseID) { g.pass(9) }, false},
		{"its program ended with its work, as etcdctl lock does", func(g *granter, old, next model.LeaseID) {
			g.leases[old].kept = false
			g.pass(9)
			g.pass(11)
		}, false},
		{"a session that is closed after the unlock", func(g *granter, old, next model.LeaseID) {
			delete(g.leases, old)
			g.pass(20)
		}, false},
		{"it queues for the lock again", func(g *granter, old, next model.LeaseID) {
			g.pass(3)
			g.Put(g.sec, modeltest.ClaimKey(lock, old), "", old)
			g.pass(20)
		}, false},
		{"it came back after it was told", func(g *granter, old, next model.LeaseID) {
			g.pass(20)
			g.Put(g.sec, modeltest.ClaimKey(lock, old), "", old)
			g.pass(2)
		}, false},
		{"it locks another lock with the same session", func(g *granter, old, next model.LeaseID) {
			g.pass(3)
			g.Put(g.sec, modeltest.ClaimKey("/jobs/b", old), "", old)
			g.pass(20)
		}, false},
		{"something else hangs on its lease, like a registration", func(g *granter, old, next model.LeaseID) {
			g.Put(g.sec, "/elsewhere/a", "me", old)
			g.pass(20)
		}, false},
		{"nobody holds the lock after it", func(g *granter, old, next model.LeaseID) {
			g.Del(g.sec, modeltest.ClaimKey(lock, next))
			delete(g.leases, next)
			g.pass(20)
		}, false},
	} {
		t.Run(r.reason, func(t *testing.T) {
			g := newGranter()
			old, next := g.grant(10, true), g.grant(10, true)
			g.Put(g.sec, modeltest.ClaimKey(lock, old), "", old)
			g.Put(g.sec, modeltest.ClaimKey(lock, next), "", next)
			g.pass(3)
			g.Del(g.sec, modeltest.ClaimKey(lock, old))
			r.story(g, old, next)
			want := ""
			if r.found {
				want = fmt.Sprintf("info hint %s", old)
			}
			if got := g.livesOn(); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

// TestAPoolThatKeepsItsSessionsIsKnown: three sessions that each rest half a minute between two
// holds. Once that is known of the lock, it is nothing to tell.
func TestAPoolThatKeepsItsSessionsIsKnown(t *testing.T) {
	g := newGranter()
	var pool []model.LeaseID
	for range 3 {
		pool = append(pool, g.grant(10, true))
	}
	var told []string
	g.Put(g.sec, modeltest.ClaimKey("/lock", pool[0]), "", pool[0])
	for n := range 20 {
		is, next := pool[n%3], pool[(n+1)%3]
		g.pass(14)
		if text := g.livesOn(); text != "" && n > 6 {
			told = append(told, fmt.Sprint(n, " ", text))
		}
		g.Put(g.sec, modeltest.ClaimKey("/lock", next), "", next)
		g.pass(1)
		g.Del(g.sec, modeltest.ClaimKey("/lock", is))
	}
	if len(told) > 0 {
		t.Errorf("told %q", told)
	}
}

// TestReleasedGrowsStrongWhereASessionIsAlwaysTheSame: a worker that holds and queues again without
// a pause. The delete of its key by others is followed by the rest of its work.
func TestReleasedGrowsStrongWhereASessionIsAlwaysTheSame(t *testing.T) {
	for _, r := range []struct {
		reason string
		away   []float64 // after each hold of 2 s
		want   model.Confidence
	}{
		{"the first ones show nothing yet", []float64{.002, .002, .002}, model.Hint},
		{"always at once", []float64{.002, .0021, .002, .0025}, model.Strong},
		{"it worked on for a tenth of a second", []float64{.002, .002, .002, .1}, model.Hint},
		{"what was not like this before says nothing now", []float64{.002, .4, .002, .002}, model.Hint},
		{"a pause of the same length each time", []float64{.3, .3005, .3, .301}, model.Strong},
		{"a pause that varies may be the rest of its work", []float64{.3, .5, .4, .35}, model.Hint},
		{"what arrives together may lie apart", []float64{.002, .002, .002, 0}, model.Hint},
	} {
		t.Run(r.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			key, sec := modeltest.ClaimKey("/lock", 1), 1.0
			h.Put(sec, key, "", 1)
			for _, away := range r.away {
				sec += 2
				h.Del(sec, key)
				sec += away
				h.Put(sec, key, "", 1)
			}
			g := newGranter()
			g.s.Apply(model.Batch{Events: h.Events})
			var last []string
			for _, f := range g.s.Journal() {
				if f.Kind == journal.Left || f.Kind == journal.Handover {
					last = append(last, fmt.Sprintf("%s %s", f.Cause, f.Confidence))
				}
			}
			if got, want := last[len(last)-1], "released "+string(r.want); got != want || last[len(last)-2] != want {
				t.Errorf("got %q, want %q", last, want)
			}
		})
	}
}

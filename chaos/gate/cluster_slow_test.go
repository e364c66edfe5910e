//go:build slow

package gate

import (
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/watcher/hostile"
)

// A plan holds for the cluster that it was read from. A copy of it has the same keys and
// leases, and is another one.
func TestNothingIsWrittenToAnotherCluster(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		known  uint64 // to the gate from the start
		before bool   // the other cluster answers before the plan is made
		id     uint64 // of the cluster that answers then
		refuse bool
		reason string
	}{
		{name: "after the plan", id: 0xbb, refuse: true, reason: "the plan is not about these keys"},
		{name: "before the plan", known: 0xaa, before: true, id: 0xbb, refuse: true, reason: "it was armed for another one"},
		{name: "the same", known: 0xaa, id: 0xaa, reason: "nothing has changed"},
		{name: "no name", known: 0xaa, id: 0, reason: "a proxy may leave the id out, which says nothing"},
	} {
		for _, kind := range []model.ActionKind{model.RevokeLease, model.DeleteClaim} {
			t.Run(row.name+" "+string(kind), func(t *testing.T) {
				s := hostile.Start(t, "127.0.0.1:0")
				key := hostile.Key("/l/a", 1, 5)
				s.Become(0xaa, 10, key)
				g := gateTo(t, row.known, s.Addr)
				a := model.Action{Kind: kind, Key: string(key.Key), CreateRev: 5, Lease: 1}
				if row.before {
					s.Become(row.id, 10, key)
				}
				p, err := g.Plan(chaostest.Within(t), a)
				if row.before {
					if err == nil || !strings.Contains(err.Error(), "another cluster answers (id bb instead of aa)") {
						t.Errorf("plan: %v", err)
					}
				} else {
					chaostest.Must(t, err)
				}
				s.Become(row.id, 10, key)
				o := g.Do(chaostest.Within(t), p)
				if !row.refuse {
					if !o.Done || len(s.Wrote()) != 1 {
						t.Errorf("%s: %+v, wrote %v", row.reason, o, s.Wrote())
					}
					return
				}
				wantRefused(t, o, "another cluster answers (id bb instead of aa)")
				if len(s.Wrote()) != 0 {
					t.Errorf("%s: wrote %v", row.reason, s.Wrote())
				}
				s.Become(0xaa, 10, key)
				if err := g.Available(a); err == nil || !strings.HasPrefix(err.Error(), "disarmed: ") {
					t.Errorf("armed again: %v", err)
				}
				wantRefused(t, g.Do(chaostest.Within(t), p), "disarmed: ")
			})
		}
	}
}

// Whatever a server answers to the gate, it is an outcome in words and never a crash.
func TestTheGateOnHostileAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		alter  func(answer any)
		plan   string // what is wrong with the plan, "" if nothing is
		do     string // what is wrong with the act
		reason string
	}{
		{name: "a reading without a header", alter: func(a any) {
			if r, ok := a.(*pb.LeaseTimeToLiveResponse); ok {
				r.Header = nil
			}
		}, plan: "answered LeaseTimeToLive without a header", reason: "its term and revision are there"},
		{name: "a range without a header", alter: func(a any) {
			if r, ok := a.(*pb.RangeResponse); ok {
				r.Header = nil
			}
		}, plan: "answered Range without a header", reason: "the cluster is named there"},
		{name: "a revoke without a header", alter: func(a any) {
			if r, ok := a.(*pb.LeaseRevokeResponse); ok {
				r.Header = nil
			}
		}, do: "answered LeaseRevoke without a header: it is not an etcd server, or a proxy before it is broken: no answer that can be used, so it may have been done", reason: "the revision is there"},
		{name: "a transaction without a result", alter: func(a any) {
			if r, ok := a.(*pb.TxnResponse); ok {
				r.Succeeded, r.Responses = false, nil
			}
		}, do: "answered Txn without the result of each operation", reason: "the key as it is now is there"},
		{name: "a status without a header", alter: func(a any) {
			if r, ok := a.(*pb.StatusResponse); ok {
				r.Header = nil
			}
		}, reason: "an endpoint that does not name its cluster is as good as one that does not answer"},
	} {
		for _, kind := range []model.ActionKind{model.RevokeLease, model.DeleteClaim} {
			s := hostile.Start(t, "127.0.0.1:0")
			key := hostile.Key("/l/a", 1, 5)
			s.Become(0xaa, 10, key)
			s.Alter(func(_ string, answer any) any { row.alter(answer); return answer })
			g := gateTo(t, 0, s.Addr)
			p, err := g.Plan(chaostest.Within(t), model.Action{Kind: kind, Key: string(key.Key), CreateRev: 5, Lease: 1})
			switch {
			case row.plan != "":
				if kind == model.RevokeLease && (err == nil || !strings.Contains(err.Error(), s.Addr+" "+row.plan)) {
					t.Errorf("%s, %s: plan: %v", row.name, kind, err)
				}
				continue
			case err != nil:
				t.Errorf("%s, %s: plan: %v", row.name, kind, err)
				continue
			}
			o := g.Do(chaostest.Within(t), p)
			if about := kind == model.RevokeLease == strings.Contains(row.do, "Revoke"); row.do != "" && about {
				wantRefused(t, o, s.Addr+" "+row.do)
			} else if !o.Done {
				t.Errorf("%s, %s: %+v: %s", row.name, kind, o, row.reason)
			}
		}
	}
}

package demo

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/journal"
)

const manyLocks = 200

// manyLocksMain is a program that holds many locks by so many leases, and renews them until
// it is killed.
func manyLocksMain(endpoint, prefix, leases string) error {
	ctx := context.Background()
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer cli.Close()
	n, err := strconv.Atoi(leases)
	if err != nil {
		return err
	}
	ids := make([]clientv3.LeaseID, n)
	for i := range ids {
		r, err := cli.Grant(ctx, 6)
		if err != nil {
			return err
		}
		ids[i] = r.ID
		renewals, err := cli.KeepAlive(ctx, r.ID)
		if err != nil {
			return err
		}
		go func() {
			for range renewals { // until it is killed
			}
		}()
	}
	for i := range manyLocks {
		id := ids[i%n]
		if _, err := cli.Put(ctx, claimOf(fmt.Sprintf("%sl%03d", prefix, i), id), "10.0.0.7:5678", clientv3.WithLease(id)); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	select {}
}

// TestOneClientWithManyLocksIsKilled: whoever looks sees one event with a count, and one story
// of findings before it, however many leases the client had. No cause stays unknown.
func TestOneClientWithManyLocksIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("leases take their time")
	}
	for _, leases := range []int{1, manyLocks} {
		t.Run(fmt.Sprint(leases, " leases"), func(t *testing.T) {
			t.Parallel()
			sc := newScene(t, stageCluster(t, 1), "/many/")
			cmd := exec.Command(os.Args[0], asManyLocks, sc.cluster.MemberEndpoints()[0], sc.prefix, strconv.Itoa(leases))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			held := func(s *fold.State) (n int) {
				for _, l := range s.Locks() {
					if l.Holder() != nil {
						n++
					}
				}
				return n
			}
			sc.until("all locks are held", func(s *fold.State) bool { return held(s) == manyLocks })
			sc.until("its leases were read", func(s *fold.State) bool {
				read := 0
				for _, l := range s.Leases() {
					if l.HasRead {
						read++
					}
				}
				return read == leases
			})
			if leases == 1 { // it is looked at: what is on the screen is read often enough to be sure
				sc.screen = slices.Collect(maps.Keys(sc.reads))
			}
			cmd.Process.Kill()
			if leases == 1 {
				var told []model.Finding
				sc.until("it is found on all locks", func(s *fold.State) bool {
					told = s.Told()
					return len(told) >= manyLocks && told[0].Code == model.CodeDeadHolder
				})
				for _, f := range told {
					if f.Code == model.CodeDeadHolder && (f.Story != 1 || f.Count != manyLocks) {
						t.Fatalf("%s on %s is of story %d, of %d; want one story of %d", f.Code, f.Lock, f.Story, f.Count, manyLocks)
					}
				}
			}
			var all *journal.Entry
			sc.until("it is told once", func(s *fold.State) bool {
				if held(s) > 0 {
					return false
				}
				for _, f := range s.Journal() {
					if f.Kind == journal.Together && f.Count == manyLocks && !f.Pending {
						all = f
					}
				}
				return all != nil
			})
			text := all.Sentence(sc.s.Who)
			for _, want := range []string{"200 locks lost their holder", "of 10.0.0.7:5678", "expired"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in %q", want, text)
				}
			}
			for _, f := range sc.s.Journal() {
				if f.GoneRev != 0 && (f.Cause == journal.CauseUnknown || f.Story != all.Story) {
					t.Fatalf("%s: %s (%s), story %d", f.Lock, f.Cause, f.Evidence, f.Story)
				}
			}
		})
	}
}

//go:build slow

package demo

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/text"
)

// TestOneClientWithManyLocksIsKilled: whoever looks sees one event with a count, and one story
// of findings before it, however many leases the client had. No cause stays unknown.
func TestOneClientWithManyLocksIsKilled(t *testing.T) {
	for _, leases := range []int{1, manyLocks} {
		t.Run(fmt.Sprint(leases, " leases"), func(t *testing.T) {
			t.Parallel()
			sc := newScene(t, stageCluster(t, 1), "/many/")
			cmd := exec.Command(os.Args[0], asManyLocks, sc.cluster.MemberEndpoints()[0], sc.prefix, strconv.Itoa(leases))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			held := func(s *store.Store) (n int) {
				for _, l := range s.Locks() {
					if l.Holder() != nil {
						n++
					}
				}
				return n
			}
			sc.until("all locks are held", func(s *store.Store) bool { return held(s) == manyLocks })
			sc.until("its leases were read", func(s *store.Store) bool {
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
				sc.until("it is found on all locks", func(s *store.Store) bool {
					told = s.StoriesOf(nil)
					return len(told) >= manyLocks && told[0].Code == model.CodeDeadHolder
				})
				for _, f := range told {
					if f.Code == model.CodeDeadHolder && (f.Story != 1 || f.Count != manyLocks) {
						t.Fatalf("%s on %s is of story %d, of %d; want one story of %d", f.Code, f.Lock, f.Story, f.Count, manyLocks)
					}
				}
			}
			var all *journal.Entry
			sc.until("it is told once", func(s *store.Store) bool {
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
			said := all.Sentence(sc.s.Who)
			for _, want := range []string{"200 locks lost their holder", "of 10.0.0.7:5678", "expired"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q is missing in %q", want, said)
				}
			}
			for _, f := range sc.s.Journal() {
				if f.GoneRev != 0 && (f.Cause == journal.CauseUnknown || f.Story != all.Story) {
					t.Fatalf("%s: %s (%s), story %d", f.Lock, f.Cause, text.English(f.Evidence), f.Story)
				}
			}
		})
	}
}

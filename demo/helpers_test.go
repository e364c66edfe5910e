package demo

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

func inject(kind model.FaultKind, target string) model.Action {
	return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kind, Target: target}}
}

func heal(kind model.FaultKind, target string) model.Action {
	return model.Action{Kind: model.HealFault, Fault: model.Fault{Kind: kind, Target: target}}
}

func pauseOf(contender string) model.Action { return inject(model.FaultPause, contender) }

// do does an action that has to succeed.
func do(t *testing.T, l *Lab, a model.Action) string {
	t.Helper()
	detail, err := l.Do(t.Context(), a)
	if err != nil {
		t.Fatalf("%s: %v", text.English(a.Message()), err)
	}
	return text.English(detail)
}

// wantRefused does an action that has to fail with that word in the reason.
func wantRefused(t *testing.T, l *Lab, a model.Action, word string) {
	t.Helper()
	if _, err := l.Do(t.Context(), a); err == nil || !strings.Contains(err.Error(), word) {
		t.Errorf("%s: %v, want an error with %q", text.English(a.Message()), err, word)
	}
}

// ownTemp gives the test a place for temporary files of its own, as labs clean up
// there.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

// startLab starts a lab of one member whose contenders hold for ever, changed by
// mod. When the test ends it is closed and must have left nothing.
func startLab(t *testing.T, mod func(*Options)) (*Lab, *feed) {
	t.Helper()
	temp := ownTemp(t)
	o := Options{Members: 1, Contenders: 2, Locks: []string{"/t/a"}, Self: self(),
		TTL: 2, Hold: time.Hour, Think: 50 * time.Millisecond}
	if mod != nil {
		mod(&o)
	}
	begun := time.Now()
	l, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d members and %d contenders: started in %v", o.Members, max(o.Contenders, 0),
		time.Since(begun).Round(time.Millisecond))
	f := newFeed(l)
	t.Cleanup(func() {
		ports := slices.Concat(l.Endpoints(), l.MemberEndpoints())
		for _, m := range memberPIDs(l) {
			f.mu.Lock()
			f.pids[m] = true
			f.mu.Unlock()
		}
		begun := time.Now()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > 10*time.Second { // half a second on a machine that has nothing else to do
			t.Errorf("the lab was closed in %v", took)
		} else {
			t.Logf("closed in %v", took.Round(time.Millisecond))
		}
		f.wg.Wait()
		wantEmpty(t, temp)
		if len(o.Endpoints) == 0 {
			labtest.WantFree(t, ports...)
		}
		for pid := range f.pids {
			if _, err := process.StartTime(pid); err == nil {
				t.Errorf("process %d was left behind", pid)
			}
		}
	})
	return l, f
}

// memberPIDs are the processes of the lab's members.
func memberPIDs(l *Lab) []int {
	if l.cluster == nil {
		return nil
	}
	return slices.Collect(maps.Values(l.cluster.PIDs()))
}

// wantFaults waits until these faults were reported, as feed.faults has them.
func (f *feed) wantFaults(t *testing.T, want ...string) {
	t.Helper()
	for end := time.Now().Add(labtest.Patience); !slices.Equal(f.faults(), want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("faults (-want +got):\n%s", cmp.Diff(want, f.faults()))
		}
	}
}

// wantEmpty fails if a lab's directory is in dir.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, dirPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// feed pulls a lab's reports and keeps them.
type feed struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	all  []model.Event
	pids map[int]bool
}

func newFeed(l *Lab) *feed {
	f := &feed{pids: map[int]bool{}}
	f.wg.Go(func() {
		for {
			b, err := l.Next(context.Background(), model.Want{})
			if err != nil {
				return
			}
			f.mu.Lock()
			f.all = append(f.all, b.Events...)
			for _, e := range b.Events {
				if c, ok := e.(model.Contender); ok {
					f.pids[c.PID] = true
				}
			}
			f.mu.Unlock()
		}
	})
	return f
}

// has says whether an event was seen for which ok.
func (f *feed) has(ok func(model.Event) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.all, ok)
}

// believed returns the contender that said that of itself first, "" if none did.
func (f *feed) believed(s model.BeliefState, except ...string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.all {
		if b, ok := e.(model.Belief); ok && b.State == s && !slices.Contains(except, b.Contender) {
			return b.Contender
		}
	}
	return ""
}

// believes waits until that contender says that.
func (f *feed) believes(t *testing.T, contender string, s model.BeliefState) {
	t.Helper()
	labtest.Eventually(t, contender+" believes "+string(s), func() bool {
		return f.has(func(e model.Event) bool {
			b, ok := e.(model.Belief)
			return ok && b.Contender == contender && b.State == s
		})
	})
}

// holder waits until a contender believes that it holds, and returns it.
func (f *feed) holder(t *testing.T, except ...string) (name string) {
	t.Helper()
	labtest.Eventually(t, "somebody holds", func() bool {
		name = f.believed(model.BeliefHolding, except...)
		return name != ""
	})
	return name
}

// ended waits until a contender's process is over and returns how.
func (f *feed) ended(t *testing.T, contender string) (how string) {
	t.Helper()
	labtest.Eventually(t, contender+" ends", func() bool {
		return f.has(func(e model.Event) bool {
			c, ok := e.(model.Contender)
			if ok && c.Name == contender && c.Proc == model.ProcEnded {
				how = c.Ended
				return true
			}
			return false
		})
	})
	return how
}

// faults are the lines of the faults that were reported, without ids.
func (f *feed) faults() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := map[int]string{}
	var lines []string
	for _, e := range f.all {
		switch e := e.(type) {
		case model.FaultOn:
			names[e.ID] = text.English(e.Fault.Message())
			lines = append(lines, "on: "+names[e.ID])
		case model.FaultOff:
			lines = append(lines, "off: "+names[e.ID]+": "+string(e.Why))
		}
	}
	return lines
}

// exists says whether there is a file of that name.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

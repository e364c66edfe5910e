package watcher

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher/pace"
)

// passOn lets a lock go through n hands, each queued behind the one before, and returns
// the revision of each handover.
func passOn(t *testing.T, c *clientv3.Client, lock string, n int) []int64 {
	t.Helper()
	key := func(lease clientv3.LeaseID) string { return fmt.Sprintf("%s/%x", lock, int64(lease)) }
	holder := grant(t, c)
	put(t, c, key(holder), "", clientv3.WithLease(holder))
	var revs []int64
	for range n {
		next := grant(t, c)
		put(t, c, key(next), "", clientv3.WithLease(next))
		d := must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), key(holder)))
		revs = append(revs, d.Header.Revision)
		holder = next
	}
	return revs
}

// past are the revisions that came as history, in their order.
func past(r *record) []int64 {
	var revs []int64
	for _, c := range all[model.Committed](r) {
		if c.Past {
			revs = append(revs, c.Rev)
		}
	}
	return revs
}

// told is the journal of the state that the events make.
func told(r *record) string {
	s := store.New()
	for _, b := range r.batches {
		s.Apply(b)
	}
	var text strings.Builder
	for _, f := range s.Journal() {
		fmt.Fprintf(&text, "%v %d %s %s\n", f.Past, f.Rev, f.Kind, f.Sentence(func(model.ClaimRef) string { return "X" }))
	}
	return text.String()
}

// TestHistoryOfHandovers: since the second handover there are three more, undated; what
// happens afterwards is seen as it happens.
func TestHistoryOfHandovers(t *testing.T) {
	c := newServer(t).dial()
	handovers := passOn(t, c, "/jobs/a", 5)
	put(t, c, "/other", "not of the prefix")
	since := handovers[1]
	r := &record{t: t, w: newWatcher(t, c, Options{Prefixes: []string{"/jobs/"}, Since: since})}
	has[model.Watching](r, 1)
	loaded := all[model.Loaded](r)
	if len(loaded) != 1 || loaded[0].Rev != since || loaded[0].Until != handovers[4]+1 || !loaded[0].Note.IsZero() {
		t.Fatalf("loaded %+v, want revision %d until %d", loaded, since, handovers[4]+1)
	}
	var want []int64
	for rev := since + 1; rev <= handovers[4]; rev++ {
		want = append(want, rev)
	}
	if d := cmp.Diff(want, past(r)); d != "" {
		t.Errorf("history:\n%s", d)
	}
	lease := grant(t, c)
	rev := put(t, c, fmt.Sprintf("/jobs/a/%x", int64(lease)), "", clientv3.WithLease(lease))
	r.until("the claim that is made now", func() bool {
		all := all[model.Committed](r)
		return all[len(all)-1].Rev == rev && !all[len(all)-1].Past
	})
	got := told(r)
	if n := strings.Count(got, "handover X took /jobs/a again (cause unknown: hint)\n"); n != 3 || strings.Count(got, "true ") != 6 {
		t.Errorf("%d handovers in\n%s", n, got)
	}
	for _, want := range []string{
		fmt.Sprintf("false %d gap the history of /jobs/ is read from revision %[1]d on: when it happened is not known, nor what came before\n", since),
		fmt.Sprintf("false %d gap the history of /jobs/ is read up to revision %[1]d: from here on it is seen as it happens\n", handovers[4]+1),
		fmt.Sprintf("false %d queued X joined the queue", rev),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestHowFarHistoryGoes(t *testing.T) {
	c := newServer(t).dial()
	handovers := passOn(t, c, "/jobs/a", 9)
	compacted, head := handovers[2], handovers[8]
	if _, err := c.Compact(t.Context(), compacted, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		since, max, from int64
		note, reason     string
	}{
		{handovers[4], 0, handovers[4], "", "it is all there"},
		{compacted, 0, compacted, "", "the very revision of the compaction can still be read"},
		{compacted - 1, 0, compacted, fmt.Sprintf("revision %d is compacted: the first one that can be had is %d", compacted-1, compacted), "one too far"},
		{1, 0, compacted, fmt.Sprintf("revision 1 is compacted: the first one that can be had is %d", compacted), "much too far"},
		{SinceAll, 0, compacted, fmt.Sprintf("what is older than revision %d is compacted", compacted), "all that there is"},
		{handovers[4], 3, head - 3, fmt.Sprintf("revision %d is %d revisions back and 3 are read at most (--since-max), from %d on", handovers[4], head-handovers[4], head-3), "the bound"},
		{SinceAll, 3, head - 3, fmt.Sprintf("of the history only the last 3 revisions are read (--since-max), from %d on", head-3), "the bound of all"},
		{head, 0, head, "", "no history is left to read"},
		{head + 5, 0, head, fmt.Sprintf("there is no history since revision %d: the cluster stands at %d", head+5, head), "the future"},
		{0, 0, head, "", "nobody asked"},
	}
	for _, row := range rows {
		t.Run(row.reason, func(t *testing.T) {
			r := &record{t: t, w: newWatcher(t, c, Options{Prefixes: []string{"/jobs/"}, Since: row.since, SinceMax: row.max})}
			has[model.Watching](r, 1)
			l := all[model.Loaded](r)
			if len(l) != 1 || l[0].Rev != row.from || text.English(l[0].Note) != row.note {
				t.Errorf("got %+v, want from %d, %q", l, row.from, row.note)
			}
			if got := past(r); int64(len(got)) != head-row.from {
				t.Errorf("%d revisions of history %v, want those from %d to %d", len(got), got, row.from+1, head)
			}
			if row.note != "" && !strings.Contains(told(r), row.note) {
				t.Errorf("no %q in\n%s", row.note, told(r))
			}
		})
	}
}

// TestHistoryFromTheFirstRevision: where nothing was compacted all begins with nothing.
func TestHistoryFromTheFirstRevision(t *testing.T) {
	c := newServer(t).dial()
	passOn(t, c, "/jobs/a", 2)
	r := &record{t: t, w: newWatcher(t, c, Options{Since: SinceAll})}
	has[model.Watching](r, 1)
	if l := all[model.Loaded](r); len(l) != 1 || l[0].Rev != 1 || !l[0].Note.IsZero() {
		t.Errorf("loaded %+v, want revision 1", l)
	}
	if got := told(r); strings.Count(got, " handover ") != 2 || !strings.Contains(got, "true 2 acquired X took /jobs/a, which was free") {
		t.Errorf("told:\n%s", got)
	}
}

// TestHistoryIsReadOnePrefixAfterAnother, with one watch for each.
func TestHistoryIsReadOnePrefixAfterAnother(t *testing.T) {
	c := &fake{rev: 40, hold: make(chan struct{})}
	asked, answer := 0, false
	c.open = func(s *fakeStream) {
		s.progress = func() {
			c.set(func() {
				if asked++; answer {
					s.tell(c.rev)
				}
			})
		}
	}
	o := Options{Prefixes: []string{"/a/", "/b/", "/c/"}, Since: 10, Timing: quick}
	o.Timing.Silence = deadline // it is slow, and nobody loses patience
	w, _ := start(c, &pace.Meter{}, o.withDefaults())
	t.Cleanup(func() { _ = w.Close() })
	r := &record{t: t, w: w}
	has[model.Loaded](r, 1)
	counts := func() (streams, times int) {
		c.set(func() { streams, times = len(c.streams), asked })
		return streams, times
	}
	for until := 20; ; { // by then the others had every chance
		streams, times := counts()
		if streams > 1 || len(all[model.LoadStarted](r)) > 1 {
			t.Fatalf("%d watches while the first one is behind: %v", streams, r.story())
		}
		if times >= until {
			break
		}
		pace.Sleep(t.Context(), quick.Ask, nil)
	}
	c.set(func() { answer = true })
	r.until("all three are live", func() bool {
		live := map[string]bool{}
		for _, w := range all[model.Watching](r) {
			live[w.Prefix] = true
		}
		return len(live) == 3
	})
	if streams, _ := counts(); streams != 3 {
		t.Errorf("%d watches for three prefixes", streams)
	}
	for _, l := range all[model.Loaded](r) { // in no order: each takes its turn when it can
		if l.Rev != 10 || l.Until != 40 {
			t.Errorf("loaded %+v", l)
		}
	}
}

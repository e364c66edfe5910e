package findings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/text"
)

// TestFindingsOfOneCauseAreOneStory: by the client's name, by its one lease, and at least by
// their kind. What differs in any of these is told by itself, and so are a few.
func TestFindingsOfOneCauseAreOneStory(t *testing.T) {
	for _, r := range []struct {
		reason string
		locks  int
		value  func(i int) string
		lease  func(i int) model.LeaseID
		want   []int // how many findings each story has, by its number
		words  string
	}{
		{"twelve locks by one lease", 12, func(int) string { return "" }, func(int) model.LeaseID { return 0xa1 }, []int{12},
			"12 locks, by one lease: /lock00, /lock01, /lock02 and 9 more"},
		{"two locks by one lease", 2, func(int) string { return "" }, func(int) model.LeaseID { return 0xa1 }, []int{2},
			"2 locks, by one lease: /lock00, /lock01"},
		{"nine leases are read one by one", 9, func(int) string { return "" }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, nil, ""},
		{"nine of one name are, too", 9, func(int) string { return "10.0.0.7:1" }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, nil, ""},
		{"a lease each, and one name", 12, func(int) string { return "10.0.0.7:1" }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, []int{12},
			"12 locks of 10.0.0.7:1: /lock00, /lock01, /lock02 and 9 more"},
		{"two clients are two stories", 24, func(i int) string { return fmt.Sprintf("10.0.0.%d:1", i%2) }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, []int{12, 12},
			"12 locks of 10.0.0.0:1: /lock00, /lock02, /lock04 and 9 more"},
		{"clients of other names do not belong together", 12, func(i int) string { return fmt.Sprintf("10.0.0.%d:1", i) }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, nil, ""},
		{"where nothing names anybody the kind is all there is", 12, func(int) string { return "" }, func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }, []int{12},
			"12 locks: /lock00, /lock01, /lock02 and 9 more"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range r.locks {
			h.Put(1, modeltest.ClaimKey(fmt.Sprintf("/lock%02d", i), r.lease(i)), r.value(i), r.lease(i))
		}
		for _, read := range []struct {
			at   float64
			left int64
		}{{2, 11}, {7, 11}, {17, 1}} { // it was renewed once, and then no more
			for i := range r.locks {
				h.Read(read.at, r.lease(i), 12, read.left)
			}
		}
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		told := slices.DeleteFunc(s.StoriesOf(nil), func(f model.Finding) bool { return f.Severity == model.SevInfo })
		if len(told) != r.locks {
			t.Fatalf("%s: %d findings, want one for each of %d locks: %v", r.reason, len(told), r.locks, codes(s))
		}
		headsAre(t, r.reason, s, nil, func(*model.Finding) bool { return false })
		last := told[len(told)-1]
		headsAre(t, r.reason+", the last is chosen", s, nil, last.Same)
		headsAre(t, r.reason+", a filter", s, func(f *model.Finding) bool { return f.Lock != told[0].Lock }, last.Same)
		var got []int
		var first []model.Finding
		for n := uint64(1); ; n++ {
			parts := slices.DeleteFunc(slices.Clone(told), func(f model.Finding) bool { return f.Story != n })
			if len(parts) == 0 {
				break
			}
			if n == 1 {
				first = parts
			}
			for _, f := range parts {
				if f.Count != len(parts) {
					t.Errorf("%s: a count of %d in a story of %d", r.reason, f.Count, len(parts))
				}
			}
			got = append(got, len(parts))
		}
		if !slices.Equal(got, r.want) {
			t.Errorf("%s: stories of %v, want %v", r.reason, got, r.want)
		}
		if first != nil {
			if words := s.StoryWords(first); words != r.words {
				t.Errorf("%s: %q, want %q", r.reason, words, r.words)
			}
		}
	}
}

// TestLocksOfOneLeaseTellTheSame: that a lock shares its lease is told of the first one too,
// at once, and how many do within a second. Those of another lease are another story.
func TestLocksOfOneLeaseTellTheSame(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	s := store.New()
	told := func() (all []string) {
		s.Apply(model.Batch{Events: h.Events})
		h.Events = nil
		for _, f := range s.StoriesOf(nil) {
			if f.Code == model.CodeSharedLease {
				all = append(all, fmt.Sprintf("%s %s of %d", f.Lock, strings.Fields(text.English(f.Summary))[0], f.Count))
			}
		}
		return all
	}
	want := func(reason string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, told()); d != "" {
			t.Errorf("%s (-want +got)\n%s", reason, d)
		}
	}
	take := func(at float64, lock string, lease model.LeaseID) {
		h.Put(at, modeltest.ClaimKey(lock, lease), "", lease)
	}
	take(1, "/a", 0xa1)
	want("a lock alone")
	take(1, "/b", 0xa1)
	want("the second one tells of both", "/a 2 of 2", "/b 2 of 2")
	take(2, "/c", 0xa1)
	h.Add(model.Tick{At: modeltest.At(3.1)})
	want("a second later all know of the third", "/a 3 of 3", "/b 3 of 3", "/c 3 of 3")
	take(4, "/d", 0xd1)
	take(4, "/e", 0xd1)
	want("another lease is another story", "/a 3 of 3", "/b 3 of 3", "/c 3 of 3", "/d 2 of 2", "/e 2 of 2")
	h.Del(5, modeltest.ClaimKey("/e", 0xd1))
	want("alone again", "/a 3 of 3", "/b 3 of 3", "/c 3 of 3")
	h.Del(6, modeltest.ClaimKey("/b", 0xa1))
	h.Del(6, modeltest.ClaimKey("/c", 0xa1))
	want("alone again after a third", nil...)
}

// TestNamesOfAStoryCanBeGivenBack: a command takes each as it is printed here.
func TestNamesOfAStoryCanBeGivenBack(t *testing.T) {
	if got, want := findings.FirstOf([]string{`/back\nslash`, "", "/pad ", "/more"}), `/back\\nslash, "", /pad\x20 and 1 more`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// headsAre compares what a list shows with all that is told: what is alone, and of each story the chosen one,
// else the first.
func headsAre(t *testing.T, reason string, s *store.Store, keep, chosen func(*model.Finding) bool) {
	t.Helper()
	all := s.StoriesOf(nil)
	var want []string
	done := map[uint64]bool{}
	name := func(f *model.Finding) string { return fmt.Sprint(f.Lock, " ", f.Code, " ", f.Story, " of ", f.Count) }
	for _, stand := range []bool{true, false} {
		for i := range all {
			f := &all[i]
			switch {
			case keep != nil && !keep(f) || f.Story != 0 && done[f.Story] || stand && (f.Story == 0 || !chosen(f)):
				continue
			case f.Story != 0:
				done[f.Story] = true
			}
			want = append(want, name(f))
		}
	}
	heads, of := s.Heads(keep, chosen)
	var got []string
	for _, f := range heads {
		got = append(got, name(f))
	}
	if !slices.IsSortedFunc(heads, func(a, b *model.Finding) int { return a.Severity.Compare(b.Severity) }) {
		t.Errorf("%s: %q are not the worst first", reason, got)
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" || of != len(all) {
		t.Errorf("%s: %d findings, want %d; a list shows (-want +got)\n%s", reason, of, len(all), d)
	}
}

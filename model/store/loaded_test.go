package store

import (
	"testing"
	"time"

	"locktop/model"
)

// TestLoadedWaitsForEveryPrefixThatWasRequested: a prefix that did not begin yet is not
// an empty one.
func TestLoadedWaitsForEveryPrefixThatWasRequested(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	asked := model.Requested{At: at, Prefixes: []string{"/a/", "/b/"}}
	began := func(p string) model.Event { return model.LoadStarted{At: at, Prefix: p, Rev: 1} }
	listed := func(p string) model.Event { return model.Loaded{At: at, Prefix: p, Rev: 1} }
	lost := func(p string) model.Event { return model.Lost{At: at, Prefix: p, Reason: model.LostDenied} }
	for _, row := range []struct {
		events []model.Event
		want   bool
		reason string
	}{
		{nil, false, "nothing is known"},
		{[]model.Event{model.Requested{At: at}}, false, "nothing was requested"},
		{[]model.Event{asked}, false, "nothing was listed"},
		{[]model.Event{asked, began("/a/"), listed("/a/")}, false, "the second has not begun"},
		{[]model.Event{asked, began("/b/"), listed("/b/")}, false, "nor has the first"},
		{[]model.Event{asked, began("/a/"), listed("/a/"), began("/b/")}, false, "the second is under way"},
		{[]model.Event{asked, began("/a/"), listed("/a/"), lost("/b/")}, false, "the second was refused"},
		{[]model.Event{asked, began("/a/"), listed("/a/"), began("/b/"), listed("/b/")}, true, "both were listed"},
		{[]model.Event{asked, listed("/a/"), listed("/b/"), began("/b/")}, true, "listed again, it was listed"},
		{[]model.Event{asked, listed("/a/"), listed("/b/"), asked}, true, "asked for again, they are known"},
		{[]model.Event{began("/a/"), listed("/a/")}, true, "a recording of before names none"},
	} {
		s := New()
		s.Apply(model.Batch{Events: row.events})
		if got := s.Coverage().Loaded(); got != row.want {
			t.Errorf("%s: loaded is %v", row.reason, got)
		}
	}
}

// TestTheKeysMayBeBehindTheCluster: a member that is asked how it is may tell a revision that the
// keys have not come to. An answer that names the later one names keys that it did not see.
func TestTheKeysMayBeBehindTheCluster(t *testing.T) {
	s := New()
	for _, r := range []struct {
		event        model.Event
		keys, latest int64
		reason       string
	}{
		{model.LoadStarted{Prefix: "/a/", Rev: 10}, 0, 10, "nothing is listed yet"},
		{model.ClusterStatus{Members: []model.Member{{ID: 1, Rev: 16}}}, 0, 16, "a member is ahead"},
		{model.Loaded{Prefix: "/a/", Rev: 10}, 10, 16, "the list is of revision 10"},
		{model.Watching{Prefix: "/a/", Rev: 17}, 17, 17, "the watch came further than the member had"},
	} {
		s.Apply(model.Batch{Events: []model.Event{r.event}})
		if s.KeysRev() != r.keys || s.Rev() != r.latest {
			t.Errorf("%s: the keys are at %d and the cluster at %d, want %d and %d", r.reason, s.KeysRev(), s.Rev(), r.keys, r.latest)
		}
	}
}

package locks

import (
	"testing"
	"time"

	"locktop/model"
)

func at(sec int) time.Time { return time.Unix(1_700_000_000+int64(sec), 0) }

// TestHowFreshAPrefixIs: what is said of a prefix after each event of its story.
func TestHowFreshAPrefixIs(t *testing.T) {
	ps := newPrefixes()
	for _, r := range []struct {
		event                           model.Event
		state                           WatchState
		loaded, partial, catching, lost bool
		reason                          string
	}{
		{model.Requested{At: at(0), Prefixes: []string{"/a/"}}, Loading, false, true, false, false, "it is asked for, and waited for"},
		{model.LoadStarted{At: at(1), Prefix: "/a/", Rev: 5}, Loading, false, true, false, false, "its list is under way"},
		{model.Loaded{At: at(2), Prefix: "/a/", Rev: 5, Until: 9}, Loading, true, true, false, false, "what it was is known, and its history follows"},
		{model.Watching{At: at(3), Prefix: "/a/", Rev: 8}, Loading, true, true, false, false, "the history has not reached its end"},
		{model.Watching{At: at(4), Prefix: "/a/", Rev: 9}, Live, true, false, false, false, "from here on it is seen as it happens"},
		{model.Slept{At: at(60), Since: at(5)}, Live, true, true, true, false, "what comes next may have happened while we slept"},
		{model.Watching{At: at(61), Asked: at(59), Prefix: "/a/", Rev: 12}, Live, true, true, true, false, "that was asked before we woke"},
		{model.Watching{At: at(62), Asked: at(61), Prefix: "/a/", Rev: 12}, Live, true, false, false, false, "that was asked since, and all is seen"},
		{model.Lost{At: at(70), Prefix: "/a/", Reason: model.LostDisconnect}, Lost, true, false, false, true, "its keys stay as they were known last"},
		{model.Back{At: at(80), Prefix: "/a/", Rev: 20}, Live, true, false, false, false, "nothing was missed"},
		{model.Lost{At: at(90), Prefix: "/a/", Reason: model.LostCompacted}, Lost, true, false, false, true, "too much was missed for a watch to go on"},
		{model.LoadStarted{At: at(91), Prefix: "/a/", Rev: 40}, Loading, true, true, false, false, "so it is listed again"},
		{model.Loaded{At: at(92), Prefix: "/a/", Rev: 40}, Live, true, false, false, false, "and live"},
	} {
		ps.apply(r.event)
		if w := ps.Watch("/a/"); w.State != r.state || ps.Loaded() != r.loaded || ps.Partial() != r.partial || ps.CatchingUp() != r.catching || ps.Lost() != r.lost {
			t.Fatalf("%s: after %#v it is %s, loaded %v, partial %v, catching up %v, lost %v", r.reason, r.event, w.State, ps.Loaded(), ps.Partial(), ps.CatchingUp(), ps.Lost())
		}
	}
	if w := ps.Watch("/a/"); w.Missed != 12*time.Second || w.List() != 2 {
		t.Errorf("nothing was seen for %v, want the 12 s from what was seen last to the second list; it is list %d", w.Missed, w.List())
	}
	if got := ps.WorksSince(at(93)); !got.Equal(at(80)) {
		t.Errorf("every watch was answered since %v, want since it was back", got)
	}
	if w := ps.Watch("/b/"); w.State != "" || len(ps.Watches()) != 1 {
		t.Errorf("a prefix that nobody watches is %q, and %d are watched", w.State, len(ps.Watches()))
	}
}

// TestAnotherClusterIsAnotherStory: of what was seen of the first cluster nothing counts; its
// prefixes are waited for again.
func TestAnotherClusterIsAnotherStory(t *testing.T) {
	ps := newPrefixes()
	for _, e := range []model.Event{
		model.LoadStarted{At: at(1), Prefix: "/a/", Rev: 5}, model.Loaded{At: at(2), Prefix: "/a/", Rev: 5},
		model.LoadStarted{At: at(1), Prefix: "/b/", Rev: 5}, model.Loaded{At: at(2), Prefix: "/b/", Rev: 5},
		model.Lost{At: at(3), Prefix: "/a/", Reason: model.LostCluster, Detail: model.Say("quote", "cluster 2 answers")},
	} {
		ps.apply(e)
	}
	if ps.LoadedFor("/a/l") || ps.LoadedFor("/b/l") || !ps.OtherCluster().Same(model.Say("quote", "cluster 2 answers")) {
		t.Errorf("what the first cluster listed counts for the second: %v", ps.OtherCluster())
	}
	if a, b := ps.Watch("/a/"), ps.Watch("/b/"); a.State != Lost || b.State != Live {
		t.Errorf("the watch that met the other cluster is %s, the one that did not yet %s", a.State, b.State)
	}
}

// TestTheLongestPrefixTellsOfALock: of two that cover it, what the inner one sees counts, each
// time that it is asked.
func TestTheLongestPrefixTellsOfALock(t *testing.T) {
	ps := newPrefixes()
	for _, e := range []model.Event{
		model.LoadStarted{At: at(1), Prefix: "/", Rev: 5}, model.Loaded{At: at(2), Prefix: "/", Rev: 5},
		model.LoadStarted{At: at(3), Prefix: "/a/", Rev: 5}, model.Loaded{At: at(4), Prefix: "/a/", Rev: 5},
	} {
		ps.apply(e)
	}
	for range 20 {
		if outer, inner := ps.LiveSince("/b/l"), ps.LiveSince("/a/l"); !outer.Equal(at(2)) || !inner.Equal(at(4)) {
			t.Fatalf("/b/l is watched since %v, /a/l since %v", outer, inner)
		}
	}
	ps.apply(model.Lost{At: at(5), Prefix: "/a/", Reason: model.LostDisconnect})
	if since := ps.LiveSince("/a/l"); !since.IsZero() {
		t.Errorf("the watch that tells of it is lost, and it is said to be watched since %v", since)
	}
}

package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

func TestOnlyWhatIsAskedFor(t *testing.T) {
	kv := func(key string, lease model.LeaseID) model.KV { return model.KV{Key: key, Lease: lease} }
	list := []model.Event{
		model.Requested{Prefixes: []string{"/jobs/", "/other/"}},
		model.LoadStarted{Prefix: "/jobs/", Rev: 5},
		model.LoadStarted{Prefix: "/other/", Rev: 5},
		model.Listed{Prefix: "/jobs/", KVs: []model.KV{kv("/jobs/a/1", 1), kv("/jobs/ab/2", 2), kv("/jobs/b/3", 3)}, Total: 3},
		model.Committed{Rev: 6, Changes: []model.Change{{KV: kv("/jobs/b/4", 4)}, {KV: kv("/jobs/a/5", 5)}}},
		model.LeaseRead{ID: 3},
		model.LeaseRead{ID: 5},
		model.LeaseKeys{ID: 1, Keys: []string{"/jobs/a/1", "/jobs/b/9"}, Total: 2},
		model.Lost{Prefix: "/other/"},
	}
	for _, row := range []struct {
		reason string
		only   Only
		want   []model.Event
		met    bool
	}{
		{"nothing is left out unasked", Only{}, list, true},
		{"a prefix within the one that was watched takes its place", Only{Prefixes: []string{"/jobs/a"}}, []model.Event{
			model.Requested{Prefixes: []string{"/jobs/a"}}, model.LoadStarted{Prefix: "/jobs/a", Rev: 5},
			model.Listed{Prefix: "/jobs/a", KVs: []model.KV{kv("/jobs/a/1", 1), kv("/jobs/ab/2", 2)}, Done: 2},
			model.Committed{Rev: 6, Changes: []model.Change{{KV: kv("/jobs/a/5", 5)}}}, model.LeaseRead{ID: 3}, model.LeaseRead{ID: 5}, list[7],
		}, true},
		{"a lock has no brother, and what is sent to others no lease of it", Only{Locks: []string{"/jobs/a"}, Strict: true}, []model.Event{
			model.Requested{Prefixes: []string{"/jobs/a"}}, model.LoadStarted{Prefix: "/jobs/a", Rev: 5},
			model.Listed{Prefix: "/jobs/a", KVs: []model.KV{kv("/jobs/a/1", 1)}, Done: 1},
			model.Committed{Rev: 6, Changes: []model.Change{{KV: kv("/jobs/a/5", 5)}}}, model.LeaseRead{ID: 5},
			model.LeaseKeys{ID: 1, Keys: []string{"/jobs/a/1"}, Total: 2},
		}, true},
		{"a prefix around the one that was watched changes nothing of it", Only{Prefixes: []string{"/j"}}, []model.Event{
			model.Requested{Prefixes: []string{"/jobs/"}}, list[1], model.Listed{Prefix: "/jobs/", KVs: list[3].(model.Listed).KVs, Done: 3}, list[4], list[5], list[6], list[7],
		}, true},
		{"one within another is told once", Only{Prefixes: []string{"/jobs/a/", "/jobs/"}}, []model.Event{
			model.Requested{Prefixes: []string{"/jobs/"}}, list[1], model.Listed{Prefix: "/jobs/", KVs: list[3].(model.Listed).KVs, Done: 3}, list[4], list[5], list[6], list[7],
		}, true},
		{"what was not watched", Only{Prefixes: []string{"/none/"}}, []model.Event{
			model.Requested{}, model.Committed{Rev: 6}, list[5], list[6], list[7],
		}, false},
	} {
		var got []model.Event
		for _, e := range list {
			got = append(got, row.only.Events(e)...)
		}
		if d := cmp.Diff(row.want, got); d != "" || row.only.Met() != row.met {
			t.Errorf("%s: met %v, -want +got\n%s", row.reason, row.only.Met(), d)
		}
	}
}

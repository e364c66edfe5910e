package watcher

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/model"
	"locktop/watcher/pace"
)

func TestNormalise(t *testing.T) {
	for _, row := range []struct {
		reason   string
		in, want []string
	}{
		{"none means all keys", nil, []string{""}},
		{"the empty prefix covers all", []string{"/a", ""}, []string{""}},
		{"duplicates", []string{"/a", "/a"}, []string{"/a"}},
		{"one within another", []string{"/a/b", "/c", "/a", "/ab"}, []string{"/a", "/c"}},
		{"neighbours stay", []string{"/a/", "/ab/"}, []string{"/a/", "/ab/"}},
	} {
		if d := cmp.Diff(row.want, normalise(row.in)); d != "" {
			t.Errorf("%s: %s", row.reason, d)
		}
	}
}

func TestWhatIsLeftOpenInARhythmIsFilled(t *testing.T) {
	if d := cmp.Diff(defaults, Timing{}.withDefaults()); d != "" {
		t.Errorf("nothing is set: %s", d)
	}
	want := defaults
	want.Settle = time.Hour
	if d := cmp.Diff(want, Timing{Settle: time.Hour}.withDefaults()); d != "" {
		t.Errorf("one field is set: %s", d)
	}
}

// commit is a revision with n changes, named after what.
func commit(rev int64, what string, n int) model.Committed {
	c := model.Committed{Rev: rev}
	for i := range n {
		c.Changes = append(c.Changes, model.Change{KV: model.KV{Key: fmt.Sprint(what, i)}})
	}
	return c
}

// TestEventsHaveTheTimeOfAClockThatNobodySets, unless whoever watches has one of his own, and a
// clock that is set is no time for which the program slept.
func TestEventsHaveTheTimeOfAClockThatNobodySets(t *testing.T) {
	if now := (Options{}).withDefaults().Now; reflect.ValueOf(now).Pointer() != reflect.ValueOf(pace.Now).Pointer() {
		t.Error("events are stamped by another clock")
	}
	var p suspendDetector
	began, steady := time.Now(), time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	for _, r := range []struct {
		passed, shown, slept time.Duration
		reason               string
	}{
		{0, 0, 0, "the first beat"},
		{beatEvery, beatEvery, 0, "what the machine's clock shows is not asked"},
		{beatEvery, time.Hour, time.Hour, "the machine slept, and its monotonic clock stood still"},
		{10 * time.Second, 10 * time.Second, 10 * time.Second, "the program was stopped"},
	} {
		began, steady = began.Add(r.passed), steady.Add(r.shown)
		p.look(began, steady)
		if p.slept != r.slept {
			t.Errorf("%s: slept for %s, want %s", r.reason, p.slept, r.slept)
		}
		p.slept = 0
	}
}

func TestJoinRevisions(t *testing.T) {
	joined := commit(5, "a", 1)
	joined.Changes = append(joined.Changes, commit(5, "b", 1).Changes...)
	lost := model.Lost{Prefix: "x"}
	for _, row := range []struct {
		reason   string
		in, want []model.Event
	}{
		{"parts of one revision are joined", []model.Event{commit(5, "a", 1), commit(5, "b", 1)}, []model.Event{joined}},
		{"also when later ones came between", []model.Event{commit(5, "a", 1), commit(7, "a", 1), commit(5, "b", 1), commit(6, "b", 1)},
			[]model.Event{joined, commit(6, "b", 1), commit(7, "a", 1)}},
		{"other events keep their place", []model.Event{commit(7, "a", 1), lost, commit(5, "b", 1)},
			[]model.Event{commit(7, "a", 1), lost, commit(5, "b", 1)}},
	} {
		if d := cmp.Diff(row.want, joinRevisions(row.in)); d != "" {
			t.Errorf("%s: %s", row.reason, d)
		}
	}
}

func TestAssembleStatus(t *testing.T) {
	list := []*pb.Member{{ID: 1, Name: "m1", ClientURLs: []string{"http://a:1"}}, {ID: 2, Name: "m2", ClientURLs: []string{"http://b:1"}},
		{ID: 3, Name: "m3", ClientURLs: []string{"http://c:1"}}}
	reply := func(ep string, id, leader, term uint64, errs ...string) answer {
		return answer{endpoint: ep, resp: &pb.StatusResponse{Header: &pb.ResponseHeader{ClusterId: 9, MemberId: id, Revision: 40},
			Version: "3.7.3", Leader: leader, RaftTerm: term, Errors: errs}}
	}
	fail := func(ep string) answer { return answer{endpoint: ep, err: context.DeadlineExceeded} }
	up := func(id uint64, name, ep string, leader bool, term uint64) model.Member {
		return model.Member{ID: id, Name: name, Endpoint: ep, Leader: leader, Version: "3.7.3", Term: term, Rev: 40}
	}
	for _, row := range []struct {
		reason  string
		list    []*pb.Member
		answers []answer
		known   map[string]uint64
		want    model.ClusterStatus
	}{
		{"one endpoint: the others are not ours to dial", list, []answer{reply("x:1", 2, 3, 5)}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{
				{ID: 1, Name: "m1", Unasked: true}, up(2, "m2", "x:1", false, 5),
				{ID: 3, Name: "m3", Leader: true, Unasked: true}}}},
		{"a cut-off leader has the lower term", list, []answer{reply("http://a:1", 1, 1, 4), reply("http://b:1", 2, 2, 5), fail("http://c:1")}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{up(1, "m1", "http://a:1", false, 4), up(2, "m2", "http://b:1", true, 5),
				{ID: 3, Name: "m3", Endpoint: "http://c:1", Err: model.Say("no-answer-in-time")}}}},
		{"an endpoint is named without the scheme that its member advertises", list[:2], []answer{reply("a:1", 1, 1, 5), fail("b:1")}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{up(1, "m1", "a:1", true, 5), {ID: 2, Name: "m2", Endpoint: "b:1", Err: model.Say("no-answer-in-time")}}}},
		{"no member list: endpoints speak for themselves", nil, []answer{reply("x:1", 7, 7, 5), fail("y:1")}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{up(7, "", "x:1", true, 5), {Endpoint: "y:1", Err: model.Say("no-answer-in-time")}}}},
		{"who answered before is remembered", list[:1], []answer{fail("x:1")}, map[string]uint64{"x:1": 1},
			model.ClusterStatus{Members: []model.Member{{ID: 1, Name: "m1", Endpoint: "x:1", Err: model.Say("no-answer-in-time")}}}},
		{"a member that is cut off serves nobody", nil, []answer{reply("x:1", 7, 0, 5)}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{{ID: 7, Endpoint: "x:1", Version: "3.7.3", Term: 5, Rev: 40, NoLeader: true}}}},
		{"alarms are named once, in either spelling", list[:2], []answer{
			reply("http://a:1", 1, 1, 5, "memberID:2 alarm:NOSPACE "), reply("http://b:1", 2, 1, 5, "memberID:2  alarm:NOSPACE")}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{up(1, "m1", "http://a:1", true, 5), up(2, "m2", "http://b:1", false, 5)},
				Alarms: []string{"NOSPACE on m2"}}},
		{"that a member knows no leader is no alarm", list[1:2], []answer{reply("http://b:1", 2, 0, 5, "etcdserver: no leader", "memberID:2 alarm:CORRUPT")}, nil,
			model.ClusterStatus{ClusterID: 9, Members: []model.Member{{ID: 2, Name: "m2", Endpoint: "http://b:1", Version: "3.7.3", Term: 5, Rev: 40, NoLeader: true}},
				Alarms: []string{"CORRUPT on m2"}}},
	} {
		if d := cmp.Diff(row.want, assemble(time.Time{}, row.list, row.answers, row.known)); d != "" {
			t.Errorf("%s: %s", row.reason, d)
		}
	}
}

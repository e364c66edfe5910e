package watcher

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
)

// TestHowAnswersAreCounted: of the last half minute, of each member and of the leader for itself.
func TestHowAnswersAreCounted(t *testing.T) {
	now := time.Now()
	const ms = time.Millisecond
	at := func(ago, took time.Duration, from string, failed bool) answerTime {
		return answerTime{began: now.Add(-ago), took: took, from: from, failed: failed}
	}
	for _, r := range []struct {
		reason         string
		all            []answerTime
		member, agreed model.Answers
	}{
		{"nothing was asked", nil, model.Answers{}, model.Answers{}},
		{"what is older does not count", []answerTime{at(31*time.Second, ms, "m1", false), at(time.Second, 3*ms, "m1", false)},
			model.Answers{Asked: 1, Usual: 3 * ms, Longest: 3 * ms, Last: 3 * ms}, model.Answers{}},
		{"one that failed has no time", []answerTime{at(9*time.Second, ms, "m1", false), at(5*time.Second, 2*time.Second, "m1", true)},
			model.Answers{Asked: 2, Failed: 1, Usual: ms, Longest: ms, Last: ms}, model.Answers{}},
		{"slow is measured from the fastest answer of any member, in whatever order they end",
			[]answerTime{at(20*time.Second, 200*ms, "m2", false), at(8*time.Second, 510*ms, agreed, false), at(12*time.Second, 600*ms, agreed, false), at(3*time.Second, 499*ms, agreed, false)},
			model.Answers{}, model.Answers{Asked: 3, Usual: 510 * ms, Longest: 600 * ms, Last: 499 * ms, Slow: 2, SlowFor: 4 * time.Second}},
		{"a long way is not slow", []answerTime{at(2*time.Second, 400*ms, agreed, false), at(time.Second, 410*ms, "m1", false)},
			model.Answers{Asked: 1, Usual: 410 * ms, Longest: 410 * ms, Last: 410 * ms}, model.Answers{Asked: 1, Usual: 400 * ms, Longest: 400 * ms, Last: 400 * ms}},
	} {
		times := answerTimes{all: r.all}
		st := model.ClusterStatus{Members: []model.Member{{ID: 1, Endpoint: "m1"}, {ID: 2}}}
		times.tell(&st, now)
		if d := cmp.Diff([]model.Answers{r.member, {}, r.agreed}, []model.Answers{st.Members[0].Answers, st.Members[1].Answers, st.Agreed}); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.reason, d)
		}
	}
}

// TestWhatIsAnAnswer: a refusal is one, and what we gave up ourselves is none and no failure.
func TestWhatIsAnAnswer(t *testing.T) {
	for _, r := range []struct {
		reason        string
		err           error
		asked, failed int
	}{
		{"an answer", nil, 1, 0},
		{"no permission", rpctypes.ErrGRPCPermissionDenied, 1, 0},
		{"compacted", rpctypes.ErrGRPCCompacted, 1, 0},
		{"not in time", context.DeadlineExceeded, 1, 1},
		{"no leader", rpctypes.ErrGRPCNoLeader, 1, 1},
		{"nobody is there", status.Error(codes.Unavailable, "refused"), 1, 1},
		{"too many requests", rpctypes.ErrGRPCRequestTooManyRequests, 1, 1},
		{"we ended", status.FromContextError(context.Canceled).Err(), 0, 0},
	} {
		var times answerTimes
		times.note("m1", time.Now(), &r.err)
		if got := times.of("m1", 0); got.Asked != r.asked || got.Failed != r.failed {
			t.Errorf("%s: %+v, want %d asked and %d failed", r.reason, got, r.asked, r.failed)
		}
	}
	var times answerTimes
	for range 2*answersMax + 1 {
		times.note("m1", time.Now(), new(error))
	}
	if n := len(times.all); n > answersMax {
		t.Errorf("%d answers are remembered", n)
	}
}

// TestMembersAreTimed: a member that answers late is told from those that do not, without a request more.
func TestMembersAreTimed(t *testing.T) {
	quick, late := &standIn{id: 1}, &standIn{id: 2, late: 350 * time.Millisecond}
	c := serve(t, quick, late)
	w := newWatcher(t, c, Options{Budget: -1, Timing: Timing{Status: 20 * time.Millisecond}})
	r := &record{t: t, w: w}
	var last model.ClusterStatus
	r.until("both have answered twice", func() bool {
		for _, st := range all[model.ClusterStatus](r) {
			last = st
		}
		return len(last.Members) > 1 && last.Members[0].Answers.Answered() > 1 && last.Members[1].Answers.Answered() > 1
	})
	a, b := last.Members[0].Answers, last.Members[1].Answers
	if a.Slow > 0 || b.Slow != b.Asked || b.Usual < late.late || b.Failed+a.Failed > 0 {
		t.Errorf("the quick one %+v, the late one %+v", a, b)
	}
}

package locks

import (
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// TestAPathThatFailsIsNoElection: only a member that answers says that there is no leader, and only
// another term or another member is another leader.
func TestAPathThatFailsIsNoElection(t *testing.T) {
	const (
		silent = "no member answers from here: what the cluster does meanwhile is not known"
		none   = "the cluster has no leader: no lock can be taken, freed or expire"
	)
	round := func(members ...model.Member) model.ClusterStatus {
		for i := range members {
			members[i].ID, members[i].Name = uint64(i+1), string(rune('a'+i))
		}
		return model.ClusterStatus{ClusterID: 7, Members: members}
	}
	down, unasked := model.Member{Err: model.Say("quote", "refused")}, model.Member{Unasked: true}
	follows := func(term uint64) model.Member { return model.Member{Term: term} }
	leads := func(term uint64) model.Member { return model.Member{Term: term, Leader: true} }
	at := func(rev int64, term uint64) model.Member { return model.Member{Term: term, Leader: true, Rev: rev} }
	lost := func(term uint64) model.Member { return model.Member{Term: term, NoLeader: true} }
	well, cut := round(follows(5), leads(5), follows(5)), round(down, down, down)
	for _, r := range []struct {
		reason string
		rounds []model.ClusterStatus
		news   []string // but for that single members do not answer, or do again
		led    bool     // what could not be read is worth another try
		gone   int      // rounds without a leader
		since  bool     // a change of leader was seen
	}{
		{"the path to all of them drops", []model.ClusterStatus{well, cut, cut}, []string{silent}, false, 0, false},
		{"and comes back", []model.ClusterStatus{well, cut, cut, well}, []string{silent, "member b leads the cluster as before, term 5: no leader was elected meanwhile"}, true, 0, false},
		{"it comes back to one of them", []model.ClusterStatus{well, cut, round(follows(5), model.Member{Leader: true, Err: model.Say("quote", "refused")}, down)},
			[]string{silent, "member b leads the cluster as before, term 5: no leader was elected meanwhile"}, true, 0, false},
		{"meanwhile another one was elected", []model.ClusterStatus{well, cut, round(leads(7), follows(7), follows(7))},
			[]string{silent, "member a leads the cluster now, term 7: every lease starts its TTL anew"}, true, 0, true},
		{"meanwhile the same one was elected again", []model.ClusterStatus{well, cut, round(follows(6), leads(6), follows(6))},
			[]string{silent, "member b leads the cluster now, term 6: every lease starts its TTL anew"}, true, 0, true},
		{"the data of a backup, in which terms begin anew", []model.ClusterStatus{round(at(27, 2)), round(down), round(at(4, 2))},
			[]string{silent, "member a leads the cluster now, term 2: every lease starts its TTL anew"}, true, 0, true},
		{"and after many terms", []model.ClusterStatus{round(at(27, 9)), round(down), round(at(4, 2)), round(at(5, 2))},
			[]string{silent, "member a leads the cluster now, term 2: every lease starts its TTL anew"}, false, 0, true},
		{"it was stopped, and nobody wrote", []model.ClusterStatus{round(at(27, 2)), round(down), round(at(27, 2))},
			[]string{silent, "member a leads the cluster as before, term 2: no leader was elected meanwhile"}, true, 0, false},
		{"no member told the term when the path came back", []model.ClusterStatus{well, cut, round(follows(0), leads(0), follows(0))},
			[]string{silent, "member b leads the cluster: whether it was elected anew meanwhile is not known, its term was not told"}, true, 0, false},
		{"nor does a member that leads tell a term", []model.ClusterStatus{round(leads(0), follows(0)), round(follows(0), leads(0))},
			[]string{"member b leads the cluster now: every lease starts its TTL anew"}, true, 0, false},
		{"a deposed leader is the only one that answers", []model.ClusterStatus{round(follows(6), leads(6), follows(6)), round(leads(5), down, down)}, nil, false, 0, false},
		{"there is no answer from the beginning", []model.ClusterStatus{cut, cut, well}, []string{"member b leads the cluster, term 5"}, true, 0, false},
		{"one of three is not reached", []model.ClusterStatus{well, round(down, leads(5), follows(5))}, nil, false, 0, false},
		{"nor is the leader", []model.ClusterStatus{well, round(follows(5), model.Member{Leader: true, Err: model.Say("quote", "refused")}, follows(5))}, nil, false, 0, false},
		{"all members answer, and none knows a leader", []model.ClusterStatus{well, round(lost(6), lost(6), lost(6))}, []string{none}, false, 1, false},
		{"two do", []model.ClusterStatus{well, round(lost(5), down, lost(5)), round(lost(5), down, lost(5))}, []string{none}, false, 2, false},
		{"one does: it does not speak for the others", []model.ClusterStatus{well, round(lost(5), down, down)},
			[]string{"no member that answers from here knows a leader (1 of 3): they are cut off from the others, or the cluster has no leader"}, false, 1, false},
		{"one that is cut off and asked alone, which counts terms on its own", []model.ClusterStatus{round(model.Member{Term: 5}, unasked, unasked), round(lost(9), unasked, unasked)},
			[]string{"no member that answers from here knows a leader (1 of 3): they are cut off from the others, or the cluster has no leader"}, false, 1, false},
		{"one that is cut off while the others go on", []model.ClusterStatus{well, round(lost(9), leads(5), follows(5))}, nil, false, 0, false},
		{"an election", []model.ClusterStatus{well, round(lost(6), lost(6), lost(6)), round(leads(6), follows(6), follows(6))},
			[]string{none, "member a leads the cluster now, term 6: every lease starts its TTL anew"}, true, 0, true},
		{"the members lost sight of their leader, and none was elected", []model.ClusterStatus{well, round(lost(5), lost(5), lost(5)), well},
			[]string{none, "member b leads the cluster as before, term 5: no leader was elected meanwhile"}, true, 0, false},
		{"the leader is gone, then the path: what is not seen is not counted as gone", []model.ClusterStatus{well, round(lost(5), lost(5), lost(5)), cut}, []string{none, silent}, false, 0, false},
		{"a list that does not name the leader", []model.ClusterStatus{{Members: []model.Member{{ID: 1, Term: 5}}}, {Members: []model.Member{{ID: 1, Term: 5}}}}, nil, false, 0, false},
		{"a list that names it no more", []model.ClusterStatus{well, round(follows(6))}, []string{"another member leads the cluster now, term 6: every lease starts its TTL anew"}, true, 0, true},
		{"a learner beside, which knows the leader", []model.ClusterStatus{well, round(down, down, down, follows(5))},
			nil, false, 0, false},
	} {
		ms := &Members{}
		var news []string
		led := false
		for i, e := range r.rounds {
			e.At = time.Unix(int64(i+1), 0)
			said, back := ms.Apply(e)
			led = back
			for _, n := range text.EnglishAll(said) {
				if !strings.Contains(n, "does not answer") && !strings.Contains(n, "answers again") {
					news = append(news, n)
				}
			}
		}
		if got, want := strings.Join(news, "\n"), strings.Join(r.news, "\n"); got != want {
			t.Errorf("%s: it says\n%s\nwant\n%s", r.reason, got, want)
		}
		if led != r.led || ms.Leaderless() != r.gone || ms.LeaderSince().IsZero() == r.since {
			t.Errorf("%s: back %v, %d rounds without a leader, a change %v; want %v, %d, %v", r.reason, led, ms.Leaderless(), ms.LeaderSince(), r.led, r.gone, r.since)
		}
	}
}

// TestRoundsAreOfTheLastMinute: they are forgotten by their age, and there are never too many of them.
func TestRoundsAreOfTheLastMinute(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	for _, r := range []struct {
		reason string
		every  float64 // seconds
		want   int
	}{{"as usual", 5, 13}, {"hastily", 0.1, maxRounds}, {"seldom", 70, 1}} {
		var ms Members
		for i := range 200 {
			ms.Apply(model.ClusterStatus{At: at(float64(i) * r.every)})
		}
		if got := ms.Rounds(); len(got) != r.want || !got[len(got)-1].At.Equal(at(199*r.every)) {
			t.Errorf("%s: %d rounds, want %d", r.reason, len(got), r.want)
		}
	}
}

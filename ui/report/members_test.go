package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// How members answer is told in a line, and in JSON, where what is not known is null.
func TestMembersAsSeenFromHere(t *testing.T) {
	const ms = time.Millisecond
	well := model.Answers{Asked: 6, Usual: 3 * ms, Longest: 9 * ms}
	for _, r := range []struct {
		reason string
		round  model.ClusterStatus
		line   string
	}{
		{"nobody was asked", model.ClusterStatus{}, ""},
		{"all is well", model.ClusterStatus{Members: []model.Member{{ID: 1, Name: "m1", Leader: true, Answers: well}, {ID: 2, Name: "m2", Answers: well}}, Agreed: well},
			"Members: m1 leads (3ms), m2 (3ms); the leader agrees in 3ms"},
		{"each ill in its way", model.ClusterStatus{Members: []model.Member{{ID: 1, Name: "m1", Leader: true, Answers: model.Answers{Asked: 6, Usual: 450 * ms, Longest: 900 * ms, Slow: 5}},
			{ID: 2, Name: "m2", Answers: model.Answers{Asked: 6, Failed: 2, Usual: ms, Longest: ms}}, {ID: 3, Name: "m3", Err: model.Say("quote", "refused"), Answers: model.Answers{Asked: 6, Failed: 6}}, {ID: 4, Name: "m4", Unasked: true}},
			Agreed: model.Answers{Asked: 12, Usual: 5 * ms, Longest: 1200 * ms, Slow: 3}},
			"Members: m1 leads (answers in 450ms, 900ms at most), m2 (2 of 6 requests failed), m3 (does not answer), m4 (not asked); the leader agrees in 5ms (1.2s at most)"},
		{"a name that would move the cursor", model.ClusterStatus{Members: []model.Member{{ID: 1, Name: "\x1b[2J"}}}, `Members: \x1b[2J`},
	} {
		if got := MembersLine(r.round); got != r.line {
			t.Errorf("%s: %q, want %q", r.reason, got, r.line)
		}
	}
	s := store.New()
	s.Apply(model.Batch{Events: []model.Event{model.ClusterStatus{At: modeltest.At(1), ClusterID: 1, Agreed: well, Members: []model.Member{
		{ID: 1, Name: "m1", Endpoint: "http://m1:2379", Version: "3.6.1", Term: 4, Rev: 9, DBSize: 2 << 20, DBUsed: 1 << 20, Answers: well}, {ID: 2, Name: "m2", Unasked: true}}}}})
	js, err := json.Marshal(ClusterOf(s.View))
	if err != nil {
		t.Fatal(err)
	}
	want := `"member_status":[{"id":"1","name":"m1","endpoint":"http://m1:2379","leader":false,"asked":true,"error":null,"version":"3.6.1","raft_term":4,"revision":9,` +
		`"db_size":2097152,"db_size_in_use":1048576,"db_size_quota":null,"requests":6,"requests_failed":0,"requests_slow":0,"latency_p50":0.003,"latency_max":0.009},` +
		`{"id":"2","name":"m2","endpoint":null,"leader":false,"asked":false,"error":null,"version":null,"raft_term":null,"revision":null,` +
		`"db_size":null,"db_size_in_use":null,"db_size_quota":null,"requests":0,"requests_failed":0,"requests_slow":0,"latency_p50":null,"latency_max":null}],` +
		`"linearizable":{"requests":6,"requests_failed":0,"requests_slow":0,"latency_p50":0.003,"latency_max":0.009}}`
	if _, got, _ := strings.Cut(string(js), `"alarms":[],`); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

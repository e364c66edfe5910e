package failures

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/validate"
)

func TestExplainSaysWhatFailedWhereAndWhatToDo(t *testing.T) {
	for _, row := range []struct {
		reason string
		err    error
		prefix string
		class  Class
		lost   model.LostReason
		want   []string
	}{
		{"all keys are denied", rpctypes.ErrPermissionDenied, "", Denied, model.LostDenied,
			[]string{"cannot list all keys: no permission on m1:1. Try --prefix with one you may read", "read ''"}},
		{"a prefix is denied", rpctypes.ErrPermissionDenied, "/a'/", Denied, model.LostDenied,
			[]string{`cannot list "/a'/": no permission on m1:1; a role that grants it: etcdctl role grant-permission ROLE --prefix=true read '/a'\''/'`}},
		{"a refusal as plain text", errors.New("rpc error: etcdserver: permission denied"), "/a/", Denied, model.LostDenied, []string{"no permission"}},
		{"a wrong password", rpctypes.ErrAuthFailed, "", Login, model.LostDenied, []string{"m1:1 wants a valid user name and password: ", "--user", "ETCDCTL_PASSWORD"}},
		{"no user at all", rpctypes.ErrUserEmpty, "", Login, model.LostDenied, []string{"user name is empty; name the user with --user"}},
		{"nobody is there", status.Error(codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp: refused"`), "/a/", Unreachable,
			model.LostDisconnect, []string{"no connection to m1:1 (dial tcp: refused)", "check that etcd runs there"}},
		{"no answer", context.DeadlineExceeded, "/a/", Timeout, model.LostDisconnect, []string{"no answer in time from m1:1", "etcdctl endpoint status --cluster"}},
		{"the leader changes, and the member is there", rpctypes.ErrGRPCLeaderChanged, "/a/", NoLeader, model.LostDisconnect, []string{"no leader as seen from m1:1; the leader changes"}},
		{"a request that the old leader lost", rpctypes.ErrGRPCTimeoutDueToLeaderFail, "/a/", NoLeader, model.LostDisconnect, []string{"no leader as seen from m1:1"}},
		{"a member that has too much to do", rpctypes.ErrGRPCRequestTooManyRequests, "/a/", Timeout, model.LostDisconnect, []string{"m1:1 answers that it cannot now (too many requests)"}},
		{"a member that lost the others", rpctypes.ErrGRPCTimeoutDueToConnectionLost, "/a/", Timeout, model.LostDisconnect, []string{"no answer in time from m1:1"}},
		{"no leader", rpctypes.ErrNoLeader, "/a/", NoLeader, model.LostDisconnect, []string{"no leader as seen from m1:1"}},
		{"compacted", rpctypes.ErrCompacted, "/a/", Compacted, model.LostCompacted, []string{`compacted on m1:1; listing "/a/" anew`}},
		{"restored", Because(ErrRestored, model.Say("revision-went-back-to", int64(7), int64(5))), "/a/", Restored, model.LostRestored, []string{"went back from 7 to 5 on m1:1: it was restored from a backup"}},
		{"silent", Because(ErrSilent, model.Say("watch-stands-at", int64(5), int64(9))), "/a/", Silent, model.LostSilent, []string{"at revision 5, the cluster at 9 on m1:1: its member may be cut off; opening the watch again"}},
		{"too many keys", ErrTooMuch, "/a/", TooMuch, model.LostDisconnect, []string{"cannot list \"/a/\" on m1:1: more than 2,000,000 keys"}},
		{"all keys, compacted", rpctypes.ErrCompacted, "", Compacted, model.LostCompacted, []string{"listing all keys anew"}},
		{"an answer that no etcd gives", status.Error(validate.Code, "no header"), "/a/", Malformed, model.LostDisconnect, []string{`cannot list "/a/": no header`}},
		{"another address than those asked", At("m2:2", ErrStalled), "/a/", Timeout, model.LostDisconnect, []string{"no answer in time from m2:2"}},
		{"something else", errors.New("disk on fire"), "/a/", Other, model.LostDisconnect, []string{`cannot list "/a/" on m1:1: disk on fire; trying again`}},
	} {
		if got := Classify(fmt.Errorf("wrapped: %w", row.err)); got != row.class || got.Reason() != row.lost {
			t.Errorf("%s: class %d for %v, want %d for %v", row.reason, got, got.Reason(), row.class, row.lost)
		}
		why := Explain(row.err, model.Say("to-list"), row.prefix, []string{"m1:1"})
		said := text.English(why)
		for _, want := range row.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q, want %q in it", row.reason, said, want)
			}
		}
		zh := text.Render(text.Chinese, model.Say("watch-of-lost", row.prefix, row.lost, why))
		for _, english := range []string{"cannot", "trying", "anew", "member", "permission on", "password:"} {
			if strings.Contains(zh, english) {
				t.Errorf("%s: in Chinese it is %q", row.reason, zh)
			}
		}
	}
}

//go:build slow

package watcher

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/model/text"
)

func TestTroublesOfAWatch(t *testing.T) {
	compacted := func(s *fakeStream) {
		s.ch <- clientv3.WatchResponse{Canceled: true, CompactRevision: 30}
		s.end()
	}
	for _, row := range []struct {
		reason  string
		trouble func(*fake) // sets in while the watch is live
		heal    func(*fake) // after Lost
		lost    model.LostReason
		says    string
		then    string // the kind of event that ends it
	}{
		{reason: "compacted: what happened in between is not known", lost: model.LostCompacted, says: "compacted", then: "Loaded",
			trouble: func(c *fake) { compacted(c.streams[0]) }},
		{reason: "no leader: the client gives the watch up, we do not", lost: model.LostDisconnect, says: "no leader", then: "Back",
			trouble: func(c *fake) { fails(rpctypes.ErrNoLeader)(c.streams[0]) }},
		{reason: "a channel that closes without a word", lost: model.LostDisconnect, says: "without a reason", then: "Back",
			trouble: func(c *fake) { close(c.streams[0].ch) }},
		{reason: "the member answers but its watch stands still", lost: model.LostSilent, says: "does not follow", then: "Back",
			trouble: func(c *fake) { c.rev = 50; c.streams[0].progress = func() {} }},
		{reason: "an isolated member answers with its own old revision", lost: model.LostSilent, says: "stands at revision 40", then: "Back",
			trouble: func(c *fake) { c.rev = 50; s := c.streams[0]; s.progress = func() { s.tell(40) } }},
		{reason: "reads fail for a while", lost: model.LostDisconnect, says: "no answer in time", then: "Back",
			trouble: func(c *fake) { c.probeErr = context.DeadlineExceeded },
			heal:    func(c *fake) { c.probeErr = nil }},
		{reason: "no connection at all", lost: model.LostDisconnect, says: "connection refused", then: "Back",
			trouble: func(c *fake) {
				c.isDown, c.probeErr = true, status.Error(codes.Unavailable, `desc = "transport: Error while dialing: dial tcp 1.2.3.4:5: connect: connection refused"`)
			},
			heal: func(c *fake) { c.isDown, c.probeErr = false, nil }},
		{reason: "the watch breaks and permission is gone", lost: model.LostDenied, says: "--prefix=true read '/l/'", then: "Back",
			trouble: func(c *fake) { fails(rpctypes.ErrGRPCPermissionDenied)(c.streams[0]) }},
		{reason: "permission to read is taken away under an open watch", lost: model.LostDenied, says: "no permission", then: "Back",
			trouble: func(c *fake) { c.probeErr = rpctypes.ErrPermissionDenied },
			heal:    func(c *fake) { c.probeErr = nil }},
		{reason: "restored from a backup: the revision went back", lost: model.LostRestored, says: "from 40 to 20", then: "Loaded",
			trouble: func(c *fake) { c.rev = 20 }},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := &fake{rev: 40, hold: make(chan struct{})}
			r := c.watcher(t)
			has[model.Watching](r, 1)
			mark := len(r.events)
			c.set(func() { row.trouble(c) })
			lost := has[model.Lost](r, 1)[0]
			if row.heal != nil {
				c.set(func() { row.heal(c) })
			}
			if lost.Reason != row.lost || lost.Prefix != "/l/" || !strings.Contains(text.English(lost.Detail), row.says) {
				t.Errorf("got %v %q, want %v with %q", lost.Reason, text.English(lost.Detail), row.lost, row.says)
			}
			var kinds []string
			r.until(row.then+" and Watching", func() bool {
				kinds = kinds[:0]
				for _, ev := range r.events[mark:] {
					if k := typeName(ev); len(kinds) > 0 || k == "Lost" {
						kinds = append(kinds, k)
					}
				}
				return len(kinds) > 0 && kinds[len(kinds)-1] == "Watching"
			})
			want := []string{"Lost", "Back", "Watching"}
			if row.then == "Loaded" {
				want = []string{"Lost", "LoadStarted", "Listed", "Loaded", "Watching"}
			}
			if d := cmp.Diff(want, kinds); d != "" {
				t.Error(d)
			}
		})
	}
}

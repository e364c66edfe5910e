//go:build slow

package watcher

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/chaos/gate"
	"locktop/model"
	"locktop/model/text"
)

// On every release a revoke whose answer is lost is unknown and sent once, and one that is
// answered lists what went, also a key that joined after the last look.
func TestRevokesOnEveryRelease(t *testing.T) {
	for _, minor := range releases {
		t.Run(minor, func(t *testing.T) {
			t.Parallel()
			p, addr := newProcess(t, minor, "http")
			direct := p.connect(clientv3.Config{Endpoints: []string{addr}})
			path := chaostest.NewBetween(t, addr)
			var journal bytes.Buffer
			g := gate.New(gate.Options{Reader: chaostest.Dial(t, []string{addr}, chaos.ReadOnly()...), Armed: true, AuditLog: &journal,
				Dial: func(context.Context) (*clientv3.Client, error) {
					return chaostest.Connect(clientv3.Config{Endpoints: []string{path.Addr}, DialOptions: chaos.Writing()})
				}})
			defer g.Close()
			put := func(key string, lease clientv3.LeaseID) int64 {
				r, err := direct.Put(t.Context(), key, "", clientv3.WithLease(lease))
				chaostest.Must(t, err)
				return r.Header.Revision
			}
			revoke := func(lease clientv3.LeaseID) (model.Outcome, string) {
				key := "/l/" + model.LeaseID(lease).String()
				plan, err := g.Plan(chaostest.Within(t), model.Action{Kind: model.RevokeLease, Key: key, CreateRev: put(key, lease), Lease: model.LeaseID(lease)})
				chaostest.Must(t, err)
				return g.Do(chaostest.Within(t), plan), key
			}
			grant := func() clientv3.LeaseID {
				r, err := direct.Grant(t.Context(), 600)
				chaostest.Must(t, err)
				return r.ID
			}
			lease := grant()
			path.Before("LeaseRevoke", func() { put("/joined", lease) })
			o, key := revoke(lease)
			var went []string
			for _, kv := range o.Went {
				went = append(went, kv.Key)
			}
			if !o.Done || !slices.Equal(went, []string{"/joined", key}) || !strings.Contains(text.English(o.Detail), `2 keys; "/joined" was not shown`) {
				t.Errorf("%+v", o)
			}
			for _, how := range []chaostest.Loss{chaostest.AnswerCut, chaostest.AnswerUnavailable} {
				path.Lose("LeaseRevoke", how)
				came := path.Came("LeaseRevoke")
				o, key := revoke(grant())
				r, err := direct.Get(t.Context(), key)
				chaostest.Must(t, err)
				if !o.Unknown || o.Done || path.Came("LeaseRevoke") != came+1 || r.Count != 0 {
					t.Errorf("%s: %+v, came %d times, %d keys left", how, o, path.Came("LeaseRevoke")-came, r.Count)
				}
			}
			if n := strings.Count(journal.String(), `"result":"unknown","done":null`); n != 2 {
				t.Errorf("%d results are unknown in\n%s", n, &journal)
			}
		})
	}
}

package store

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
)

func TestIdentities(t *testing.T) {
	uuid1 := "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	rows := []struct {
		name, key, value string
		sibling          model.KV
		want             locks.Identity
		reason           string
	}{
		{"election", "/e/a1", "node-1", model.KV{}, locks.Identity{Text: "node-1", Source: "value"}, "the candidate's proposal"},
		{"mutex", "/lock/a1", "", model.KV{}, locks.Identity{Text: "", Source: "none"}, "an empty value names nobody"},
		{"python-etcd3", "/locks/x", uuid1, model.KV{}, locks.Identity{Text: "host 00:c0:4f:d4:30:c8, made 1998-02-04 22:13:53", Source: "uuid"}, "version 1 holds time and host"},
		{"etcd3gw", "/locks/x", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", model.KV{}, locks.Identity{Text: "host 00:c0:4f:d4:30:c8, made 1998-02-04 22:13:53", Source: "uuid"}, "the same as text"},
		{"owner in JSON", "/e/a1", `{"owner":"node-a","pid":4711,"since":1795394882,"id":"17"}`, model.KV{}, locks.Identity{Text: "node-a", Source: "value"}, "what changes with each hold names nobody"},
		{"holder and host in JSON", "/e/a1", `{"holder":"batch","hostname":"db1","term":3}`, model.KV{}, locks.Identity{Text: "batch@db1", Source: "value"}, "and where"},
		{"vitess", "/ks/locks/161", `{"Action":"Reshard","HostName":"h1","UserName":"root"}`, model.KV{}, locks.Identity{Text: "root@h1: Reshard", Source: "value"}, "who and why"},
		{"dm-master", "/dm-master/leader/a1", `{"id":"m1","addr":"10.0.0.1:8261"}`, model.KV{}, locks.Identity{Text: "m1@10.0.0.1:8261", Source: "value"}, "known JSON"},
		{"shedlock", "shedlock:a:b", "ADDED:2026-01-02T03:04:05Z@host-7", model.KV{}, locks.Identity{Text: "host-7", Source: "value"}, "the host behind the @"},
		{"pd", "/pd/1/leader", "\x0a\x04pd-0\x10\x05", model.KV{}, locks.Identity{Text: "pd-0", Source: "value"}, "readable inside a protobuf"},
		{"ticdc", "/cdc/owner/a1", "", model.KV{Key: "/cdc/capture/c-7", Value: `{"id":"c-7","address":"10.0.0.3:8300"}`, Lease: 0xa1},
			locks.Identity{Text: "c-7@10.0.0.3:8300", Source: "sibling"}, "another key on the same lease"},
		{"terraform", "/tf/prod/a1", "", model.KV{Key: "/tf/prod.lockinfo", Value: `{"Who":"ann@laptop","Operation":"Apply"}`},
			locks.Identity{Text: "ann@laptop: Apply", Source: "sibling"}, "a key beside the lock"},
		{"hostile", "/e/a1", "a\x1b[2Jb\u202e", model.KV{}, locks.Identity{Text: `a`, Source: "value"}, "nothing unescaped"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			h.Put(1, r.key, r.value, 0xa1)
			if r.sibling.Key != "" {
				h.Put(2, r.sibling.Key, r.sibling.Value, r.sibling.Lease)
			}
			s := state(h)
			got := s.Identity(s.Claim(r.key).Ref())
			if r.name == "hostile" {
				if strings.ContainsAny(got.Text, "\x1b\u202e") {
					t.Errorf("%q: %s", got.Text, r.reason)
				}
				return
			}
			if got != r.want {
				t.Errorf("%+v, want %+v: %s", got, r.want, r.reason)
			}
		})
	}
}

func TestTheGrantingMember(t *testing.T) {
	s := New()
	s.Apply(model.Batch{Events: []model.Event{model.ClusterStatus{At: modeltest.At(1), Members: []model.Member{
		{ID: 0x1122334455668e61, Name: "m1"}, {ID: 0xaabbccddeeff1234, Name: "m2"}}}}})
	for id, want := range map[model.LeaseID]string{0x0e61000000000001: "member m1", 0x1234000000000001: "member m2", 0x42: "", 0x7777000000000001: ""} {
		if got := s.GrantedBy(id); got != want {
			t.Errorf("lease %s was granted by %q, want %q", id, got, want)
		}
	}
}

func TestStats(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Put(2, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	h.Del(5, modeltest.ClaimKey("/lock", 0xa1))
	got := state(h).Lock("/lock").Stats()
	want := locks.Stats{Handovers: 1, Waits: 1, Holds: 1, WaitP50: 3 * time.Second, WaitP99: 3 * time.Second, HoldP50: 4 * time.Second, HoldP99: 4 * time.Second}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

package model

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// codes returns what is found, as "severity code (confidence) lock".
func codes(s *State) []string {
	var out []string
	for _, f := range s.Findings() {
		out = append(out, string(f.Severity)+" "+string(f.Code)+" ("+string(f.Confidence)+") "+f.Lock)
	}
	return out
}

func TestFindingsFromStories(t *testing.T) {
	a, b, c := LeaseID(0xa1), LeaseID(0xb2), LeaseID(0xc3)
	two := func(h *History) {
		h.Put(1, ClaimKey("/l", a), "", a)
		h.Put(2, ClaimKey("/l", b), "", b)
	}
	rows := []struct {
		name, reason string
		tell         func(h *History)
		want         []string
	}{
		{"healthy", "a lease that is renewed on time accuses nobody", func(h *History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(22, a, 60, 59)
			h.Read(43, a, 60, 58)
		}, nil},
		{"stalled", "its own rhythm was learned, so this is strong", func(h *History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(23, a, 60, 59)
			h.Read(48, a, 60, 35)
		}, []string{"warning keepalive-stalled (strong) /l"}},
		{"dead", "two renewals missed and others wait for long", func(h *History) {
			two(h)
			h.Read(3, a, 120, 118)
			h.Read(43, a, 120, 119)
			h.Read(128, a, 120, 34)
		}, []string{"error dead-holder (strong) /l"}},
		{"first look at a falling lease", "some clients renew only at the very end: a hint", func(h *History) {
			two(h)
			h.Read(3, a, 60, 10)
		}, []string{"warning dead-holder (hint) /l"}},
		{"a slow renewer", "a client that renews a second before the end is healthy once that is known", func(h *History) {
			two(h)
			h.Read(3, a, 10, 9)
			h.Read(11.5, a, 10, 1)
			h.Read(12.5, a, 10, 9)
			h.Read(20, a, 10, 2)
		}, nil},
		{"a new leader", "a full TTL anew for a lease that was not renewed", func(h *History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(23, a, 60, 59)
			h.Read(70, a, 60, 13)
			h.Add(LeaseRead{At: At(71), ID: a, Granted: 60, Remaining: 59, Term: 3})
		}, []string{"warning ttl-reset (certain) /l"}},
		{"a new leader and a healthy lease", "the next renewal comes by itself", func(h *History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Add(LeaseRead{At: At(15), ID: a, Granted: 60, Remaining: 59, Term: 3})
		}, nil},
		{"an answer from a deposed leader", "more left than was granted (etcd-io/etcd#12381)", func(h *History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(4, a, 60, 9_223_372_036)
		}, []string{"info ttl-rollover (certain) /l"}},
		{"past its end", "beyond ten seconds, alone: revoking fails", func(h *History) {
			two(h)
			h.Read(3, a, 60, -3)
			h.Read(12, a, 60, -12)
		}, []string{"error revoke-failing (strong) /l"}},
		{"never renewed", "the lock service grants 60 s that nobody keeps alive", func(h *History) {
			two(h)
			h.Read(1.1, a, 60, 59)
			h.Read(14, a, 60, 47)
			h.Read(24, a, 60, 37)
		}, []string{"warning unattended-lease (hint) /l"}},
		{"a dead waiter", "the lock will idle at its turn", func(h *History) {
			two(h)
			h.Put(2, ClaimKey("/l", c), "", c)
			h.Read(3, a, 10, 9)
			h.Read(3, b, 10, 9)
			h.Read(7, b, 10, 9)
			h.Read(15, b, 10, 1)
		}, []string{"warning dead-waiter (strong) /l"}},
		{"stopped at a leader change", "others were renewed since, this one never", func(h *History) {
			two(h)
			for i := range LeaseID(3) {
				h.Put(2, ClaimKey("/other", 0x10+i), "", 0x10+i)
			}
			h.Read(3, a, 30, 28)
			h.Read(12, a, 30, 29)
			for i := range LeaseID(3) {
				h.Read(13, 0x10+i, 30, 29)
			}
			term3 := func(sec float64, id LeaseID, left int64) {
				h.Add(LeaseRead{At: At(sec), ID: id, Granted: 30, Remaining: left, Term: 3})
			}
			for i := range LeaseID(3) {
				term3(20, 0x10+i, 29)
				term3(29, 0x10+i, 21)
				term3(31, 0x10+i, 29)
			}
			term3(20, a, 29)
			term3(34, a, 15)
		}, []string{"warning keepalive-halted (strong) /l"}},
		{"stopped at the same age again and again", "a timeout of the client's is behind it", func(h *History) {
			sec := 1.0
			for i := range LeaseID(4) {
				id := 0x20 + i
				h.Put(sec, ClaimKey("/l", id), "", id)
				h.Put(sec, ClaimKey("/l", b), "", b)
				h.Read(sec+1, id, 10, 9)
				h.Read(sec+19, id, 10, 9)
				h.Read(sec+30, id, 10, 9) // the last renewal, at the age of 30 s
				if i == 3 {
					h.Read(sec+38, id, 10, 1)
					return
				}
				h.Read(sec+39.5, id, 10, 0)
				h.End(sec+40, id)
				h.Read(sec+40, id, 0, -1)
				h.Del(sec+40, ClaimKey("/l", b))
				sec += 41
			}
		}, []string{"warning keepalive-cancelled (strong) /l"}},
		{"an orphan", "a key without a lease, named by none", func(h *History) {
			h.Put(1, "/l/694d81e5fc652594", "", 0)
			h.Put(2, ClaimKey("/l", b), "", b)
		}, []string{"error orphan-key (certain) /l"}},
		{"a detached lease", "a later put took the lease away", func(h *History) {
			x := LeaseID(0x694d81e5fc652594)
			h.Put(1, ClaimKey("/l", x), "", x)
			h.Put(2, ClaimKey("/l", b), "", b)
			h.Put(3, ClaimKey("/l", x), "status", 0)
		}, []string{"error lease-detached (certain) /l"}},
		{"a nested lock", "/l waits for /l/sub, not the other way", func(h *History) {
			h.Put(1, ClaimKey("/l/sub", a), "", a)
			h.Put(2, ClaimKey("/l", b), "", b)
		}, []string{"error nested-prefix (certain) /l"}},
		{"siblings", "a name that begins alike is no path above", func(h *History) {
			h.Put(1, ClaimKey("/lock2", a), "", a)
			h.Put(2, ClaimKey("/lock", b), "", b)
		}, nil},
		{"two sessions cross", "each holds what the other waits for", func(h *History) {
			h.Put(1, ClaimKey("/l", a), "", a)
			h.Put(2, ClaimKey("/m", b), "", b)
			h.Put(3, ClaimKey("/m", a), "", a)
			h.Put(4, ClaimKey("/l", b), "", b)
			h.Add(Tick{At: At(20)})
		}, []string{"error lock-cycle (certain) /l", "error lock-cycle (certain) /m", "info shared-lease (certain) /l", "info shared-lease (certain) /m"}},
		{"three sessions in a circle", "of any length", func(h *History) {
			h.Put(1, ClaimKey("/l", a), "", a)
			h.Put(2, ClaimKey("/m", b), "", b)
			h.Put(3, ClaimKey("/n", c), "", c)
			h.Put(4, ClaimKey("/m", a), "", a)
			h.Put(5, ClaimKey("/n", b), "", b)
			h.Put(6, ClaimKey("/l", c), "", c)
			h.Add(Tick{At: At(20)})
		}, []string{"error lock-cycle (certain) /l", "error lock-cycle (certain) /m", "error lock-cycle (certain) /n",
			"info shared-lease (certain) /l", "info shared-lease (certain) /m", "info shared-lease (certain) /n"}},
		{"the same order", "both take /l first: they wait, but not for each other", func(h *History) {
			h.Put(1, ClaimKey("/l", a), "", a)
			h.Put(2, ClaimKey("/m", a), "", a)
			h.Put(3, ClaimKey("/l", b), "", b)
		}, []string{"info shared-lease (certain) /l", "info shared-lease (certain) /m"}},
		{"a circle that was broken", "one side went", func(h *History) {
			h.Put(1, ClaimKey("/l", a), "", a)
			h.Put(2, ClaimKey("/m", b), "", b)
			h.Put(3, ClaimKey("/m", a), "", a)
			h.Put(4, ClaimKey("/l", b), "", b)
			h.End(15, b)
		}, []string{"info shared-lease (certain) /l", "info shared-lease (certain) /m"}},
		{"a registry", "leased keys side by side are no lock", func(h *History) {
			h.Put(1, "/services/api/10.0.0.1:80", "up", a)
			h.Put(2, "/services/api/10.0.0.2:80", "up", b)
			h.Read(3, a, 60, 2)
			h.Read(3, b, 60, 2)
		}, nil},
		{"a lock that is not renewed by design", "its TTL is the time to work", func(h *History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:05Z@host-7", a)
			h.Read(2, a, 600, 598)
			h.Read(500, a, 600, 100)
		}, nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := New()
			h.Loaded(0)
			r.tell(h)
			if d := cmp.Diff(r.want, codes(state(h))); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
			}
		})
	}
}

// A session with several workers, each of which wants one lock only, makes the same
// picture for as long as a hold takes.
func TestACircleHasToLast(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0xa1), "", 0xa1)
	h.Put(1, ClaimKey("/m", 0xb2), "", 0xb2)
	h.Put(1, ClaimKey("/m", 0xa1), "", 0xa1)
	h.Put(1, ClaimKey("/l", 0xb2), "", 0xb2)
	s := state(h)
	confidence := func() (c Confidence) {
		for _, f := range s.Lock("/l").Findings() {
			if f.Code == CodeLockCycle {
				c = f.Confidence
			}
		}
		return c
	}
	for _, row := range []struct {
		sec    float64
		want   Confidence
		reason string
	}{{3, "", "it may end with the next hold"}, {4.1, Strong, "it lasts"}, {11.1, Certain, "nobody gets on"}} {
		s.Apply(Batch{Events: []Event{Tick{At: At(row.sec)}}})
		if got := confidence(); got != row.want {
			t.Errorf("after %v s: %q, want %q: %s", row.sec-1, got, row.want, row.reason)
		}
	}
}

func TestLongHeldNeedsAHistory(t *testing.T) {
	h := New()
	h.Loaded(0)
	sec := 1.0
	for i := range 12 {
		lease := LeaseID(0x100 + i)
		h.Put(sec, ClaimKey("/l", lease), "", lease)
		sec++
		h.Del(sec, ClaimKey("/l", lease))
		h.Read(sec, lease, 10, 9)
	}
	h.Put(sec, ClaimKey("/l", 0xa1), "", 0xa1)
	h.Put(sec, ClaimKey("/l", 0xb2), "", 0xb2)
	h.Read(sec+1, 0xa1, 60, 59)
	h.Add(Tick{At: At(sec + 20)})
	s := state(h)
	if got := codes(s); len(got) != 0 {
		t.Fatalf("after 20 s where a second is usual: %v, want nothing below 30 s", got)
	}
	s.Apply(Batch{Events: []Event{Tick{At: At(sec + 31)}}})
	if d := cmp.Diff([]string{"warning long-held (hint) /l"}, codes(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if alt := s.Findings()[0].Alternatives; len(alt) != 5 {
		t.Errorf("alternatives %v: a hint names what looks the same", alt)
	}
}

func TestDeclaredContendersAreMissed(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/ha", 0xa1), "node-1", 0xa1)
	s := NewState(Pin{Prefix: "/ha", Expect: 2})
	s.Apply(Batch{Events: h.Events})
	if got := codes(s); len(got) != 0 {
		t.Fatalf("at once: %v; a client that comes back takes a moment", got)
	}
	s.Apply(Batch{Events: []Event{Tick{At: At(12)}}})
	if d := cmp.Diff([]string{"warning zombie-candidate (strong) /ha"}, codes(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	h.Put(13, ClaimKey("/ha", 0xb2), "node-2", 0xb2)
	s.Apply(Batch{Events: h.Events[len(h.Events)-1:]})
	if got := codes(s); len(got) != 0 {
		t.Errorf("with two in the queue: %v", got)
	}
}

func TestTheLabKnowsWhatWasAskedFor(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0xa1), "", 0xa1)
	h.Add(Contender{At: At(1), Name: "c1", Lock: "/l", TTL: 1, Proc: ProcRunning},
		Belief{At: At(1), Contender: "c1", Lock: "/l", State: BeliefHolding, Lease: 0xa1})
	h.Read(2, 0xa1, 2, 1)
	if d := cmp.Diff([]string{"info ttl-floor (certain) /l"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestMembersThatDiffer(t *testing.T) {
	status := func(sec float64, a, b, rev int64) ClusterStatus {
		return ClusterStatus{At: At(sec), Members: []Member{{ID: 1, Name: "m1", Leader: true, Version: "3.6.1", Keys: a, KeysRev: rev},
			{ID: 2, Name: "m2", Version: "3.6.1", Keys: b, KeysRev: rev}}}
	}
	rows := []struct {
		events []Event
		want   []string
		reason string
	}{
		{[]Event{status(1, 7, 7, 40)}, nil, "the same number at the same revision"},
		{[]Event{status(1, 7, 6, 40)}, []string{"error member-divergence (certain) "}, "one has lost a key"},
		{[]Event{status(1, 7, 6, 40), status(6, 0, 0, 0)}, []string{"error member-divergence (certain) "}, "not counted again: what was found stays"},
		{[]Event{status(1, 7, 6, 40), status(61, 9, 9, 50)}, nil, "a later count agrees"},
	}
	for _, r := range rows {
		s := NewState()
		s.Apply(Batch{Events: r.events})
		if d := cmp.Diff(r.want, codes(s)); d != "" {
			t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
		}
	}
}

func TestEveryFindingSaysWhatToDo(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, "/l/config\x1b[31m", "x", 0)
	h.Put(2, ClaimKey("/l", 0xb2), "", 0xb2)
	for _, f := range state(h).Findings() {
		if f.Summary == "" || len(f.Evidence) == 0 || len(f.Advice) == 0 || len(f.Etcdctl) == 0 {
			t.Errorf("%s: %+v", f.Code, f)
		}
		if strings.ContainsAny(f.Summary+strings.Join(f.Evidence, ""), "\x1b\n") {
			t.Errorf("%s is not fit for a terminal: %q", f.Code, f.Summary)
		}
		if _, ok := Explain(f.Code); !ok {
			t.Errorf("%s is not in the catalogue", f.Code)
		}
	}
}

func TestIdentities(t *testing.T) {
	uuid1 := "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	rows := []struct {
		name, key, value string
		sibling          KV
		want             Identity
		reason           string
	}{
		{"election", "/e/a1", "node-1", KV{}, Identity{"node-1", "value"}, "the candidate's proposal"},
		{"mutex", "/l/a1", "", KV{}, Identity{"", "none"}, "an empty value names nobody"},
		{"python-etcd3", "/locks/x", uuid1, KV{}, Identity{"host 00:c0:4f:d4:30:c8, made 1998-02-04 22:13:53", "uuid"}, "version 1 holds time and host"},
		{"etcd3gw", "/locks/x", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", KV{}, Identity{"host 00:c0:4f:d4:30:c8, made 1998-02-04 22:13:53", "uuid"}, "the same as text"},
		{"vitess", "/ks/locks/161", `{"Action":"Reshard","HostName":"h1","UserName":"root"}`, KV{}, Identity{"root@h1: Reshard", "value"}, "who and why"},
		{"dm-master", "/dm-master/leader/a1", `{"id":"m1","addr":"10.0.0.1:8261"}`, KV{}, Identity{"m1@10.0.0.1:8261", "value"}, "known JSON"},
		{"shedlock", "shedlock:a:b", "ADDED:2026-01-02T03:04:05Z@host-7", KV{}, Identity{"host-7", "value"}, "the host behind the @"},
		{"pd", "/pd/1/leader", "\x0a\x04pd-0\x10\x05", KV{}, Identity{"pd-0", "value"}, "readable inside a protobuf"},
		{"ticdc", "/cdc/owner/a1", "", KV{Key: "/cdc/capture/c-7", Value: `{"id":"c-7","address":"10.0.0.3:8300"}`, Lease: 0xa1},
			Identity{"c-7 (c-7@10.0.0.3:8300)", "sibling"}, "another key on the same lease"},
		{"terraform", "/tf/prod/a1", "", KV{Key: "/tf/prod.lockinfo", Value: `{"Who":"ann@laptop","Operation":"Apply"}`},
			Identity{"ann@laptop: Apply", "sibling"}, "a key beside the lock"},
		{"hostile", "/e/a1", "a\x1b[2Jb\u202e", KV{}, Identity{`a`, "value"}, "nothing unescaped"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := New()
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
	s := NewState()
	s.Apply(Batch{Events: []Event{ClusterStatus{At: At(1), Members: []Member{
		{ID: 0x1122334455668e61, Name: "m1"}, {ID: 0xaabbccddeeff1234, Name: "m2"}}}}})
	for id, want := range map[LeaseID]string{0x0e61000000000001: "member m1", 0x1234000000000001: "member m2", 0x42: "", 0x7777000000000001: ""} {
		if got := s.GrantedBy(id); got != want {
			t.Errorf("lease %s was granted by %q, want %q", id, got, want)
		}
	}
}

func TestStats(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0xa1), "", 0xa1)
	h.Put(2, ClaimKey("/l", 0xb2), "", 0xb2)
	h.Del(5, ClaimKey("/l", 0xa1))
	got := state(h).Lock("/l").Stats()
	want := Stats{Handovers: 1, Waits: 1, Holds: 1, WaitP50: 3 * time.Second, WaitP99: 3 * time.Second, HoldP50: 4 * time.Second, HoldP99: 4 * time.Second}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestUnaskedMembersAreNotDown: one endpoint of three is asked.
func TestUnaskedMembersAreNotDown(t *testing.T) {
	s := NewState()
	round := func(sec float64, leader bool) {
		s.Apply(Batch{Events: []Event{ClusterStatus{At: At(sec), Members: []Member{
			{ID: 1, Name: "m1", Version: "3.6.1", NoLeader: !leader}, {ID: 2, Name: "m2", Unasked: true, Leader: leader}, {ID: 3, Name: "m3", Unasked: true}}}}})
	}
	round(1, true)
	round(2, false)
	if c := s.Cluster(); c.Up() != 1 || c.Asked() != 1 {
		t.Errorf("%d of %d are up", c.Up(), c.Asked())
	}
	if all := s.ClusterFindings(); len(all) > 0 {
		t.Errorf("an election takes a moment: %v", all)
	}
	round(3, false)
	if all := s.ClusterFindings(); len(all) != 1 || all[0].Code != CodeNoQuorum || !strings.Contains(all[0].Summary, "1 of 1 members answer") {
		t.Errorf("got %v", all)
	}
	s.Apply(Batch{Events: []Event{ClusterStatus{At: At(4), Members: []Member{{ID: 1, Name: "m1", Leader: true}, {ID: 2, Name: "m2", Err: "refused"}, {ID: 3, Name: "m3"}}}}})
	for _, f := range s.Journal() {
		if f.Kind == EntryMember && strings.Contains(f.Text, "answer") {
			t.Errorf("nothing was known of it before: %s", f.Text)
		}
	}
}

package findings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestWhoNeverRenewedMayHaveDiedYoung: 60 s is the TTL of a session of the Go client, and what the lock
// service grants to a caller that brings no lease. Only a sign of life tells that it is the latter.
func TestWhoNeverRenewedMayHaveDiedYoung(t *testing.T) {
	const service = "unattended-lease"
	a, b := model.LeaseID(0xa1), model.LeaseID(0xb2)
	key := func(l model.LeaseID) string { return modeltest.ClaimKey("/lock", l) }
	// falls has a lease granted at a time, and read while it falls.
	falls := func(h *modeltest.History, from, to float64, l model.LeaseID) {
		for at := from + .1; at <= to; at += 5 {
			h.Read(at, l, 60, 59-int64(at-from))
		}
	}
	runs := func(h *modeltest.History, proc model.ProcState) {
		h.Add(model.Contender{At: modeltest.At(.1), Name: "c1", Lock: "/lock", Recipe: "mutex", TTL: 60, Proc: proc})
		h.Add(model.LeaseOwner{At: modeltest.At(1), Lease: a, Client: model.Client{Name: "c1", Certain: true}})
	}
	held := func(h *modeltest.History) {
		h.Put(1, key(a), "", a)
		h.Put(2, key(b), "", b)
		falls(h, 1, 28, a)
	}
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		code   model.Code
		sure   model.Confidence
		other  model.Code // the first alternative
		why    string
	}{
		{"it died, or was never meant to renew: nothing tells", held, model.CodeDeadHolder, model.Hint, service, "a program that died before its first renewal leaves it so"},
		{"the waiter renews, as clients of this lock do", func(h *modeltest.History) {
			held(h)
			h.Read(28.2, b, 60, 33)
			h.Read(29, b, 60, 59)
			h.Read(29.5, a, 60, 31)
		}, model.CodeDeadHolder, model.Hint, service, "1 waiter renews its lease"},
		{"a crash loop: the one before ended the same way", func(h *modeltest.History) {
			h.Put(1, key(0x99), "", 0x99)
			falls(h, 1, 61, 0x99)
			h.Read(60.9, 0x99, 60, 0)
			h.Del(61.3, key(0x99))
			h.Read(61.4, 0x99, 0, -1)
			h.Put(63, key(a), "", a)
			h.Put(64, key(b), "", b)
			falls(h, 63, 90, a)
		}, model.CodeDeadHolder, model.Hint, service, "1 holder before ended the same way, as in a crash loop"},
		{"it puts its key again after the time of a renewal: it lives", func(h *modeltest.History) {
			held(h)
			h.Put(29, key(a), "", a)
			h.Read(30, a, 60, 30)
		}, service, model.Hint, model.CodeDeadHolder, "its key was put again after 28s"},
		{"two holders before it released, never renewed", func(h *modeltest.History) {
			for i := range 2 {
				from, l := float64(1+40*i), model.LeaseID(0x90+i)
				h.Put(from, key(l), "", l)
				falls(h, from, from+30, l)
				h.Del(from+31, key(l))
				h.Read(from+31.1, l, 60, 28)
			}
			h.Put(90, key(a), "", a)
			h.Put(91, key(b), "", b)
			falls(h, 90, 118, a)
		}, service, model.Hint, model.CodeDeadHolder, "2 holders before released in order"},
		{"the lab knows that its process runs", func(h *modeltest.History) { runs(h, model.ProcRunning); held(h) }, service, model.Hint, model.CodeDeadHolder, "the process of c1 runs"},
		{"the lab knows that its process ended", func(h *modeltest.History) { runs(h, model.ProcEnded); held(h) }, model.CodeDeadHolder, model.Strong, "", "its process has ended"},
		{"it began before we looked: which of them stays open", func(h *modeltest.History) {
			kv := h.Write(key(a), "", a)
			h.Events = nil
			h.Add(model.LoadStarted{At: modeltest.At(0)}, model.Listed{At: modeltest.At(0), KVs: []model.KV{kv}}, model.Loaded{At: modeltest.At(0), Rev: h.Rev})
			h.Put(2, key(b), "", b)
			h.Read(3, a, 60, 38)
			h.Read(5, a, 60, 36)
		}, model.CodeKeepaliveStalled, model.Hint, model.CodeDeadHolder, ""},
		{"a TTL of 30 s is no lease of the lock service", func(h *modeltest.History) {
			h.Put(1, key(a), "", a)
			h.Put(2, key(b), "", b)
			h.Read(1.1, a, 30, 29)
			h.Read(15, a, 30, 15)
		}, model.CodeKeepaliveStalled, model.Hint, model.CodeKeepaliveCancelled, ""},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		s := state(h)
		i := slices.IndexFunc(s.Findings(), func(f model.Finding) bool { return f.Claim.Key == key(a) })
		if i < 0 {
			t.Errorf("%s: nothing is found", r.reason)
			continue
		}
		f := s.Findings()[i]
		first := model.Code("")
		if len(f.Alternatives) > 0 {
			first = f.Alternatives[0]
		}
		if d := cmp.Diff([]any{r.code, r.sure, r.other}, []any{f.Code, f.Confidence, first}); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
		if f.Confidence == model.Hint && f.Code != service && r.other != model.CodeKeepaliveCancelled && !slices.Contains(f.Alternatives, service) {
			t.Errorf("%s: %v do not name a caller of the lock service", r.reason, f.Alternatives)
		}
		if why := strings.Join(text.EnglishAll(f.Evidence), "; "); !strings.Contains(why, r.why) {
			t.Errorf("%s: want %q in %q", r.reason, r.why, why)
		}
	}

	h := modeltest.New() // the healthy neighbour: it renews at a third
	h.Loaded(0)
	h.Put(1, key(a), "", a)
	h.Put(2, key(b), "", b)
	h.Read(1.1, a, 60, 59)
	h.Read(21.8, a, 60, 59)
	h.Read(30, a, 60, 51)
	if got := codes(state(h)); got != nil {
		t.Errorf("one that renews: %v", got)
	}
}

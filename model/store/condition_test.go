package store

import (
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/status"
	"locktop/model/text"
)

// listRoom is what the list of locks has for what it takes to move, on 80 columns.
const listRoom = 17

func TestConditionsOfLocks(t *testing.T) {
	a, b := model.LeaseID(0xa1), model.LeaseID(0xb2)
	warning, info := model.Finding{Code: model.CodeDeadHolder, Severity: model.SevWarning, Lease: a}, model.Finding{Code: model.CodeLongQueue, Severity: model.SevInfo}
	two := func(h *modeltest.History) {
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
	}
	healthy := func(h *modeltest.History) { two(h); h.Read(3, a, 60, 58) }
	late := func(h *modeltest.History) { two(h); h.Read(3, a, 60, 58); h.Read(28, a, 60, 36) }
	free := func(h *modeltest.History) {
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Del(2, modeltest.ClaimKey("/lock", a))
	}
	group := func(h *modeltest.History) { h.Put(1, "/lock/host-a:80", "x", a); h.Put(1, "/lock/host-b:80", "x", b) }
	const unseen, unread = "its program releases, or its lease ends, in 58s unless renewed", "its program releases, or its lease ends"
	moves := func(h *modeltest.History, n, each int) { // n holds of so many seconds, and one that goes on with another behind it
		for i := range n + 2 {
			lease := model.LeaseID(0x100 + i)
			h.Put(float64(max(0, (i-1)*each)), modeltest.ClaimKey("/lock", lease), "", lease)
			if i > 0 && i <= n {
				h.Del(float64(i*each), modeltest.ClaimKey("/lock", lease-1))
				h.Read(float64(i*each), lease-1, 60, 59)
				h.Read(float64(i*each), lease, 60, 59)
			}
		}
	}
	for _, r := range []struct {
		reason  string
		tell    func(h *modeltest.History)
		found   []model.Finding
		word    string
		level   model.Level
		trouble bool
		moves   string
	}{
		{"it is renewed, and somebody waits: whether it moves nobody has seen", healthy, nil, "held", model.LevelInfo, false, unseen},
		{"nobody waits, so nothing has to move", func(h *modeltest.History) { h.Put(1, modeltest.ClaimKey("/lock", a), "", a); h.Read(3, a, 60, 58) }, nil, "held", model.LevelWell, false, unseen},
		{"its lease was seen to be renewed: only its program ends that", func(h *modeltest.History) { two(h); h.Read(3, a, 60, 41); h.Read(5, a, 60, 59) }, nil,
			"held", model.LevelInfo, false, "its program releases"},
		{"it changes hands", func(h *modeltest.History) { moves(h, 3, 1) }, nil, "moving", model.LevelWell, false, "its program releases, or its lease ends, in 59s unless renewed"},
		{"it did, and is held for much longer now", func(h *modeltest.History) { moves(h, 3, 1); h.Add(model.Tick{At: modeltest.At(60)}) }, nil,
			"held", model.LevelInfo, false, "its program releases, or its lease ends, in 2s unless renewed"},
		{"three holds are enough for an estimate", func(h *modeltest.History) {
			moves(h, 3, 4)
			last := model.LeaseID(0x100 + 3)
			h.Read(13, last, 60, 41)
			h.Read(14, last, 60, 59)
		}, nil, "moving", model.LevelWell, false, "its program releases, usually in about 2.0s"},
		{"two are not", func(h *modeltest.History) {
			moves(h, 2, 4)
			last := model.LeaseID(0x100 + 2)
			h.Read(9, last, 60, 41)
			h.Read(10, last, 60, 59)
		}, nil, "moving", model.LevelWell, false, "its program releases"},
		{"of a lock `late` alone does not say what is late, and scripts compare with this word", late, nil, "lease late", model.LevelWarning, true, "its lease ends, in 36s unless renewed"},
		{"likewise", two, nil, "lease not read", model.LevelUnread, false, unread},
		{"likewise", func(h *modeltest.History) { two(h); h.Read(3, a, 0, -1) }, nil, "lease gone", model.LevelError, true, ""},
		{"likewise", func(h *modeltest.History) { two(h); h.Read(3, a, 60, -2) }, nil, "lease overdue", model.LevelError, true, "etcd revokes its lease, which is past its end"},
		{"the columns of leases have the same word", func(h *modeltest.History) {
			h.Put(1, "/lock/694d81e5fc652594", "", 0)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		}, nil,
			"no lease", model.LevelWarning, true, "its key is deleted: it has no lease"},
		{"one word: which key it is stands in the queue", func(h *modeltest.History) { h.Put(1, "/lock/setting", "", 0); two(h) }, nil,
			"blocked", model.LevelError, true, "the key that blocks it goes"},
		{"a finding says more than the lease", healthy, []model.Finding{warning}, "dead-holder", model.LevelWarning, true, unseen},
		{"also one that is only worth knowing: `healthy` would hide that it is held for long", healthy, []model.Finding{info}, "long-queue", model.LevelInfo, false, unseen},
		{"which says more than that nothing was read, too", two, []model.Finding{info}, "long-queue", model.LevelInfo, false, unread},
		{"but not more than trouble with the lease", late, []model.Finding{info}, "lease late", model.LevelWarning, true, "its lease ends, in 36s unless renewed"},
		{"nobody holds it", free, nil, "free", model.LevelIdle, false, ""},
		{"what is worth knowing of a free lock is not how it is", free, []model.Finding{info}, "free", model.LevelIdle, false, ""},
		{"nobody holds it, and one believes so", free, []model.Finding{{Code: model.CodeStaleHolder, Severity: model.SevError}}, "stale-holder", model.LevelError, true, ""},
		{"leased keys side by side are no lock", group, nil, "leased keys", model.LevelIdle, false, ""},
		{"likewise", group, []model.Finding{info}, "leased keys", model.LevelIdle, false, ""},
		{"trouble with them is still trouble: a word that says nothing would hide it", group, []model.Finding{warning}, "dead-holder", model.LevelWarning, true, ""},
		{"what waits as a foreign key does not block yet: its holder ends as ever", healthy, []model.Finding{{Code: model.CodeForeignKey, Severity: model.SevWarning}},
			"foreign-key", model.LevelWarning, true, unseen},
		{"it is first, and stays", func(h *modeltest.History) { h.Put(1, "/lock/setting", "", 0); two(h) }, []model.Finding{{Code: model.CodeForeignKey, Severity: model.SevError}},
			"foreign-key", model.LevelError, true, "will not clear by itself"},
		{"each of the cycle renews", healthy, []model.Finding{{Code: model.CodeLockCycle, Severity: model.SevError}}, "lock-cycle", model.LevelError, true, "will not clear while its holder is alive"},
		{"one look may be wrong about that, and so is nobody told that its program releases", healthy,
			[]model.Finding{{Code: model.CodeLockCycle, Severity: model.SevError, Confidence: model.Hint}}, "lock-cycle", model.LevelError, true, "never, if this is a deadlock"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		s := apply(model.Batch{Events: h.Events})
		l := s.Lock("/lock")
		for i := range r.found {
			if r.found[i].Severity == model.SevError && l.Head() != nil {
				r.found[i].Claim = l.Head().Ref() // an error is about what blocks
			}
		}
		s.SetFindings(l, r.found)
		c := status.ConditionOf(s, l)
		if c.Word != r.word || c.Level != r.level || c.Trouble() != r.trouble || c.Message().IsZero() && r.found == nil {
			t.Errorf("%+v, want %q at level %d, trouble %v: %s", c, r.word, r.level, r.trouble, r.reason)
		}
		if got := text.English(status.NextMove(s, l, s.Now()).When); got != r.moves {
			t.Errorf("%s moves when it %q, want %q: %s", c.Word, got, r.moves, r.reason)
		}
		if got := briefly(s, l, listRoom); len(got) > listRoom || (got == "") != (r.moves == "") {
			t.Errorf("%s moves when it %q, which the list has no room for: %s", c.Word, got, r.reason)
		}
		if got := briefly(s, l, len(r.moves)); got != r.moves {
			t.Errorf("%q where there is room for %q: %s", got, r.moves, r.reason)
		}
	}
}

// briefly says what it takes for a lock to move in so many characters.
func briefly(s *Store, l *locks.Lock, room int) string {
	move := status.NextMove(s, l, s.Now())
	said := text.English(move.When)
	for _, m := range move.Brief() {
		if len(said) <= room {
			break
		}
		said = text.English(m)
	}
	return said
}

// A dead holder may keep a lock for as long as its lease lasts. While that is long, the list says
// how long, in however little room; a lease that is renewed before one's eyes says nothing of it.
func TestTheListSaysHowLongADeadHolderMayKeepTheLock(t *testing.T) {
	for _, r := range []struct {
		ttl, left, again int64 // again: a second reading, 30 s later
		room             int
		want, reason     string
	}{
		{3600, 3480, 0, listRoom, "release or in 57m", "nobody saw it renew"},
		{3600, 3480, 0, 44, "program releases, or lease ends in 57m59s", "with more room"},
		{3600, 3480, 3599, listRoom, "program releases", "it renews"},
		{60, 58, 0, listRoom, "program releases", "a minute is not long"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/lock", 0xa), "", 0xa)
		h.Put(2, modeltest.ClaimKey("/lock", 0xb), "", 0xb)
		h.Read(3, 0xa, r.ttl, r.left)
		if r.again > 0 {
			h.Read(33, 0xa, r.ttl, r.again)
		}
		h.Add(model.Tick{At: modeltest.At(4)})
		s := apply(model.Batch{Events: h.Events})
		if got := briefly(s, s.Lock("/lock"), r.room); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

// The legend of the console is made of these.
func TestEveryConditionHasASentenceOfItsOwn(t *testing.T) {
	said := map[string]bool{}
	for i, c := range model.Conditions() {
		if c.Word == "" || c.Message().IsZero() || said[c.Word] || said[text.English(c.Message())] {
			t.Errorf("%+v: no word, or no sentence, or one of another", c)
		}
		if i > 0 && c.Rank < model.Conditions()[i-1].Rank {
			t.Errorf("%s comes after what is worse", c.Word)
		}
		said[c.Word], said[text.English(c.Message())] = true, true
	}
	for _, st := range []model.LeaseState{model.LeaseNone, model.LeaseUnknown, model.LeaseHealthy, model.LeaseLate, model.LeaseSilent, model.LeaseOverdue, model.LeaseGone} {
		if !said[st.Condition().Word] {
			t.Errorf("%s: %q is not among them", st, st.Condition().Word)
		}
	}
}

// Whatever is found, the worse condition has the higher rank, of locks and of sessions.
func TestConditionsOfEveryFinding(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Read(2, 0xa1, 60, 58)
	s := apply(model.Batch{Events: h.Events})
	l := s.Lock("/lock")
	for _, e := range findings.Catalogue() {
		rank := s.Lock("/lock").Head().LeaseInfo().State().Condition().Rank
		for _, sev := range []model.Severity{model.SevInfo, model.SevWarning, model.SevError} {
			s.SetFindings(l, []model.Finding{{Code: e.Code, Severity: sev, Lease: 0xa1, Claim: l.Head().Ref(), Summary: model.Say("quote", "x")}})
			c := status.ConditionOf(s, l)
			if sev == model.SevInfo && e.Code != model.CodeLongHeld && e.Code != model.CodeLongQueue {
				if c.Word != "held" || c.Code() != "" {
					t.Errorf("%s as info: the lock is %+v, and what is worth knowing is not how it does", e.Code, c)
				}
			} else if c.Word != string(e.Code) || c.Code() != e.Code || c.Level != sev.Level() || text.English(c.Message()) != "x" || c.Rank <= rank {
				t.Errorf("%s as %s: %+v after rank %d", e.Code, sev, c, rank)
			}
			rank = c.Rank
			switch of := status.OfSession(s, s.Lease(0xa1)); {
			case sev == model.SevInfo && of.Word != "renewed":
				t.Errorf("%s as %s: the session is %+v: what is worth knowing is not how it is", e.Code, sev, of)
			case sev != model.SevInfo && of != c:
				t.Errorf("%s as %s: the session is %+v and its only lock %+v", e.Code, sev, of, c)
			}
		}
	}
}

func TestRoles(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for _, key := range []string{"/mutex/a1", "/mutex/setting", "/mutex/b2", "/b/setting", "/b/a1", "/rw/read/1700000000000000001", "/rw/read/1700000000000000002",
		"/rw/write/1700000000000000003", "/rw/read/1700000000000000004", "/g/host-a:80", "/g/host-b:80"} {
		lease := map[string]model.LeaseID{"/mutex/a1": 0xa1, "/b/a1": 0xa1, "/mutex/b2": 0xb2, "/mutex/setting": 0, "/b/setting": 0}
		id, ok := lease[key]
		if !ok {
			id = model.LeaseID(0x10 + len(h.Keys))
		}
		h.Put(1, key, "", id)
	}
	s := apply(model.Batch{Events: h.Events})
	for _, r := range []struct {
		key    string
		role   model.Role
		name   string
		reason string
	}{
		{"/mutex/a1", model.RoleHolds, "holder", "the first claim holds"},
		{"/mutex/setting", model.RoleForeign, "foreign", "it is counted, and is not a claim"},
		{"/mutex/b2", model.RoleWaits, "waiter", "it has to wait"},
		{"/b/setting", model.RoleBlocks, "foreign", "it is not a claim and first; programs know it as foreign"},
		{"/b/a1", model.RoleWaits, "waiter", "nobody holds a blocked lock"},
		{"/rw/read/1700000000000000001", model.RoleHolds, "holder", "readers hold together"},
		{"/rw/read/1700000000000000002", model.RoleHolds, "holder", "also the second"},
		{"/rw/write/1700000000000000003", model.RoleWaits, "waiter", "a writer waits for them"},
		{"/rw/read/1700000000000000004", model.RoleWaits, "waiter", "a reader behind it waits for it"},
		{"/g/host-a:80", model.RoleMember, "member", "of keys side by side the first is not known to hold"},
		{"/g/host-b:80", model.RoleMember, "member", "nor is the second known to wait"},
	} {
		c, where := s.Claim(r.key), s.Lock("/"+strings.Split(r.key, "/")[1])
		if got := status.Role(where, c); got != r.role || got != status.RoleAt(where, c, where.Place(c)) || got.Name() != r.name {
			t.Errorf("%s: %s (%s), by its place %s, want %s (%s): %s", r.key, got, got.Name(), status.RoleAt(where, c, where.Place(c)), r.role, r.name, r.reason)
		}
	}
}

// TestWhatIsBrokenWhereOnlyTheLockIsNamed: a holder, and never a key of which nobody knows
// that it holds.
func TestWhatIsBrokenWhereOnlyTheLockIsNamed(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/mutex/a1", "", 0xa1)
	h.Put(1, "/b/setting", "data", 0xc3)
	h.Put(1, "/b/b2", "", 0xb2)
	h.Put(1, "lock:invoice", "host-a", 0xf6)
	h.Put(1, "/g/host-a:80", "", 0xd4)
	h.Put(1, "/g/host-b:80", "", 0xe5)
	const clock = "179538064172527300"
	readers := []string{"/r/read/" + clock + "1", "/r/read/" + clock + "2", "/r/read/" + clock + "3", "/r/write/" + clock + "4"}
	for i, key := range readers {
		h.Put(1, key, "", []model.LeaseID{1, 1, 2, 3}[i])
	}
	s := apply(model.Batch{Events: h.Events})
	for _, r := range []struct{ lock, key, why, reason string }{
		{"/mutex", "/mutex/a1", "", "the holder is meant"},
		{"/b", "", "/b/setting stands first, and is not a claim of /b", "some program needs that key, and it has a lease as a holder has"},
		{"lock:invoice", "", "that lock:invoice is a lock is a guess: single-key (--recipe PREFIX=NAME says what it is)", "it may be a cache entry that somebody needs"},
		{"/g", "", "/g is not a known lock: none of its keys is known to hold it", "an instance of a service is nobody's lock"},
		{"/r", "", "3 hold /r together: " + strings.Join(readers[:3], ", "), "which reader is meant is not known"},
	} {
		c, why := status.ToBreak(s.Lock(r.lock))
		if text.English(why) != r.why || (c != nil) != (r.key != "") || c != nil && c.Key != r.key {
			t.Errorf("%s: %v, %q: %s", r.lock, c, text.English(why), r.reason)
		}
	}
	for _, r := range []struct {
		key    string
		lease  model.LeaseID
		holdOn int
		next   string
		reason string
	}{
		{readers[0], 0, 2, "", "one key goes: two readers hold on"},
		{readers[0], 1, 1, "", "a session of two readers goes: the third holds on"},
		{readers[2], 2, 2, "", "the last one to come goes, and the writer does not get it"},
		{"/mutex/a1", 0xa1, 0, "", "nobody waits"},
		{"/b/setting", 0xc3, 0, "/b/b2", "what blocks goes: the first in the queue is next"},
	} {
		c := s.Claim(r.key)
		l := s.Lock("/" + strings.Split(r.key, "/")[1])
		holdOn, next := status.Without(l, c, r.lease)
		got := ""
		if next != nil {
			got = next.Key
		}
		if holdOn != r.holdOn || got != r.next {
			t.Errorf("without %s: %d hold on, next %q, want %d, %q: %s", r.key, holdOn, got, r.holdOn, r.next, r.reason)
		}
	}
}

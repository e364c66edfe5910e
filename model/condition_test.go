package model

import "testing"

func TestConditionsOfLocks(t *testing.T) {
	a, b := LeaseID(0xa1), LeaseID(0xb2)
	warning, info := Finding{Code: CodeDeadHolder, Severity: SevWarning, Lease: a}, Finding{Code: CodeLongQueue, Severity: SevInfo}
	two := func(h *History) {
		h.Put(1, ClaimKey("/l", a), "", a)
		h.Put(2, ClaimKey("/l", b), "", b)
	}
	healthy := func(h *History) { two(h); h.Read(3, a, 60, 58) }
	late := func(h *History) { two(h); h.Read(3, a, 60, 58); h.Read(28, a, 60, 36) }
	free := func(h *History) { h.Put(1, ClaimKey("/l", a), "", a); h.Del(2, ClaimKey("/l", a)) }
	group := func(h *History) { h.Put(1, "/l/host-a:80", "x", a); h.Put(1, "/l/host-b:80", "x", b) }
	for _, r := range []struct {
		reason  string
		tell    func(h *History)
		found   []Finding
		word    string
		level   Level
		trouble bool
		moves   string
	}{
		{"the lease says it where nothing is found", healthy, nil, "healthy", LevelWell, false, ""},
		{"of a lock `late` alone does not say what is late, and scripts compare with this word", late, nil, "lease late", LevelWarning, true, "ends in 36s unless renewed"},
		{"likewise", two, nil, "lease not read", LevelUnread, false, ""},
		{"likewise", func(h *History) { two(h); h.Read(3, a, 0, -1) }, nil, "lease gone", LevelError, true, ""},
		{"likewise", func(h *History) { two(h); h.Read(3, a, 60, -2) }, nil, "lease overdue", LevelError, true, "past its end, etcd has yet to revoke it"},
		{"the columns of leases have the same word", func(h *History) { h.Put(1, "/l/694d81e5fc652594", "", 0); h.Put(2, ClaimKey("/l", b), "", b) }, nil,
			"no lease", LevelWarning, true, "never expires by itself"},
		{"one word: which key it is stands in the queue", func(h *History) { h.Put(1, "/l/setting", "", 0); two(h) }, nil,
			"blocked", LevelError, true, "a key that is no claim stands first"},
		{"a finding says more than the lease", healthy, []Finding{warning}, "dead-holder", LevelWarning, true, ""},
		{"also one that is only worth knowing: `healthy` would hide that it is held for long", healthy, []Finding{info}, "long-queue", LevelInfo, false, ""},
		{"which says more than that nothing was read, too", two, []Finding{info}, "long-queue", LevelInfo, false, ""},
		{"but not more than trouble with the lease", late, []Finding{info}, "lease late", LevelWarning, true, "ends in 36s unless renewed"},
		{"nobody holds it", free, nil, "free", LevelIdle, false, ""},
		{"what is worth knowing of a free lock is not how it is", free, []Finding{info}, "free", LevelIdle, false, ""},
		{"nobody holds it, and one believes so", free, []Finding{{Code: CodeStaleHolder, Severity: SevError}}, "stale-holder", LevelError, true, ""},
		{"leased keys side by side are no lock", group, nil, "order only", LevelIdle, false, ""},
		{"likewise", group, []Finding{info}, "order only", LevelIdle, false, ""},
		{"trouble with them is still trouble: a word that says nothing would hide it", group, []Finding{warning}, "dead-holder", LevelWarning, true, ""},
		{"what waits as a foreign key does not block yet: its holder ends as ever", healthy, []Finding{{Code: CodeForeignKey, Severity: SevWarning}},
			"foreign-key", LevelWarning, true, ""},
		{"it is first, and stays", func(h *History) { h.Put(1, "/l/setting", "", 0); two(h) }, []Finding{{Code: CodeForeignKey, Severity: SevError}},
			"foreign-key", LevelError, true, "does not end by itself"},
		{"each of the circle renews", healthy, []Finding{{Code: CodeLockCycle, Severity: SevError}}, "lock-cycle", LevelError, true, "does not end while renewed"},
	} {
		h := New()
		h.Loaded(0)
		r.tell(h)
		s := apply(Batch{Events: h.Events})
		l := s.Lock("/l")
		for i := range r.found {
			if r.found[i].Severity == SevError && l.Head() != nil {
				r.found[i].Claim = l.Head().Ref() // an error is about what blocks
			}
		}
		s.SetFindings(l, r.found)
		c := l.Condition()
		if c.Word != r.word || c.Level != r.level || c.Trouble() != r.trouble || c.Sentence() == "" && r.found == nil {
			t.Errorf("%+v, want %q at level %d, trouble %v: %s", c, r.word, r.level, r.trouble, r.reason)
		}
		if got := l.MovesWhen(s.Now()); got != r.moves {
			t.Errorf("%s moves when it %q, want %q: %s", c.Word, got, r.moves, r.reason)
		}
	}
}

// The legend of the console is made of these.
func TestEveryConditionHasASentenceOfItsOwn(t *testing.T) {
	said := map[string]bool{}
	for i, c := range Conditions() {
		if c.Word == "" || c.Sentence() == "" || said[c.Word] || said[c.Sentence()] {
			t.Errorf("%+v: no word, or no sentence, or one of another", c)
		}
		if i > 0 && c.Rank < Conditions()[i-1].Rank {
			t.Errorf("%s comes after what is worse", c.Word)
		}
		said[c.Word], said[c.Sentence()] = true, true
	}
	for _, st := range []LeaseState{LeaseNone, LeaseUnknown, LeaseHealthy, LeaseLate, LeaseSilent, LeaseOverdue, LeaseGone} {
		if !said[st.Condition().Word] {
			t.Errorf("%s: %q is not among them", st, st.Condition().Word)
		}
	}
}

// Whatever is found, the worse condition has the higher rank, of locks and of sessions.
func TestConditionsOfEveryFinding(t *testing.T) {
	h := New()
	h.Loaded(0)
	h.Put(1, ClaimKey("/l", 0xa1), "", 0xa1)
	h.Read(2, 0xa1, 60, 58)
	s := apply(Batch{Events: h.Events})
	l := s.Lock("/l")
	for _, e := range Catalogue() {
		rank := s.Lock("/l").Head().LeaseInfo().State().Condition().Rank
		for _, sev := range []Severity{SevInfo, SevWarning, SevError} {
			s.SetFindings(l, []Finding{{Code: e.Code, Severity: sev, Lease: 0xa1, Claim: l.Head().Ref(), Summary: "x"}})
			c := l.Condition()
			if c.Word != string(e.Code) || c.Code() != e.Code || c.Level != sev.Level() || c.Sentence() != "x" || c.Rank <= rank {
				t.Errorf("%s as %s: %+v after rank %d", e.Code, sev, c, rank)
			}
			rank = c.Rank
			switch of := s.Lease(0xa1).Condition(); {
			case sev == SevInfo && of.Word != "healthy":
				t.Errorf("%s as %s: the session is %+v: what is worth knowing is not how it is", e.Code, sev, of)
			case sev != SevInfo && of != c:
				t.Errorf("%s as %s: the session is %+v and its only lock %+v", e.Code, sev, of, c)
			}
		}
	}
}

func TestRoles(t *testing.T) {
	h := New()
	h.Loaded(0)
	for _, key := range []string{"/m/a1", "/m/setting", "/m/b2", "/b/setting", "/b/a1", "/rw/read/1700000000000000001", "/rw/read/1700000000000000002",
		"/rw/write/1700000000000000003", "/rw/read/1700000000000000004", "/g/host-a:80", "/g/host-b:80"} {
		lease := map[string]LeaseID{"/m/a1": 0xa1, "/b/a1": 0xa1, "/m/b2": 0xb2, "/m/setting": 0, "/b/setting": 0}
		id, ok := lease[key]
		if !ok {
			id = LeaseID(0x10 + len(h.Keys))
		}
		h.Put(1, key, "", id)
	}
	s := apply(Batch{Events: h.Events})
	for _, r := range []struct {
		key    string
		role   Role
		name   string
		reason string
	}{
		{"/m/a1", RoleHolds, "holder", "the first claim holds"},
		{"/m/setting", RoleForeign, "foreign", "it is counted, and is no claim"},
		{"/m/b2", RoleWaits, "waiter", "it has to wait"},
		{"/b/setting", RoleBlocks, "foreign", "it is no claim and first; programs know it as foreign"},
		{"/b/a1", RoleWaits, "waiter", "nobody holds a blocked lock"},
		{"/rw/read/1700000000000000001", RoleHolds, "holder", "readers hold together"},
		{"/rw/read/1700000000000000002", RoleHolds, "holder", "also the second"},
		{"/rw/write/1700000000000000003", RoleWaits, "waiter", "a writer waits for them"},
		{"/rw/read/1700000000000000004", RoleWaits, "waiter", "a reader behind it waits for it"},
		{"/g/host-a:80", RoleMember, "waiter", "of keys side by side the first is not known to hold; programs know them as waiters"},
		{"/g/host-b:80", RoleMember, "waiter", "nor is the second known to wait"},
	} {
		c, where := s.Claim(r.key), s.Lock("/"+string(r.key[1]))
		if where == nil {
			where = s.Lock("/rw")
		}
		if got := where.Role(c); got != r.role || got != where.RoleAt(c, where.Place(c)) || got.Name() != r.name {
			t.Errorf("%s: %s (%s), by its place %s, want %s (%s): %s", r.key, got, got.Name(), where.RoleAt(c, where.Place(c)), r.role, r.name, r.reason)
		}
	}
}

package runner

import (
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
)

// A wait that ends in vain says of a lock what the screen says of it.
func TestAWaitSaysTheStateOfTheLock(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := store.New()
	put := func(rev int64, key string, lease model.LeaseID) model.Event {
		return model.Committed{At: at, Rev: rev, Changes: []model.Change{{KV: model.KV{Key: key, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}}}}
	}
	gone := func(rev int64, key string) model.Event {
		return model.Committed{At: at, Rev: rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: key, ModRev: rev}}}}
	}
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at, Rev: 1}, model.Loaded{At: at, Rev: 1},
		put(2, "/held/a1", 0xa1), put(3, "/held/b2", 0xb2), put(4, "/blocked/x", 0), put(5, "/blocked/a1", 0xa1),
		put(6, "/group/host:80", 0xc3), put(7, "/group/host:81", 0xc4), put(8, "/free/a1", 0xa1), gone(9, "/free/a1")}})
	v := view{s.View, check.New(&drill.Drill{}, at)}
	for _, r := range []struct{ lock, words, reason string }{
		{"/held", "the holder was /held/a1, and waiting were /held/b2", "one holds, one waits"},
		{"/blocked", "/blocked/x blocked it, which does not hold", "a key that is not a claim stands first"},
		{"/group", "nobody was known to hold it, and listed were /group/host:80, /group/host:81", "leased keys side by side block nothing"},
		{"/free", "nobody held it", "it was let go"},
	} {
		l := s.Lock(r.lock)
		for _, e := range findings.Catalogue() {
			for _, sev := range []model.Severity{model.SevInfo, model.SevWarning, model.SevError} {
				s.SetFindings(l, []model.Finding{{Code: e.Code, Severity: sev, Lock: l.Name, Claim: l.Head().Ref(), Summary: model.Say("quote", "it is "+string(e.Code))}})
				if got, want := v.Queue(r.lock).Words(), r.words+" ("+text.English(findings.StateWord(status.ConditionOf(s, l)))+")"; got != want {
					t.Fatalf("%s: %q, want %q", r.reason, got, want)
				}
			}
		}
	}
	if got := v.Queue("/never").Words(); !strings.HasPrefix(got, "it was free") {
		t.Errorf("a lock that was never seen: %q", got)
	}
}

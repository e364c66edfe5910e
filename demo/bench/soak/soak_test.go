package soak

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

func TestASoakOfSecondsIsHealthyAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out strings.Builder
	healthy, err := Command(t.Context(), []string{"-minutes", "0.2", "-contenders", "24", "-clients", "3", "-hold", "200ms"}, &out, io.Discard)
	if err != nil || !healthy {
		t.Fatalf("healthy %v, %v\n%s", healthy, err, &out)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var s summary
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatalf("the last line is no summary: %v\n%s", err, &out)
	}
	if !s.Complete || s.Moves != moves || s.Acquired == 0 || s.Handovers == 0 || len(s.Causes) == 0 || s.RPS == 0 || s.RSSEnd == 0 {
		t.Errorf("the summary lacks something: %+v", s)
	}
	for how, said := range s.Verdicts {
		if said[wrong] > 0 {
			t.Errorf("%s: %v, %q", how, said, s.Wrong)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheLedgerJudges(t *testing.T) {
	lg := newLedger()
	ends := map[string]ending{"a": unlocked, "b": unlockedClosed, "c": closed, "d": lost}
	lg.end(claimID{"f", 1}, 2, unlocked)
	lg.closing(2)
	for key, how := range ends {
		lg.end(claimID{key, 1}, 1, how)
	}
	causes := []struct {
		key    string
		cause  model.Cause
		want   verdict
		reason string
	}{
		{"a", model.CauseReleased, right, "it was unlocked"},
		{"a", model.CauseUnknown, unsaid, "unknown is no lie"},
		{"a", model.CauseRevoked, wrong, "its session goes on"},
		{"b", model.CauseRevoked, nearly, "the session was closed just after"},
		{"c", model.CauseRevoked, right, "the session was closed"},
		{"c", model.CauseReleased, wrong, "nobody unlocked it"},
		{"d", model.CauseExpired, right, "the session ended by itself"},
		{"d", model.CauseRevoked, wrong, "nobody closed the session"},
		{"e", model.CauseReleased, noTruth, "the ledger does not know it"},
		{"f", model.CauseRevoked, nearly, "the session was closed in its next round, before the lease was read"},
	}
	for _, c := range causes {
		if got, _ := lg.judge(&model.JournalEntry{Cause: c.cause}, model.ClaimRef{Key: c.key, CreateRev: 1}); got != c.want {
			t.Errorf("%s said of %s is %s, want %s: %s", c.cause, ends[c.key], got, c.want, c.reason)
		}
	}
	const late, fresh = clientv3.LeaseID(7), clientv3.LeaseID(8)
	lg.renewed(late, 9, time.Now().Add(-5*time.Second))
	lg.renewed(fresh, 9, time.Now())
	warnings := []struct {
		warning model.Finding
		want    bool
		reason  string
	}{
		{model.Finding{Code: model.CodeDeadHolder, Lease: model.LeaseID(late)}, true, "a renewal is overdue"},
		{model.Finding{Code: model.CodeDeadHolder, Lease: model.LeaseID(fresh)}, false, "it was just renewed"},
		{model.Finding{Code: model.CodeLongHeld, Lease: model.LeaseID(fresh)}, false, "it does not hold"},
		{model.Finding{Code: model.CodeMassRevocation}, false, "two leases are not many"},
		{model.Finding{Code: "lock-cycle"}, false, "nothing of the kind was done"},
	}
	for _, w := range warnings {
		if got, why := lg.confirms(w.warning); got != w.want {
			t.Errorf("%s is %v (%s), want %v: %s", w.warning.Code, got, why, w.want, w.reason)
		}
	}
}

func TestFlagsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-minutes", "0"}, {"-contenders", "0"}, {"-clients", "101"}, {"-hold", "1ms"}, {"more"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

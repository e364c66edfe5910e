package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/bench/load"
	"locktop/model"
	"locktop/model/journal"
)

// TestMain lets the observers be this program too.
func TestMain(m *testing.M) {
	if served, err := load.Serve(); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

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
	if !s.Complete || s.Moves != moves || s.Kills == 0 || s.Sleeps == 0 || s.Starvations == 0 || s.Acquired == 0 || len(s.Observers) != len(observers) {
		t.Errorf("the summary lacks something: %+v", s)
	}
	for _, o := range s.Observers {
		if o.Handovers == 0 || len(o.Causes) == 0 || len(o.Verdicts) == 0 || o.RPS == 0 || o.RSSEnd == 0 {
			t.Errorf("%s lacks something: %+v", o.Observer, o)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheLedgerJudges(t *testing.T) {
	const on, shut, dead, service, ran = 1, 2, 3, 4, 5 // leases
	lg := newLedger()
	killed := lg.joins()
	for _, id := range []clientv3.LeaseID{dead, service} {
		lg.renewed(killed, id, 9, beat{time.Now(), time.Now()})
	}
	lg.renewed(lg.joins(), ran, 9, beat{time.Now(), time.Now()})
	lg.end(claimID{"a", 1}, on, unlocked)
	lg.end(claimID{"b", 1}, on, unlockedClosed)
	lg.end(claimID{"c", 1}, on, closed)
	lg.end(claimID{"f", 1}, shut, unlocked)
	lg.end(claimID{"k", 1}, dead, unlocked)
	lg.closing(shut)
	if n := lg.kill(killed); n != 2 {
		t.Errorf("%d sessions are killed, want 2", n)
	}
	lg.end(claimID{"d", 1}, dead, lost)
	causes := []struct {
		key    string
		lease  model.LeaseID
		cause  journal.Cause
		want   verdict
		reason string
	}{
		{"a", on, journal.CauseReleased, right, "it was unlocked"},
		{"a", on, journal.CauseUnknown, unsaid, "unknown is no lie"},
		{"a", on, journal.CauseRevoked, wrong, "its session goes on"},
		{"b", on, journal.CauseRevoked, nearly, "the session was closed just after"},
		{"c", on, journal.CauseRevoked, right, "the session was closed"},
		{"c", on, journal.CauseReleased, wrong, "nobody unlocked it"},
		{"d", dead, journal.CauseExpired, right, "its client was killed"},
		{"d", dead, journal.CauseRevoked, wrong, "nobody closed the session"},
		{"e", on, journal.CauseReleased, right, "a waiter that gives up deletes its key"},
		{"e", on, journal.CauseExpired, wrong, "its session goes on"},
		{"f", shut, journal.CauseRevoked, nearly, "the session was closed in its next round, before the lease was read"},
		{"g", dead, journal.CauseExpired, right, "a waiter whose client was killed"},
		{"g", dead, journal.CauseReleased, wrong, "a client that is killed deletes nothing"},
		{"h", dead, journal.CauseReleased, right, "a waiter that gave up before its client was killed"},
		{servicePrefix + "0/4", service, journal.CauseReleased, right, "the server deletes it when the caller is gone"},
		{"r", ran, journal.CauseExpired, right, "nobody renewed it for longer than its TTL"},
		{"k", dead, journal.CauseExpired, right, "it was killed while it unlocked"},
		{"k", dead, journal.CauseReleased, right, "its unlock may have come through"},
	}
	for _, c := range causes {
		at := time.Now().Add(time.Minute)
		if c.key == "h" {
			at = time.Now().Add(-time.Minute)
		}
		if got, how := lg.judge(c.cause, model.ClaimRef{Key: c.key, CreateRev: 1, Lease: c.lease}, at); got != c.want {
			t.Errorf("%s said of %s (%s) is %s, want %s: %s", c.cause, c.key, how, got, c.want, c.reason)
		}
	}
}

func TestTheLedgerConfirms(t *testing.T) {
	const late, fresh, renewed, shut, dead, slow = 7, 8, 9, 10, 11, 12 // leases
	lg := newLedger()
	now := time.Now()
	client, killed := lg.joins(), lg.joins()
	lg.renewed(client, late, 9, beat{now.Add(-5 * time.Second), now.Add(-5 * time.Second)})
	lg.renewed(client, fresh, 9, beat{now, now})
	lg.renewed(client, renewed, 9, beat{now.Add(-5 * time.Second), now.Add(-5 * time.Second)})
	lg.renewed(client, renewed, 9, beat{now.Add(time.Second), now.Add(time.Second)})
	lg.renewed(client, slow, 9, beat{now, now.Add(4 * time.Second)})
	lg.renewed(client, shut, 9, beat{now.Add(-5 * time.Second), now.Add(-5 * time.Second)})
	lg.closed(shut)
	lg.renewed(killed, dead, 9, beat{now.Add(-20 * time.Second), now.Add(-20 * time.Second)})
	lg.kill(killed)
	lg.holds(fresh)
	warnings := []struct {
		code   model.Code
		lease  model.LeaseID
		at     time.Duration // from now
		want   bool
		reason string
	}{
		{model.CodeDeadHolder, late, 0, true, "a renewal is overdue"},
		{model.CodeDeadHolder, fresh, 0, false, "it was just renewed"},
		{model.CodeKeepaliveStalled, renewed, 0, true, "it was renewed only after the warning"},
		{model.CodeKeepaliveStalled, renewed, 3 * time.Second, false, "it was renewed before the warning"},
		{model.CodeKeepaliveStalled, renewed, 1400 * time.Millisecond, true, "it may have been late when its answer was given"},
		{model.CodeKeepaliveStalled, slow, 6 * time.Second, true, "it was answered lately, and may have been done long before"},
		{model.CodeDeadWaiter, shut, time.Second, false, "its session was closed before"},
		{model.CodeLeaseOverdue, late, 0, false, "its end is to come"},
		{model.CodeLeaseOverdue, dead, 0, true, "its end is past"},
		{model.CodeTTLReset, dead, time.Second, true, "nobody renews it"},
		{model.CodePredecessorClaim, dead, time.Second, true, "its client was killed, and comes back"},
		{model.CodePredecessorClaim, late, time.Second, false, "its client lives"},
		{model.CodeTTLReset, fresh, time.Second, false, "it is renewed"},
		{model.CodeTTLReset, slow, 5 * time.Second, true, "its renewal took 4 s"},
		{model.CodeLongHeld, fresh, time.Second, false, "it holds for a second"},
		{model.CodeLongHeld, fresh, time.Minute, true, "it holds for a minute"},
		{model.CodeLongHeld, late, time.Minute, false, "it does not hold"},
		{model.CodeMassRevocation, 0, 0, false, "no leases are not many"},
		{"lock-cycle", 0, 0, false, "nothing of the kind was done"},
	}
	for _, w := range warnings {
		if got, why := lg.confirms(model.Finding{Code: w.code, Lease: w.lease}, now.Add(w.at), now.Add(w.at)); got != w.want {
			t.Errorf("%s is %v (%s), want %v: %s", w.code, got, why, w.want, w.reason)
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

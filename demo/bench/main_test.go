package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/journal"
)

// TestMain lets the processes of the command be this program, too.
func TestMain(m *testing.M) {
	if os.Getenv(crowdEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// leavesNothing fails the test if it leaves a file behind.
func leavesNothing(t *testing.T) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() {
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func TestEveryRowHasAllOfItsFigures(t *testing.T) {
	leavesNothing(t)
	var out strings.Builder
	if err := command(t.Context(), []string{"-quick"}, &out, io.Discard); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, r := range allRows(options{}) {
		_, table, ok := strings.Cut(out.String(), "| **"+r.name+"**")
		if !ok {
			t.Errorf("there is no row %s in\n%s", r.name, &out)
		}
		for _, f := range r.figures {
			if line, _, _ := strings.Cut(table, "\n| **"); !strings.Contains(line, "| "+f.name+" | ") {
				t.Errorf("%s has no %q in\n%s", r.name, f.name, line)
			}
		}
	}
	for _, none := range []string{"last revision never shown", "errors untrue", "keys other than etcd's, at the end"} {
		if !strings.Contains(out.String(), "| "+none+" | 0.00 ") {
			t.Errorf("there are some: %s\n%s", none, &out)
		}
	}
	for _, some := range []string{"written", "10,000 claims: p50", "64 clients", "handovers"} {
		if strings.Contains(out.String(), "| "+some+" | 0.00 ") {
			t.Errorf("there are none: %s\n%s", some, &out)
		}
	}
}

func TestTheLedgerJudges(t *testing.T) {
	lg := &ledger{ends: map[claimID]ending{}, sessions: map[clientv3.LeaseID]*soakSession{1: {client: &soakClient{}}, 2: {client: &soakClient{killed: time.Now()}},
		3: {client: &soakClient{}, closed: true}}}
	lg.ends[claimID{"released", 1}] = ending{journal.CauseReleased, time.Now().Add(-time.Minute)}
	lg.ends[claimID{"closed", 1}] = ending{journal.CauseRevoked, time.Now()}
	rows := []struct {
		key    string
		lease  model.LeaseID
		cause  journal.Cause
		true   bool
		reason string
	}{
		{"released", 1, journal.CauseReleased, true, "its holder released it"},
		{"released", 1, journal.CauseExpired, false, "its client lives"},
		{"released", 2, journal.CauseExpired, false, "its client was killed long after"},
		{"closed", 3, journal.CauseRevoked, true, "its session was closed"},
		{"closed", 3, journal.CauseReleased, false, "nobody deleted it"},
		{"held", 2, journal.CauseExpired, true, "its client was killed"},
		{"held", 2, journal.CauseRevoked, false, "a killed client revokes nothing"},
		{"waited", 3, journal.CauseReleased, true, "who gives up withdraws its key"},
		{"waited", 9, journal.CauseReleased, false, "nobody has this lease"},
	}
	for _, r := range rows {
		if why := lg.wrong(r.cause, model.ClaimRef{Key: r.key, CreateRev: 1, Lease: r.lease}); (why == "") != r.true {
			t.Errorf("%s said of %s on %d: %q: %s", r.cause, r.key, r.lease, why, r.reason)
		}
	}
}

func TestTheLedgerJudgesFindings(t *testing.T) {
	renewed := func(ago time.Duration) *soakSession {
		return &soakSession{client: &soakClient{}, renewed: time.Now().Add(-ago)}
	}
	lg := &ledger{sessions: map[clientv3.LeaseID]*soakSession{1: renewed(time.Second), 2: renewed(3 * time.Second), 3: renewed(4 * time.Second)}}
	lg.ends = map[claimID]ending{{"/soak/leader/1", 5}: {journal.CauseDeleted, time.Now()}, {"/soak/leader/2", 6}: {journal.CauseReleased, time.Now()}}
	rows := []struct {
		trouble string
		code    model.Code
		lease   model.LeaseID
		lock    string
		true    bool
		reason  string
	}{
		{"", model.CodeDeadHolder, 3, "", true, "it was not renewed when it should have been twice"},
		{"", model.CodeDeadHolder, 2, "", false, "it was not when it should have been once"},
		{"", model.CodeKeepaliveStalled, 2, "", true, "and that is what this says"},
		{"move", model.CodeKeepaliveStalled, 1, "", false, "it was renewed, whatever was disturbed"},
		{"move", model.CodeKeepaliveHalted, 3, "", true, "it was not renewed since the leader changed"},
		{"move", model.CodeKeepaliveHalted, 1, "", false, "it was"},
		{"", model.CodeLeaseOverdue, 3, "", false, "it has a second left"},
		{"", model.CodeDeadWaiter, 9, "", false, "nobody has this lease"},
		{"", model.CodeLongHeld, 1, "", false, "nobody hangs"},
		{"", model.CodeOrphanKey, 0, "", false, "nobody writes without a lease"},
		{"", model.CodeExternalDelete, 1, "/soak/leader", true, "its key was deleted by hand, and it works on"},
		{"", model.CodeExternalDelete, 2, "/soak/leader", false, "it gave its key up itself"},
		{"", model.CodeNestedPrefix, 0, "/soak/outer", true, "there is a lock below it"},
		{"", model.CodeNestedPrefix, 0, "/soak/mutex0", false, "there is none"},
		{"", model.CodeSlowCluster, 0, "", false, "nothing made it slow"},
		{"slow", model.CodeSlowCluster, 0, "", true, "it was slow, as others see, too"},
		{"move", model.CodeLeaderChanges, 0, "", false, "once is not again and again"},
	}
	for _, r := range rows {
		lg.moves, lg.slow = nil, nil
		switch r.trouble {
		case "slow":
			lg.slow = slices.Repeat([]time.Time{time.Now()}, slowLeast)
		case "move":
			lg.moves = []time.Time{time.Now()}
		}
		if why := lg.untrue(&model.Finding{Code: r.code, Lease: r.lease, Lock: r.lock}); (why == "") != r.true {
			t.Errorf("%s %s: %q: %s", r.code, r.lock, why, r.reason)
		}
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	leavesNothing(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := writer(func(p []byte) {
		if strings.Contains(string(p), "round 1") {
			cancel() // in the middle of it
		}
	})
	if err := command(ctx, []string{"idle"}, io.Discard, progress); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

func TestFlagsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"none"}, {"ls", "-quick", "none"}, {"-soak", "1ms"}, {"-soak", "0s"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	o, err := parse([]string{"idle", "-rounds", "2", "ls"}, io.Discard)
	if err != nil || o.rounds != 2 || len(o.names) != 2 {
		t.Errorf("rows before and behind flags: %v, %v", o, err)
	}
}

func TestFiguresAreMediansAndKnowTheirPromises(t *testing.T) {
	peer := func(ours, theirs float64) [2]values { return [2]values{{"f": ours}, {"f": theirs}} }
	rows := []struct {
		figure  figure
		samples [][2]values
		want    string
		reason  string
	}{
		{figure{"f", "s", atMost, 1}, [][2]values{peer(1, 2), peer(9, 1), peer(1, 4)}, "0.50× | 3: 0.25 to 9.00 | ≤ 1× | met |", "one bad round does not count"},
		{figure{"f", "s", atMost, 1}, [][2]values{peer(3, 2)}, "1.50× | 1: 1.50 to 1.50 | ≤ 1× | **missed** |", "more than the other side"},
		{figure{"f", "/s", keeps, 0.85}, [][2]values{peer(84, 100)}, "0.84× | 1: 0.84 to 0.84 | ≥ 0.85× | **missed** |", "a rate that is not kept up"},
		{figure{"f", "ms", below, 30}, [][2]values{{{"f": 29}}}, "29.0 ms |  |  | 1: 29.0 to 29.0 | ≤ 30 ms | met |", "there is no other side"},
		{figure{"f", "ms", atMost, 1}, [][2]values{{{"f": 1}}}, "| **missed** |", "the other side was not measured"},
		{figure{"f", "ms", shown, 0}, [][2]values{peer(4, 2)}, "2.00× | 1: 2.00 to 2.00 | – |  |", "nothing is promised"},
		{figure{"g", "ms", shown, 0}, [][2]values{peer(4, 2)}, "", "not measured"},
	}
	for _, r := range rows {
		if got := r.figure.line(r.samples); !strings.HasSuffix(got, r.want) || r.want == "" && got != "" {
			t.Errorf("%v: %q, want %q: %s", r.figure, got, r.want, r.reason)
		}
	}
	if got := quantile([]time.Duration{4e6, 1e6, 3e6, 2e6}, 0.5); got != 2 {
		t.Errorf("the median is %v", got)
	}
}

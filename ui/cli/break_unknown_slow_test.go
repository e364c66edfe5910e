//go:build slow

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/chaos/chaostest"
)

// TestBreakListsWhatWent: a key that joined the lease after the last look is gone, too.
func TestBreakListsWhatWent(t *testing.T) {
	t.Parallel()
	direct, over, path := lossy(t)
	lease := direct.lease(600)
	key := direct.claim("/lock", lease)
	path.Before("LeaseRevoke", func() { direct.put("/elsewhere/x", "", lease) })
	state := t.TempDir()
	code, out, errs := over.runIn(state, "", "break", "/lock", "--armed", "--yes")
	for _, want := range []string{`(2 keys; "/elsewhere/x" was not shown: it joined just before)`, "  went: /elsewhere/x\n", "  went: " + key + "\n"} {
		if !strings.Contains(out, want) || code != 0 {
			t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	if line := lastLine(t, state); line["result"] != "done" || line["done"] != true || len(line["went"].([]any)) != 2 {
		t.Errorf("the journal says %v", line)
	}
}

// lossy is a server behind a path that loses things.
func lossy(t *testing.T) (direct, over *cliBench, path *chaostest.Between) {
	t.Helper()
	direct = newCLIOn(t, installedServer(t))
	path = chaostest.NewBetween(t, direct.endpoint)
	return direct, &cliBench{t, path.Addr, direct.client}, path
}

// TestBreakLooksWhereNoAnswerCame: a write whose answer was lost is neither done nor not done.
// The watch tells whether the claim went.
func TestBreakLooksWhereNoAnswerCame(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		method string
		how    chaostest.Loss
		code   int
		says   []string
		reason string
	}{
		{"LeaseRevoke", chaostest.AnswerCut, 0, []string{"the watch has seen that KEY is gone", "seen: "}, "the watch goes on over a new connection"},
		{"LeaseRevoke", chaostest.AnswerUnavailable, 0, []string{"the watch has seen that KEY is gone", "seen: "}, "etcd did it, whatever the proxy says"},
		{"LeaseRevoke", chaostest.AnswerNever, 0, []string{"the watch has seen that KEY is gone", "seen: "}, "the watch is asked once the time for the answer is up"},
		{"LeaseRevoke", chaostest.RequestCut, exitBad, []string{"no answer came, so whether it was done is not known, and its effect was not seen within"}, "it may still arrive, and has not so far"},
		{"Txn", chaostest.AnswerCut, 0, []string{"the watch has seen that KEY is gone", "seen: "}, "a delete is no better off"},
		{"Txn", chaostest.RequestNever, exitBad, []string{"no answer came, so whether it was done is not known, and its effect was not seen within"}, "nor here"},
	} {
		t.Run(r.method+", "+string(r.how), func(t *testing.T) {
			t.Parallel()
			direct, over, path := lossy(t)
			key := direct.claim("/lock", direct.lease(600))
			direct.claim("/lock", direct.lease(600))
			path.Lose(r.method, r.how)
			args := []string{"break", "/lock", "--armed", "--yes"}
			if r.method == "Txn" {
				args = append(args, "--claim", key)
			}
			state := t.TempDir()
			code, out, errs := over.runIn(state, "", args...)
			for _, want := range append(r.says, "unknown whether done: ", "it may have been done") {
				if want = strings.ReplaceAll(want, "KEY", key); !strings.Contains(out+errs, want) || code != r.code {
					t.Errorf("%s: exit %d, no %q in\n%s%s", r.reason, code, want, out, errs)
				}
			}
			if strings.Contains(out+errs, "not done:") {
				t.Errorf("%s: nobody knows that\n%s%s", r.reason, out, errs)
			}
			if line := lastLine(t, state); line["result"] != "unknown" || line["done"] != nil {
				t.Errorf("%s: the journal says %v", r.reason, line)
			}
		})
	}
}

// lastLine is the last line of the audit log.
func lastLine(t *testing.T, state string) (line map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(state, "locktop", "actions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
		t.Fatal(err)
	}
	return line
}

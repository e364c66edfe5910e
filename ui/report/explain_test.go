package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/findings"
)

func explained(t *testing.T, name string) string {
	t.Helper()
	var b strings.Builder
	if err := Explain(&b, name); err != nil {
		t.Fatalf("Explain(%q): %v", name, err)
	}
	return b.String()
}

func TestExplainACode(t *testing.T) {
	want := `orphan-key
The head of the queue has no lease and never expires

what happens  Someone wrote a key under the lock's name without a lease: a
              home-made lock, a forgotten option, a restored backup. etcd
              removes only keys that hang on a lease, so this one stays until it
              is deleted.
how it looks  The head shows lease 0 while those behind it have leases, and the
              queue does not move.
what to do    Make sure that its writer is gone. Then delete that claim guarded
              by its create revision, not by its bare name: the name may belong
              to a new claim by then.
to break it   breaking this claim is a cure: the key never expires, so only a
              delete frees the lock; make sure first that its writer is gone
confidence    certain from etcd alone
threads       hashicorp/vault#2526
`
	if diff := cmp.Diff(want, explained(t, " Orphan-Key ")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExplainARecipe(t *testing.T) {
	want := `vitess-lock
Vitess etcd2topo

order         by mod revision, lowest first
holder        the claim with the lowest mod revision
waiters       visible: each waiter is a key
renewal       every third of the TTL
recognised    strong at most, from the form of the keys and values; --recipe
              PREFIX=NAME overrides it
quirks        The keys end in the lease id in decimal, the value says who locked
              and why. Unlocking revokes the lease. The keepalive is tied to the
              caller's context: when that ends, the lock runs out 30 s later.
              Named locks have a TTL of 24 h.
`
	if diff := cmp.Diff(want, explained(t, "vitess-lock")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestConfidenceWords(t *testing.T) {
	for code, want := range map[model.Code]string{
		model.CodeGhostWaiter:       "certain with a proxy in the path",
		model.CodeZombieCandidate:   "strong at most with a declared number of contenders; more certain with the client's word",
		model.CodeExpiredWaiterWins: "certain with the server's version or the client's word",
		model.CodeDeadHolder:        "strong at most from etcd alone",
		model.CodeOverloadReject:    "strong at most with the members' own metrics",
	} {
		e, _ := findings.Explain(code)
		if got := confidenceWords(e); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for _, e := range findings.Catalogue() {
		for _, n := range e.Needs {
			if needWords[n] == "" {
				t.Errorf("%s: a sentence ends before it names its source, %s", e.Code, n)
			}
		}
	}
}

func TestEveryNameIsExplainedWithin80Columns(t *testing.T) {
	var list strings.Builder
	if err := ExplainList(&list); err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for line := range strings.Lines(list.String()) {
		if rest, ok := strings.CutPrefix(line, "  "); ok {
			listed[strings.Fields(rest)[0]]++
		}
	}
	for _, name := range ExplainNames() {
		if listed[name] != 1 {
			t.Errorf("%s is listed %d times", name, listed[name])
		}
		for line := range strings.Lines(explained(t, name)) {
			line = strings.TrimSuffix(line, "\n")
			if len(line) > explainWidth || strings.HasSuffix(line, " ") {
				t.Errorf("%s: too long, or spaces at its end: %q", name, line)
			}
		}
	}
	if len(listed) != len(ExplainNames()) {
		t.Errorf("%d names listed, %d known", len(listed), len(ExplainNames()))
	}
}

func TestExplainAnUnknownName(t *testing.T) {
	for _, name := range []string{"orphen-key", "vitess", ""} {
		var b strings.Builder
		if err := Explain(&b, name); !errors.Is(err, ErrUnknownName) || b.Len() > 0 {
			t.Errorf("%q: %v, and %q was written", name, err, b.String())
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestExplainReportsAFailedWrite(t *testing.T) {
	if err := Explain(brokenWriter{}, "mutex"); !errors.Is(err, errBroken) {
		t.Errorf("Explain: %v", err)
	}
	if err := ExplainList(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("ExplainList: %v", err)
	}
}

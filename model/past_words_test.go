package model

import (
	"strings"
	"testing"
	"time"
)

// TestWhatWasDoneIsSaid: what was done reads as a sentence of the past, for every kind of
// action and fault; what was not done names what it would have been.
func TestWhatWasDoneIsSaid(t *testing.T) {
	for _, tt := range []struct {
		out          Outcome
		want, reason string
	}{
		{Outcome{Done: true, Action: Action{Kind: InjectFault, Fault: Fault{Kind: FaultKill, Target: "c1"}}}, "Killed c1", "a process"},
		{Outcome{Done: true, Action: Action{Kind: InjectFault, Fault: Fault{Kind: FaultHold, Target: "c1", Method: "KV/Txn"}}}, "Holding requests of KV/Txn of c1", "it lasts"},
		{Outcome{Done: true, Action: Action{Kind: HealAll}}, "Healed every fault", "all"},
		{Outcome{Done: true, Action: Action{Kind: DeleteClaim, Key: "/l/\x1b[2J"}, Detail: "1 key"}, `Deleted claim /l/\x1b[2J (1 key)`, "hostile bytes stay escaped"},
		{Outcome{Action: Action{Kind: RevokeLease, Lease: 0xa1}, Err: "it is gone"}, "not done: revoke lease a1: it is gone", "nothing was done, so no past"},
	} {
		if got := tt.out.Describe(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
	for _, kind := range ActionKinds {
		if got := (Action{Kind: kind, Fault: Fault{Kind: FaultPause}}).Past(); strings.HasPrefix(got, "Did:") {
			t.Errorf("%s has no past: %q", kind, got)
		}
	}
	for _, info := range FaultKinds() {
		if info.Past == "" {
			t.Errorf("%s has no past", info.Kind)
		}
	}
}

// TestDurationsInShort: one form for all screens and lists, and what is not known is no figure.
func TestDurationsInShort(t *testing.T) {
	for _, r := range []struct{ got, want, reason string }{
		{Duration(0, true), ">0s", "it began before we looked, and nothing more is known"},
		{Duration(999*time.Millisecond, true), ">0s", "less than a second is no more"},
		{Duration(time.Second, true), "1s+", "at least a second"},
		{Duration(0, false), "0.0s", "seen from its beginning"},
		{Remaining(39, 60), "39/60s", "seconds where they fit"},
		{Remaining(3093, 3600), "51m/60m", "and minutes where they do not"},
	} {
		if r.got != r.want {
			t.Errorf("%q, want %q: %s", r.got, r.want, r.reason)
		}
	}
}

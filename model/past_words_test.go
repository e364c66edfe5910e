package model

import (
	"strings"
	"testing"
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

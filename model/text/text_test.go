package text

import (
	"strings"
	"testing"

	"locktop/model"
)

// TestWhatWasDoneIsSaid: what was done reads as a sentence of the past, for every kind of
// action and fault; what was not done names what it would have been.
func TestWhatWasDoneIsSaid(t *testing.T) {
	for _, tt := range []struct {
		out          model.Outcome
		want, reason string
	}{
		{model.Outcome{Done: true, Action: model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultKill, Target: "c1"}}}, "Killed c1", "a process"},
		{model.Outcome{Done: true, Action: model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultHold, Target: "c1", Method: "KV/Txn"}}}, "Holding requests of KV/Txn of c1", "it lasts"},
		{model.Outcome{Done: true, Action: model.Action{Kind: model.HealAll}}, "Healed every fault", "all"},
		{model.Outcome{Done: true, Action: model.Action{Kind: model.HealAll}, Detail: model.NoFault()}, "Nothing was done: no fault was in force", "nothing was healed"},
		{model.Outcome{Done: true, Action: model.Action{Kind: model.DeleteClaim, Key: "/l/\x1b[2J"}, Detail: model.Say("detail-keys", 1)}, `Deleted claim /l/\x1b[2J (1 key)`, "hostile bytes stay escaped"},
		{model.Outcome{Action: model.Action{Kind: model.RevokeLease, Lease: 0xa1}, Err: "it is gone"}, "not done: revoke lease a1: it is gone", "nothing was done, so no past"},
	} {
		if got := English(tt.out.Message()); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
	for _, kind := range model.ActionKinds {
		if got := English(model.Outcome{Done: true, Action: model.Action{Kind: kind, Fault: model.Fault{Kind: model.FaultPause}}}.Message()); strings.HasPrefix(got, "Did:") {
			t.Errorf("%s has no past: %q", kind, got)
		}
	}
	for _, info := range model.FaultKinds() {
		if English(info.Past) == "" {
			t.Errorf("%s has no past", info.Kind)
		}
		if Catalogue()[info.Story].English == "" {
			t.Errorf("a drill does not say what %s does", info.Kind)
		}
	}
}

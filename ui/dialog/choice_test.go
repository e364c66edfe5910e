package dialog

import (
	"testing"

	"locktop/model"
	"locktop/ui/page"
)

// TestEveryFaultIsOffered: what the menu makes of a kind is a fault that is right.
func TestEveryFaultIsOffered(t *testing.T) {
	for _, info := range model.FaultKinds() {
		found := 0
		for _, on := range []page.Subject{{Kind: model.TargetProcess, Name: "c1", Lock: "/l"}, {Kind: model.TargetMember, Name: "m1"},
			{Kind: model.TargetClient, Name: "127.0.0.1:4711"}, {Kind: model.TargetCluster}} {
			name, ok := targetOf(on, info.Target)
			if !ok {
				continue
			}
			found++
			c := presets(info, model.Fault{Kind: info.Kind, Target: name}, []string{"m1", "m2"})
			for range 9 { // every line to its last value
				if err := c.fault().Check(); err != nil {
					t.Errorf("%s: %v", info.Kind, err)
				}
				if len(c.asks) > 0 {
					c.turn(1)
					c.turn(1)
					c.turn(1)
					c.move(1)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s is offered for nothing that can be selected", info.Kind)
		}
	}
}

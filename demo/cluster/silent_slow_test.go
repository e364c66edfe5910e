//go:build slow

package cluster

import (
	"net"
	"testing"
	"time"
)

// TestAMemberStopsUnderASilentClient: who has connected and says nothing, such as a program that was
// paused just then or a look at which ports are open, keeps no member from ending and starting again.
func TestAMemberStopsUnderASilentClient(t *testing.T) {
	c := breakable(t, 1, nil)
	silent, err := net.Dial("tcp", endpoint(c, c.Names()[0]))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() }) // before the cluster is closed
	began := time.Now()
	timed(t, "stop it", func() error { return c.StopMember(c.Names()[0]) })
	if took := time.Since(began); took > 4*releaseWithin {
		t.Errorf("it stopped after %v", took)
	}
	timed(t, "start it", func() error { return c.StartMember(t.Context(), c.Names()[0]) })
}

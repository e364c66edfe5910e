package cli

import (
	"strings"
	"testing"
	"time"

	"locktop/demo"
	"locktop/model"
)

// The console is harmless by construction: whatever its hands try over the reading
// connection, the interceptors of that connection refuse it in the client. These
// tests give it hands that try to write whenever they are asked anything, and look
// at the server before and after. The same is done without the interceptors, and
// then the server must have changed: else the tests would prove nothing.

// TestTheLabIsReadThroughTheInterceptor: nor does the console write to its own lab
// over the connection that it looks with.
func TestTheLabIsReadThroughTheInterceptor(t *testing.T) {
	t.Parallel()
	e := &env{}
	e.flags = connFlags{dialTimeout: 20 * time.Second, leaseBudget: 20}
	var room labRun
	defer room.close()
	if _, err := room.open(t.Context(), e, demo.Options{Members: 1, Contenders: -1}, func(model.Message) {}); err != nil {
		t.Fatal(err)
	}
	for _, w := range tries {
		if err := w.do(within(t), room.client, 1); err == nil || !strings.Contains(err.Error(), "never writes") {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

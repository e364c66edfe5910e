//go:build slow

package cli

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// What shorter holds would have changed is what a lab with shorter holds does in the same time:
// where the queue is never empty, next to nothing.
func TestTopSaysWhatShorterHoldsDo(t *testing.T) {
	endpoint := member(t)
	c := unbound(t, endpoint)
	const contenders = 4
	for _, row := range []struct{ lock, hold string }{{"/jobs/whole", "200ms"}, {"/jobs/half", "100ms"}} {
		for i := range contenders {
			cmd := exec.Command(locktop(t), patient([]string{"contend", "--armed", "--hold", row.hold, "--think", "20ms", "--seed", strconv.Itoa(i + 1), row.lock}, endpoint)...)
			cmd.Env = os.Environ()
			out, _ := lines(t, cmd)
			go func() {
				for range out { // to the end of its lines
				}
			}()
		}
	}
	for deadline := time.Now().Add(60 * time.Second); ; {
		keys, err := c.Get(within(t), "/jobs/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		if keys.Count >= 2*contenders-1 { // all of them are at it
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d contenders came", keys.Count, 2*contenders)
		}
	}
	_, out, errs := program(t, t.TempDir(), "top", "--for", "12s", "-o", "json", "--endpoints", endpoint)
	var top struct {
		Locks []struct {
			Name  string
			Total float64  `json:"total_wait"`
			Half  *float64 `json:"total_wait_half_hold"`
		}
	}
	if err := json.Unmarshal([]byte(out), &top); err != nil || len(top.Locks) != 2 {
		t.Fatalf("%v: %s\n%s", err, out, errs)
	}
	whole, half := top.Locks[0], top.Locks[1]
	if whole.Name == "/jobs/half" {
		whole, half = half, whole
	}
	if whole.Half == nil || math.Abs(*whole.Half-half.Total) > 0.1*half.Total {
		t.Errorf("of %.1f s waited half of each hold leaves other than the %.1f s of the lab with half of each hold\n%s", whole.Total, half.Total, out)
	}
}

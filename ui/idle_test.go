package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/terminal"
)

// idleBytes is how many bytes a second a console on 120 by 36 cells may write while nobody touches it.
const idleBytes = 4096

// TestIdleOutput: two locks pass on every two seconds, which is 60 handovers and 60 joins a minute, and one of them
// is selected. That goes over a slow line, too.
func TestIdleOutput(t *testing.T) {
	b := newBench(t, Options{Profile: termenv.TrueColor})
	b.size(120, 36)
	queues := []struct {
		lock string
		late int // its handovers come so many ms later
		ids  []model.LeaseID
	}{{"/jobs/billing", 0, []model.LeaseID{0xa1, 0xa2, 0xa3}}, {"/jobs/export", 1500, []model.LeaseID{0xb1, 0xb2, 0xb3}}}
	join := func(s float64, lock string, id model.LeaseID) {
		b.w.claim(s, lock, fmt.Sprintf("worker-%x:4000", uint64(id)), id)
		b.w.read(s, id, 10, 9)
	}
	for _, q := range queues {
		for _, id := range q.ids {
			join(0.1, q.lock, id)
		}
	}
	var shown []string
	wrote, most := 0, 0
	for ms := 250; ms <= 180_000; ms += 250 {
		s := float64(ms) / 1000
		for i := range queues {
			switch q := &queues[i]; {
			case ms <= q.late:
			case (ms-q.late)%2000 == 0:
				b.w.del(s, leaseKey(q.lock, q.ids[0]))
				q.ids = append(q.ids[1:], q.ids[0])
			case (ms-q.late)%2000 == 750 && ms > q.late+2000:
				join(s, q.lock, q.ids[2])
			}
		}
		if len(b.w.ev) > 0 {
			b.send(b.w.batch())
		}
		if ms%1000 == 0 {
			b.send(tickMsg(at(s)))
		}
		lines := strings.Split(b.View(), "\n")
		wrote += len(terminal.Patch(shown, lines))
		if shown = lines; ms%10_000 == 0 {
			most, wrote = max(most, wrote/10), 0
		}
	}
	b.sees("/jobs/billing", "2 moving", "took over")
	if most > idleBytes {
		t.Errorf("%d bytes a second, want %d at most", most, idleBytes)
	}
	t.Logf("%d bytes a second at most", most)
}

//go:build slow

package session

import (
	"fmt"
	"io"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// burst is so many locks of one claim each, on a lease of its own, and their end in one
// revision.
func burst(n int) (list, end []model.Event) {
	at := time.Unix(100, 0)
	kvs, gone := make([]model.KV, n), make([]model.Change, n)
	for i := range n {
		key := fmt.Sprintf("/l/%d/%x", i, i+1)
		kvs[i] = model.KV{Key: key, CreateRev: 2, ModRev: 2, Version: 1, Lease: model.LeaseID(i + 1)}
		gone[i] = model.Change{Deleted: true, KV: model.KV{Key: key, ModRev: 9}}
	}
	list = []model.Event{model.Requested{At: at, Prefixes: []string{"/l/"}}, model.LoadStarted{At: at, Prefix: "/l/", Rev: 5},
		model.Listed{At: at, Prefix: "/l/", Rev: 5, KVs: kvs, Done: int64(n), Total: int64(n)}, model.Loaded{At: at, Prefix: "/l/", Rev: 5}}
	return list, []model.Event{model.Committed{At: at.Add(time.Second), Rev: 9, Changes: gone}}
}

// TestAStreamIsCompleteOrSaysWhereItIsNot: no entry is missing, or a line says how many are.
func TestAStreamIsCompleteOrSaysWhereItIsNot(t *testing.T) {
	for _, row := range []struct {
		reason string
		locks  int
		late   bool // it is told of nothing before the journal has forgotten some
		batch  int  // revisions in one batch, each of which ends a lock
	}{
		{reason: "a few locks end at once", locks: 10},
		{reason: "twice as many as the journal keeps end in one revision", locks: 20_000},
		{reason: "the causes of many are not known yet, and more come", locks: 40_000, batch: 2_000},
		{reason: "more end in one revision than any journal holds", locks: 120_000},
		{reason: "nobody listens at first", locks: 25_000, late: true},
	} {
		t.Run(row.reason, func(t *testing.T) {
			list, end := burst(row.locks)
			batches := []model.Batch{batch(list...)}
			if row.batch == 0 {
				batches = append(batches, batch(end...))
			} else {
				var some []model.Event
				for i, c := range end[0].(model.Committed).Changes {
					c.KV.ModRev = int64(9 + i)
					some = append(some, model.Committed{At: time.Unix(101, 0), Rev: c.KV.ModRev, Changes: []model.Change{c}})
				}
				for len(some) > 0 {
					n := min(row.batch, len(some))
					batches, some = append(batches, batch(some[:n]...)), some[n:]
				}
			}
			for i := range 3 { // the journal forgets between two events
				batches = append(batches, batch(model.Tick{At: time.Unix(int64(102+i), 0)}))
			}
			s := New(&ends{batches: batches, err: io.EOF})
			left, missing, lines := map[string]bool{}, uint64(0), 0
			listen := func(e *journal.Entry) error {
				if e.Kind == journal.Left {
					left[e.Lock] = true
				}
				if e.LeftOut > 0 {
					lines++
				}
				missing += e.LeftOut
				return nil
			}
			if !row.late {
				s.OnEntry = listen
			}
			n := len(batches)
			if err := s.Pull(t.Context(), Pull{Until: func() bool { n--; return n < 0 }}); err != nil {
				t.Fatal(err)
			}
			s.OnEntry = listen
			if err := s.Pull(t.Context(), Pull{}); err != nil {
				t.Fatal(err)
			}
			if got := len(left) + int(missing); got != row.locks || len(left) == 0 {
				t.Errorf("%d locks were told, %d are said to be left out: %d of %d", len(left), missing, got, row.locks)
			}
			if few := row.locks <= 50_000 && !row.late; few == (lines > 0) {
				t.Errorf("%d lines say that something is left out", lines)
			}
		})
	}
}

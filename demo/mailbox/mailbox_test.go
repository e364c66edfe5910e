package mailbox

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

func TestMailbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		never := time.Time{}
		begun := time.Now()
		go func() {
			time.Sleep(time.Second)
			b.Put(model.FaultOn{ID: 1})
			time.Sleep(drainFor / 2)
			b.Put(model.FaultOff{ID: 1})
		}()
		got, err := b.Next(t.Context(), never, time.Now)
		want := []model.Event{model.FaultOn{ID: 1}, model.FaultOff{ID: 1}}
		if diff := cmp.Diff(want, got.Events); diff != "" || err != nil {
			t.Errorf("what comes within the window is one batch (%v): -want +got\n%s", err, diff)
		}
		if took := time.Since(begun); took != time.Second+drainFor {
			t.Errorf("it took %v", took)
		}

		due := time.Now().Add(time.Minute)
		got, err = b.Next(t.Context(), due, time.Now)
		if diff := cmp.Diff([]model.Event{model.Tick{At: due}}, got.Events); diff != "" || err != nil {
			t.Errorf("nothing but time (%v): -want +got\n%s", err, diff)
		}

		b.Put(model.FaultOn{ID: 2})
		ctx, cancel := context.WithTimeout(t.Context(), drainFor/2)
		defer cancel()
		if _, err := b.Next(ctx, never, time.Now); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
		b.Close()
		got, err = b.Next(t.Context(), never, time.Now)
		if diff := cmp.Diff([]model.Event{model.FaultOn{ID: 2}}, got.Events); diff != "" || err != nil {
			t.Errorf("a cancelled call consumes nothing (%v): -want +got\n%s", err, diff)
		}
		for range 2 {
			if _, err := b.Next(t.Context(), never, time.Now); !errors.Is(err, ErrClosed) {
				t.Errorf("spent: %v", err)
			}
		}
	})
}

func TestMailboxBatchesAreBounded(t *testing.T) {
	b := New()
	for i := range batchMax + 10 {
		b.Put(model.Acted{Outcome: model.Outcome{Rev: int64(i)}})
	}
	first, err := b.Next(t.Context(), time.Time{}, time.Now)
	if err != nil || len(first.Events) != batchMax || first.Cost.Behind != 10 {
		t.Errorf("%d events, %d behind, %v", len(first.Events), first.Cost.Behind, err)
	}
	if rest, err := b.Next(t.Context(), time.Time{}, time.Now); err != nil || len(rest.Events) != 10 {
		t.Errorf("%d events, %v", len(rest.Events), err)
	}
}

func TestMailboxMergesWhenNobodyReads(t *testing.T) {
	b := New()
	const faults = 50
	for i := range 20 * maxUnmerged {
		b.Put(model.Belief{Contender: fmt.Sprint("c", i%7), Text: fmt.Sprint(i)})
		b.Put(model.LeaseOwner{Lease: model.LeaseID(i + 1)})
		b.Put(model.Wrote{Rev: int64(i)})
		if i%(20*maxUnmerged/faults) == 0 {
			b.Put(model.FaultOn{ID: i})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.events) > maxUnmerged {
		t.Errorf("%d events wait", len(b.events))
	}
	kept := 0
	last := map[string]string{}
	for _, e := range b.events {
		switch e := e.(type) {
		case model.FaultOn:
			kept++
		case model.Belief:
			last[e.Contender] = e.Text
		}
	}
	if kept != faults || len(last) != 7 || last[fmt.Sprint("c", (20*maxUnmerged-1)%7)] != fmt.Sprint(20*maxUnmerged-1) {
		t.Errorf("%d of %d faults, beliefs %v", kept, faults, last)
	}
}

func TestMerge(t *testing.T) {
	c := model.Client{Name: "c1", Certain: true}
	belief := func(lock, text string) model.Event {
		return model.Belief{Contender: "c1", Lock: lock, Text: text}
	}
	proc := func(who, ended string) model.Event { return model.Contender{Name: who, Ended: ended} }
	lease := func(id model.LeaseID, member string) model.Event {
		return model.LeaseOwner{Lease: id, Client: c, Member: member}
	}
	conn := func(peer string, on bool) model.Event { return model.Connected{Client: c, Peer: peer, On: on} }
	watch := func(key string, on bool) model.Event { return model.Watches{Client: c, Key: key, On: on} }
	wrote := func(rev int64) model.Event { return model.Wrote{Client: c, Key: "k", Rev: rev} }
	on, off := model.FaultOn{ID: 1}, model.FaultOff{ID: 1}
	tests := []struct {
		in, want []model.Event
		limit    int
		reason   string
	}{
		{in: []model.Event{belief("a", "old"), belief("b", "only"), on, belief("a", "new"), off},
			want: []model.Event{belief("b", "only"), on, belief("a", "new"), off}, limit: 100,
			reason: "the latest belief of each lock stays, in its place"},
		{in: []model.Event{proc("c1", ""), proc("c2", ""), proc("c1", "killed")},
			want: []model.Event{proc("c2", ""), proc("c1", "killed")}, limit: 100,
			reason: "the latest of each contender"},
		{in: []model.Event{lease(1, "m1"), lease(2, "m1"), lease(1, "m2")},
			want: []model.Event{lease(2, "m1"), lease(1, "m2")}, limit: 100,
			reason: "the latest of each lease and client"},
		{in: []model.Event{conn("p1", true), conn("p2", true), conn("p1", false), watch("k", true), watch("j", true), watch("k", false)},
			want: []model.Event{conn("p2", true), conn("p1", false), watch("j", true), watch("k", false)}, limit: 100,
			reason: "the latest of each connection and watch"},
		{in: []model.Event{wrote(1), model.Access{}, model.Refused{}, wrote(2), model.Access{}, model.Acted{}, model.Acted{}},
			want:  []model.Event{wrote(1), model.Access{}, model.Refused{}, wrote(2), model.Access{}, model.Acted{}, model.Acted{}},
			limit: 100, reason: "what was done is never about the same"},
		{in: []model.Event{wrote(1), on, lease(1, "m1"), wrote(2), belief("a", "")},
			want: []model.Event{on, wrote(2), belief("a", "")}, limit: 3,
			reason: "too many: the oldest evidence goes"},
		{in: []model.Event{wrote(1), on, off, proc("c1", ""), belief("a", ""), model.Acted{}},
			want: []model.Event{on, off, proc("c1", ""), belief("a", ""), model.Acted{}}, limit: 1,
			reason: "nothing but evidence goes, whatever the limit"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, merge(tt.in, tt.limit)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.reason, diff)
		}
	}
}

// TestATailTellsAFewTimesASecond, however much a program prints, and leaves out what came before.
func TestATailTellsAFewTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		tail := b.Tail("w", time.Now)
		begun := time.Now()
		for i := range 10_000 {
			tail.Add("stdout", fmt.Sprintf("line %d \x1b[2J", i))
		}
		got, err := b.Next(t.Context(), time.Time{}, time.Now)
		if err != nil || len(got.Events) != 1 {
			t.Fatalf("%d events, %v", len(got.Events), err)
		}
		p := got.Events[0].(model.Printed)
		if last := p.Lines[len(p.Lines)-1]; len(p.Lines) != tellAtMost || p.Left != 10_000-tellAtMost || last.Text != `line 9999 \x1b[2J` || time.Since(begun) < tellEvery {
			t.Errorf("%d lines and %d left out after %v, the last is %q", len(p.Lines), p.Left, time.Since(begun), last.Text)
		}
		if kept, left := tail.Lines(); len(kept) != tailLines || left != 10_000-tailLines {
			t.Errorf("%d are kept, %d are not", len(kept), left)
		}
		tail.Add("stderr", "the last one")
		tail.Tell()
		b.Close()
		if got, err = b.Next(t.Context(), time.Time{}, time.Now); err != nil || len(got.Events) != 1 || got.Events[0].(model.Printed).Left != 0 {
			t.Errorf("%v: %+v, want the last one alone, at once", err, got.Events)
		}
	})
}
